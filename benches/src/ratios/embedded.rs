//! The whole embedded run, compared with as many exchanges of a minimal axum server over the same in-memory connections.

use std::time::Instant;

use assay_sim::serve::connection;
use assay_spec::Dialect;
use assay_suites::embedded::Embedded;
use assay_suites::harness::check::Check;
use assay_suites::harness::data::Run;
use assay_suites::harness::pace::Pace;
use assay_suites::harness::probe::Settings;
use assay_suites::harness::run::Runner;
use assay_suites::harness::run::plan::plan;
use assay_suites::harness::target::Target;
use axum::routing::get;
use axum::{Json, Router};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::{Effort, compare, print_head, print_row};

/// The concurrency of `assay run`.
const JOBS: usize = 4;

/// Runs `checks` against `target`, as `assay run` does.
pub fn run(target: &dyn Target, checks: &[&'static Check]) -> Run {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let (settings, pace) = (Settings { seed: 1, ..assay_suites::services::settings() }, Pace::default());
    let planned = plan(target, checks);
    let runner = Runner { target, settings: &settings, pace: &pace, jobs: JOBS };
    let run = runtime.block_on(runner.run(&planned, |_| ()));
    runtime.shutdown_background();
    run
}

/// Prints the cost of one exchange of the run.
pub fn print(effort: Effort) {
    println!("\nThe embedded run: one exchange, with everything that its check does\n");
    print_head();
    let mut each = || {
        let begun = Instant::now();
        let run = run(&Embedded::new(1, Dialect::default()), &assay_suites::services::checks());
        assert_eq!(run.exit_code(), 0, "the simulator conforms");
        begun.elapsed().as_secs_f64() / run.sent.requests as f64
    };
    let [ratio] = compare(effort.rounds().min(5), &mut each, [&mut || bare(2_000)]);
    print_row("an exchange of the embedded run", "minimal axum, a new connection in memory each", &ratio);
}

/// The seconds of one exchange on a new in-memory connection.
fn bare(exchanges: u32) -> f64 {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let router = Router::new().route("/", get(async || Json(json!({ "status": "ok", "slot": 300_000_000 }))));
    let begun = Instant::now();
    runtime.block_on(async {
        for _ in 0..exchanges {
            let (mut ours, theirs) = tokio::io::duplex(64 * 1024);
            tokio::spawn(connection(theirs, router.clone()));
            let request = b"GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
            ours.write_all(request).await.expect("the server reads");
            let mut answer = Vec::new();
            ours.read_to_end(&mut answer).await.expect("an answer");
            assert!(answer.starts_with(b"HTTP/1.1 200"), "an answer");
        }
    });
    begun.elapsed().as_secs_f64() / f64::from(exchanges)
}

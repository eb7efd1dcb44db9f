//! The runner: a thousand checks that do nothing, compared with as many trials of libtest-mimic, each run as
//! a whole process; and the whole embedded run.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use assay_benches::ratios::embedded::run;
use assay_spec::Service;
use assay_spec::{Dialect, catalogue};
use assay_suites::embedded::Embedded;
use assay_suites::harness::check::{self, Check};
use assay_suites::harness::control::Offer;
use assay_suites::harness::data::Conditions;
use assay_suites::harness::data::Run;
use assay_suites::harness::environment::Environment;
use assay_suites::harness::recording::Recorder;
use assay_suites::harness::target::{EnvironmentFuture, Leaving, Target};
use assay_suites::http::connect::{Connect, Connecting};
use assay_suites::http::exchange::Broken;
use assay_suites::report::terminal;
use assay_suites::services;
use criterion::{Criterion, Throughput, criterion_group};
use libtest_mimic::{Arguments, Trial};

/// The number of trivial checks in a run.
const CHECKS: usize = 1_000;
/// The first argument of a child process: which of the two runs it does.
const RUNNER: &str = "--child-runner";
const MIMIC: &str = "--child-mimic";

/// A target without a server.
struct Nothing(Offer);

impl Target for Nothing {
    fn name(&self) -> String {
        "nothing".to_owned()
    }

    fn offer(&self) -> &Offer {
        &self.0
    }

    fn has_site(&self, _: &str) -> bool {
        false
    }

    fn environment(&self, _: Service) -> EnvironmentFuture<'_> {
        let environment = Environment {
            connector: Arc::new(Nowhere),
            sites: BTreeMap::new(),
            control: None,
            own: true,
            forwarding: BTreeMap::new(),
            recorder: Recorder::default(),
        };
        Box::pin(std::future::ready(Ok(environment)))
    }

    fn leave(&self, _: Environment, _: bool) -> Leaving<'_> {
        Box::pin(std::future::ready(None))
    }

    fn conditions(&self) -> Conditions {
        Conditions::default()
    }

    fn is_embedded(&self) -> bool {
        true
    }
}

/// A connection to nothing.
struct Nowhere;

impl Connect for Nowhere {
    fn connect<'a>(&'a self, base: &'a str, _: Option<IpAddr>) -> Connecting<'a> {
        Box::pin(std::future::ready(Err(Broken::Unreachable(base.to_owned()))))
    }
}

fn trivial_checks() -> Run {
    let rule = catalogue::requirements().next().expect("the catalogue has rows");
    let trivial = Check::new(
        rule,
        module_path!(),
        "nothing_is_nothing",
        check::Run::Once(|probe| {
            Box::pin(std::future::ready(probe.expect(true, "nothing", "nothing", "nothing")))
        }),
    );
    let checks: Vec<&'static Check> = (0..CHECKS).map(|_| &*Box::leak(Box::new(trivial))).collect();
    run(&Nothing(Offer::default()), &checks)
}

fn trivial_trials() -> libtest_mimic::Conclusion {
    let trials = (0..CHECKS).map(|n| Trial::test(format!("nothing_{n}"), || Ok(()))).collect();
    libtest_mimic::run(&Arguments::default(), trials)
}

/// The duration of this many child processes, one after another, from start to end.
fn children(argument: &str, count: u64) -> Duration {
    let program = std::env::current_exe().expect("a bench knows its own path");
    let start = Instant::now();
    for _ in 0..count {
        let status = Command::new(&program).arg(argument).stdout(Stdio::null()).status();
        assert!(status.expect("a child starts").success());
    }
    start.elapsed()
}

fn checks(c: &mut Criterion) {
    let mut group = c.benchmark_group("checks");
    group.throughput(Throughput::Elements(CHECKS as u64));
    group.bench_function("thousand_trivial_checks", |b| b.iter_custom(|n| children(RUNNER, n)));
    group.bench_function("peer_thousand_trivial_trials", |b| b.iter_custom(|n| children(MIMIC, n)));
    group.finish();

    let all = services::checks();
    let mut group = c.benchmark_group("embedded");
    group.sample_size(10).throughput(Throughput::Elements(all.len() as u64));
    group.bench_function("whole_run", |b| {
        b.iter(|| {
            let run = run(&Embedded::new(1, Dialect::default()), &all);
            assert_eq!(run.exit_code(), 0);
            run
        });
    });
    group.finish();
}

criterion_group! { name = benches; config = assay_benches::criterion(); targets = checks }

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some(RUNNER) => {
            let run = trivial_checks();
            print!("{}", terminal::summary(&run, false));
            assert_eq!(run.exit_code(), 0);
        }
        Some(MIMIC) => trivial_trials().exit(),
        _ => {
            benches();
            Criterion::default().configure_from_args().final_summary();
        }
    }
}

//! Runs every check against the embedded simulator. Each is its own test: `cargo test` and nextest list them by id.

use std::sync::LazyLock;

use assay_spec::Dialect;
use assay_suites::embedded::Embedded;
use assay_suites::harness::check::Check;
use assay_suites::harness::data::Verdict;
use assay_suites::harness::pace::Pace;
use assay_suites::harness::probe::Settings;
use assay_suites::harness::run::Runner;
use assay_suites::harness::run::plan::plan;
use assay_suites::report::words::reason;
use assay_suites::services;
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let trials = services::checks()
        .into_iter()
        .map(|check| Trial::test(check.requirement.to_string(), move || judge(check)))
        .collect();
    libtest_mimic::run(&arguments, trials).exit();
}

fn judge(check: &'static Check) -> Result<(), Failed> {
    // Every check gets its own copy of one world.
    static TARGET: LazyLock<Embedded> = LazyLock::new(|| Embedded::new(1, Dialect::default()));
    let target = &*TARGET;
    let (settings, pace) = (Settings { seed: 1, ..services::settings() }, Pace::default());
    let runner = Runner { target, settings: &settings, pace: &pace, jobs: 1 };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let run = runtime.block_on(runner.run(&plan(target, &[check]), |_| {}));
    match run.outcomes.as_slice() {
        [outcome] if outcome.verdict == Verdict::Pass => Ok(()),
        [outcome] => Err(format!("{}: {}", outcome.verdict.name(), reason(outcome)).into()),
        outcomes => Err(format!("one check has {} outcomes", outcomes.len()).into()),
    }
}

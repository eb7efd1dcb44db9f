//! Every check against the embedded simulator, each as a test of its own: `cargo test` and nextest list them by id.

use assay_suites::check::{self, Check};
use assay_suites::embedded::Embedded;
use assay_suites::pace::Pace;
use assay_suites::plan::plan;
use assay_suites::probe::Settings;
use assay_suites::run::Runner;
use assay_suites::verdict::Verdict;
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let trials = check::all()
        .into_iter()
        .map(|check| Trial::test(check.requirement.to_string(), move || judge(check)))
        .collect();
    libtest_mimic::run(&arguments, trials).exit();
}

fn judge(check: &'static Check) -> Result<(), Failed> {
    let settings = Settings { seed: 1, ..Settings::default() };
    let (target, pace) = (Embedded::new(1, settings.dialect.clone()), Pace::default());
    let runner = Runner { target: &target, settings: &settings, pace: &pace, jobs: 1, fail_fast: false };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let run = runtime.block_on(runner.run(&plan(&target, &[check]), |_| {}));
    match run.outcomes.as_slice() {
        [outcome] if outcome.verdict == Verdict::Pass => Ok(()),
        [outcome] => Err(format!("{}: {}", outcome.verdict.name(), outcome.reason).into()),
        outcomes => Err(format!("{} outcomes of one check", outcomes.len()).into()),
    }
}

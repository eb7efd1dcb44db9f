//! `assay doctor`: reports what prevents a target from being tested, fully or partly.

use std::path::Path;

use assay_suites::onboarding::doctor::diagnose;
use assay_suites::profile::Profile;
use clap::Args;

use super::Ending;
use super::target::{DEFAULT, TargetArgs};

pub(crate) const HELP: &str = "Examples:\n  assay doctor                              # the profile ./assay.toml\n  assay doctor --profile target.toml\n  assay doctor --network-url http://127.0.0.1:4107\n\nMarks: + ok, ! some checks cannot run or test less, x must be fixed first\n\nExit codes: 0 nothing has to be fixed before a run, 1 something must be fixed first, 2 bad arguments or profile, 3 no server was reached";

#[derive(Args)]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    target: TargetArgs,
}

pub(crate) async fn doctor(args: DoctorArgs) -> Result<(), Ending> {
    let none = "no target: give --profile, or a URL such as --network-url; assay init writes ./assay.toml, which is the default";
    let own = || Path::new(DEFAULT).exists().then(|| Profile::load(Path::new(DEFAULT)));
    let loaded = match args.target.load()? {
        Some(loaded) => loaded,
        None => own().ok_or_else(|| Ending::Bad(none.to_owned()))?.map_err(|e| Ending::Bad(e.to_string()))?,
    };
    let diagnosis = diagnose(&loaded).await;
    print!("{diagnosis}");
    match diagnosis.exit_code() {
        0 => Ok(()),
        code => Err(Ending::Code(code)),
    }
}

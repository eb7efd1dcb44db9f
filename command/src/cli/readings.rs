//! `assay readings`: lists the readings that a profile can declare for ambiguous sentences.

use assay_spec::Service;
use assay_suites::documents::readings;
use assay_suites::services::SUITES;
use clap::Args;

use super::{Ending, parse_service};

pub(crate) const HELP: &str = "Examples:\n  assay readings --service drop\n  assay readings --json\n\nExit codes: 0 printed, 2 unknown service";

#[derive(Args)]
pub(crate) struct ReadingsArgs {
    /// Only this service (repeatable)
    #[arg(long = "service", value_parser = parse_service)]
    services: Vec<Service>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[expect(clippy::unnecessary_wraps, reason = "commands end alike")]
pub(crate) fn readings(args: &ReadingsArgs) -> Result<(), Ending> {
    let wanted = SUITES.readings(&args.services);
    if args.json {
        println!("{:#}", readings::json(&wanted));
    } else {
        print!("{}", readings::table(&wanted));
    }
    Ok(())
}

//! `assay requirements`: the catalogue.

use std::path::PathBuf;

use assay_spec::Service;
use assay_suites::documents::catalogue;
use assay_suites::harness::check::Check;
use assay_suites::harness::rejections;
use assay_suites::services;
use clap::Args;

use super::{Ending, parse_service};

/// The end of the help.
pub(crate) const HELP: &str = "Examples:\n  assay requirements --service publish\n  assay requirements --rejections --service drop\n  assay requirements --against path/to/documents\n\nExit codes: 0 printed; 1 a sentence has no row, or a row no sentence (with --against); 2 bad arguments";

#[derive(Args)]
pub(crate) struct RequirementsArgs {
    /// Only this service (repeatable)
    #[arg(long = "service", value_parser = parse_service)]
    services: Vec<Service>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// List what the declarations leave open in the responses of each endpoint, types and values, and why
    #[arg(long, conflicts_with_all = ["json", "against"])]
    undeclared: bool,
    /// List the rejections that checks expect: their sentence, their statuses, and why no other is legal
    #[arg(long, conflicts_with_all = ["undeclared", "against"])]
    rejections: bool,
    /// Compare with the documents in this folder: list sentences without a row or exemption, and rows without a sentence
    #[arg(long, value_name = "DIR")]
    against: Option<PathBuf>,
}

pub(crate) fn requirements(args: &RequirementsArgs) -> Result<(), Ending> {
    if let Some(folder) = &args.against {
        let comparison = catalogue::against(folder).map_err(Ending::Bad)?;
        for line in comparison.findings.iter().chain(&comparison.summary) {
            println!("{line}");
        }
        return if comparison.findings.is_empty() { Ok(()) } else { Err(Ending::Code(1)) };
    }
    if args.rejections {
        let is_wanted =
            |check: &&Check| args.services.is_empty() || args.services.contains(&check.requirement.service);
        let checks: Vec<_> = services::checks().into_iter().filter(is_wanted).collect();
        if args.json {
            println!("{:#}", rejections::json(&checks));
        } else {
            print!("{}", rejections::table(&checks));
        }
    } else if args.undeclared {
        print!("{}", catalogue::undeclared(&args.services));
    } else if args.json {
        println!("{:#}", catalogue::json(&args.services));
    } else {
        print!("{}", catalogue::table(&args.services));
    }
    Ok(())
}

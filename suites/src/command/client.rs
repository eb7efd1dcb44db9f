//! `assay client`: somebody's client in honest and dishonest worlds.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

use assay_suites::embedded::client::{Suite, select};
use assay_suites::report::{json, junit, terminal};
use clap::{Args, Subcommand};

use crate::{Ending, write};

#[derive(Subcommand)]
pub(crate) enum What {
    /// A client of the signed publishing exchange, started once per world and told in its environment what to publish
    #[command(
        after_help = "CMD finds in its environment: ASSAY_URL and ASSAY_CHAIN_URL (base URLs of the exchange and of the chain's interface), ASSAY_KEY (the key's seed, 64 hex digits), ASSAY_DOMAIN, ASSAY_CID, and ASSAY_VERSION in those worlds that ask for one. It publishes once and ends. It is judged by what it sends, never by what it prints.\n\nExamples:\n  assay client publish -- assay publish\n  assay client publish publish.check --junit out.xml -- node publish.mjs\n\nExit codes: 0 conforming, 1 not conforming, 2 bad arguments, 4 the harness failed"
    )]
    Publish(PublishArgs),
}

#[derive(Args)]
pub(crate) struct PublishArgs {
    /// Only worlds whose requirement or fact contains one of these
    filters: Vec<String>,
    /// Seed of the worlds
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the report as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the report as `JUnit` XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Seconds after which a client hangs that has nothing to wait for
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..))]
    limit: u64,
    /// Seconds that a slow submit takes; the document speaks of about three minutes
    #[arg(long, default_value_t = 8)]
    slow: u64,
    /// Worlds beside each other
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=64))]
    jobs: u16,
    /// List the worlds, and start nothing
    #[arg(long)]
    list: bool,
    /// The client and its arguments
    #[arg(last = true, required_unless_present = "list", value_name = "CMD")]
    command: Vec<String>,
}

pub(crate) async fn client(what: What) -> Result<(), Ending> {
    let What::Publish(args) = what;
    let cases = select(&args.filters);
    if cases.is_empty() {
        return Err(Ending::Bad("no world matches these filters".to_owned()));
    }
    if args.list {
        let width = cases.iter().map(|case| case.requirement.to_string().len()).max().unwrap_or_default();
        for case in &cases {
            println!("{:<width$}  {}", case.requirement, case.fact);
        }
        return Ok(());
    }
    let suite = Suite {
        limit: Duration::from_secs(args.limit),
        slow: Duration::from_secs(args.slow),
        jobs: usize::from(args.jobs),
        ..Suite::new(args.command, args.seed)
    };
    let progress = terminal::Progress::start(cases.len());
    let run = suite.run(&cases, |outcome| progress.checked(outcome)).await;
    progress.finish();
    print!("{}", terminal::summary(&run, std::io::stdout().is_terminal()));
    if let Some(path) = &args.json {
        write(path, &format!("{:#}\n", json::write(&run)))?;
    }
    if let Some(path) = &args.junit {
        write(path, &junit::write(&run))?;
    }
    match run.exit_code() {
        0 => Ok(()),
        code => Err(Ending::Code(code)),
    }
}

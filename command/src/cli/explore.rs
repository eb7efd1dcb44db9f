//! `assay explore`: sequences of requests go to a target and to the simulator as its model.

use std::path::PathBuf;

use assay_spec::{Dialect, Service};
use assay_suites::embedded::Embedded;
use assay_suites::embedded::explore::{Plan, explore as run};
use assay_suites::harness::probe::Settings;
use assay_suites::harness::setup;
use assay_suites::harness::survey::WrongFixture;
use assay_suites::harness::target::Target;
use assay_suites::services::{self, SUITES};
use assay_suites::support::prose;
use clap::Args;

use super::selection::WHICH;
use super::target::TargetArgs;
use super::{Ending, parse_service, whole, write};

pub(crate) const HELP: &str = "Examples:\n  assay explore --service metadata\n  assay explore --profile assay.toml --requests 200\n  assay explore --deviation network.listing.types\n\nEach sequence goes to the target and to a world of the simulator. An answer that the simulator would not give is a finding if a sentence of the documents decides it: no allowed variation gives the same answer, and the request is valid by a sentence or must be rejected by one. Other differences are counted as undetermined, with the reason.\n\nExit codes: 0 no finding, 1 findings, or nothing was sent, 2 bad arguments or profile, 3 target unreachable, 4 the harness failed";

#[derive(Args)]
pub(crate) struct ExploreArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// Only this service (repeatable); without it, each service of the target
    #[arg(long, value_name = "SERVICE", help_heading = WHICH, value_parser = parse_service)]
    service: Vec<Service>,
    /// Seed of everything that is drawn
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(0..=u64::MAX))]
    seed: u64,
    /// Requests to each service, at least; the last sequence is sent to its end
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = whole::<u64>(1..=100_000_000))]
    requests: u64,
    /// Also send what leaves something at a target that others use, such as messages and uploads
    #[arg(long)]
    writes: bool,
    /// Without a target: break the simulator with this deviation (repeatable)
    #[arg(long, value_name = "ID", conflicts_with = "profile")]
    deviation: Vec<String>,
    /// Without a target: change the simulator by this variation (repeatable)
    #[arg(long, value_name = "NAME", conflicts_with = "profile")]
    variation: Vec<String>,
    /// Write the findings and the counts as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

pub(crate) async fn explore(args: ExploreArgs) -> Result<(), Ending> {
    let seed = args.seed;
    let explored = match args.target.load()? {
        None => {
            let target = Embedded::new(seed, Dialect::default());
            let target = target.with(&args.deviation, &args.variation).map_err(Ending::Bad)?;
            let settings = Settings { seed, ..services::settings() };
            Box::pin(assay_suites::embedded::explore::explore_embedded(
                target,
                settings,
                args.service.clone(),
                args.requests,
            ))
            .await
        }
        Some(_) if !(args.deviation.is_empty() && args.variation.is_empty()) => {
            return Err(Ending::Bad(
                "--deviation and --variation change the simulator: remove them, or the target".to_owned(),
            ));
        }
        Some(loaded) => {
            let (mut target, mut settings, pace) = setup::prepare(SUITES, &loaded, Some(seed))?;
            setup::meet(&mut target, true).await?;
            let named: Vec<Service> = SUITES.iter().map(|suite| suite.service).collect();
            let has = |service: &Service| {
                target.has_site(service.name()) && (args.service.is_empty() || args.service.contains(service))
            };
            let services: Vec<Service> = named.into_iter().filter(has).collect();
            if services.is_empty() {
                return Err(Ending::Bad("the target has none of the services of --service".to_owned()));
            }
            let domains = if target.offer().actions.is_empty() { usize::MAX } else { 0 };
            let wrong =
                setup::confirm(&mut target, &mut settings, &pace, &loaded.source, &services, domains).await?;
            for WrongFixture { key, what, .. } in wrong {
                eprint!(
                    "{}",
                    prose::wrap("assay: not used: ", &format!("{}: {what}", loaded.source.place_of(&key)))
                );
            }
            let plan = Plan {
                target: &target,
                settings: &settings,
                pace: &pace,
                services: &services,
                requests: args.requests,
                writes: args.writes,
                first: false,
            };
            Box::pin(run(&plan)).await
        }
    };
    let explored = explored.map_err(Ending::Failed)?;
    print!("{}", explored.text());
    if let Some(path) = &args.json {
        write(path, &format!("{:#}\n", explored.json()))?;
    }
    if let Some(why) = explored.unreachable {
        return Err(Ending::Unreachable(why));
    }
    if explored.findings.is_empty() && explored.has_sent() { Ok(()) } else { Err(Ending::Code(1)) }
}

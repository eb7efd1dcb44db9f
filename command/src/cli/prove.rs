//! `assay prove`: that every check can fail, and that it fails for nothing else.

use std::path::PathBuf;

use assay_spec::Service;
use assay_suites::harness::check::Check;
use assay_suites::harness::probe::{Depth, Settings};
use assay_suites::services;
use assay_suites::support::prose;
use clap::Args;

use super::run::depth_parser;
use super::selection::Selection;
use super::{Ending, whole, write};

/// The end of the help.
pub(crate) const HELP: &str = "Examples:\n  assay prove --service publish --json matrix.json\n  assay prove publish.prepare.one-in-flight\n\nThe line of a deviation or variation counts its checks: red are fail, warn and error; blocked are inconclusive, not-testable and not-applicable, because they need what the deviation broke. Under a deviation its own check must be red and no other; under a variation no check may be red or blocked.\n\nExit codes: 0 everything is proven, 1 a hole, 2 bad arguments, 4 the harness failed";

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "one field for each flag")]
pub(crate) struct ProveArgs {
    /// Seed of the worlds
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(0..=u64::MAX))]
    seed: u64,
    /// Write the matrix as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the matrix as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Print every deviation and variation, not only those that are not proven
    #[arg(short, long)]
    verbose: bool,
    /// Run only against constant servers, and print which checks pass on which
    #[arg(long, conflicts_with_all = ["json", "junit", "verbose"])]
    constant: bool,
    /// Make each declared field of each response wrong, and break each row at each place that it declares; print how many of
    /// these cells the rows close.
    /// Fails if a cell is open that suites/holes.toml does not list
    #[arg(long, conflicts_with = "constant")]
    cells: bool,
    /// Run checks under N mixes of allowed variations instead; the seed decides which variations and checks. Fails if a check
    /// turns red or gives no result
    #[arg(long, value_name = "N", conflicts_with_all = ["constant", "cells", "junit"], value_parser = whole::<u64>(1..=u64::MAX))]
    variations: Option<u64>,
    /// Search each deviation by exploration alone, with N requests, and explore under each variation; print what was not found.
    /// Fails if a variation causes a finding
    #[arg(long, value_name = "N", conflicts_with_all = ["constant", "cells", "variations", "junit"], value_parser = whole::<u64>(1..=1_000_000))]
    explore: Option<u64>,
    /// Measure what each check sends, in a world of its own and at a shared target, and write that in the form of
    /// suites/costs.toml
    #[arg(long, value_name = "FILE", conflicts_with_all = ["constant", "cells", "variations", "explore", "json", "junit"])]
    costs: Option<PathBuf>,
    /// Only every Nth cell, of which the seed decides, or every Nth deviation and variation
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u16>(1..=u16::MAX.into()))]
    every: u16,
    /// Print how many cells a run finds at a target that others use too: one world for all checks, one key, no control API
    #[arg(long, requires = "cells", conflicts_with = "holes")]
    shared: bool,
    /// Write what such a run finds and what it does not, as a page (Markdown)
    #[arg(long, value_name = "FILE", requires = "shared")]
    page: Option<PathBuf>,
    /// Which values such a run sends in place of ordinary ones
    #[arg(long, value_parser = depth_parser(), default_value = Depth::default().name())]
    depth: Depth,
    /// Write the open cells in the form of suites/holes.toml
    #[arg(long, value_name = "FILE", requires = "cells", conflicts_with = "every")]
    holes: Option<PathBuf>,
    #[command(flatten)]
    selection: Selection,
}

pub(crate) async fn prove(args: ProveArgs) -> Result<(), Ending> {
    use assay_suites::embedded::prove::Breadth;

    let wanted = args.selection.checks()?;
    let settings = Settings { seed: args.seed, ..services::settings() };
    if args.every > 1 && !args.cells && args.explore.is_none() {
        return Err(Ending::Bad("--every needs --cells or --explore".to_owned()));
    }
    if let Some(path) = &args.costs {
        if wanted.len() < services::checks().len() {
            return Err(Ending::Bad("--costs measures all checks: remove the filters".to_owned()));
        }
        let costs = assay_suites::embedded::costs::measure(args.seed, 4);
        return write(path, &Box::pin(costs).await.map_err(Ending::Failed)?);
    }
    if args.constant {
        return prove_constant(args.seed, &wanted, &settings).await;
    }
    if args.cells {
        return Box::pin(prove_cells(&args, &wanted, &settings)).await;
    }
    if let Some(count) = args.variations {
        return prove_mixes(&args, count, &wanted, &settings).await;
    }
    if let Some(requests) = args.explore {
        return prove_exploration(&args, requests, &wanted, &settings).await;
    }
    let matrix =
        Box::pin(assay_suites::embedded::prove::prove(args.seed, &wanted, &settings, 4, Breadth::Met))
            .await
            .map_err(Ending::Failed)?;
    print!("{}", matrix.text(args.verbose));
    if let Some(path) = &args.json {
        write(path, &format!("{:#}\n", matrix.json()))?;
    }
    if let Some(path) = &args.junit {
        write(path, &matrix.junit())?;
    }
    if matrix.holds() { Ok(()) } else { Err(Ending::Code(1)) }
}

/// Searches deviations by exploration.
async fn prove_exploration(
    args: &ProveArgs,
    requests: u64,
    wanted: &[&'static Check],
    settings: &Settings,
) -> Result<(), Ending> {
    use assay_suites::embedded::explore::proof;

    let searches =
        proof::prove(settings, wanted, requests, args.every.into(), 4).await.map_err(Ending::Failed)?;
    print!("{}", proof::text(&searches, args.verbose));
    if let Some(path) = &args.json {
        write(path, &format!("{:#}\n", proof::json(&searches)))?;
    }
    if proof::holds(&searches) { Ok(()) } else { Err(Ending::Code(1)) }
}

/// Runs checks under mixes of variations.
async fn prove_mixes(
    args: &ProveArgs,
    count: u64,
    wanted: &[&'static Check],
    settings: &Settings,
) -> Result<(), Ending> {
    use assay_suites::embedded::mixes;

    let proven = mixes::prove_mixes(args.seed, count, wanted, settings, 4).await.map_err(Ending::Failed)?;
    print!("{}", mixes::text(&proven, args.verbose));
    if let Some(path) = &args.json {
        write(path, &format!("{:#}\n", mixes::json(&proven)))?;
    }
    if mixes::hold(&proven) { Ok(()) } else { Err(Ending::Code(1)) }
}

/// Proves the cells of the services of the selected checks.
async fn prove_cells(args: &ProveArgs, wanted: &[&'static Check], settings: &Settings) -> Result<(), Ending> {
    use assay_suites::embedded::{cells, shared};

    let is_wanted = |service: &&Service| wanted.iter().any(|check| check.requirement.service == **service);
    let services: Vec<Service> = Service::ALL.iter().filter(is_wanted).copied().collect();
    if args.shared {
        let found = shared::detection(args.seed, &services, args.depth, 4, args.every.into());
        let found = Box::pin(found).await.map_err(Ending::Failed)?;
        print!("{}", shared::text(&found));
        if let Some(path) = &args.json {
            write(path, &format!("{:#}\n", shared::json(&found)))?;
        }
        return args.page.as_ref().map_or(Ok(()), |path| write(path, &shared::page(&found)));
    }
    let found = cells::prove_cells(args.seed, &services, settings, 4, args.every.into());
    let found = found.await.map_err(Ending::Failed)?;
    print!("{}", cells::text(&found));
    if let Some(path) = &args.json {
        write(path, &format!("{:#}\n", cells::json(&found)))?;
    }
    if let Some(path) = &args.holes {
        return write(path, &cells::holes(&found));
    }
    let differences = cells::differences(&found, args.every > 1).map_err(Ending::Failed)?;
    for line in &differences {
        println!("{line}");
    }
    if differences.is_empty() { Ok(()) } else { Err(Ending::Code(1)) }
}

/// Runs checks against constant servers.
async fn prove_constant(seed: u64, wanted: &[&'static Check], settings: &Settings) -> Result<(), Ending> {
    use assay_suites::embedded::{constant, prove};

    let passes =
        prove::constants(seed, wanted, settings, 4, prove::Breadth::Met).await.map_err(Ending::Failed)?;
    for (id, servers) in &passes {
        println!("{id:<48} {}", servers.join("; "));
    }
    let mut holes = constant::holes(&passes, wanted);
    holes.extend(prove::broken(seed, wanted, settings, 4).await.map_err(Ending::Failed)?);
    for hole in &holes {
        println!("HOLE {hole}");
    }
    let passing = prose::count(passes.len(), "check");
    println!("passing on a constant server: {passing}, {}", prose::count(holes.len(), "hole"));
    if holes.is_empty() { Ok(()) } else { Err(Ending::Code(1)) }
}

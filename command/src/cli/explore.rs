//! `assay explore`: sequences of requests go to a target and to the simulator as its model.

use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_spec::{Dialect, Id, Service};
use assay_suites::embedded::Embedded;
use assay_suites::embedded::explore::case::MOST_BYTES;
use assay_suites::embedded::explore::{Case, Plan, Wishes, explore as run, explore_embedded};
use assay_suites::harness::probe::Settings;
use assay_suites::harness::run::Halt;
use assay_suites::harness::run::plan::select;
use assay_suites::harness::setup;
use assay_suites::harness::survey::WrongFixture;
use assay_suites::harness::target::Target;
use assay_suites::services::{self, SUITES};
use assay_suites::support::prose;
use clap::Args;

use super::interrupt::Interrupt;
use super::run::parse_time;
use super::selection::{self, WHICH};
use super::target::TargetArgs;
use super::{Ending, parse_service, whole, write};

pub(crate) const HELP: &str = "Examples:\n  assay explore --service metadata\n  assay explore --profile assay.toml --requests 200\n  assay explore --deviation network.listing.types\n  assay explore --profile assay.toml --time 10m --save cases\n  assay explore --profile assay.toml --cases cases\n\nEach sequence goes to the target and to a world of the simulator. An answer that the simulator would not give is a finding if a sentence of the documents decides it: no allowed variation gives the same answer, and the request is valid by a sentence or must be rejected by one. Other differences are counted as undetermined, with the reason.\n\nExit codes: 0 no finding, 1 findings, or nothing was sent, 2 bad arguments or profile, 3 target unreachable, 4 the harness failed";

/// The requests to each service, unless the command says otherwise.
const REQUESTS: u64 = 500;

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
    /// Requests to each service, at least; the last sequence is sent to its end [default: 500, or as many as --time allows]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..=100_000_000))]
    requests: Option<u64>,
    /// Stop after this time, such as 90s, 30m or 2h
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    time: Option<Duration>,
    /// Send only sequences in which the simulator consults this rule, such as network.storage.signature or 'publish.submit.*'
    /// (repeatable)
    #[arg(long, value_name = "ID")]
    focus: Vec<String>,
    /// Write each finding's sequence to a file of this folder
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    /// Send the sequences of these files, or of the files of these folders, instead of drawn ones (repeatable)
    #[arg(long, value_name = "PATH", conflicts_with_all = ["requests", "time", "focus", "save"])]
    cases: Vec<PathBuf>,
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
    let focus = focus(&args)?;
    let cases = args.cases.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?.concat();
    if let Some(folder) = &args.save {
        std::fs::create_dir_all(folder).map_err(|e| Ending::Bad(format!("{}: {e}", folder.display())))?;
    }
    let requests = args.requests.unwrap_or(if args.time.is_some() { u64::MAX } else { REQUESTS });
    let interrupt = Interrupt::listen();
    let mut stop = interrupt.count();
    let _timer = args.time.map(|time| interrupt.finish_after(time));
    let explored = match args.target.load()? {
        None => {
            let target = Embedded::new(seed, Dialect::default());
            let target = target.with(&args.deviation, &args.variation).map_err(Ending::Bad)?;
            let settings = Settings { seed, ..services::settings() };
            let wishes = Wishes { requests, focus, cases, halt: Box::new(interrupt) };
            tokio::select! {
                explored = Box::pin(explore_embedded(target, settings, args.service.clone(), wishes)) => explored,
                _ = stop.wait_for(|count| *count > 1) => return Err(stopped()),
            }
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
                requests,
                writes: args.writes,
                first: false,
                focus: &focus,
                cases: &cases,
                halt: &interrupt,
            };
            if let Some(command) = plan.refused() {
                return Err(Ending::Bad(format!(
                    "--cases: {command:?} leaves something at the target or moves its time: add --writes, or a control API"
                )));
            }
            tokio::select! {
                explored = Box::pin(run(&plan)) => explored,
                _ = stop.wait_for(|count| *count > 1) => return Err(stopped()),
            }
        }
    };
    let explored = explored.map_err(Ending::Failed)?;
    print!("{}", explored.text());
    if let Some(path) = &args.json {
        write(path, &format!("{:#}\n", explored.json()))?;
    }
    if let Some(folder) = &args.save {
        for finding in &explored.findings {
            let row = finding.outcome.requirement.to_string();
            write(&folder.join(format!("{row}.json")), &format!("{:#}\n", finding.case.json(&row)))?;
        }
    }
    if let Some(why) = explored.unreachable {
        return Err(Ending::Unreachable(why));
    }
    if explored.findings.is_empty() && explored.has_sent() { Ok(()) } else { Err(Ending::Code(1)) }
}

/// It was asked a second time to stop.
fn stopped() -> Ending {
    Ending::Failed("stopped within a sequence, so no report was written".to_owned())
}

/// The rules that `--focus` names.
fn focus(args: &ExploreArgs) -> Result<Vec<Id>, Ending> {
    if args.focus.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<Id> = select(services::checks(), &args.service, &args.focus)
        .iter()
        .map(|check| check.requirement)
        .collect();
    if rows.is_empty() { Err(selection::none()) } else { Ok(rows) }
}

/// The saved cases of a file, or of the JSON files of a folder, in the order of their names.
fn read(path: &Path) -> Result<Vec<Case>, Ending> {
    let wrong = |path: &Path, why: &str| Ending::Bad(format!("{}: {why}", path.display()));
    let mut files = vec![path.to_owned()];
    if path.is_dir() {
        let entries = std::fs::read_dir(path).map_err(|e| wrong(path, &e.to_string()))?;
        files = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
        files.sort();
        if files.is_empty() {
            return Err(wrong(path, "it has no saved case (*.json)"));
        }
    }
    let one = |file: &PathBuf| {
        let size = std::fs::metadata(file).map_err(|e| wrong(file, &e.to_string()))?.len();
        if size > MOST_BYTES {
            return Err(wrong(file, "too large for a saved case"));
        }
        let text = std::fs::read_to_string(file).map_err(|e| wrong(file, &e.to_string()))?;
        Case::parse(&text).map_err(|why| wrong(file, &why))
    };
    files.iter().map(one).collect()
}

//! `assay run`: plans, paces and runs checks against a target, and reports the results.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_spec::crypto::text::sha256_hex;
use assay_spec::{Id, Service};
use assay_suites::harness::check::{Check, Weight};
use assay_suites::harness::coverage;
use assay_suites::harness::data::{Conditions, Outcome, Run, Shards, Verdict};
use assay_suites::harness::pace::Pace;
use assay_suites::harness::probe::{Depth, Settings, wall_clock};
use assay_suites::harness::run::plan::{Plan, Planned, Wishes, foresee, foresee_paced};
use assay_suites::harness::run::shard::Shard;
use assay_suites::harness::run::{Halt, Ran, Runner};
use assay_suites::harness::setup;
use assay_suites::harness::survey::WrongFixture;
use assay_suites::harness::target::Target;
use assay_suites::profile::{self, Gate};
use assay_suites::report::events::Events;
use assay_suites::report::progress::Progress;
use assay_suites::report::{events, json, terminal};
use assay_suites::rerun::judge;
use assay_suites::rerun::merge::{self, Repetitions};
use assay_suites::rerun::partial::{self, Partial};
#[cfg(feature = "embedded")]
use assay_suites::services;
use assay_suites::services::SUITES;
use assay_suites::support::files::is_special;
use assay_suites::support::prose;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::interrupt::Interrupt;
use super::outputs::{KnownFailures, Loaded, Named, Outputs, REFUSED};
use super::rerun_on::State;
use super::selection::{self, Selection, WHICH};
use super::target::TargetArgs;
use super::{Ending, whole, write};

pub(crate) const HELP: &str = "Examples:
  assay run
  assay run --profile p.toml --plan
  assay run --profile p.toml --html out.html --baseline known.toml
  assay run --publish-url http://127.0.0.1:4116 publish.envelope
  assay run 'publish.*' --exclude '*.limits.*' --level must --list
  assay run --profile p.toml --failed out.json
  assay run --profile p.toml --rerun-on target/debug/server
  assay run --profile p.toml --shard 3/10 --json part-3.json
  assay run --profile p.toml --json out.json --resume out.json
  assay run --profile p.toml --json out.json --resume out.json.partial

Ctrl-C once: running checks finish, then the report is written. Twice: the report is written now. Three times: no report. After SIGTERM and after the deadline, running checks have 5 seconds; then the report is written.

Exit codes: 0 conforming, 1 not conforming or not enough tested, 2 bad arguments or profile, 3 target unreachable, 4 the harness failed";

/// The report file of an interrupted run without `--json`.
const INTERRUPTED: &str = "assay-interrupted.json";
/// The heading of the options of this command alone.
const HOW: &str = "How they run";
/// The maximum of `--repeat`.
const MOST_TIMES: u32 = 10_000;

/// Reads the name of a [`Depth`].
pub(crate) fn depth_parser() -> impl TypedValueParser<Value = Depth> {
    let names = PossibleValuesParser::new(Depth::ALL.map(Depth::name));
    names.map(|name| Depth::named(&name).unwrap_or_default())
}

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "one field for each flag")]
pub(crate) struct RunArgs {
    #[command(flatten)]
    selection: Selection,
    /// Only the checks that failed in an earlier report (JSON)
    #[arg(long, value_name = "FILE", help_heading = WHICH)]
    failed: Option<PathBuf>,
    #[command(flatten)]
    target: TargetArgs,
    /// Seed of all random values in the checks
    #[arg(long, help_heading = HOW, value_parser = whole::<u64>(0..=u64::MAX))]
    seed: Option<u64>,
    /// Show for each documented endpoint whether the target has it; endpoints without a check get one request
    #[arg(long, help_heading = HOW)]
    endpoints: bool,
    /// Number of checks that run in parallel; at a shared target, of each service whose checks share nothing
    #[arg(long, help_heading = HOW, default_value_t = 4, value_parser = whole::<u16>(1..=64))]
    jobs: u16,
    /// Start no further check after the first bad verdict that is not in the baseline
    #[arg(long, help_heading = HOW)]
    fail_fast: bool,
    /// Wait up to six minutes in checks of lifetimes, beside the others, where no control API moves time; a run that its pace
    /// makes longer does so anyway
    #[arg(long, help_heading = HOW)]
    real_time: bool,
    /// Which values to send in place of ordinary ones: the most likely wrong ones; all wrong ones; also all uncommon valid
    /// ones, which use up publishes and uploads
    #[arg(long, help_heading = HOW, value_parser = depth_parser(), default_value = Depth::default().name())]
    depth: Depth,
    /// Do not ask first whether the target is what the profile says
    #[arg(long, help_heading = HOW)]
    no_survey: bool,
    /// List the checks and their cost, and send nothing
    #[arg(long, help_heading = HOW)]
    list: bool,
    /// Print what the run will send and cost, and which checks cannot run; send nothing to the services
    #[arg(long, help_heading = HOW)]
    plan: bool,
    /// Also run the checks that are skipped on a shared target: heavy, destructive (repeatable)
    #[arg(long, help_heading = HOW, value_name = "WEIGHT", value_parser = parse_weight)]
    include: Vec<Weight>,
    /// Skip every check that writes, and send no request that writes
    #[arg(long, help_heading = HOW)]
    read_only: bool,
    /// Run one part of the checks: K/N, or auto or auto/N to read the part from the CI environment
    #[arg(long, help_heading = HOW, value_name = "K/N", value_parser = parse_shard)]
    shard: Option<Shard>,
    /// Continue the interrupted run of this report (JSON), or the killed run of this partial report
    #[arg(long, help_heading = HOW, value_name = "FILE", conflicts_with_all = ["repeat", "until_fail"])]
    resume: Option<PathBuf>,
    /// Run every check N times; a check with different verdicts is unstable
    #[arg(long, help_heading = HOW, value_name = "N", value_parser = whole::<u32>(1..=u64::from(MOST_TIMES)))]
    repeat: Option<u32>,
    /// The longest Retry-After of the target to wait for, such as 90s; after a longer one the check is inconclusive
    #[arg(long, help_heading = HOW, value_name = "TIME", value_parser = parse_time, default_value = "60s")]
    longest_wait: Duration,
    /// Stop the run after this time, such as 90s, 30m or 2h; the default follows from the plan
    #[arg(long, help_heading = HOW, value_name = "TIME", value_parser = parse_time)]
    deadline: Option<Duration>,
    /// Repeat the run until a check fails, at most as often as --repeat says
    #[arg(long, help_heading = HOW)]
    until_fail: bool,
    #[command(flatten)]
    known_failures: KnownFailures,
    #[command(flatten)]
    outputs: Outputs,
    /// Write what happens as JSON lines while the run goes on; - is standard output, in place of the printed report
    #[arg(long, help_heading = "Reports", value_name = "FILE", conflicts_with_all = ["list", "plan"])]
    events: Option<PathBuf>,
    /// When this file or folder changes, run the checks again that failed, until none fails (repeatable)
    #[arg(long, help_heading = HOW, value_name = "PATH", conflicts_with_all = ["repeat", "until_fail", "resume", "shard", "list", "plan", "write_baseline"])]
    rerun_on: Vec<PathBuf>,
}

impl RunArgs {
    /// Whether no filter and no shard excludes checks.
    fn is_whole(&self) -> bool {
        self.selection.is_everything() && self.failed.is_none() && self.shard.is_none()
    }

    /// Whether every check of each selected service runs, here or in another shard.
    fn has_whole_services(&self) -> bool {
        self.selection.has_whole_services() && self.failed.is_none()
    }

    /// Whether the checks run several times; such a run cannot be resumed.
    fn repeats(&self) -> bool {
        self.repeat.is_some() || self.until_fail
    }

    /// How often the checks run at most.
    fn rounds(&self) -> u32 {
        self.repeat.unwrap_or(if self.until_fail { MOST_TIMES } else { 1 })
    }

    /// The file of the events, if it is not standard output.
    fn events_file(&self) -> Option<&Path> {
        self.events.as_deref().filter(|path| !events::is_output(path))
    }

    /// Rejects what would be printed between the events on standard output.
    fn check_output(&self) -> Result<(), Ending> {
        let is_free = self.events.is_none() || self.events_file().is_some();
        let printing = self.outputs.printing().or(self.endpoints.then_some("--endpoints"));
        match printing.filter(|_| !is_free) {
            Some(flag) => Err(Ending::Bad(format!(
                "--events and {flag} both write to standard output: give --events a file, or leave out {flag}"
            ))),
            None => Ok(()),
        }
    }

    /// Checks that each output can be written and that none overwrites another file, and reads the known failures.
    fn check_files(&self) -> Result<Loaded, Ending> {
        self.check_output()?;
        let written = [("--events", self.events_file())];
        self.outputs.check_distinct(&self.known_failures, &written, &self.read())?;
        let known_failures = self.known_failures.load()?;
        if known_failures.renews() && !(self.has_whole_services() && self.shard.is_none()) {
            return Err(Ending::Bad(REFUSED.to_owned()));
        }
        self.outputs.can_be_written()?;
        Ok(known_failures)
    }

    /// The input files other than those of the known failures.
    fn read(&self) -> [Named<'_>; 6] {
        let urls = &self.target.urls;
        [
            ("--resume", self.resume.as_deref()),
            ("--failed", self.failed.as_deref()),
            ("--profile", self.target.profile.as_deref()),
            ("--ca-file", urls.ca_file.as_deref()),
            ("--client-certificate", urls.client_certificate.as_deref()),
            ("--client-key", urls.client_key.as_deref()),
        ]
    }
}

fn parse_weight(name: &str) -> Result<Weight, String> {
    Weight::named(name).ok_or_else(|| "unknown weight; use heavy or destructive".to_owned())
}

pub(crate) fn parse_time(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is not a time: write a whole number and s, m or h, such as 90s");
    let unit = text.chars().last().ok_or_else(wrong)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        _ => return Err(wrong()),
    };
    let count: u32 = text[..text.len() - 1].parse().map_err(|_| wrong())?;
    if count == 0 { Err(wrong()) } else { Ok(Duration::from_secs(u64::from(count) * seconds)) }
}

fn parse_shard(text: &str) -> Result<Shard, String> {
    let variable = |name: &str| std::env::var(name).ok();
    match text.strip_prefix("auto") {
        Some("") => Shard::of_environment(variable, None),
        Some(rest) => {
            let of = rest.strip_prefix('/').and_then(|of| of.parse().ok());
            let of = of.ok_or_else(|| format!("{text:?} is not a shard: use auto or auto/N"))?;
            Shard::of_environment(variable, Some(of))
        }
        None => text.parse(),
    }
}

/// What a run needs.
struct Setup {
    target: Box<dyn Target>,
    settings: Settings,
    pace: Pace,
    /// The profile as TOML; empty without a profile.
    profile: String,
    /// The minimum coverage of the profile.
    gate: Gate,
    /// The profile; `None` without one.
    loaded: Option<profile::Loaded>,
}

impl Setup {
    fn runner(&self, jobs: usize) -> Runner<'_> {
        Runner { target: self.target.as_ref(), settings: &self.settings, pace: &self.pace, jobs }
    }

    /// The plan of these checks.
    async fn foresee(&mut self, wishes: &Wishes, checks: &[&'static Check], jobs: usize) -> Vec<Planned> {
        foresee_paced(self.target.as_ref(), &mut self.settings, &self.pace, wishes, checks, jobs).await
    }

    /// The conditions of the verdicts.
    fn conditions(&self) -> Conditions {
        Conditions { profile: self.profile.clone(), ..self.runner(1).conditions() }
    }

    /// Asks the target whether it is what the profile says, and prints what is wrong. A wrong service ends the run.
    async fn confirm(&mut self, checks: &[&'static Check], quiet: bool) -> Result<(), Ending> {
        let Setup { target, settings, pace, loaded: Some(loaded), .. } = self else { return Ok(()) };
        let source = &loaded.source;
        let services: BTreeSet<Service> = checks.iter().map(|check| check.requirement.service).collect();
        let services: Vec<Service> = services.into_iter().collect();
        // A control API makes domains.
        let is_foreign = target.offer().actions.is_empty();
        let domains = if is_foreign { usize::MAX } else { 0 };
        let wrong = setup::confirm(target.as_mut(), settings, pace, source, &services, domains).await?;
        if !wrong.is_empty() && !quiet {
            eprintln!(
                "assay: the target does not confirm {} of the profile; checks that rest on it are skipped",
                prose::count(wrong.len(), "value")
            );
        }
        for WrongFixture { key, what, remedy } in wrong.iter().filter(|_| !quiet) {
            let text = format!("{}: {what}", source.place_of(key));
            eprint!("{}{}", prose::wrap("  x ", &text), prose::wrap("    -> ", remedy));
        }
        Ok(())
    }
}

pub(crate) async fn run(args: RunArgs) -> Result<(), Ending> {
    let (mut interrupt, mut events) = (None, None);
    let mut only = args.failed.as_deref().map(failed).transpose()?;
    loop {
        let before = State::read(&args.rerun_on);
        let mut red = BTreeSet::new();
        let ended = Box::pin(run_once(&args, only.as_ref(), &mut interrupt, &mut events, &mut red)).await;
        if let (Some(events), Err(ending)) = (&events, &ended) {
            let (code, why) = ending.code_and_reason();
            events.finished(None, code, Some(why));
        }
        let is_over = matches!(ended, Ok(()) | Err(Ending::Bad(_) | Ending::Failed(_)));
        let is_stopped = interrupt.as_ref().is_some_and(|interrupt| *interrupt.count().borrow() > 0);
        if args.rerun_on.is_empty() || is_over || is_stopped {
            let is_shown = !(args.outputs.printed.is_short() || args.list || args.plan || is_stopped);
            if is_shown && matches!(ended, Ok(()) | Err(Ending::Code(0 | 1))) {
                args.target.next().into_iter().for_each(|next| eprintln!("assay: next: {next}"));
            }
            return ended;
        }
        if let Err(Ending::Unreachable(why)) = &ended {
            eprintln!("assay: {why}");
        }
        if !red.is_empty() {
            only = Some(red);
        }
        let names: Vec<String> = args.rerun_on.iter().map(|path| path.display().to_string()).collect();
        eprintln!("assay: waiting for a change of {}", names.join(", "));
        let mut stop = interrupt.get_or_insert_with(Interrupt::listen).count();
        tokio::select! {
            _ = stop.wait_for(|count| *count > 0) => return ended,
            () = before.changed(&args.rerun_on) => {}
        }
    }
}

/// Does something before the first check, unless the run is stopped meanwhile.
async fn unless_stopped<T>(interrupt: &Interrupt, doing: impl Future<Output = T>) -> Option<T> {
    let mut stop = interrupt.count();
    tokio::select! {
        biased;
        _ = stop.wait_for(|count| *count > 0) => None,
        done = doing => Some(done),
    }
}

/// Prints the checks of a run, or its plan, which it also writes as JSON if that is wanted.
fn show(args: &RunArgs, setup: &Setup, planned: &[Planned], jobs: usize) -> Result<(), Ending> {
    if args.list {
        print!("{}", list(setup, planned));
        return Ok(());
    }
    let plan = Plan::new(setup.settings.suites, setup.target.as_ref(), &setup.pace, planned, None, jobs);
    print!("{}", plan.text());
    if let Some(times) = args.repeat {
        println!("the whole plan runs {} (--repeat)", prose::count(times, "time"));
    }
    match &args.outputs.json {
        Some(path) => write(path, &format!("{:#}\n", plan.json())),
        None => Ok(()),
    }
}

/// Runs the selected checks, or those of them in `only`. Those that fail are added to `red`.
async fn run_once(
    args: &RunArgs,
    only: Option<&BTreeSet<Id>>,
    interrupt: &mut Option<Interrupt>,
    events: &mut Option<Events>,
    red: &mut BTreeSet<Id>,
) -> Result<(), Ending> {
    let mut all = args.selection.checks()?;
    if let Some(only) = only {
        all.retain(|check| only.contains(&check.requirement));
        if all.is_empty() {
            return Err(selection::none());
        }
    }
    let known_failures = args.check_files()?;
    let earlier = args.resume.as_deref().map(unfinished).transpose()?;
    let events = open(args.events.as_deref(), events)?;
    let is_dry = args.list || args.plan;
    let interrupt = (!is_dry).then(|| &*interrupt.get_or_insert_with(Interrupt::listen));
    let _deadline = interrupt.zip(args.deadline).map(|(interrupt, deadline)| interrupt.stop_after(deadline));
    let mut setup = setup(args, earlier.as_ref(), interrupt).await?;
    if let Some(shard) = args.shard
        && !setup.target.offer().forks
    {
        // Other shards may run at the same time and use the same domains.
        shard.share(&setup.settings);
    }
    let (checks, selection) = wanted(args, all, setup.target.as_ref())?;
    let mut begun = Run {
        selection,
        shards: args.shard.map(|shard| Shards { of: shard.of, present: [shard.number].into() }),
        is_whole: args.has_whole_services() && only.is_none(),
        read_only: args.read_only,
        gate: args.known_failures.raised(&setup.gate),
        began: (!setup.target.is_embedded()).then(|| wall_clock().to_string()),
        conditions: setup.conditions(),
        ..setup.runner(1).gather(Vec::new())
    };
    let outcomes = earlier.iter().flat_map(|run| &run.outcomes);
    let done: BTreeSet<u32> = outcomes.clone().map(|one| one.requirement.key).collect();
    if let (Some(earlier), Some(path)) = (&earlier, &args.resume) {
        let wrong = |why: String| Ending::Bad(format!("{}: cannot resume: {why}", path.display()));
        merge::belongs(&begun, earlier).map_err(wrong)?;
    }
    let checks: Vec<_> = checks.into_iter().filter(|check| !done.contains(&check.requirement.key)).collect();

    setup.settings.read_only = args.read_only;
    setup.settings.real_time = args.real_time;
    setup.settings.depth = args.depth;
    if let Some(interrupt) = interrupt
        && !args.no_survey
    {
        let confirmed = setup.confirm(&checks, args.outputs.printed.is_short());
        unless_stopped(interrupt, confirmed).await.unwrap_or(Ok(()))?;
        begun.conditions = setup.conditions();
    }
    let wishes = Wishes { read_only: args.read_only, include: args.include.iter().copied().collect() };
    let jobs = usize::from(args.jobs);
    let planned = setup.foresee(&wishes, &checks, jobs).await;
    let Some(interrupt) = interrupt else { return show(args, &setup, &planned, jobs) };
    let mut partial = start_partial(args, earlier.as_ref().unwrap_or(&begun));
    let plan = Plan::new(setup.settings.suites, setup.target.as_ref(), &setup.pace, &planned, None, jobs);
    if let Some(line) = plan.pace_line(&setup.pace).filter(|_| !args.outputs.printed.is_short()) {
        eprintln!("assay: {line}");
    }
    let deadline = args.deadline.unwrap_or_else(|| plan.deadline() * args.rounds());
    let _planned = args.deadline.is_none().then(|| interrupt.stop_after(deadline));
    if let Some(events) = events {
        let rows: Vec<Id> = checks.iter().map(|check| check.requirement).collect();
        events.started(&begun, &rows, done.len(), args.rounds());
    }
    let rounds = Rounds { args, wishes: &wishes, jobs, known_failures: &known_failures, interrupt, events };
    let mut run = rounds.run(&mut setup, planned, &mut partial).await;
    let Run { selection, shards, is_whole, read_only, gate, began, .. } = begun;
    run = Run { selection, shards, is_whole, read_only, gate, began, ..run };
    if interrupt.is_late() {
        let seconds = deadline.as_secs();
        run.remarks
            .push(format!("the run was stopped at its deadline of {seconds} s; --deadline sets another one"));
    }
    if args.endpoints && !run.is_partial && !run.outcomes.iter().any(Outcome::is_repeated) {
        ask_for_the_rest(&mut run, &setup, interrupt).await;
    }
    run.conditions = setup.conditions();
    let is_joined = args.repeats() || earlier.is_some();
    if let Some(earlier) = earlier {
        run = merge::parts(vec![Run { is_partial: false, ..earlier }, run]).map_err(Ending::Bad)?;
    }
    if is_joined {
        // What one part learned may be in the other.
        for outcome in &mut run.outcomes {
            setup.settings.learned.redact(outcome);
        }
    }
    judge::note_other_readings(&mut run, setup.loaded.as_ref()).await;
    if run.is_partial && !args.repeats() && !keep(&args.outputs, &run) {
        partial = None;
    }
    let is_red = |one: &&Outcome| known_failures.minds(one) || one.verdict == Verdict::Error;
    red.extend(run.outcomes.iter().filter(is_red).map(|one| one.requirement));
    let ended = args.outputs.finish(run, &known_failures, args.is_whole() && only.is_none(), events);
    if let Some(partial) = partial
        && !matches!(ended, Err(Ending::Failed(_)))
        && let Err(why) = partial.remove()
    {
        eprintln!("assay: the partial report cannot be removed: {why}");
    }
    ended
}

/// Starts the partial report beside the JSON report. Without `--json`, only a run against a server is worth it. Such a
/// run has a file of its own name, because others may run in the same folder.
fn start_partial(args: &RunArgs, begun: &Run) -> Option<Partial> {
    let path = match &args.outputs.json {
        Some(path) if is_special(path) => return None,
        Some(path) => path.with_added_extension(partial::EXTENSION),
        None if begun.conditions.is_embedded => return None,
        None => format!("assay-interrupted-{}.json.{}", std::process::id(), partial::EXTENSION).into(),
    };
    if args.repeats() {
        return None;
    }
    if path.exists() && args.resume.as_deref() != Some(&path) {
        let old = path.with_added_extension("old");
        if std::fs::rename(&path, &old).is_ok() {
            eprintln!("assay: the partial report of an earlier run is now {}", old.display());
        }
    }
    match Partial::start(&path, begun) {
        Ok(partial) => {
            if !begun.conditions.is_embedded && std::io::stderr().is_terminal() {
                eprintln!("assay: if this run is killed, --resume {} continues it", path.display());
            }
            Some(partial)
        }
        Err(why) => {
            eprintln!("assay: {}: {why}; a killed run cannot be continued", path.display());
            None
        }
    }
}

/// Sends one request to each endpoint that no check used, until the run is stopped, and prints the table. An
/// incomplete table does not change the verdict.
async fn ask_for_the_rest(run: &mut Run, setup: &Setup, interrupt: &Interrupt) {
    let mut stop = interrupt.count();
    let target = setup.target.as_ref();
    let asked = tokio::select! {
        biased;
        Ok(_) = stop.wait_for(|count| *count > 0) => Err("the run was stopped".to_owned()),
        asked = coverage::ask_for_the_rest(&mut run.endpoints, target, &setup.pace, &setup.settings) => asked,
    };
    if let Err(why) = asked {
        run.remarks.push(format!("the remaining endpoints got no request: {why}"));
    }
    print!("{}", terminal::endpoints(run));
}

/// The checks of this shard for the services of the target, and a digest of the checks of all shards.
fn wanted(
    args: &RunArgs,
    checks: Vec<&'static Check>,
    target: &dyn Target,
) -> Result<(Vec<&'static Check>, String), Ending> {
    // A service without a URL is tested only if --service names it.
    let is_named = |check: &&Check| target.has_site(check.requirement.service.name());
    let asked = !args.selection.services.is_empty();
    let checks: Vec<_> = checks.into_iter().filter(|check| asked || is_named(check)).collect();
    if checks.is_empty() {
        return Err(Ending::Bad("no check of the target's services matches these filters".to_owned()));
    }
    let ids: String = checks.iter().map(|check| format!("{}\n", check.requirement)).collect();
    let selection = sha256_hex(ids.as_bytes());
    let part = match args.shard {
        // The shard may be empty; merging needs its report anyway.
        Some(shard) => shard.select(&checks),
        None => checks,
    };
    Ok((part, selection))
}

/// The events of the command, opened once.
fn open<'events>(
    path: Option<&Path>,
    events: &'events mut Option<Events>,
) -> Result<Option<&'events Events>, Ending> {
    let Some(path) = path else { return Ok(None) };
    let opened = match events.take() {
        Some(opened) => opened,
        None => Events::open(path)
            .map_err(|e| Ending::Bad(format!("{}: cannot be written: {e}", path.display())))?,
    };
    opened.begin();
    Ok(Some(events.insert(opened)))
}

/// What the rounds of a run need.
struct Rounds<'run> {
    args: &'run RunArgs,
    wishes: &'run Wishes,
    jobs: usize,
    known_failures: &'run Loaded,
    interrupt: &'run Interrupt,
    events: Option<&'run Events>,
}

impl Rounds<'_> {
    /// Runs once, or repeatedly as the flags say. Known failures do not stop it.
    async fn run(&self, setup: &mut Setup, planned: Vec<Planned>, partial: &mut Option<Partial>) -> Run {
        let Rounds { args, wishes, jobs, known_failures, interrupt, events } = *self;
        let most = args.rounds();
        let checks: Vec<&'static Check> = planned.iter().map(|planned| planned.check).collect();
        let (mut planned, mut runs, mut ended) = (planned, Repetitions::default(), None);
        for nth in 0..most {
            if nth > 0 {
                // Each repetition uses a new seed, so names are new.
                setup.settings.seed = setup.settings.seed.wrapping_add(1);
                setup.settings.publish().forget();
                setup.settings.shared.forget();
                planned = foresee(setup.target.as_ref(), &setup.settings, wishes, &checks).await;
            }
            let runner = setup.runner(jobs);
            let rows = planned.iter().map(|planned| planned.check.requirement);
            let plan = Plan::new(runner.settings.suites, runner.target, runner.pace, &planned, None, jobs);
            let progress =
                Progress::start(rows, args.outputs.printed.is_short(), events).expecting(plan.seconds);
            let seen = |ran: &Ran| {
                progress.checked(&ran.outcome, known_failures.verdict(&ran.outcome));
                if let Some(kept) = partial
                    && let Err(why) = kept.add(runner.gather(vec![ran.clone()]))
                {
                    eprintln!("assay: {}: {why}; a killed run cannot be continued", kept.path().display());
                    *partial = None;
                }
                if args.fail_fast && known_failures.minds(&ran.outcome) {
                    interrupt.finish();
                }
            };
            let run = runner.run_until(&planned, interrupt, seen).await;
            progress.settled(&run, |outcome| known_failures.verdict(outcome));
            progress.finish();
            let was_stopped = run.is_partial;
            runs.add(run);
            let (begun, rounds) = (nth + 1, runs.times());
            if args.until_fail {
                // The combined result of all rounds decides, as at the end.
                let mut so_far = runs.clone().finish().unwrap_or_else(|| Run::new(SUITES));
                known_failures.apply(&mut so_far, args.is_whole());
                ended = if has_failed(&so_far) {
                    Some(format!("ran {}, until a check failed", prose::count(begun, "time")))
                } else if was_stopped {
                    Some(format!("stopped after {}; nothing failed", prose::count(rounds, "round")))
                } else if begun == most || so_far.exit_code() != 0 {
                    Some(format!("ran {}; nothing failed", prose::count(begun, "time")))
                } else {
                    None
                };
            } else if was_stopped && args.repeats() {
                ended = Some(format!("stopped after {rounds} of {most} rounds"));
            }
            if was_stopped || ended.is_some() {
                break;
            }
        }
        let mut run = runs.finish().expect("at least one round ran");
        run.remarks.extend(ended);
        run
    }
}

/// The requirements whose checks failed in a report, or ended with an error.
fn failed(path: &Path) -> Result<BTreeSet<Id>, Ending> {
    let run = super::outputs::read_run(path)?;
    let failed = run.outcomes.iter().filter(|one| one.verdict.is_bad() || one.verdict == Verdict::Error);
    let failed: BTreeSet<Id> = failed.map(|one| one.requirement).collect();
    if failed.is_empty() {
        return Err(Ending::Bad(format!("{}: no check failed, so there is nothing to run", path.display())));
    }
    Ok(failed)
}

/// Whether a check failed or the harness did. A stopped run alone is not a failure.
fn has_failed(run: &Run) -> bool {
    let is_bad = |outcome: &Outcome| outcome.is_red() || outcome.verdict == Verdict::Error;
    !run.objections.is_empty() || run.outcomes.iter().any(is_bad)
}

/// Writes the report of a stopped run, and prints how to resume it. Returns whether it could be written.
fn keep(outputs: &Outputs, run: &Run) -> bool {
    let path = outputs.json.clone().unwrap_or_else(|| PathBuf::from(INTERRUPTED));
    if outputs.json.is_none()
        && let Err(Ending::Failed(why)) = write(&path, &json::write(run))
    {
        eprintln!("assay: stopped; the report cannot be written: {why}");
        return false;
    }
    eprintln!("assay: stopped; to continue, run the same command with --resume {}", path.display());
    true
}

/// The target that the arguments name, with its settings and pace. If the run is stopped meanwhile, the target's sites
/// are not known to answer, and no check starts.
async fn setup(
    args: &RunArgs,
    earlier: Option<&Run>,
    interrupt: Option<&Interrupt>,
) -> Result<Setup, Ending> {
    let seed = args.seed.or(earlier.map(|run| run.seed));
    let Some(loaded) = args.target.load()? else { return embedded(seed.unwrap_or(1)) };
    let (profile, gate) = (loaded.profile.to_toml(), loaded.profile.gate.clone());
    let (mut target, settings, pace) = setup::prepare(SUITES, &loaded, seed)?;
    match interrupt {
        Some(interrupt) => {
            unless_stopped(interrupt, setup::meet(&mut target, true)).await.unwrap_or(Ok(()))?;
        }
        None => setup::meet(&mut target, false).await?,
    }
    let pace = pace.waiting_at_most(args.longest_wait);
    Ok(Setup { target: Box::new(target), settings, pace, profile, gate, loaded: Some(loaded) })
}

#[cfg(feature = "embedded")]
fn embedded(seed: u64) -> Result<Setup, Ending> {
    let settings = Settings { seed, ..services::settings() };
    let (pace, profile, gate) = (Pace::default(), String::new(), Gate::default());
    Ok(Setup { target: embedded_target(seed)?, settings, pace, profile, gate, loaded: None })
}

#[cfg(not(feature = "embedded"))]
fn embedded(_: u64) -> Result<Setup, Ending> {
    Err(Ending::Bad(
        "this build has no simulator: give a target with --profile, or the URL of a service, such as --network-url".to_owned(),
    ))
}

/// The simulator in this process.
#[cfg(feature = "embedded")]
#[expect(clippy::unnecessary_wraps, reason = "without the feature there is no embedded target")]
pub(crate) fn embedded_target(seed: u64) -> Result<Box<dyn Target>, Ending> {
    Ok(Box::new(assay_suites::embedded::Embedded::new(seed, assay_spec::Dialect::default())))
}

#[cfg(not(feature = "embedded"))]
pub(crate) fn embedded_target(_: u64) -> Result<Box<dyn Target>, Ending> {
    Err(Ending::Bad("this build has no simulator".to_owned()))
}

/// Whether `assay run` has this flag.
pub(crate) fn has_flag(flag: &str) -> bool {
    let command = RunArgs::augment_args(clap::Command::new("run"));
    command.get_arguments().any(|argument| argument.get_long() == Some(flag))
}

/// Lists the checks of a plan with their requests, and the sum.
fn list(setup: &Setup, planned: &[Planned]) -> String {
    let width =
        planned.iter().map(|planned| planned.check.requirement.to_string().len()).max().unwrap_or_default();
    let mut text = String::new();
    let own = setup.target.offer().forks;
    for one in planned {
        let Check { requirement, fact, .. } = one.check;
        let note = one.left_out.as_ref();
        let note = note.map(|why| format!("  {}: {}", why.verdict.name(), why.reason)).unwrap_or_default();
        let requests = prose::count(one.cost(own, &setup.pace).requests, "request");
        text.push_str(&format!("{requirement:<width$}  {requests:<12}  {fact}{note}\n"));
    }
    let sum = Plan::new(setup.settings.suites, setup.target.as_ref(), &setup.pace, planned, None, 1).sum();
    text.push_str(&format!(
        "{}, {}{}, {}, {}, {}\n",
        prose::count(planned.len(), "check"),
        if own { "" } else { "about " },
        prose::count(sum.requests, "request"),
        prose::count(sum.publishes, "publish"),
        prose::count(sum.domains, "domain"),
        prose::count(sum.drops, "drop")
    ));
    text
}

/// The report of a run that can be continued, with what that keeps: every outcome except errors of the harness, and checks that
/// needed a silent target.
fn unfinished(path: &Path) -> Result<Run, Ending> {
    let mut run = super::outputs::read_run(path)?;
    if run.left_out() > 0 {
        let path = path.display();
        return Err(Ending::Bad(format!(
            "{path}: the run of this report has finished; there is nothing to resume"
        )));
    }
    run.outcomes.retain(|outcome| !outcome.is_repeated());
    Ok(run)
}

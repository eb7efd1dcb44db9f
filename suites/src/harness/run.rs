//! Runs checks, each in its own environment, judges them, and collects the outcomes in the order of the requirements.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use assay_spec::machine::Machine;
use assay_spec::requirement::Level;
use assay_spec::{Dialect, Id, Place, Service};
use bytes::Bytes;
use futures_util::StreamExt;
use rayon::prelude::*;
use serde_json::Value;
use tokio::runtime::{Builder, Handle, Runtime, RuntimeFlavor};
use tokio::sync::watch;

use crate::documents::endpoints;
use crate::harness::ambient;
use crate::harness::check::{self, Check, Checked, Stop};
use crate::harness::coverage;
use crate::harness::coverage::Coverage;
use crate::harness::owners;
use crate::harness::pace::Pace;
use crate::harness::panics::caught;
use crate::harness::plan::{LeftOut, Planned};
use crate::harness::probe::{Places, Probe, Settings, Traces};
use crate::harness::redact::redact;
use crate::harness::suite::{Suite, Suites};
use crate::harness::target::{Environment, Target};
use crate::harness::verdict::{AtPlace, Conditions, Failure, Outcome, Run, Sent, Verdict};
use crate::http::curl;
use crate::http::exchange::Exchange;

/// The outcome of one check, and what its world recorded.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The outcome.
    pub outcome: Outcome,
    /// What it sent, without exchanges shared with an earlier check.
    pub sent: Sent,
    /// The trace of the target's simulator.
    pub trace: SimTrace,
    /// The exchanges that the check judged, and whether by their body.
    pub judged: BTreeMap<usize, bool>,
}

/// What a check made the target's simulator do; empty for other targets.
#[derive(Clone, Debug, Default)]
pub struct SimTrace {
    /// The requirements that it consulted, by id.
    pub consulted: BTreeSet<String>,
    /// The requirements by which it was rejected, by id.
    pub rejected: BTreeSet<String>,
    /// The variations that it consulted, by name, whether they are active or not.
    pub variations: BTreeSet<String>,
    /// The transitions that its machines made.
    pub transitions: BTreeSet<String>,
    /// The deviations and variations that would have changed something at their seam, if that was watched.
    pub changes: BTreeSet<String>,
}

/// The maximum number of requests in the commands that repeat a check.
const SEQUENCE: usize = 12;

/// The maximum size of a kept wanted or received value.
const MAX_FAILURE_BYTES: usize = 256 * 1024;

/// The maximum size of all kept response bodies; beyond it, long bodies are dropped.
const KEPT_BYTES: usize = 512 * 1024 * 1024;
/// A body up to this size is always kept, in bytes.
const SHORT_BYTES: usize = 4 * 1024;
/// The note of an outcome whose long bodies were dropped.
pub(crate) const NOT_KEPT: &str = "long response bodies were dropped, because the run has too many of them";

/// The long response bodies of a run.
#[derive(Default)]
struct Kept {
    /// Each is kept once.
    bodies: BTreeSet<Bytes>,
    /// Their size in bytes.
    bytes: usize,
}

/// Keeps equal long bodies once, and drops long bodies if a run has too many of them.
fn bound(outcome: &mut Outcome, kept: &mut Kept) {
    let mut is_cut = false;
    for response in outcome.exchanges.iter_mut().filter_map(|exchange| exchange.response.as_mut().ok()) {
        let body = &mut response.body;
        if body.len() > SHORT_BYTES {
            if let Some(known) = kept.bodies.get(body) {
                *body = known.clone();
                continue;
            }
            if kept.bytes + body.len() > KEPT_BYTES {
                *body = Bytes::new();
                is_cut = true;
                continue;
            }
            kept.bodies.insert(body.clone());
        }
        kept.bytes += body.len();
    }
    if is_cut {
        outcome.notes.push(NOT_KEPT.to_owned());
    }
}

/// A source of requests to stop a run.
pub trait Halt {
    /// The number of requests so far.
    fn count(&self) -> watch::Receiver<u32>;
}

/// A run that is never stopped.
struct Never;

impl Halt for Never {
    fn count(&self) -> watch::Receiver<u32> {
        watch::channel(0).1
    }
}

/// How checks are run.
pub struct Runner<'run> {
    /// The target.
    pub target: &'run dyn Target,
    /// What every check sees.
    pub settings: &'run Settings,
    /// The pace of requests to shared sites.
    pub pace: &'run Pace,
    /// The number of checks that run in parallel; of each service, where they share the target.
    pub jobs: usize,
}

impl Runner<'_> {
    /// Runs the planned checks; `seen` is called with each that ends.
    pub async fn run(&self, planned: &[Planned], seen: impl FnMut(&Ran)) -> Run {
        self.run_until(planned, &Never, seen).await
    }

    /// As [`Runner::run`], but it can be stopped. After the first request no further check starts; after the second,
    /// running checks are abandoned. A stopped run is partial.
    pub async fn run_until(&self, planned: &[Planned], halt: &dyn Halt, mut seen: impl FnMut(&Ran)) -> Run {
        // Each with the number of secrets that were learned before.
        let mut all: Vec<(Ran, usize)> = Vec::new();
        let (mut kept, learned) = (Kept::default(), &self.settings.learned);
        let mut take = |mut ran: Ran| {
            let count = learned.count();
            learned.redact(&mut ran.outcome);
            bound(&mut ran.outcome, &mut kept);
            // Nothing else of a trace is read at the end.
            let transitions = std::mem::take(&mut ran.trace.transitions);
            ran.trace = SimTrace { transitions, ..SimTrace::default() };
            seen(&ran);
            all.push((ran, count));
        };
        self.run_each(planned, halt, &mut take).await;
        self.target.end().await;
        let is_partial = all.len() < planned.len();
        let count = learned.count();
        let early = all.par_iter_mut().filter(|(_, known)| *known < count);
        early.for_each(|(ran, _)| learned.redact(&mut ran.outcome));
        let all = all.into_iter().map(|(ran, _)| ran).collect();
        Run { is_partial, remarks: self.remarks(), ..self.gather(all) }
    }

    /// Runs the planned checks; `take` is called with each that ends.
    async fn run_each(&self, planned: &[Planned], halt: &dyn Halt, take: &mut dyn FnMut(Ran)) {
        match self.threads(planned.len()) {
            Some(threads) => self.run_on(threads, planned, halt, take),
            None => self.run_here(planned, halt, take).await,
        }
    }

    /// A runtime for each job, if each check has a world of its own: they are limited by the processor.
    fn threads(&self, checks: usize) -> Option<Vec<Runtime>> {
        let may_wait = Handle::current().runtime_flavor() == RuntimeFlavor::MultiThread;
        let is_embedded = self.target.is_embedded();
        let is_of_use = may_wait && (is_embedded || self.jobs > 1 && self.target.offer().forks);
        let thread = || if is_embedded { on_one_thread() } else { with_sockets() };
        let threads = is_of_use.then(|| (0..self.jobs.min(checks)).map(|_| thread()).collect());
        threads.and_then(Result::ok)
    }

    /// Runs checks, each on one of these threads; `take` is called on this one with each that ends.
    fn run_on(&self, threads: Vec<Runtime>, planned: &[Planned], halt: &dyn Halt, take: &mut dyn FnMut(Ran)) {
        // Checks that send much run one after the other, because their bodies are in memory.
        let (much, others): (Vec<&Planned>, Vec<&Planned>) =
            planned.iter().partition(|planned| planned.check.cost.sends_much());
        let next = AtomicUsize::new(0);
        let next = || others.get(next.fetch_add(1, Ordering::Relaxed)).copied();
        let (done, ended) = mpsc::channel();
        let work = async |thread: usize, stop: watch::Receiver<u32>, done: mpsc::Sender<Ran>| {
            let mut twice = stop.clone();
            let first = if thread == 0 { &much[..] } else { &[] };
            let mut all = first.iter().copied().chain(std::iter::from_fn(next));
            while *stop.borrow() == 0
                && let Some(planned) = all.next()
            {
                let ran = tokio::select! {
                    biased;
                    Ok(_) = twice.wait_for(|count| *count > 1) => return,
                    ran = self.run_check(planned) => ran,
                };
                // The receiver outlives the threads.
                let _ = done.send(ran);
            }
        };
        let work = &work;
        tokio::task::block_in_place(|| {
            std::thread::scope(|scope| {
                for (n, thread) in threads.into_iter().enumerate() {
                    let (stop, done) = (halt.count(), done.clone());
                    scope.spawn(move || thread.block_on(work(n, stop, done)));
                }
                drop(done);
                ended.iter().for_each(take);
            });
        });
    }

    /// Runs checks on this thread; `take` is called with each that ends.
    async fn run_here(&self, planned: &[Planned], halt: &dyn Halt, take: &mut dyn FnMut(Ran)) {
        let mut twice = halt.count();
        let lanes = self.lanes(planned).into_iter().map(|(planned, jobs)| {
            let running = futures_util::stream::iter(planned).take_until(stopped(halt));
            running.map(|planned| self.run_check(planned)).buffer_unordered(jobs).boxed_local()
        });
        let mut running = futures_util::stream::select_all(lanes);
        loop {
            let next = tokio::select! {
                biased;
                Ok(_) = twice.wait_for(|count| *count > 1) => None,
                next = running.next() => next,
            };
            let Some(ran) = next else { break };
            take(ran);
        }
    }

    /// The checks that run one after the other, or `jobs` at a time. Where checks share the target, each service has a
    /// pace of its own, so the services run beside each other.
    fn lanes<'p>(&self, planned: &'p [Planned]) -> Vec<(Vec<&'p Planned>, usize)> {
        if self.target.offer().forks || self.jobs == 1 {
            return vec![(planned.iter().collect(), self.jobs)];
        }
        let mut lanes: BTreeMap<Service, Vec<&Planned>> = BTreeMap::new();
        // What waits in real time delays nothing else.
        let (waiting, planned): (Vec<&Planned>, Vec<&Planned>) = planned.iter().partition(|planned| {
            self.settings.real_time && planned.left_out.is_none() && planned.check.cost.waits > 0
        });
        for planned in planned {
            lanes.entry(planned.check.requirement.service).or_default().push(planned);
        }
        let lanes = lanes
            .into_iter()
            .map(|(service, planned)| (planned, parallel(self.settings.suites.get(service), self.jobs)));
        let all = waiting.len().max(1);
        lanes.chain([(waiting, all)]).collect()
    }

    /// A run of these checks alone, to be merged with others.
    pub fn gather(&self, all: Vec<Ran>) -> Run {
        let transitions = transitions(&all);
        let endpoints = self.endpoints(&all);
        let sent = all.iter().map(|ran| ran.sent).sum();
        let mut outcomes: Vec<Outcome> = all.into_iter().map(|ran| ran.outcome).collect();
        let suites = self.settings.suites;
        let whole = owners::whole(&outcomes, suites);
        settle(&mut outcomes, &whole, &self.settings.dialect, suites);
        Run {
            target: self.target.name(),
            seed: self.settings.seed,
            outcomes,
            transitions,
            endpoints,
            sent,
            conditions: self.conditions(),
            ..Run::new(suites)
        }
    }

    fn remarks(&self) -> Vec<String> {
        let mut remarks = self.target.remarks();
        remarks.extend(self.settings.suites.iter().flat_map(|suite| (suite.fixtures.left)(self.settings)));
        for remark in &mut remarks {
            self.settings.secrets.redact_text(remark);
            self.settings.learned.redact_text(remark);
        }
        remarks
    }

    /// The conditions of the verdicts, without the profile.
    pub fn conditions(&self) -> Conditions {
        let mut conditions = self.target.conditions();
        conditions.wrong.clone_from(&self.settings.wrong);
        let Conditions { offer, wrong, .. } = &mut conditions;
        let offered = offer.iter_mut().flat_map(|offer| offer.faults.iter_mut().chain(&mut offer.actions));
        for text in offered.chain(wrong.values_mut()) {
            self.settings.secrets.redact_text(text);
            self.settings.learned.redact_text(text);
        }
        conditions
    }

    /// The coverage of every documented endpoint of the services that ran.
    fn endpoints(&self, all: &[Ran]) -> Vec<Coverage> {
        let exchanges = all.iter().flat_map(|ran| {
            let exchanges = ran.outcome.exchanges.iter().enumerate();
            exchanges.map(|(n, exchange)| (exchange, ran.judged.get(&n).copied()))
        });
        coverage::gather(&services(all), self.settings, exchanges)
    }

    /// Runs each check and returns the recorded traces; for proofs.
    pub async fn each(&self, planned: &[Planned]) -> Vec<Ran> {
        let mut all: Vec<Ran> = Vec::new();
        self.run_each(planned, &Never, &mut |ran| all.push(ran)).await;
        let failed = failed(all.iter().map(|ran| &ran.outcome));
        for ran in &mut all {
            rest(&mut ran.outcome, &failed, self.settings.suites);
        }
        all.sort_by_key(|ran| ran.outcome.requirement.key);
        all
    }

    async fn run_check(&self, planned: &Planned) -> Ran {
        let check = planned.check;
        if let Some(LeftOut { verdict, reason }) = &planned.left_out {
            return blank(check, *verdict, reason.clone());
        }
        let environment = match self.target.environment_of(check).await {
            Ok(environment) => environment,
            Err(mut why) => {
                self.settings.secrets.redact_text(&mut why);
                return blank(check, verdict_of_error(&why), why);
            }
        };
        let is_elsewhere = environment.own && environment.sites != self.target.conditions().sites;
        let sites = if is_elsewhere { environment.sites.clone() } else { BTreeMap::new() };
        let began = std::time::Instant::now();
        let probe = Probe::new(check, self.settings, environment, self.pace);
        let mut checked = caught(async {
            // For the tests of this project.
            #[cfg(debug_assertions)]
            assert!(std::env::var("ASSAY_PANIC_IN") != Ok(check.requirement.to_string()), "on purpose");
            carry_out(&probe).await
        })
        .await;
        let elapsed_ms = (!self.target.is_embedded()).then(|| began.elapsed().as_millis() as u64);
        let traces = probe.finish();
        if let Some(what) = &traces.missed {
            checked = Err(Stop::Error(what.clone()));
        }
        if let Err(Stop::Fail(failure) | Stop::Unmet(_, failure)) = &mut checked {
            // Redact before cutting: a part of a secret would not be found.
            for text in [&mut failure.place, &mut failure.want, &mut failure.got] {
                traces.hidden.redact_text(text);
                self.settings.secrets.redact_text(text);
                text.truncate(text.floor_char_boundary(MAX_FAILURE_BYTES));
            }
        }
        let sent = sent(self.settings, &traces);
        let (verdict, reason, failure) = judge(check, checked, &traces);
        let (good, is_traced) = (verdict == Verdict::Pass, self.target.is_traced());
        let trace = if is_traced { coverage(&traces.environment).await } else { SimTrace::default() };
        let why = if good || !is_traced { Vec::new() } else { refusals(&traces.environment).await };
        let opening = self.target.leave(traces.environment, !good).await;
        let mut outcome = Outcome {
            cells: traces.cells,
            notes: traces.notes,
            failure,
            exchanges: traces.exchanges,
            calls: traces.calls,
            why,
            sites,
            elapsed_ms,
            ..Outcome::new(check.requirement, check.fact, verdict, reason)
        };
        self.settings.learned.learn(&traces.hidden);
        redact(&traces.hidden, &mut outcome);
        redact(&self.settings.secrets, &mut outcome);
        if !good {
            let lines = self.repeat(check, &outcome.exchanges, outcome.failure.as_ref());
            outcome.repeat = opening.into_iter().chain(lines).collect();
        }
        Ran { outcome, sent, trace, judged: traces.judged }
    }

    /// Commands that repeat it: the check if embedded; over sockets the exchange and those before it, in order.
    fn repeat(
        &self,
        check: &Check,
        exchanges: &[Exchange],
        failure: Option<&crate::harness::verdict::Failure>,
    ) -> Vec<String> {
        if self.target.is_embedded() {
            return vec![format!("assay run --seed {} {}", self.settings.seed, check.requirement)];
        }
        let at = failure.and_then(|failure| failure.exchange).or_else(|| exchanges.len().checked_sub(1));
        let Some(at) = at.filter(|at| *at < exchanges.len()) else { return Vec::new() };
        // The exchange rests on those before it.
        let first = if at < SEQUENCE { 0 } else { at };
        let sent = &exchanges[first..=at];
        let mut lines: Vec<String> =
            sent.iter().map(|exchange| curl::command_line(exchange, self.target.reach())).collect();
        if !sent.iter().all(curl::is_whole) {
            let (seed, id) = (self.settings.seed, check.requirement);
            lines.push(format!("assay run --profile \u{2026} --seed {seed} {id}  # sends the same BODY"));
        }
        lines
    }
}

/// A runtime for checks in worlds in memory: client and server take turns on one thread, so that neither has to wake
/// another. Its time does not pass while one of them works, and jumps when both wait: a response that never comes costs no
/// time, and a slow machine causes no timeout.
pub(crate) fn on_one_thread() -> std::io::Result<Runtime> {
    Builder::new_current_thread().enable_time().start_paused(true).build()
}

/// A runtime for checks over sockets.
fn with_sockets() -> std::io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

fn blank(check: &Check, verdict: Verdict, reason: String) -> Ran {
    let outcome = Outcome::new(check.requirement, check.fact, verdict, reason);
    Ran { outcome, sent: Sent::default(), trace: SimTrace::default(), judged: BTreeMap::new() }
}

/// What a check has sent.
fn sent(settings: &Settings, traces: &Traces) -> Sent {
    let own = traces.exchanges.iter().enumerate().filter(|(n, _)| !traces.recalled.contains(n));
    let one = |(_, exchange): (usize, &Exchange)| {
        let Exchange { site, base, request, .. } = exchange;
        let host = base.split_once("://").map_or(base.as_str(), |(_, rest)| rest);
        let host = host.split('/').next().unwrap_or_default();
        let writes = endpoints::writes(&settings.dialect, site, base, request);
        let bytes = exchange.head(host).len() + exchange.body_bytes();
        Sent { requests: 1, writes: writes.into(), bytes: bytes as u64 }
    };
    own.map(one).sum()
}

/// Why a failure on a shared target shows nothing: this run has reached the declared limit, or the server is unavailable
/// in a documented way.
fn excuse(checked: &Checked, traces: &Traces) -> Option<&'static str> {
    let Err(Stop::Fail(failure) | Stop::Unmet(_, failure)) = checked else { return None };
    let at = failure.exchange.filter(|_| !traces.environment.own)?;
    let exchange = traces.exchanges.get(at)?;
    let status = exchange.response.as_ref().ok()?.status;
    match status {
        _ if traces.wanted.contains(&status) => None,
        429 => traces.at_limit.contains(&at).then_some("this run has reached the declared rate limit (429)"),
        503 => ambient::unavailable(exchange),
        _ => None,
    }
}

/// If pacing or a `Retry-After` delayed a check for longer than this, its locks and tokens may have expired.
const MAX_HELD: Duration = Duration::from_secs(5);
/// The start of the reason if pacing may have caused a failure.
pub(crate) const HELD: &str = "pacing delayed this check";

/// The start of the reason of a check that did not run to its end because the target stopped answering.
pub const SILENT: &str = "the target stopped answering";

/// How far the clock moves between two places, in the check's own world.
const BETWEEN: Duration = Duration::from_secs(65);

/// Runs the body of a check: once, or at each place of its requirement. A matrix check ends as it does at the worst place,
/// and places where it cannot run do not count beside others.
pub(crate) async fn carry_out(probe: &Probe<'_>) -> Checked {
    let checked = at_its_places(probe).await;
    probe.leave().await;
    checked
}

async fn at_its_places(probe: &Probe<'_>) -> Checked {
    let check = probe.check;
    let run = match check.run {
        check::Run::Once(run) => return run(probe).await,
        check::Run::Each(run) => run,
    };
    let mut worst: Option<(u8, Checked)> = None;
    let places = match &probe.settings.places {
        Places::All => check.places(probe.owns_time()),
        Places::Shared => check.places(false),
        Places::Only(place) => std::slice::from_ref(place),
    };
    for (n, place) in places.iter().enumerate() {
        if n > 0 && probe.owns_time() {
            // What counts per minute counts at each place alone.
            probe.advance(BETWEEN).await?;
        }
        let (expected, counterparts) = probe.stated();
        let checked = run(probe, *place).await.map_err(|stop| named(stop, *place));
        let (then_expected, then_counterparts) = probe.stated();
        let shown = [then_expected - expected, then_counterparts - counterparts];
        let (verdict, reason, _) = ended(check, checked.clone(), shown[0], shown[1]);
        let checked = match verdict {
            Verdict::Inconclusive if checked.is_ok() => {
                Err(Stop::Inconclusive(format!("{reason} ({place})")))
            }
            _ => checked,
        };
        probe.note_cell(AtPlace { at: place.to_string(), verdict, reason });
        // Of places where it cannot run, the first says why.
        let severity = verdict.severity().min(Verdict::NotTestable.severity());
        if worst.as_ref().is_none_or(|(known, _)| severity < *known) {
            worst = Some((severity, checked));
        }
    }
    worst.map_or(Ok(()), |(_, checked)| checked)
}

/// How a check ended at a place.
fn named(stop: Stop, place: Place) -> Stop {
    match stop {
        Stop::Fail(failure) => {
            Stop::Fail(Failure { place: format!("{} ({place})", failure.place), ..failure })
        }
        Stop::Unmet(why, failure) => Stop::Unmet(format!("{why} ({place})"), failure),
        Stop::Inconclusive(why) => Stop::Inconclusive(format!("{why} ({place})")),
        other => other,
    }
}

/// The verdict for how a check ended. Reaching the declared rate limit, or a documented 503, is not a failure.
pub(crate) fn judge(
    check: &Check,
    checked: Checked,
    traces: &Traces,
) -> (Verdict, String, Option<crate::harness::verdict::Failure>) {
    let excuse = excuse(&checked, traces);
    let (verdict, reason, failure) = ended(check, checked, traces.expected, traces.counterparts);
    let why = if failure.is_some() && traces.held > MAX_HELD {
        format!("{HELD} for {} s", traces.held.as_secs())
    } else if let Some(why) = excuse {
        why.to_owned()
    } else {
        return (verdict, reason, failure);
    };
    // A precondition needs no owner then.
    let failure = failure.filter(|_| verdict != Verdict::Inconclusive);
    (Verdict::Inconclusive, format!("{why}: {reason}"), failure)
}

/// An error is a failure of the harness, unless the control API stopped answering.
fn verdict_of_error(reason: &str) -> Verdict {
    if reason.starts_with(SILENT) { Verdict::Inconclusive } else { Verdict::Error }
}

/// A pass needs an expectation, and a rejection its valid counterpart.
fn ended(
    check: &Check,
    checked: Checked,
    expected: usize,
    counterparts: usize,
) -> (Verdict, String, Option<crate::harness::verdict::Failure>) {
    match checked {
        Ok(()) if expected == 0 => {
            (Verdict::Inconclusive, "the check stated no expectation".to_owned(), None)
        }
        Ok(()) if check.refusal.is_some() && counterparts == 0 => {
            (Verdict::Inconclusive, "the rejection was seen without its valid counterpart".to_owned(), None)
        }
        Ok(()) => (Verdict::Pass, String::new(), None),
        Err(Stop::Fail(failure)) => {
            let verdict =
                if check.requirement.level == Level::Should { Verdict::Warn } else { Verdict::Fail };
            let reason =
                format!("{}: wanted {}, got {}", failure.place, short(&failure.want), short(&failure.got));
            (verdict, reason, Some(failure))
        }
        Err(Stop::Unmet(reason, failure)) => (Verdict::Inconclusive, reason, Some(failure)),
        Err(Stop::Inconclusive(reason)) => (Verdict::Inconclusive, reason, None),
        Err(Stop::NotApplicable(reason)) => (Verdict::NotApplicable, reason, None),
        Err(Stop::NotTestable(reason)) => (Verdict::NotTestable, reason, None),
        Err(Stop::Error(reason)) => (verdict_of_error(&reason), reason, None),
    }
}

/// The first line of a string, bounded.
fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let cut: String = line.chars().take(120).collect();
    if cut.len() < text.len() { format!("{cut} …") } else { cut }
}

/// Judges every response by the declarations, makes checks with a failed prerequisite inconclusive, finds the owners of
/// failed preconditions, and sorts by requirement. `whole` are the services of which the run has every check.
pub(crate) fn settle(
    outcomes: &mut Vec<Outcome>,
    whole: &BTreeSet<Service>,
    dialect: &Dialect,
    suites: Suites,
) {
    ambient::judge(outcomes, dialect, suites);
    let failed = failed(outcomes.iter());
    for outcome in outcomes.iter_mut() {
        rest(outcome, &failed, suites);
    }
    owners::assign(outcomes, whole);
    outcomes.sort_by_key(|outcome| outcome.requirement.key);
}

fn failed<'all>(outcomes: impl Iterator<Item = &'all Outcome>) -> BTreeMap<u32, Id> {
    let failed = outcomes.filter(|outcome| outcome.verdict == Verdict::Fail);
    failed.map(|outcome| (outcome.requirement.key, outcome.requirement)).collect()
}

/// How the reason of a check begins whose prerequisite failed.
pub(crate) const PREREQUISITE: &str = "its prerequisite ";

/// Makes a failing outcome inconclusive if a prerequisite failed.
fn rest(outcome: &mut Outcome, failed: &BTreeMap<u32, Id>, suites: Suites) {
    // What a response shows by itself rests on no prerequisite.
    if outcome.is_ambient || !matches!(outcome.verdict, Verdict::Fail | Verdict::Warn) {
        return;
    }
    let after = suites.check(outcome.requirement).map_or(&[][..], |check| check.after);
    if let Some(rule) = after.iter().find_map(|rule| failed.get(&rule.key)) {
        outcome.verdict = Verdict::Inconclusive;
        outcome.reason = format!("{PREREQUISITE}{rule} failed; then {}", outcome.reason);
    }
}

/// The requirements, variations and transitions that the target's simulator reports.
async fn coverage(environment: &Environment) -> SimTrace {
    let Some(control) = &environment.control else { return SimTrace::default() };
    // A control API may not offer coverage.
    let known = control.call("GET", "coverage", None).await.unwrap_or_default();
    let texts = |member: &str| -> BTreeSet<String> {
        known[member]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|one| one.as_str().map(str::to_owned))
            .collect()
    };
    SimTrace {
        consulted: texts("consulted"),
        rejected: texts("rejected"),
        variations: texts("variations"),
        transitions: texts("transitions"),
        changes: texts("changes"),
    }
}

/// The rejections that the target's simulator logged.
async fn refusals(environment: &Environment) -> Vec<String> {
    let Some(control) = &environment.control else { return Vec::new() };
    let log = control.call("GET", "log", None).await.unwrap_or_default();
    let line = |one: &Value| {
        let text = |member: &str| one[member].as_str().unwrap_or_default().to_owned();
        format!("exchange {}: {}: {}", one["exchange"], text("requirement"), text("why"))
    };
    log.as_array().into_iter().flatten().map(line).collect()
}

/// Every declared transition of the services that ran, and whether a check fired it.
fn transitions(all: &[Ran]) -> Vec<(&'static assay_spec::machine::Transition, bool)> {
    let made: BTreeSet<&String> = all.iter().flat_map(|ran| &ran.trace.transitions).collect();
    if made.is_empty() {
        return Vec::new();
    }
    let rows = services(all).into_iter().flat_map(machines).flat_map(|machine| machine.transitions);
    rows.map(|row| (row, made.contains(&row.to_string()))).collect()
}

/// The services that ran, in their order.
fn services(all: &[Ran]) -> Vec<Service> {
    let services: BTreeSet<Service> = all.iter().map(|ran| ran.outcome.requirement.service).collect();
    services.into_iter().collect()
}

/// How many checks of a service run at a time where they share the target.
pub(crate) const fn parallel(suite: &Suite, jobs: usize) -> usize {
    if suite.is_parallel { jobs } else { 1 }
}

/// Ends when the run is to start no further check.
async fn stopped(halt: &dyn Halt) {
    // If the sender is gone, no request can come.
    if halt.count().wait_for(|count| *count > 0).await.is_err() {
        std::future::pending::<()>().await;
    }
}

macro_rules! declare {
    ($(($module:ident $variant:ident $document:literal))*) => {
        pub(crate) fn machines(service: Service) -> &'static [&'static Machine] {
            match service { $(Service::$variant => assay_spec::$module::MACHINES),* }
        }
    };
}

assay_spec::for_each_service!(declare);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::recording::Recorder;
    use crate::http::exchange::{Request, Response};
    use crate::services;

    #[test]
    fn a_delayed_check_that_fails_is_inconclusive() {
        let check = services::checks()[0];
        let settings = services::settings();
        let judged = |held: Duration, checked: Checked| {
            let environment = Environment {
                connector: std::sync::Arc::new(crate::rerun::judge::Nowhere),
                sites: BTreeMap::new(),
                control: None,
                own: false,
                forwarding: BTreeMap::new(),
                recorder: Recorder::default(),
            };
            let pace = Pace::default();
            let traces = Traces {
                held,
                expected: 1,
                counterparts: 1,
                ..Probe::new(check, &settings, environment, &pace).finish()
            };
            judge(check, checked, &traces).0
        };
        let failed = || {
            let (want, got) = ("409".to_owned(), "200".to_owned());
            Err(Stop::Fail(crate::harness::verdict::Failure {
                place: "status".to_owned(),
                want,
                got,
                exchange: None,
            }))
        };
        assert_eq!(judged(MAX_HELD, failed()), Verdict::Fail);
        let longer = MAX_HELD + Duration::from_millis(1);
        assert_eq!(judged(longer, failed()), Verdict::Inconclusive);
        assert_eq!(judged(longer, Ok(())), Verdict::Pass);
    }

    #[test]
    fn waiting_in_memory_takes_no_time() {
        let thread = on_one_thread().expect("a runtime");
        let day = Duration::from_hours(24);
        let ended = thread.block_on(async {
            // It panics where time passes by itself.
            tokio::time::advance(Duration::ZERO).await;
            tokio::time::timeout(day, std::future::pending::<()>()).await
        });
        assert!(ended.is_err());
    }

    #[test]
    fn a_run_keeps_bounded_bodies() {
        let check = services::checks()[0];
        let mut outcome = Outcome::new(check.requirement, check.fact, Verdict::Pass, String::new());
        for length in [SHORT_BYTES, SHORT_BYTES + 1] {
            outcome.exchanges.push(Exchange {
                site: "gateway".to_owned(),
                base: "http://a".to_owned(),
                request: Request::new("GET", "/"),
                cut: None,
                slot: None,
                response: Ok(Response { status: 200, headers: Vec::new(), body: vec![b'x'; length].into() }),
            });
        }
        let lengths = |outcome: &Outcome| -> Vec<usize> {
            outcome
                .exchanges
                .iter()
                .map(|one| one.response.as_ref().map_or(0, |one| one.body.len()))
                .collect()
        };
        let mut kept = Kept::default();
        bound(&mut outcome, &mut kept);
        assert_eq!((lengths(&outcome), kept.bytes), (vec![4096, 4097], 8193));
        assert!(outcome.notes.is_empty());
        let mut equal = Outcome::new(check.requirement, check.fact, Verdict::Pass, String::new());
        let mut exchange = outcome.exchanges[1].clone();
        exchange.response = Ok(Response { body: vec![b'x'; 4097].into(), ..Response::default() });
        equal.exchanges.push(exchange);
        bound(&mut equal, &mut kept);
        let body = |outcome: &Outcome, n: usize| {
            outcome.exchanges[n].response.as_ref().ok().map(|response| response.body.as_ptr())
        };
        assert_eq!(body(&equal, 0), body(&outcome, 1), "an equal long body is kept once");
        assert_eq!(kept.bytes, 8193);
        let mut kept = Kept { bytes: KEPT_BYTES, ..Kept::default() };
        bound(&mut outcome, &mut kept);
        assert_eq!(lengths(&outcome), [4096, 0], "short bodies are kept");
        assert_eq!(outcome.notes, [NOT_KEPT]);
    }
}

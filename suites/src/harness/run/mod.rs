//! Runs checks, each in its own environment, judges them, and collects the outcomes in the order of the requirements.

pub(crate) mod carry;
pub(crate) mod dry;
mod kept;
pub(crate) mod panics;
pub mod plan;
pub mod shard;
pub(crate) mod trace;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use assay_spec::Service;
use futures_util::StreamExt;
use rayon::prelude::*;
use tokio::runtime::{Builder, Handle, Runtime, RuntimeFlavor};
use tokio::sync::watch;

use self::carry::carry_out;
use self::kept::{Kept, bound};
use self::panics::caught;
use self::plan::{LeftOut, Planned};
pub use self::trace::{Ran, SimTrace};
use self::trace::{coverage, refusals, services, transitions};
use crate::documents::endpoints;
use crate::harness::check::Check;
use crate::harness::coverage::{self as seen, Coverage};
use crate::harness::data::{Conditions, Failure, Outcome, Reason, RestsOn, Run, Sent, Stop, Verdict};
use crate::harness::judge::verdict::{Decided, decide, decided};
use crate::harness::judge::{failed, owners, rest, settle};
use crate::harness::pace::Pace;
use crate::harness::probe::{Probe, Settings, Traces};
use crate::harness::redact::redact;
use crate::harness::target::Target;
use crate::http::curl;
use crate::http::exchange::Exchange;

/// The maximum number of requests in the commands that repeat a check.
const SEQUENCE: usize = 12;

/// The maximum size of a kept wanted or received value.
const MAX_FAILURE_BYTES: usize = 256 * 1024;

/// A source of requests to stop a run.
pub trait Halt {
    /// The number of requests so far.
    fn count(&self) -> watch::Receiver<u32>;
}

/// A run that is never stopped.
pub struct Never;

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
        // Each with the number of secrets that were learned before, and whether one of them was found.
        let mut all: Vec<(Ran, usize, bool)> = Vec::new();
        let (mut kept, learned) = (Kept::default(), &self.settings.learned);
        let mut take = |mut ran: Ran| {
            let count = learned.count();
            let found = learned.redact(&mut ran.outcome);
            bound(&mut ran.outcome, &mut kept);
            // Nothing else of a trace is read at the end.
            let transitions = std::mem::take(&mut ran.trace.transitions);
            ran.trace = SimTrace { transitions, ..SimTrace::default() };
            seen(&ran);
            all.push((ran, count, found));
        };
        self.run_each(planned, halt, &mut take).await;
        self.target.end().await;
        let is_partial = all.len() < planned.len();
        let count = learned.count();
        let early = all.par_iter_mut().filter(|(_, known, _)| *known < count);
        early.for_each(|(ran, _, found)| learned.redact_again(&mut ran.outcome, *found));
        let all = all.into_iter().map(|(ran, ..)| ran).collect();
        let mut run = Run { is_partial, remarks: self.remarks(), ..self.gather(all) };
        self.observe_limits(&mut run);
        run
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
            planned.iter().partition(|planned| planned.check.costs().own.sends_much());
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
            let mut planned: Vec<&Planned> = planned.iter().collect();
            if !self.target.offer().forks {
                heavy_last(&mut planned);
            }
            return vec![(planned, self.jobs)];
        }
        let mut lanes: BTreeMap<Service, Vec<&Planned>> = BTreeMap::new();
        // What waits in real time delays nothing else.
        let (waiting, mut planned): (Vec<&Planned>, Vec<&Planned>) = planned.iter().partition(|planned| {
            self.settings.real_time && planned.left_out.is_none() && planned.check.waits > 0
        });
        heavy_last(&mut planned);
        for planned in planned {
            lanes.entry(planned.check.requirement.service).or_default().push(planned);
        }
        let lanes = lanes
            .into_iter()
            .map(|(service, planned)| (planned, self.settings.suites.get(service).parallel(self.jobs)));
        let all = waiting.len().max(1);
        lanes.chain([(waiting, all)]).collect()
    }

    /// A run of these checks alone, to be merged with others.
    pub fn gather(&self, all: Vec<Ran>) -> Run {
        let transitions = transitions(&all);
        let mut endpoints = self.endpoints(&all);
        let sent = all.iter().map(|ran| ran.sent).sum();
        let mut outcomes: Vec<Outcome> = all.into_iter().map(|ran| ran.outcome).collect();
        let suites = self.settings.suites;
        let whole = owners::whole(&outcomes, suites);
        let conditions = self.conditions();
        let shown = settle(&mut outcomes, &whole, &self.settings.dialect, suites, conditions.worlds());
        seen::add_unseen_fields(&mut endpoints, &shown);
        Run {
            target: self.target.name(),
            seed: self.settings.seed,
            outcomes,
            transitions,
            endpoints,
            sent,
            conditions,
            ..Run::new(suites)
        }
    }

    /// Notes the first 429 of each site at the row of the limit; without such a row in the run it is a remark.
    fn observe_limits(&self, run: &mut Run) {
        for seen in self.pace.observations() {
            let mut rows = run.outcomes.iter_mut();
            match seen.row.and_then(|row| rows.find(|outcome| outcome.requirement == row)) {
                Some(outcome) => outcome.notes.push(seen.to_string()),
                None => run.remarks.push(seen.to_string()),
            }
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
        conditions.depth = self.settings.depth;
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
        seen::gather(&services(all), self.settings, exchanges)
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
            return blank(check, *verdict, reason.clone().into());
        }
        let environment = match self.target.environment_of(check).await {
            Ok(environment) => environment,
            Err(mut error) => {
                self.settings.secrets.redact_text(error.text_mut());
                let Decided { verdict, reason, .. } = decided(check, Err(error.into()), 0, 0);
                return blank(check, verdict, reason);
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
        let sent = sent(self.settings, check.requirement.service, &traces);
        let Decided { verdict, reason, failure } = decide(check, checked, &traces);
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
            rests_on: reason.by.map(RestsOn::Silence),
            roles: traces.roles,
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
    fn repeat(&self, check: &Check, exchanges: &[Exchange], failure: Option<&Failure>) -> Vec<String> {
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

/// What uses up a quota of a shared target comes last, so that it leaves nothing else without.
fn heavy_last(planned: &mut [&Planned]) {
    planned.sort_by_key(|planned| planned.check.weight());
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

fn blank(check: &Check, verdict: Verdict, reason: Reason) -> Ran {
    let outcome = Outcome::new(check.requirement, check.fact, verdict, reason);
    Ran { outcome, sent: Sent::default(), trace: SimTrace::default(), judged: BTreeMap::new() }
}

/// What a check has sent.
fn sent(settings: &Settings, service: Service, traces: &Traces) -> Sent {
    let uses = settings.suites.get(service).uses;
    let own = traces.exchanges.iter().enumerate().filter(|(n, _)| !traces.recalled.contains(n));
    let one = |(_, exchange): (usize, &Exchange)| {
        let Exchange { site, base, request, .. } = exchange;
        let host = base.split_once("://").map_or(base.as_str(), |(_, rest)| rest);
        let host = host.split('/').next().unwrap_or_default();
        let writes = endpoints::writes(&settings.dialect, site, base, request);
        let bytes = exchange.head(host).len() + exchange.body_bytes();
        Sent { requests: 1, writes: writes.into(), bytes: bytes as u64, ..uses(exchange) }
    };
    own.map(one).sum()
}

/// Ends when the run is to start no further check.
async fn stopped(halt: &dyn Halt) {
    // If the sender is gone, no request can come.
    if halt.count().wait_for(|count| *count > 0).await.is_err() {
        std::future::pending::<()>().await;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

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
}

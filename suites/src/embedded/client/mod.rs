//! `assay client publish -- CMD…`: runs a client in conforming and deviating worlds, and judges what it sends.
//!
//! CMD is started once per world. Its environment says what to publish: `ASSAY_URL`, `ASSAY_CHAIN_URL`,
//! `ASSAY_KEY` (the seed, 64 hex digits), `ASSAY_DOMAIN`, `ASSAY_CID`, and `ASSAY_VERSION` where a version is wanted. In place of
//! `ASSAY_CID`, `ASSAY_TRANSFER_TO` asks for a transfer to a key, and `ASSAY_ACCEPT` to accept the transfer with a signature.
//! Its output is shown in reports and not judged.

mod cases;
mod front;
pub mod gateway;
mod judge;
mod scene;
mod server_deviations;
mod stage;
mod trace;
mod watch;

use std::collections::BTreeMap;
use std::time::Duration;

use assay_spec::requirement::Level;
use assay_spec::{Dialect, Id};
use futures_util::StreamExt;
use tokio::sync::OnceCell;

use crate::harness::cause::COUNTERPART;
use crate::harness::check::{Checked, Stop};
use crate::harness::select::Filter;
use crate::harness::verdict::{Outcome, Run, Verdict};
use crate::services::SUITES;

use scene::{Asks, CONFORMING, Scene};
use trace::Trace;

/// One world, and what a client must do in it.
pub struct Case {
    /// The requirement that it tests.
    pub requirement: Id,
    /// The fact that it tests.
    pub fact: &'static str,
    scene: Scene,
    judge: fn(&Trace) -> Checked,
    /// It tests that something is not done, so the client must publish in the conforming counterpart.
    negative: bool,
}

/// The client under test, and how long it is watched.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The seed of the worlds.
    pub seed: u64,
    /// The service's names of types, channels and schemes.
    pub dialect: Dialect,
    /// A client that has not exited after this time hangs.
    pub limit: Duration,
    /// How long a client is watched that may rightly wait.
    pub quiet: Duration,
    /// How long a slow submit takes. The documents speak of about three minutes.
    pub slow: Duration,
    /// Whether the client can transfer and accept domains.
    pub transfers: bool,
    /// How many worlds run in parallel.
    pub jobs: usize,
}

/// Every case, in the order of the requirements.
pub fn all() -> Vec<&'static Case> {
    let mut cases: Vec<&'static Case> = cases::CASES.iter().collect();
    cases.sort_by_key(|case| case.requirement.key);
    cases
}

/// The cases that one of the filters selects; all cases without filters.
pub fn select(filters: &[String]) -> Vec<&'static Case> {
    let mut cases = all();
    cases.retain(|case| is_wanted(case.requirement, case.fact, filters));
    cases
}

fn is_wanted(requirement: Id, fact: &str, filters: &[String]) -> bool {
    let filters = Filter::read_all(filters);
    filters.is_empty() || filters.iter().any(|filter| filter.selects(requirement, fact))
}

/// The worlds of a requirement: the program of `assay client`, and the fact of each world.
pub fn worlds_of(requirement: Id) -> Vec<(&'static str, &'static str)> {
    let publishing = all().into_iter().map(|case| ("publish", case.requirement, case.fact));
    let gateway = gateway::all().into_iter().map(|case| ("gateway", case.requirement, case.fact));
    let own = publishing.chain(gateway).filter(|(_, of, _)| *of == requirement);
    own.map(|(program, _, fact)| (program, fact)).collect()
}

/// The client's results in the conforming world, by what it is asked for and the version to publish.
type Counterparts = BTreeMap<(Asks, Option<&'static str>), OnceCell<Result<(), String>>>;

impl Suite {
    /// The default times: 30 s for a client, 10 s where it may wait, and 8 s for a slow submit.
    pub fn new(command: Vec<String>, seed: u64) -> Suite {
        Suite {
            command,
            seed,
            dialect: Dialect::default(),
            limit: Duration::from_secs(30),
            quiet: Duration::from_secs(10),
            slow: Duration::from_secs(8),
            transfers: true,
            jobs: 4,
        }
    }

    /// Runs the cases. `seen` is called with each outcome as it is ready.
    pub async fn run(&self, cases: &[&'static Case], mut seen: impl FnMut(&Outcome)) -> Run {
        let counterparts: Counterparts =
            cases.iter().map(|case| (case.scene.counterpart(), OnceCell::new())).collect();
        let outcomes = gather(self.jobs, cases, |case| self.run_case(case, &counterparts), &mut seen).await;
        report(&self.command, self.seed, outcomes, &assay_spec::publish::requirements::client::PUBLISHES)
    }

    async fn run_case(&self, case: &Case, counterparts: &Counterparts) -> Outcome {
        let mut outcome = undecided(case.requirement, case.fact);
        if case.scene.asks != Asks::Publish && !self.transfers {
            let why = "the client does not transfer domains (--no-transfers)";
            decide(&mut outcome, Err(Stop::NotApplicable(why.to_owned())));
            return outcome;
        }
        let trace = match stage::play(self, case.fact, &case.scene).await {
            Ok(trace) => trace,
            Err(why) => {
                outcome.reason = why;
                return outcome;
            }
        };
        let mut checked = (case.judge)(&trace).and_then(|()| trace.has_ended(&case.scene));
        if checked.is_ok()
            && case.negative
            && let Err(why) = self.counterpart(&case.scene, counterparts).await
        {
            checked = Err(Stop::Inconclusive(format!("{COUNTERPART}{why}")));
        }
        decide(&mut outcome, checked);
        if outcome.verdict != Verdict::Pass {
            outcome.why = trace.account();
            let command = self.command.join(" ");
            outcome.repeat =
                vec![format!("assay client publish --seed {} {} -- {command}", self.seed, case.fact)];
        }
        outcome.notes = trace.notes(self, &case.scene);
        outcome.exchanges = trace.exchanges();
        outcome
    }

    /// Whether the client does what it is asked for when nothing is wrong; run once for each.
    async fn counterpart(&self, of: &Scene, counterparts: &Counterparts) -> Result<(), String> {
        let Some(counterpart) = counterparts.get(&of.counterpart()) else {
            return Err("it was not run".to_owned());
        };
        counterpart
            .get_or_init(|| async {
                let scene = Scene { asks: of.asks, version: of.version, ..CONFORMING };
                let trace = stage::play(self, "conforming_counterpart", &scene).await?;
                judge::publishes(&trace).map_err(in_words)
            })
            .await
            .clone()
    }
}

/// Runs cases in parallel and returns their outcomes in the order of the requirements. `seen` is called with each
/// outcome as it is ready.
async fn gather<C, F: Future<Output = Outcome>>(
    jobs: usize,
    cases: &[&'static C],
    one: impl Fn(&'static C) -> F,
    seen: &mut impl FnMut(&Outcome),
) -> Vec<Outcome> {
    let mut all: Vec<(usize, Outcome)> = Vec::new();
    let running = cases.iter().enumerate().map(|(n, case)| {
        let outcome = one(case);
        async move { (n, outcome.await) }
    });
    let mut running = std::pin::pin!(futures_util::stream::iter(running).buffer_unordered(jobs));
    while let Some((n, outcome)) = running.next().await {
        seen(&outcome);
        all.push((n, outcome));
    }
    all.sort_by_key(|(n, outcome)| (outcome.requirement.key, *n));
    all.into_iter().map(|(_, outcome)| outcome).collect()
}

/// The run of these outcomes. `base` is the row of the conforming world: a client that fails there may not reach what the
/// other worlds are about.
fn report(command: &[String], seed: u64, mut outcomes: Vec<Outcome>, base: Id) -> Run {
    if outcomes.iter().any(|one| std::ptr::eq(one.requirement, base) && one.verdict == Verdict::Fail) {
        for one in outcomes.iter_mut().filter(|one| one.verdict == Verdict::Inconclusive) {
            one.reason.push_str(&format!("; rests on {base}, which failed"));
        }
    }
    Run { target: command.join(" "), seed, outcomes, ..Run::new(SUITES) }
}

/// The outcome of a case that has not run.
fn undecided(requirement: Id, fact: &'static str) -> Outcome {
    Outcome::new(requirement, fact, Verdict::Error, String::new())
}

/// Sets the verdict and reason of an outcome.
fn decide(outcome: &mut Outcome, checked: Checked) {
    match checked {
        Ok(()) => outcome.verdict = Verdict::Pass,
        Err(Stop::Fail(failure)) => {
            let is_warning = outcome.requirement.level == Level::Should;
            outcome.verdict = if is_warning { Verdict::Warn } else { Verdict::Fail };
            outcome.reason = format!("{}: wanted {}, got {}", failure.place, failure.want, failure.got);
            outcome.failure = Some(failure);
        }
        Err(Stop::Unmet(why, _) | Stop::Inconclusive(why)) => {
            (outcome.verdict, outcome.reason) = (Verdict::Inconclusive, why);
        }
        Err(Stop::NotApplicable(why)) => (outcome.verdict, outcome.reason) = (Verdict::NotApplicable, why),
        Err(Stop::NotTestable(why)) => (outcome.verdict, outcome.reason) = (Verdict::NotTestable, why),
        Err(Stop::Error(why)) => outcome.reason = why,
    }
}

/// The reason of a counterpart that failed.
fn in_words(stop: Stop) -> String {
    match stop {
        Stop::Fail(failure) => format!("{}: got {}", failure.place, failure.got),
        Stop::Unmet(why, _)
        | Stop::Inconclusive(why)
        | Stop::NotApplicable(why)
        | Stop::NotTestable(why)
        | Stop::Error(why) => why,
    }
}

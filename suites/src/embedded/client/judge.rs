//! Runs the cases of a suite, and turns what its judges find into outcomes.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::time::Duration;

use assay_spec::requirement::Level;
use assay_spec::{Dialect, Id};
use futures_util::StreamExt;
use tokio::sync::OnceCell;

use super::ability::{Ability, Without};
use super::trace::{Around, Call};
use crate::harness::check::{Checked, Stop};
use crate::harness::data::{At, Reason, RestsOn, Why};
use crate::harness::data::{Failure, Outcome, Run, Verdict};
use crate::harness::select::Filter;
use crate::services::SUITES;
use crate::support::prose::wrap;

/// The client under test, and how it is run.
#[derive(Clone, Debug)]
pub struct Client {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The seed of the worlds.
    pub seed: u64,
    /// The service's names of types, channels and schemes.
    pub dialect: Dialect,
    /// A client that waits for nothing and has not ended after this time hangs.
    pub limit: Duration,
    /// What the client does not do.
    pub without: Without,
    /// How many worlds run in parallel.
    pub jobs: usize,
}

impl Client {
    /// A client that does everything, with 30 s for a world and four worlds in parallel.
    pub fn new(command: Vec<String>, seed: u64) -> Client {
        let (dialect, limit) = (Dialect::default(), Duration::from_secs(30));
        Client { command, seed, dialect, limit, without: Without::new(), jobs: 4 }
    }

    /// Whether the client lacks an ability.
    pub(super) fn lacks(&self, ability: &Ability) -> bool {
        self.without.contains(ability)
    }
}

/// One world, and what a client must do in it.
pub struct Case<Scene: 'static, Trace: 'static> {
    /// The requirement that it tests.
    pub requirement: Id,
    /// The fact that it tests.
    pub fact: &'static str,
    pub(super) scene: Scene,
    pub(super) judge: fn(&Trace) -> Checked,
    /// It tests that something is not done, so the client must show this in the conforming counterpart.
    pub(super) counterpart: Option<fn(&Trace) -> Checked>,
}

/// What happens to a world that is held open.
pub struct Hold<'a> {
    /// Prints a line.
    pub say: &'a (dyn Fn(&str) + Sync),
    /// Resolves when the world must end.
    pub end: Pin<&'a mut (dyn Future<Output = ()> + Send)>,
}

/// What the runner needs of the suite of one service.
pub(super) trait Worlds: Sized {
    /// A world.
    type Scene: Copy + 'static;
    /// What a client did in it.
    type Trace: 'static;
    /// What a conforming counterpart is found by.
    type Key: Ord + Copy;

    /// Its name on the command line.
    const PROGRAM: &'static str;

    /// The row of the conforming world: a client that fails there may not reach what the other worlds are about.
    fn base() -> Id;

    /// The client under test.
    fn client(&self) -> &Client;

    /// The abilities that a client needs in this world.
    fn needs(&self, scene: &Self::Scene) -> Vec<&'static Ability>;

    /// The world for this client.
    fn adapted(&self, scene: &Self::Scene) -> Self::Scene {
        *scene
    }

    /// The world in which nothing is wrong.
    fn counterpart(&self, scene: &Self::Scene) -> (Self::Key, Self::Scene);

    /// Whether the client may still run when the case ends.
    fn may_wait(_: &Self::Scene) -> bool {
        false
    }

    /// Runs the client in a world. An error is the harness's own.
    async fn play(&self, name: &str, scene: &Self::Scene) -> Result<Self::Trace, String>;

    /// Opens a world for a client that the user starts by hand.
    async fn hold(&self, name: &str, scene: &Self::Scene, hold: Hold<'_>) -> Result<Self::Trace, String>;

    /// What reports show of a trace: its calls, and the rest.
    fn shown(trace: &Self::Trace) -> (&[Call], &Around);

    /// What explains a verdict, apart from the logs.
    fn account(_: &Self::Trace) -> Vec<String> {
        Vec::new()
    }

    /// Notes about a run.
    fn notes(&self, _: &Self::Trace, _: &Self::Scene) -> Vec<String> {
        Vec::new()
    }
}

/// What every suite of worlds offers: its cases, their selection, and how they are run.
macro_rules! suite {
    () => {
        /// One world, and what a client must do in it.
        pub type Case = $crate::embedded::client::Case<Scene, Trace>;

        /// Every case, in the order of the requirements.
        pub fn all() -> Vec<&'static Case> {
            $crate::embedded::client::judge::sorted(cases::CASES)
        }

        /// The cases that one of the filters selects; all cases without filters.
        pub fn select(filters: &[String]) -> Vec<&'static Case> {
            $crate::embedded::client::judge::selected(cases::CASES, filters)
        }

        impl Suite {
            /// Runs the cases. `seen` is called with each outcome as it is ready.
            pub async fn run(
                &self,
                cases: &[&'static Case],
                seen: impl FnMut(&$crate::harness::data::Outcome),
            ) -> $crate::harness::data::Run {
                $crate::embedded::client::judge::run(self, cases, seen).await
            }

            /// Opens the world of a case until the end of `hold`, and judges what arrived.
            pub async fn hold(&self, case: &'static Case, hold: Hold<'_>) -> $crate::harness::data::Run {
                $crate::embedded::client::judge::hold(self, case, hold).await
            }
        }
    };
}
pub(super) use suite;

type CaseOf<W> = Case<<W as Worlds>::Scene, <W as Worlds>::Trace>;

/// What the client did in the conforming worlds.
type Counterparts<W> = BTreeMap<<W as Worlds>::Key, OnceCell<Result<<W as Worlds>::Trace, String>>>;

/// The cases in the order of the requirements.
pub(super) fn sorted<S, T>(cases: &'static [Case<S, T>]) -> Vec<&'static Case<S, T>> {
    let mut cases: Vec<_> = cases.iter().collect();
    cases.sort_by_key(|case| case.requirement.key);
    cases
}

/// The cases that one of the filters selects; all cases without filters.
pub(super) fn selected<S, T>(cases: &'static [Case<S, T>], filters: &[String]) -> Vec<&'static Case<S, T>> {
    let filters = Filter::read_all(filters);
    let mut cases = sorted(cases);
    cases.retain(|case| {
        filters.is_empty() || filters.iter().any(|filter| filter.selects(case.requirement, case.fact))
    });
    cases
}

/// Runs cases in parallel. `seen` is called with each outcome as it is ready.
pub(super) async fn run<W: Worlds>(
    worlds: &W,
    cases: &[&'static CaseOf<W>],
    mut seen: impl FnMut(&Outcome),
) -> Run {
    let counterparts: Counterparts<W> = cases
        .iter()
        .map(|case| (worlds.counterpart(&worlds.adapted(&case.scene)).0, OnceCell::new()))
        .collect();
    let running = cases.iter().enumerate().map(|(n, case)| {
        let outcome = run_case(worlds, case, &counterparts);
        async move { (n, outcome.await) }
    });
    let mut running =
        std::pin::pin!(futures_util::stream::iter(running).buffer_unordered(worlds.client().jobs));
    let mut all: Vec<(usize, Outcome)> = Vec::new();
    while let Some((n, outcome)) = running.next().await {
        seen(&outcome);
        all.push((n, outcome));
    }
    all.sort_by_key(|(n, outcome)| (outcome.requirement.key, *n));
    report(worlds, all.into_iter().map(|(_, outcome)| outcome).collect())
}

async fn run_case<W: Worlds>(
    worlds: &W,
    case: &'static CaseOf<W>,
    counterparts: &Counterparts<W>,
) -> Outcome {
    let mut outcome = blocked(case.requirement, case.fact);
    if let Some(lacking) = worlds.needs(&case.scene).into_iter().find(|need| worlds.client().lacks(need)) {
        decide(&mut outcome, Err(Stop::NotApplicable(lacking.reason())));
        return outcome;
    }
    let scene = worlds.adapted(&case.scene);
    let trace = match worlds.play(case.fact, &scene).await {
        Ok(trace) => trace,
        Err(why) => {
            outcome.reason = why.into();
            return outcome;
        }
    };
    let mut checked = judged::<W>(case, &scene, &trace);
    if checked.is_ok()
        && let Some(judge) = case.counterpart
        && let Err(why) = conforms(worlds, &scene, counterparts, judge).await
    {
        checked = Err(Stop::Undecided(Reason::new(Why::Counterpart, why)));
    }
    decide(&mut outcome, checked);
    if !matches!(outcome.verdict, Verdict::Pass | Verdict::NotApplicable) {
        let client = worlds.client();
        let (program, command) = (W::PROGRAM, client.command.join(" "));
        outcome.repeat =
            vec![format!("assay client {program} --seed {} {} -- {command}", client.seed, case.fact)];
    }
    describe(worlds, &scene, &trace, &mut outcome);
    outcome
}

/// Opens the world of a case until the end of `hold`, and judges what arrived. The conforming counterpart is not run.
pub(super) async fn hold<W: Worlds>(worlds: &W, case: &'static CaseOf<W>, hold: Hold<'_>) -> Run {
    let mut outcome = blocked(case.requirement, case.fact);
    let scene = worlds.adapted(&case.scene);
    (hold.say)(&format!("{}  {}", case.requirement, case.fact));
    for line in wrap("  It must hold that: ", case.requirement.statement).lines() {
        (hold.say)(line);
    }
    if case.counterpart.is_some() {
        (hold.say)(
            "  A client that does nothing shows nothing: in a conforming world it must do what it is asked for.",
        );
    }
    match worlds.hold(case.fact, &scene, hold).await {
        Ok(trace) => {
            decide(&mut outcome, judged::<W>(case, &scene, &trace));
            describe(worlds, &scene, &trace, &mut outcome);
        }
        Err(why) => outcome.reason = why.into(),
    }
    report(worlds, vec![outcome])
}

fn judged<W: Worlds>(case: &CaseOf<W>, scene: &W::Scene, trace: &W::Trace) -> Checked {
    (case.judge)(trace)?;
    W::shown(trace).1.has_ended(W::may_wait(scene))
}

/// What reports show of a world.
fn describe<W: Worlds>(worlds: &W, scene: &W::Scene, trace: &W::Trace, outcome: &mut Outcome) {
    let (calls, around) = W::shown(trace);
    if !matches!(outcome.verdict, Verdict::Pass | Verdict::NotApplicable) {
        outcome.why = around.account(W::account(trace).into_iter());
    }
    outcome.notes = worlds.notes(trace, scene);
    outcome.exchanges = around.exchanges(calls);
}

/// Whether the client does what it is asked for when nothing is wrong; it runs once for each counterpart.
async fn conforms<W: Worlds>(
    worlds: &W,
    scene: &W::Scene,
    counterparts: &Counterparts<W>,
    judge: fn(&W::Trace) -> Checked,
) -> Result<(), String> {
    let (key, scene) = worlds.counterpart(scene);
    let Some(counterpart) = counterparts.get(&key) else { return Err("it was not run".to_owned()) };
    let trace = counterpart.get_or_init(|| worlds.play("conforming_counterpart", &scene)).await;
    match trace {
        Ok(trace) => judge(trace).map_err(in_words),
        Err(why) => Err(why.clone()),
    }
}

fn report<W: Worlds>(worlds: &W, mut outcomes: Vec<Outcome>) -> Run {
    let base = W::base();
    let is_failed = |one: &&Outcome| std::ptr::eq(one.requirement, base) && one.verdict == Verdict::Fail;
    if let Some(failed) = outcomes.iter().find(is_failed).map(|one| one.failure.clone()) {
        // What it already does in the conforming world does not judge it in another world.
        let is_same = |one: &Outcome| one.failure == failed && one.failure.is_some();
        let others = outcomes.iter_mut().filter(|one| !std::ptr::eq(one.requirement, base));
        for one in others.filter(|one| one.verdict == Verdict::Inconclusive || is_same(one)) {
            one.rests_on = Some(RestsOn::Base(base));
        }
    }
    let client = worlds.client();
    Run { target: client.command.join(" "), seed: client.seed, outcomes, ..Run::new(SUITES) }
}

/// The outcome of a case that has not run.
fn blocked(requirement: Id, fact: &'static str) -> Outcome {
    Outcome::new(requirement, fact, Verdict::Error, String::new())
}

/// Sets the verdict of an outcome, and what it rests on.
fn decide(outcome: &mut Outcome, checked: Checked) {
    let is_warning = outcome.requirement.level == Level::Should;
    let (verdict, reason) = match checked {
        Ok(()) => (Verdict::Pass, Reason::default()),
        Err(Stop::Fail(failure)) => {
            outcome.failure = Some(failure);
            (if is_warning { Verdict::Warn } else { Verdict::Fail }, Reason::kind(Why::Failure))
        }
        Err(Stop::Unmet(why, _) | Stop::Inconclusive(why)) => (Verdict::Inconclusive, why.into()),
        Err(Stop::Undecided(reason)) => (Verdict::Inconclusive, reason),
        Err(Stop::NotApplicable(why)) => (Verdict::NotApplicable, why.into()),
        Err(Stop::NotTestable(why)) => (Verdict::NotTestable, why.into()),
        Err(Stop::Error(why)) => (outcome.verdict, why.into()),
    };
    (outcome.verdict, outcome.reason) = (verdict, reason);
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
        Stop::Undecided(reason) => reason.said,
    }
}

/// A failure at a place. `exchange` is its index among the calls.
pub(super) fn fail(
    place: impl Into<At>,
    want: &str,
    got: impl Into<String>,
    exchange: Option<usize>,
) -> Stop {
    Stop::Fail(Failure::new(place, want, got, exchange))
}

/// Expects a fact about a place.
pub(super) fn expect(
    holds: bool,
    place: impl Into<At>,
    want: &str,
    got: impl FnOnce() -> String,
    at: Option<usize>,
) -> Checked {
    if holds { Ok(()) } else { Err(fail(place, want, got(), at)) }
}

/// Nothing can be said, for this reason.
pub(super) fn unclear(why: &str) -> Stop {
    Stop::Inconclusive(why.to_owned())
}

/// A value of a header of a request, or `none`.
pub(super) fn header(call: &Call, name: &str) -> String {
    call.header(name).unwrap_or_else(|| "none".to_owned())
}

//! Trials: a server is changed, and checks run there. Each proof is a list of trials, and one loop runs them.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use assay_spec::crypto::memo::Memo;
use assay_spec::{Dialect, Id, Place};
use futures_util::{StreamExt, TryStreamExt};

use super::Embedded;
use super::rehearsal::Start;
use crate::harness::check::Check;
use crate::harness::data::{Outcome, Verdict, Worlds};
use crate::harness::judge::ambient;
use crate::harness::pace::Pace;
use crate::harness::probe::{Places, Settings};
use crate::harness::redact::Learned;
use crate::harness::run::plan::{Planned, plan};
use crate::harness::run::{self, Ran, Runner};
use crate::harness::suite::FixtureMap;
use crate::harness::target::Target;
use crate::report::words;
use crate::services::SUITES;

/// One changed server, and the checks that may notice it.
pub(super) struct Trial {
    /// Its name in the proof.
    pub(super) name: String,
    /// What the server does differently.
    pub(super) about: &'static str,
    pub(super) change: Change,
    /// Which checks run. Of several attempts, those after the first that finds the fault are left out.
    pub(super) attempts: Vec<Attempt>,
}

/// How a server is changed.
#[derive(Clone, Debug)]
pub(super) enum Change {
    /// This deviation violates this row.
    Wrong(String, Id),
    /// It uses its freedom: these variations.
    Allowed(Vec<String>),
}

/// Checks that run at a changed server.
#[derive(Clone, Default)]
pub(super) struct Attempt {
    pub(super) checks: Vec<&'static Check>,
    /// Where these checks go on from their rehearsals.
    pub(super) starts: BTreeMap<u32, Start>,
    /// The variation of a wrong server: without it, no check sees the response. Empty: none.
    pub(super) variation: &'static str,
    /// The only place that a matrix check tries.
    pub(super) only: Option<Place>,
}

impl Attempt {
    pub(super) fn of_checks(checks: Vec<&'static Check>) -> Attempt {
        Attempt { checks, ..Attempt::default() }
    }
}

/// Where trials run.
pub(super) trait Bench {
    /// Whether checks share a world.
    const WORLDS: Worlds;

    fn dialect(&self) -> &Dialect;

    /// Runs checks at the server with these deviations and variations.
    async fn run(
        &self,
        deviations: &[String],
        variations: &[String],
        attempt: Attempt,
    ) -> Result<Vec<Ran>, String>;
}

/// Each check in a copy of one world.
#[derive(Clone, Copy)]
pub(super) struct Copies<'a> {
    pub(super) base: &'a Embedded,
    pub(super) settings: &'a Settings,
}

impl Bench for Copies<'_> {
    const WORLDS: Worlds = Worlds::Own;

    fn dialect(&self) -> &Dialect {
        &self.settings.dialect
    }

    async fn run(
        &self,
        deviations: &[String],
        variations: &[String],
        attempt: Attempt,
    ) -> Result<Vec<Ran>, String> {
        let Attempt { checks, starts, only, .. } = attempt;
        let target = self.base.clone().with(deviations, variations)?.starting(starts).untraced();
        let places = only.map_or(self.settings.places, Places::Only);
        let fixtures = FixtureMap::own(SUITES);
        let settings = Settings { shares_start: true, fixtures, places, ..self.settings.clone() };
        on_own_thread(async move || each(&target, &checks, &settings, 1).await).await
    }
}

/// What the checks of a trial do.
#[derive(Clone, Debug)]
pub struct Row {
    /// The name of the deviation or variation.
    pub name: String,
    /// What is done differently.
    pub about: &'static str,
    /// The requirement that the deviation violates.
    pub own: Option<Id>,
    /// How many checks ran.
    pub ran: usize,
    /// Checks that turned red, and rows that own a part of a response that is not as declared, with the reasons.
    pub red: Vec<(String, String)>,
    /// How many checks gave no result: they need what the deviation broke.
    pub blocked: usize,
    /// Undecided checks, with their reasons.
    pub why_blocked: Vec<(String, String)>,
    /// Whether the violated requirement fails. An error of its check is red, too, and shows nothing.
    pub is_found: bool,
}

impl Row {
    fn new(trial: &Trial, ran: Vec<Ran>, dialect: &Dialect, worlds: Worlds) -> Row {
        let own = match trial.change {
            Change::Wrong(_, row) => Some(row),
            Change::Allowed(_) => None,
        };
        let mut outcomes: Vec<Outcome> = ran.into_iter().map(|ran| ran.outcome).collect();
        let ran = outcomes.len();
        let because = |outcome: &Outcome| (outcome.requirement.to_string(), words::reason(outcome));
        let those = |verdicts: &[Verdict]| -> Vec<(String, String)> {
            outcomes.iter().filter(|outcome| verdicts.contains(&outcome.verdict)).map(because).collect()
        };
        let mut red = those(&[Verdict::Fail, Verdict::Warn, Verdict::Error]);
        let why_blocked = those(&[Verdict::Inconclusive, Verdict::NotTestable, Verdict::NotApplicable]);
        // Rows whose declarations the responses break, whichever check saw them.
        ambient::apply(&mut outcomes, dialect, SUITES, worlds);
        red.extend(outcomes.iter().filter(|outcome| outcome.seen_by.is_some()).map(because));
        let is_own = |outcome: &&Outcome| Some(outcome.requirement) == own;
        let fails = |outcome: &Outcome| matches!(outcome.verdict, Verdict::Fail | Verdict::Warn);
        let is_found = outcomes.iter().find(is_own).is_some_and(fails);
        let Trial { name, about, .. } = trial;
        let (name, blocked) = (name.clone(), why_blocked.len());
        Row { name, about, own, ran, red, blocked, why_blocked, is_found }
    }

    /// Whether the row is as it must be.
    pub fn holds(&self) -> bool {
        match self.own {
            Some(own) => self.red.len() == 1 && self.red[0].0 == own.to_string(),
            None => self.red.is_empty() && self.blocked == 0,
        }
    }

    /// Why it does not hold: what a check does that it must not do, and the reason of that check.
    pub(super) fn cause(&self) -> (String, &str) {
        let own = self.own.map(ToString::to_string).unwrap_or_default();
        let blocked = || self.why_blocked.iter().filter(|(id, _)| self.own.is_none() || *id == own);
        if let Some((id, why)) = self.red.iter().find(|(id, _)| *id != own) {
            let what =
                if self.own.is_some() { "also turns red under another deviation" } else { "turns red" };
            (format!("{id} {what}"), why)
        } else if let Some((id, why)) = blocked().next() {
            (format!("{id} is blocked"), why)
        } else {
            (format!("{own} passes although it is violated"), "")
        }
    }
}

/// Runs trials, `jobs` at a time. The rows are in their order.
pub(super) async fn rows(
    bench: &impl Bench,
    trials: impl IntoIterator<Item = Trial>,
    jobs: usize,
) -> Result<Vec<Row>, String> {
    side_by_side(trials.into_iter().map(|trial| row(bench, trial)), jobs).await
}

/// Runs the attempts of a trial until one finds the fault.
pub(super) async fn row<B: Bench>(bench: &B, mut trial: Trial) -> Result<Row, String> {
    let mut last = None;
    for attempt in std::mem::take(&mut trial.attempts) {
        let variation = Some(attempt.variation).filter(|name| !name.is_empty()).map(str::to_owned);
        let ran = match &trial.change {
            Change::Wrong(deviation, _) => {
                let variations: Vec<String> = variation.into_iter().collect();
                bench.run(std::slice::from_ref(deviation), &variations, attempt).await?
            }
            Change::Allowed(variations) => bench.run(&[], variations, attempt).await?,
        };
        let row = Row::new(&trial, ran, bench.dialect(), B::WORLDS);
        let is_found = row.is_found;
        last = Some(row);
        if is_found {
            break;
        }
    }
    Ok(last.unwrap_or_else(|| Row::new(&trial, Vec::new(), bench.dialect(), B::WORLDS)))
}

/// Runs checks one after another on their own thread, so that every core is used.
pub(super) async fn on_thread(
    target: impl Target + 'static,
    checks: Vec<&'static Check>,
    settings: &Settings,
) -> Result<Vec<Ran>, String> {
    let (target, settings) = (Box::new(target), settings.clone());
    on_own_thread(async move || each(&*target, &checks, &settings, 1).await).await
}

/// Does work, `jobs` at a time, until the first error. The results are in the order of the work.
pub(super) async fn side_by_side<T>(
    work: impl IntoIterator<Item = impl Future<Output = Result<T, String>>>,
    jobs: usize,
) -> Result<Vec<T>, String> {
    let numbered = work.into_iter().enumerate();
    let numbered = numbered.map(|(number, work)| async move { Ok::<_, String>((number, work.await?)) });
    let mut all: Vec<(usize, T)> =
        futures_util::stream::iter(numbered).buffer_unordered(jobs).try_collect().await?;
    all.sort_by_key(|(number, _)| *number);
    Ok(all.into_iter().map(|(_, result)| result).collect())
}

/// The rows of a proof sign and verify the same messages.
static KNOWN: LazyLock<Arc<Memo>> = LazyLock::new(Arc::default);

/// Runs work to its end on a thread of its own, with all tasks that it spawns.
pub(super) async fn on_own_thread<T: Send + 'static>(
    work: impl AsyncFnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    let run = move || run::on_one_thread().map(|thread| KNOWN.during(|| thread.block_on(work())));
    let ended =
        tokio::task::spawn_blocking(run).await.map_err(|end| format!("a proof ended early: {end}"))?;
    ended.map_err(|why| format!("a proof has no thread: {why}"))
}

pub(super) async fn each(
    target: &dyn Target,
    checks: &[&'static Check],
    settings: &Settings,
    jobs: usize,
) -> Vec<Ran> {
    let pace = Pace::default();
    // No other run can show what these checks learn.
    let settings = &Settings { learned: Learned::default(), ..settings.clone() };
    let runner = Runner { target, settings, pace: &pace, jobs };
    let planned: Vec<Planned> = plan(target, checks);
    runner.each(&planned).await
}

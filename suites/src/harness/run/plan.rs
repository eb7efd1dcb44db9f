//! What a run will do: which checks, what they cost, how long it takes, and which checks will say nothing, and why.

mod estimate;

use std::collections::BTreeSet;

use crate::harness::check::{Check, Cost, Need, Stop, Weight};
use crate::harness::data::{Depth, Verdict};
use crate::harness::pace::Pace;
use crate::harness::probe::Settings;
use crate::harness::run::dry;
use crate::harness::select::Filter;
use crate::harness::target::Target;

pub use estimate::{Class, Plan};

/// A check of the plan, and why it is left out if it is.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The check.
    pub check: &'static Check,
    /// How many values it sends.
    pub depth: Depth,
    /// What is known of it before anything was sent.
    pub left_out: Option<LeftOut>,
}

impl Planned {
    /// What it sends in a world of its own, or in a whole run at a shared target.
    pub fn cost(&self, own: bool, pace: &Pace) -> Cost {
        let costs = self.check.costs();
        if own { costs.own } else { costs.at(self.depth, pace.has_pending()) }
    }
}

/// Why a check does not run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeftOut {
    /// Not testable, or not applicable.
    pub verdict: Verdict,
    /// In words.
    pub reason: String,
}

impl LeftOut {
    fn not_testable(reason: impl Into<String>) -> LeftOut {
        LeftOut { verdict: Verdict::NotTestable, reason: reason.into() }
    }
}

/// What the caller of a run allows.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// Nothing that writes.
    pub read_only: bool,
    /// Weights that are welcome at a target that others use too.
    pub include: BTreeSet<Weight>,
}

/// Plans `checks` against `target`, by what they need alone.
pub fn plan(target: &dyn Target, checks: &[&'static Check]) -> Vec<Planned> {
    let missing = |check| missing(target, check, false).map(|need| LeftOut::not_testable(needs(need, check)));
    checks
        .iter()
        .copied()
        .map(|check| Planned { check, depth: Depth::default(), left_out: missing(check) })
        .collect()
}

/// Plans `checks` against `target` as far as it can be known without a request: by what they need, by what the caller
/// allows, and by what they require of the settings.
pub async fn foresee(
    target: &dyn Target,
    settings: &Settings,
    wishes: &Wishes,
    checks: &[&'static Check],
) -> Vec<Planned> {
    let mut planned = plan(target, checks);
    for Planned { check, depth, left_out } in &mut planned {
        let check: &'static Check = check;
        *depth = settings.depth;
        if settings.real_time {
            *left_out = missing(target, check, true).map(|need| LeftOut::not_testable(needs(need, check)));
        }
        let is_given = check.given.is_some_and(|(_, given)| given(settings));
        if is_given {
            *left_out = None;
        }
        let chain = || settings.wrong.get(&settings.suites.key_of_site("chain")?);
        if let Some(why) = check.needs.contains(&Need::Chain).then(chain).flatten() {
            *left_out = Some(LeftOut::not_testable(why));
        }
        if left_out.is_none() {
            *left_out = unwelcome(target, wishes, check, is_given);
        }
        if left_out.is_none() {
            *left_out = early(target, settings, check).await;
        }
    }
    planned
}

/// As [`foresee`]. Where the pace makes the run longer than the longest wait of a check, checks wait in real time, as
/// `settings` says from then on: others run meanwhile, so it costs little time.
pub async fn foresee_paced(
    target: &dyn Target,
    settings: &mut Settings,
    pace: &Pace,
    wishes: &Wishes,
    checks: &[&'static Check],
    jobs: usize,
) -> Vec<Planned> {
    let planned = foresee(target, settings, wishes, checks).await;
    let longest = checks.iter().map(|check| u64::from(check.waits)).max().unwrap_or_default();
    let waits = !settings.real_time && !target.offer().clock && longest > 0;
    if !waits || Plan::new(settings.suites, target, pace, &planned, None, jobs).seconds < MARGIN * longest {
        return planned;
    }
    settings.real_time = true;
    foresee(target, settings, wishes, checks).await
}

/// How many times as long as the longest wait a run takes that waits anyway.
const MARGIN: u64 = 3;

/// The checks among `all` that one of the filters selects. No filter means all.
pub fn select(
    all: Vec<&'static Check>,
    services: &[assay_spec::Service],
    filters: &[String],
) -> Vec<&'static Check> {
    let filters = Filter::read_all(filters);
    all.into_iter()
        .filter(|check| services.is_empty() || services.contains(&check.requirement.service))
        .filter(|check| {
            filters.is_empty() || filters.iter().any(|filter| filter.selects(check.requirement, check.fact))
        })
        .collect()
}

fn needs(need: Need, check: &Check) -> String {
    let wait = if need == Need::Clock && check.waits > 0 { ", or --real-time" } else { "" };
    let given = check.given.map(|(key, _)| format!(", or {key}")).unwrap_or_default();
    format!("needs {}{wait}{given}", need.missing())
}

/// What the target lacks for a check. In real time a run waits instead of moving time.
fn missing(target: &dyn Target, check: &Check, real_time: bool) -> Option<Need> {
    let offer = target.offer();
    check.needs.iter().copied().find(|need| match need {
        Need::Clock => !(offer.clock || real_time && check.waits > 0),
        Need::Faults => offer.faults.is_empty(),
        Need::Actions => offer.actions.is_empty(),
        Need::Isolation => !offer.forks,
        Need::Chain => !target.has_site("chain"),
        Need::Addresses => !offer.addresses,
    })
}

/// Why the user does not want a check to run. A check with its own world harms no data of others, but `--read-only`
/// excludes it too. A fixture replaces what makes a check heavy or destructive.
fn unwelcome(target: &dyn Target, wishes: &Wishes, check: &Check, is_given: bool) -> Option<LeftOut> {
    if wishes.read_only && check.costs().own.writes > 0 {
        return Some(LeftOut::not_testable("the check writes, and the run may only read (--read-only)"));
    }
    let weight = check.weight();
    if weight == Weight::Light || is_given || target.offer().forks || wishes.include.contains(&weight) {
        return None;
    }
    let why = match weight {
        Weight::Destructive => "the check transfers or removes what others may use",
        _ => "the check uses up much of what is scarce",
    };
    let given = check.given.map(|(key, _)| format!(", or {key}")).unwrap_or_default();
    Some(LeftOut::not_testable(format!("{why}; --include {}{given}", weight.name())))
}

/// What the check itself says where it gets no answer at all.
async fn early(target: &dyn Target, settings: &Settings, check: &'static Check) -> Option<LeftOut> {
    let mut settings = settings.clone();
    settings.suites.iter().for_each(|suite| (suite.fixtures.detach)(&mut settings));
    match dry::ends_early(target, &settings, check).await? {
        Stop::NotTestable(reason) => Some(LeftOut { verdict: Verdict::NotTestable, reason }),
        Stop::NotApplicable(reason) => Some(LeftOut { verdict: Verdict::NotApplicable, reason }),
        Stop::Fail(_) | Stop::Unmet(..) | Stop::Inconclusive(_) | Stop::Undecided(_) | Stop::Error(_) => None,
    }
}

//! From responses to a result, in this order:
//!
//! 1. `verdict`: how one check ended, when it has ended.
//! 2. `settle`, once all have: `ambient` holds every response of every check to the declarations, and `relations` to what
//!    the other exchanges show; a check whose
//!    prerequisite failed becomes inconclusive; `owners` finds the row that each failed precondition rests on.
//! 3. `baseline`: known failures.
//! 4. `conclusion`: the result of the run. `cause` groups what did not pass, for reports.

use std::collections::{BTreeMap, BTreeSet};

use assay_spec::{Dialect, Id, Service};

use crate::harness::coverage::Shown;
use crate::harness::data::{Outcome, RestsOn, Verdict, Worlds};
use crate::harness::suite::Suites;

pub mod ambient;
pub mod baseline;
pub mod cause;
pub mod conclusion;
pub(crate) mod owners;
pub mod relations;
pub(crate) mod verdict;

/// Judges every response by the declarations, makes checks with a failed prerequisite inconclusive, finds the owners of
/// failed preconditions, and sorts by requirement. `whole` are the services of which the run has every check. Returns the optional
/// fields that the responses had.
pub(crate) fn settle(
    outcomes: &mut Vec<Outcome>,
    whole: &BTreeSet<Service>,
    dialect: &Dialect,
    suites: Suites,
    worlds: Worlds,
) -> Shown {
    let shown = ambient::apply(outcomes, dialect, suites, worlds);
    let failed = failed(outcomes.iter());
    for outcome in outcomes.iter_mut() {
        rest(outcome, &failed, suites);
    }
    owners::assign(outcomes, whole);
    outcomes.sort_by_key(|outcome| outcome.requirement.key);
    shown
}

pub(crate) fn failed<'all>(outcomes: impl Iterator<Item = &'all Outcome>) -> BTreeMap<u32, Id> {
    let failed = outcomes.filter(|outcome| outcome.verdict == Verdict::Fail);
    failed.map(|outcome| (outcome.requirement.key, outcome.requirement)).collect()
}

/// Makes a failing outcome inconclusive if a prerequisite failed.
pub(crate) fn rest(outcome: &mut Outcome, failed: &BTreeMap<u32, Id>, suites: Suites) {
    // What a response shows by itself rests on no prerequisite.
    if outcome.seen_by.is_some() || !matches!(outcome.verdict, Verdict::Fail | Verdict::Warn) {
        return;
    }
    let after = suites.check(outcome.requirement).map_or(&[][..], |check| check.after);
    if let Some(rule) = after.iter().find_map(|rule| failed.get(&rule.key)).copied() {
        outcome.verdict = Verdict::Inconclusive;
        outcome.rests_on = Some(RestsOn::Prerequisite(rule));
    }
}

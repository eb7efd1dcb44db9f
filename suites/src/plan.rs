//! What a run will do: which checks, what they cost, and which the target cannot be tested for.

use crate::check::{Check, Cost, Need};
use crate::target::Target;

/// A check of the plan, and why it cannot run if it cannot.
#[derive(Clone, Copy, Debug)]
pub struct Planned {
    /// The check.
    pub check: &'static Check,
    /// The first of its needs that the target does not meet.
    pub missing: Option<Need>,
}

/// Plans `checks` against `target`.
pub fn plan(target: &dyn Target, checks: &[&'static Check]) -> Vec<Planned> {
    checks.iter().map(|check| Planned { check, missing: missing(target, check) }).collect()
}

/// The checks among `all` that match one of the filters: a part of the id, or a part of the fact. No filter means all.
pub fn select(
    all: Vec<&'static Check>,
    services: &[assay_spec::Service],
    filters: &[String],
) -> Vec<&'static Check> {
    all.into_iter()
        .filter(|check| services.is_empty() || services.contains(&check.requirement.service))
        .filter(|check| {
            let id = check.requirement.to_string();
            filters.is_empty()
                || filters.iter().any(|filter| id.contains(filter) || check.fact.contains(filter))
        })
        .collect()
}

/// What the checks that can run will cost, at most.
pub fn cost(planned: &[Planned]) -> Cost {
    planned.iter().filter(|planned| planned.missing.is_none()).fold(Cost::default(), |sum, planned| {
        let cost = planned.check.cost;
        Cost {
            requests: sum.requests + cost.requests,
            publishes: sum.publishes + cost.publishes,
            domains: sum.domains + cost.domains,
            drops: sum.drops + cost.drops,
        }
    })
}

fn missing(target: &dyn Target, check: &Check) -> Option<Need> {
    let offer = target.offer();
    check.needs.iter().copied().find(|need| match need {
        Need::Clock => !offer.clock,
        Need::Faults => offer.faults.is_empty(),
        Need::Acts => offer.acts.is_empty(),
        Need::Isolation => !offer.forks,
        Need::Chain => !target.has_site("chain"),
        Need::Addresses => !offer.addresses,
    })
}

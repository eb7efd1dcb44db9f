//! What the target's simulator reports of a check: what it consulted, why it rejected, which transitions it fired.

use std::collections::{BTreeMap, BTreeSet};

use assay_spec::machine::{Machine, Transition};
use assay_spec::{Service, catalogue};
use serde_json::Value;

use crate::harness::data::{Account, Outcome, Sent};
use crate::harness::environment::Environment;

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

/// The requirements, variations and transitions that the target's simulator reports.
pub(crate) async fn coverage(environment: &Environment) -> SimTrace {
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
pub(super) async fn refusals(environment: &Environment) -> Vec<Account> {
    let Some(control) = &environment.control else { return Vec::new() };
    let log = control.call("GET", "log", None).await.unwrap_or_default();
    let account = |one: &Value| Account {
        exchange: one["exchange"].as_u64(),
        row: one["requirement"].as_str().and_then(catalogue::requirement),
        words: one["why"].as_str().unwrap_or_default().to_owned(),
        is_accepted: one["accepted"].as_bool().unwrap_or(false),
    };
    log.as_array().into_iter().flatten().map(account).collect()
}

/// Every declared transition of the services that ran, and whether a check fired it.
pub(super) fn transitions(all: &[Ran]) -> Vec<(&'static Transition, bool)> {
    let made: BTreeSet<&String> = all.iter().flat_map(|ran| &ran.trace.transitions).collect();
    if made.is_empty() {
        return Vec::new();
    }
    let rows = services(all).into_iter().flat_map(machines).flat_map(|machine| machine.transitions);
    rows.map(|row| (row, made.contains(&row.to_string()))).collect()
}

/// The services that ran, in their order.
pub(super) fn services(all: &[Ran]) -> Vec<Service> {
    let services: BTreeSet<Service> = all.iter().map(|ran| ran.outcome.requirement.service).collect();
    services.into_iter().collect()
}

macro_rules! declare {
    ($(($module:ident $variant:ident $document:literal))*) => {
        pub(crate) fn machines(service: Service) -> &'static [&'static Machine] {
            match service { $(Service::$variant => assay_spec::$module::MACHINES),* }
        }
    };
}

assay_spec::for_each_service!(declare);

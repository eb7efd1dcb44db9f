//! The kill matrix: each deviation turns its own check red and no other; a variation turns no check red.

use std::collections::BTreeSet;
use std::sync::Arc;

use assay_sim::world;
use assay_spec::endpoint::Endpoint;
use assay_spec::limit::Limit;
use assay_spec::requirement::Evidence;
use assay_spec::{Dialect, Id, Service, catalogue};

use super::Embedded;
use super::constant::{self, Constant, Passes};
pub use super::matrix::Matrix;
use super::rehearsal::Rehearsals;
pub use super::trial::Row;
use super::trial::{self, Attempt, Change, Copies, Trial, each, on_own_thread, on_thread, side_by_side};
use crate::documents::endpoints;
use crate::harness::check::Check;
use crate::harness::data::{Outcome, Verdict, Worlds};
use crate::harness::judge::ambient;
use crate::harness::judge::settle;
use crate::harness::probe::{Places, Settings};
use crate::harness::run::Ran;
use crate::harness::target::Target;
use crate::http::exchange::Exchange;
use crate::report::words;
use crate::services;
use crate::services::SUITES;

/// Variations that change nothing in any check, and why: the documents leave so much open that nothing asserts it.
const OPEN: &[(&str, &str)] = &[
    (
        "network.neighbours-bare",
        "the document does not show the lists of scheduler, status service and credit API",
    ),
    ("publish.blank-version-kept", "the document does not say whether a version of spaces is blank"),
];

/// The most checks that run against a variation with [`Breadth::Own`].
const FEW: usize = 24;

/// Which checks run against a deviation or a variation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breadth {
    /// A deviation: its own check. A variation: a few of the checks that consult it, spread over all of them. Constant
    /// servers: a few.
    Own,
    /// All checks that consult it, which also shows that no other check catches a deviation. Every constant server.
    Met,
}

/// Proves the checks in `wanted`. A row that no deviation of `world::deviations` violates is a hole. Matrix checks run at
/// the places where they run on a shared target; the cells prove every place.
pub async fn prove(
    seed: u64,
    wanted: &[&'static Check],
    settings: &Settings,
    jobs: usize,
    breadth: Breadth,
) -> Result<Matrix, String> {
    let all = services::checks();
    let settings = &Settings { places: Places::Shared, ..settings.clone() };
    // Every other world is a copy of this one.
    let base = &Embedded::new(seed, settings.dialect.clone());
    let rehearsals = &Arc::new(Rehearsals::default());
    let rehearsing = Box::new(base.clone().rehearsing(rehearsals.clone()));
    let conforming = each(&*rehearsing, &all, settings, jobs).await;
    let mut matrix = Matrix::default();
    for ran in conforming.iter().filter(|ran| ran.outcome.verdict != Verdict::Pass) {
        matrix.holes.push(format!(
            "{} is {} without any deviation: {}",
            ran.outcome.requirement,
            ran.outcome.verdict.name(),
            words::reason(&ran.outcome)
        ));
    }
    matrix.holes.extend(unfounded(&conforming));
    let wants = |rule: Id| wanted.iter().any(|check| check.requirement == rule);
    let deviations: Vec<_> = world::deviations().into_iter().filter(|one| wants(one.requirement)).collect();
    // Wrong limits are proven as cells.
    let limits = catalogue::limits().flat_map(Limit::wrong).map(|wrong| wrong.row().key);
    let switched: BTreeSet<u32> = deviations.iter().map(|one| one.requirement.key).chain(limits).collect();
    for check in wanted.iter().filter(|check| check.requirement.evidence == Evidence::Check) {
        if !switched.contains(&check.requirement.key) {
            matrix.holes.push(format!("{}: no deviation violates it", check.requirement));
        }
    }
    // A deviation runs against the checks whose conforming run it would have changed: until then worlds are the same, so
    // no other check can notice it.
    let bench = &Copies { base, settings };
    let trials = deviations.iter().map(|deviation| {
        let (name, own) = (deviation.to_string(), deviation.requirement);
        let is_met = |check: &&&Check| {
            check.requirement == own || breadth == Breadth::Met && rehearsals.meets(check, deviation.into())
        };
        let checks: Vec<&'static Check> = all.iter().filter(is_met).copied().collect();
        let starts = rehearsals.starts(&checks, deviation.into());
        let attempts = vec![Attempt { checks, starts, ..Attempt::default() }];
        Trial { change: Change::Wrong(name.clone(), own), name, about: deviation.about, attempts }
    });
    matrix.deviations = trial::rows(bench, trials, jobs).await?;
    let mut trials = Vec::new();
    for variation in world::variations() {
        let name = variation.name.to_owned();
        let meets = |check: &Check| rehearsals.meets(check, (&variation).into());
        let met: Vec<&'static Check> = wanted.iter().copied().filter(|check| meets(check)).collect();
        // Variations of the wire concern every service.
        let service = name.split_once('.').and_then(|(name, _)| Service::named(name));
        let concerns = |check: &Check| service.is_none_or(|service| check.requirement.service == service);
        let is_met = all.iter().any(|check| meets(check));
        let is_open = OPEN.iter().any(|(open, _)| *open == name);
        if wanted.iter().any(|check| concerns(check)) && is_met == is_open {
            let why = if is_met {
                "it changes something in a check, although it is listed as open"
            } else {
                "it changes nothing in any check"
            };
            matrix.holes.push(format!("{name}: {why}"));
        }
        if met.is_empty() {
            continue;
        }
        let step = if breadth == Breadth::Own { met.len().div_ceil(FEW) } else { 1 };
        let met: Vec<&'static Check> = met.into_iter().step_by(step).collect();
        let starts = rehearsals.starts(&met, (&variation).into());
        let attempts = vec![Attempt { checks: met, starts, ..Attempt::default() }];
        let change = Change::Allowed(vec![name.clone()]);
        trials.push(Trial { change, name, about: variation.about, attempts });
    }
    matrix.variations = trial::rows(bench, trials, jobs).await?;
    if breadth == Breadth::Met {
        let passes = constants(seed, wanted, settings, jobs, breadth).await?;
        matrix.holes.extend(constant::holes(&passes, wanted));
        matrix.holes.extend(broken(seed, wanted, settings, jobs).await?);
    }
    Ok(matrix)
}

/// The checks of a conforming run that expect a rejection by their own rule, and name no sentence that demands it.
pub fn unfounded(conforming: &[Ran]) -> Vec<String> {
    let check = |ran: &Ran| services::check(ran.outcome.requirement);
    let is_founded = |ran: &&Ran| {
        let row = ran.outcome.requirement;
        let named = check(ran).and_then(Check::rejection);
        named.is_some_and(|named| named.sentence(row).is_some())
            || !ran.trace.rejected.contains(&row.to_string())
    };
    let unfounded =
        conforming.iter().filter(|ran| !is_founded(ran) && !may_be_rejected(ran.outcome.requirement));
    unfounded
        .map(|ran| {
            format!("{} expects a rejection, and names no sentence that demands it", ran.outcome.requirement)
        })
        .collect()
}

/// Whether the row leaves it open to reject what its check sends.
fn may_be_rejected(row: Id) -> bool {
    SUITES.get(row.service).may_reject.contains(&row)
}

/// Runs checks against each constant server.
pub async fn constants(
    seed: u64,
    wanted: &[&'static Check],
    settings: &Settings,
    jobs: usize,
    breadth: Breadth,
) -> Result<Passes, String> {
    let base = Arc::new(Embedded::new(seed, settings.dialect.clone()));
    let runs = constant::servers(breadth).map(|server| {
        let target = Constant::new(base.clone(), server);
        async move {
            let all = on_thread(target, wanted.to_vec(), settings).await?;
            let passed = all.into_iter().filter(|ran| ran.outcome.verdict == Verdict::Pass);
            let passed: Vec<Id> = passed.map(|ran| ran.outcome.requirement).collect();
            Ok::<_, String>((server.name, passed))
        }
    });
    let mut passes = Passes::new();
    for (server, passed) in side_by_side(runs, jobs).await? {
        for id in passed {
            passes.entry(id.to_string()).or_default().push(server);
        }
    }
    Ok(passes)
}

/// Runs the checks of each whole service in `wanted` against servers on which one endpoint is broken. Returns the servers
/// on which no check fails, unless all that use the endpoint deserve their pass. Only checks that use the endpoint run,
/// the cheapest first, until one fails: the others do not notice.
pub async fn broken(
    seed: u64,
    wanted: &[&'static Check],
    settings: &Settings,
    jobs: usize,
) -> Result<Vec<String>, String> {
    let base = Arc::new(Embedded::new(seed, settings.dialect.clone()));
    let known: BTreeSet<u32> = wanted.iter().map(|check| check.requirement.key).collect();
    let is_whole = |service: &Service| {
        let of_service = |check: &&Check| check.requirement.service == *service;
        services::checks()
            .into_iter()
            .filter(|check| of_service(check))
            .all(|check| known.contains(&check.requirement.key))
    };
    let services: Vec<Service> = Service::ALL.iter().copied().filter(is_whole).collect();
    let checks: Vec<&Check> =
        wanted.iter().copied().filter(|check| services.contains(&check.requirement.service)).collect();
    let mut conforming = each(&*base, &checks, settings, jobs).await;
    conforming.sort_by_key(|ran| ran.sent.requests);
    let conforming = &conforming;
    let endpoints = services.iter().flat_map(|service| catalogue::endpoints_of(*service));
    let runs = endpoints.flat_map(constant::broken_at).map(|(endpoint, server)| {
        let of_service = |ran: &&Ran| ran.outcome.requirement.service == endpoint.service;
        let (using, others): (Vec<&Ran>, Vec<&Ran>) =
            conforming.iter().filter(of_service).partition(|ran| uses(&ran.outcome, endpoint));
        let checks: Vec<&'static Check> =
            using.iter().filter_map(|ran| services::check(ran.outcome.requirement)).collect();
        let target = Constant::new(base.clone(), server);
        async move {
            let name = target.name();
            if checks.is_empty() {
                return Ok(None);
            }
            let Some(mut outcomes) = until_one_fails(target, checks, settings).await? else {
                return Ok(None);
            };
            if outcomes.iter().all(constant::is_deserved) {
                return Ok(None);
            }
            outcomes.extend(others.into_iter().map(|ran| ran.outcome.clone()));
            settle(
                &mut outcomes,
                &[endpoint.service].into(),
                &settings.dialect,
                settings.suites,
                Worlds::Own,
            );
            let is_found = outcomes.iter().any(|outcome| outcome.verdict == Verdict::Fail);
            Ok::<_, String>((!is_found).then(|| format!("no check fails with {name}")))
        }
    });
    Ok(side_by_side(runs, jobs).await?.into_iter().flatten().collect())
}

/// Runs checks one after another on their own thread. `None`: one fails, or a response breaks a declaration.
async fn until_one_fails(
    target: Constant,
    checks: Vec<&'static Check>,
    settings: &Settings,
) -> Result<Option<Vec<Outcome>>, String> {
    let settings = settings.clone();
    let run = async move || {
        let mut outcomes = Vec::new();
        for check in checks {
            let outcome = each(&target, &[check], &settings, 1).await.into_iter().next()?.outcome;
            let breaks = |exchange: &Exchange| {
                !ambient::breaches(exchange, &settings.dialect, Worlds::Own).1.is_empty()
            };
            if outcome.verdict == Verdict::Fail || outcome.exchanges.iter().any(breaks) {
                return None;
            }
            outcomes.push(outcome);
        }
        Some(outcomes)
    };
    on_own_thread(run).await
}

/// Whether a check has sent a request to this endpoint.
fn uses(outcome: &Outcome, endpoint: &Endpoint) -> bool {
    let used = |exchange: &Exchange| endpoints::endpoint_of(&Dialect::default(), exchange);
    outcome.exchanges.iter().filter_map(used).any(|used| std::ptr::eq(used, endpoint))
}

/// Runs checks against worlds with these deviations and variations.
pub async fn ran(
    seed: u64,
    deviations: &[String],
    variations: &[String],
    checks: &[&'static Check],
    settings: &Settings,
    jobs: usize,
) -> Result<Vec<Ran>, String> {
    let target = Embedded::new(seed, settings.dialect.clone()).with(deviations, variations)?;
    Ok(each(&target, checks, settings, jobs).await)
}

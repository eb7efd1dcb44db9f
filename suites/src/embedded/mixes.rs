//! Mixes: several allowed variations at once. Every check stays green under each mix.

use std::collections::{BTreeMap, BTreeSet};

use assay_sim::rng::Rng;
use assay_sim::world;
use assay_spec::Service;
use serde_json::{Value, json};

use super::Embedded;
use super::trial::{Attempt, Change, Copies, Row, Trial, each, row, side_by_side};
use crate::harness::check::Check;
use crate::harness::probe::{Places, Settings};
use crate::support::prose;
use crate::support::prose::one_line;

/// The most variations of a mix.
const MOST: usize = 10;
/// The most checks that run under a mix.
const CHECKS: usize = 24;

/// Variations that contradict each other. A mix has at most one of each line.
const EXCLUSIVE: &[&[&str]] = &[
    // A file has a hash of its message and one of its content; one of the two must find it.
    &["network.files-by-content", "network.files-by-message"],
    // One container each.
    &["network.flat-array", "network.flat-data", "network.flat-unpaged"],
    &["network.aggregates-list", "network.aggregates-array"],
    // With both, nothing shows that a registration was rejected.
    &["network.lists-live", "network.types-later"],
    // With both, no record shows a session key.
    &["hosting.no-pubkey", "hosting.wallet-edits"],
    // A bucket has one size.
    &["network.rates-shared", "network.rates-bucket"],
];

/// A mix: the variations, and how the checks end under them.
#[derive(Clone, Debug)]
pub struct Mix {
    /// Its number; with the seed it decides everything else.
    pub number: u64,
    /// The service whose checks run.
    pub service: Service,
    /// The names of the variations.
    pub variations: Vec<&'static str>,
    /// The checks that turn red or give no result.
    pub result: Row,
    /// If it does not hold: the variations without which its first such check passes.
    pub smallest: Vec<&'static str>,
}

/// The checks of a service, each with the variations that its run without any consults.
type Consulting = BTreeMap<Service, Vec<(&'static Check, BTreeSet<&'static str>)>>;

/// Runs checks under `count` mixes. The seed decides which variations a mix has, and which of the checks that consult one
/// of them run.
pub async fn prove_mixes(
    seed: u64,
    count: u64,
    wanted: &[&'static Check],
    settings: &Settings,
    jobs: usize,
) -> Result<Vec<Mix>, String> {
    let settings = &Settings { places: Places::Shared, ..settings.clone() };
    let base = &Embedded::new(seed, settings.dialect.clone());
    let known: Vec<&'static str> = world::variations().iter().map(|variation| variation.name).collect();
    let mut consulting = Consulting::new();
    for ran in each(base, wanted, settings, jobs).await {
        let check = wanted.iter().find(|check| check.requirement == ran.outcome.requirement);
        let consults = known.iter().copied().filter(|name| ran.trace.variations.contains(*name));
        let consults: BTreeSet<&'static str> = consults.collect();
        if let Some(check) = check.filter(|_| !consults.is_empty()) {
            consulting.entry(check.requirement.service).or_default().push((check, consults));
        }
    }
    let (consulting, bench) = (&consulting, &Copies { base, settings });
    let mixes =
        (0..count).filter_map(|number| Drawn::draw(seed, number, consulting)).map(|drawn| async move {
            let name = format!("mix {}", drawn.number);
            let result = row(bench, trial(name, &drawn.variations, &drawn.checks)).await?;
            let smallest =
                if result.holds() { Vec::new() } else { Box::pin(drawn.reduce(bench, &result)).await? };
            let Drawn { number, service, variations, .. } = drawn;
            Ok::<Mix, String>(Mix { number, service, variations, result, smallest })
        });
    side_by_side(mixes, jobs).await
}

/// The trial of checks under a mix.
fn trial(name: String, variations: &[&'static str], checks: &[&'static Check]) -> Trial {
    let variations = variations.iter().map(|name| (*name).to_owned()).collect();
    let attempts = vec![Attempt::of_checks(checks.to_vec())];
    Trial { name, about: "", change: Change::Allowed(variations), attempts }
}

/// What the seed decides about a mix.
struct Drawn {
    number: u64,
    service: Service,
    variations: Vec<&'static str>,
    checks: Vec<&'static Check>,
}

impl Drawn {
    fn draw(seed: u64, number: u64, consulting: &Consulting) -> Option<Drawn> {
        let rng = Rng::new(seed);
        let sizes = rng.draw("prove.mix", b"", number);
        // A service with many checks has many mixes.
        let all = consulting.values().map(Vec::len).sum::<usize>().max(1) as u64;
        let mut at = u64::from_be_bytes([0, 0, 0, 0, sizes[0], sizes[1], sizes[2], sizes[3]]) % all;
        let (service, own) = consulting.iter().find(|(_, own)| {
            let is_it = at < own.len() as u64;
            at = at.wrapping_sub(own.len() as u64);
            is_it
        })?;
        let pool: BTreeSet<&'static str> =
            own.iter().flat_map(|(_, consults)| consults.iter().copied()).collect();
        let mut pool: Vec<&'static str> = pool.into_iter().collect();
        pool.sort_by_key(|name| rng.draw("prove.mix.variation", name.as_bytes(), number));
        let size = 2 + usize::from(sizes[4]) % (MOST - 1);
        let mut variations: Vec<&'static str> = Vec::new();
        for name in pool {
            let excludes =
                |line: &&[&str]| line.contains(&name) && variations.iter().any(|one| line.contains(one));
            if variations.len() < size && !EXCLUSIVE.iter().any(excludes) {
                variations.push(name);
            }
        }
        variations.sort_unstable();
        let meets = |consults: &BTreeSet<&str>| variations.iter().any(|name| consults.contains(name));
        let met = own.iter().filter(|(_, consults)| meets(consults)).map(|(check, _)| *check);
        let mut checks: Vec<&'static Check> = met.collect();
        checks.sort_by_key(|check| {
            rng.draw("prove.mix.check", check.requirement.to_string().as_bytes(), number)
        });
        checks.truncate(CHECKS);
        checks.sort_by_key(|check| check.requirement.key);
        Some(Drawn { number, service: *service, variations, checks })
    }

    /// Leaves out variations as long as the first check that does not pass still does not.
    async fn reduce(&self, bench: &Copies<'_>, result: &Row) -> Result<Vec<&'static str>, String> {
        let first = result.red.iter().chain(&result.why_blocked).map(|(id, _)| id).next();
        let named = |check: &&&'static Check| first.is_some_and(|id| check.requirement.to_string() == *id);
        // A row that owns a part of a response may fail in any check.
        let checks = self.checks.iter().find(named).map_or_else(|| self.checks.clone(), |check| vec![*check]);
        let mut smallest = self.variations.clone();
        for name in &self.variations {
            let fewer: Vec<&'static str> = smallest.iter().copied().filter(|one| one != name).collect();
            if !row(bench, trial(String::new(), &fewer, &checks)).await?.holds() {
                smallest = fewer;
            }
        }
        Ok(smallest)
    }
}

/// Whether every check is green under every mix.
pub fn hold(mixes: &[Mix]) -> bool {
    mixes.iter().all(|mix| mix.result.holds())
}

/// The mixes as text for a terminal: those that do not hold, each with its smallest part, and a summary.
pub fn text(mixes: &[Mix], verbose: bool) -> String {
    let mut text = String::new();
    for mix in mixes {
        let result = &mix.result;
        let holds = result.holds();
        if !verbose && holds {
            continue;
        }
        let mark = if holds { "ok  " } else { "HOLE" };
        let checks = prose::count(result.ran, "check");
        text.push_str(&format!(
            "{mark} {} ({}, {checks}): {}\n",
            result.name,
            mix.service.name(),
            mix.variations.join(", ")
        ));
        if !holds {
            text.push_str(&format!("     smallest: {}\n", mix.smallest.join(", ")));
        }
        for (id, why) in result.red.iter().chain(&result.why_blocked) {
            text.push_str(&format!("     {id}: {}\n", one_line(why.as_bytes())));
        }
    }
    let green = mixes.iter().filter(|mix| mix.result.holds()).count();
    let ran: usize = mixes.iter().map(|mix| mix.result.ran).sum();
    let red: usize = mixes.iter().map(|mix| mix.result.red.len()).sum();
    let blocked: usize = mixes.iter().map(|mix| mix.result.blocked).sum();
    let used: BTreeSet<&str> = mixes.iter().flat_map(|mix| mix.variations.iter().copied()).collect();
    text.push_str(&format!(
        "{green} of {} of {} green; {}: {red} red, {blocked} blocked\n",
        if mixes.len() == 1 { "1 mix".to_owned() } else { format!("{} mixes", mixes.len()) },
        prose::count(used.len(), "variation"),
        prose::count(ran, "check")
    ));
    text
}

/// The mixes as JSON.
pub fn json(mixes: &[Mix]) -> Value {
    let reasons =
        |reasons: &[(String, String)]| -> BTreeMap<String, String> { reasons.iter().cloned().collect() };
    let mixes: Vec<Value> = mixes
        .iter()
        .map(|mix| {
            json!({
                "number": mix.number, "service": mix.service.name(), "variations": mix.variations,
                "checks": mix.result.ran, "holds": mix.result.holds(), "smallest": mix.smallest,
                "red": reasons(&mix.result.red), "blocked": reasons(&mix.result.why_blocked),
            })
        })
        .collect();
    json!({ "version": 1, "mixes": mixes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::services;

    #[test]
    fn contradicting_variations_are_known_and_not_mixed() {
        let known: BTreeSet<&'static str> =
            world::variations().iter().map(|variation| variation.name).collect();
        let unknown: Vec<&&str> =
            EXCLUSIVE.iter().copied().flatten().filter(|name| !known.contains(*name)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
        let all: Vec<(&'static Check, BTreeSet<&'static str>)> =
            services::checks().into_iter().map(|check| (check, known.clone())).collect();
        let consulting = Consulting::from([(Service::Network, all)]);
        let drawn: Vec<Drawn> = (0..400).filter_map(|number| Drawn::draw(7, number, &consulting)).collect();
        assert_eq!(drawn.len(), 400);
        for one in &drawn {
            let names: BTreeSet<&str> = one.variations.iter().copied().collect();
            assert!((2..=MOST).contains(&names.len()) && names.len() == one.variations.len());
            let both = |line: &&[&str]| line.iter().filter(|name| names.contains(**name)).count() > 1;
            assert!(!EXCLUSIVE.iter().any(both), "{names:?}");
        }
        let used: BTreeSet<&str> = drawn.iter().flat_map(|one| one.variations.iter().copied()).collect();
        assert_eq!(used, known, "each variation is drawn");
    }
}

//! Cells: one fault at one place each.
//!
//! - **Field cells**: each declared field of each response is made wrong in each way that its declaration excludes. A cell
//!   is closed if the row that owns the field fails.
//! - **Row cells**: each deviation acts at one of the places of its row where it shows. A cell is closed if the row's own check
//!   fails.
//! - **Limit cells**: each limit gets the nearest wrong values. A cell is closed if the row of the limit fails.
//!
//! The cells that are still open are listed in `suites/holes.toml`.

use std::collections::{BTreeMap, BTreeSet};

use assay_sim::deviation::{self, Deviation, Scoped};
use assay_sim::world;
use assay_spec::endpoint::Endpoint;
use assay_spec::field::{self, Cell, Part, cells};
use assay_spec::limit::{self, Limit};
use assay_spec::{Id, Place, Service, catalogue};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Embedded;
use super::trial::{self, Attempt, Bench, Change, Copies, Trial, each};
use crate::documents::endpoints::endpoint_of;
use crate::harness::check::Check;
use crate::harness::data::{Outcome, Verdict, Worlds};
use crate::harness::judge::ambient;
use crate::harness::probe::Settings;
use crate::harness::run::Ran;
use crate::report::words;
use crate::services;
use crate::services::SUITES;

/// The open cells, as last written.
const HOLES: &str = include_str!("../../holes.toml");
/// The most checks that are tried for a field of another type or form.
const TRIES: usize = 3;

/// The cells of one service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// How many field cells were tried, or cannot be since no check sees their response, besides relations.
    pub fields: usize,
    /// As `fields`, of values that contradict where they come from.
    pub relations: usize,
    /// How many wrong limits were tried.
    pub limits: usize,
    /// How many rows were tried at a place.
    pub rows: usize,
    /// Responses with cells that no check sees, in a conforming run or under a variation: method, path and status.
    pub unseen: BTreeMap<String, usize>,
    /// Cells whose row did not fail.
    pub open: BTreeSet<String>,
}

impl Census {
    /// How many cells are closed.
    pub fn closed(&self) -> usize {
        self.kinds().iter().map(Kind::closed).sum()
    }

    /// The counts of each kind.
    fn kinds(&self) -> [Kind; 4] {
        let open = |prefix: &str| self.open.iter().filter(|name| name.starts_with(prefix)).count();
        let (all, limits) = (open(field::PREFIX), open(limit::PREFIX));
        let related = self.open.iter().filter_map(|name| field::cell(name));
        let relations = related.filter(|cell| cell.wrong.is_relation()).count();
        let unseen = self.unseen.values().sum();
        [
            Kind { name: "fields", cells: self.fields, unseen, open: all - relations },
            Kind { name: "relations", cells: self.relations, unseen: 0, open: relations },
            Kind { name: "limits", cells: self.limits, unseen: 0, open: limits },
            Kind { name: "rows", cells: self.rows, unseen: 0, open: self.open.len() - all - limits },
        ]
    }
}

/// The cells of one kind.
struct Kind {
    name: &'static str,
    cells: usize,
    unseen: usize,
    open: usize,
}

impl Kind {
    const fn closed(&self) -> usize {
        self.cells - self.unseen - self.open
    }
}

/// The open cells of a service, as `suites/holes.toml` lists them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Holes {
    /// Responses that no check sees.
    unseen: BTreeSet<String>,
    /// Cells whose row does not fail.
    open: BTreeSet<String>,
}

/// Proves the cells of these services; of a sample, every `nth`.
pub async fn prove_cells(
    seed: u64,
    services: &[Service],
    settings: &Settings,
    jobs: usize,
    nth: usize,
) -> Result<BTreeMap<Service, Census>, String> {
    let base = &Embedded::new(seed, settings.dialect.clone());
    let bench = Copies { base, settings };
    let conforming = each(base, &services::checks(), settings, jobs).await;
    let mut seen = sightings(&conforming, "", settings);
    let is_unseen = |service: &Service| {
        cells().iter().any(|cell| cell.endpoint.service == *service && !seen.contains_key(&key(cell)))
    };
    for service in services.iter().copied().filter(is_unseen).collect::<Vec<_>>() {
        let varied = sightings_under_variations(bench, service, &conforming);
        for (part, checks) in Box::pin(varied).await? {
            seen.entry(part).or_insert(checks);
        }
    }
    let answered: BTreeSet<(&str, u16)> = seen.keys().map(|(_, name, status, _)| (*name, *status)).collect();
    let mut found: BTreeMap<Service, Census> = BTreeMap::new();
    let mut trials = Vec::new();
    let first = seed as usize % nth;
    for cell in field_cells(services).skip(first).step_by(nth) {
        let census = found.entry(cell.endpoint.service).or_default();
        let is_seen = answered.contains(&(cell.endpoint.name, cell.status));
        if is_seen && cell.wrong.is_relation() {
            census.relations += 1;
        } else {
            census.fields += 1;
        }
        match seen.get(&key(cell)) {
            Some(checks) => {
                let attempts = candidates(cell, checks).map(|Sighting { check, variation }| Attempt {
                    variation,
                    ..Attempt::of_checks(vec![check])
                });
                trials.push(wrong(cell.to_string(), cell.row, attempts.collect()));
            }
            None if is_seen => {
                census.open.insert(cell.to_string());
            }
            None => *census.unseen.entry(response(cell)).or_default() += 1,
        }
    }
    let own = |row: Id| services::check(row).map(|check| Attempt::of_checks(vec![check]));
    let limits = catalogue::limits().filter(|limit| services.contains(&limit.service));
    for limit in limits.flat_map(Limit::wrong).skip(first).step_by(nth) {
        found.entry(limit.limit.service).or_default().limits += 1;
        trials.push(wrong(limit.to_string(), limit.row(), own(limit.row()).into_iter().collect()));
    }
    for cell in row_trials(services, &conforming).skip(first).step_by(nth) {
        let row = cell.what.requirement;
        found.entry(row.service).or_default().rows += 1;
        // At the other places the server behaves as it should.
        let only = Some(cell.at.value(""));
        let attempts = own(row).map(|attempt| Attempt { only, ..attempt });
        trials.push(wrong(cell.to_string(), row, attempts.into_iter().collect()));
    }
    for row in trial::rows(&bench, trials, jobs).await? {
        if let Some(own) = row.own.filter(|_| !row.is_found) {
            found.entry(own.service).or_default().open.insert(row.name);
        }
    }
    Ok(found)
}

/// The trial of a cell.
pub(super) fn wrong(name: String, row: Id, attempts: Vec<Attempt>) -> Trial {
    Trial { change: Change::Wrong(name.clone(), row), name, about: "", attempts }
}

/// The cells of fields of services.
pub(super) fn field_cells(services: &[Service]) -> impl Iterator<Item = &'static Cell> {
    cells().iter().filter(|cell| services.contains(&cell.endpoint.service))
}

/// The cells of rows of services.
pub(super) fn row_trials<'a>(
    services: &'a [Service],
    conforming: &'a [Ran],
) -> impl Iterator<Item = Scoped<Deviation>> + 'a {
    scoped(services).chain(failing(services, conforming))
}

/// Each deviation at each place where it shows: its name, and the row.
pub fn row_cells(services: &[Service]) -> Vec<(String, Id)> {
    scoped(services).map(|cell| (cell.to_string(), cell.what.requirement)).collect()
}

fn scoped(services: &[Service]) -> impl Iterator<Item = Scoped<Deviation>> {
    let accepting = catalogue::requirements().filter(|row| !row.accepted.is_empty());
    let keeping = catalogue::requirements().filter(|row| !row.kept.is_empty());
    let deviations = world::deviations().into_iter();
    let deviations =
        deviations.chain(accepting.map(Deviation::refusal)).chain(keeping.map(Deviation::change));
    let wanted = deviations.filter(|deviation| services.contains(&deviation.requirement.service));
    wanted.flat_map(|what| at_values(what, what.places()))
}

/// What each requirement rejects in its own check is answered as an internal error, if no sentence allows that, or takes effect
/// all the same.
fn failing<'a>(
    services: &'a [Service],
    conforming: &'a [Ran],
) -> impl Iterator<Item = Scoped<Deviation>> + 'a {
    let rejects = |ran: &&Ran| {
        let row = ran.outcome.requirement;
        let rejection = services::check(row).and_then(Check::rejection);
        services.contains(&row.service)
            && !SUITES.get(row.service).rejected_elsewhere.contains(&row)
            && rejection.is_some_and(|named| named.instead.is_empty() && !named.statuses.contains(&500))
            && ran.trace.rejected.contains(&row.to_string())
    };
    conforming.iter().filter(rejects).flat_map(|ran| {
        let row = ran.outcome.requirement;
        let what = Deviation::failure(row);
        let places = if what.places().is_empty() { &[Place::ANY] } else { what.places() };
        let what_acts = Deviation::effect(row);
        let acting = (SUITES.get(row.service).without_effect)(row)
            .into_iter()
            .map(move |at| Scoped { what: what_acts, at });
        at_values(what, places).chain(acting)
    })
}

/// A deviation at each place, for each kind of wrong value by which it shows.
fn at_values(what: Deviation, places: &'static [Place]) -> impl Iterator<Item = Scoped<Deviation>> {
    places
        .iter()
        .flat_map(move |at| what.values().into_iter().map(move |value| Scoped { what, at: at.value(value) }))
}

/// A declared part of a response: service, endpoint, status, and the part's name.
pub(super) type Key = (Service, &'static str, u16, String);

pub(super) fn key(cell: &Cell) -> Key {
    let Cell { endpoint, status, part, path, .. } = cell;
    (endpoint.service, endpoint.name, *status, format!("{part:?} {path}"))
}

fn response(cell: &Cell) -> String {
    format!("{} {} {}", cell.endpoint.method, cell.endpoint.path, cell.status)
}

/// A check that sees a declared part in a run without deviations.
#[derive(Clone, Copy)]
pub(super) struct Sighting {
    pub(super) check: &'static Check,
    /// The variation of the run. Empty: none.
    variation: &'static str,
}

/// The checks that see each declared part under each variation of a service, as far as they consult it.
async fn sightings_under_variations(
    bench: Copies<'_>,
    service: Service,
    conforming: &[Ran],
) -> Result<BTreeMap<Key, Vec<Sighting>>, String> {
    let mut seen = BTreeMap::new();
    for variation in world::variations() {
        let name = variation.name;
        let is_own = name.split_once('.').is_some_and(|(own, _)| Service::named(own) == Some(service));
        let meeting = conforming.iter().filter(|ran| is_own && ran.trace.variations.contains(name));
        let checks: Vec<_> = meeting.filter_map(|ran| services::check(ran.outcome.requirement)).collect();
        let ran = bench.run(&[], &[name.to_owned()], Attempt::of_checks(checks)).await?;
        for (part, checks) in sightings(&ran, name, bench.settings) {
            seen.entry(part).or_insert(checks);
        }
    }
    Ok(seen)
}

/// The checks that see each declared part in a run without deviations, the cheapest first.
pub(super) fn sightings(
    ran: &[Ran],
    variation: &'static str,
    settings: &Settings,
) -> BTreeMap<Key, Vec<Sighting>> {
    let mut by_cost: Vec<&Ran> = ran.iter().collect();
    // A world of the hosting service begins with a history, which takes time.
    let cost =
        |ran: &&Ran| (SUITES.get(ran.outcome.requirement.service).prepared_by.is_some(), ran.sent.requests);
    by_cost.sort_by_key(cost);
    let mut seen: BTreeMap<Key, Vec<Sighting>> = BTreeMap::new();
    for ran in by_cost {
        let Some(check) = services::check(ran.outcome.requirement) else { continue };
        for exchange in &ran.outcome.exchanges {
            let mut note = |endpoint: &Endpoint, status: u16, part: String| {
                let listed = if (200..300).contains(&status) { 200 } else { status };
                let checks = seen.entry((endpoint.service, endpoint.name, listed, part)).or_default();
                if checks.last().is_none_or(|last| last.check.requirement != check.requirement) {
                    checks.push(Sighting { check, variation });
                }
            };
            if let (Some(endpoint), Ok(response)) =
                (endpoint_of(&settings.dialect, exchange), &exchange.response)
            {
                let query = exchange.request.target.split_once('?').map_or("", |(_, query)| query);
                for name in query.split('&').filter_map(|pair| pair.split('=').next()) {
                    note(endpoint, response.status, format!("{:?} {name}", Part::Query));
                }
            }
            ambient::each_part(exchange, &settings.dialect, Worlds::Own, true, &mut |judged| {
                note(judged.endpoint, judged.status, format!("{:?} {}", judged.part, judged.name));
            });
        }
    }
    seen
}

/// The cheapest check that sees the field, and the row's own check if it does.
fn candidates<'a>(cell: &'a Cell, checks: &'a [Sighting]) -> impl Iterator<Item = Sighting> + 'a {
    let own = checks.iter().filter(|sighting| sighting.check.requirement == cell.row);
    let mut met = BTreeSet::new();
    // What contradicts other responses is seen by a check that sees several.
    let tries = if cell.wrong.is_relative() { usize::MAX } else { TRIES };
    let all = checks.iter().take(tries).chain(own).copied();
    all.filter(move |sighting| met.insert(sighting.check.requirement.key))
}

/// The verdict of each row at the place of its deviation, and the reason, while all of these row cells are wrong at once.
pub async fn together(
    seed: u64,
    wrong: &[(String, Id)],
    settings: &Settings,
    jobs: usize,
) -> Result<Vec<(Verdict, String)>, String> {
    let names: Vec<String> = wrong.iter().map(|(name, _)| name.clone()).collect();
    let base = Embedded::new(seed, settings.dialect.clone()).with(&names, &[])?;
    let rows: BTreeSet<Id> = wrong.iter().map(|(_, row)| *row).collect();
    let checks: Vec<&'static Check> = rows.into_iter().filter_map(services::check).collect();
    let ran = each(&base, &checks, settings, jobs).await;
    let mut outcomes: Vec<Outcome> = ran.into_iter().map(|ran| ran.outcome).collect();
    ambient::apply(&mut outcomes, &settings.dialect, settings.suites, Worlds::Own);
    let of_cell = |(name, row): &(String, Id)| {
        let outcome = outcomes.iter().find(|outcome| outcome.requirement == *row);
        let outcome = outcome.ok_or_else(|| format!("{row} has no check"))?;
        let (_, at) = deviation::split(name)?;
        let cell = outcome.cells.iter().find(|cell| cell.at == at.to_string());
        // What the responses show by themselves is not sorted by place.
        let at_place = cell.filter(|_| outcome.seen_by.is_none());
        Ok(at_place.map_or_else(
            || (outcome.verdict, words::reason(outcome)),
            |cell| (cell.verdict, words::because(&cell.reason, cell.failure.as_ref())),
        ))
    };
    wrong.iter().map(of_cell).collect()
}

/// What differs from `suites/holes.toml`: cells that are open but not listed, and the reverse. A sample shows only the
/// first.
pub fn differences(found: &BTreeMap<Service, Census>, is_sample: bool) -> Result<Vec<String>, String> {
    let known: BTreeMap<String, Holes> =
        toml::from_str(HOLES).map_err(|e| format!("suites/holes.toml: {e}"))?;
    let mut lines = Vec::new();
    for (service, census) in found {
        let listed = known.get(service.name()).cloned().unwrap_or_default();
        let unseen: BTreeSet<String> = census.unseen.keys().cloned().collect();
        for (what, now, then) in
            [("no check sees", &unseen, &listed.unseen), ("open", &census.open, &listed.open)]
        {
            lines.extend(
                now.difference(then).map(|name| format!("{what}, but not in suites/holes.toml: {name}")),
            );
            if !is_sample {
                let closed = then.difference(now);
                lines.extend(
                    closed.map(|name| format!("closed, so remove it from suites/holes.toml: {name}")),
                );
            }
        }
    }
    Ok(lines)
}

/// The responses that no check sees and the cells that are open, as `suites/holes.toml` lists them.
pub fn listed() -> Result<Vec<String>, String> {
    let known: BTreeMap<String, Holes> =
        toml::from_str(HOLES).map_err(|e| format!("suites/holes.toml: {e}"))?;
    Ok(known.into_values().flat_map(|holes| holes.unseen.into_iter().chain(holes.open)).collect())
}

/// The content of `suites/holes.toml`.
pub fn holes(found: &BTreeMap<Service, Census>) -> String {
    let mut text = "# Cells that no check closes yet, by service: responses that no check sees, and cells whose row does\n\
                    # not fail: of a field, of a limit, or a deviation and the place where it acts.\n\
                    # `assay prove --cells` fails when it finds others. The list may only shrink.\n"
        .to_owned();
    for (service, census) in found {
        let list = |names: &mut dyn Iterator<Item = &String>| {
            let lines: Vec<String> = names.map(|name| format!("    {name:?},\n")).collect();
            if lines.is_empty() { "[]".to_owned() } else { format!("[\n{}]", lines.concat()) }
        };
        let (unseen, open) = (list(&mut census.unseen.keys()), list(&mut census.open.iter()));
        text.push_str(&format!("\n[{service}]\nunseen = {unseen}\nopen = {open}\n"));
    }
    text
}

/// The counts as text for a terminal.
pub fn text(found: &BTreeMap<Service, Census>) -> String {
    let mut text = format!(
        "{:<10} {:<9} {:>6} {:>7} {:>7} {:>6}\n",
        "service", "kind", "cells", "closed", "unseen", "open"
    );
    for (service, census) in found {
        for kind in census.kinds().iter().filter(|kind| kind.cells > 0) {
            let Kind { name, cells, unseen, open } = kind;
            let (service, closed) = (service.name(), kind.closed());
            text.push_str(&format!("{service:<10} {name:<9} {cells:>6} {closed:>7} {unseen:>7} {open:>6}\n"));
        }
    }
    text
}

/// The counts and the open cells as JSON.
pub fn json(found: &BTreeMap<Service, Census>) -> Value {
    let of_service = |(service, census): (&Service, &Census)| {
        let Census { unseen, open, .. } = census;
        let kinds: serde_json::Map<String, Value> = census
            .kinds()
            .iter()
            .map(|kind| (kind.name.to_owned(), json!({ "cells": kind.cells, "closed": kind.closed() })))
            .collect();
        (
            service.name().to_owned(),
            json!({ "kinds": kinds, "closed": census.closed(), "unseen": unseen, "open": open }),
        )
    };
    found.iter().map(of_service).collect::<serde_json::Map<_, _>>().into()
}

//! What a run finds at a target that others use too, as its operator tests it: one world for all checks, one key, and no
//! control API.
//!
//! Each cell is wrong in a world of its own. Only the checks that can notice it run there: the row's own check, and some of
//! those that see the response.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex};

use assay_sim::World;
use assay_sim::serve::{ClockMode, Handle};
use assay_spec::field;
use assay_spec::{Dialect, Place, Service};
use axum::Router;
use serde_json::{Value, json};

use super::cells::{Sighting, field_cells, key, row_trials, sightings, wrong};
use super::trial::{self, Attempt, Bench, each, on_own_thread, side_by_side};
use super::{Embedded, Memory, urls};
use crate::harness::check::Check;
use crate::harness::control::Offer;
use crate::harness::data::{Conditions, Verdict, Worlds};
use crate::harness::environment::Environment;
use crate::harness::pace::Pace;
use crate::harness::probe::{Depth, Settings, wall_clock};
use crate::harness::recording::Recorder;
use crate::harness::run::plan::{Wishes, foresee};
use crate::harness::run::{Ran, Runner};
use crate::harness::setup;
use crate::harness::suite::{Simulated, SimulatedWorld};
use crate::harness::target::{EnvironmentFuture, Leaving, Target};
use crate::http::connect::Connect;
use crate::http::transport::Transport;
use crate::profile::{Loaded, Profile, Secret, Secrets};
use crate::services::{self, SUITES};

/// The most checks that run for one field: a whole run has all of them.
const TRIES: usize = 8;

/// What a run finds of the cells of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// The cells whose row fails.
    pub found: usize,
    /// Cells that the checks meet, and whose row does not fail.
    pub missed: BTreeSet<String>,
    /// Cells of responses that no check sees and of rows whose check cannot run there.
    pub unreached: BTreeSet<String>,
}

/// What a run finds of the cells of one service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Detection {
    /// The requests of the run.
    pub requests: u64,
    /// The checks that give a verdict, of all.
    pub judged: (usize, usize),
    /// Cells of fields.
    pub fields: Share,
    /// Cells of rows.
    pub rows: Share,
}

/// The server of an operator, and what its profile says.
pub(super) struct Operator {
    seed: u64,
    world: World,
    depth: Depth,
    loaded: Loaded,
    secrets: Secrets,
    sites: BTreeMap<String, String>,
}

impl Operator {
    /// With what more the services let an operator declare, if `with_more`.
    pub(super) fn new(seed: u64, depth: Depth, with_more: bool) -> Result<Operator, String> {
        // Signed times are compared with the clock of this machine.
        let mut world = World::new(seed, wall_clock(), Dialect::default());
        for suite in SUITES.iter() {
            let limits = serde_json::from_str(suite.simulator.quick);
            let limits = limits.map_err(|e| format!("limits of {}: {e}", suite.service))?;
            world.set_limits(suite.service, &limits)?;
            (suite.simulator.prepare)(&mut world)?;
        }
        let known: Mutex<BTreeMap<String, String>> = Mutex::default();
        let write_secret = |name: &str, secret: &str| {
            known.lock().expect("no panic").insert(name.to_owned(), secret.to_owned());
            Ok(Secret::Env(name.to_owned()))
        };
        let sites = urls(&world);
        let simulated = Simulated {
            sites: &sites,
            forwarding_header: None,
            draw: &|stream| SimulatedWorld::draw(&world, stream),
            state: &|service| world.view(service),
            limits: &|service| world.limits(service),
            write_secret: &write_secret,
        };
        let mut profile = Profile::default();
        for suite in SUITES.iter() {
            (suite.simulator.profile)(&simulated, &mut profile)?;
        }
        for suite in SUITES.iter() {
            let prepared = match suite.prepared_by {
                Some(action) => world.clone().perform(action, &json!({}))?.0,
                None => Value::Null,
            };
            (suite.simulator.operated)(&mut profile, &prepared, &write_secret)?;
            if with_more {
                (suite.simulator.more)(&mut world, &mut profile, &write_secret)?;
            }
        }
        let loaded = Profile::of_text(profile.to_toml(), "the operator's profile".to_owned(), Path::new("."));
        let loaded = loaded.map_err(|e| e.to_string())?;
        let known = known.into_inner().expect("no panic");
        let mut secrets = Secrets::default();
        for (key, secret) in loaded.profile.secrets() {
            if let Secret::Env(name) = secret {
                secrets.stand_in(&key, known[&name].clone());
            }
        }
        let sites = setup::sites(SUITES, &loaded.profile);
        let operator = Operator { seed, world, depth, loaded, secrets, sites };
        operator.settings()?;
        Ok(operator)
    }

    /// Settings for one run: nothing is known of the server yet.
    fn settings(&self) -> Result<Settings, String> {
        let settings = setup::settings(SUITES, &self.loaded, &self.secrets, Some(self.seed));
        let settings = settings.map_err(|wrong| format!("the operator's profile: {wrong:?}"))?;
        let mut settings = Settings { depth: self.depth, ..settings };
        for suite in SUITES.iter() {
            (suite.fixtures.skewed)(&mut settings, Some(0));
        }
        Ok(settings)
    }

    /// Runs checks at the server with these deviations and variations.
    pub(super) async fn run(
        &self,
        deviations: &[String],
        variations: &[String],
        wishes: Wishes,
        checks: Vec<&'static Check>,
    ) -> Result<Vec<Ran>, String> {
        let mut world = self.world.clone();
        // Other runs have taken time.
        world.advance_to(wall_clock());
        world.set_deviations(deviations)?;
        world.set_variations(variations)?;
        let services: BTreeSet<Service> = checks.iter().map(|check| check.requirement.service).collect();
        for action in services.into_iter().filter_map(|service| SUITES.get(service).prepared_by) {
            // A deviation may make it fail.
            let _ = world.perform(action, &json!({}));
        }
        let target = Shared::new(world, self.sites.clone());
        let settings = self.settings()?;
        let near = self.sites.keys().map(|site| (site.clone(), true));
        let pace =
            SUITES.iter().fold(Pace::default(), |pace, suite| (suite.sites.pace)(&self.loaded.profile, pace));
        let pace = pace.reaching(near);
        on_own_thread(async move || {
            let planned = foresee(&target, &settings, &wishes, &checks).await;
            Runner { target: &target, settings: &settings, pace: &pace, jobs: 1 }.each(&planned).await
        })
        .await
    }

    /// Runs checks at the server as it is.
    pub(super) async fn conforming(
        &self,
        wishes: Wishes,
        checks: Vec<&'static Check>,
    ) -> Result<Vec<Ran>, String> {
        self.run(&[], &[], wishes, checks).await
    }
}

impl Bench for Operator {
    const WORLDS: Worlds = Worlds::Shared;

    fn dialect(&self) -> &Dialect {
        &self.loaded.profile.dialect
    }

    async fn run(
        &self,
        deviations: &[String],
        variations: &[String],
        attempt: Attempt,
    ) -> Result<Vec<Ran>, String> {
        self.run(deviations, variations, Wishes::default(), attempt.checks).await
    }
}

/// A world that all checks share.
struct Shared {
    connector: Arc<Memory>,
    sites: BTreeMap<String, String>,
    offer: Offer,
}

impl Shared {
    fn new(world: World, sites: BTreeMap<String, String>) -> Shared {
        let handle = Handle::new(world, ClockMode::Auto);
        let connector = Memory { handle, control: Router::new(), transport: Transport::default() };
        Shared { connector: Arc::new(connector), sites, offer: Offer::default() }
    }

    fn shown(&self, connector: Arc<dyn Connect>) -> Environment {
        Environment {
            connector,
            sites: self.sites.clone(),
            control: None,
            own: false,
            forwarding: BTreeMap::new(),
            recorder: Recorder::default(),
        }
    }
}

impl Target for Shared {
    fn name(&self) -> String {
        "embedded simulator without control".to_owned()
    }

    fn offer(&self) -> &Offer {
        &self.offer
    }

    fn has_site(&self, name: &str) -> bool {
        self.sites.contains_key(name)
    }

    fn environment(&self, _: Service) -> EnvironmentFuture<'_> {
        Box::pin(async move { Ok(self.shown(self.connector.clone())) })
    }

    fn leave(&self, environment: Environment, _: bool) -> Leaving<'_> {
        drop(environment);
        Box::pin(std::future::ready(None))
    }

    fn dry(&self, connector: Arc<dyn Connect>) -> Option<Environment> {
        Some(self.shown(connector))
    }

    fn conditions(&self) -> Conditions {
        Conditions { sites: self.sites.clone(), ..Conditions::default() }
    }

    fn is_embedded(&self) -> bool {
        false
    }
}

/// What a run at an operator's server finds of the cells of these services; of a sample, every `nth`.
pub async fn detection(
    seed: u64,
    services: &[Service],
    depth: Depth,
    jobs: usize,
    nth: usize,
) -> Result<BTreeMap<Service, Detection>, String> {
    let operator = &Operator::new(seed, depth, false)?;
    let mut found: BTreeMap<Service, Detection> = BTreeMap::new();
    let checks = |service: Service| {
        services::checks().into_iter().filter(move |check| check.requirement.service == service)
    };
    let conforming = services.iter();
    let conforming =
        conforming.map(|service| operator.conforming(Wishes::default(), checks(*service).collect()));
    let conforming = side_by_side(conforming, jobs).await?;
    for (service, ran) in services.iter().zip(&conforming) {
        let detection = found.entry(*service).or_default();
        detection.requests = ran.iter().map(|ran| ran.sent.requests).sum();
        let gives = |ran: &&Ran| matches!(ran.outcome.verdict, Verdict::Pass | Verdict::Warn | Verdict::Fail);
        detection.judged = (ran.iter().filter(gives).count(), ran.len());
    }
    let conforming: Vec<Ran> = conforming.into_iter().flatten().collect();
    let seen = sightings(&conforming, "", &operator.settings()?);
    // Of a matrix check, each place has a verdict of its own.
    let runs = |check: &Check, at: &Place| {
        let own = conforming.iter().find(|ran| ran.outcome.requirement == check.requirement);
        own.is_some_and(|Ran { outcome, .. }| {
            let cell = outcome.cells.iter().find(|cell| cell.at == at.to_string());
            cell.map_or(outcome.verdict, |cell| cell.verdict) == Verdict::Pass
        })
    };
    let first = seed as usize % nth;
    let mut trials = Vec::new();
    for cell in field_cells(services).skip(first).step_by(nth) {
        let checks = seen.get(&key(cell)).map(|all| all.iter().map(|Sighting { check, .. }| *check));
        let mut checks: Vec<&'static Check> = checks.into_iter().flatten().collect();
        // The row's own check is most likely to notice it.
        checks.sort_by_key(|check| check.requirement != cell.row);
        checks.truncate(TRIES);
        // What contradicts other responses is seen by several checks together.
        let attempts = match &checks[..] {
            [] => Vec::new(),
            _ if cell.wrong.is_relative() => vec![Attempt::of_checks(checks)],
            _ => alone(checks),
        };
        trials.push(wrong(cell.to_string(), cell.row, attempts));
    }
    // What a check rejects is seen in a world of its own.
    let settings = Settings { seed, ..services::settings() };
    let own = each(&Embedded::new(seed, Dialect::default()), &services::checks(), &settings, jobs).await;
    for cell in row_trials(services, &own).skip(first).step_by(nth) {
        let row = cell.what.requirement;
        let own = services::check(row).filter(|check| runs(check, &cell.at.value("")));
        trials.push(wrong(cell.to_string(), row, alone(own)));
    }
    let reached: Vec<bool> = trials.iter().map(|trial| !trial.attempts.is_empty()).collect();
    for (row, is_reached) in trial::rows(operator, trials, jobs).await?.into_iter().zip(reached) {
        let Some(service) = row.own.map(|own| own.service) else { continue };
        let detection = found.entry(service).or_default();
        let is_field = row.name.starts_with(field::PREFIX);
        let share = if is_field { &mut detection.fields } else { &mut detection.rows };
        match (is_reached, row.is_found) {
            (_, true) => share.found += 1,
            (true, false) => drop(share.missed.insert(row.name)),
            (false, false) => drop(share.unreached.insert(row.name)),
        }
    }
    Ok(found)
}

/// Each check in an attempt of its own.
fn alone(checks: impl IntoIterator<Item = &'static Check>) -> Vec<Attempt> {
    checks.into_iter().map(|check| Attempt::of_checks(vec![check])).collect()
}

impl Detection {
    /// Each kind of cells with its name.
    const fn kinds(&self) -> [(&'static str, &Share); 2] {
        [("fields", &self.fields), ("rows", &self.rows)]
    }
}

impl Share {
    fn cells(&self) -> usize {
        self.found + self.missed.len() + self.unreached.len()
    }

    /// How many of a hundred cells that the checks meet are found.
    fn percent(&self) -> usize {
        (100 * self.found).checked_div(self.found + self.missed.len()).unwrap_or_default()
    }
}

/// The counts as text for a terminal.
pub fn text(found: &BTreeMap<Service, Detection>) -> String {
    let mut text = format!(
        "{:<10} {:<7} {:>6} {:>7} {:>7} {:>11} {:>8}\n",
        "service", "kind", "cells", "found", "missed", "not reached", "found"
    );
    for (service, detection) in found {
        for (kind, share) in detection.kinds().into_iter().filter(|(_, share)| share.cells() > 0) {
            text.push_str(&format!(
                "{:<10} {kind:<7} {:>6} {:>7} {:>7} {:>11} {:>6} %\n",
                service.name(),
                share.cells(),
                share.found,
                share.missed.len(),
                share.unreached.len(),
                share.percent(),
            ));
        }
    }
    for (service, Detection { requests, judged: (judged, all), .. }) in found {
        text.push_str(&format!("{service}: {judged} of {all} checks give a verdict, {requests} requests\n"));
    }
    text
}

/// What the page says before its tables.
const INTRODUCTION: &str = "\
# What a run finds at a shared target

This page is for people who have a URL and a key, and ask what a green run there shows. A shared target has no control API: all checks share one world,
and nothing moves its time. `assay prove --cells --shared --page docs/shared-targets.md` measures what a run finds, and writes this page.

For each cell the built-in simulator is wrong in this cell alone: one rule, at one place, for one kind of wrong value, or one field of one response. It
serves what an operator has: one key, eight domains, one node, the owner of a history of records. The checks that can notice it run with the values of
`--depth standard`.

- *Found*: the row of the cell fails.
- *Missed*: a check meets the cell, and its row does not fail.
- *Not reached*: no check sees the response, or the row's check cannot run at the place. Most of these cells need a control API, which moves time, makes
  faults and forks worlds. Some need only a fixture: the page of the service names it.
";

/// What the page says after its tables.
const END: &str = "
## Where to go on

- What a profile lets run: [the pages of the services](testing-a-server.md).
- Time, faults and forks at your own server: [simulator.md](simulator.md).
- What each result claims: [verdicts.md](verdicts.md).
";

/// The counts, and the rows and responses whose cells are not all found, as a page.
pub fn page(found: &BTreeMap<Service, Detection>) -> String {
    let mut page = INTRODUCTION.to_owned();
    page.push_str("\n| service | kind | cells | found | missed | not reached | found of those met |\n");
    page.push_str("|---|---|---|---|---|---|---|\n");
    for (service, detection) in found {
        for (kind, share) in detection.kinds().into_iter().filter(|(_, share)| share.cells() > 0) {
            let (missed, unreached) = (share.missed.len(), share.unreached.len());
            let (cells, found, percent) = (share.cells(), share.found, share.percent());
            page.push_str(&format!(
                "| {service} | {kind} | {cells} | {found} | {missed} | {unreached} | {percent} % |\n"
            ));
        }
    }
    page.push_str("\n| service | checks with a verdict | checks | requests |\n|---|---|---|---|\n");
    for (service, Detection { requests, judged: (judged, all), .. }) in found {
        page.push_str(&format!("| {service} | {judged} | {all} | {requests} |\n"));
    }
    for (title, is_missed) in [("Missed", true), ("Not reached", false)] {
        page.push_str(&format!("\n## {title}\n\n| row or response | cells |\n|---|---|\n"));
        for (_, share) in found.values().flat_map(Detection::kinds) {
            let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
            for name in if is_missed { &share.missed } else { &share.unreached } {
                *counts.entry(group(name)).or_default() += 1;
            }
            for (name, count) in counts {
                page.push_str(&format!("| `{name}` | {count} |\n"));
            }
        }
    }
    page + END
}

/// The deviation or the response of a cell.
fn group(name: &str) -> &str {
    let Some(response) = name.strip_prefix(field::PREFIX) else {
        return name.split('@').next().unwrap_or(name);
    };
    // The part of the response follows its status.
    let is_status = |part: &str| part.len() == 3 && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut end = 0;
    for part in response.split('/') {
        end += part.len();
        if is_status(part) {
            return &response[..end];
        }
        end += 1;
    }
    response
}

/// The counts and the cells that are not found, as JSON.
pub fn json(found: &BTreeMap<Service, Detection>) -> Value {
    let share =
        |share: &Share| json!({ "found": share.found, "missed": share.missed, "unreached": share.unreached });
    let of_service = |(service, detection): (&Service, &Detection)| {
        let Detection { requests, judged: (judged, checks), fields, rows } = detection;
        let shown = json!({
            "requests": requests, "judged": judged, "checks": checks, "fields": share(fields), "rows": share(rows),
        });
        (service.name().to_owned(), shown)
    };
    found.iter().map(of_service).collect::<serde_json::Map<_, _>>().into()
}

//! What exploration finds by itself: each deviation is searched with a fixed number of requests, and each variation must cause no
//! finding.

use std::collections::BTreeSet;

use assay_sim::world;
use assay_spec::{Dialect, Id, Service};
use serde_json::{Value, json};

use super::{Explored, Plan, Wishes, explore};
use crate::embedded::Embedded;
use crate::embedded::trial::{on_own_thread, side_by_side};
use crate::harness::check::Check;
use crate::harness::pace::Pace;
use crate::harness::probe::Settings;
use crate::harness::run::Never;
use crate::services::SUITES;
use crate::support::prose::{self, count};

/// The search for one deviation, or the exploration under one variation.
#[derive(Debug)]
pub struct Search {
    /// Its name.
    pub name: String,
    /// Its service.
    pub service: Service,
    /// What the server does differently.
    pub about: &'static str,
    /// It is a variation, which must cause no finding.
    pub is_allowed: bool,
    /// The requests before the first finding, and its row. `None`: there was none.
    pub found: Option<(u64, String)>,
}

/// Searches every `every`th deviation of the rows of these checks, and explores under every `every`th variation of their
/// services, with so many requests each.
pub async fn prove(
    settings: &Settings,
    checks: &[&'static Check],
    requests: u64,
    every: usize,
    jobs: usize,
) -> Result<Vec<Search>, String> {
    let is_wanted = |row: Id| checks.iter().any(|check| check.requirement == row);
    let deviations = world::deviations().into_iter().filter(|one| is_wanted(one.requirement));
    let deviations = deviations.map(|one| (one.to_string(), one.requirement.service, one.about, false));
    let variations = world::variations().into_iter().filter_map(|one| {
        let service = Service::named(one.name.split('.').next()?)?;
        Some((one.name.to_owned(), service, one.about, true))
    });
    let explores = |service: Service| !SUITES.get(service).commands.is_empty();
    let services: BTreeSet<Service> = checks.iter().map(|check| check.requirement.service).collect();
    let wanted = |service: Service| explores(service) && services.contains(&service);
    let all = deviations.chain(variations).filter(|(_, service, ..)| wanted(*service)).step_by(every);
    let searches = all.map(|(name, service, about, is_allowed)| async move {
        let settings = settings.clone();
        let changed = [name.clone()];
        let found = on_own_thread(async move || {
            let (deviations, variations) =
                if is_allowed { (&[][..], &changed[..]) } else { (&changed[..], &[][..]) };
            let target = Embedded::new(settings.seed, Dialect::default()).with(deviations, variations)?;
            let (settings, pace, services) = (&settings, &Pace::default(), &[service]);
            let wishes = Wishes { requests, focus: Vec::new(), cases: Vec::new(), halt: Box::new(Never) };
            let plan = Plan { first: true, ..wishes.plan(&target, settings, pace, services) };
            explore(&plan).await
        })
        .await??;
        let Explored { findings, .. } = found;
        let found = findings.first().map(|one| (one.after, one.outcome.requirement.to_string()));
        Ok::<_, String>(Search { name, service, about, is_allowed, found })
    });
    side_by_side(searches, jobs).await
}

/// The deviations that were not found, the variations that caused a finding, and the counts.
pub fn text(searches: &[Search], verbose: bool) -> String {
    let mut text = String::new();
    for Search { name, about, is_allowed, found, .. } in searches {
        let word = match (is_allowed, found) {
            (false, None) => "not found",
            (true, Some(_)) => "FALSE",
            _ => "ok",
        };
        if word == "ok" && !verbose {
            continue;
        }
        let by = found
            .as_ref()
            .map(|(after, row)| format!(" ({row} after {})", count(*after as usize, "request")));
        text.push_str(&prose::wrap(
            &format!("{word:<10}{name}: "),
            &format!("{about}{}", by.unwrap_or_default()),
        ));
    }
    for suite in SUITES.iter() {
        let own = || searches.iter().filter(|one| one.service == suite.service);
        let of = |is_allowed: bool, is_found: bool| {
            own().filter(|one| one.is_allowed == is_allowed && one.found.is_some() == is_found).count()
        };
        if own().next().is_none() {
            continue;
        }
        let (found, missed, wrong, quiet) =
            (of(false, true), of(false, false), of(true, true), of(true, false));
        text.push_str(&format!(
            "{:<9} {found} of {} deviations found; {wrong} of {} variations caused a finding\n",
            suite.service.name(),
            found + missed,
            wrong + quiet,
        ));
    }
    text
}

/// Whether no variation caused a finding.
pub fn holds(searches: &[Search]) -> bool {
    !searches.iter().any(|one| one.is_allowed && one.found.is_some())
}

/// The searches as JSON.
pub fn json(searches: &[Search]) -> Value {
    let one = |one: &Search| {
        json!({
            "name": one.name,
            "service": one.service.name(),
            "allowed": one.is_allowed,
            "found_after": one.found.as_ref().map(|(after, _)| after),
            "row": one.found.as_ref().map(|(_, row)| row),
        })
    };
    searches.iter().map(one).collect::<Vec<_>>().into()
}

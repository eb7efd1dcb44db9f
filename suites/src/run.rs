//! Running checks: each at a place of its own, judged, and gathered in the order of the requirements.

use std::collections::{BTreeMap, BTreeSet};

use assay_spec::machine::Machine;
use assay_spec::requirement::Level;
use assay_spec::{Id, Service};
use futures_util::StreamExt;
use serde_json::Value;

use crate::check::{Check, Checked, Stop};
use crate::endpoints::{self, Coverage};
use crate::pace::Pace;
use crate::plan::Planned;
use crate::probe::{Probe, Settings};
use crate::repeat;
use crate::target::{Place, Target};
use crate::verdict::{Outcome, Run, Verdict};

/// What one check left: its outcome, and what its world knows of it.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The outcome.
    pub outcome: Outcome,
    /// The requirements that the target's simulator consulted, by id.
    pub consulted: BTreeSet<String>,
    /// The transitions that its machines made.
    pub transitions: BTreeSet<String>,
    /// The exchanges about which the check stated an expectation, and whether that was about its body.
    pub judged: BTreeMap<usize, bool>,
}

/// How checks are run.
pub struct Runner<'run> {
    /// The target.
    pub target: &'run dyn Target,
    /// What every check sees.
    pub settings: &'run Settings,
    /// The pace towards places that are not a check's own.
    pub pace: &'run Pace,
    /// How many checks run beside each other.
    pub jobs: usize,
    /// Stop after the first bad verdict.
    pub fail_fast: bool,
}

impl Runner<'_> {
    /// Runs what is planned; `seen` hears of each outcome as it comes.
    pub async fn run(&self, planned: &[Planned], mut seen: impl FnMut(&Outcome)) -> Run {
        let mut all: Vec<Ran> = Vec::new();
        let mut running =
            futures_util::stream::iter(planned).map(|planned| self.one(planned)).buffer_unordered(self.jobs);
        while let Some(ran) = running.next().await {
            seen(&ran.outcome);
            let bad = ran.outcome.verdict.is_bad();
            all.push(ran);
            if bad && self.fail_fast {
                break;
            }
        }
        drop(running);
        let transitions = transitions(&all);
        let endpoints = self.endpoints(&all);
        let outcomes = settle(all).into_iter().map(|ran| ran.outcome).collect();
        Run { target: self.target.name(), seed: self.settings.seed, outcomes, transitions, endpoints }
    }

    /// What the exchanges tell of every documented endpoint of the services that ran.
    fn endpoints(&self, all: &[Ran]) -> Vec<Coverage> {
        // Any path is one of token metadata, so that no other service's exchanges count there.
        let tells = |service: Service, ran: &&Ran| {
            (service == Service::Metadata) == (ran.outcome.requirement.service == Service::Metadata)
        };
        let of = |service: Service| {
            let told = all.iter().filter(|ran| tells(service, ran)).flat_map(|ran| {
                let exchanges = ran.outcome.exchanges.iter().enumerate();
                exchanges.map(|(n, exchange)| (exchange, ran.judged.get(&n).copied()))
            });
            endpoints::gather(&[service], self.settings, told)
        };
        services(all).into_iter().flat_map(of).collect()
    }

    /// Runs each check and keeps what its world knows; for proofs.
    pub async fn each(&self, planned: &[Planned]) -> Vec<Ran> {
        let running =
            futures_util::stream::iter(planned).map(|planned| self.one(planned)).buffer_unordered(self.jobs);
        settle(running.collect().await)
    }

    async fn one(&self, planned: &Planned) -> Ran {
        let check = planned.check;
        if let Some(need) = planned.missing {
            return blank(check, Verdict::NotTestable, format!("needs {}", need.missing()));
        }
        let place = match self.target.place(check.requirement.service).await {
            Ok(place) => place,
            Err(why) => return blank(check, Verdict::Error, why),
        };
        let probe = Probe::new(check, self.settings, place, self.pace);
        let checked = (check.run)(&probe).await;
        let traces = probe.finish();
        let (verdict, reason, failure) = judge(check, checked, traces.expected, traces.twins);
        let (consulted, transitions) = coverage(&traces.place).await;
        let good = verdict == Verdict::Pass;
        let why = if good { Vec::new() } else { refusals(&traces.place).await };
        self.target.leave(traces.place, !good).await;
        let mut outcome = Outcome {
            requirement: check.requirement,
            fact: check.fact,
            verdict,
            reason,
            notes: traces.notes,
            failure,
            exchanges: traces.exchanges,
            why,
            repeat: Vec::new(),
        };
        traces.hidden.redact(&mut outcome);
        if !good {
            outcome.repeat = self.repeat(check, &outcome.exchanges, outcome.failure.as_ref());
        }
        Ran { outcome, consulted, transitions, judged: traces.judged }
    }

    /// How to see it again: the check in process, the exchange itself over sockets.
    fn repeat(
        &self,
        check: &Check,
        exchanges: &[crate::exchange::Exchange],
        failure: Option<&crate::verdict::Failure>,
    ) -> Vec<String> {
        if self.target.is_embedded() {
            return vec![format!("assay run --seed {} {}", self.settings.seed, check.requirement)];
        }
        let at = failure.and_then(|failure| failure.exchange).or_else(|| exchanges.len().checked_sub(1));
        let Some(exchange) = at.and_then(|at| exchanges.get(at)) else { return Vec::new() };
        let mut lines = vec![repeat::curl(exchange, self.target.ca_file())];
        if !repeat::is_whole(exchange) {
            let (seed, id) = (self.settings.seed, check.requirement);
            lines.push(format!("assay run --profile \u{2026} --seed {seed} {id}  # sends the same BODY"));
        }
        lines
    }
}

fn blank(check: &Check, verdict: Verdict, reason: String) -> Ran {
    let outcome = Outcome {
        requirement: check.requirement,
        fact: check.fact,
        verdict,
        reason,
        notes: Vec::new(),
        failure: None,
        exchanges: Vec::new(),
        why: Vec::new(),
        repeat: Vec::new(),
    };
    Ran { outcome, consulted: BTreeSet::new(), transitions: BTreeSet::new(), judged: BTreeMap::new() }
}

/// The verdict on how a check ended. A pass needs an expectation, and a refusal its twin.
fn judge(
    check: &Check,
    checked: Checked,
    expected: usize,
    twins: usize,
) -> (Verdict, String, Option<crate::verdict::Failure>) {
    match checked {
        Ok(()) if expected == 0 => {
            (Verdict::Inconclusive, "the check stated no expectation".to_owned(), None)
        }
        Ok(()) if check.negative && twins == 0 => {
            (Verdict::Inconclusive, "the refusal was seen without its positive twin".to_owned(), None)
        }
        Ok(()) => (Verdict::Pass, String::new(), None),
        Err(Stop::Fail(failure)) => {
            let verdict =
                if check.requirement.level == Level::Should { Verdict::Warn } else { Verdict::Fail };
            let reason =
                format!("{}: wanted {}, got {}", failure.place, short(&failure.want), short(&failure.got));
            (verdict, reason, Some(failure))
        }
        Err(Stop::Inconclusive(reason)) => (Verdict::Inconclusive, reason, None),
        Err(Stop::NotApplicable(reason)) => (Verdict::NotApplicable, reason, None),
        Err(Stop::NotTestable(reason)) => (Verdict::NotTestable, reason, None),
        Err(Stop::Error(reason)) => (Verdict::Error, reason, None),
    }
}

/// The first line of a text, of bounded length.
fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let cut: String = line.chars().take(120).collect();
    if cut.len() < text.len() { format!("{cut} …") } else { cut }
}

/// A failed prerequisite makes its dependents say nothing; then the order of the requirements.
fn settle(mut all: Vec<Ran>) -> Vec<Ran> {
    let failed: BTreeMap<u32, Id> = all
        .iter()
        .filter(|ran| ran.outcome.verdict == Verdict::Fail)
        .map(|ran| (ran.outcome.requirement.key, ran.outcome.requirement))
        .collect();
    let prerequisites: BTreeMap<u32, &'static [Id]> =
        crate::check::all().into_iter().map(|check| (check.requirement.key, check.after)).collect();
    for Ran { outcome, .. } in &mut all {
        let after = prerequisites.get(&outcome.requirement.key).copied().unwrap_or_default();
        let broken = after.iter().find_map(|rule| failed.get(&rule.key));
        if let (Verdict::Fail | Verdict::Warn, Some(rule)) = (outcome.verdict, broken) {
            outcome.verdict = Verdict::Inconclusive;
            outcome.reason = format!("rests on {rule}, which failed; then {}", outcome.reason);
        }
    }
    all.sort_by_key(|ran| ran.outcome.requirement.key);
    all
}

/// What the target's simulator consulted, and which transitions it made.
async fn coverage(place: &Place) -> (BTreeSet<String>, BTreeSet<String>) {
    let Some(control) = &place.control else { return Default::default() };
    // A control API that offers no coverage leaves it unknown.
    let known = control.call("GET", "coverage", None).await.unwrap_or_default();
    let texts = |member: &str| -> BTreeSet<String> {
        known[member]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|one| one.as_str().map(str::to_owned))
            .collect()
    };
    (texts("consulted"), texts("transitions"))
}

/// The target's own account of its refusals.
async fn refusals(place: &Place) -> Vec<String> {
    let Some(control) = &place.control else { return Vec::new() };
    let log = control.call("GET", "log", None).await.unwrap_or_default();
    let line = |one: &Value| {
        let text = |member: &str| one[member].as_str().unwrap_or_default().to_owned();
        format!("exchange {}: {}: {}", one["exchange"], text("requirement"), text("why"))
    };
    log.as_array().into_iter().flatten().map(line).collect()
}

/// Every declared transition of the services that ran, and whether some check's world made it.
fn transitions(all: &[Ran]) -> Vec<(&'static assay_spec::machine::Transition, bool)> {
    let made: BTreeSet<&String> = all.iter().flat_map(|ran| &ran.transitions).collect();
    if made.is_empty() {
        return Vec::new();
    }
    let rows = services(all).into_iter().flat_map(machines).flat_map(|machine| machine.transitions);
    rows.map(|row| (row, made.contains(&row.to_string()))).collect()
}

/// The services that ran, in their order.
fn services(all: &[Ran]) -> Vec<Service> {
    let services: BTreeSet<Service> = all.iter().map(|ran| ran.outcome.requirement.service).collect();
    services.into_iter().collect()
}

macro_rules! declare {
    ($(($module:ident $variant:ident $document:literal))*) => {
        fn machines(service: Service) -> &'static [&'static Machine] {
            match service { $(Service::$variant => assay_spec::$module::MACHINES),* }
        }
    };
}

assay_spec::for_each_service!(declare);

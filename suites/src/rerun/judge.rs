//! Recomputes the verdicts of a report without its target: every check runs again over the recorded responses.

use std::net::IpAddr;
use std::sync::Arc;

use assay_spec::{Dialect, Id};

use crate::harness::check::Check;
use crate::harness::control::Control;
use crate::harness::data::Checked;
use crate::harness::data::Why;
use crate::harness::data::{OtherReading, Outcome, Run, Verdict};
use crate::harness::environment::Environment;
use crate::harness::judge::verdict::{Decided, decide};
use crate::harness::judge::{owners, settle};
use crate::harness::pace::Pace;
use crate::harness::probe::{Probe, Settings, Traces};
use crate::harness::recording::{Recorder, Recording};
use crate::harness::run::carry::carry_out;
use crate::harness::run::panics::caught;
use crate::harness::setup;
use crate::harness::survey;
use crate::http::connect::{Connect, Connecting};
use crate::http::exchange::{Broken, Exchange};
use crate::profile::{Loaded, Profile, Secrets, is_in_header};
use crate::report::words;
use crate::services;
use crate::services::SUITES;
use crate::support::prose::one_line;

/// The result of judging a report again.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// The number of equal verdicts.
    pub same: usize,
    /// The number of checks that did not run, so there is nothing to judge.
    pub left_out: usize,
    /// Verdicts that differ.
    pub differs: Vec<Difference>,
    /// Checks that cannot be judged, and why.
    pub unjudged: Vec<(Id, String)>,
}

/// A verdict that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The check.
    pub requirement: Id,
    /// The verdict in the report.
    pub reported: Verdict,
    /// The verdict from its exchanges.
    pub judged: Verdict,
    /// The reason of the new verdict.
    pub reason: String,
}

impl Judged {
    /// Whether every verdict was recomputed and is the same.
    pub fn holds(&self) -> bool {
        self.differs.is_empty() && self.unjudged.is_empty() && self.same > 0
    }

    /// The result as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for Difference { requirement, reported, judged, reason } in &self.differs {
            let (reported, judged) = (reported.name(), judged.name());
            let reason = one_line(reason.as_bytes());
            text.push_str(&format!("differs      {requirement}  {reported} -> {judged}  {reason}\n"));
        }
        for (requirement, why) in &self.unjudged {
            text.push_str(&format!("not judged   {requirement}  {}\n", one_line(why.as_bytes())));
        }
        let (same, differs) = (self.same, self.differs.len());
        let (unjudged, left_out) = (self.unjudged.len(), self.left_out);
        text + &format!(
            "{same} verdicts equal, {differs} different, {unjudged} not judged, {left_out} skipped\n"
        )
    }
}

/// Judges a report again. Secrets are read as `profile` names them; without it, those that the report's profile keeps in
/// environment variables. No file that a report names is opened. An error is about the report's profile.
pub async fn judge(report: &Run, profile: Option<&Loaded>) -> Result<Judged, String> {
    let (mut settings, missing) = settings(report, profile)?;
    let mut shared = Vec::new();
    for outcome in &report.outcomes {
        shared.extend(outcome.exchanges.iter().cloned());
    }
    let shared = Arc::new(if is_own(report) { Vec::new() } else { shared });
    let mut judged = Judged::default();
    let mut again = Vec::new();
    for outcome in &report.outcomes {
        // Without exchanges there is nothing to judge, and the report does not record how long a check was held back, or
        // what other checks saw.
        if outcome.is_without_check() {
            // The responses to the other checks decide.
            let (requirement, fact) = (outcome.requirement, outcome.fact);
            again.push(Outcome::new(requirement, fact, Verdict::NotTestable, String::new()));
            continue;
        }
        let is_held =
            outcome.verdict == Verdict::Inconclusive && matches!(outcome.reason.why, Why::Held | Why::Silent);
        if is_held || (outcome.exchanges.is_empty() && outcome.verdict == Verdict::NotTestable) {
            judged.left_out += 1;
        } else if outcome.is_cut {
            judged.unjudged.push((outcome.requirement, words::BODIES_DROPPED.to_owned()));
        } else if outcome.verdict == Verdict::Unstable {
            judged.unjudged.push((
                outcome.requirement,
                "the check ran several times, and the report contains only one of them".to_owned(),
            ));
        } else if let Some(key) = missing.iter().find(|key| needs(outcome, key) && !is_own(report)) {
            judged.unjudged.push((outcome.requirement, format!("needs the secret {key}")));
        } else {
            settings.seed = outcome.seed.unwrap_or(report.seed);
            match once_more(report, outcome, &settings, shared.clone()).await {
                Ok(outcome) => again.push(outcome),
                Err(why) => judged.unjudged.push((outcome.requirement, why)),
            }
        }
    }
    // Checks without exchanges are not judged again, but they were part of the run.
    settle(
        &mut again,
        &owners::whole(&report.outcomes, SUITES),
        &settings.dialect,
        SUITES,
        report.conditions.worlds(),
    );
    for now in again {
        let then = report.outcomes.iter().find(|outcome| outcome.requirement == now.requirement);
        let Some(then) = then else { continue };
        if is_same(then.verdict, now.verdict) {
            judged.same += 1;
        } else {
            judged.differs.push(Difference {
                requirement: now.requirement,
                reported: then.verdict,
                judged: now.verdict,
                reason: words::reason(&now),
            });
        }
    }
    Ok(judged)
}

/// Adds to each failure the readings under which the same responses pass: where a profile can declare how the sentence of its
/// row is read, the check is judged again with the default of that reading and with its example.
pub async fn note_other_readings(run: &mut Run, profile: Option<&Loaded>) {
    let Ok(written) = run.conditions.profile.parse::<toml::Table>() else { return };
    let has_failed = |outcome: &Outcome| {
        let is_red = matches!(outcome.verdict, Verdict::Fail | Verdict::Warn);
        is_red && outcome.seen_by.is_none() && outcome.readings.is_empty()
    };
    let mut found = Vec::new();
    for (n, outcome) in run.outcomes.iter().enumerate().filter(|(_, outcome)| has_failed(outcome)) {
        let row = outcome.requirement;
        for reading in SUITES.readings(&[row.service]) {
            if !reading.rows.contains(&row) {
                continue;
            }
            for value in [reading.default, Some(reading.example)].into_iter().flatten() {
                let other = OtherReading { key: reading.key.to_owned(), value: value.to_owned() };
                let Some(text) = with_reading(&written, &other) else { continue };
                if passes_with(run, outcome, text, profile).await {
                    found.push((n, other));
                }
            }
        }
    }
    for (n, other) in found {
        run.outcomes[n].readings.push(other);
    }
}

/// A profile with another reading; `None` if it declares that one, or if the reading cannot be written.
fn with_reading(written: &toml::Table, other: &OtherReading) -> Option<String> {
    let value: toml::Table = format!("value = {}", other.value).parse().ok()?;
    let mut whole = written.clone();
    let (tables, name) = other.key.rsplit_once('.')?;
    let mut table = &mut whole;
    for part in tables.split('.') {
        let inner = table.entry(part).or_insert_with(|| toml::Table::new().into());
        table = inner.as_table_mut()?;
    }
    let is_new = table.insert(name.to_owned(), value["value"].clone()).as_ref() != value.get("value");
    is_new.then(|| whole.to_string())
}

/// Whether the recorded responses of a check pass under this profile. A check that failed has ended there, so it passes too if
/// it wants to go on behind the last of them.
async fn passes_with(run: &Run, outcome: &Outcome, profile: String, secrets: Option<&Loaded>) -> bool {
    let Ok((mut settings, missing)) = settings_of(run, profile, secrets) else { return false };
    if missing.iter().any(|key| needs(outcome, key) && !is_own(run)) {
        return false;
    }
    settings.seed = outcome.seed.unwrap_or(run.seed);
    let Ok((check, checked, traces)) = played(run, outcome, &settings, Arc::default()).await else {
        return false;
    };
    if traces.missed.is_some() {
        return traces.exchanges.len() > outcome.own_exchanges();
    }
    decide(check, checked, &traces).verdict == Verdict::Pass
}

/// The settings of the report's checks, and the secrets that are missing now.
fn settings(report: &Run, profile: Option<&Loaded>) -> Result<(Settings, Vec<String>), String> {
    settings_of(report, report.conditions.profile.clone(), profile)
}

/// As [`settings`], with this text in place of the report's profile.
fn settings_of(
    report: &Run,
    text: String,
    profile: Option<&Loaded>,
) -> Result<(Settings, Vec<String>), String> {
    if text.is_empty() && report.conditions.is_embedded {
        let (seed, depth) = (report.seed, report.conditions.depth);
        return Ok((Settings { seed, depth, ..services::settings() }, Vec::new()));
    }
    if text.is_empty() {
        // The readings and fixtures of the profile decide verdicts.
        return Err("the report has no profile of its target, so its checks cannot run again".to_owned());
    }
    let folder = std::path::Path::new(".");
    let loaded =
        Profile::of_text(text, "the report's profile".to_owned(), folder).map_err(|e| e.to_string())?;
    let mut secrets = match profile {
        Some(profile) => Secrets::read(profile).0,
        None => Secrets::of_environment(&loaded),
    };
    let keys = loaded.profile.secrets().into_iter().map(|(key, _)| key);
    // Recorded responses are found without a secret that is sent in a header, so a missing one is replaced.
    let (in_headers, missing): (Vec<String>, Vec<String>) =
        keys.filter(|key| secrets.get(key).is_none()).partition(|key| is_in_header(key));
    for key in &in_headers {
        secrets.stand_in(key, format!("{key}-unknown"));
    }
    let settings = setup::settings(SUITES, &loaded, &secrets, Some(report.seed));
    let mut settings =
        settings.map_err(|wrong| wrong.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n\n"))?;
    survey::leave_out(report.conditions.wrong.clone(), &mut settings);
    settings.depth = report.conditions.depth;
    Ok((settings, missing))
}

/// The words of a report's target.
pub(crate) fn dialect(report: &Run) -> Dialect {
    settings(report, None).map(|(settings, _)| settings.dialect).unwrap_or_default()
}

/// Whether the checks of a report ran in worlds of their own.
fn is_own(report: &Run) -> bool {
    report.conditions.is_embedded || report.conditions.offer.as_ref().is_some_and(|offer| offer.forks)
}

fn needs(outcome: &Outcome, key: &str) -> bool {
    let secrets = SUITES.get(outcome.requirement.service).judged_with;
    secrets.iter().any(|one| *one == key || one.ends_with('.') && key.starts_with(one))
}

async fn once_more(
    report: &Run,
    outcome: &Outcome,
    settings: &Settings,
    shared: Arc<Vec<Exchange>>,
) -> Result<Outcome, String> {
    let (check, checked, traces) = played(report, outcome, settings, shared).await?;
    if let Some(what) = traces.missed {
        return Err(format!("the report has no response to {what}"));
    }
    let Decided { verdict, reason, failure } = decide(check, checked, &traces);
    // Rules that hold for every response are judged once all checks are.
    let exchanges = outcome.exchanges[..outcome.own_exchanges()].to_vec();
    Ok(Outcome { failure, exchanges, ..Outcome::new(check.requirement, check.fact, verdict, reason) })
}

/// Runs the check of an outcome again over its recorded responses.
async fn played(
    report: &Run,
    outcome: &Outcome,
    settings: &Settings,
    shared: Arc<Vec<Exchange>>,
) -> Result<(&'static Check, Checked, Traces), String> {
    let check = services::check(outcome.requirement).ok_or("this version has no such check")?;
    let recording = Recording { exchanges: outcome.exchanges.clone(), calls: outcome.calls.clone() };
    let conditions = &report.conditions;
    let connector: Arc<dyn Connect> = Arc::new(Nowhere);
    let sites = if outcome.sites.is_empty() { &conditions.sites } else { &outcome.sites };
    let environment = Environment {
        connector: connector.clone(),
        sites: sites.clone(),
        control: conditions.offer.is_some().then(|| Control::new(connector, "http://control.invalid", None)),
        own: is_own(report),
        forwarding: conditions.forwarding.clone(),
        recorder: Recorder::playing(recording, shared),
    };
    let pace = Pace::default();
    let probe = Probe::new(check, settings, environment, &pace);
    let checked = caught(carry_out(&probe)).await;
    Ok((check, checked, probe.finish()))
}

/// A baseline changes only the name of a verdict.
fn is_same(reported: Verdict, judged: Verdict) -> bool {
    match reported {
        Verdict::KnownFailure => judged.is_bad() || judged == Verdict::Warn,
        Verdict::UnexpectedPass => judged == Verdict::Pass,
        other => other == judged,
    }
}

/// Rejects every connection: all responses come from the recording.
pub(crate) struct Nowhere;

impl Connect for Nowhere {
    fn connect<'a>(&'a self, base: &'a str, _: Option<IpAddr>) -> Connecting<'a> {
        Box::pin(
            async move { Err(Broken::Harness(format!("{base}: nothing is sent while a report is judged"))) },
        )
    }
}

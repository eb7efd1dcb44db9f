//! The history of a target, from many reports: the verdicts of each check over time, how much of each service was tested,
//! and how long the checks took.
//!
//! Of each report only the small part that is shown is kept, so that hundreds of large reports can be read.

pub mod html;
pub mod terminal;

use std::collections::BTreeMap;

use assay_spec::Service;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::json;
use crate::harness::data::Verdict;

/// The version of the history as JSON.
const VERSION: u32 = 1;
/// The first version of a report that names its checks as they are named now.
const FIRST: u32 = 3;

/// The history, oldest run first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct History {
    /// The version of the format. A new member does not change it.
    #[schemars(extend("const" = VERSION))]
    version: u32,
    /// The runs are ordered by when they began; otherwise as they were given, because one does not say when it began.
    is_by_time: bool,
    /// The runs.
    runs: Vec<PastRun>,
    /// Every check of any run, by id.
    checks: Vec<Track>,
}

/// One report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct PastRun {
    /// The name of the report's file.
    file: String,
    target: String,
    /// When it began, in UTC; null for the embedded simulator.
    began: Option<String>,
    /// The version of the program that made it.
    assay: String,
    /// The result of the run; of a report that has none, `partial`.
    result: String,
    /// The run was stopped, or a part of it is missing.
    is_partial: bool,
    /// The number of checks with each verdict.
    #[schemars(schema_with = "json::schema::some_counts")]
    counts: BTreeMap<String, usize>,
    /// How much of each service was tested.
    services: Vec<Share>,
    /// The known durations of its checks together.
    elapsed_ms: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
struct Share {
    service: String,
    tested: usize,
    applicable: usize,
}

impl Share {
    /// The coverage in percent, rounded down.
    fn percent(&self) -> usize {
        self.tested.saturating_mul(100).checked_div(self.applicable).unwrap_or_default()
    }
}

/// One check over time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct Track {
    /// The requirement that it tests.
    id: String,
    fact: String,
    state: State,
    /// How often it began to pass, or to not pass.
    changes: usize,
    /// The verdict in each run; null where the run does not have the check.
    #[schemars(schema_with = "json::schema::verdicts")]
    #[serde(serialize_with = "names")]
    verdicts: Vec<Option<Verdict>>,
    /// The duration in each run; null where it is not known.
    elapsed_ms: Vec<Option<u64>>,
}

/// How a check behaves over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum State {
    /// It passed, did not pass and passed again, or the other way round; or it was unstable in a run.
    Flaky,
    /// It passed, and does not pass any longer.
    Broken,
    /// It never passed.
    Failing,
    /// It did not pass, and passes now.
    Fixed,
    /// It passed in each run in which it gave a result.
    Passing,
    /// It never gave a result.
    Untested,
}

impl State {
    const ALL: [State; 6] =
        [State::Flaky, State::Broken, State::Failing, State::Fixed, State::Passing, State::Untested];

    const fn name(self) -> &'static str {
        match self {
            State::Flaky => "flaky",
            State::Broken => "broken",
            State::Failing => "failing",
            State::Fixed => "fixed",
            State::Passing => "passing",
            State::Untested => "untested",
        }
    }

    /// What it means, after the name.
    const fn about(self) -> &'static str {
        match self {
            State::Flaky => "changed back and forth, or unstable in a run",
            State::Broken => "passed before",
            State::Failing => "never passed",
            State::Fixed => "did not pass before",
            State::Passing => "passed in each run",
            State::Untested => "gave no result in any run",
        }
    }
}

fn names<S: serde::Serializer>(verdicts: &[Option<Verdict>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(verdicts.iter().map(|verdict| verdict.map(Verdict::name)))
}

/// The JSON Schema of a history (draft 2020-12).
pub fn schema() -> Value {
    json::schema_of::<History>()
}

/// What is kept of one report.
#[derive(Clone, Debug)]
pub struct Summary {
    run: PastRun,
    /// By id and fact.
    outcomes: BTreeMap<(String, String), (Verdict, Option<u64>)>,
}

/// The members of a report that are read; those of a later line of a partial report are optional.
#[derive(Deserialize)]
struct Report {
    version: u32,
    #[serde(default)]
    assay: String,
    #[serde(default)]
    target: String,
    began: Option<String>,
    result: Option<String>,
    #[serde(default)]
    is_partial: bool,
    #[serde(default)]
    services: Vec<Share>,
    outcomes: Vec<Ended>,
}

#[derive(Deserialize)]
struct Ended {
    id: String,
    fact: String,
    verdict: String,
    elapsed_ms: Option<u64>,
}

impl Summary {
    /// Reads a report, whole or partial, of the current version or of an earlier one. An error names the place.
    pub fn read(file: &str, text: &str) -> Result<Summary, String> {
        let mut reports = serde_json::Deserializer::from_str(text).into_iter::<Report>();
        let wrong = |e: serde_json::Error| format!("not a report of assay run --json: {e}");
        let first = reports.next().ok_or("not a report of assay run --json: the file is empty")?;
        let first = first.map_err(wrong)?;
        if !(FIRST..=json::VERSION).contains(&first.version) {
            let (version, last) = (first.version, json::VERSION);
            return Err(format!(
                "the report has version {version}; this program reads versions {FIRST} to {last} here: leave it out, or use \
                 the program that wrote it"
            ));
        }
        let mut outcomes = BTreeMap::new();
        add(&mut outcomes, first.outcomes)?;
        for part in reports {
            match part {
                Ok(part) => add(&mut outcomes, part.outcomes)?,
                // The program was killed while it wrote the last line of a partial report.
                Err(e) if e.is_eof() => break,
                Err(e) => return Err(wrong(e)),
            }
        }
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for (verdict, _) in outcomes.values() {
            *counts.entry(verdict.name().to_owned()).or_default() += 1;
        }
        let services = if first.services.is_empty() { shares(&outcomes) } else { first.services };
        if let Some(Share { service, tested, applicable }) =
            services.iter().find(|one| one.tested > one.applicable)
        {
            return Err(format!("services: {service}: {tested} tested of {applicable} applicable checks"));
        }
        let run = PastRun {
            file: file.to_owned(),
            target: first.target,
            began: first.began,
            assay: first.assay,
            result: first.result.filter(|_| !first.is_partial).unwrap_or_else(|| "partial".to_owned()),
            is_partial: first.is_partial,
            counts,
            services,
            elapsed_ms: outcomes.values().filter_map(|(_, elapsed)| *elapsed).reduce(u64::saturating_add),
        };
        Ok(Summary { run, outcomes })
    }

    /// Whether two summaries are of the same run: each says when it began, and all else is equal.
    pub fn is_same(&self, other: &Summary) -> bool {
        let file = other.run.file.clone();
        self.run.began.is_some()
            && PastRun { file, ..self.run.clone() } == other.run
            && self.outcomes == other.outcomes
    }
}

/// Adds the outcomes of a report.
fn add(
    outcomes: &mut BTreeMap<(String, String), (Verdict, Option<u64>)>,
    more: Vec<Ended>,
) -> Result<(), String> {
    for (n, Ended { id, fact, verdict, elapsed_ms }) in more.into_iter().enumerate() {
        let known = Verdict::named(&verdict);
        let known = known.ok_or_else(|| format!("outcomes[{n}].verdict: not a verdict: {verdict:?}"))?;
        if outcomes.insert((id.clone(), fact), (known, elapsed_ms)).is_some() {
            return Err(format!("outcomes: {id} is listed twice"));
        }
    }
    Ok(())
}

/// How much of each service was tested, of a report that does not say it.
fn shares(outcomes: &BTreeMap<(String, String), (Verdict, Option<u64>)>) -> Vec<Share> {
    let mut shares: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for ((id, _), (verdict, _)) in outcomes {
        let share = shares.entry(id.split('.').next().unwrap_or_default()).or_default();
        share.0 += usize::from(verdict.is_result());
        share.1 += usize::from(*verdict != Verdict::NotApplicable);
    }
    let known = Service::ALL.iter().filter_map(|service| Some((service.name(), shares.get(service.name())?)));
    known
        .map(|(service, &(tested, applicable))| Share { service: service.to_owned(), tested, applicable })
        .collect()
}

impl History {
    /// Orders the runs by when they began, if each says so, and follows each check.
    pub fn new(mut summaries: Vec<Summary>) -> History {
        let is_by_time = summaries.iter().all(|one| one.run.began.is_some());
        if is_by_time {
            summaries.sort_by(|one, other| one.run.began.cmp(&other.run.began));
        }
        let count = summaries.len();
        let mut tracks: BTreeMap<(String, String), Track> = BTreeMap::new();
        let mut runs = Vec::new();
        for (n, Summary { run, outcomes }) in summaries.into_iter().enumerate() {
            for ((id, fact), (verdict, elapsed)) in outcomes {
                let track = tracks.entry((id, fact)).or_insert_with_key(|(id, fact)| Track {
                    id: id.clone(),
                    fact: fact.clone(),
                    state: State::Untested,
                    changes: 0,
                    verdicts: vec![None; count],
                    elapsed_ms: vec![None; count],
                });
                (track.verdicts[n], track.elapsed_ms[n]) = (Some(verdict), elapsed);
            }
            runs.push(run);
        }
        let mut checks: Vec<Track> = tracks.into_values().collect();
        checks.iter_mut().for_each(Track::settle);
        History { version: VERSION, is_by_time, runs, checks }
    }

    /// The history as JSON.
    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("strings and numbers can be written as JSON") + "\n"
    }

    /// The checks in a state.
    fn in_state(&self, state: State) -> impl Iterator<Item = &Track> {
        self.checks.iter().filter(move |track| track.state == state)
    }

    /// The targets, in the order of the runs.
    fn targets(&self) -> Vec<&str> {
        let mut targets: Vec<&str> = Vec::new();
        for run in &self.runs {
            if !targets.contains(&run.target.as_str()) {
                targets.push(&run.target);
            }
        }
        targets
    }

    /// The services of any run, each with its coverage in each run.
    fn services(&self) -> Vec<(&'static str, Vec<Option<&Share>>)> {
        let of = |name: &str| -> Vec<Option<&Share>> {
            self.runs.iter().map(|run| run.services.iter().find(|share| share.service == name)).collect()
        };
        let all = Service::ALL.iter().map(|service| (service.name(), of(service.name())));
        all.filter(|(_, shares)| shares.iter().any(Option::is_some)).collect()
    }

    /// How the runs are ordered, in words.
    fn order(&self) -> &'static str {
        if self.is_by_time {
            "ordered by when they began"
        } else {
            "in the order of the command line: not each says when it began"
        }
    }
}

impl Track {
    /// Decides the state.
    fn settle(&mut self) {
        let results: Vec<bool> = self.verdicts.iter().flatten().filter_map(|one| passes(*one)).collect();
        self.changes = results.windows(2).filter(|pair| pair[0] != pair[1]).count();
        let is_unstable = self.verdicts.contains(&Some(Verdict::Unstable));
        self.state = match (results.first(), results.last()) {
            _ if is_unstable || self.changes > 1 => State::Flaky,
            (Some(true), Some(false)) => State::Broken,
            (Some(false), Some(true)) => State::Fixed,
            (Some(false), _) => State::Failing,
            (Some(true), _) => State::Passing,
            (None, _) => State::Untested,
        };
    }

    /// The median of the known durations in milliseconds.
    fn median_ms(&self) -> Option<u64> {
        let mut known: Vec<u64> = self.elapsed_ms.iter().flatten().copied().collect();
        known.sort_unstable();
        known.get(known.len() / 2).copied()
    }

    /// The last known duration in milliseconds.
    fn last_ms(&self) -> Option<u64> {
        self.elapsed_ms.iter().rev().flatten().next().copied()
    }
}

/// Whether a check passed; `None` if the verdict gives no result. A failure that the baseline knows is a failure.
const fn passes(verdict: Verdict) -> Option<bool> {
    match verdict {
        Verdict::Pass | Verdict::UnexpectedPass => Some(true),
        Verdict::NotApplicable | Verdict::NotTestable => None,
        _ => Some(false),
    }
}

/// The letter of a verdict in a row of many runs.
const fn letter(verdict: Option<Verdict>) -> char {
    match verdict {
        Some(Verdict::Pass) => '.',
        Some(Verdict::Fail) => 'F',
        Some(Verdict::Warn) => 'w',
        Some(Verdict::NotApplicable) => '-',
        Some(Verdict::NotTestable) => '?',
        Some(Verdict::Inconclusive) => 'i',
        Some(Verdict::KnownFailure) => 'k',
        Some(Verdict::UnexpectedPass) => 'U',
        Some(Verdict::Unstable) => '~',
        Some(Verdict::Error) => 'E',
        None => ' ',
    }
}

/// The verdicts that occur, each with its letter: `. pass, F fail`.
fn legend(history: &History) -> String {
    let occurs =
        |verdict: &&Verdict| history.checks.iter().any(|one| one.verdicts.contains(&Some(**verdict)));
    let words = Verdict::ALL.iter().filter(occurs);
    let words = words.map(|verdict| format!("{} {}", letter(Some(*verdict)), verdict.name()));
    words.collect::<Vec<_>>().join(", ")
}

/// A duration: `850 ms`, `12 s`, `3 min`.
fn duration(ms: u64) -> String {
    match ms {
        0..1000 => format!("{ms} ms"),
        1000..120_000 => format!("{} s", ms / 1000),
        _ => format!("{} min", ms / 60_000),
    }
}

#[cfg(test)]
mod tests;

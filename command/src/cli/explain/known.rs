//! What is known about a requirement, as data: `assay explain` prints it in words or as JSON.

use assay_spec::Id;
use assay_spec::requirement::{Evidence, Level, Subject};
use assay_suites::harness::check::{Check, Weight};
use assay_suites::services::{self, SUITES};
use assay_vectors::Case;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::run::has_flag;

/// The version of the JSON.
pub(crate) const VERSION: u32 = 1;

/// The requirements that were asked for, in that order.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Explained {
    /// The version of the format. A new member does not change it.
    #[schemars(extend("const" = VERSION))]
    pub(super) version: u32,
    pub(super) requirements: Vec<Known>,
}

/// What is known about one requirement.
#[derive(Serialize, JsonSchema)]
pub(super) struct Known {
    pub(super) id: String,
    pub(super) statement: String,
    /// `must`, `should` or `may`.
    pub(super) level: &'static str,
    /// Whom it binds, such as `server`.
    pub(super) binds: &'static str,
    /// Document and section.
    pub(super) source: String,
    /// How it is tested: `check`, `vector`, `client`, `not-observable` or `open`.
    pub(super) evidence: &'static str,
    /// The keys of the profile that choose how it is read.
    pub(super) readings: Vec<Reading>,
    /// The check of a server; null without one.
    pub(super) check: Option<OfCheck>,
    /// The worlds of the client suite that show it; null without any.
    pub(super) client: Option<OfClient>,
    /// Why there is no test, in words; null if there is one.
    pub(super) untested: Option<String>,
    /// The golden cases that cover it.
    pub(super) golden_cases: Vec<CaseFile>,
    /// What a failure usually means; null without a test.
    pub(super) failure_means: Option<String>,
    /// Commands that test it alone, in upper case what to replace.
    pub(super) run_alone: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Reading {
    pub(super) key: String,
    pub(super) means: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct OfCheck {
    /// What it sends and asserts, a string for each paragraph.
    pub(super) does: Vec<String>,
    pub(super) fact: &'static str,
    /// It passes only if the valid counterpart is accepted.
    pub(super) needs_counterpart: bool,
    /// The rejection that it demands; null without one.
    pub(super) rejection: Option<Rejected>,
    /// What it needs of the target or the profile, in words.
    pub(super) needs: Vec<&'static str>,
    pub(super) cost: Cost,
    /// Mistakes that it notices: deviations of the simulator.
    pub(super) examples: Vec<Deviation>,
    /// If one of these checks fails too, it is the cause, and this one is inconclusive.
    pub(super) rests_on: Vec<String>,
    /// Commands after which it fails, at a simulator with the first deviation; empty without one.
    pub(super) see_it_fail: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Rejected {
    /// The statuses and the form of the body, in words.
    pub(super) allowed: String,
    /// The section that demands it; null if none does.
    pub(super) demanded: Option<&'static str>,
}

/// What it sends in a world of its own.
#[derive(Serialize, JsonSchema)]
pub(super) struct Cost {
    pub(super) requests: u32,
    pub(super) writes: u32,
    pub(super) publishes: u32,
    pub(super) uploads: u32,
    /// The value of `--include` without which it does not run on a shared target; null if it needs none.
    pub(super) include: Option<&'static str>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Deviation {
    pub(super) name: String,
    pub(super) about: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct OfClient {
    /// The facts that name the worlds; empty in a build without the simulator.
    pub(super) worlds: Vec<&'static str>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct CaseFile {
    /// Its path in the repository.
    pub(super) file: String,
    pub(super) cases: Vec<String>,
}

impl Known {
    pub(super) fn new(row: Id, cases: &[Case]) -> Known {
        let readings = SUITES.readings(&[]).into_iter();
        let readings = readings.filter(|one| one.rows.contains(&row) || one.silent.contains(&row));
        let mut known = Known {
            id: row.to_string(),
            statement: row.statement().to_owned(),
            level: row.level.name(),
            binds: row.subject.name(),
            source: row.source(),
            evidence: row.evidence.name(),
            readings: readings
                .map(|one| Reading { key: one.key.to_string(), means: one.means.to_string() })
                .collect(),
            check: None,
            client: None,
            untested: None,
            golden_cases: golden_cases(row, cases),
            failure_means: None,
            run_alone: Vec::new(),
        };
        let places = known.golden_cases.iter().map(CaseFile::place);
        let of_vectors: Vec<String> =
            places.map(|place| format!("assay vectors run --only {place}/ -- PROGRAM")).collect();
        match row.evidence {
            Evidence::Check => {
                if let Some(check) = services::check(row) {
                    known.failure_means = Some(failure_of(check).to_owned());
                    known.check = Some(OfCheck::new(check));
                    let flag = format!("{}-url", row.service);
                    let with_url = has_flag(&flag).then(|| format!("assay run --{flag} URL {row}"));
                    known.run_alone.extend(with_url);
                    known.run_alone.push(format!("assay run --profile FILE {row}"));
                }
            }
            Evidence::Client => {
                let means = "In the world with that name, the client did not do what the statement says.";
                known.failure_means = Some(means.to_owned());
            }
            Evidence::Vector if !known.golden_cases.is_empty() => {
                let rejects =
                    if row.rule.is_empty() { "" } else { ", or accepts a case that it must reject" };
                known.failure_means =
                    Some(format!("The program returns another result for one of these cases{rejects}."));
            }
            Evidence::Vector => {}
            Evidence::NotObservable(why) => {
                known.untested = Some(format!("It cannot be observed from outside: {why}."));
            }
            Evidence::Open(why) => {
                let open = "No check asserts it, and no result depends on it";
                known.untested = Some(format!("The documents leave it open: {why}. {open}."));
            }
        }
        known.run_alone.extend(of_vectors);
        let worlds = worlds_of(row);
        if row.evidence == Evidence::Client || !worlds.is_empty() {
            let alone = worlds.first().map(|(program, _)| format!("assay client {program} {row} -- CLIENT"));
            known.run_alone.extend(alone);
            known.client = Some(OfClient { worlds: worlds.into_iter().map(|(_, fact)| fact).collect() });
        }
        known
    }
}

impl OfCheck {
    fn new(check: &Check) -> OfCheck {
        let row = check.requirement;
        let cost = check.costs().own;
        let weight = check.weight();
        let examples: Vec<Deviation> =
            deviations_of(row).into_iter().map(|(name, about)| Deviation { name, about }).collect();
        let see_it_fail = examples.first().map_or_else(Vec::new, |Deviation { name, .. }| {
            vec![
                format!("assay sim --write-profile p.toml --deviate {name}"),
                format!("assay run --profile p.toml {row}"),
            ]
        });
        OfCheck {
            does: check.doc.split("\n\n").map(str::to_owned).collect(),
            fact: check.fact,
            needs_counterpart: check.rejects,
            rejection: check.rejection().map(|rejection| Rejected {
                allowed: rejection.allowed(),
                demanded: rejection.sentence(row).map(|anchor| anchor.heading),
            }),
            needs: check.needs.iter().map(|need| need.missing()).collect(),
            cost: Cost {
                requests: cost.requests,
                writes: cost.writes,
                publishes: cost.publishes,
                uploads: cost.drops,
                include: (weight != Weight::Light).then(|| weight.name()),
            },
            examples,
            rests_on: check.after.iter().map(ToString::to_string).collect(),
            see_it_fail,
        }
    }
}

impl CaseFile {
    /// The service and the name of the file, as `assay vectors run --only` takes it.
    pub(super) fn place(&self) -> &str {
        self.file.trim_start_matches("vectors/data/").trim_end_matches(".json")
    }
}

/// What a failure of a check usually means.
fn failure_of(check: &Check) -> &'static str {
    let row = check.requirement;
    match (row.level, check.rejects, row.subject) {
        (Level::Should | Level::May, ..) => {
            "The server does not do what the documents recommend. The verdict is warn, and the run still conforms."
        }
        (_, true, _) => "The server accepts what it must reject, or rejects it in another way.",
        (.., Subject::Server) => "The server does not do what the statement says.",
        _ => "What the target stores or returns is not what the statement says.",
    }
}

/// The golden cases that cover the row, by file.
fn golden_cases(row: Id, cases: &[Case]) -> Vec<CaseFile> {
    let id = row.to_string();
    let mut files: Vec<CaseFile> = Vec::new();
    for case in cases.iter().filter(|case| case.requirements.contains(&id)) {
        let file = format!("vectors/data/{}.json", case.place());
        match files.iter_mut().find(|known| known.file == file) {
            Some(known) => known.cases.push(case.id.clone()),
            None => files.push(CaseFile { file, cases: vec![case.id.clone()] }),
        }
    }
    files
}

#[cfg(feature = "embedded")]
use assay_suites::embedded::{client::worlds_of, deviations_of};

#[cfg(not(feature = "embedded"))]
fn deviations_of(_: Id) -> Vec<(String, String)> {
    Vec::new()
}

#[cfg(not(feature = "embedded"))]
fn worlds_of(_: Id) -> Vec<(&'static str, &'static str)> {
    Vec::new()
}

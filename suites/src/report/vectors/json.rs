//! The result of a program under the vectors as JSON, and what `compare` reads of it.

use std::collections::{BTreeMap, BTreeSet};

use assay_vectors::run::{Reply, Report};
use assay_vectors::{VERSION, digest};
use serde::{Deserialize, Serialize};

/// The format of the file.
pub const FORMAT: &str = "assay-vectors-run/1";

/// One run, as it is written and read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFile {
    /// [`FORMAT`].
    pub format: String,
    /// The collection.
    pub collection: CollectionName,
    /// The program's name and version.
    pub program: String,
    /// The readings that it declares.
    pub readings: BTreeSet<String>,
    /// Whether the answers agree.
    pub agrees: bool,
    /// The result in words.
    pub result: String,
    /// The number of cases for each outcome.
    pub counts: BTreeMap<String, usize>,
    /// The numbers of each operation.
    pub operations: BTreeMap<String, OperationCount>,
    /// What the program does where no sentence decides.
    pub behaviours: Vec<Behaved>,
    /// How far it follows each reading.
    pub followed: Vec<ReadAs>,
    /// Equivalent cases with different answers.
    pub incoherent: Vec<String>,
    /// What happened besides.
    pub incidents: Vec<String>,
    /// What is wrong with the baseline.
    pub objections: Vec<String>,
    /// Every chosen case.
    pub cases: Vec<CaseEntry>,
}

/// The collection of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollectionName {
    /// Its version.
    pub version: String,
    /// The SHA-256 of its manifest.
    pub sha256: String,
}

/// The numbers of one operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationCount {
    /// Whether the program claims it.
    pub claimed: bool,
    /// All its cases.
    pub held: usize,
    /// Those that passed.
    pub passed: usize,
    /// Those that failed, crashed or hung.
    pub failed: usize,
    /// Failures that the baseline lists.
    pub known: usize,
    /// Those that were observed.
    pub observed: usize,
}

/// One behaviour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Behaved {
    /// What the cases contain.
    pub input: String,
    /// What the program did.
    pub what: String,
    /// The number of its answered cases.
    pub cases: usize,
}

/// How far a reading is followed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadAs {
    /// The reading.
    pub reading: String,
    /// Whether the program declares it.
    pub declared: bool,
    /// Its answered cases.
    pub cases: usize,
    /// Those that were answered as the reading says.
    pub as_read: usize,
}

/// One case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseEntry {
    /// Its id.
    pub id: String,
    /// Its operation.
    pub op: String,
    /// The outcome.
    pub outcome: String,
    /// What the program did.
    pub reply: String,
    /// The reason, or how it differs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

impl RunFile {
    /// The file of a run.
    pub fn new(report: &Report) -> RunFile {
        let counts = report.counts().into_iter().map(|(outcome, count)| (outcome.name().to_owned(), count));
        let operations = report.by_operation().into_iter().map(|(op, count)| {
            let claimed = report.operations.contains(&op);
            let assay_vectors::run::Count { held, passed, failed, known, observed } = count;
            (op, OperationCount { claimed, held, passed, failed, known, observed })
        });
        let behaviours = report.behaviours().into_iter();
        let followed = report.followed().into_iter();
        RunFile {
            format: FORMAT.to_owned(),
            collection: CollectionName { version: VERSION.to_owned(), sha256: digest() },
            program: report.program.clone(),
            readings: report.readings.clone(),
            agrees: report.agrees(),
            result: report.result(),
            counts: counts.collect(),
            operations: operations.collect(),
            behaviours: behaviours
                .map(|shown| Behaved { input: shown.input.to_owned(), what: shown.what, cases: shown.cases })
                .collect(),
            followed: followed
                .map(|each| ReadAs {
                    reading: each.reading,
                    declared: each.is_declared,
                    cases: each.cases,
                    as_read: each.as_read,
                })
                .collect(),
            incoherent: report.incoherent.iter().map(ToString::to_string).collect(),
            incidents: report.incidents.iter().chain(&report.missing).cloned().collect(),
            objections: report.objections.clone(),
            cases: report.results.iter().map(case).collect(),
        }
    }

    /// The text of the file.
    pub fn write(&self) -> String {
        serde_json::to_string_pretty(self).expect("it is plain data") + "\n"
    }

    /// Reads the text of a file.
    pub fn read(text: &str) -> Result<RunFile, String> {
        let file: RunFile = serde_json::from_str(text)
            .map_err(|e| format!("{e}; write one with assay vectors run --json FILE"))?;
        if file.format == FORMAT {
            Ok(file)
        } else {
            Err(format!("the format is {:?}, not {FORMAT:?}", file.format))
        }
    }
}

fn case(result: &assay_vectors::run::CaseResult) -> CaseEntry {
    CaseEntry {
        id: result.id.clone(),
        op: result.op.clone(),
        outcome: result.outcome.name().to_owned(),
        reply: if result.reply == Reply::Nothing { String::new() } else { result.reply.name().to_owned() },
        text: result.text.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_of_a_run_is_read_as_it_was_written() {
        let file = RunFile::new(&Report::of_the_reference());
        assert_eq!(RunFile::read(&file.write()), Ok(file.clone()));
        let other = file.write().replacen(FORMAT, "assay-vectors-run/2", 1);
        assert!(RunFile::read(&other).expect_err("another format").contains(FORMAT));
        assert!(RunFile::read("{}").is_err() && RunFile::read("[").is_err());
        assert_eq!(file.cases.len(), assay_vectors::cases().len());
    }
}

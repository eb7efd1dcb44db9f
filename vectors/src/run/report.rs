//! The result of a run.

use std::collections::BTreeMap;
use std::fmt;

/// The result of a run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The program's own name and version.
    pub program: String,
    /// The operations that it claims.
    pub operations: Vec<String>,
    /// One result for each chosen case, in the order of the cases.
    pub results: Vec<CaseResult>,
    /// Other incidents: no hello, lines that are not responses, an exit that no case explains.
    pub incidents: Vec<String>,
    /// Claimed operations of which fewer cases were judged than the manifest holds.
    pub missing: Vec<String>,
    /// Claimed operations without cases; reported, because a misspelled name would hide a whole operation.
    pub unknown: Vec<String>,
}

/// The result of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseResult {
    /// The case.
    pub id: String,
    /// Its operation.
    pub op: String,
    /// The outcome.
    pub outcome: Outcome,
    /// The reason, unless it passed.
    pub text: String,
}

/// The outcome of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// The expected result.
    Pass,
    /// Another result.
    Fail,
    /// The program ended.
    Crash,
    /// No response in time.
    Hang,
    /// The program does not claim the operation.
    Unsupported,
    /// The case rests on a reading that the program does not declare.
    OtherReading,
}

impl Outcome {
    /// The outcome's name.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Pass => "pass",
            Outcome::Fail => "fail",
            Outcome::Crash => "crash",
            Outcome::Hang => "hang",
            Outcome::Unsupported => "unsupported",
            Outcome::OtherReading => "other-reading",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Report {
    /// Whether every judged case passed, at least one was, and none is missing.
    pub fn conforms(&self) -> bool {
        let judged =
            |result: &&CaseResult| !matches!(result.outcome, Outcome::Unsupported | Outcome::OtherReading);
        let mut judged = self.results.iter().filter(judged).peekable();
        self.incidents.is_empty()
            && self.missing.is_empty()
            && judged.peek().is_some()
            && judged.all(|result| result.outcome == Outcome::Pass)
    }

    /// The operations that are not claimed, with their cases.
    pub fn unsupported(&self) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for result in self.results.iter().filter(|result| result.outcome == Outcome::Unsupported) {
            *counts.entry(result.op.as_str()).or_default() += 1;
        }
        counts
    }

    /// The number of results for each outcome.
    pub fn counts(&self) -> BTreeMap<Outcome, usize> {
        let mut counts = BTreeMap::new();
        for result in &self.results {
            *counts.entry(result.outcome).or_default() += 1;
        }
        counts
    }
}

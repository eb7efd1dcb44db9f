//! The result of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::behaviour::{self, BEHAVIOURS};
use crate::case::{Case, Expect};
use crate::{all, manifest};

/// The result of a run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The program's own name and version.
    pub program: String,
    /// The operations that it claims.
    pub operations: Vec<String>,
    /// The readings that it declares; their cases are judged.
    pub readings: BTreeSet<String>,
    /// One result for each chosen case, in the order of the cases.
    pub results: Vec<CaseResult>,
    /// Other incidents: no hello, lines that are not responses, an exit that no case explains.
    pub incidents: Vec<String>,
    /// Claimed operations of which fewer cases were judged than the manifest holds.
    pub missing: Vec<String>,
    /// Claimed operations without cases; reported, because a misspelled name would hide a whole operation.
    pub unknown: Vec<String>,
    /// Equivalent cases that got different answers.
    pub incoherent: Vec<Incoherence>,
    /// What is wrong with the baseline: entries without a case, and entries whose case passes.
    pub objections: Vec<String>,
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
    /// What the program did.
    pub reply: Reply,
    /// The reason, unless it passed; for an observed case, how the program differs from the reading.
    pub text: String,
    /// Which of two values counted, if the case asks that.
    pub counted: &'static str,
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
    /// A failure that the baseline lists.
    Known,
    /// The case rests on a reading that the program does not declare: what the program did is recorded.
    Observed,
    /// The program does not claim the operation.
    Unsupported,
}

/// What a program did with an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reply {
    /// It accepted the input, with the expected result if the case has one.
    Accepted,
    /// It accepted the input with another result.
    Other,
    /// It rejected the input.
    Rejected,
    /// It gave no response.
    Nothing,
}

/// Two equivalent cases with different answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incoherence {
    /// What the cases contain.
    pub input: &'static str,
    /// Their operation.
    pub op: String,
    /// One case for each kind of answer.
    pub cases: Vec<(Reply, String)>,
}

/// What a program did for one behaviour, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// What the cases contain.
    pub input: &'static str,
    /// What the program did: `rejected`, or `accepted (2), rejected (1)`.
    pub what: String,
    /// The number of its cases that were answered.
    pub cases: usize,
}

/// How far a program follows a reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Followed {
    /// The reading.
    pub reading: String,
    /// Whether the program declares it.
    pub is_declared: bool,
    /// Its answered cases.
    pub cases: usize,
    /// Those that were answered as the reading says.
    pub as_read: usize,
}

/// The numbers of one operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// All cases of the collection.
    pub held: usize,
    /// The cases that passed.
    pub passed: usize,
    /// The cases that failed, crashed or hung.
    pub failed: usize,
    /// The failures that the baseline lists.
    pub known: usize,
    /// The cases that were observed.
    pub observed: usize,
}

impl Outcome {
    /// The outcome's name.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Pass => "pass",
            Outcome::Fail => "fail",
            Outcome::Crash => "crash",
            Outcome::Hang => "hang",
            Outcome::Known => "known-failure",
            Outcome::Observed => "observed",
            Outcome::Unsupported => "unsupported",
        }
    }

    /// Whether it is a difference.
    pub const fn is_red(self) -> bool {
        matches!(self, Outcome::Fail | Outcome::Crash | Outcome::Hang)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Reply {
    /// The reply in words.
    pub const fn name(self) -> &'static str {
        match self {
            Reply::Accepted => "accepted",
            Reply::Other => "another result",
            Reply::Rejected => "rejected",
            Reply::Nothing => "no answer",
        }
    }

    /// Whether the program did what the case expects.
    pub fn is_expected(self, case: &Case) -> bool {
        self == if case.is_reject() { Reply::Rejected } else { Reply::Accepted }
    }
}

impl Report {
    /// What the reference does: every case as expected.
    pub fn of_the_reference() -> Report {
        let result = |case: &Case| {
            let (reply, counted) = match &case.expect {
                Expect::Reject { .. } => (Reply::Rejected, ""),
                Expect::Accept { ok } => {
                    (Reply::Accepted, behaviour::of_case(&case.id).map_or("", |behaviour| behaviour.tell(ok)))
                }
            };
            let (id, op, text) = (case.id.clone(), case.op.clone(), String::new());
            CaseResult { id, op, outcome: Outcome::Pass, reply, text, counted }
        };
        Report {
            program: format!("assay {} (reference)", crate::VERSION),
            operations: manifest().operations.into_keys().collect(),
            readings: crate::readings(),
            results: all().iter().map(result).collect(),
            ..Report::default()
        }
    }

    /// Whether every judged case passed, at least one was, none is missing, and equivalent cases got the same answer.
    pub fn agrees(&self) -> bool {
        self.incidents.is_empty()
            && self.missing.is_empty()
            && self.incoherent.is_empty()
            && self.objections.is_empty()
            && self.results.iter().any(|result| result.outcome == Outcome::Pass)
            && !self.results.iter().any(|result| result.outcome.is_red())
    }

    /// The result in words, with what it rests on.
    pub fn result(&self) -> String {
        let is_judged =
            |result: &CaseResult| !matches!(result.outcome, Outcome::Observed | Outcome::Unsupported);
        if !self.results.iter().any(is_judged) {
            return "no case was judged".to_owned();
        }
        let known = self.results.iter().filter(|result| result.outcome == Outcome::Known).count();
        let mut text = if self.agrees() {
            let passed = self.results.iter().filter(|result| result.outcome == Outcome::Pass);
            let ops: BTreeSet<&str> = passed.clone().map(|result| result.op.as_str()).collect();
            let held = manifest().operations;
            let cases: usize = held.values().map(|count| count.total()).sum();
            format!(
                "answers agree ({} of {cases} cases, {} of {} operations)",
                passed.count(),
                ops.len(),
                held.len()
            )
        } else {
            "answers differ".to_owned()
        };
        if known > 0 {
            text += &format!(", with {known} known failure{}", if known == 1 { "" } else { "s" });
        }
        text
    }

    /// The numbers of every operation that the collection or the program has.
    pub fn by_operation(&self) -> BTreeMap<String, Count> {
        let mut counts: BTreeMap<String, Count> = BTreeMap::new();
        for (op, count) in manifest().operations {
            counts.entry(op).or_default().held = count.total();
        }
        for result in &self.results {
            let count = counts.entry(result.op.clone()).or_default();
            match result.outcome {
                Outcome::Pass => count.passed += 1,
                Outcome::Fail | Outcome::Crash | Outcome::Hang => count.failed += 1,
                Outcome::Known => count.known += 1,
                Outcome::Observed => count.observed += 1,
                Outcome::Unsupported => {}
            }
        }
        counts
    }

    /// What the program did for each behaviour of which it answered a case.
    pub fn behaviours(&self) -> Vec<Shown> {
        let shown = |behaviour: &'static behaviour::Behaviour| {
            let results = self.results.iter().filter(|one| behaviour.cases.contains(&one.id.as_str()));
            let answered: Vec<&CaseResult> = results.filter(|one| one.reply != Reply::Nothing).collect();
            let mut kinds: BTreeMap<Reply, usize> = BTreeMap::new();
            for one in &answered {
                *kinds.entry(one.reply).or_default() += 1;
            }
            let many = kinds.len() > 1;
            let part = |(reply, n): (&Reply, &usize)| {
                if many { format!("{} ({n})", reply.name()) } else { reply.name().to_owned() }
            };
            let mut what = kinds.iter().map(part).collect::<Vec<_>>().join(", ");
            if let Some(counted) = answered.iter().map(|one| one.counted).find(|counted| !counted.is_empty())
            {
                what += &format!(", {counted}");
            }
            (!answered.is_empty()).then_some(Shown { input: behaviour.input, what, cases: answered.len() })
        };
        BEHAVIOURS.iter().filter_map(shown).collect()
    }

    /// How far the program follows each reading of which it answered a case. A program that answers some of the cases
    /// as the reading says follows several readings.
    pub fn followed(&self) -> Vec<Followed> {
        let mut found: BTreeMap<&str, Followed> = BTreeMap::new();
        for (case, result) in self.answered() {
            let Some(reading) = &case.reading else { continue };
            let followed = found.entry(reading).or_insert_with(|| Followed {
                reading: reading.clone(),
                is_declared: self.readings.contains(reading),
                cases: 0,
                as_read: 0,
            });
            followed.cases += 1;
            followed.as_read += usize::from(result.reply.is_expected(case));
        }
        found.into_values().collect()
    }

    fn answered(&self) -> impl Iterator<Item = (&'static Case, &CaseResult)> {
        let answered = self.results.iter().filter(|result| result.reply != Reply::Nothing);
        answered.filter_map(|result| Some((all().iter().find(|case| case.id == result.id)?, result)))
    }

    /// Finds behaviours whose cases of one operation were answered differently. Cases that are judged fail by themselves.
    pub(super) fn find_incoherence(&mut self) {
        for behaviour in BEHAVIOURS {
            let mut by_op: BTreeMap<&str, BTreeMap<Reply, &str>> = BTreeMap::new();
            for result in self.results.iter().filter(|result| {
                result.outcome == Outcome::Observed && behaviour.cases.contains(&result.id.as_str())
            }) {
                by_op.entry(&result.op).or_default().entry(result.reply).or_insert(&result.id);
            }
            let found = by_op.into_iter().filter(|(_, kinds)| kinds.len() > 1);
            let found = found.map(|(op, kinds)| Incoherence {
                input: behaviour.input,
                op: op.to_owned(),
                cases: kinds.into_iter().map(|(reply, id)| (reply, id.to_owned())).collect(),
            });
            self.incoherent.extend(found.collect::<Vec<_>>());
        }
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

impl fmt::Display for Incoherence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = |(reply, id): &(Reply, String)| format!("{id} {}", reply.name());
        let cases: Vec<String> = self.cases.iter().map(one).collect();
        write!(
            f,
            "{} ({}): equivalent cases got different answers: {}",
            self.input,
            self.op,
            cases.join("; ")
        )
    }
}

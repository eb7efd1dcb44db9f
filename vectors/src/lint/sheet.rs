//! A collection as parsed for the lints. Unreadable parts are findings; the rest is still checked.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Finding, Lint};
use crate::case::Case;
use crate::collection::{Collection, holds_cases};
use crate::divergence::Divergence;
use crate::manifest::Manifest;
use crate::op::{Answer, Met, answer};
use crate::witness::Witness;

/// A parsed collection.
pub(super) struct Sheet<'a> {
    pub(super) collection: &'a Collection,
    /// The case files as JSON, by path.
    pub(super) values: BTreeMap<&'a str, Value>,
    /// The cases that the reader accepts, in the order of files and of cases in a file.
    pub(super) cases: Vec<Case>,
    /// The position of each case in `values`: file and index.
    pub(super) places: Vec<(&'a str, usize)>,
    /// What the reference answers to each case, and which rules it consulted.
    pub(super) answers: Vec<(Answer, Met)>,
    pub(super) manifest: Option<Manifest>,
    pub(super) witnesses: Vec<Witness>,
    pub(super) divergences: Vec<Divergence>,
}

impl<'a> Sheet<'a> {
    pub(super) fn read(collection: &'a Collection) -> (Sheet<'a>, Vec<Finding>) {
        let mut findings = Vec::new();
        let (mut values, mut cases, mut places) = (BTreeMap::new(), Vec::new(), Vec::new());
        for (path, bytes) in collection.files().filter(|(path, _)| holds_cases(path)) {
            let Some(value) = note(json::<Value>(path, bytes), &mut findings) else { continue };
            for (n, case) in value.as_array().into_iter().flatten().enumerate() {
                // The schema lint reports what the reader rejects.
                if let Ok(case) = serde_json::from_value(case.clone()) {
                    cases.push(case);
                    places.push((path, n));
                }
            }
            values.insert(path, value);
        }
        let manifest = besides(collection, "data/manifest.json", &mut findings);
        let witnesses = besides(collection, "data/witnesses.json", &mut findings).unwrap_or_default();
        let divergences = besides(collection, "divergences.json", &mut findings).unwrap_or_default();
        let answers = each(&cases).map(reference).collect();
        (Sheet { collection, values, cases, places, answers, manifest, witnesses, divergences }, findings)
    }

    /// The file, below `data`, of the case with that number.
    pub(super) fn file_of(&self, n: usize) -> &'a str {
        self.places[n].0.trim_start_matches(crate::collection::DATA)
    }
}

/// The cases, on all cores. One case may cost more than a thousand others, so each is a piece of work of its own.
pub(super) fn each(cases: &[Case]) -> impl IndexedParallelIterator<Item = &Case> {
    cases.par_iter().with_max_len(1)
}

/// What the reference answers to a case, and which rules it consulted.
fn reference(case: &Case) -> (Answer, Met) {
    let mut met = Met::default();
    (answer(&case.op, &case.input, &mut met), met)
}

fn besides<T: DeserializeOwned>(
    collection: &Collection,
    path: &'static str,
    findings: &mut Vec<Finding>,
) -> Option<T> {
    let found = match collection.file(path) {
        Some(bytes) => json(path, bytes),
        None => Err(Lint::Text.at(path, "the file is missing")),
    };
    note(found, findings)
}

fn note<T>(result: Result<T, Finding>, findings: &mut Vec<Finding>) -> Option<T> {
    result.map_err(|finding| findings.push(finding)).ok()
}

/// Parses the file as JSON; the finding names the line.
fn json<T: DeserializeOwned>(path: &str, bytes: &[u8]) -> Result<T, Finding> {
    serde_json::from_slice(bytes).map_err(|e| {
        let place = format!("{path}:{}:{}", e.line(), e.column());
        let what = e.to_string();
        let what = what.rsplit_once(" at line ").map_or(what.as_str(), |(what, _)| what);
        Lint::Text.at(place, what)
    })
}

//! Files and ids: canonical text, unique ids in the right files, no duplicate inputs, explanations filled in.

use std::collections::BTreeMap;

use rayon::iter::ParallelIterator;
use serde_json::Value;

use super::canon::canonical_input;
use super::sheet::{Sheet, each};
use super::{Finding, Lint};
use crate::case::{Case, Step, canonical};
use crate::shim::LINE_LIMIT;
use crate::wire::spell_out;

pub(super) fn lint(sheet: &Sheet) -> Vec<Finding> {
    let mut findings = texts(sheet);
    findings.extend(ids(sheet));
    findings.extend(inputs(sheet));
    let lengths = sheet.cases.iter().filter_map(|case| Some((case, too_long(&case.input, LINE_LIMIT)?)));
    findings.extend(lengths.map(|(case, what)| Lint::Input.at(&case.id, what)));
    for case in &sheet.cases {
        findings.extend(words(case).map(|what| Lint::Words.at(&case.id, what)));
    }
    findings
}

/// Two spaces per level, members in the schema's order, nothing duplicated.
fn texts(sheet: &Sheet) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, value) in &sheet.values {
        // The schema lint reports what the reader rejects.
        let Ok(cases) = serde_json::from_value::<Vec<Case>>(value.clone()) else { continue };
        let (want, is) = (canonical(&cases), sheet.collection.file(path).unwrap_or_default());
        if want.as_bytes() != is {
            let same = want.bytes().zip(is).take_while(|(want, is)| want == *is);
            let line = 1 + same.filter(|(byte, _)| *byte == b'\n').count();
            findings.push(Lint::Text.at(format!("{path}:{line}"), "the text is not canonical from here on"));
        }
    }
    findings
}

fn ids(sheet: &Sheet) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut seen = BTreeMap::new();
    for (n, case) in sheet.cases.iter().enumerate() {
        let file = sheet.file_of(n);
        if case.place() != file.trim_end_matches(".json") {
            findings.push(Lint::Id.at(&case.id, format!("is in the wrong file: {file}")));
        }
        if seen.insert(&case.id, n).is_some() {
            findings.push(Lint::Id.at(&case.id, "the id is duplicated"));
        }
    }
    findings
}

fn inputs(sheet: &Sheet) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut seen: BTreeMap<(&str, String), &Case> = BTreeMap::new();
    let inputs: Vec<String> = each(&sheet.cases).map(|case| canonical_input(&case.input)).collect();
    for (case, input) in sheet.cases.iter().zip(inputs) {
        let Some(other) = seen.insert((&case.op, input), case) else { continue };
        if other.expect == case.expect {
            findings.push(Lint::Input.at(&case.id, format!("the same input as {}", other.id)));
        } else {
            let what = format!("the same input as {}, with another expectation", other.id);
            findings.push(Lint::Contradiction.at(&case.id, what));
        }
    }
    findings
}

/// Checks that the protocol can carry the input when the recipes that only files may use are expanded.
fn too_long(input: &Value, limit: usize) -> Option<String> {
    // Space for the id and the operation.
    const BESIDES: usize = 1024;
    let length = spell_out(input).to_string().len();
    (length + BESIDES > limit)
        .then(|| format!("expanded it has {length} bytes, but a line may have only {limit}"))
}

fn words(case: &Case) -> Option<&'static str> {
    let step_is_empty = |step: &Step| matches!(step, Step::Hex { name, .. } | Step::Text { name, .. } if name.trim().is_empty());
    let sentence = case.why.ends_with('.') && case.why.len() > 2 && case.why.trim() == case.why;
    let provenance =
        ![&case.provenance.generator, &case.provenance.seed].iter().any(|text| text.trim().is_empty());
    [
        (!sentence, "why is not a sentence"),
        (!provenance, "its provenance is empty"),
        (case.steps.iter().any(step_is_empty), "a step has no name"),
        (case.reading.as_deref().is_some_and(|reading| !is_reading(reading)), "a reading must be A-nnn/name"),
    ]
    .into_iter()
    .find_map(|(wrong, what)| wrong.then_some(what))
}

fn is_reading(reading: &str) -> bool {
    let number = reading.strip_prefix("A-").and_then(|rest| rest.split_once('/'));
    number.is_some_and(|(n, name)| n.len() == 3 && n.bytes().all(|b| b.is_ascii_digit()) && !name.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn input_that_is_too_long_for_a_line_is_reported() {
        let recipe = json!({"content": {"repeat": ["00", 1 << 30]}});
        assert_eq!(too_long(&recipe, LINE_LIMIT), None);
        let spelled = json!({"content": {"concat": [{"repeat": ["00", 9_000]}, {"hex": "01"}]}});
        assert_eq!(too_long(&spelled, LINE_LIMIT), None);
        assert!(too_long(&spelled, 10_000).is_some_and(|what| what.contains("only 10000")));
    }
}

//! Each case alone: a reject is its base with its edit, and the reference returns the expected result.

use std::collections::BTreeMap;

use super::sheet::Sheet;
use super::{Finding, Lint};
use crate::case::{Case, Expect};
use crate::edit::{replay, stale};
use crate::op::Answer;

pub(super) fn lint(sheet: &Sheet) -> Vec<Finding> {
    let by_id: BTreeMap<&str, &Case> = sheet.cases.iter().map(|case| (case.id.as_str(), case)).collect();
    let mut findings = Vec::new();
    for (case, (answer, _)) in sheet.cases.iter().zip(&sheet.answers) {
        findings.extend(made(case, &by_id).map(|what| Lint::Replay.at(&case.id, what)));
        findings.extend(answered(case, answer).map(|what| Lint::Answer.at(&case.id, what)));
    }
    findings
}

/// Checks that a reject is its base with its edit and nothing else.
fn made(case: &Case, by_id: &BTreeMap<&str, &Case>) -> Option<String> {
    // The schema decides which cases have a base and an edit.
    let base = case.base.as_ref()?;
    let Some(base) = by_id.get(base.as_str()) else {
        return Some(format!("its base {base} is missing"));
    };
    if base.is_reject() || base.op != case.op {
        return Some("its base is not an accepted case of its operation".to_owned());
    }
    if case.reseal != stale(&case.edit) {
        return Some(format!("its edit makes {:?} stale", stale(&case.edit)));
    }
    match replay(base, &case.edit, &case.reseal) {
        Ok(input) if input == case.input && input != base.input => None,
        Ok(_) => Some("its input is not its base with its edit".to_owned()),
        Err(why) => Some(why),
    }
}

fn answered(case: &Case, answer: &Answer) -> Option<String> {
    match (answer, &case.expect) {
        (Answer::Ok(answer), Expect::Accept { ok }) if answer == ok => None,
        (Answer::Reject(reject), Expect::Reject { rule, stage }) => {
            let same = reject.row.rule == rule && reject.stage == stage;
            let named = case.requirements.first().is_some_and(|row| *row == reject.row.to_string());
            (!same || !named)
                .then(|| format!("the reference rejects it by {} at {}", reject.row, reject.stage))
        }
        (other, _) => Some(format!("the reference {other}")),
    }
}

//! Every case alone: filled in, a reject made from its base by its edit, expected as the reference answers.

use assay_spec::Strict;

use super::Finding;
use crate::case::{Case, Expect, Step};
use crate::edit::{replay, stale};
use crate::op::{Answer, answer};

pub(super) fn lint(cases: &[Case]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for case in cases {
        let wrong = [filled(case), made(case, cases), answered(case)];
        findings.extend(wrong.into_iter().flatten().map(|what| Finding::new(&case.id, what)));
    }
    findings
}

fn filled(case: &Case) -> Option<String> {
    let id = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-' | '/');
    let step_is_empty =
        |step: &Step| matches!(step, Step::Hex { name, .. } | Step::Text { name, .. } if name.is_empty());
    let slash = case.id.chars().filter(|c| *c == '/').count() == 2;
    let sentence = case.why.ends_with('.') && case.why.len() > 2;
    let provenance = !case.provenance.generator.is_empty() && !case.provenance.seed.is_empty();
    [
        (!slash || !case.id.chars().all(id), "the id is not service/group/name"),
        (!sentence, "why is no sentence"),
        (case.requirements.is_empty(), "it shows no requirement"),
        (case.is_reject() && case.requirements.len() != 1, "a reject names one requirement"),
        (!provenance, "it comes from nowhere"),
        (!case.is_reject() && case.steps.is_empty(), "an accept shows its steps"),
        (case.steps.iter().any(step_is_empty), "a step has no name"),
        (case.reading.as_deref().is_some_and(|reading| !is_reading(reading)), "a reading is A-nnn/name"),
    ]
    .into_iter()
    .find_map(|(wrong, what)| wrong.then(|| what.to_owned()))
}

fn is_reading(reading: &str) -> bool {
    let number = reading.strip_prefix("A-").and_then(|rest| rest.split_once('/'));
    number.is_some_and(|(n, name)| n.len() == 3 && n.bytes().all(|b| b.is_ascii_digit()) && !name.is_empty())
}

/// A reject is its base with its edit and nothing else; an accept is made from nothing.
fn made(case: &Case, cases: &[Case]) -> Option<String> {
    let Some(base) = &case.base else {
        let bare = case.edit.is_empty() && case.reseal.is_empty();
        return (case.is_reject() || !bare)
            .then(|| "a reject has a base and an edit, an accept neither".to_owned());
    };
    if !case.is_reject() || case.edit.is_empty() {
        return Some("only a reject has a base, and then an edit".to_owned());
    }
    let Some(base) = cases.iter().find(|other| other.id == *base) else {
        return Some(format!("its base {base} is missing"));
    };
    if base.is_reject() || base.op != case.op {
        return Some("its base is no accept of its operation".to_owned());
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

fn answered(case: &Case) -> Option<String> {
    match (answer(&case.op, &case.input, &mut Strict), &case.expect) {
        (Answer::Ok(answer), Expect::Accept { ok }) if answer == *ok => None,
        (Answer::Reject(reject), Expect::Reject { rule, stage }) => {
            let same = reject.row.rule == rule && reject.stage == stage;
            let named = case.requirements.first().is_some_and(|row| *row == reject.row.to_string());
            (!same || !named).then(|| format!("refused by {} at {}", reject.row, reject.stage))
        }
        (other, _) => Some(format!("the reference {other}")),
    }
}

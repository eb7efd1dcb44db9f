//! Compares a response with the expectation of its case.

use serde_json::Value;

use super::{Names, Outcome};
use crate::case::{Case, Expect};

/// The outcome for a response to `case`, and the reason if it did not pass.
pub(super) fn judge(case: &Case, answer: &Value, rules: bool, names: &Names) -> (Outcome, String) {
    let fault = if !answer["error"].is_null() {
        Some(format!("the program could not read the request: {}", answer["error"]))
    } else if answer["unsupported"] == true {
        Some("the program claims the operation but does not support it".to_owned())
    } else {
        match &case.expect {
            Expect::Accept { ok } => accepted(ok, answer),
            Expect::Reject { rule, .. } => rejected(rule, answer, rules, names),
        }
    };
    fault.map_or((Outcome::Pass, String::new()), |fault| (Outcome::Fail, fault))
}

fn accepted(ok: &Value, answer: &Value) -> Option<String> {
    if let Some(reject) = answer.get("reject") {
        return Some(format!("expected ok, got reject: {reject}"));
    }
    match answer.get("ok") {
        Some(answer) => difference(ok, answer, ""),
        None => Some("the response has neither ok nor reject".to_owned()),
    }
}

fn rejected(rule: &str, answer: &Value, rules: bool, names: &Names) -> Option<String> {
    if let Some(ok) = answer.get("ok") {
        return Some(format!("expected a reject by {rule}, got ok: {ok}"));
    }
    let Some(reject) = answer.get("reject").filter(|reject| reject.is_object()) else {
        return Some("the response has neither ok nor reject".to_owned());
    };
    let named = &reject["rule"];
    if let Some(known) = names.for_rule(rule) {
        let is_known = named.as_str().is_some_and(|named| known.contains(named));
        let known = || known.iter().copied().collect::<Vec<_>>().join(", ");
        return (!is_known)
            .then(|| format!("expected a reject by {rule} (mapped to {}), got {named}", known()));
    }
    (rules && named != rule).then(|| format!("expected a reject by {rule}, got {named}"))
}

/// The first difference. A null member may be absent, and members that are not expected are ignored.
fn difference(want: &Value, got: &Value, pointer: &str) -> Option<String> {
    match (want, got) {
        (Value::Object(want), Value::Object(got)) => want.iter().find_map(|(key, want)| {
            difference(want, got.get(key).unwrap_or(&Value::Null), &format!("{pointer}/{key}"))
        }),
        (Value::Array(want), Value::Array(got)) if want.len() == got.len() => {
            let pairs = want.iter().zip(got).enumerate();
            pairs.into_iter().find_map(|(n, (want, got))| difference(want, got, &format!("{pointer}/{n}")))
        }
        (want, got) if want == got => None,
        (want, got) => Some(format!("/ok{pointer}: wanted {want}, got {got}")),
    }
}

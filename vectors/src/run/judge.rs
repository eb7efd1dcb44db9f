//! Compares a response with the expectation of its case.

use serde_json::Value;

use super::{Names, Outcome, Reply};
use crate::behaviour;
use crate::case::{Case, Expect};

/// What a response means for its case.
pub(super) struct Judgement {
    pub(super) outcome: Outcome,
    pub(super) reply: Reply,
    /// The reason if it did not pass, or how it differs if it is observed.
    pub(super) text: String,
    /// Which of two values counted, if the case asks that.
    pub(super) counted: &'static str,
}

/// How responses are judged.
pub(super) struct Rules<'a> {
    /// Whether rule names are judged even if `names` does not map them.
    pub(super) all: bool,
    pub(super) names: &'a Names,
}

/// Judges the response to `case`. If the case is only observed, a response of either verdict is enough.
pub(super) fn judge(case: &Case, answer: &Value, is_observed: bool, rules: &Rules<'_>) -> Judgement {
    let counted = answer.get("ok").and_then(|ok| Some(behaviour::of_case(&case.id)?.tell(ok))).unwrap_or("");
    let (reply, fault) = match read(answer) {
        Err(fault) => {
            return Judgement { outcome: Outcome::Fail, reply: Reply::Nothing, text: fault, counted };
        }
        Ok(read) => match &case.expect {
            Expect::Accept { ok } => accepted(ok, read),
            Expect::Reject { rule, .. } => rejected(rule, read, rules),
        },
    };
    let outcome = match &fault {
        _ if is_observed => Outcome::Observed,
        None => Outcome::Pass,
        Some(_) => Outcome::Fail,
    };
    Judgement { outcome, reply, text: fault.unwrap_or_default(), counted }
}

#[derive(Clone, Copy)]
enum Read<'a> {
    Ok(&'a Value),
    Reject(&'a Value),
}

/// The response, or why it is not one.
fn read(answer: &Value) -> Result<Read<'_>, String> {
    if !answer["error"].is_null() {
        return Err(format!("the program could not read the request: {}", answer["error"]));
    }
    if answer["unsupported"] == true {
        return Err("the program claims the operation but does not support it".to_owned());
    }
    let reject = answer.get("reject").filter(|reject| reject.is_object());
    match (answer.get("ok"), reject) {
        (Some(_), Some(_)) => Err("the response has both ok and reject".to_owned()),
        (Some(ok), None) => Ok(Read::Ok(ok)),
        (None, Some(reject)) => Ok(Read::Reject(reject)),
        (None, None) => Err("the response has neither ok nor reject".to_owned()),
    }
}

fn accepted(wanted: &Value, read: Read<'_>) -> (Reply, Option<String>) {
    match read {
        Read::Reject(reject) => (Reply::Rejected, Some(format!("expected ok, got reject: {reject}"))),
        Read::Ok(ok) => match difference(wanted, ok, "") {
            None => (Reply::Accepted, None),
            Some(difference) => (Reply::Other, Some(difference)),
        },
    }
}

fn rejected(rule: &str, read: Read<'_>, rules: &Rules<'_>) -> (Reply, Option<String>) {
    let reject = match read {
        Read::Ok(ok) => {
            return (Reply::Accepted, Some(format!("expected a reject by {rule}, got ok: {ok}")));
        }
        Read::Reject(reject) => reject,
    };
    let named = &reject["rule"];
    let fault = match rules.names.for_rule(rule) {
        Some(known) => {
            let is_known = named.as_str().is_some_and(|named| known.contains(named));
            let known = || known.iter().copied().collect::<Vec<_>>().join(", ");
            (!is_known).then(|| format!("expected a reject by {rule} (mapped to {}), got {named}", known()))
        }
        None => (rules.all && named != rule).then(|| format!("expected a reject by {rule}, got {named}")),
    };
    (Reply::Rejected, fault)
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

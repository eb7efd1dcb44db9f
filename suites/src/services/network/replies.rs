//! Expectations and readers of answers that several families of checks share.

use assay_spec::json::is_integer;
use assay_spec::network::places::MESSAGE_CREATION;
use assay_spec::value::ValueKind;
use serde_json::Value;

use super::caller::Caller;
use super::creations::hashes;
use super::scene::{list_of, look, polled};
use super::wire::{Call, Draft, now};
use super::{ACCEPTED, REJECTED};
use crate::harness::check::{Checked, Stop};
use crate::harness::data::{At, Want};
use crate::harness::probe::{Answer, Probe};

/// Sends a creating call, and expects `status` `success` and the message's `item_hash` in the answer. If the call is not
/// accepted, the check is inconclusive.
pub(super) async fn expect_created(probe: &Probe<'_>, draft: &Draft) -> Checked {
    expect_creation(probe, &draft.send(probe).await?, draft).await
}

/// As [`expect_created`], of a message with each uncommon content that its row accepts.
pub(super) async fn expect_uncommon(
    probe: &Probe<'_>,
    draft: impl AsyncFn() -> Result<Draft, Stop>,
) -> Checked {
    for value in probe.uncommon_values() {
        let good = draft().await?;
        let content = value.instead_of(&good.message["content"]);
        let draft = good.with("content", content);
        let answer = draft.send(probe).await?;
        answer.expect_not_malformed("content", value)?;
        expect_creation(probe, &answer, &draft).await?;
    }
    Ok(())
}

/// As [`expect_created`], of a call that was sent.
pub(super) async fn expect_creation(probe: &Probe<'_>, answer: &Answer<'_>, draft: &Draft) -> Checked {
    answer.given_status(ACCEPTED)?;
    answer.expect_json("/item_hash", "a string that is not empty", is_text)?;
    answer.expect_json("/status", "\"success\"", |status| status == "success")?;
    let signature = draft.signature();
    expect_hash(probe, answer, &draft.caller, |record| record["signature"] == *signature).await
}

/// Expects `item_hash` to be that of the sender's message: it is another one if no message has it, and the sender's list shows
/// the message with a hash under which it is found. Whether a message is found at all is the subject of another check.
pub(super) async fn expect_hash(
    probe: &Probe<'_>,
    answer: &Answer<'_>,
    sender: &Caller,
    is_sent: impl Fn(&Value) -> bool,
) -> Checked {
    let returned = answer.json()["item_hash"].as_str().unwrap_or_default().to_owned();
    if look(probe, &returned).await?.status() != 404 {
        return Ok(());
    }
    let listed = list_of(probe, sender, &[]).await?.items;
    let listed = listed.iter().find(|record| is_sent(record)).and_then(|record| record["item_hash"].as_str());
    let Some(hash) = listed.filter(|hash| *hash != returned) else { return Ok(()) };
    let is_found = look(probe, hash).await?.status() == 200;
    answer.expect(!is_found, "/item_hash", hash, &returned)
}

/// Sends a call until its answer is ready. A shared target may need some time to process what was written.
pub(super) async fn until<'p>(
    probe: &'p Probe<'_>,
    call: Call,
    is_ready: impl Fn(&Answer<'_>) -> bool,
) -> Result<Answer<'p>, Stop> {
    polled(probe, async || call.clone().send(probe).await, is_ready).await
}

/// As [`until`] the answer is 200. If it never is, the check is inconclusive.
pub(super) async fn found<'p>(probe: &'p Probe<'_>, call: Call) -> Result<Answer<'p>, Stop> {
    let answer = until(probe, call, |answer| answer.status() == 200).await?;
    answer.given_status(&[200])?;
    Ok(answer)
}

/// Expects a documented rejection, or a 200 whose body `holds` accepts.
pub(super) fn expect_rejected_or(
    answer: &Answer<'_>,
    otherwise: &str,
    holds: impl Fn(&Value) -> bool,
) -> Checked {
    expect_one_of(answer, REJECTED, format!("a rejection, or {otherwise}"), holds)
}

/// As [`expect_rejected_or`], where only 404 is a rejection.
pub(super) fn expect_absent_or(
    answer: &Answer<'_>,
    otherwise: &str,
    holds: impl Fn(&Value) -> bool,
) -> Checked {
    expect_one_of(answer, &[404], format!("404, or {otherwise}"), holds)
}

fn expect_one_of(
    answer: &Answer<'_>,
    refused: &[u16],
    wanted: String,
    holds: impl Fn(&Value) -> bool,
) -> Checked {
    let status = answer.status();
    let is_other = status == 200 && holds(&answer.json());
    let got = format!("{status}: {}", answer.response.text());
    answer.expect(refused.contains(&status) || is_other, "answer", wanted, got)
}

/// Expects that no message with a wrong value of one of these members of its content is processed, and that one without is
/// accepted. `draft` makes a valid message. An open value may be read as the type of the table. Where not all values are sent,
/// each is sent for one of the members.
pub(super) async fn expect_typed(
    probe: &Probe<'_>,
    draft: impl AsyncFn() -> Result<Draft, Stop>,
    members: &[&str],
) -> Checked {
    let good = draft().await?;
    good.counterpart(probe).await?;
    for (n, wrong) in probe.wrong_values().enumerate() {
        let one = n % members.len();
        let members = if probe.sends_all() { members } else { &members[one..=one] };
        for member in members {
            let value = wrong.instead_of(&good.message["content"][member]);
            let bad = draft().await?.inside(member, value);
            expect_unprocessed(probe, &good, &bad, member, wrong).await?;
        }
    }
    Ok(())
}

/// Sends a message whose `member` has a wrong value, and expects that it is not processed: it is rejected at once or later. An
/// open value may be read as the type of the table. `good` is the valid message beside it.
pub(super) async fn expect_unprocessed(
    probe: &Probe<'_>,
    good: &Draft,
    bad: &Draft,
    member: &str,
    wrong: &ValueKind,
) -> Checked {
    let answer = bad.attempt(probe).await?;
    let status = answer.status();
    let rejection = probe.rejection();
    let is_open = !wrong.may_be_accepted.is_empty();
    let is_allowed = rejection.statuses.contains(&status) || ACCEPTED.contains(&status);
    let at = At::status_named(format!("status for {member} = {}", wrong.name));
    answer.expect(
        is_allowed || is_open && status < 500,
        at,
        Want::rejected(rejection),
        status.to_string(),
    )?;
    if !ACCEPTED.contains(&status) {
        return Ok(());
    }
    if is_open {
        probe.note("the target accepts a value of another type and may read it as the type of the table");
        return Ok(());
    }
    let is_named = is_text(&answer.json()["item_hash"]);
    if !is_named {
        // Checks may share one counterpart, which another sender has sent.
        good.attempt(probe).await?.given_status(ACCEPTED)?;
        let read = async || list_of(probe, &good.caller, &[]).await;
        let listed = polled(probe, read, |list| !list.items.is_empty()).await?;
        probe.given(!listed.items.is_empty(), "the list of the valid message's sender is empty")?;
    }
    let named = hashes(probe, &answer, &bad.caller).await?;
    if named.is_empty() {
        // A registration is accepted without a hash, and a list may leave out what was rejected later. A node that rejects the
        // same message at once elsewhere decides at once.
        let elsewhere = bad.clone().at(MESSAGE_CREATION[0]).attempt(probe).await?;
        if rejection.statuses.contains(&elsewhere.status()) {
            let registered = answer.json()["webhook_id"].clone();
            let want = "none: `POST /messages` rejects the message";
            answer.expect(registered.is_null(), "/webhook_id", want, registered.to_string())?;
        }
        let said = "a message that breaks a rule is accepted, and is in no list of its sender";
        return Err(Stop::Inconclusive(said.to_owned()));
    }
    for hash in named {
        let read = look(probe, &hash).await?;
        read.given_status(&[200])?;
        let state = read.json()["status"].as_str().unwrap_or_default().to_owned();
        let is_decided = ["processed", "rejected"].contains(&state.as_str());
        read.given(is_decided, format!("a message that breaks a rule is {state:?}"))?;
        let want = "not `processed`: the message breaks a rule";
        read.expect(state != "processed", "/status", want, state.clone())?;
        probe.note(format!("a message that breaks a rule is accepted, then {state}"));
    }
    Ok(())
}

/// A string that is not empty.
pub(super) fn is_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

/// An integer of seconds since the epoch: neither milliseconds nor a duration.
pub(super) fn is_seconds(value: &Value) -> bool {
    is_integer(value) && is_epoch(value)
}

/// Expects the time of a write of this run: an integer of seconds, at most an hour from the target's clock.
pub(super) async fn expect_recent(probe: &Probe<'_>, answer: &Answer<'_>, pointer: &str) -> Checked {
    let now = now(probe).await?.seconds();
    let want = format!("an integer of seconds, at most an hour from {now}");
    let is_recent = |at: &Value| at.as_f64().is_some_and(|at| (at - now as f64).abs() <= RECENT_S);
    answer.expect_json(pointer, &want, |at| is_seconds(at) && is_recent(at)).map(drop)
}

/// A paced run may read a write some minutes later, and a constant is days away.
const RECENT_S: f64 = 3_600.0;

/// A number of seconds since the epoch, from 2001 until far from now.
pub(super) fn is_epoch(value: &Value) -> bool {
    value.as_f64().is_some_and(|seconds| (1e9..1e11).contains(&seconds))
}

/// A string that is this address; letter case is ignored.
pub(super) fn is_address(value: &Value, address: &str) -> bool {
    value.as_str().is_some_and(|text| text.eq_ignore_ascii_case(address))
}

/// The elements of a list whose container the document does not show: an array, or the arrays of objects in an object.
pub(super) fn elements(body: &Value) -> Option<Vec<Value>> {
    match body {
        Value::Array(items) => Some(items.clone()),
        Value::Object(members) => {
            // The document leaves further members open.
            let is_list = |items: &&Vec<Value>| items.iter().all(Value::is_object);
            let arrays: Vec<&Vec<Value>> =
                members.values().filter_map(Value::as_array).filter(is_list).collect();
            (!arrays.is_empty()).then(|| arrays.into_iter().flatten().cloned().collect())
        }
        _ => None,
    }
}

/// Whether a string is a value anywhere in a body.
pub(super) fn holds_text(body: &Value, text: &str) -> bool {
    match body {
        Value::String(other) => other == text,
        Value::Array(items) => items.iter().any(|item| holds_text(item, text)),
        Value::Object(members) => members.values().any(|member| holds_text(member, text)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn elements_are_in_an_array_or_in_the_arrays_of_an_object() {
        assert_eq!(elements(&json!([1, 2])).map(|found| found.len()), Some(2));
        let object = json!({ "a": [{}], "n": 7, "b": [{ "c": 1 }, {}], "extra": [null, 1] });
        assert_eq!(elements(&object).map(|found| found.len()), Some(3));
        assert_eq!(elements(&json!({ "error": "none" })), None);
        assert_eq!(elements(&json!("text")), None);
    }

    #[test]
    fn seconds_are_neither_milliseconds_nor_strings() {
        assert!(is_seconds(&json!(1_760_000_000)) && is_epoch(&json!(1_760_000_000.5)));
        for other in [json!(1_760_000_000_000_i64), json!(60), json!("1760000000"), json!(1_760_000_000.5)] {
            assert!(!is_seconds(&other), "{other}");
        }
    }

    #[test]
    fn strings_are_found_at_any_depth() {
        let body = json!({ "data": [{ "key": { "label": "x" } }] });
        assert!(holds_text(&body, "x") && !holds_text(&body, "label"));
    }
}

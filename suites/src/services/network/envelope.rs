//! The envelope of creating calls: each single fault is rejected and its valid counterpart is accepted.

use assay_spec::Place;
use assay_spec::network::requirements::envelope as rows;
use assay_spec::value::ValueKind;
use serde_json::{Value, json};

use super::ACCEPTED;
use super::caller::caller;
use super::creations::{Creation, hashes};
use super::replies::{expect_hash, expect_unprocessed, is_text};
use super::scene::{look, post_draft};
use super::valid::prepared;
use super::wire::Draft;
use crate::harness::check::{Checked, rejects, shows};
use crate::harness::data::{At, Want};
use crate::harness::probe::Probe;
use crate::support::spelling::spelled_as;

/// Sends valid bodies to each endpoint that takes one of several members, in other spellings of their JSON: members in another order, white space, escapes
/// that need not be. A message is spelled as it is signed. Each must be accepted.
#[shows(rows::SPELLING, uses_up, after(rows::BODY))]
async fn other_spellings_of_a_body_are_accepted(probe: &Probe<'_>, place: Place) -> Checked {
    let send = async |spelling: Option<&ValueKind>| {
        let mut call = prepared(probe, place).await?.call;
        if let Some(spelling) = spelling {
            let body: Value = serde_json::from_slice(&call.request.body).unwrap_or_default();
            call.request.body = spelled_as(&body, spelling, "message").into();
        }
        call.send(probe).await
    };
    let send_or_plain = async |spelling| {
        let answer = send(Some(spelling)).await?;
        if answer.is_malformed() {
            send(None).await?.given_status(ACCEPTED)?;
        }
        Ok(answer)
    };
    probe.each_value(send_or_plain, |answer, _| answer.expect_status(ACCEPTED)).await
}

/// Expects each wrong value of a member of the message to be rejected. The message is signed with the value.
async fn inside(probe: &Probe<'_>, place: Place, member: &str) -> Checked {
    each_is_refused(probe, place, member, |draft, wrong| {
        let value = wrong.instead_of(&draft.message[member]);
        draft.with(member, value)
    })
    .await
}

/// Expects each wrong value of a member of the envelope to be rejected.
async fn outside(probe: &Probe<'_>, place: Place, member: &'static str) -> Checked {
    each_is_refused(probe, place, member, |draft, wrong| {
        let value = wrong.instead_of(&json!(draft.caller.address));
        draft.outside(member, value)
    })
    .await
}

/// Expects each wrong value of something to be rejected.
async fn each_is_refused(
    probe: &Probe<'_>,
    place: Place,
    what: &str,
    changed: impl Fn(Draft, &ValueKind) -> Draft,
) -> Checked {
    let creation = Creation::rejected(probe, place).await?;
    let good = creation.counterpart(probe).await?;
    for wrong in probe.some_at(place, probe.wrong_values()) {
        let bad = changed(creation.draft(probe).await?, wrong);
        expect_unprocessed(probe, &good, &bad, what, wrong).await?;
    }
    Ok(())
}

/// Posts bodies that are empty, not JSON, not an object, or cut short. Each must be rejected; a valid message is
/// accepted.
#[rejects(rows::BODY)]
async fn body_that_is_not_an_object_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    let good = Creation::rejected(probe, place).await?.counterpart(probe).await?;
    let whole = good.body();
    let half = &whole[..whole.len() - 1];
    for body in probe.some_at(place, ["", "no JSON", "null", "[]", "\"text\"", half]) {
        good.attempt_body(probe, body).await?.expect_refused()?;
    }
    Ok(())
}

/// Sends envelopes whose `message` is missing or of another type; each is signed as it is sent. Each must be rejected; a valid
/// message is accepted.
#[rejects(rows::MESSAGE)]
async fn message_that_is_not_an_object_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    each_is_refused(probe, place, "message", |mut draft, wrong| match wrong.instead_of(&draft.message) {
        // It is signed as it is.
        Some(message) => {
            draft.message = message;
            draft
        }
        None => draft.outside("message", None),
    })
    .await
}

/// Sends envelopes whose `signature` is of another type. Each must be rejected; a valid message is accepted. Whether
/// `signature` may be missing is left open and not tested.
#[rejects(rows::SIGNATURE)]
async fn signature_that_is_not_a_string_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    outside(probe, place, "signature").await
}

/// Sends envelopes whose `address` is missing, empty or of another type. Each must be rejected; a valid message is accepted.
#[rejects(rows::ADDRESS)]
async fn address_that_is_not_a_string_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    outside(probe, place, "address").await
}

/// Sends messages whose `chain` is of another type. None may be processed: it is rejected at once or later. A number may be
/// read as a string. A valid message is accepted.
#[rejects(rows::CHAIN)]
async fn chain_that_is_not_a_string_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    inside(probe, place, "chain").await
}

/// Sends messages whose `channel` is of another type. None may be processed: it is rejected at once or later. A number may be
/// read as a string. A valid message is accepted. A missing `channel` may mean the default channel and is not tested here.
#[rejects(rows::CHANNEL)]
async fn channel_that_is_not_a_string_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    inside(probe, place, "channel").await
}

/// Sends messages whose `type` is missing, null or of another type. Each must be rejected; a valid message is accepted.
#[rejects(rows::TYPE)]
async fn type_that_is_not_a_string_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    inside(probe, place, "type").await
}

/// Sends messages whose `type` is `ASSAY` or `POST_UPDATE`. The document does not say that its list of types is complete:
/// each may be rejected, at once or later, or be kept with the type that was sent. A valid message is accepted.
#[rejects(rows::TYPE_KNOWN)]
async fn unknown_type_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    let creation = Creation::rejected(probe, place).await?;
    creation.counterpart(probe).await?;
    for kind in probe.some_at(place, ["ASSAY", "POST_UPDATE"]) {
        let draft = creation.draft(probe).await?.with("type", Some(json!(kind)));
        let answer = draft.attempt(probe).await?;
        let (status, rejection) = (answer.status(), probe.rejection());
        let is_allowed = rejection.statuses.contains(&status) || ACCEPTED.contains(&status);
        answer.expect(is_allowed, At::status(), Want::rejected(rejection), status.to_string())?;
        if !ACCEPTED.contains(&status) {
            continue;
        }
        answer.given_accepted(ACCEPTED, creation.evidence())?;
        for hash in hashes(probe, &answer, &draft.caller).await? {
            let read = look(probe, &hash).await?;
            read.given_status(&[200])?;
            let body = read.json();
            let is_decided = body["status"] == "processed" || body["status"] == "rejected";
            read.given(is_decided, format!("a message of the type {kind} is {}", body["status"]))?;
            let is_kept = body["status"] != "processed" || body["message"]["type"] == kind;
            read.expect(is_kept, "/message/type", kind, body["message"]["type"].to_string())?;
            probe.note(format!("a message of the type {kind} is accepted, then {}", body["status"]));
        }
    }
    Ok(())
}

/// Sends messages whose `timestamp` is missing, null or of another type. Each must be rejected; a valid message is accepted.
#[rejects(rows::TIMESTAMP)]
async fn timestamp_that_is_not_an_integer_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    inside(probe, place, "timestamp").await
}

/// Sends messages whose `content` is missing, null or of another type. Each must be rejected; a valid message is accepted.
#[rejects(rows::CONTENT)]
async fn content_that_is_not_an_object_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    inside(probe, place, "content").await
}

/// Sends a POST. The answer's `item_hash` must be a string that is not empty, and that of the message.
#[shows(rows::REPLY_HASH)]
async fn creation_returns_a_hash(probe: &Probe<'_>) -> Checked {
    let sender = caller(probe);
    let answer = post_draft(probe, &sender).await?.send(probe).await?;
    answer.given_status(ACCEPTED)?;
    answer.expect_json("/item_hash", "a string that is not empty", is_text)?;
    expect_hash(probe, &answer, &sender, |_| true).await
}

/// Sends a POST. The answer's `status` must be `success`.
#[shows(rows::REPLY_STATUS)]
async fn creation_returns_success(probe: &Probe<'_>) -> Checked {
    let answer = post_draft(probe, &caller(probe)).await?.send(probe).await?;
    answer.given_status(ACCEPTED)?;
    if answer.status() != 200 {
        probe.note(format!("a creation returns {}", answer.status()));
    }
    answer.expect_json("/status", "\"success\"", |status| status == "success").map(drop)
}

/// Sends a valid message to each endpoint that has a type of its own, and then the same with the type POST. The first must
/// be accepted and the second rejected, at once or later.
#[rejects(rows::TYPE_OF_ENDPOINT)]
async fn endpoint_rejects_types_other_than_its_own(probe: &Probe<'_>, place: Place) -> Checked {
    const POST: &ValueKind = &ValueKind::near("POST", |_| None);
    let creation = Creation::rejected(probe, place).await?;
    let good = creation.counterpart(probe).await?;
    let bad = creation.draft(probe).await?.with("type", Some(json!("POST")));
    expect_unprocessed(probe, &good, &bad, "type", POST).await
}

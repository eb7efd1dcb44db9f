//! The envelope of creating calls: each single fault is rejected and its valid counterpart is accepted.

use assay_spec::endpoint::Endpoint;
use assay_spec::network::requirements::envelope as rows;
use assay_spec::network::{aggregate, instance, message, pin, program, webhook};
use serde_json::{Value, json};

use super::caller::{Caller, caller};
use super::refusals;
use super::replies::expect_unprocessed;
use super::wire::{Call, Draft, now};
use super::{ACCEPTED, CREATED, counterpart, instances, look, post_draft, programs, storage, webhooks};
use crate::check::{Check, Checked, Stop};
use crate::probe::{Answer, Probe};
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    refuses!(rows::BODY, body_that_is_not_an_object_is_rejected, refusals::ENVELOPE).costs(7, 0, 0).writes(7),
    refuses!(rows::MESSAGE, message_that_is_not_an_object_is_rejected, refusals::ENVELOPE)
        .costs(6, 0, 0)
        .writes(6),
    refuses!(rows::SIGNATURE, signature_that_is_not_a_string_is_rejected, refusals::ENVELOPE)
        .costs(4, 0, 0)
        .writes(4),
    refuses!(rows::ADDRESS, address_that_is_not_a_string_is_rejected, refusals::ENVELOPE)
        .costs(5, 0, 0)
        .writes(5),
    refuses!(rows::CHAIN, chain_that_is_not_a_string_is_rejected, refusals::TYPED).costs(4, 0, 0).writes(4),
    refuses!(rows::CHANNEL, channel_that_is_not_a_string_is_rejected, refusals::TYPED)
        .costs(4, 0, 0)
        .writes(4),
    refuses!(rows::TYPE, type_that_is_not_a_string_is_rejected, refusals::ENVELOPE).costs(5, 0, 0).writes(5),
    refuses!(rows::TYPE_KNOWN, unknown_type_is_rejected, refusals::OPEN_LIST).costs(3, 0, 0).writes(3),
    refuses!(rows::TYPE_OF_ENDPOINT, endpoint_rejects_types_other_than_its_own, refusals::OTHER_TYPE)
        .costs(12, 0, 0)
        .elsewhere(13)
        .writes(11),
    refuses!(rows::TIMESTAMP, timestamp_that_is_not_an_integer_is_rejected, refusals::ENVELOPE)
        .costs(6, 0, 0)
        .writes(6),
    refuses!(rows::CONTENT, content_that_is_not_an_object_is_rejected, refusals::ENVELOPE)
        .costs(6, 0, 0)
        .writes(6),
    shows!(rows::REPLY_HASH, creation_returns_a_hash).costs(1, 0, 0).writes(1),
    shows!(rows::REPLY_STATUS, creation_returns_success).costs(1, 0, 0).writes(1),
];

/// Values that replace a member, one after the other; `None` removes it.
type Values<'a> = &'a [Option<Value>];

/// Expects each value of a member of the message to be rejected. The message is signed with the value.
async fn inside(probe: &Probe<'_>, member: &str, values: Values<'_>) -> Checked {
    counterpart(probe).await?;
    for value in values {
        let draft = post_draft(probe, &caller(probe)).await?.with(member, value.clone());
        draft.attempt(probe).await?.expect_refused()?;
    }
    Ok(())
}

/// Expects each value of a member of the envelope to be rejected.
async fn outside(probe: &Probe<'_>, member: &'static str, values: Values<'_>) -> Checked {
    counterpart(probe).await?;
    for value in values {
        let draft = post_draft(probe, &caller(probe)).await?.outside(member, value.clone());
        draft.attempt(probe).await?.expect_refused()?;
    }
    Ok(())
}

/// Posts bodies that are empty, not JSON, not an object, or cut short. Each must be rejected; an ordinary POST is
/// accepted.
async fn body_that_is_not_an_object_is_rejected(probe: &Probe<'_>) -> Checked {
    counterpart(probe).await?;
    let whole = post_draft(probe, &caller(probe)).await?.body();
    let half = &whole[..whole.len() - 1];
    for body in ["", "no JSON", "null", "[]", "\"text\"", half] {
        Call::post(&message::CREATE, "/messages", body).attempt(probe).await?.expect_refused()?;
    }
    Ok(())
}

/// Sends envelopes whose `message` is missing, an array, a number, null or a string; each is signed as it is sent. Each
/// must be rejected; an ordinary POST is accepted.
async fn message_that_is_not_an_object_is_rejected(probe: &Probe<'_>) -> Checked {
    counterpart(probe).await?;
    let whole = post_draft(probe, &caller(probe)).await?;
    let text = whole.message.to_string();
    is_rejected(probe, &whole.outside("message", None)).await?;
    // Each is signed as it is.
    for message in [json!([]), json!(1), Value::Null, json!(text)] {
        let mut draft = post_draft(probe, &caller(probe)).await?;
        draft.message = message;
        is_rejected(probe, &draft).await?;
    }
    Ok(())
}

async fn is_rejected(probe: &Probe<'_>, draft: &Draft) -> Checked {
    draft.attempt(probe).await?.expect_refused()
}

/// Sends envelopes whose `signature` is a number, an object or an array. Each must be rejected; an ordinary POST is
/// accepted. Whether `signature` may be missing is left open and not tested.
async fn signature_that_is_not_a_string_is_rejected(probe: &Probe<'_>) -> Checked {
    outside(probe, "signature", &[Some(json!(1)), Some(json!({})), Some(json!(["0x"]))]).await
}

/// Sends envelopes whose `address` is missing, empty, a number or an array. Each must be rejected; an ordinary POST is
/// accepted.
async fn address_that_is_not_a_string_is_rejected(probe: &Probe<'_>) -> Checked {
    outside(probe, "address", &[None, Some(json!(1)), Some(json!("")), Some(json!(["0x01"]))]).await
}

/// Expects that a POST with one of these values is not processed. A number may be read as a string.
async fn typed(probe: &Probe<'_>, member: &str, values: [Value; 3]) -> Checked {
    let good = post_draft(probe, &caller(probe)).await?;
    good.send(probe).await?.counterpart_status(ACCEPTED)?;
    for value in values {
        let reads = value.is_number();
        let bad = post_draft(probe, &caller(probe)).await?.with(member, Some(value));
        expect_unprocessed(probe, &good, &bad, reads).await?;
    }
    Ok(())
}

/// Sends messages whose `chain` is a number, an object or an array. None may be processed: it is rejected at once or
/// later. The number may be read as a string. An ordinary POST is accepted.
async fn chain_that_is_not_a_string_is_rejected(probe: &Probe<'_>) -> Checked {
    typed(probe, "chain", [json!(1), json!({}), json!(["ETH"])]).await
}

/// Sends messages whose `channel` is a number, an object or an array. None may be processed: it is rejected at once or
/// later. The number may be read as a string. An ordinary POST is accepted. A missing `channel` may mean the default
/// channel and is not tested here.
async fn channel_that_is_not_a_string_is_rejected(probe: &Probe<'_>) -> Checked {
    typed(probe, "channel", [json!(1), json!({}), json!(["SVC"])]).await
}

/// Sends messages whose `type` is missing, a number, null or an array. Each must be rejected; an ordinary POST is
/// accepted.
async fn type_that_is_not_a_string_is_rejected(probe: &Probe<'_>) -> Checked {
    inside(probe, "type", &[None, Some(json!(1)), Some(Value::Null), Some(json!(["POST"]))]).await
}

/// Sends messages whose `type` is `ASSAY` or `POST_UPDATE`. The document does not say that its list of types is complete:
/// each may be rejected, at once or later, or be kept with the type that was sent. An ordinary POST is accepted.
async fn unknown_type_is_rejected(probe: &Probe<'_>) -> Checked {
    counterpart(probe).await?;
    for kind in ["ASSAY", "POST_UPDATE"] {
        let answer =
            post_draft(probe, &caller(probe)).await?.with("type", Some(json!(kind))).attempt(probe).await?;
        let (status, refusal) = (answer.status(), probe.refusal());
        let is_allowed = refusal.statuses.contains(&status) || ACCEPTED.contains(&status);
        answer.expect(is_allowed, "status", refusal.allowed(), status.to_string())?;
        if !ACCEPTED.contains(&status) {
            continue;
        }
        answer.given_accepted(ACCEPTED, CREATED)?;
        let hash = answer.json()["item_hash"].as_str().unwrap_or_default().to_owned();
        let read = look(probe, &hash).await?;
        read.given_status(&[200])?;
        let body = read.json();
        let is_decided = body["status"] == "processed" || body["status"] == "rejected";
        read.given(is_decided, format!("a message of the type {kind} is {}", body["status"]))?;
        let is_kept = body["status"] != "processed" || body["message"]["type"] == kind;
        read.expect(is_kept, "/message/type", kind, body["message"]["type"].to_string())?;
        probe.note(format!("a message of the type {kind} is accepted, then {}", body["status"]));
    }
    Ok(())
}

/// Sends messages whose `timestamp` is missing, a string, a boolean, null or an object. Each must be rejected; an
/// ordinary POST is accepted.
async fn timestamp_that_is_not_an_integer_is_rejected(probe: &Probe<'_>) -> Checked {
    let text = (now(probe).await?.seconds()).to_string();
    inside(
        probe,
        "timestamp",
        &[None, Some(json!(text)), Some(json!(true)), Some(Value::Null), Some(json!({}))],
    )
    .await
}

/// Sends messages whose `content` is missing, a number, an array, null or a string. Each must be rejected; an ordinary
/// POST is accepted.
async fn content_that_is_not_an_object_is_rejected(probe: &Probe<'_>) -> Checked {
    inside(probe, "content", &[None, Some(json!(1)), Some(json!([])), Some(Value::Null), Some(json!("{}"))])
        .await
}

/// Sends a POST. The answer's `item_hash` must be a string that is not empty.
async fn creation_returns_a_hash(probe: &Probe<'_>) -> Checked {
    let answer = post_draft(probe, &caller(probe)).await?.send(probe).await?;
    answer.given_status(ACCEPTED)?;
    let is_hash = |hash: &Value| hash.as_str().is_some_and(|hash| !hash.is_empty());
    answer.expect_json("/item_hash", "a string that is not empty", is_hash).map(drop)
}

/// Sends a POST. The answer's `status` must be `success`.
async fn creation_returns_success(probe: &Probe<'_>) -> Checked {
    let answer = post_draft(probe, &caller(probe)).await?.send(probe).await?;
    answer.given_status(ACCEPTED)?;
    if answer.status() != 200 {
        probe.note(format!("a creation returns {}", answer.status()));
    }
    answer.expect_json("/status", "\"success\"", |status| status == "success").map(drop)
}

/// Sends valid content to each creating endpoint that has its own type, first with that type, then with the type POST.
/// The first must be accepted and the second rejected; endpoints that the target does not offer are skipped.
async fn endpoint_rejects_types_other_than_its_own(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe);
    let mut looked_at = 0;
    for creating in CREATING {
        let Some((good, _)) = created_at(probe, &caller, creating).await? else { continue };
        let other = good.with("type", Some(json!("POST")));
        other.attempt(probe).await?.expect_refused()?;
        looked_at += 1;
    }
    if looked_at == 0 {
        return Err(Stop::NotApplicable("the target has no endpoint that names its type".to_owned()));
    }
    Ok(())
}

/// Sends valid content of `caller` to a creating endpoint, as the counterpart. Returns what was sent, with the answer.
/// `None`: the target does not offer the endpoint.
pub(super) async fn created_at<'p>(
    probe: &'p Probe<'_>,
    caller: &Caller,
    (endpoint, path, kind): Creating,
) -> Result<Option<(Draft, Answer<'p>)>, Stop> {
    if !probe.settings.network.offers(endpoint) {
        return Ok(None);
    }
    let content = content(probe, caller, kind).await?;
    let good = Draft::new(probe, caller, kind, content).await?.to(endpoint, "POST", path);
    let answer = match good.send(probe).await {
        Err(Stop::NotApplicable(_)) => return Ok(None),
        answer => answer?,
    };
    answer.counterpart_status(ACCEPTED)?;
    Ok(Some((good, answer)))
}

/// A creating endpoint, its path below the API's prefix, and its type.
type Creating = (&'static Endpoint, &'static str, &'static str);

/// Creating endpoints that name their type and need nothing that exists before.
pub(super) const CREATING: [Creating; 5] = [
    (&aggregate::CREATE, "/aggregates", "AGGREGATE"),
    (&program::CREATE, "/programs", "PROGRAM"),
    (&instance::CREATE, "/instances", "INSTANCE"),
    (&pin::PIN, "/ipfs/pin", "IPFS_PIN"),
    (&webhook::CREATE, "/webhooks", "WEBHOOK"),
];

/// Valid content of that type.
async fn content(probe: &Probe<'_>, caller: &Caller, kind: &str) -> Result<Value, Stop> {
    Ok(match kind {
        "AGGREGATE" => json!({ "address": caller.address, "key": "check", "content": { "a": 1 } }),
        "PROGRAM" => programs::content(probe),
        "INSTANCE" => instances::content(probe),
        "IPFS_PIN" => json!({ "hash": storage::stored(probe, caller).await?.name(probe).await? }),
        _ => webhooks::content(probe, "program.executed"),
    })
}

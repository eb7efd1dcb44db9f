//! The envelope of creating calls: each fault alone is refused, each with its valid counterpart, and what the answer holds.

use assay_spec::endpoint::Endpoint;
use assay_spec::network::requirements::envelope as rows;
use assay_spec::network::{aggregate, instance, message, pin, program, webhook};
use serde_json::{Value, json};

use super::caller::{Caller, caller};
use super::wire::{Call, Draft, now};
use super::{ACCEPTED, REJECTED, counterpart, post_draft, storage};
use crate::check::{Check, Checked, Stop};
use crate::probe::Probe;
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    refuses!(rows::BODY, a_body_that_is_no_object_is_refused).costs(7, 0, 0).writes(7),
    refuses!(rows::MESSAGE, a_message_that_is_no_object_is_refused).costs(6, 0, 0).writes(6),
    refuses!(rows::SIGNATURE, a_signature_that_is_no_text_is_refused).costs(4, 0, 0).writes(4),
    refuses!(rows::ADDRESS, an_address_that_is_no_text_is_refused).costs(5, 0, 0).writes(5),
    refuses!(rows::CHAIN, a_chain_that_is_no_text_is_refused).costs(5, 0, 0).writes(5),
    refuses!(rows::CHANNEL, a_channel_that_is_no_text_is_refused).costs(4, 0, 0).writes(4),
    refuses!(rows::TYPE, a_type_that_is_no_text_is_refused).costs(5, 0, 0).writes(5),
    refuses!(rows::TYPE_KNOWN, a_type_besides_the_ten_is_refused).costs(4, 0, 0).writes(4),
    refuses!(rows::TYPE_OF_ENDPOINT, an_endpoint_refuses_other_types_than_its_own)
        .costs(12, 0, 0)
        .elsewhere(13)
        .writes(11),
    refuses!(rows::TIMESTAMP, a_timestamp_that_is_no_integer_is_refused).costs(6, 0, 0).writes(6),
    refuses!(rows::CONTENT, a_content_that_is_no_object_is_refused).costs(6, 0, 0).writes(6),
    shows!(rows::REPLY_HASH, a_creation_is_answered_by_a_hash).costs(1, 0, 0).writes(1),
    shows!(rows::REPLY_STATUS, a_creation_is_answered_by_success).costs(1, 0, 0).writes(1),
];

/// What stands in a member's place, one after the other; nothing where there is no value.
type Values<'a> = &'a [Option<Value>];

/// Each value in the place of a member of the message is refused; the message is signed with it.
async fn inside(probe: &Probe<'_>, member: &str, values: Values<'_>) -> Checked {
    counterpart(probe).await?;
    for value in values {
        let draft = post_draft(probe, &caller(probe)).await?.with(member, value.clone());
        draft.ask(probe).await?.expect_status(REJECTED)?;
    }
    Ok(())
}

/// Each value in the place of a member of the envelope is refused.
async fn outside(probe: &Probe<'_>, member: &'static str, values: Values<'_>) -> Checked {
    counterpart(probe).await?;
    for value in values {
        let draft = post_draft(probe, &caller(probe)).await?.outside(member, value.clone());
        draft.ask(probe).await?.expect_status(REJECTED)?;
    }
    Ok(())
}

async fn a_body_that_is_no_object_is_refused(probe: &Probe<'_>) -> Checked {
    counterpart(probe).await?;
    let whole = post_draft(probe, &caller(probe)).await?.body();
    let half = &whole[..whole.len() - 1];
    for body in ["", "no JSON", "null", "[]", "\"text\"", half] {
        Call::post(&message::CREATE, "/messages", body).ask(probe).await?.expect_status(REJECTED)?;
    }
    Ok(())
}

async fn a_message_that_is_no_object_is_refused(probe: &Probe<'_>) -> Checked {
    counterpart(probe).await?;
    let whole = post_draft(probe, &caller(probe)).await?;
    let text = whole.message.to_string();
    is_refused(probe, &whole.outside("message", None)).await?;
    // Each is signed as it stands.
    for message in [json!([]), json!(1), Value::Null, json!(text)] {
        let mut draft = post_draft(probe, &caller(probe)).await?;
        draft.message = message;
        is_refused(probe, &draft).await?;
    }
    Ok(())
}

async fn is_refused(probe: &Probe<'_>, draft: &Draft) -> Checked {
    draft.ask(probe).await?.expect_status(REJECTED)
}

/// Whether a signature is needed at all is left open, so it is never missing here.
async fn a_signature_that_is_no_text_is_refused(probe: &Probe<'_>) -> Checked {
    outside(probe, "signature", &[Some(json!(1)), Some(json!({})), Some(json!(["0x"]))]).await
}

async fn an_address_that_is_no_text_is_refused(probe: &Probe<'_>) -> Checked {
    outside(probe, "address", &[None, Some(json!(1)), Some(json!("")), Some(json!(["0x01"]))]).await
}

async fn a_chain_that_is_no_text_is_refused(probe: &Probe<'_>) -> Checked {
    inside(probe, "chain", &[None, Some(json!(1)), Some(json!("")), Some(json!({}))]).await
}

/// Without a channel a message may stand on the default one.
async fn a_channel_that_is_no_text_is_refused(probe: &Probe<'_>) -> Checked {
    inside(probe, "channel", &[Some(json!(1)), Some(json!({})), Some(json!(["SVC"]))]).await
}

async fn a_type_that_is_no_text_is_refused(probe: &Probe<'_>) -> Checked {
    inside(probe, "type", &[None, Some(json!(1)), Some(Value::Null), Some(json!(["POST"]))]).await
}

async fn a_type_besides_the_ten_is_refused(probe: &Probe<'_>) -> Checked {
    inside(probe, "type", &[Some(json!("ASSAY")), Some(json!("")), Some(json!("POST_UPDATE"))]).await
}

async fn a_timestamp_that_is_no_integer_is_refused(probe: &Probe<'_>) -> Checked {
    let text = (now(probe).await?.seconds()).to_string();
    inside(
        probe,
        "timestamp",
        &[None, Some(json!(text)), Some(json!(true)), Some(Value::Null), Some(json!({}))],
    )
    .await
}

async fn a_content_that_is_no_object_is_refused(probe: &Probe<'_>) -> Checked {
    inside(probe, "content", &[None, Some(json!(1)), Some(json!([])), Some(Value::Null), Some(json!("{}"))])
        .await
}

async fn a_creation_is_answered_by_a_hash(probe: &Probe<'_>) -> Checked {
    let answer = post_draft(probe, &caller(probe)).await?.send(probe).await?;
    answer.given_status(ACCEPTED)?;
    let is_hash = |hash: &Value| hash.as_str().is_some_and(|hash| !hash.is_empty());
    answer.expect_json("/item_hash", "a text that is not empty", is_hash).map(drop)
}

async fn a_creation_is_answered_by_success(probe: &Probe<'_>) -> Checked {
    let answer = post_draft(probe, &caller(probe)).await?.send(probe).await?;
    answer.given_status(ACCEPTED)?;
    if answer.status() != 200 {
        probe.note(format!("a creation answers {}", answer.status()));
    }
    answer.expect_json("/status", "\"success\"", |status| status == "success").map(drop)
}

/// Endpoints that name their type, each with a good content. Where a target does not offer one, the others are
/// looked at.
async fn an_endpoint_refuses_other_types_than_its_own(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe);
    let mut looked_at = 0;
    for (endpoint, path, kind) in CREATING {
        if !probe.settings.network.offers(endpoint) {
            continue;
        }
        let content = content(probe, &caller, kind).await?;
        let good = Draft::new(probe, &caller, kind, content).await?.to(endpoint, "POST", path);
        match good.send(probe).await {
            Err(Stop::NotApplicable(_)) => continue,
            answer => answer?.counterpart_status(ACCEPTED)?,
        }
        let other = good.with("type", Some(json!("POST")));
        other.ask(probe).await?.expect_status(REJECTED)?;
        looked_at += 1;
    }
    if looked_at == 0 {
        return Err(Stop::NotApplicable("the target has no endpoint that names its type".to_owned()));
    }
    Ok(())
}

/// Creating endpoints that name their type and need nothing that is there before.
const CREATING: [(&Endpoint, &str, &str); 5] = [
    (&aggregate::CREATE, "/aggregates", "AGGREGATE"),
    (&program::CREATE, "/programs", "PROGRAM"),
    (&instance::CREATE, "/instances", "INSTANCE"),
    (&pin::PIN, "/ipfs/pin", "IPFS_PIN"),
    (&webhook::CREATE, "/webhooks", "WEBHOOK"),
];

/// A good content of that type.
async fn content(probe: &Probe<'_>, caller: &Caller, kind: &str) -> Result<Value, Stop> {
    Ok(match kind {
        "AGGREGATE" => json!({ "address": caller.address, "key": "check", "content": { "a": 1 } }),
        "PROGRAM" => json!({
            "name": "check", "description": "a check", "code": "", "runtime": "python3", "memory": 128, "timeout": 10,
        }),
        "INSTANCE" => json!({
            "name": "check", "description": "a check", "cpu": 1, "memory": 512, "disk": 1024, "image": "debian",
            "ssh_key": "ssh-ed25519 AAAA", "firewall": { "allowedPorts": [22] },
        }),
        "IPFS_PIN" => json!({ "hash": storage::stored(probe, caller).await?.name(probe).await? }),
        _ => json!({ "url": "http://hook.example/", "events": ["program.executed"], "secret": "check" }),
    })
}

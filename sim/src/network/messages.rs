//! One message: `POST /messages` and `GET /messages/{hash}`.

use assay_spec::network::machines::StoreState;
use assay_spec::network::message::MessageType;
use assay_spec::network::requirements::envelope::{REPLY_HASH, REPLY_STATUS};
use assay_spec::network::requirements::errors::NO_INTERNAL;
use assay_spec::network::requirements::messages::{FOUND, TYPE_FREE, UNKNOWN, WRAPPER};
use assay_spec::network::requirements::store::{FORGOTTEN, LAGGING, REMOVED, STRIPPED};
use assay_spec::network::store;
use assay_spec::{Id, Rules};
use serde_json::{Value, json};

use super::call::Call;
use super::refusal;
use super::store::Number;
use super::{Replica, State, create, deviations, record, variations};
use crate::core::Core;
use crate::exchange::Reply;
use crate::refusal::Refusal;

/// Accepts a message of any type.
pub(super) fn create(state: &mut State, core: &mut Core, call: &Call<'_>) -> Result<Reply, Refusal> {
    let created = create::take(state, core, call, None, |core, envelope, _| {
        let only_posts = core.violated(&TYPE_FREE).is_some();
        if only_posts && envelope.kind != MessageType::Post {
            return Err(Refusal::new(&TYPE_FREE, format!("the type is {}", envelope.kind.name())));
        }
        Ok(())
    })?;
    let conforming = created.hash.text(core);
    let hash = core.effect(&REPLY_HASH, conforming, |_, _| String::new());
    let status = core.effect(&REPLY_STATUS, "success", |_, _| "ok");
    Ok(create::success(core, json!({ "item_hash": hash, "status": status })))
}

/// Reads a message by its hash.
pub(super) fn read(state: &mut State, core: &mut Core, call: &Call<'_>) -> Result<Reply, Refusal> {
    let text = call.capture(0);
    let odd = !text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if odd && core.violated(&NO_INTERNAL).is_some() {
        return Err(Refusal::new(&NO_INTERNAL, "the hash has invalid characters"));
    }
    let replica = state.seen(core, call.site);
    let Some(number) = replica.store.find_text(text) else {
        return unknown(state, core, text);
    };
    if replica.store.stored(number).kind() == MessageType::Post && core.violated(&FOUND).is_some() {
        return Err(Refusal::new(&UNKNOWN, "hidden"));
    }
    match replica.store.state(number) {
        StoreState::Removed => removed(state, core, replica, number),
        StoreState::Forgotten => forgotten(state, core, replica, number),
        status => {
            let message = record::message(core, &state.limits, &replica.store, number);
            let answer = store::wrapped(record::status(status), &message);
            Ok(wrapped(core, message.kind, answer))
        }
    }
}

/// The response when this node has no message with that hash.
fn unknown(state: &State, core: &mut Core, text: &str) -> Result<Reply, Refusal> {
    let elsewhere = state.primary.store.find_text(text).is_some();
    let rule: Id = if elsewhere { &LAGGING } else { &UNKNOWN };
    if core.violated(rule).is_some() {
        let body = json!({ "status": "pending", "item_hash": text, "message": null });
        return Ok(core.json(200, body));
    }
    Err(Refusal::new(rule, format!("no message {text:.80}")))
}

/// The response for a STORE that was reclaimed.
fn removed(state: &State, core: &mut Core, replica: &Replica, number: Number) -> Result<Reply, Refusal> {
    if core.violated(&REMOVED).is_some() {
        return Err(Refusal::new(&UNKNOWN, "a removed STORE is reported as not found"));
    }
    if core.varies(variations::GONE) {
        return Ok(refusal::error(core, 410, "removed"));
    }
    let message = record::message(core, &state.limits, &replica.store, number);
    let life = replica.store.life(number);
    let removed_at = life.and_then(|life| life.removed_at).unwrap_or(core.now());
    let size = life.map_or(0, |life| life.size);
    let mut answer = store::removed(&message, removed_at.seconds(), size, "balance");
    if core.varies(variations::REMOVED_NESTED) {
        answer = json!({
            "status": answer["status"],
            "item_hash": answer["item_hash"],
            "message": {
                "type": message.kind, "removed_at": removed_at.to_string(), "size": size, "reason": "balance",
            },
        });
    }
    Ok(core.json(200, answer))
}

/// The response for a STORE that was forgotten.
fn forgotten(state: &State, core: &mut Core, replica: &Replica, number: Number) -> Result<Reply, Refusal> {
    if core.violated(&FORGOTTEN).is_some() {
        return Err(Refusal::new(&UNKNOWN, "a forgotten STORE is reported as not found"));
    }
    let message = record::message(core, &state.limits, &replica.store, number);
    let mut answer = store::stripped(&message);
    if core.varies(variations::STRIPPED_EMPTY) {
        answer["message"]["content"] = json!({});
    }
    let full = Value::Object(message.members());
    answer = core.effect(&STRIPPED, answer, |mut answer, _| {
        answer["message"]["content"] = full;
        answer
    });
    Ok(wrapped(core, message.kind, answer))
}

fn wrapped(core: &mut Core, kind: MessageType, answer: Value) -> Reply {
    let answer = deviations::answer(core, kind, answer);
    let answer = core.effect(&WRAPPER, answer, |mut answer, _| answer["message"].take());
    core.json(200, answer)
}

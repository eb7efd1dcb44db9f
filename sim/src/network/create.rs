//! Create calls: from an envelope to a stored message.

use assay_spec::crypto::text::sha256_hex;
use assay_spec::network::content::Content;
use assay_spec::network::envelope::Envelope;
use assay_spec::network::machines::StoreState;
use assay_spec::network::message::{Message, MessageType};
use assay_spec::network::requirements::envelope::SIZE;
use assay_spec::network::requirements::errors::{NOTHING_STORED, UNAUTHORIZED};
use assay_spec::network::requirements::messages::SAME_TWICE;
use assay_spec::network::signing;
use assay_spec::{Id, Refused, Rules};
use serde_json::{Value, json};

use super::call::Call;
use super::hash::Hash;
use super::store::Number;
use super::{State, effects, lifecycle, typed, variations};
use crate::core::Core;
use crate::exchange::Reply;
use crate::refusal::Refusal;

/// A message that was accepted.
#[derive(Debug)]
pub(super) struct Created {
    /// Its number.
    pub(super) number: Number,
    /// Its hash.
    pub(super) hash: Hash,
}

/// A create call with its own endpoint and no further conditions. `rule` is the row about the response.
pub(super) fn plainly(
    state: &mut State,
    core: &mut Core,
    call: &Call<'_>,
    kind: MessageType,
    rule: Id,
) -> Result<Reply, Refusal> {
    let created = take(state, core, call, Some(kind), |_, _, _| Ok(()))?;
    Ok(reply(core, rule, &created, &[]))
}

/// Stores the message of a create call. `expected` is the type that the endpoint requires; `admit` checks the
/// endpoint's further conditions. A rejected message is not stored.
pub(super) fn take(
    state: &mut State,
    core: &mut Core,
    call: &Call<'_>,
    expected: Option<MessageType>,
    admit: impl FnOnce(&mut Core, &Envelope, &Content) -> Result<(), Refusal>,
) -> Result<Created, Refusal> {
    let result = read(state, core, call, expected).and_then(|(envelope, content)| {
        effects::judge(state, core, &envelope, &content)?;
        admit(core, &envelope, &content)?;
        let number = store(state, core, &envelope.message())?;
        let hash = state.primary.store.stored(number).hash();
        Ok(Created { number, hash })
    });
    match &result {
        Err(_) if core.violated(&NOTHING_STORED).is_some() => store_anyway(state, core, call, expected),
        Err(refusal)
            if core.varies(variations::TYPES_LATER) && typed::RULES.contains(&refusal.refused.rule) =>
        {
            if let Some(created) = reject_later(state, core, call, expected) {
                return Ok(created);
            }
        }
        _ => {}
    }
    result
}

/// The response to a create call with its own endpoint. `more` are the members that it adds; `rule` is the
/// row about it.
pub(super) fn reply(core: &mut Core, rule: Id, created: &Created, more: &[(&str, Value)]) -> Reply {
    let mut body = json!({ "item_hash": created.hash.text(core) });
    for (name, value) in more {
        body[*name] = value.clone();
    }
    body["status"] = json!("success");
    let body = core.effect(rule, body, |mut body, variant| {
        match variant {
            "" => body["status"] = json!("accepted"),
            "hash" => body["item_hash"] = json!(""),
            // Other variants of the row are handled by the caller.
            _ => {}
        }
        body
    });
    success(core, body)
}

/// The response to a create call, with its HTTP status.
pub(super) fn success(core: &Core, body: Value) -> Reply {
    let status = match () {
        () if core.varies(variations::STATUS_201) => 201,
        () if core.varies(variations::STATUS_202) => 202,
        () => 200,
    };
    core.json(status, body)
}

fn read(
    state: &State,
    core: &mut Core,
    call: &Call<'_>,
    expected: Option<MessageType>,
) -> Result<(Envelope, Content), Refusal> {
    let (length, limit) = (call.body().len(), state.limits.message_bytes);
    core.require(&SIZE, length <= limit, || format!("{length} bytes"))?;
    let (dialect, now) = (core.dialect.clone(), core.now());
    let envelope = Envelope::parse(&dialect, call.body(), expected, now, core)?;
    let members = typed::read(core, envelope.kind, envelope.content.clone());
    let content = Content::parse(envelope.kind, &members, core)?;
    if envelope.signature.is_empty() && !envelope.formless {
        return Err(Refusal::new(&UNAUTHORIZED, "the signature is missing"));
    }
    signing::check(&envelope, core)?;
    Ok((envelope, content))
}

/// Stores a message unless it is already stored. Returns its number.
pub(super) fn store(state: &mut State, core: &mut Core, message: &Message) -> Result<Number, Refusal> {
    let known = Hash::parse(&message.item_hash).and_then(|hash| state.primary.store.find(hash));
    let mut again = None;
    if let Some(number) = known {
        if core.violated(&SAME_TWICE).is_some() {
            state.primary.store.list_again(number);
            return Ok(number);
        }
        if !core.varies(variations::AGAIN) {
            return Ok(number);
        }
        let count = state.primary.store.len();
        again = Some(sha256_hex(format!("{} {count}", message.item_hash).as_bytes()));
    }
    let store = &state.primary.store;
    let fits = store.len() < state.limits.messages
        && store.bytes().saturating_add(message.content.len() as u64) <= state.limits.stored_bytes;
    core.require(&SIZE, fits, || "the network is full".to_owned())?;
    let mut message = message.clone();
    if let Some(hash) = again {
        message.item_hash = hash.into();
    }
    let number = state.primary.store.add(&message, core.now());
    lifecycle::accept(state, core, number);
    Ok(number)
}

/// A deviation: stores a message that was just rejected, as far as it can be parsed.
fn store_anyway(state: &mut State, core: &mut Core, call: &Call<'_>, expected: Option<MessageType>) {
    let (dialect, now) = (core.dialect.clone(), core.now());
    let envelope = Envelope::parse(&dialect, call.body(), expected, now, &mut Lenient);
    let Some(envelope) = envelope.ok().filter(|envelope| !envelope.address.is_empty()) else { return };
    let mut message = envelope.message();
    message.kind = MessageType::Post;
    // A store that is full rejects the message; then the deviation has no effect.
    let _ = store(state, core, &message);
}

/// The variation: stores a message with a value of a wrong type as rejected, if its signature is valid.
fn reject_later(
    state: &mut State,
    core: &mut Core,
    call: &Call<'_>,
    expected: Option<MessageType>,
) -> Option<Created> {
    let (dialect, now) = (core.dialect.clone(), core.now());
    let envelope = Envelope::parse(&dialect, call.body(), expected, now, &mut Lenient).ok()?;
    signing::check(&envelope, core).ok()?;
    let message = envelope.message();
    let known = Hash::parse(&message.item_hash).and_then(|hash| state.primary.store.find(hash));
    let number = known.unwrap_or_else(|| {
        let number = state.primary.store.add(&message, core.now());
        state.primary.store.set_state(number, StoreState::Rejected);
        number
    });
    Some(Created { number, hash: state.primary.store.stored(number).hash() })
}

/// Rules that are all violated, except the one about size.
struct Lenient;

impl Rules for Lenient {
    fn violated(&mut self, rule: Id) -> Option<&'static str> {
        (rule != &SIZE).then_some("")
    }

    fn guard(
        &mut self,
        rule: Id,
        _: &'static str,
        holds: bool,
        why: &mut dyn FnMut() -> String,
    ) -> Result<(), Refused> {
        if holds || rule != &SIZE { Ok(()) } else { Err(Refused { rule, why: why() }) }
    }
}

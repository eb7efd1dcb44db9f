//! The validation of messages: at once, after a delay, or when a fault is unset.

use assay_spec::Strict;
use assay_spec::network::content::Content;
use assay_spec::network::machines::{StoreEvent, StoreState};
use assay_spec::network::message::MessageType;
use assay_spec::network::places::PROCESSING;
use serde_json::{Map, Value};

use super::authority::{self, Wish};
use super::removal::{moves, release, step};
use super::{effects, typed};
use crate::core::Core;
use crate::network::faults::{self, in_force};
use crate::network::state::{State, Timer, set};
use crate::network::store::{Life, Number};
use crate::network::webhooks::deliveries;

/// Handles a newly stored, pending message. It is validated at once, after a delay, or when the fault that
/// holds it is unset.
pub(in crate::network) fn accept(core: &mut Core, state: &mut State, number: Number) {
    let store = &mut state.primary.store;
    let (kind, sender) = (store.stored(number).kind(), store.sender(number));
    if kind == MessageType::Store {
        moves(core, StoreState::None, StoreEvent::Accept);
        let members = store.message(number).members();
        let life = life(state, number, &members);
        if let Some(cid) = &life.cid {
            state.primary.store.files.keep(cid);
        }
        state.primary.store.begin_life(number, life);
    }
    let occasion = [("type", kind.name()), ("address", &*sender)];
    if core.fault(faults::PROCESSING_HELD, &occasion) && in_force(core, faults::PROCESSING_HELD) {
        state.held.insert(number);
        return;
    }
    let draw = core.rng.draw("network.processing", &state.primary.store.stored(number).hash().0, 0);
    let processing =
        Processing { ms: state.limits.processing_ms, draw: u16::from_be_bytes([draw[0], draw[1]]) };
    let Processing { ms, .. } = core.step(processing);
    if ms > 0 {
        state.validating += 1;
        set(core, core.now() + ms, Timer::Process(number));
    } else {
        process(core, state, number);
    }
}

/// How long a message is pending before it is validated.
#[derive(Clone, PartialEq)]
pub(in crate::network) struct Processing {
    /// The time.
    pub(in crate::network) ms: i64,
    /// A draw for this message.
    pub(in crate::network) draw: u16,
}

/// The lifecycle data of a STORE: its payer and its file, as far as the network has it.
fn life(state: &State, number: Number, members: &Map<String, Value>) -> Life {
    let store = &state.primary.store;
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    let cid = text("item_hash").filter(|cid| store.files.find(cid).is_some());
    let file = cid.and_then(|cid| store.files.find(cid));
    let sender = store.sender(number);
    let wish = Wish { kind: MessageType::Store, channel: &store.channel(number), aggregate_key: None };
    // A sender without authority cannot make another address pay.
    let owner = text("address").filter(|owner| authority::may(store, owner, &sender, wish));
    Life {
        owner: owner.map_or(sender, |owner| owner.to_ascii_lowercase().into()),
        cid: cid.map(Into::into),
        size: file.map_or(0, |file| file.bytes.len() as u64),
        content_type: text("content_type").map(Into::into),
        removing_at: None,
        removed_at: None,
        forgotten_by: None,
    }
}

/// Validates a pending message and applies it if it is valid.
pub(in crate::network) fn process(core: &mut Core, state: &mut State, number: Number) {
    core.within(PROCESSING[0], |core| validate(core, state, number));
}

fn validate(core: &mut Core, state: &mut State, number: Number) {
    let store = &mut state.primary.store;
    let (kind, current) = (store.stored(number).kind(), store.state(number));
    if current != StoreState::Pending {
        return;
    }
    if kind != MessageType::Store {
        store.set_state(number, StoreState::Processed);
        // The form was accepted before; if a rule was violated then, parsing fails here and the message has
        // no effect.
        let content = if kind == MessageType::Post {
            Ok(Content::Any)
        } else {
            let members = store.message(number).members();
            Content::parse(kind, &typed::read(core, kind, members), &mut Strict)
        };
        if let Ok(content) = content {
            effects::apply(core, state, number, content);
        }
        return;
    }
    let sender = store.sender(number);
    let cid = store.life(number).and_then(|life| life.cid.clone());
    // A STORE is invalid if the network does not have its file.
    if cid.is_some() && !core.fault(faults::INVALID, &[("address", &*sender)]) {
        step(core, state, number, StoreEvent::Valid);
        deliveries::message_new(core, state, number);
    } else {
        step(core, state, number, StoreEvent::Invalid);
        release(core, state, number, None);
    }
}

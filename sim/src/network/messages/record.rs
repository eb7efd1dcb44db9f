//! Message records as nodes show them.

use std::sync::Arc;

use assay_spec::instant::SECOND;
use assay_spec::network::machines::StoreState;
use assay_spec::network::message::{Confirmation, Message};
use assay_spec::network::store::Status;
use serde_json::{Value, json};

use crate::core::Core;
use crate::network::limits::Limits;
use crate::network::store::{Number, Store, Stored};

/// The time until a block contains a message.
const BLOCK_MS: i64 = 12 * SECOND;

/// How many blocks contain a message.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::network) struct Blocks(pub(in crate::network) u64);

/// The message with that number, with its hash as clients see it and the blocks that contain it.
pub(in crate::network) fn message(
    core: &mut Core,
    limits: &Limits,
    store: &Store,
    number: Number,
) -> Message {
    let stored = store.stored(number);
    let mut message = store.message(number);
    message.item_hash = stored.hash().text(core).into();
    message.confirmations = confirmations(core, limits, stored);
    message
}

/// Lists show a forgotten STORE without its content.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::network) struct Strips(pub(in crate::network) bool);

/// A record as lists show it: without content if the STORE was forgotten.
pub(in crate::network) fn listed(core: &mut Core, limits: &Limits, store: &Store, number: Number) -> Value {
    let mut record = message(core, limits, store, number).record();
    if store.state(number) == StoreState::Forgotten && core.step(Strips(true)).0 {
        record["content"] = json!({});
    }
    record
}

/// The status of a state, as clients see it.
pub(in crate::network) fn status(state: StoreState) -> Status {
    Status::from_state(state).expect("an accepted message is past the first state")
}

fn confirmations(core: &mut Core, limits: &Limits, stored: &Stored) -> Arc<[Confirmation]> {
    let is_held = core.now() - stored.received() >= limits.confirmation_ms;
    let Blocks(count) = core.step(Blocks(u64::from(is_held)));
    let height = (stored.received().0 / BLOCK_MS).unsigned_abs();
    let block = |n: u64| Confirmation {
        chain: "ETH".to_owned(),
        height: height + n,
        hash: assay_spec::crypto::text::prefixed_hex(&core.rng.draw("network.block", &stored.hash().0, n)),
    };
    (0..count).map(block).collect()
}

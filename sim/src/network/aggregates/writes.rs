//! Writes of aggregates: who may write, and what an aggregate is after a write.

use std::sync::Arc;

use assay_spec::network::aggregate::{Aggregate, Write};
use assay_spec::network::envelope::Envelope;
use assay_spec::network::message::MessageType;
use assay_spec::network::mistakes::aggregates::DELEGATE;
use assay_spec::network::requirements::aggregates::{DELEGATE_LIMITS, DELEGATE_REVOKED, OWNER};
use assay_spec::network::requirements::envelope::SIZE;
use serde_json::{Map, Value};

use super::kept::{Kept, Name};
use crate::core::Core;
use crate::network::messages::authority::{Authority, Wish};
use crate::network::state::State;
use crate::network::store::Number;
use crate::refusal::Refusal;
use crate::seam::steps;

/// The maximum size of one aggregate, in bytes of JSON.
const AGGREGATE_BYTES: usize = 4 * 1024 * 1024;

/// The message of a write.
#[derive(Debug)]
pub(in crate::network) struct Writing<'a> {
    /// Its number.
    pub(in crate::network) number: Number,
    /// Its hash.
    pub(in crate::network) item_hash: &'a Arc<str>,
    /// The time of the write, in seconds.
    pub(in crate::network) time: i64,
    /// The owner of the aggregate.
    pub(in crate::network) owner: &'a str,
}

/// Checks whether a write is accepted: the signer's authority and the resulting size.
pub(in crate::network) fn judge(
    core: &mut Core,
    state: &State,
    envelope: &Envelope,
    write: &Write,
) -> Result<(), Refusal> {
    let owner = write.address.as_deref().unwrap_or(&envelope.address);
    let wish =
        Wish { kind: MessageType::Aggregate, channel: &envelope.channel, aggregate_key: Some(&write.key) };
    let authority = Authority::find(&state.primary.store, owner, &envelope.address, wish);
    let why = || format!("{} may not write for {owner:.80}: {authority:?}", envelope.address);
    match authority {
        Authority::Own => {}
        Authority::Allowed => core.accept(&DELEGATE, (envelope.address.as_str(), owner))?,
        Authority::Beyond => core.require(&DELEGATE_LIMITS, false, why)?,
        Authority::Revoked => core.require(&DELEGATE_REVOKED, false, why)?,
        Authority::Stranger => core.require(&OWNER, false, why)?,
    }
    let before = state.primary.derived.aggregates.find(owner, &write.key).map_or(0, |kept| kept.bytes);
    let bytes = before.saturating_add(size(&write.content));
    Ok(core.require(&SIZE, bytes <= AGGREGATE_BYTES, || format!("an aggregate of {bytes} bytes"))?)
}

/// Applies a valid AGGREGATE.
pub(in crate::network) fn apply(core: &mut Core, state: &mut State, number: Number, write: &Write) {
    let message = state.primary.store.message(number);
    let owner = write.address.as_deref().unwrap_or(&message.sender);
    let name: Name = (owner.to_ascii_lowercase().into(), write.key.as_str().into());
    let time = write.time.unwrap_or(message.timestamp);
    let writing = Writing { number, item_hash: &message.item_hash, time, owner };
    let before = state.primary.derived.aggregates.by_name.get(&name).map(|kept| Kept::clone(kept));
    let kept = WriteAggregate::run(core, before, &writing, write);
    state.primary.derived.aggregates.put(name, kept);
}

steps! {
    WriteAggregate(before: Option<Kept>, writing: &Writing<'_>, write: &Write) -> Kept = written;
}

/// The aggregate after a write.
pub(in crate::network) fn written(
    _: &mut Core,
    before: Option<Kept>,
    writing: &Writing<'_>,
    write: &Write,
) -> Kept {
    let Writing { number, item_hash, time, owner } = *writing;
    let new =
        || Kept { aggregate: Aggregate::new(owner, &write.key), first: number, time: i64::MIN, bytes: 0 };
    let mut kept = before.unwrap_or_else(new);
    kept.aggregate.merge(&write.content, time, item_hash);
    kept.time = kept.time.max(time);
    kept.bytes += size(&write.content);
    if kept.bytes > AGGREGATE_BYTES / 2 {
        kept.bytes = size(&kept.aggregate.record().content);
    }
    kept
}

/// The size of a content, in bytes of JSON.
pub(in crate::network) fn size(content: &Map<String, Value>) -> usize {
    serde_json::to_vec(content).map_or(0, |text| text.len())
}

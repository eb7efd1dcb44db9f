//! The life of messages: validation, payment, removal, and when bytes leave.

use assay_spec::network::content::Content;
use assay_spec::network::machines::{StoreEvent, StoreState};
use assay_spec::network::message::MessageType;
use assay_spec::network::requirements::store::{FORGOTTEN_BYTES, REMOVED_BYTES, REMOVING};
use assay_spec::{Instant, Rules, Strict};
use serde_json::{Map, Value};

use super::authority::{self, Wish};
use super::hash::Hash;
use super::store::{Life, NODES, Number};
use super::{State, Timer, effects, faults, in_force, set, webhooks};
use crate::core::Core;

/// Credits that a file costs in an hour.
const CREDITS: i64 = 1;

/// A message was stored, pending. It is validated at once, after a while, or when nothing holds it up any more.
pub(super) fn accept(state: &mut State, core: &mut Core, number: Number) {
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
    } else if state.limits.processing_ms > 0 {
        state.validating += 1;
        set(core, core.now() + state.limits.processing_ms, Timer::Process(number));
    } else {
        process(state, core, number);
    }
}

/// What a STORE says about its file, as far as the network has it.
fn life(state: &State, number: Number, members: &Map<String, Value>) -> Life {
    let store = &state.primary.store;
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    let cid = text("item_hash").filter(|cid| store.files.find(cid).is_some());
    let file = cid.and_then(|cid| store.files.find(cid));
    let sender = store.sender(number);
    let wish = Wish { kind: MessageType::Store, channel: &store.channel(number), aggregate_key: None };
    // Nobody makes others pay who may not write in their name.
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

/// A pending message is validated, and takes effect where it is good.
pub(super) fn process(state: &mut State, core: &mut Core, number: Number) {
    let store = &mut state.primary.store;
    let (kind, current) = (store.stored(number).kind(), store.state(number));
    if current != StoreState::Pending {
        return;
    }
    if kind != MessageType::Store {
        store.set_state(number, StoreState::Processed);
        // Its form was good when it was taken; a rule that was violated then has been forgiven once.
        let content = match kind {
            MessageType::Post => Ok(Content::Any),
            _ => Content::parse(kind, &store.message(number).members(), &mut Strict),
        };
        if let Ok(content) = content {
            effects::apply(state, core, number, content);
        }
        return;
    }
    let sender = store.sender(number);
    let cid = store.life(number).and_then(|life| life.cid.clone());
    // A STORE without a file that the network has is nothing that it could keep.
    if cid.is_some() && !core.fault(faults::INVALID, &[("address", &*sender)]) {
        step(state, core, number, StoreEvent::Valid);
        webhooks::message_new(state, core, number);
    } else {
        step(state, core, number, StoreEvent::Invalid);
        release(state, core, number, None);
    }
}

/// The hour is over, and the next one begins.
pub(super) fn end_hour(state: &mut State, core: &mut Core) {
    bill(state, core);
    state.billing = false;
    expect_bill(state, core);
}

/// Owners with a balance pay for their files, or lose them.
pub(super) fn bill(state: &mut State, core: &mut Core) {
    let balances: Vec<_> = state.balances.iter().map(|(owner, credits)| (owner.clone(), *credits)).collect();
    for (owner, credits) in balances {
        let live = with_state(state, &owner, StoreState::Processed);
        let cost = CREDITS.saturating_mul(live.len() as i64);
        if cost <= credits {
            state.balances.insert(owner, credits - cost);
        } else {
            for number in live {
                run_out(state, core, number);
            }
        }
    }
}

/// Waits for the next hour, where anybody has a balance.
fn expect_bill(state: &mut State, core: &mut Core) {
    if !state.billing && !state.balances.is_empty() {
        state.billing = true;
        set(core, core.now() + state.limits.billing_ms.max(1), Timer::Billing);
    }
}

/// The payer of a processed STORE ran out: its removal is scheduled.
pub(super) fn run_out(state: &mut State, core: &mut Core, number: Number) {
    let now = core.now();
    step(state, core, number, StoreEvent::Unpaid);
    state.primary.store.change_life(number, |life| life.removing_at = Some(now));
    if core.violated(&REMOVING) == Some("") {
        end_grace(state, core, number, now);
    } else {
        set(core, now + state.limits.removing_grace_ms.max(0), Timer::Grace(number, now));
    }
}

/// An owner, in lower case, has so many credits, or as many as it needs. Where they pay for the next hour, what was to
/// be removed stays.
pub(super) fn set_balance(state: &mut State, core: &mut Core, owner: &str, credits: Option<i64>) {
    match credits {
        Some(credits) => drop(state.balances.insert(owner.into(), credits)),
        None => drop(state.balances.remove(owner)),
    }
    let going = with_state(state, owner, StoreState::Removing);
    let files = going.len() + with_state(state, owner, StoreState::Processed).len();
    if credits.is_none_or(|credits| credits >= CREDITS.saturating_mul(files as i64)) {
        for number in going {
            step(state, core, number, StoreEvent::Paid);
            state.primary.store.change_life(number, |life| life.removing_at = None);
        }
    }
    expect_bill(state, core);
}

/// The grace of a message ends that has been `removing` since then.
pub(super) fn end_grace(state: &mut State, core: &mut Core, number: Number, since: Instant) {
    let store = &state.primary.store;
    let still = store.state(number) == StoreState::Removing
        && store.life(number).is_some_and(|life| life.removing_at == Some(since));
    if !still {
        return;
    }
    let now = core.now();
    step(state, core, number, StoreEvent::Grace);
    state.primary.store.change_life(number, |life| life.removed_at = Some(now));
    if core.effect(&REMOVED_BYTES, true, |_, _| false) {
        release(state, core, number, Some(now));
    }
}

/// A FORGET was applied to a STORE.
pub(super) fn forgotten(state: &mut State, core: &mut Core, number: Number, by: Hash) {
    step(state, core, number, StoreEvent::Forget);
    state.primary.store.change_life(number, |life| life.forgotten_by = Some(by));
    if core.effect(&FORGOTTEN_BYTES, true, |_, _| false) {
        release(state, core, number, None);
    }
}

/// A message no longer keeps its file. Nobody else keeps it: it leaves all nodes, at `at` or each in its own time.
fn release(state: &mut State, core: &mut Core, number: Number, at: Option<Instant>) {
    let Some(cid) = state.primary.store.life(number).and_then(|life| life.cid.clone()) else { return };
    release_file(state, core, &cid, at);
}

/// One message less keeps a file.
pub(super) fn release_file(state: &mut State, core: &mut Core, cid: &str, at: Option<Instant>) {
    if !state.primary.store.files.release(cid) || state.primary.derived.pins.contains(cid) {
        return;
    }
    let (earliest, latest) = (state.limits.bytes_leave_earliest_ms, state.limits.bytes_leave_latest_ms);
    let span = latest.saturating_sub(earliest).max(0).unsigned_abs();
    let now = core.now();
    let leaves: [Instant; NODES] = std::array::from_fn(|node| {
        let draw = core.rng.draw("network.bytes-leave", cid.as_bytes(), node as u64);
        let draw = u64::from_be_bytes([0, 0, draw[0], draw[1], draw[2], draw[3], draw[4], draw[5]]);
        at.unwrap_or(now + earliest.saturating_add((draw % (span + 1)) as i64))
    });
    state.primary.store.files.leave(cid, leaves);
    state.primary.store.touch();
    let last = leaves.into_iter().max().unwrap_or(now);
    if last <= now {
        drop_file(state, core, cid);
    } else {
        set(core, last, Timer::Left(cid.into()));
    }
}

/// A file has left every node, unless somebody has come to keep it since.
pub(super) fn drop_file(state: &mut State, core: &Core, cid: &str) {
    let now = core.now();
    let gone = state.primary.store.files.find(cid).is_some_and(|file| {
        file.kept_by == 0 && file.leaves.is_some_and(|leaves| leaves.iter().all(|at| *at <= now))
    });
    if gone {
        state.primary.store.files.drop(cid);
        state.primary.store.touch();
    }
}

fn with_state(state: &State, owner: &str, wanted: StoreState) -> Vec<Number> {
    let store = &state.primary.store;
    store.owned_by(owner).filter(|number| store.state(*number) == wanted).collect()
}

/// Moves a STORE along its table. A move that the table lacks is our own bug.
fn step(state: &mut State, core: &mut Core, number: Number, event: StoreEvent) {
    let from = state.primary.store.state(number);
    let to = moves(core, from, event);
    state.primary.store.set_state(number, to);
}

fn moves(core: &mut Core, from: StoreState, event: StoreEvent) -> StoreState {
    let (to, row) = from.on(event).expect("a STORE moves along its table");
    core.fired(row);
    to
}

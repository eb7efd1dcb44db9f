//! The lifecycle of messages: validation, payment, removal, and when bytes are deleted.

use assay_spec::network::content::Content;
use assay_spec::network::machines::{StoreEvent, StoreState};
use assay_spec::network::message::MessageType;
use assay_spec::network::places::{PROCESSING, REMOVAL};
use assay_spec::{Instant, Strict};
use serde_json::{Map, Value};

use super::authority::{self, Wish};
use super::{effects, typed};
use crate::core::Core;
use crate::network::faults::{self, in_force};
use crate::network::hash::Hash;
use crate::network::state::{State, Timer, set};
use crate::network::store::{Life, NODES, Number};
use crate::network::webhooks::deliveries as webhooks;
use crate::seam::steps;

/// The price of a file per hour, in credits.
const CREDITS: i64 = 1;

/// Handles a newly stored, pending message. It is validated at once, after a delay, or when the fault that
/// holds it is unset.
pub(in crate::network) fn accept(state: &mut State, core: &mut Core, number: Number) {
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
        process(state, core, number);
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
pub(in crate::network) fn process(state: &mut State, core: &mut Core, number: Number) {
    core.within(PROCESSING[0], |core| validate(state, core, number));
}

fn validate(state: &mut State, core: &mut Core, number: Number) {
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
            effects::apply(state, core, number, content);
        }
        return;
    }
    let sender = store.sender(number);
    let cid = store.life(number).and_then(|life| life.cid.clone());
    // A STORE is invalid if the network does not have its file.
    if cid.is_some() && !core.fault(faults::INVALID, &[("address", &*sender)]) {
        step(state, core, number, StoreEvent::Valid);
        webhooks::message_new(state, core, number);
    } else {
        step(state, core, number, StoreEvent::Invalid);
        release(state, core, number, None);
    }
}

/// Ends the hour and starts the next.
pub(in crate::network) fn end_hour(state: &mut State, core: &mut Core) {
    bill(state, core);
    state.billing = false;
    expect_bill(state, core);
}

/// Owners with a balance pay for their files, or lose them.
pub(in crate::network) fn bill(state: &mut State, core: &mut Core) {
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

/// Sets the timer for the next hour if any owner has a balance.
fn expect_bill(state: &mut State, core: &mut Core) {
    if !state.billing && !state.balances.is_empty() {
        state.billing = true;
        set(core, core.now() + state.limits.billing_ms.max(1), Timer::Billing);
    }
}

/// The payer of a processed STORE has no credits left: schedules its removal.
pub(in crate::network) fn run_out(state: &mut State, core: &mut Core, number: Number) {
    let now = core.now();
    step(state, core, number, StoreEvent::Unpaid);
    state.primary.store.change_life(number, |life| life.removing_at = Some(now));
    core.within(REMOVAL[0], |core| BeginGrace::run(core, state, number));
}

steps! {
    BeginGrace(state: &mut State, number: Number) = begin_grace;
}

/// Begins the grace period of a message that is `removing` from now on.
pub(in crate::network) fn begin_grace(core: &mut Core, state: &mut State, number: Number) {
    let now = core.now();
    set(core, now + state.limits.removing_grace_ms.max(0), Timer::Grace(number, now));
}

/// Sets the credits of an owner (in lower case); `None` is unlimited. If they pay for the next hour, messages
/// in `removing` become `processed` again.
pub(in crate::network) fn set_balance(state: &mut State, core: &mut Core, owner: &str, credits: Option<i64>) {
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

/// Ends the grace period of a message that has been `removing` since then.
pub(in crate::network) fn end_grace(state: &mut State, core: &mut Core, number: Number, since: Instant) {
    let store = &state.primary.store;
    let still = store.state(number) == StoreState::Removing
        && store.life(number).is_some_and(|life| life.removing_at == Some(since));
    if !still {
        return;
    }
    let now = core.now();
    step(state, core, number, StoreEvent::Grace);
    state.primary.store.change_life(number, |life| life.removed_at = Some(now));
    core.within(REMOVAL[0], |core| ReleaseRemoved::run(core, state, number));
}

/// Applies a FORGET to a STORE.
pub(in crate::network) fn forgotten(state: &mut State, core: &mut Core, number: Number, by: Hash) {
    step(state, core, number, StoreEvent::Forget);
    state.primary.store.change_life(number, |life| life.forgotten_by = Some(by));
    ReleaseForgotten::run(core, state, number);
}

steps! {
    ReleaseRemoved(state: &mut State, number: Number) = release_removed;
}

/// The file of a removed message leaves all nodes now.
pub(in crate::network) fn release_removed(core: &mut Core, state: &mut State, number: Number) {
    let now = core.now();
    release(state, core, number, Some(now));
}

steps! {
    ReleaseForgotten(state: &mut State, number: Number) = release_forgotten;
}

/// The file of a forgotten message leaves each node at its own time.
pub(in crate::network) fn release_forgotten(core: &mut Core, state: &mut State, number: Number) {
    release(state, core, number, None);
}

/// Releases the file of a message. If no other message keeps it, it leaves all nodes at `at`, or each node at
/// its own time.
fn release(state: &mut State, core: &mut Core, number: Number, at: Option<Instant>) {
    let Some(cid) = state.primary.store.life(number).and_then(|life| life.cid.clone()) else { return };
    release_file(state, core, &cid, at);
}

/// Releases a file that one message less keeps.
pub(in crate::network) fn release_file(state: &mut State, core: &mut Core, cid: &str, at: Option<Instant>) {
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

/// Drops a file that has left every node, unless a message keeps it again.
pub(in crate::network) fn drop_file(state: &mut State, core: &Core, cid: &str) {
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

/// Moves a STORE along its table. A transition that the table lacks is a bug in the simulator.
fn step(state: &mut State, core: &mut Core, number: Number, event: StoreEvent) {
    let from = state.primary.store.state(number);
    let to = moves(core, from, event);
    state.primary.store.set_state(number, to);
}

fn moves(core: &mut Core, from: StoreState, event: StoreEvent) -> StoreState {
    let (to, row) = from.on(event).expect("the transition is in the STORE table");
    core.fired(row);
    to
}

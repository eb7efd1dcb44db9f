//! The removal of STORE messages, and when their bytes leave the nodes.

use assay_spec::Instant;
use assay_spec::network::machines::{StoreEvent, StoreState};
use assay_spec::network::places::REMOVAL;

use crate::core::Core;
use crate::network::hash::Hash;
use crate::network::state::{State, Timer, set};
use crate::network::store::{NODES, Number};
use crate::seam::steps;

/// The payer of a processed STORE has no credits left: schedules its removal.
pub(in crate::network) fn run_out(core: &mut Core, state: &mut State, number: Number) {
    let now = core.now();
    step(core, state, number, StoreEvent::Unpaid);
    state.primary.store.change_life(number, |life| life.removing_at = Some(now));
    core.within(REMOVAL[0], |core| BeginGrace::run(core, state, number));
}

steps! {
    BeginGrace(state: &mut State, number: Number) = begin_grace;
}

/// Begins the grace period of a message that is `removing` from now on.
fn begin_grace(core: &mut Core, state: &mut State, number: Number) {
    let now = core.now();
    set(core, now + state.limits.removing_grace_ms.max(0), Timer::Grace(number, now));
}

/// Ends the grace period of a message that has been `removing` since then.
pub(in crate::network) fn end_grace(core: &mut Core, state: &mut State, number: Number, since: Instant) {
    let store = &state.primary.store;
    let still = store.state(number) == StoreState::Removing
        && store.life(number).is_some_and(|life| life.removing_at == Some(since));
    if !still {
        return;
    }
    let now = core.now();
    step(core, state, number, StoreEvent::Grace);
    state.primary.store.change_life(number, |life| life.removed_at = Some(now));
    core.within(REMOVAL[0], |core| ReleaseRemoved::run(core, state, number));
}

/// Applies a FORGET to a STORE.
pub(in crate::network) fn forgotten(core: &mut Core, state: &mut State, number: Number, by: Hash) {
    step(core, state, number, StoreEvent::Forget);
    state.primary.store.change_life(number, |life| life.forgotten_by = Some(by));
    ReleaseForgotten::run(core, state, number);
}

steps! {
    ReleaseRemoved(state: &mut State, number: Number) = release_removed;
}

/// The file of a removed message leaves all nodes now.
fn release_removed(core: &mut Core, state: &mut State, number: Number) {
    let now = core.now();
    release(core, state, number, Some(now));
}

steps! {
    ReleaseForgotten(state: &mut State, number: Number) = release_forgotten;
}

/// The file of a forgotten message leaves each node at its own time.
fn release_forgotten(core: &mut Core, state: &mut State, number: Number) {
    release(core, state, number, None);
}

/// Releases the file of a message. If no other message keeps it, it leaves all nodes at `at`, or each node at
/// its own time.
pub(super) fn release(core: &mut Core, state: &mut State, number: Number, at: Option<Instant>) {
    let Some(cid) = state.primary.store.life(number).and_then(|life| life.cid.clone()) else { return };
    release_file(core, state, &cid, at);
}

/// Releases the file of a message as if no other message kept it.
pub(in crate::network) fn release_for_all(
    core: &mut Core,
    state: &mut State,
    number: Number,
    at: Option<Instant>,
) {
    let Some(cid) = state.primary.store.life(number).and_then(|life| life.cid.clone()) else { return };
    let kept_by = state.primary.store.files.find(&cid).map_or(0, |file| file.kept_by);
    for _ in 1..kept_by {
        state.primary.store.files.release(&cid);
    }
    release_file(core, state, &cid, at);
}

/// Releases a file that one message less keeps.
fn release_file(core: &mut Core, state: &mut State, cid: &str, at: Option<Instant>) {
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
        drop_file(core, state, cid);
    } else {
        set(core, last, Timer::Left(cid.into()));
    }
}

/// Drops a file that has left every node, unless a message keeps it again.
pub(in crate::network) fn drop_file(core: &Core, state: &mut State, cid: &str) {
    let now = core.now();
    let gone = state.primary.store.files.find(cid).is_some_and(|file| {
        file.kept_by == 0 && file.leaves.is_some_and(|leaves| leaves.iter().all(|at| *at <= now))
    });
    if gone {
        state.primary.store.files.drop(cid);
        state.primary.store.touch();
    }
}

/// Moves a STORE along its table. A transition that the table lacks is a bug in the simulator.
pub(super) fn step(core: &mut Core, state: &mut State, number: Number, event: StoreEvent) {
    let from = state.primary.store.state(number);
    let to = moves(core, from, event);
    state.primary.store.set_state(number, to);
}

/// Takes a transition of the STORE table. Returns the new state.
pub(super) fn moves(core: &mut Core, from: StoreState, event: StoreEvent) -> StoreState {
    let (to, row) = from.on(event).expect("the transition is in the STORE table");
    core.fired(row);
    to
}

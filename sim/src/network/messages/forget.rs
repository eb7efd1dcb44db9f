//! FORGET: all targets or none; retried while a target cannot be forgotten.

use assay_spec::network::forget::{Target, Targets, Verdict, judge};
use assay_spec::network::machines::{ForgetEvent, ForgetState, StoreState};
use assay_spec::network::message::MessageType;
use assay_spec::network::places::PROCESSING;
use serde_json::Value;

use super::authority::{self, Wish};
use super::{record, removal};
use crate::core::Core;
use crate::network::limits::ForgetRetries;
use crate::network::state::{Batch, State, Timer, set};
use crate::network::store::Number;
use crate::seam::steps;

/// What a node finds under the hashes of a FORGET.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::network) struct Found(pub(in crate::network) Vec<Target>);

/// The decision about a FORGET that is retried.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::network) struct Retried(pub(in crate::network) Verdict);

/// The STOREs that a FORGET forgets.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::network) struct Forgotten(pub(in crate::network) Vec<Number>);

/// Applies, rejects or delays a valid FORGET. Its message is pending until then.
pub(super) fn receive(core: &mut Core, state: &mut State, number: Number, targets: Targets) {
    state.primary.store.set_state(number, StoreState::Pending);
    let from = moves(core, ForgetState::None, ForgetEvent::Receive);
    match look(core, state, number, &targets) {
        Verdict::Apply => {
            moves(core, from, ForgetEvent::Good);
            Forget::run(core, state, number, &targets);
        }
        Verdict::Reject => {
            moves(core, from, ForgetEvent::Foreign);
            state.primary.store.set_state(number, StoreState::Rejected);
        }
        Verdict::Retry => {
            let to = moves(core, from, ForgetEvent::Bad);
            wait(core, state, number, Batch { targets, state: to, retries: 0 });
        }
    }
}

/// Retries a FORGET.
pub(in crate::network) fn retry(core: &mut Core, state: &mut State, number: Number) {
    core.within(PROCESSING[0], |core| again(core, state, number));
}

fn again(core: &mut Core, state: &mut State, number: Number) {
    let Some(mut batch) = state.batches.remove(&number) else { return };
    batch.retries += 1;
    let verdict = look(core, state, number, &batch.targets);
    let Retried(verdict) = core.step(Retried(verdict));
    let ForgetRetries(retries) = core.limits(&ForgetRetries(state.limits.forget_retries));
    let gives_up = batch.retries >= retries;
    match verdict {
        Verdict::Apply => {
            moves(core, batch.state, ForgetEvent::Good);
            Forget::run(core, state, number, &batch.targets);
        }
        _ if gives_up => {
            moves(core, batch.state, ForgetEvent::GiveUp);
            state.primary.store.set_state(number, StoreState::Rejected);
        }
        _ => {
            batch.state = moves(core, batch.state, ForgetEvent::Bad);
            wait(core, state, number, batch);
        }
    }
}

fn wait(core: &mut Core, state: &mut State, number: Number, batch: Batch) {
    state.batches.insert(number, batch);
    set(core, core.now() + state.limits.forget_retry_ms.max(1), Timer::Retry(number));
}

/// Judges the batch by the current state of its targets.
fn look(core: &mut Core, state: &State, number: Number, Targets(hashes): &Targets) -> Verdict {
    let store = &state.primary.store;
    let sender = store.sender(number);
    let members = store.message(number).members();
    let owner = members.get("address").and_then(Value::as_str).unwrap_or(&sender).to_ascii_lowercase();
    let wish = Wish { kind: MessageType::Forget, channel: &store.channel(number), aggregate_key: None };
    let may = authority::may(store, &owner, &sender, wish);
    let target = |hash: &String| {
        let Some(target) = store.find_text(hash) else { return Target::Missing };
        let Some(life) = store.life(target) else { return Target::Foreign };
        let own = store.sender(target) == sender || (may && *life.owner == *owner);
        if own { Target::Store(record::status(store.state(target))) } else { Target::Foreign }
    };
    let targets: Vec<Target> = hashes.iter().map(target).collect();
    judge(&core.step(Found(targets)).0)
}

steps! {
    Forget(state: &mut State, number: Number, targets: &Targets) = apply;
}

/// Forgets every target that can be forgotten. Targets already forgotten stay so.
pub(in crate::network) fn apply(
    core: &mut Core,
    state: &mut State,
    number: Number,
    Targets(hashes): &Targets,
) {
    let store = &state.primary.store;
    let by = store.stored(number).hash();
    let mut targets: Vec<Number> = hashes.iter().filter_map(|hash| store.find_text(hash)).collect();
    targets.retain(|target| matches!(store.state(*target), StoreState::Processed | StoreState::Removing));
    targets.retain(|target| store.life(*target).is_some());
    for target in core.step(Forgotten(targets)).0 {
        removal::forgotten(core, state, target, by);
    }
    state.primary.store.set_state(number, StoreState::Processed);
}

fn moves(core: &mut Core, from: ForgetState, event: ForgetEvent) -> ForgetState {
    let (to, row) = from.on(event).expect("the transition is in the FORGET table");
    core.fired(row);
    to
}

//! What messages change about instances.

use std::sync::Arc;

use assay_spec::Id;
use assay_spec::network::envelope::Envelope;
use assay_spec::network::instance::{Control, Update, Wanted};
use assay_spec::network::machines::{InstanceEvent, InstanceState};
use assay_spec::network::requirements::errors::FORBIDDEN;
use assay_spec::network::requirements::instances::{CONTROL_UNKNOWN, UPDATE_UNKNOWN};

use super::machines::{Machine, id_of, ipv6_of};
use crate::core::Core;
use crate::network::state::State;
use crate::network::store::Number;
use crate::refusal::Refusal;
use crate::seam::steps;

/// What an instance is after an update.
#[derive(Clone, PartialEq)]
pub(in crate::network) struct Changed {
    /// Its content.
    pub(in crate::network) wanted: Wanted,
    /// Its content before.
    pub(in crate::network) before: Wanted,
    /// The number of its updates before.
    pub(in crate::network) changes: u32,
}

/// Checks a change of an instance: it exists, and the sender is its owner.
pub(in crate::network) fn judge(
    core: &mut Core,
    state: &State,
    envelope: &Envelope,
    id: &str,
    rule: Id,
) -> Result<(), Refusal> {
    let found = state.primary.derived.instances.find(id);
    core.require(rule, found.is_some(), || format!("no instance {id:.80}"))?;
    let own = found.is_none_or(|machine| machine.owner.eq_ignore_ascii_case(&envelope.address));
    if own {
        Ok(())
    } else {
        Err(Refusal::new(&FORBIDDEN, format!("{id} does not belong to {}", envelope.address)))
    }
}

/// Checks the further conditions of an update.
pub(in crate::network) fn judge_update(
    core: &mut Core,
    state: &State,
    envelope: &Envelope,
    update: &Update,
) -> Result<(), Refusal> {
    judge(core, state, envelope, &update.instance_id, &UPDATE_UNKNOWN)
}

/// Checks the further conditions of an action.
pub(in crate::network) fn judge_control(
    core: &mut Core,
    state: &State,
    envelope: &Envelope,
    control: &Control,
) -> Result<(), Refusal> {
    judge(core, state, envelope, &control.instance_id, &CONTROL_UNKNOWN)
}

/// Applies a valid INSTANCE.
pub(in crate::network) fn created(core: &mut Core, state: &mut State, number: Number, wanted: Wanted) {
    let store = &state.primary.store;
    let hash = store.stored(number).hash();
    let (id, now) = (id_of(core, hash), core.now());
    let machine = Machine {
        created_as: wanted.clone(),
        wanted,
        owner: store.message(number).sender,
        ipv6: ipv6_of(core, hash),
        state: moves(core, InstanceState::None, InstanceEvent::Create),
        created: now,
        updated: now,
        changes: 0,
    };
    let instances = &mut state.primary.derived.instances;
    let id: Arc<str> = id.into();
    if instances.by_id.insert(id.clone(), Arc::new(machine)).is_none() {
        instances.order.push_back(id);
    }
}

/// Applies a valid update.
pub(in crate::network) fn updated(core: &mut Core, state: &mut State, update: Update) {
    let now = core.now();
    let update = core.step(update);
    let Some(machine) = state.primary.derived.instances.by_id.get_mut(update.instance_id.as_str()) else {
        return;
    };
    let machine = Arc::make_mut(machine);
    let Update { name, description, .. } = update;
    let mut wanted = machine.wanted.clone();
    if let Some(name) = name {
        wanted.name = name;
    }
    if let Some(description) = description {
        wanted.description = description;
    }
    let (before, changes) = (machine.wanted.clone(), machine.changes);
    machine.wanted = core.step(Changed { wanted, before, changes }).wanted;
    machine.changes += 1;
    machine.updated = now;
}

steps! {
    Controlled(state: &mut State, control: &Control) = controlled;
}

/// Applies a valid action.
fn controlled(core: &mut Core, state: &mut State, control: &Control) {
    let now = core.now();
    let Some(machine) = state.primary.derived.instances.by_id.get_mut(control.instance_id.as_str()) else {
        return;
    };
    let machine = Arc::make_mut(machine);
    machine.state = moves(core, machine.state, control.action.event());
    machine.updated = now;
}

/// Makes a transition of the instance's table. Returns the new state.
fn moves(core: &mut Core, from: InstanceState, event: InstanceEvent) -> InstanceState {
    let (to, row) = from.on(event).expect("the transition is in the instance table");
    core.fired(row);
    to
}

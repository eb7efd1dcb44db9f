//! Virtual machine instances. Nothing runs in them; they have data, an address and a status.

use std::net::Ipv6Addr;
use std::sync::Arc;

use assay_spec::Id;
use assay_spec::Instant;
use assay_spec::network::envelope::Envelope;
use assay_spec::network::instance::{Control, Instance, InstanceFilter, Update, Wanted};
use assay_spec::network::machines::{InstanceEvent, InstanceState};
use assay_spec::network::requirements::errors::FORBIDDEN;
use assay_spec::network::requirements::instances::{CONTROL_UNKNOWN, SAME_ID, UPDATE_UNKNOWN};
use imbl::{OrdMap, Vector};

use crate::core::Core;
use crate::network::call::Call;
use crate::network::hash::Hash;
use crate::network::state::State;
use crate::network::store::Number;
use crate::refusal::Refusal;
use crate::seam::steps;

/// The instances of a node.
#[derive(Clone, Debug, Default)]
pub(in crate::network) struct Instances {
    by_id: OrdMap<Arc<str>, Arc<Machine>>,
    /// Identifiers in the order of creation.
    order: Vector<Arc<str>>,
}

/// What an instance is after an update.
#[derive(Clone, PartialEq)]
pub(in crate::network) struct Changed(pub(in crate::network) Wanted);

/// An instance.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    wanted: Wanted,
    owner: Arc<str>,
    ipv6: Ipv6Addr,
    state: InstanceState,
    created: Instant,
    updated: Instant,
    /// The number of updates.
    pub(super) changes: u32,
}

impl Instances {
    /// The number of instances.
    pub(in crate::network) fn len(&self) -> usize {
        self.order.len()
    }

    pub(super) fn find(&self, id: &str) -> Option<&Arc<Machine>> {
        self.by_id.get(id)
    }

    /// The instances that a filter selects, as records, newest first.
    pub(super) fn select(&self, core: &mut Core, filter: &InstanceFilter) -> Vec<Instance> {
        let of_owner = |machine: &Machine| {
            filter.address.as_ref().is_none_or(|address| address.eq_ignore_ascii_case(&machine.owner))
        };
        let machines = self.order.iter().rev().filter_map(|id| Some((id, self.find(id)?)));
        let records =
            machines.filter(|(_, machine)| of_owner(machine)).map(|(id, machine)| record(core, id, machine));
        records.filter(|instance| filter.matches(instance)).collect()
    }
}

/// The identifier of an instance.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::network) struct InstanceId {
    /// The hash of its message, as clients see it.
    pub(in crate::network) item_hash: String,
    /// The identifier.
    pub(in crate::network) id: String,
}

/// The identifier of the instance that a message creates.
pub(super) fn id_of(core: &mut Core, hash: Hash) -> String {
    let id = InstanceId { item_hash: hash.text(core), id: format!("inst-{}", &hash.hex()[..24]) };
    core.step(id).id
}

/// The address of an instance, from the range reserved for documentation.
pub(super) fn ipv6_of(core: &Core, hash: Hash) -> Ipv6Addr {
    let draw = core.rng.draw("network.ipv6", &hash.0, 0);
    let host = draw[..12].iter().fold(0_u128, |bits, byte| bits << 8 | u128::from(*byte));
    Ipv6Addr::from_bits(0x2001_0db8_u128 << 96 | host)
}

pub(super) fn record(core: &mut Core, id: &str, machine: &Machine) -> Instance {
    let Machine { wanted, owner, ipv6, state, created, updated, .. } = machine;
    let status = if *state == InstanceState::Stopped { "stopped" } else { "running" };
    core.step(Instance {
        instance_id: id.to_owned(),
        owner: owner.to_string(),
        name: wanted.name.clone(),
        description: wanted.description.clone(),
        cpu: wanted.cpu,
        memory: wanted.memory,
        disk: wanted.disk,
        image: wanted.image.clone(),
        ipv6: ipv6.to_string(),
        status,
        created_at: created.seconds(),
        updated_at: updated.seconds(),
    })
}

/// Checks a change of an instance: it exists, and the sender is its owner.
pub(in crate::network) fn judge(
    state: &State,
    core: &mut Core,
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
    state: &State,
    core: &mut Core,
    envelope: &Envelope,
    update: &Update,
) -> Result<(), Refusal> {
    judge(state, core, envelope, &update.instance_id, &UPDATE_UNKNOWN)
}

/// Checks the further conditions of an action.
pub(in crate::network) fn judge_control(
    state: &State,
    core: &mut Core,
    envelope: &Envelope,
    control: &Control,
) -> Result<(), Refusal> {
    judge(state, core, envelope, &control.instance_id, &CONTROL_UNKNOWN)
}

/// Path and content must name the same instance.
pub(super) fn same_id(core: &mut Core, call: &Call<'_>, id: &str) -> Result<(), Refusal> {
    let path = call.capture(0);
    Ok(core.require(&SAME_ID, path == id, || format!("the path names {path:.80}, the content {id:.80}"))?)
}

/// Applies a valid INSTANCE.
pub(in crate::network) fn created(state: &mut State, core: &mut Core, number: Number, wanted: Wanted) {
    let store = &state.primary.store;
    let hash = store.stored(number).hash();
    let (id, now) = (id_of(core, hash), core.now());
    let machine = Machine {
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
pub(in crate::network) fn updated(state: &mut State, core: &mut Core, update: Update) {
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
    machine.wanted = core.step(Changed(wanted)).0;
    machine.changes += 1;
    machine.updated = now;
}

steps! {
    Controlled(state: &mut State, control: &Control) = controlled;
}

/// Applies a valid action.
pub(in crate::network) fn controlled(core: &mut Core, state: &mut State, control: &Control) {
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

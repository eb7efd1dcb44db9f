//! Virtual machine instances. Nothing runs in them; they have data, an address and a status.

use std::net::Ipv6Addr;
use std::sync::Arc;

use assay_spec::Instant;
use assay_spec::network::instance::{Instance, InstanceFilter, Wanted};
use assay_spec::network::machines::InstanceState;
use imbl::{OrdMap, Vector};

use crate::core::Core;
use crate::network::hash::Hash;

/// The instances of a node.
#[derive(Clone, Debug, Default)]
pub(in crate::network) struct Instances {
    pub(super) by_id: OrdMap<Arc<str>, Arc<Machine>>,
    /// Identifiers in the order of creation.
    pub(super) order: Vector<Arc<str>>,
}

/// An instance.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    pub(super) wanted: Wanted,
    /// As it was created.
    pub(super) created_as: Wanted,
    pub(super) owner: Arc<str>,
    pub(super) ipv6: Ipv6Addr,
    pub(super) state: InstanceState,
    pub(super) created: Instant,
    pub(super) updated: Instant,
    /// The number of updates.
    pub(super) changes: u32,
}

impl Instances {
    /// The number of instances.
    pub(in crate::network) fn len(&self) -> usize {
        self.order.len()
    }

    /// The address of the first instance.
    pub(in crate::network) fn first_address(&self) -> Option<Ipv6Addr> {
        self.find(self.order.front()?).map(|machine| machine.ipv6)
    }

    /// What the creation of an instance asked for.
    pub(in crate::network) fn created_as(&self, id: &str) -> Option<&Wanted> {
        self.find(id).map(|machine| &machine.created_as)
    }

    /// Whether an instance was updated.
    pub(in crate::network) fn is_updated(&self, id: &str) -> bool {
        self.find(id).is_some_and(|machine| machine.changes > 0)
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

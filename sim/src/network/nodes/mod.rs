//! The world's nodes: core nodes with the API, and compute nodes. Each can be down, slow, without IPv6, or old.

mod change;

use std::net::IpAddr;
use std::sync::Arc;

use assay_spec::crypto::text::hex;
use assay_spec::network::metrics::FEATURES;
use serde_json::{Value, json};

use super::{State, Timer, probes, set, sites};
use crate::core::Core;
use crate::world::{ExchangeId, Reply, RequestHead, Site};

pub(super) use change::perform;

use change::CURRENT;

/// What a node is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NodeKind {
    /// It has the API.
    Core,
    /// It runs machines.
    Compute,
}

/// A node.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Where it listens.
    pub(super) site: Site,
    /// What it is for.
    pub(super) kind: NodeKind,
    /// Its hash, hexadecimal.
    pub(super) id: Arc<str>,
    /// Its address, as records of it show it.
    pub(super) url: Arc<str>,
    /// Whether it can be reached at all.
    pub(super) up: bool,
    /// How much later than others it answers.
    pub(super) slow_ms: i64,
    /// Whether it can be reached over IPv6.
    pub(super) ipv6: bool,
    /// Whether its diagnostic machine runs.
    pub(super) machine: bool,
    /// The hash of that machine, hexadecimal.
    pub(super) machine_id: Arc<str>,
    /// Its software's version.
    pub(super) version: Arc<str>,
    /// The autonomous system that it is in.
    pub(super) asn: u32,
    /// That system's name.
    pub(super) as_name: Arc<str>,
    /// What a compute node can do.
    pub(super) features: Arc<[String]>,
}

/// The nodes of a world. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Nodes(Arc<Vec<Node>>);

/// Which way a node cannot be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unreachable {
    /// It is down.
    Down,
    /// It has no IPv6.
    NoIpv6,
}

impl Nodes {
    /// The nodes at the beginning of a world: all of them well.
    pub(super) fn new(core: &Core) -> Nodes {
        let node = |kind: NodeKind, site: Site, asn: u32, as_name: &str, features: usize| {
            let id = |stream| hex(&core.rng.draw(stream, site.name.as_bytes(), 0)).into();
            Node {
                site,
                kind,
                id: id("network.node"),
                url: format!("http://{}.sim/", site.name).into(),
                up: true,
                slow_ms: 0,
                ipv6: true,
                machine: true,
                machine_id: id("network.diagnostic-machine"),
                version: CURRENT.into(),
                asn,
                as_name: as_name.into(),
                features: FEATURES[..features].iter().map(ToString::to_string).collect(),
            }
        };
        // The numbers are set aside for documentation (RFC 5398).
        Nodes(Arc::new(vec![
            node(NodeKind::Core, sites::PRIMARY, 64_496, "Example Transit", 0),
            node(NodeKind::Core, sites::ALTERNATIVE, 64_497, "Example Hosting", 0),
            node(NodeKind::Core, sites::MIRROR, 64_498, "Example Islands", 0),
            node(NodeKind::Compute, sites::COMPUTE_1, 64_499, "Example Compute", 2),
            node(NodeKind::Compute, sites::COMPUTE_2, 64_500, "Example Garage", 1),
        ]))
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The nodes in the order of the port plan.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Node> {
        self.0.iter()
    }

    /// The node of that number.
    pub(super) fn at(&self, number: usize) -> &Node {
        &self.0[number]
    }

    /// The node at a site.
    pub(super) fn at_site(&self, site: Site) -> Option<&Node> {
        self.iter().find(|node| node.site == site)
    }

    /// The number of the node of that kind and hash.
    pub(super) fn find(&self, kind: NodeKind, id: &str) -> Option<usize> {
        self.iter().position(|node| node.kind == kind && node.id.eq_ignore_ascii_case(id))
    }
}

impl Node {
    /// Why a caller at that address does not reach the node.
    pub(super) fn unreachable_from(&self, peer: IpAddr) -> Option<Unreachable> {
        match peer {
            _ if !self.up => Some(Unreachable::Down),
            IpAddr::V6(_) if !self.ipv6 => Some(Unreachable::NoIpv6),
            _ => None,
        }
    }

    /// Why its diagnostic machine does not answer a ping, which goes over IPv6.
    pub(super) fn unreachable_machine(&self) -> Option<Unreachable> {
        match () {
            () if !self.up || !self.machine => Some(Unreachable::Down),
            () if !self.ipv6 => Some(Unreachable::NoIpv6),
            () => None,
        }
    }

    /// The node, for people.
    pub(super) fn view(&self) -> Value {
        let kind = if self.kind == NodeKind::Core { "core" } else { "compute" };
        let mut view = json!({
            "site": self.site.name,
            "kind": kind,
            "node_id": *self.id,
            "url": *self.url,
            "up": self.up,
            "slow_ms": self.slow_ms,
            "ipv6": self.ipv6,
            "version": *self.version,
            "asn": self.asn,
            "as_name": *self.as_name,
        });
        if self.kind == NodeKind::Compute {
            view["features"] = json!(*self.features);
            view["machine"] = json!(self.machine);
            view["machine_id"] = json!(*self.machine_id);
            view["checks"] = json!(probes::CHECKS);
        }
        view
    }
}

/// The answer to whoever asks a node that cannot be reached. A world has no connections that it could leave unmade;
/// this is what stands in front of a node that is gone.
pub(super) fn refuses(state: &State, core: &Core, head: &RequestHead) -> Option<Reply> {
    state.nodes.at_site(head.site)?.unreachable_from(head.peer)?;
    Some(core.text(503, "no such node"))
}

/// The answer of a node, now; that of a slow one comes later.
pub(super) fn slowed(
    state: &State,
    core: &mut Core,
    exchange: ExchangeId,
    site: Site,
    reply: Reply,
) -> Option<Reply> {
    let slow_ms = state.nodes.at_site(site).map_or(0, |node| node.slow_ms);
    if slow_ms == 0 {
        return Some(reply);
    }
    set(core, core.now() + slow_ms, Timer::Slow(exchange, Box::new(reply)));
    None
}

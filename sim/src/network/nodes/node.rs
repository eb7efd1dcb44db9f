//! The world's nodes: core nodes with the API, and compute nodes. Each can be down, slow, without IPv6, or
//! outdated.

use std::net::IpAddr;
use std::sync::Arc;

use assay_spec::crypto::text::hex;
use assay_spec::network::metrics::FEATURES;
use serde_json::{Value, json};

use crate::core::Core;
use crate::exchange::Site;
use crate::network::sites;

/// The version of an up-to-date node.
pub(super) const CURRENT: &str = "2.4.1";
/// The status checks of compute nodes.
pub(in crate::network) const CHECKS: [&str; 3] = ["full", "machines", "storage"];

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::network) enum NodeKind {
    /// Serves the API.
    Core,
    /// Runs machines.
    Compute,
}

/// A node.
#[derive(Clone, Debug)]
pub(in crate::network) struct Node {
    /// The site where it listens.
    pub(in crate::network) site: Site,
    /// What it is for.
    pub(in crate::network) kind: NodeKind,
    /// Its hash, in hex.
    pub(in crate::network) id: Arc<str>,
    /// Its address, as shown in records.
    pub(in crate::network) url: Arc<str>,
    /// Whether it is reachable.
    pub(in crate::network) up: bool,
    /// The additional delay of its responses.
    pub(in crate::network) slow_ms: i64,
    /// Whether it is reachable over IPv6.
    pub(in crate::network) ipv6: bool,
    /// Whether its diagnostic machine runs.
    pub(in crate::network) machine: bool,
    /// The hash of that machine, in hex.
    pub(in crate::network) machine_id: Arc<str>,
    /// The version of its software.
    pub(in crate::network) version: Arc<str>,
    /// The number of its autonomous system.
    pub(in crate::network) asn: u32,
    /// The name of its autonomous system.
    pub(in crate::network) as_name: Arc<str>,
    /// The features of a compute node.
    pub(in crate::network) features: Arc<[String]>,
}

/// The nodes of a world. Cheap to clone.
#[derive(Clone, Debug)]
pub(in crate::network) struct Nodes(pub(super) Arc<Vec<Node>>);

/// Why a node is not reachable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::network) enum Unreachable {
    /// It is down.
    Down,
    /// It has no IPv6.
    NoIpv6,
}

impl Nodes {
    /// The nodes at the start of a world, all reachable and up to date.
    pub(in crate::network) fn new(core: &Core) -> Nodes {
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
        // The numbers are reserved for documentation (RFC 5398).
        Nodes(Arc::new(vec![
            node(NodeKind::Core, sites::PRIMARY, 64_496, "Example Transit", 0),
            node(NodeKind::Core, sites::ALTERNATIVE, 64_497, "Example Hosting", 0),
            node(NodeKind::Core, sites::MIRROR, 64_498, "Example Islands", 0),
            node(NodeKind::Compute, sites::COMPUTE_1, 64_499, "Example Compute", 2),
            node(NodeKind::Compute, sites::COMPUTE_2, 64_500, "Example Garage", 1),
        ]))
    }

    /// The number of nodes.
    pub(in crate::network) fn len(&self) -> usize {
        self.0.len()
    }

    /// The nodes in the order of the port plan.
    pub(in crate::network) fn iter(&self) -> impl Iterator<Item = &Node> {
        self.0.iter()
    }

    /// The node with that number.
    pub(in crate::network) fn at(&self, number: usize) -> &Node {
        &self.0[number]
    }

    /// The node at a site.
    pub(in crate::network) fn at_site(&self, site: Site) -> Option<&Node> {
        self.iter().find(|node| node.site == site)
    }

    /// The number of the node with that kind and hash.
    pub(in crate::network) fn find(&self, kind: NodeKind, id: &str) -> Option<usize> {
        self.iter().position(|node| node.kind == kind && node.id.eq_ignore_ascii_case(id))
    }
}

impl Node {
    /// Why a caller at that address cannot reach the node.
    pub(in crate::network) fn unreachable_from(&self, peer: IpAddr) -> Option<Unreachable> {
        match peer {
            _ if !self.up => Some(Unreachable::Down),
            IpAddr::V6(_) if !self.ipv6 => Some(Unreachable::NoIpv6),
            _ => None,
        }
    }

    /// Why its diagnostic machine does not answer a ping; pings use IPv6.
    pub(in crate::network) fn unreachable_machine(&self) -> Option<Unreachable> {
        match () {
            () if !self.up || !self.machine => Some(Unreachable::Down),
            () if !self.ipv6 => Some(Unreachable::NoIpv6),
            () => None,
        }
    }

    /// The node, as the control API shows it.
    pub(in crate::network) fn view(&self) -> Value {
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
            view["checks"] = json!(CHECKS);
        }
        view
    }
}

//! The network's sites: nodes of the API, compute nodes, and the services beside them.

use assay_spec::Service;

use super::store::NODES;
use crate::exchange::Site;

/// The primary: the load-balanced address of the API.
pub const PRIMARY: Site = site("network", 7);
/// The alternative address, which also serves node metrics.
pub const ALTERNATIVE: Site = site("network-alt", 8);
/// A mirror of the API, which can lag behind the primary.
pub const MIRROR: Site = site("network-mirror", 9);
/// A compute node.
pub const COMPUTE_1: Site = site("compute-1", 10);
/// Another compute node.
pub const COMPUTE_2: Site = site("compute-2", 11);
/// The scheduler.
pub const SCHEDULER: Site = site("scheduler", 12);
/// The status service.
pub const STATUS: Site = site("status", 13);
/// The credit service.
pub const CREDIT: Site = site("credit", 14);

/// Every site.
pub const ALL: &[Site] = &[PRIMARY, ALTERNATIVE, MIRROR, COMPUTE_1, COMPUTE_2, SCHEDULER, STATUS, CREDIT];

/// The sites of nodes, in the order of the nodes.
pub(super) const OF_NODES: [Site; 5] = [PRIMARY, ALTERNATIVE, MIRROR, COMPUTE_1, COMPUTE_2];

const fn site(name: &'static str, port: u16) -> Site {
    Site { service: Service::Network, name, port, tls: false }
}

/// The number of the node at a site.
pub(super) fn node(site: Site) -> usize {
    let nodes: [Site; NODES] = [PRIMARY, ALTERNATIVE, MIRROR];
    nodes.iter().position(|node| *node == site).unwrap_or(0)
}

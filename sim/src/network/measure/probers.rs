//! The servers of the measurement program, and its random numbers.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::core::Core;

/// The servers of the program, on several continents. The addresses are reserved for documentation (RFC 5737,
/// RFC 3849).
const PROBERS: [(Ipv4Addr, Ipv6Addr); 3] = [
    (Ipv4Addr::new(198, 51, 100, 1), Ipv6Addr::new(0x2001, 0xdb8, 1, 0, 0, 0, 0, 1)),
    (Ipv4Addr::new(198, 51, 100, 2), Ipv6Addr::new(0x2001, 0xdb8, 2, 0, 0, 0, 0, 1)),
    (Ipv4Addr::new(203, 0, 113, 3), Ipv6Addr::new(0x2001, 0xdb8, 3, 0, 0, 0, 0, 1)),
];

/// Whether a request comes from the measurement program.
pub(in crate::network) fn is_prober(peer: IpAddr) -> bool {
    PROBERS.iter().any(|(v4, v6)| peer == IpAddr::V4(*v4) || peer == IpAddr::V6(*v6))
}

/// A random number for a node in an hour; not negative.
pub(super) fn number_of(core: &Core, stream: &str, hour: u64, node: usize) -> i64 {
    let draw = core.rng.draw(stream, &(node as u64).to_be_bytes(), hour);
    let eight: [u8; 8] = std::array::from_fn(|n| draw[n]);
    (u64::from_be_bytes(eight) >> 1) as i64
}

/// The addresses that the program probes from.
pub(super) fn prober(core: &Core, hour: u64, node: usize) -> (IpAddr, IpAddr) {
    let at = number_of(core, "network.prober", hour, node) as usize % PROBERS.len();
    (IpAddr::V4(PROBERS[at].0), IpAddr::V6(PROBERS[at].1))
}

//! What a profile says of the simulator.

use crate::harness::suite::Simulated;
use crate::profile::{Hosting, HostingReadings};

pub(super) fn table(sim: &Simulated<'_>) -> Hosting {
    Hosting {
        url: Some(sim.url("hosting")),
        owner: None,
        wallet_key: None,
        new_since: None,
        readings: HostingReadings::default(),
    }
}

//! What a profile says of the simulator.

use assay_spec::Service;

use crate::harness::suite::Simulated;
use crate::profile::{Drop, DropLimits, DropReadings};

pub(super) fn table(sim: &Simulated<'_>) -> Drop {
    // One drop an hour is left for other clients.
    let drops_per_hour = sim.limit(Service::Drop, "drops_per_hour").saturating_sub(1).max(1);
    Drop {
        url: sim.url("drop"),
        paused_url: None,
        forwarding_header: sim.forwarding_header.clone(),
        readings: DropReadings::default(),
        limits: DropLimits { drops_per_hour, ..DropLimits::default() },
    }
}

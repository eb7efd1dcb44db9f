//! What a profile says of the simulator.

use assay_spec::Service;

use crate::harness::suite::Simulated;
use crate::profile::{Drop, DropLimits, DropReadings, Profile};

pub(super) fn profile(sim: &Simulated<'_>, profile: &mut Profile) -> Result<(), String> {
    // One drop an hour is left for other clients.
    let drops_per_hour = sim.limit(Service::Drop, "drops_per_hour").saturating_sub(1).max(1);
    profile.drop = Some(Drop {
        url: sim.url("drop"),
        paused_url: None,
        forwarding_header: sim.forwarding_header.clone(),
        readings: DropReadings::default(),
        limits: DropLimits { drops_per_hour, ..DropLimits::default() },
    });
    Ok(())
}

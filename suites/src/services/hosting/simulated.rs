//! What a profile says of the simulator.

use crate::harness::suite::Simulated;
use crate::profile::{Hosting, HostingReadings, Profile};

pub(super) fn profile(sim: &Simulated<'_>, profile: &mut Profile) -> Result<(), String> {
    profile.hosting = Some(Hosting {
        url: Some(sim.url("hosting")),
        owner: None,
        wallet_key: None,
        readings: HostingReadings::default(),
    });
    Ok(())
}

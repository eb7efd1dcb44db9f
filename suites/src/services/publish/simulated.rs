//! What is prepared in a simulator, and what a profile says of it: domains that are bound to one key.

use assay_spec::Service;
use assay_spec::crypto::{ed25519, text};
use serde_json::json;

use crate::harness::suite::{Simulated, SimulatedWorld};
use crate::profile::{Publish, PublishLimits, PublishReadings};

/// The number of bound domains.
const POOL: usize = 200;
/// The domains of an operator.
pub(super) const FEW: usize = 8;
/// The stream of the key's seed.
const KEY: &str = "profile.publish-key";

/// Binds the domains.
pub(super) fn prepare(world: &mut dyn SimulatedWorld) -> Result<(), String> {
    let address = ed25519::address(&ed25519::key_from_seed(world.draw(KEY)));
    for domain in domains() {
        world.perform("publish.bind", &json!({ "domain": domain, "key": address }))?;
    }
    Ok(())
}

pub(super) fn table(sim: &Simulated<'_>) -> Result<Publish, String> {
    Ok(Publish {
        url: sim.url("publish"),
        chain_url: Some(sim.url("chain")),
        standby_url: None,
        forwarding_header: sim.forwarding_header.clone(),
        domains: domains().collect(),
        key: Some((sim.write_secret)("key", &text::hex(&(sim.draw)(KEY)))?),
        pending: None,
        second_key: None,
        second_domains: Vec::new(),
        pending_transfer: None,
        transferable: None,
        not_publishable: None,
        feature_off: None,
        chain_rejects: None,
        readings: PublishReadings::default(),
        limits: PublishLimits {
            requests_per_minute: Some(sim.limit(Service::Publish, "requests_per_window")),
            ..PublishLimits::default()
        },
    })
}

fn domains() -> impl Iterator<Item = String> {
    (1..=POOL).map(|n| format!("pool-{n:03}.assay.example"))
}

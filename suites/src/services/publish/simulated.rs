//! What is prepared in a simulator, and what a profile says of it: domains that are bound to one key.

use assay_spec::Service;
use assay_spec::crypto::{ed25519, text};
use serde_json::json;

use crate::harness::suite::{Shown, Simulated, SimulatedWorld, WriteSecret};
use crate::profile::{Profile, Publish, PublishLimits, PublishReadings};

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

/// A domain with a pending transfer to a second key.
pub(super) fn pending(
    world: &mut dyn SimulatedWorld,
    profile: &mut Profile,
    write_secret: WriteSecret<'_>,
) -> Result<(), String> {
    const PENDING: &str = "pending.assay.example";
    let (first, second) = (world.draw(KEY), world.draw("profile.publish-second-key"));
    let address = |seed| ed25519::address(&ed25519::key_from_seed(seed));
    let transfer = bs58::encode([7; 64]).into_string();
    let waiting = json!({ "key": address(second), "transfer": transfer });
    world
        .perform("publish.bind", &json!({ "domain": PENDING, "key": address(first), "pending": waiting }))?;
    if let Some(table) = &mut profile.publish {
        table.second_key = Some(write_secret("second.key", &text::hex(&second))?);
        table.pending = Some(PENDING.to_owned());
        table.pending_transfer = Some(transfer);
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

pub(super) fn shows(sim: &Simulated<'_>) -> Vec<Shown> {
    let seed = (sim.draw)(KEY);
    let address = ed25519::address(&ed25519::key_from_seed(seed));
    let (first, last) = (domains().next().unwrap_or_default(), domains().last().unwrap_or_default());
    vec![
        Shown { what: "domains", value: format!("{first} to {last}"), variables: &[] },
        Shown { what: "owner", value: address, variables: &[] },
        Shown { what: "key", value: text::hex(&seed), variables: &["ASSAY_KEY"] },
    ]
}

fn domains() -> impl Iterator<Item = String> {
    (1..=POOL).map(|n| format!("pool-{n:03}.assay.example"))
}

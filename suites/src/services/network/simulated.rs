//! What a profile says of the simulator: its sites, its own readings, and what exists in every world.

use assay_spec::Service;
use assay_spec::network::message;
use serde_json::Value;

use crate::harness::suite::Simulated;
use crate::profile::{
    AggregateWrite, EndpointName, Endpoints, Network, NetworkFixtures, NetworkLimits, NetworkReadings,
    SigningScheme,
};

pub(super) fn table(sim: &Simulated<'_>) -> Network {
    Network {
        url: sim.url("network"),
        alt_url: Some(sim.url("network-alt")),
        mirror_url: Some(sim.url("network-mirror")),
        compute_urls: ["compute-1", "compute-2"].map(|site| sim.url(site)).to_vec(),
        scheduler_url: Some(sim.url("scheduler")),
        status_url: Some(sim.url("status")),
        credit_url: Some(sim.url("credit")),
        owner_key: None,
        forwarding_header: sim.forwarding_header.clone(),
        strict: true,
        endpoints: Endpoints::default(),
        readings: NetworkReadings {
            signing_scheme: Some(SigningScheme::Either),
            verifies_signatures: true,
            enforces_security: true,
            aggregate_write: Some(AggregateWrite::Merged),
            ..NetworkReadings::default()
        },
        fixtures: fixtures(&(sim.state)(Service::Network)),
        limits: NetworkLimits {
            requests_per_minute: Some(sim.limit(Service::Network, "general_per_window")),
            authenticated: Some(EndpointName::from_endpoint(&message::CREATE)),
            ..NetworkLimits::default()
        },
    }
}

/// Limits without which a run only takes longer: of requests, and of the time for which a FORGET is retried.
pub(super) const QUICK: &str = r#"{
    "general_per_window": 100000, "authenticated_per_window": 100000, "heavy_per_window": 100000, "forget_retry_ms": 50
}"#;

/// What an operator has: one node.
pub(super) fn leave_the_node(table: &mut Network) {
    (table.alt_url, table.mirror_url) = (None, None);
    (table.scheduler_url, table.status_url, table.credit_url) = (None, None, None);
    table.compute_urls.clear();
    table.fixtures = NetworkFixtures::default();
}

fn fixtures(state: &Value) -> NetworkFixtures {
    let mut nodes = state["nodes"].as_array().into_iter().flatten();
    let compute = nodes.find(|node| node["site"] == "compute-1").cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    NetworkFixtures {
        indexer_network: text(&state["indexed"][0]),
        diagnostic_vm: text(&compute["machine_id"]),
        status_check: text(&compute["checks"][0]),
        ..NetworkFixtures::default()
    }
}

//! What a profile says of the simulator: every contract that the service knows.

use assay_spec::Service;

use crate::harness::suite::{Shown, Simulated};
use crate::profile::{Metadata, MetadataContract, MetadataLimits, MetadataReadings};

pub(super) fn table(sim: &Simulated<'_>) -> Metadata {
    let state = (sim.state)(Service::Metadata);
    let text = |name: &str| state[name].as_str().map(str::to_owned);
    Metadata {
        url: sim.url("metadata"),
        unknown_token: text("unknown_token"),
        contracts: MetadataContract::from_state(&state),
        readings: MetadataReadings { interface_path: text("interface_path") },
        limits: MetadataLimits { requests_per_minute: Some(100_000) },
    }
}

pub(super) fn shows(sim: &Simulated<'_>) -> Vec<Shown> {
    let contracts = MetadataContract::from_state(&(sim.state)(Service::Metadata)).into_iter();
    let named = contracts.filter_map(|contract| contract.cid.or(contract.uri_path));
    named.map(|value| Shown { what: "contract", value, variables: &[] }).collect()
}

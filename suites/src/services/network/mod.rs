//! Checks of the node API (document 2).

mod aggregates;
mod caller;
mod creations;
mod envelope;
mod errors;
mod every;
mod explore;
mod flat;
mod forget;
mod indexer;
mod info;
mod instances;
mod limits;
mod listing;
mod measurement;
mod messages;
mod metrics;
mod paging;
mod pins;
mod probes;
mod programs;
mod readings;
mod replies;
mod scene;
mod signing;
mod simulated;
mod storage;
mod store;
mod suite;
pub(crate) mod survey;
mod upload;
mod valid;
mod vrf;
mod webhooks;
mod wire;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use assay_spec::crypto::secp256k1::SigningKey;
use assay_spec::endpoint::Endpoint;
use assay_spec::network::message;
use serde_json::Value;
use tokio::sync::{Mutex, OnceCell};

pub use suite::{APART, SUITE};

use crate::harness::check::{Core, Stop};
use crate::harness::probe::{Evidence, Probe, Settings};
use crate::profile::{
    AggregateWrite, EndpointName, FORGET_SETTLE_SECONDS, MetricsBase, MetricsType, Network, NetworkFixtures,
    NetworkLimits, SigningScheme,
};
use caller::{Caller, Procedure};

pub(crate) use wire::{ALTERNATIVE, Call, MIRROR, PRIMARY, is_error_body, path_with};

/// Whether checks may run beside each other at a shared target. Each check writes as a sender of its own.
pub(crate) const PARALLEL: bool = true;

/// What the service must have shown. Every check of the message list sends a message first.
pub const CORE: Core = {
    use assay_spec::network::requirements::{flat, info, listing};
    Core::new(
        "a message list can be read",
        const { &[&listing::LISTED, &listing::FINDS, &flat::FLAT, &flat::FINDS] },
    )
    .reading("the public information can be read", const { &[&info::PUBLIC, &info::PREFIX] })
};

/// The statuses of an accepted creation: the document shows the answer but not its status.
pub(crate) const ACCEPTED: &[u16] = &[200, 201, 202];
/// The reply to an accepted creation.
pub(crate) const CREATED: Evidence = Evidence {
    what: "a string `item_hash`",
    shows: |body| body["item_hash"].as_str().is_some_and(|hash| !hash.is_empty()),
};
/// The documented statuses that reject a client's mistake.
pub(crate) const REJECTED: &[u16] = &[400, 401, 403, 404];
/// The type of the documents that checks post.
pub(crate) const POST_TYPE: &str = "assay-check";

/// What a profile declares for this service. The default declares this project's readings.
#[derive(Clone)]
pub struct Fixtures {
    /// A missing endpoint is a failure.
    pub strict: bool,
    /// Endpoints that the target does not offer, by name.
    pub absent: BTreeSet<&'static str>,
    /// What signatures cover, if the profile declares it.
    pub signing_scheme: Option<SigningScheme>,
    /// The target verifies signatures.
    pub verifies_signatures: bool,
    /// The target applies the authorizations of `security`.
    pub enforces_security: bool,
    /// What a later write of some members does to an aggregate, if the profile declares it.
    pub aggregate_write: Option<AggregateWrite>,
    /// The number of the first page.
    pub first_page: u64,
    /// How long a FORGET may take until it is applied or rejected, in seconds.
    pub forget_settle_seconds: u64,
    /// How long the target may take until it has processed what was sent, in seconds.
    pub process_seconds: u32,
    /// The content type of measurements.
    pub metrics_content_type: MetricsType,
    /// The address that serves node metrics, if the profile declares it.
    pub metrics_base: Option<MetricsBase>,
    /// The name of an endpoint whose requests count as authenticated, if the profile declares it.
    pub authenticated: Option<&'static str>,
    /// What exists at the target before a run.
    pub given: NetworkFixtures,
    /// The key of the owner of the declared STORE messages.
    pub owner_key: Option<SigningKey>,
    /// How far the target's clock is ahead of this machine's, in milliseconds, once a check has measured it.
    skew_ms: Arc<OnceCell<i64>>,
    /// When the run began, in milliseconds, once a check has sent a message.
    began: Arc<OnceLock<u64>>,
    /// Elements, by the name of their array, that several checks read when they share a target.
    corpora: Arc<Mutex<BTreeMap<&'static str, Value>>>,
    /// What the messages of several checks name when they share a target.
    named: Arc<Mutex<creations::Named>>,
}

/// Does not show the key.
impl std::fmt::Debug for Fixtures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fixtures").field("given", &self.given).finish_non_exhaustive()
    }
}

impl Default for Fixtures {
    fn default() -> Self {
        Fixtures {
            strict: true,
            absent: BTreeSet::new(),
            signing_scheme: Some(SigningScheme::Either),
            verifies_signatures: true,
            enforces_security: true,
            aggregate_write: Some(AggregateWrite::Merged),
            first_page: 1,
            forget_settle_seconds: FORGET_SETTLE_SECONDS,
            process_seconds: NetworkLimits::default().process_seconds,
            metrics_content_type: MetricsType::Both,
            metrics_base: None,
            authenticated: Some(message::CREATE.name),
            given: NetworkFixtures::default(),
            owner_key: None,
            skew_ms: Arc::default(),
            began: Arc::default(),
            corpora: Arc::default(),
            named: Arc::default(),
        }
    }
}

impl Fixtures {
    /// The fixtures of a profile.
    pub fn new(profile: &Network) -> Fixtures {
        let readings = &profile.readings;
        Fixtures {
            strict: profile.strict,
            absent: profile.endpoints.absent(),
            signing_scheme: readings.signing_scheme,
            verifies_signatures: readings.verifies_signatures,
            enforces_security: readings.enforces_security,
            aggregate_write: readings.aggregate_write,
            first_page: readings.first_page,
            forget_settle_seconds: readings.forget_settle_seconds,
            process_seconds: profile.limits.process_seconds,
            metrics_content_type: readings.metrics_content_type,
            metrics_base: readings.metrics_base,
            authenticated: profile.limits.authenticated.map(EndpointName::name),
            given: profile.fixtures.clone(),
            owner_key: None,
            skew_ms: Arc::default(),
            began: Arc::default(),
            corpora: Arc::default(),
            named: Arc::default(),
        }
    }

    /// Whether the target claims to offer an endpoint.
    pub fn offers(&self, endpoint: &Endpoint) -> bool {
        !self.absent.contains(endpoint.name)
    }

    /// How messages are signed where the check does not depend on it.
    pub(crate) fn procedure(&self) -> Procedure {
        match self.signing_scheme {
            Some(SigningScheme::CanonicalRecord) => Procedure::Record,
            _ => Procedure::General,
        }
    }
}

/// A fixture of the profile; ends the check if the target does not confirm it.
pub(crate) fn given<'p>(
    probe: &'p Probe<'_>,
    name: &str,
    member: fn(&NetworkFixtures) -> &Option<String>,
) -> Result<Option<&'p String>, Stop> {
    let value = member(&probe.settings.network().given).as_ref();
    if value.is_some() {
        probe.rest_on(&format!("network.fixtures.{name}"))?;
    }
    Ok(value)
}

/// Whether a check has a STORE message in a state from the profile, and may act as its owner.
pub(crate) fn owned(settings: &Settings, member: fn(&NetworkFixtures) -> &Option<String>) -> bool {
    settings.network().owner_key.is_some() && member(&settings.network().given).is_some()
}

/// The owner of the declared STORE messages, and the message in a state; `None` where the control API makes one.
pub(crate) fn given_of_owner<'p>(
    probe: &'p Probe<'_>,
    name: &str,
    member: fn(&NetworkFixtures) -> &Option<String>,
) -> Result<Option<(Caller, &'p String)>, Stop> {
    let owner = probe.settings.network().owner_key.clone().map(Caller::new);
    Ok(owner.zip(given(probe, name, member)?))
}

/// The runtime of the programs that checks create.
pub(crate) fn runtime<'p>(probe: &'p Probe<'_>) -> &'p str {
    probe.settings.network().given.runtime.as_deref().unwrap_or("python3")
}

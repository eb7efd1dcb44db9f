//! Checks of the inference gateway (document 1).
//!
//! Checks assert only what holds for any model: no check compares a reply with a fixed sentence. What the document does
//! not show is not asserted.

mod auth;
mod bodies;
mod chat;
pub mod client;
mod completions;
mod direct;
mod discovery;
mod errors;
mod explore;
mod given;
mod input;
mod malformed;
mod messages;
mod models;
mod payment;
mod payments;
mod pool;
mod readings;
mod responses;
mod simulated;
mod stream;
mod suite;
pub(crate) mod survey;
mod tools;
mod wire;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use assay_spec::endpoint::Endpoint;
use tokio::sync::OnceCell;

pub use suite::SUITE;

use crate::harness::check::Core;
use crate::harness::probe::Probe;
use crate::http::exchange::Request;
use crate::profile::{self, Gateway, GatewayLimits, GatewayModels, GatewayReadings, IdPath};

use payments::Payments;

/// Whether checks may run beside each other at a shared target. No request changes anything.
pub(crate) const PARALLEL: bool = true;

/// What the service must have shown.
pub const CORE: Core = {
    use assay_spec::gateway::requirements::{chat, completions, messages, responses};
    Core::new(
        "an inference call succeeds",
        const {
            &[
                &chat::CHOICES,
                &completions::COMPLETION,
                &completions::NATIVE,
                &responses::RESPONSE,
                &messages::MESSAGE_OBJECT,
            ]
        },
    )
};

/// The endpoints among `all` that the target offers, each with its value.
fn offered<T, const N: usize>(
    probe: &Probe<'_>,
    all: [(&'static Endpoint, T); N],
) -> impl Iterator<Item = (&'static Endpoint, T)> {
    let fixtures = probe.settings.gateway();
    all.into_iter().filter(move |(endpoint, _)| fixtures.offers(endpoint))
}

/// What a profile configures for this service. The default describes the simulator.
#[derive(Clone, Debug)]
pub struct Fixtures {
    /// A valid key; if none is set, a control API may provide one.
    key: Option<Token>,
    /// A revoked key.
    revoked_key: Option<Token>,
    /// A second valid key, which only checks that count tokens use.
    second_key: Option<Token>,
    /// Values of the payment header that pay.
    payments: Payments,
    /// Where the tokens that this key has spent are shown, and the path of their number there.
    usage: Option<(String, IdPath)>,
    /// Servers to call directly; if none is set, those that discovery lists.
    servers: Vec<String>,
    /// Models by capability.
    models: GatewayModels,
    /// The names of the endpoints that the target does not offer.
    absent: BTreeSet<&'static str>,
    /// The readings that the target declares.
    readings: GatewayReadings,
    /// The client timeout, in seconds.
    answer_seconds: u32,
    /// The result of the run's one search for a model, if the profile names none.
    chosen: Arc<OnceCell<given::Search>>,
}

/// A key that is never printed.
#[derive(Clone)]
struct Token(String);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\u{2026}")
    }
}

impl Default for Fixtures {
    fn default() -> Self {
        let readings = GatewayReadings { wire_compat: true, ..GatewayReadings::default() };
        Fixtures::from_models(GatewayModels::default(), &readings, &GatewayLimits::default(), BTreeSet::new())
    }
}

impl Fixtures {
    /// The fixtures of a profile, with the keys it names.
    pub fn new(profile: &Gateway, key: Option<String>, revoked_key: Option<String>) -> Fixtures {
        let absent = profile.endpoints.absent();
        let fixtures =
            Fixtures::from_models(profile.models.clone(), &profile.readings, &profile.limits, absent);
        let servers = profile.server_urls.clone();
        let path = profile.usage_path.clone().unwrap_or_else(IdPath::spent);
        let usage = profile.usage_url.clone().map(|url| (url, path));
        let command = match &profile.payments {
            Some(profile::Payments::Command { command }) => Some(command.clone()),
            _ => None,
        };
        let payments = Payments { command, ..Payments::default() };
        let (key, revoked_key) = (key.map(Token), revoked_key.map(Token));
        Fixtures { key, revoked_key, payments, usage, servers, ..fixtures }
    }

    /// Sets the key.
    pub fn set_key(&mut self, key: Option<String>) {
        self.key = key.map(Token);
    }

    /// Sets the second key and the values of the payment header.
    #[must_use]
    pub fn paying(self, second_key: Option<String>, payments: Vec<String>) -> Fixtures {
        let payments = Payments { values: payments.into_iter().map(Token).collect(), ..self.payments };
        Fixtures { second_key: second_key.map(Token), payments, ..self }
    }

    /// The profile's key.
    pub fn key(&self) -> Option<&str> {
        self.key.as_ref().map(|Token(key)| key.as_str())
    }

    /// Whether a request asks for the model that the profile declares down.
    fn is_down(&self, request: &Request) -> bool {
        let asks_for = |down: &String| {
            serde_json::from_slice::<serde_json::Value>(&request.body)
                .is_ok_and(|body| body["model"] == down.as_str())
        };
        self.models.down.as_ref().is_some_and(asks_for)
    }

    fn from_models(
        models: GatewayModels,
        readings: &GatewayReadings,
        limits: &GatewayLimits,
        absent: BTreeSet<&'static str>,
    ) -> Fixtures {
        Fixtures {
            key: None,
            revoked_key: None,
            second_key: None,
            payments: Payments::default(),
            usage: None,
            servers: Vec::new(),
            models,
            absent,
            readings: readings.clone(),
            answer_seconds: limits.answer_seconds,
            chosen: Arc::default(),
        }
    }

    /// Whether the target offers an endpoint, according to its profile.
    pub fn offers(&self, endpoint: &Endpoint) -> bool {
        !self.absent.contains(endpoint.name)
    }
}

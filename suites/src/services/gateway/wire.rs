//! Writes requests to the gateway and to its servers, independently of `spec`.

use std::time::Duration;

use assay_spec::Dialect;
use assay_spec::endpoint::Endpoint;
use assay_spec::gateway::messages;
use serde_json::Value;

use super::given;
use crate::harness::check::Stop;
use crate::harness::probe::{Answer, Probe};
use crate::http::client::Limits;
use crate::http::exchange::Request;

/// The site of the gateway.
pub(crate) const GATEWAY: &str = "gateway";

/// The key of a request.
#[derive(Clone)]
pub(super) enum Key {
    /// The valid key.
    Valid,
    /// No key: no `Authorization` header.
    None,
    /// This value of `Authorization`.
    Header(String),
}

/// A request to an endpoint, by default with the valid key.
#[derive(Clone)]
pub(super) struct Call {
    endpoint: &'static Endpoint,
    server: Option<String>,
    key: Key,
    /// The checks of a run share the response.
    is_shared: bool,
    request: Request,
}

impl Call {
    /// A request without a body.
    pub(super) fn get(endpoint: &'static Endpoint) -> Call {
        Call {
            endpoint,
            server: None,
            key: Key::Valid,
            is_shared: false,
            request: Request::new(endpoint.method, endpoint.path),
        }
    }

    /// A request with a JSON body.
    pub(super) fn post(endpoint: &'static Endpoint, body: &Value) -> Call {
        Call::raw(endpoint, body.to_string())
    }

    /// A request with these bytes as its body and a JSON content type.
    pub(super) fn raw(endpoint: &'static Endpoint, body: impl Into<Vec<u8>>) -> Call {
        Call::get(endpoint).header("Content-Type", "application/json").body(body)
    }

    /// With this key.
    #[must_use]
    pub(super) fn key(mut self, key: Key) -> Call {
        self.key = key;
        self
    }

    /// With this string as the key.
    #[must_use]
    pub(super) fn bearer(self, key: &str) -> Call {
        self.key(Key::Header(format!("Bearer {key}")))
    }

    /// With one response for all checks of a run that send this request.
    #[must_use]
    pub(super) fn shared(mut self) -> Call {
        self.is_shared = true;
        self
    }

    /// To a server, at this URL.
    #[must_use]
    pub(super) fn at(mut self, url: &str) -> Call {
        self.server = Some(url.to_owned());
        self
    }

    /// With one more header.
    #[must_use]
    pub(super) fn header(mut self, name: &str, value: &str) -> Call {
        self.request = self.request.header(name, value);
        self
    }

    /// At this path instead of the endpoint's path.
    #[must_use]
    pub(super) fn path(mut self, path: &str) -> Call {
        path.clone_into(&mut self.request.target);
        self
    }

    fn body(mut self, body: impl Into<Vec<u8>>) -> Call {
        self.request = self.request.body(body);
        self
    }

    /// Sends it. The check judges the response.
    pub(super) async fn send<'p>(self, probe: &'p Probe<'_>) -> Result<Answer<'p>, Stop> {
        let Call { endpoint, server, key, is_shared, mut request } = self;
        let fixtures = probe.settings.gateway();
        if !fixtures.offers(endpoint) {
            let name = endpoint.name.replace('-', "_");
            return Err(Stop::NotApplicable(format!("the target's profile says that it has no `{name}`")));
        }
        let key = match key {
            Key::Valid => Some(format!("Bearer {}", given::key(probe).await?)),
            Key::Header(value) => Some(value),
            Key::None => None,
        };
        if let Some(key) = key {
            request = request.header("Authorization", key);
        }
        if endpoint.name == messages::ENDPOINT.name {
            request =
                request.header(&probe.settings.dialect.version_header, fixtures.readings.version.as_str());
        }
        request.target = spoken(&probe.settings.dialect, &request.target);
        let timeout = Duration::from_secs(fixtures.answer_seconds.into());
        let limits = Limits { timeout, ..Limits::default() };
        let answer = if let Some(url) = &server {
            probe.send_to(GATEWAY, url, request, limits).await?
        } else {
            request.target = format!("{}{}", probe.prefix(GATEWAY), request.target);
            if is_shared {
                probe.send_shared(GATEWAY, request, limits).await?
            } else {
                probe.send_with(GATEWAY, request, None, limits).await?
            }
        };
        if answer.status() == 429 && !probe.owns_time() {
            return Err(probe.turned_away(&answer));
        }
        Ok(answer)
    }

    /// Sends it where it should be accepted; the checks of a run share the response. On a shared target a 503 (all servers
    /// failed) is retried once; then the check is inconclusive.
    pub(super) async fn accepted<'p>(self, probe: &'p Probe<'_>) -> Result<Answer<'p>, Stop> {
        self.shared().accepted_anew(probe).await
    }

    /// As [`Call::accepted`], with a response of its own.
    pub(super) async fn accepted_anew<'p>(self, probe: &'p Probe<'_>) -> Result<Answer<'p>, Stop> {
        let answer = self.clone().send(probe).await?;
        if answer.status() != 503 || probe.owns_time() {
            return Ok(answer);
        }
        let again = self.send(probe).await?;
        probe.conclusive(
            again.status() != 503,
            "the gateway returned 503 twice: every server of the model failed",
        )?;
        Ok(again)
    }
}

/// The path prefix of discovery and key check in the document.
const PREFIX: &str = "/svc";

/// Converts a path of the document to the target's prefix.
pub(super) fn spoken(dialect: &Dialect, path: &str) -> String {
    replaced(path, PREFIX, &dialect.discovery_prefix)
}

fn replaced(path: &str, prefix: &str, other: &str) -> String {
    match path.strip_prefix(prefix) {
        Some(rest) if rest.starts_with('/') => format!("{other}{rest}"),
        _ => path.to_owned(),
    }
}

/// Expects a string in `detail`.
pub(super) fn expect_detail(answer: &Answer<'_>) -> Result<(), Stop> {
    let is_string = |detail: &Value| detail.is_string();
    answer.expect_json("/detail", "a string", is_string).map(drop)
}

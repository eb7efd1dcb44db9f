//! Requests to the gateway and to its servers, written here anew.

use std::time::Duration;

use assay_spec::Dialect;
use assay_spec::endpoint::Endpoint;
use assay_spec::gateway::messages;
use serde_json::Value;

use super::given;
use crate::check::Stop;
use crate::client::Limits;
use crate::exchange::Request;
use crate::probe::{Answer, Probe};

/// The site of the gateway.
pub(super) const GATEWAY: &str = "gateway";

/// How often a target with limits of its own is asked again that said 429.
const PATIENCE: usize = 2;

/// With which key a request goes out.
#[derive(Clone)]
pub(super) enum Key {
    /// The valid one.
    Valid,
    /// None: there is no `Authorization`.
    None,
    /// This whole value of `Authorization`.
    Header(String),
}

/// A request to an endpoint, with the valid key unless said otherwise.
#[derive(Clone)]
pub(super) struct Call {
    endpoint: &'static Endpoint,
    server: Option<String>,
    key: Key,
    request: Request,
}

impl Call {
    /// A request without a body.
    pub(super) fn get(endpoint: &'static Endpoint) -> Call {
        Call {
            endpoint,
            server: None,
            key: Key::Valid,
            request: Request::new(endpoint.method, endpoint.path),
        }
    }

    /// A request with a body of JSON.
    pub(super) fn post(endpoint: &'static Endpoint, body: &Value) -> Call {
        Call::raw(endpoint, body.to_string())
    }

    /// A request with a body of these bytes, which claims to be JSON.
    pub(super) fn raw(endpoint: &'static Endpoint, body: impl Into<Vec<u8>>) -> Call {
        Call::get(endpoint).header("Content-Type", "application/json").body(body)
    }

    /// With this key.
    #[must_use]
    pub(super) fn key(mut self, key: Key) -> Call {
        self.key = key;
        self
    }

    /// With a key that is none.
    #[must_use]
    pub(super) fn bearer(self, key: &str) -> Call {
        self.key(Key::Header(format!("Bearer {key}")))
    }

    /// To a server of its own, at a URL that discovery lists.
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

    /// At this path instead of the endpoint's own.
    #[must_use]
    pub(super) fn path(mut self, path: &str) -> Call {
        path.clone_into(&mut self.request.target);
        self
    }

    fn body(mut self, body: impl Into<Vec<u8>>) -> Call {
        self.request = self.request.body(body);
        self
    }

    /// Sends it; whatever comes is for the check to judge.
    pub(super) async fn send<'p>(self, probe: &'p Probe<'_>) -> Result<Answer<'p>, Stop> {
        let Call { endpoint, server, key, mut request } = self;
        let fixtures = &probe.settings.gateway;
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
            request = request.header(&probe.settings.dialect.version_header, fixtures.version.as_str());
        }
        request.target = spoken(&probe.settings.dialect, &request.target);
        let timeout = Duration::from_secs(fixtures.answer_seconds.into());
        let limits = Limits { timeout, ..Limits::default() };
        for _ in 0..PATIENCE {
            let mut request = request.clone();
            let answer = if let Some(url) = &server {
                probe.send_to(GATEWAY, url, request, limits).await?
            } else {
                request.target = format!("{}{}", probe.prefix(GATEWAY), request.target);
                probe.send_with(GATEWAY, request, None, limits).await?
            };
            if answer.status() != 429 || probe.owns_time() {
                return Ok(answer);
            }
        }
        Err(Stop::NotTestable("this key or address has asked enough for now (429)".to_owned()))
    }

    /// Sends it where it should be granted. On a shared target that all servers of a model fail is nobody's
    /// fault (503), and says nothing.
    pub(super) async fn accepted<'p>(self, probe: &'p Probe<'_>) -> Result<Answer<'p>, Stop> {
        let answer = self.clone().send(probe).await?;
        if answer.status() != 503 || probe.owns_time() {
            return Ok(answer);
        }
        let again = self.send(probe).await?;
        probe.given(again.status() != 503, "every server of the model failed, twice (503)")?;
        Ok(again)
    }
}

/// The prefix of discovery and key check, as the document has it.
const PREFIX: &str = "/svc";

/// A path of the document in the target's own words.
fn spoken(dialect: &Dialect, path: &str) -> String {
    replaced(path, PREFIX, &dialect.discovery_prefix)
}

/// A path of the target in the document's words.
pub(crate) fn documented(dialect: &Dialect, path: &str) -> String {
    replaced(path, &dialect.discovery_prefix, PREFIX)
}

fn replaced(path: &str, prefix: &str, other: &str) -> String {
    match path.strip_prefix(prefix) {
        Some(rest) if rest.starts_with('/') => format!("{other}{rest}"),
        _ => path.to_owned(),
    }
}

/// Expects `detail`, a text, as errors have it.
pub(super) fn expect_detail(answer: &Answer<'_>) -> Result<(), Stop> {
    let is_text = |detail: &Value| detail.is_string();
    answer.expect_json("/detail", "a text", is_text).map(drop)
}

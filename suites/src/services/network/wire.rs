//! Requests to a node, built independently of the simulator, and whether an answer shows that an endpoint is missing.

use std::time::Duration;

use assay_spec::endpoint::Endpoint;
use assay_spec::network::message;
use assay_spec::network::places::MESSAGE_CREATION;
use assay_spec::{Instant, Place};
use serde_json::{Map, Value, json};
use url::form_urlencoded::Serializer;

use super::ACCEPTED;
use super::caller::{Caller, Procedure};
use crate::harness::check::{Checked, Stop};
use crate::harness::probe::{Answer, Probe};
use crate::http::client::Limits;
use crate::http::exchange::Request;

/// The load-balanced address.
pub(crate) const PRIMARY: &str = "network";
/// The alternative address, which also serves node metrics.
pub(crate) const ALTERNATIVE: &str = "network-alt";
/// A mirror.
pub(crate) const MIRROR: &str = "network-mirror";

/// A request to an endpoint.
#[derive(Clone)]
pub(crate) struct Call {
    site: String,
    endpoint: &'static Endpoint,
    /// The checks of a run share the response.
    is_shared: bool,
    /// The name under which the checks of a run share its response.
    once: Option<String>,
    /// The request; its target is relative to the site's base URL.
    pub(crate) request: Request,
}

impl Call {
    /// A request for a path below the API's prefix, such as `/messages?page=2`.
    pub(crate) fn new(endpoint: &'static Endpoint, method: &str, path: &str) -> Call {
        Call::bare(endpoint, method, &format!("/api/v0{path}"))
    }

    /// A GET for a path below the API's prefix.
    pub(crate) fn get(endpoint: &'static Endpoint, path: &str) -> Call {
        Call::new(endpoint, "GET", path)
    }

    /// A POST of a JSON body to a path below the API's prefix.
    pub(crate) fn post(endpoint: &'static Endpoint, path: &str, body: impl Into<Vec<u8>>) -> Call {
        Call::new(endpoint, "POST", path).json(body)
    }

    /// A request for a path outside the API's prefix, such as `/metrics.json`.
    pub(crate) fn bare(endpoint: &'static Endpoint, method: &str, path: &str) -> Call {
        Call {
            site: PRIMARY.to_owned(),
            endpoint,
            is_shared: false,
            once: None,
            request: Request::new(method, path),
        }
    }

    /// With one response for all checks of a run that send a request of this name.
    #[must_use]
    pub(crate) fn once(mut self, name: String) -> Call {
        self.once = Some(name);
        self
    }

    /// With one response for all checks of a run that send this request.
    #[must_use]
    pub(crate) fn shared(mut self) -> Call {
        self.is_shared = true;
        self
    }

    /// To another site than the primary.
    #[must_use]
    pub(crate) fn to(mut self, site: &str) -> Call {
        site.clone_into(&mut self.site);
        self
    }

    /// With a JSON body.
    #[must_use]
    pub(crate) fn json(mut self, body: impl Into<Vec<u8>>) -> Call {
        self.request = self.request.header("Content-Type", "application/json").body(body);
        self
    }

    /// Sends it where it should be accepted. A missing endpoint makes the check not applicable, unless the profile is
    /// strict.
    pub(crate) async fn send<'p>(self, probe: &'p Probe<'_>) -> Result<Answer<'p>, Stop> {
        let endpoint = self.endpoint;
        let answer = self.attempt(probe).await?;
        let is_absent = matches!(answer.status(), 404 | 405) && !is_error_body(&answer.json());
        if is_absent && !probe.settings.network().strict {
            let (method, path, status) = (endpoint.method, endpoint.path, answer.status());
            return Err(Stop::NotApplicable(format!(
                "the target does not offer {method} {path}: {status} without the API's error body"
            )));
        }
        Ok(answer)
    }

    /// Sends it; the check judges the answer.
    pub(crate) async fn attempt<'p>(mut self, probe: &'p Probe<'_>) -> Result<Answer<'p>, Stop> {
        if !probe.settings.network().offers(self.endpoint) {
            let name = self.endpoint.name.replace('-', "_");
            return Err(Stop::NotApplicable(format!("the target's profile says that it has no `{name}`")));
        }
        self.request.target = format!("{}{}", probe.prefix(&self.site), self.request.target);
        // A shared response may have come to another check, a while ago: it does not show the clock.
        let answer = if let Some(name) = &self.once {
            probe.once(name, async || probe.send(&self.site, self.request.clone()).await).await?
        } else if self.is_shared {
            probe.send_shared(&self.site, self.request, Limits::default()).await?
        } else {
            let answer = probe.send(&self.site, self.request).await?;
            probe.learn_clock(&answer.response);
            answer
        };
        if answer.status() == 429 && !probe.owns_time() {
            return Err(probe.turned_away(&answer));
        }
        Ok(answer)
    }
}

/// The parameters with comma-separated values. An escaped comma may be part of a value, so these are not escaped.
const SEPARATED: [&str; 7] = ["hashes", "addresses", "channels", "tags", "types", "content_types", "keys"];

/// A path with its query: `path_with("/messages", &[("page", "2")])`.
pub(crate) fn path_with(path: &str, query: &[(&str, &str)]) -> String {
    let encoded = |(name, value): &(&str, &str)| {
        // Whether a plus sign is a blank is not said.
        let pair = Serializer::new(String::new()).append_pair(name, value).finish().replace('+', "%20");
        if SEPARATED.contains(name) { pair.replace("%2C", ",") } else { pair }
    };
    let query = query.iter().map(encoded).collect::<Vec<_>>().join("&");
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

/// Whether a body is the documented error body.
pub(crate) fn is_error_body(body: &Value) -> bool {
    body["error"].is_string() && body["status"] == "error" && body["code"].is_string()
}

/// Expects the documented error body.
pub(crate) fn expect_error_body(answer: &Answer<'_>) -> Result<(), Stop> {
    let body = answer.json();
    let got = if body.is_null() { answer.response.text() } else { body.to_string() };
    let place = format!("body of {}", answer.status());
    answer.expect(
        is_error_body(&body),
        &place,
        "JSON with the strings `error` and `code`, and `status` `error`",
        got,
    )
}

/// A creating call in parts: each part can be changed before or after it is signed.
#[derive(Clone)]
pub(crate) struct Draft {
    /// `message` of the envelope. Its compact JSON is signed.
    pub(crate) message: Value,
    pub(crate) caller: Caller,
    pub(crate) procedure: Procedure,
    /// Members of the envelope that are replaced or removed after signing.
    outer: Vec<(&'static str, Option<Value>)>,
    call: Call,
}

impl Draft {
    /// A valid message of `caller` to `POST /messages`, dated now.
    pub(crate) async fn new(
        probe: &Probe<'_>,
        caller: &Caller,
        kind: &str,
        content: Value,
    ) -> Result<Draft, Stop> {
        let now = now(probe).await?;
        Ok(Draft::dated(probe, caller, kind, content, now))
    }

    /// As [`Draft::new`], dated `now`.
    pub(crate) fn dated(
        probe: &Probe<'_>,
        caller: &Caller,
        kind: &str,
        content: Value,
        now: Instant,
    ) -> Draft {
        let mut message = json!({
            "chain": "ETH",
            "channel": probe.settings.dialect.channel,
            "type": kind,
            "timestamp": now.seconds(),
        });
        message["content"] = content;
        Draft {
            message,
            caller: caller.clone(),
            procedure: probe.settings.network().procedure(),
            outer: Vec::new(),
            call: Call::new(&message::CREATE, "POST", "/messages"),
        }
    }

    /// To another endpoint than `POST /messages`, below the API's prefix.
    #[must_use]
    pub(crate) fn to(mut self, endpoint: &'static Endpoint, method: &str, path: &str) -> Draft {
        self.call = Call::new(endpoint, method, path);
        self
    }

    /// To the endpoint of a place: its own, or `POST /messages`, which takes every type.
    #[must_use]
    pub(crate) fn at(self, place: Place) -> Draft {
        if MESSAGE_CREATION.contains(&place) { self.to(&message::CREATE, "POST", "/messages") } else { self }
    }

    /// Sets a member of the message before it is signed; `None` removes it.
    #[must_use]
    pub(crate) fn with(mut self, member: &str, value: Option<Value>) -> Draft {
        if let Value::Object(members) = &mut self.message {
            set(members, member, value);
        }
        self
    }

    /// Sets a member of the content before the message is signed; `None` removes it.
    #[must_use]
    pub(crate) fn inside(mut self, member: &str, value: Option<Value>) -> Draft {
        if let Some(members) = self.message["content"].as_object_mut() {
            set(members, member, value);
        }
        self
    }

    /// Sets a member of the envelope after the message was signed; `None` removes it.
    #[must_use]
    pub(crate) fn outside(mut self, member: &'static str, value: Option<Value>) -> Draft {
        self.outer.push((member, value));
        self
    }

    /// The signature.
    pub(crate) fn signature(&self) -> String {
        self.caller.sign(self.procedure, &self.message.to_string())
    }

    /// The body as it will be sent.
    pub(crate) fn body(&self) -> String {
        let mut members = Map::new();
        members.insert("message".to_owned(), self.message.clone());
        members.insert("signature".to_owned(), self.signature().into());
        members.insert("address".to_owned(), self.caller.address.clone().into());
        for (member, value) in &self.outer {
            set(&mut members, member, value.clone());
        }
        Value::Object(members).to_string()
    }

    /// Sends it; it should be accepted.
    pub(crate) async fn send<'p>(&self, probe: &'p Probe<'_>) -> Result<Answer<'p>, Stop> {
        self.call().send(probe).await
    }

    /// Sends it as the valid counterpart of messages that are rejected, unless another check of the run has sent one of its type
    /// to a target that they share.
    pub(crate) async fn counterpart(&self, probe: &Probe<'_>) -> Checked {
        let name = format!("counterpart {} {}", self.call.endpoint.name, self.message["type"]);
        self.call().once(name).send(probe).await?.counterpart_status(ACCEPTED)
    }

    /// Sends it; the check judges the answer.
    pub(crate) async fn attempt<'p>(&self, probe: &'p Probe<'_>) -> Result<Answer<'p>, Stop> {
        self.call().attempt(probe).await
    }

    /// Sends another body to its endpoint.
    pub(crate) async fn attempt_body<'p>(
        &self,
        probe: &'p Probe<'_>,
        body: &str,
    ) -> Result<Answer<'p>, Stop> {
        self.call.clone().json(body).attempt(probe).await
    }

    /// The call that sends it.
    pub(crate) fn call(&self) -> Call {
        self.call.clone().json(self.body())
    }
}

fn set(members: &mut Map<String, Value>, member: &str, value: Option<Value>) {
    match value {
        Some(value) => drop(members.insert(member.to_owned(), value)),
        None => drop(members.shift_remove(member)),
    }
}

/// The target's time. Without a control API, the first check of a run that needs it measures it, since a message dated
/// by another clock may be rejected.
pub(crate) async fn now(probe: &Probe<'_>) -> Result<Instant, Stop> {
    if !probe.has_control() && !probe.knows_clock() {
        let learn = || async {
            let request = Request::new("GET", &format!("{}/", probe.prefix(PRIMARY)));
            let answer = probe.send(PRIMARY, request).await?;
            probe.learn_clock(&answer.response);
            Ok::<i64, Stop>(probe.skew_ms())
        };
        let skew_ms = probe.settings.network().skew_ms.get_or_try_init(learn).await?;
        probe.set_skew(*skew_ms);
    }
    probe.now().await
}

/// Lets time pass: with a control API on the target's clock, else in real time, up to two minutes.
pub(crate) async fn pass(probe: &Probe<'_>, time: Duration) -> Result<(), Stop> {
    const LONGEST: Duration = Duration::from_mins(2);
    if probe.has_control() {
        return probe.advance(time).await;
    }
    if time > LONGEST {
        let seconds = time.as_secs();
        return Err(Stop::NotTestable(format!("needs a control API that moves time by {seconds} seconds")));
    }
    tokio::time::sleep(time).await;
    Ok(())
}

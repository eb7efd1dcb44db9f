//! How a run reaches its target: protocol, extra headers, timeouts from measured latency, and statistics of these.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use assay_spec::Id;
use url::Url;

use crate::http::client::http2::Message;
use crate::http::client::{self, BEFORE_HEAD, Limits, http2};
use crate::http::connect::{Connect, Connection, Dial, Stream, host};
use crate::http::exchange::{Broken, Request, Response, Slot};
use crate::http::hiding::Hidden;
use crate::http::keep::Kept;
use crate::support::prose;

/// The minimum response timeout, unless the profile sets it.
const MIN_TIMEOUT: Duration = Duration::from_secs(15);
/// The factor of the measured latency that is added to the timeout.
const LATENCIES: u32 = 40;
/// The maximum of a timeout extended by latency.
const LONGEST: Duration = Duration::from_mins(2);
/// The minimum response timeout of the request that shows whether a server still answers.
pub(crate) const CONFIRMATION: Duration = Duration::from_secs(5);
/// How many requests are not sent after a server or an endpoint has stopped answering, until the next one is. Each time
/// that one gets no answer, it is twice as many.
const SKIPPED: u32 = 10;
/// So many endpoints of a server without an answer in a row mean that the server has stopped answering.
const ENDPOINTS: usize = 2;
/// After this many failed connections in a row, a site gets only one attempt per request.
const GIVEN_UP: u32 = 3;

/// A path that no server has: it shows whether a server answers more than `/`.
pub(crate) const NOWHERE: &str = "/assay-nothing-is-here";

/// The HTTP version of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Http {
    /// HTTP/1.1: every request is sent exactly as given.
    #[default]
    #[serde(rename = "1.1")]
    One,
    /// HTTP/2; requests that it cannot express go over HTTP/1.1.
    #[serde(rename = "2")]
    Two,
    /// HTTP/2 if the server selects it in the TLS handshake, otherwise HTTP/1.1.
    #[serde(rename = "auto")]
    Auto,
}

/// The protocol of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Protocol {
    /// HTTP/1.1.
    One,
    /// HTTP/2.
    Two,
}

/// A header that is added to every request to the target's own sites.
#[derive(Clone)]
pub struct ExtraHeader {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The value is hidden in reports.
    pub is_secret: bool,
}

/// How a target is reached.
#[derive(Debug)]
pub struct Transport {
    /// The HTTP version of requests.
    pub http: Http,
    /// The minimum response timeout.
    pub min_timeout: Duration,
    /// Headers added to every request to the target's own sites.
    pub headers: Vec<ExtraHeader>,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    latencies: BTreeMap<String, Duration>,
    protocols: BTreeMap<Protocol, usize>,
    /// The number of connections over which requests went.
    connections: usize,
    /// The servers that closed a kept connection, or sent more than their last response over it.
    closing: BTreeSet<String>,
    /// The number of requests that HTTP/2 cannot express.
    unsaid: usize,
    again: usize,
    /// Failed connections in a row, by host.
    silent: BTreeMap<String, u32>,
    speaks_one: BTreeMap<String, bool>,
    /// What has answered a request.
    answered: BTreeSet<Destination>,
    /// What has stopped answering.
    stopped: BTreeMap<Destination, Silence>,
    /// The endpoints of each server that gave no answer, since its last one.
    unanswered: BTreeMap<String, BTreeSet<Destination>>,
    /// The endpoints that began an answer and did not end it.
    endless: BTreeSet<Destination>,
    /// The base URLs at which a question before the checks got no answer in time.
    mute: BTreeSet<String>,
}

/// A server, or one of its endpoints.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Destination {
    /// The server.
    pub(crate) server: String,
    /// Method and path; empty for the whole server.
    pub(crate) endpoint: String,
}

impl Destination {
    /// The whole server of this place.
    pub(crate) fn whole(&self) -> Destination {
        Destination { server: self.server.clone(), endpoint: String::new() }
    }

    const fn is_whole(&self) -> bool {
        self.endpoint.is_empty()
    }
}

/// Something stopped answering.
#[derive(Debug)]
struct Silence {
    /// Why it gets no requests.
    cause: Stopped,
    /// The number of requests that were not sent since the last one.
    skipped: u32,
    /// After this many the next one is sent.
    pause: u32,
}

/// Why a place gets no more requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stopped {
    /// The row whose check saw it first.
    pub(crate) by: Option<Id>,
    /// In words, for reports.
    pub(crate) said: String,
}

/// Whether a request is sent to a place that stopped answering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// No, for this cause.
    Skip(Stopped),
    /// Yes: enough others were not sent. If the place still does not answer, this is the cause.
    Try(Stopped),
}

impl Default for Transport {
    fn default() -> Self {
        Transport { http: Http::One, min_timeout: MIN_TIMEOUT, headers: Vec::new(), seen: Mutex::default() }
    }
}

impl Transport {
    /// A transport with this HTTP version, minimum timeout and these headers.
    pub fn new(http: Http, min_timeout: Duration, headers: Vec<ExtraHeader>) -> Transport {
        Transport { http, min_timeout, headers, seen: Mutex::default() }
    }

    /// Notes how long it took to connect to a site.
    pub fn measured(&self, site: &str, latency: Duration) {
        self.seen().latencies.insert(site.to_owned(), latency);
    }

    /// The limits of an exchange with a site: the given ones, or more if the latency is high.
    pub fn within(&self, site: &str, limits: Limits) -> Limits {
        let is_usual = limits.timeout == Limits::default().timeout;
        let least = if is_usual { self.min_timeout } else { limits.timeout };
        Limits { timeout: least.max(self.seen().patience(self.min_timeout, site)), ..limits }
    }

    /// The request with the extra headers, except those that it already has. Secret values are added to `hidden`.
    pub fn dress(&self, mut request: Request, hidden: &mut Hidden) -> Request {
        for ExtraHeader { name, value, is_secret } in &self.headers {
            if *is_secret {
                hidden.add_secret(name, value);
            }
            if !request.headers.iter().any(|(own, _)| own.eq_ignore_ascii_case(name)) {
                request.headers.push((name.clone(), value.clone().into_bytes()));
            }
        }
        request
    }

    /// The limits of the request that shows whether a server still answers.
    pub(crate) fn confirmation(&self, site: &str) -> Limits {
        let timeout = self.seen().patience(self.min_timeout.min(CONFIRMATION), site);
        Limits { timeout, ..Limits::default() }
    }

    /// Notes that an endpoint answered, and so its server.
    pub(crate) fn answered(&self, place: Destination) {
        let (mut seen, whole) = (self.seen(), place.whole());
        seen.unanswered.remove(&place.server);
        for place in [place, whole] {
            seen.stopped.remove(&place);
            seen.answered.insert(place);
        }
    }

    /// Whether a place has answered a request.
    pub(crate) fn has_answered(&self, place: &Destination) -> bool {
        self.seen().answered.contains(place)
    }

    /// Notes that an endpoint gave no answer, though its server answers other requests. Returns how many endpoints of
    /// the server gave none since its last answer, and whether this one was among them before.
    pub(crate) fn unanswered(&self, place: &Destination) -> (bool, bool) {
        let mut seen = self.seen();
        let places = seen.unanswered.entry(place.server.clone()).or_default();
        let is_again = !places.insert(place.clone());
        (places.len() >= ENDPOINTS, is_again)
    }

    /// Notes that an endpoint began an answer and did not end it.
    pub(crate) fn does_not_end(&self, place: &Destination) {
        self.seen().endless.insert(place.clone());
    }

    /// Whether an endpoint has begun an answer that it did not end: the next one is waited for less long.
    pub(crate) fn is_endless(&self, place: &Destination) -> bool {
        self.seen().endless.contains(place)
    }

    /// Notes that a place stopped answering; `false` if that was known.
    pub(crate) fn stop(&self, place: &Destination, cause: Stopped) -> bool {
        let mut seen = self.seen();
        let is_new = !seen.stopped.contains_key(place);
        if is_new {
            seen.stopped.insert(place.clone(), Silence { cause, skipped: 0, pause: SKIPPED });
        }
        is_new
    }

    /// Notes that a server has answered nothing before the checks: it gets no request.
    pub(crate) fn stop_for_good(&self, server: &str, said: String) {
        let place = Destination { server: server.to_owned(), endpoint: String::new() };
        let cause = Stopped { by: None, said };
        self.seen().stopped.insert(place, Silence { cause, skipped: 0, pause: u32::MAX });
    }

    /// Notes that a question before the checks got no answer in time.
    pub(crate) fn note_mute(&self, base: &str) {
        self.seen().mute.insert(base.to_owned());
    }

    /// Whether a question before the checks got no answer in time.
    pub(crate) fn is_mute(&self, base: &str) -> bool {
        self.seen().mute.contains(base)
    }

    /// Why an endpoint gets no requests: it or its server stopped answering.
    pub(crate) fn stopped(&self, place: &Destination) -> Option<Stopped> {
        let seen = self.seen();
        [&place.whole(), place]
            .into_iter()
            .find_map(|place| seen.stopped.get(place))
            .map(|it| it.cause.clone())
    }

    /// Whether a request is sent to a place that stopped answering; `None` if it did not.
    pub(crate) fn turn(&self, place: &Destination) -> Option<Turn> {
        let mut seen = self.seen();
        let Silence { cause, skipped, pause } = seen.stopped.get_mut(place)?;
        if *skipped < *pause {
            *skipped += 1;
            return Some(Turn::Skip(cause.clone()));
        }
        (*skipped, *pause) = (0, pause.saturating_mul(2));
        Some(Turn::Try(cause.clone()))
    }

    /// Whether a server that has not answered yet must first show that it does, since another one stopped.
    pub(crate) fn is_doubtful(&self, place: &Destination) -> bool {
        let (seen, whole) = (self.seen(), place.whole());
        let is_known = seen.stopped.contains_key(&whole) || seen.answered.contains(&whole);
        !is_known && seen.stopped.keys().any(Destination::is_whole)
    }

    /// Remarks for the report about connections.
    pub fn remarks(&self) -> Vec<String> {
        let seen = self.seen();
        let mut remarks = Vec::new();
        if let Some((site, latency)) = seen.latencies.iter().max_by_key(|(_, latency)| **latency) {
            let limit = seen.patience(self.min_timeout, site).as_secs_f64();
            let longest = latency.as_millis();
            remarks
                .push(format!("time to connect: up to {longest} ms ({site}); response timeout {limit:.1} s"));
        }
        let spoken: Vec<String> = seen
            .protocols
            .iter()
            .map(|(protocol, count)| format!("{} over {}", prose::count(*count, "request"), protocol.name()))
            .collect();
        if !spoken.is_empty() {
            let unsaid = match seen.unsaid {
                0 => String::new(),
                count => format!(", {count} of them because HTTP/2 cannot express them"),
            };
            let over = prose::count(seen.connections, "connection");
            remarks.push(format!("protocol: {}{unsaid}; {over}", spoken.join(", ")));
        }
        if !seen.closing.is_empty() {
            let closing: Vec<&str> = seen.closing.iter().map(String::as_str).collect();
            remarks.push(format!(
                "no valid answer over a kept connection, so each request got its own: {}",
                closing.join(", ")
            ));
        }
        if seen.again > 0 {
            remarks.push(format!("connections: {} retries before a request was sent", seen.again));
        }
        remarks
    }

    /// Whether connecting to an unreachable host may be retried.
    pub(crate) fn is_worth_trying(&self, host: &str) -> bool {
        self.seen().silent.get(host).is_none_or(|times| *times < GIVEN_UP)
    }

    /// Notes whether the host was reached, and the number of retries.
    pub(crate) fn tried(&self, host: &str, is_there: bool, again: u32) {
        let mut seen = self.seen();
        seen.again += again as usize;
        if is_there {
            seen.silent.remove(host);
        } else {
            *seen.silent.entry(host.to_owned()).or_default() += 1;
        }
    }

    /// Whether connections to a server may be kept.
    pub(crate) fn keeps(&self, base: &str) -> bool {
        !self.seen().closing.contains(base)
    }

    /// Notes how a request went out.
    fn spoke(&self, Spoken { protocol, is_unsaid, is_new }: Spoken) {
        let Some(protocol) = protocol else { return };
        let mut seen = self.seen();
        *seen.protocols.entry(protocol).or_default() += 1;
        seen.connections += usize::from(is_new);
        seen.unsaid += usize::from(is_unsaid);
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    /// The timeout for the latency of a site.
    fn patience(&self, min_timeout: Duration, site: &str) -> Duration {
        // A server that only the target named is assumed to have the target's latency.
        let latency = self.latencies.get(site).or_else(|| self.latencies.values().max());
        (min_timeout + latency.copied().unwrap_or_default() * LATENCIES).min(LONGEST.max(min_timeout))
    }
}

impl Protocol {
    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Protocol::One => "HTTP/1.1",
            Protocol::Two => "HTTP/2",
        }
    }
}

/// Debug output contains no secret.
impl fmt::Debug for ExtraHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ExtraHeader({})", self.name)
    }
}

/// The result of a request.
pub struct Attempt {
    /// The response, or why there is none.
    pub response: Result<Response, Broken>,
    /// The number of connection retries.
    pub again: u32,
    /// The kept connection that it went over.
    pub slot: Option<Slot>,
    /// It was sent twice: the first time there was no valid answer over a kept connection.
    pub is_second: bool,
    spoken: Spoken,
}

/// How a request went out.
#[derive(Clone, Copy, Debug, Default)]
struct Spoken {
    /// The protocol; `None` without a connection.
    protocol: Option<Protocol>,
    /// HTTP/2 cannot express the request.
    is_unsaid: bool,
    /// No other request went over the connection before.
    is_new: bool,
}

/// Sends a request and reads the whole response.
pub async fn send(connector: &dyn Connect, to: Dial<'_>, request: &Request, limits: Limits) -> Attempt {
    let http = connector.transport().http;
    let attempt = send_over(connector, http, to, request, limits).await;
    connector.transport().spoke(attempt.spoken);
    Attempt { response: explained(connector, to, request, attempt.response).await, ..attempt }
}

/// Sends a request over this HTTP version. Without a valid answer over a kept connection, the request is sent again over a
/// connection of its own: the server may have closed the first one before the request arrived.
pub(crate) async fn send_over(
    connector: &dyn Connect,
    http: Http,
    to: Dial<'_>,
    request: &Request,
    limits: Limits,
) -> Attempt {
    let attempt = once(connector, http, to, request, limits).await;
    if !attempt.is_stale() {
        return attempt;
    }
    connector.transport().seen().closing.insert(to.base.to_owned());
    let again = once(connector, http, Dial { alone: true, ..to }, request, limits).await;
    // A server that is gone now may have ended by the request.
    let is_gone = matches!(again.response, Err(Broken::Unreachable(_)));
    if is_gone { attempt } else { Attempt { is_second: true, ..again } }
}

async fn once(
    connector: &dyn Connect,
    http: Http,
    to: Dial<'_>,
    request: &Request,
    limits: Limits,
) -> Attempt {
    let (opened, again, spoken) = begin(connector, http, to, request, None, limits).await;
    let slot = opened.as_ref().ok().and_then(Open::slot);
    let response = match opened {
        Ok(open) => open.finish().await,
        Err(broken) => Err(broken),
    };
    Attempt { response, again, slot, is_second: false, spoken }
}

impl Attempt {
    /// Whether the server closed a kept connection, or sent more than its last response over it.
    fn is_stale(&self) -> bool {
        let is_used = self.slot.is_some_and(|slot| slot.request > 1);
        match &self.response {
            Err(Broken::Closed(place)) => is_used && place == BEFORE_HEAD,
            Err(Broken::Nonsense(_)) => is_used,
            _ => false,
        }
    }
}

/// Sends the head of a request and the first `body_bytes` of its body, over a connection of its own. Also returns the
/// number of connection retries.
pub async fn open(
    connector: &dyn Connect,
    to: Dial<'_>,
    request: &Request,
    body_bytes: usize,
    limits: Limits,
) -> (Result<Open, Broken>, u32) {
    let http = connector.transport().http;
    let to = Dial { alone: true, ..to };
    let (opened, again, spoken) = begin(connector, http, to, request, Some(body_bytes), limits).await;
    connector.transport().spoke(spoken);
    (opened, again)
}

/// Begins to send a request; with `body_bytes`, sends only that much of its body.
async fn begin(
    connector: &dyn Connect,
    http: Http,
    to: Dial<'_>,
    request: &Request,
    body_bytes: Option<usize>,
    limits: Limits,
) -> (Result<Open, Broken>, u32, Spoken) {
    let said = said(http, to, request);
    let http = if said.is_err() { Http::One } else { http };
    let to = Dial { alone: to.alone || request.has("connection"), ..to };
    let connection = match connector.dial(to, http).await {
        Ok(connection) => connection,
        Err(broken) => return (Err(broken), 0, Spoken::default()),
    };
    let Connection { stream, protocol, again, via, kept } = connection;
    let is_new = kept.as_ref().is_none_or(|kept| kept.slot().request == 1);
    let spoken = Spoken { protocol: Some(protocol), is_unsaid: said.is_err(), is_new };
    let host = Url::parse(to.base).map(|url| host(&url).to_owned()).unwrap_or_default();
    let opened = if let (Protocol::Two, Ok(Some(message))) = (protocol, said) {
        http2::open(stream, message, body_bytes, limits).await.map(Open::Two)
    } else {
        let sent = via.map(|via| via.write(request));
        let is_proxied = sent.is_some();
        let request = sent.as_ref().unwrap_or(request);
        let opened = match body_bytes {
            Some(bytes) => client::open(stream, request, &host, bytes, limits).await,
            None => Ok(client::begin(stream, request, &host, kept.is_none(), limits)),
        };
        opened.map(|open| Open::One { open, is_proxied, kept })
    };
    (opened, again, spoken)
}

/// The request as an HTTP/2 message, if HTTP/2 is allowed. An error says what HTTP/2 cannot express.
fn said(http: Http, to: Dial<'_>, request: &Request) -> Result<Option<Message>, String> {
    if http == Http::One {
        return Ok(None);
    }
    let url = Url::parse(to.base).map_err(|e| e.to_string())?;
    Message::new(request, url.scheme(), host(&url)).map(Some)
}

/// If HTTP/2 cannot express the request, its failure counts only if the target speaks HTTP/1.1.
async fn explained(
    connector: &dyn Connect,
    to: Dial<'_>,
    request: &Request,
    response: Result<Response, Broken>,
) -> Result<Response, Broken> {
    let http = connector.transport().http;
    let (Err(Broken::Tls(_) | Broken::Closed(_) | Broken::Nonsense(_)), Http::Two, Err(what)) =
        (&response, http, said(http, to, request))
    else {
        return response;
    };
    let known = connector.transport().seen().speaks_one.get(to.base).copied();
    let speaks_one = if let Some(known) = known {
        known
    } else {
        let answers = speaks_one(connector, to).await;
        connector.transport().seen().speaks_one.insert(to.base.to_owned(), answers);
        answers
    };
    if speaks_one { response } else { Err(Broken::Inexpressible(what)) }
}

async fn speaks_one(connector: &dyn Connect, to: Dial<'_>) -> bool {
    let Ok(url) = Url::parse(to.base) else { return false };
    let request = Request::new("GET", url.path());
    once(connector, Http::One, to, &request, Limits::default()).await.response.is_ok()
}

/// A partly sent request, over either protocol.
pub enum Open {
    /// Over HTTP/1.1.
    One {
        /// The request.
        open: client::Open<Box<dyn Stream>>,
        /// It goes through a proxy.
        is_proxied: bool,
        /// Where the connection goes after the response.
        kept: Option<Kept>,
    },
    /// Over HTTP/2.
    Two(http2::Open),
}

impl Open {
    /// Its slot on a kept connection.
    fn slot(&self) -> Option<Slot> {
        match self {
            Open::One { kept, .. } => kept.as_ref().map(Kept::slot),
            Open::Two(_) => None,
        }
    }

    /// Sends the rest and reads the response.
    pub async fn finish(self) -> Result<Response, Broken> {
        match self {
            Open::One { open, is_proxied, kept } => {
                let (response, stream) = open.finish_and_keep().await?;
                if let (Some(kept), Some(stream)) = (kept, stream) {
                    kept.rest(stream);
                }
                if is_proxied && response.status == 407 {
                    let why = "the proxy requires a user and password (status 407)";
                    return Err(Broken::Unreachable(why.to_owned()));
                }
                Ok(response)
            }
            Open::Two(open) => open.finish().await,
        }
    }
}

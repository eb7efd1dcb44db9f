//! The requests that a world has received, from its journal.

use std::collections::BTreeMap;
use std::fmt;

use assay_spec::Instant;
use assay_spec::crypto::text::hex;
use http::HeaderMap;
use serde::Serialize;
use serde_json::{Value, json};

use crate::exchange::ExchangeId;
use crate::journal::{Entry, Event};
use crate::serve::{Ended, Violation};
use crate::shape::{Name, Names, Shape, record};
use crate::world::{self, World};

/// The most bytes of a body that are returned.
const BODY_BYTES: usize = 64 * 1024;

record! {
    /// Which requests are wanted: those for which all of this holds.
    #[derive(Clone, Debug)]
    pub(crate) struct Filter {
        /// They came after this exchange.
        pub(crate) after: ExchangeId = 0,
        /// The name of their site.
        pub(crate) site: Option<Name<SiteName>>,
        /// Their method.
        pub(crate) method: Option<String>,
        /// Their path without the query; with `*` at its end, how their target begins.
        pub(crate) path: Option<String>,
        /// Their status, or a class such as `4xx`.
        pub(crate) status: Option<Status>,
        /// How the name of a rule begins that they violated.
        pub(crate) rule: Option<String>,
        /// At most so many, the latest.
        pub(crate) limit: usize = 100,
    }
}

/// The sites.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SiteName;

impl Names for SiteName {
    const WHAT: &'static str = "site";

    fn known() -> Vec<&'static str> {
        world::sites().iter().map(|site| site.name).collect()
    }
}

/// A status, or a class of statuses.
#[derive(Clone, Debug)]
pub(crate) struct Status(String);

impl Status {
    /// This status alone.
    pub(crate) fn exactly(status: u16) -> Status {
        Status(format!("{status:03}"))
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Shape for Status {
    fn schema() -> Value {
        json!({ "type": "string", "pattern": "^[0-9]([0-9]{2}|xx)$" })
    }

    fn read(value: &Value, at: &str) -> Result<Self, String> {
        let status = String::read(value, at)?;
        let bytes = status.as_bytes();
        let is_status = bytes.len() == 3
            && bytes[0].is_ascii_digit()
            && (&bytes[1..] == b"xx" || bytes.iter().all(u8::is_ascii_digit));
        if is_status {
            Ok(Status(status))
        } else {
            Err(format!("{at}: {status:.60?} is not a status; write 404 or 4xx"))
        }
    }
}

impl Filter {
    pub(crate) fn takes(&self, received: &Received) -> bool {
        let is_at = |wanted: &String| match wanted.strip_suffix('*') {
            Some(beginning) => received.target.starts_with(beginning),
            None => received.target.split('?').next() == Some(wanted),
        };
        let has_status = |Status(wanted): &Status| {
            let status = received.status.map_or_else(String::new, |status| status.to_string());
            match wanted.strip_suffix("xx") {
                Some(class) => status.starts_with(class),
                None => status == *wanted,
            }
        };
        let violates = |wanted: &String| received.why.iter().any(|why| why.requirement.starts_with(wanted));
        received.exchange > self.after
            && self.site.as_ref().is_none_or(|site| site.0 == received.site)
            && self.method.as_ref().is_none_or(|method| method.eq_ignore_ascii_case(&received.method))
            && self.path.as_ref().is_none_or(is_at)
            && self.status.as_ref().is_none_or(has_status)
            && self.rule.as_ref().is_none_or(violates)
    }
}

/// A request with its response.
#[derive(Clone, Debug, Serialize)]
pub struct Received {
    /// The number of the exchange in its world.
    pub exchange: ExchangeId,
    /// When it arrived.
    pub at: Instant,
    /// How long it has taken, by the clock of the world.
    pub ms: i64,
    /// The name of the site.
    pub site: String,
    /// The client's address.
    pub peer: String,
    /// The method.
    pub method: String,
    /// Path and query as sent.
    pub target: String,
    /// The status; none if there was no response.
    pub status: Option<u16>,
    /// How it ended; none while it is in progress.
    pub ended: Option<Ended>,
    /// What was sent.
    pub request: Part,
    /// What was returned.
    pub response: Part,
    /// The rules that the request violated.
    pub why: Vec<Violation>,
}

/// Headers and body of a request or of a response.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Part {
    /// Names and values.
    pub headers: Vec<[String; 2]>,
    /// The body.
    pub body: Shown,
}

/// A body, of which at most 64 KiB are kept, and nothing if it is secret.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    bytes: Vec<u8>,
    length: usize,
    is_secret: bool,
}

impl Shown {
    /// What is kept of the body.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The body as JSON; null if it is not JSON, or longer than what is kept.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_default()
    }

    fn push(&mut self, bytes: &[u8], is_secret: bool) {
        self.is_secret |= is_secret;
        self.length += bytes.len();
        if self.is_secret {
            return self.bytes.clear();
        }
        let room = BODY_BYTES - self.bytes.len();
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

/// `bytes` is its length. Its content is `text`, or `hex` if that is not UTF-8; a part of it if `cut` is true.
impl Serialize for Shown {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut shown = json!({ "bytes": self.length });
        let is_cut = self.bytes.len() < self.length;
        if self.is_secret {
            shown["secret"] = json!(true);
        } else {
            match std::str::from_utf8(&self.bytes) {
                Ok(text) => shown["text"] = json!(text),
                // The cut may be inside of a character.
                Err(at) if is_cut && at.error_len().is_none() => {
                    shown["text"] = json!(String::from_utf8_lossy(&self.bytes[..at.valid_up_to()]));
                }
                Err(_) => shown["hex"] = json!(hex(&self.bytes)),
            }
            if is_cut {
                shown["cut"] = json!(true);
            }
        }
        shown.serialize(serializer)
    }
}

impl Received {
    /// A request begins; `line` is its line in the journal.
    fn begin(entry: &Entry, line: &str, headers: &HeaderMap) -> Received {
        let mut words = line.splitn(4, ' ').map(str::to_owned);
        let mut next = || words.next().unwrap_or_default();
        Received {
            exchange: entry.exchange,
            at: entry.at,
            ms: 0,
            site: next(),
            peer: next(),
            method: next(),
            target: next(),
            status: None,
            ended: None,
            request: Part { headers: shown(headers), ..Part::default() },
            response: Part::default(),
            why: Vec::new(),
        }
    }

    fn add(&mut self, entry: &Entry) {
        self.ms = entry.at - self.at;
        match &entry.event {
            Event::Body(bytes) => self.request.body.push(bytes, false),
            Event::Frame(bytes) => self.response.body.push(bytes, entry.secret),
            Event::ReplyHead(status, headers) => {
                self.status = Some(*status);
                self.response.headers = shown(headers);
            }
            Event::ReplyEnd => self.ended = Some(Ended::Whole),
            Event::Cut => self.ended = Some(Ended::Cut),
            Event::Abort if self.ended.is_none() => self.ended = Some(Ended::Left),
            _ => {}
        }
    }
}

fn shown(headers: &HeaderMap) -> Vec<[String; 2]> {
    let show = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    headers.iter().map(|(name, value)| [name.to_string(), show(value.as_bytes())]).collect()
}

/// The requests that the journal of the world still keeps, oldest first.
pub(crate) fn all(world: &World) -> Vec<Received> {
    let mut all: BTreeMap<ExchangeId, Received> = BTreeMap::new();
    for (_, entry) in world.core.journal.entries() {
        if let Event::Head(line, headers) = &entry.event {
            all.insert(entry.exchange, Received::begin(&entry, line, headers));
        } else if let Some(received) = all.get_mut(&entry.exchange) {
            received.add(&entry);
        }
    }
    for line in world.core.log.lines() {
        if let Some(received) = all.get_mut(&line.exchange) {
            received.why.push(Violation::from(line));
        }
    }
    all.into_values().collect()
}

/// Those that the filter takes: `count` is how many it takes, `kept` how many the journal still keeps.
pub(crate) fn list(world: &World, filter: &Filter) -> Value {
    let mut wanted = all(world);
    let kept = wanted.len();
    wanted.retain(|received| filter.takes(received));
    let count = wanted.len();
    json!({ "count": count, "kept": kept, "requests": wanted[count.saturating_sub(filter.limit)..] })
}

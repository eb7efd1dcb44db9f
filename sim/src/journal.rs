//! The journal: every input and output with its virtual time, as a rolling hash and a bounded ring.
//!
//! The hash is the run's fingerprint: equal seeds, epochs and inputs produce equal hashes.

use std::fmt;
use std::io::Write;
use std::sync::Arc;

use assay_spec::Instant;
use assay_spec::crypto::text::hex;
use bytes::{Buf, Bytes};
use http::{HeaderMap, HeaderName, HeaderValue};
use imbl::Vector;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::exchange::{ExchangeId, RequestHead};
use crate::io::Output;
use crate::outgoing::{Outcome, Outgoing, OutgoingId};

/// How many entries the ring keeps.
pub const KEPT: usize = 512;
/// The maximum size of headers and bodies in the ring, in bytes. The latest entry is always kept.
pub const KEPT_BYTES: usize = 8 * 1024 * 1024;
/// About how many bytes wait for the hash.
const UNHASHED: usize = 4 * 1024;

/// One input or output.
#[derive(Clone, Debug)]
pub enum Event {
    /// A request's head: site, client address, request line, headers.
    Head(String, HeaderMap),
    /// Bytes of a request's body.
    Body(Bytes),
    /// A request is complete.
    End,
    /// A client disconnected.
    Abort,
    /// Time moved.
    Tick,
    /// Something was set through the control API.
    Control(String),
    /// A reply's head: status, headers.
    ReplyHead(u16, HeaderMap),
    /// Bytes of a reply's body.
    Frame(Bytes),
    /// A reply is complete.
    ReplyEnd,
    /// A reply broke off.
    Cut,
    /// A request of the world to an outside server.
    Outgoing(OutgoingId, Arc<Outgoing>),
    /// The outcome of such a request.
    Incoming(OutgoingId, Outcome),
}

/// An event with its time and exchange (0 if none).
#[derive(Clone, Debug)]
pub struct Entry {
    /// Virtual time.
    pub at: Instant,
    /// The exchange.
    pub exchange: ExchangeId,
    /// What happened.
    pub event: Event,
    /// Its bytes contain a secret: the JSON form shows only their number.
    pub secret: bool,
}

/// An input or output when it is noted: an [`Event`] whose parts are borrowed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Noted<'a> {
    Head(&'a RequestHead),
    Body(&'a Bytes),
    End,
    Abort,
    Tick,
    Control(&'a str),
    ReplyHead(u16, &'a HeaderMap),
    Frame(&'a Bytes),
    ReplyEnd,
    Cut,
    Outgoing(OutgoingId, &'a Arc<Outgoing>),
    Incoming(OutgoingId, &'a Outcome),
}

impl Noted<'_> {
    /// What is noted of an output to a client.
    pub(crate) fn from_output(output: &Output) -> Option<Noted<'_>> {
        match output {
            Output::Head { status, headers, .. } => Some(Noted::ReplyHead(*status, headers)),
            Output::Frame { bytes, .. } => Some(Noted::Frame(bytes)),
            Output::End { .. } => Some(Noted::ReplyEnd),
            Output::Cut { .. } => Some(Noted::Cut),
            // Recorded when the request left.
            Output::Outgoing { .. } => None,
        }
    }

    /// The size of its headers and bodies.
    fn bytes(&self) -> usize {
        let size = |headers: &HeaderMap| -> usize {
            headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum()
        };
        match self {
            Noted::Body(bytes) | Noted::Frame(bytes) => bytes.len(),
            Noted::Head(head) => size(&head.headers),
            Noted::ReplyHead(_, headers) => size(headers),
            Noted::Outgoing(_, request) => request.body.len(),
            Noted::Incoming(_, Ok(reply)) => reply.body.len(),
            _ => 0,
        }
    }
}

/// The journal of a world.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    hash: Sha256,
    /// What is not hashed yet: hashing many small parts at once is faster.
    unhashed: Vec<u8>,
    count: u64,
    ring: Vector<Record>,
    /// Bytes of headers and bodies in the ring.
    bytes: usize,
}

/// An entry as the ring keeps it. Heads are kept as they were hashed: a few bytes instead of maps that keep the buffers of
/// their connections.
#[derive(Clone, Debug)]
struct Record {
    at: Instant,
    exchange: ExchangeId,
    secret: bool,
    /// The size of its headers and bodies.
    bytes: usize,
    kept: Kept,
}

#[derive(Clone, Debug)]
enum Kept {
    /// The parts after the tag.
    Head(Bytes),
    Body(Bytes),
    End,
    Abort,
    Tick,
    Control(Arc<str>),
    /// The parts after the tag.
    ReplyHead(Bytes),
    Frame(Bytes),
    ReplyEnd,
    Cut,
    Outgoing(OutgoingId, Arc<Outgoing>),
    Incoming(OutgoingId, Arc<Outcome>),
}

impl Record {
    fn entry(&self) -> Entry {
        let event = match &self.kept {
            Kept::Head(parts) => {
                let mut parts = Parts(parts.clone());
                let line = parts.next().unwrap_or_default();
                Event::Head(String::from_utf8_lossy(&line).into_owned(), parts.headers())
            }
            Kept::ReplyHead(parts) => {
                let mut parts = Parts(parts.clone());
                let status = parts.next().map_or(0, |mut status| status.get_u16());
                Event::ReplyHead(status, parts.headers())
            }
            Kept::Body(bytes) => Event::Body(bytes.clone()),
            Kept::End => Event::End,
            Kept::Abort => Event::Abort,
            Kept::Tick => Event::Tick,
            Kept::Control(what) => Event::Control(what.as_ref().to_owned()),
            Kept::Frame(bytes) => Event::Frame(bytes.clone()),
            Kept::ReplyEnd => Event::ReplyEnd,
            Kept::Cut => Event::Cut,
            Kept::Outgoing(id, request) => Event::Outgoing(*id, Arc::clone(request)),
            Kept::Incoming(id, outcome) => Event::Incoming(*id, outcome.as_ref().clone()),
        };
        Entry { at: self.at, exchange: self.exchange, event, secret: self.secret }
    }
}

/// The parts of a head, each after its length.
struct Parts(Bytes);

impl Iterator for Parts {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        let length = self.0.try_get_u64().ok()?;
        Some(self.0.split_to(length as usize))
    }
}

impl Parts {
    /// The rest: names and values.
    fn headers(mut self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        while let (Some(name), Some(value)) = (self.next(), self.next()) {
            let name = HeaderName::from_bytes(&name).expect("it was the name of a header");
            headers
                .append(name, HeaderValue::from_maybe_shared(value).expect("it was the value of a header"));
        }
        headers
    }
}

impl Journal {
    /// Adds an entry.
    pub(crate) fn note(&mut self, at: Instant, exchange: ExchangeId, noted: Noted<'_>, secret: bool) {
        self.unhashed.extend_from_slice(&at.0.to_be_bytes());
        self.unhashed.extend_from_slice(&exchange.to_be_bytes());
        let record = Record { at, exchange, secret, bytes: noted.bytes(), kept: self.feed(noted) };
        if self.unhashed.len() >= UNHASHED {
            self.hash.update(&self.unhashed);
            self.unhashed.clear();
        }
        self.count += 1;
        self.bytes += record.bytes;
        while (self.ring.len() == KEPT || self.bytes > KEPT_BYTES)
            && let Some(oldest) = self.ring.pop_front()
        {
            self.bytes -= oldest.bytes;
        }
        self.ring.push_back(record);
    }

    /// The fingerprint of everything so far, hex.
    pub fn fingerprint(&self) -> String {
        hex(&self.hash.clone().chain_update(&self.unhashed).finalize())
    }

    /// The total number of entries.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The entries still in the ring, oldest first, each with its number, counted from 0.
    pub fn entries(&self) -> impl Iterator<Item = (u64, Entry)> {
        self.entries_from(0)
    }

    /// The entries still in the ring with this number and above.
    pub fn entries_from(&self, number: u64) -> impl Iterator<Item = (u64, Entry)> {
        let first = self.count - self.ring.len() as u64;
        let skipped = number.saturating_sub(first).min(self.ring.len() as u64);
        let records = self.ring.iter().skip(skipped as usize);
        (first + skipped..).zip(records.map(Record::entry))
    }

    /// Feeds an event to the hash; returns what the ring keeps of it. Each part is hashed with its length, so that
    /// different journals never feed equal bytes.
    fn feed(&mut self, noted: Noted<'_>) -> Kept {
        match noted {
            Noted::Head(head) => {
                self.part(b"head");
                Kept::Head(self.copy(|journal| {
                    journal.show(head);
                    journal.feed_headers(&head.headers);
                }))
            }
            Noted::ReplyHead(status, headers) => {
                self.part(b"reply");
                Kept::ReplyHead(self.copy(|journal| {
                    journal.part(&status.to_be_bytes());
                    journal.feed_headers(headers);
                }))
            }
            Noted::Body(bytes) => {
                self.part(b"body");
                self.long_part(bytes);
                Kept::Body(bytes.clone())
            }
            Noted::Frame(bytes) => {
                self.part(b"frame");
                self.long_part(bytes);
                Kept::Frame(bytes.clone())
            }
            Noted::Control(text) => {
                self.part(b"control");
                self.part(text.as_bytes());
                Kept::Control(text.into())
            }
            Noted::End => {
                self.part(b"end");
                Kept::End
            }
            Noted::Abort => {
                self.part(b"abort");
                Kept::Abort
            }
            Noted::Tick => {
                self.part(b"tick");
                Kept::Tick
            }
            Noted::ReplyEnd => {
                self.part(b"reply-end");
                Kept::ReplyEnd
            }
            Noted::Cut => {
                self.part(b"cut");
                Kept::Cut
            }
            Noted::Outgoing(id, request) => {
                self.part(b"outgoing");
                self.part(&id.to_be_bytes());
                self.part(request.method.as_str().as_bytes());
                self.part(request.url().as_bytes());
                self.feed_headers(&request.headers);
                self.long_part(&request.body);
                Kept::Outgoing(id, Arc::clone(request))
            }
            Noted::Incoming(id, outcome) => {
                self.part(if outcome.is_ok() { b"incoming" } else { b"failure" });
                self.part(&id.to_be_bytes());
                match outcome {
                    Ok(reply) => {
                        self.part(&reply.status.to_be_bytes());
                        self.feed_headers(&reply.headers);
                        self.long_part(&reply.body);
                    }
                    Err(failure) => self.part(failure.to_string().as_bytes()),
                }
                Kept::Incoming(id, Arc::new(outcome.clone()))
            }
        }
    }

    /// Feeds parts, and copies them.
    fn copy(&mut self, feed: impl FnOnce(&mut Journal)) -> Bytes {
        let begin = self.unhashed.len();
        feed(self);
        Bytes::copy_from_slice(&self.unhashed[begin..])
    }

    fn feed_headers(&mut self, headers: &HeaderMap) {
        for (name, value) in headers {
            self.part(name.as_str().as_bytes());
            self.part(value.as_bytes());
        }
    }

    fn part(&mut self, bytes: &[u8]) {
        self.unhashed.extend_from_slice(&(bytes.len() as u64).to_be_bytes());
        self.unhashed.extend_from_slice(bytes);
    }

    /// A part that may be long, and is not copied then.
    fn long_part(&mut self, bytes: &[u8]) {
        if bytes.len() < UNHASHED {
            return self.part(bytes);
        }
        self.hash.update(&self.unhashed);
        self.unhashed.clear();
        self.hash.update((bytes.len() as u64).to_be_bytes());
        self.hash.update(bytes);
    }

    /// A part that is written: its length is known after it.
    fn show(&mut self, shown: &impl fmt::Display) {
        let begin = self.unhashed.len();
        self.part(&[]);
        // Writing to memory succeeds.
        let _ = write!(self.unhashed, "{shown}");
        let length = (self.unhashed.len() - begin - 8) as u64;
        self.unhashed[begin..begin + 8].copy_from_slice(&length.to_be_bytes());
    }
}

/// An entry as JSON. Bodies are strings if they are UTF-8, otherwise hex; for a secret, only its length.
impl Serialize for Entry {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde_json::json;
        let text = |bytes: &Bytes| match std::str::from_utf8(bytes) {
            Ok(text) => json!(text),
            Err(_) => json!({ "hex": hex(bytes) }),
        };
        let headers = |headers: &HeaderMap| -> Vec<[String; 2]> {
            let show = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            headers.iter().map(|(name, value)| [name.to_string(), show(value.as_bytes())]).collect()
        };
        let event = match &self.event {
            Event::Head(line, map) => json!({ "head": line, "headers": headers(map) }),
            Event::Body(bytes) => json!({ "body": text(bytes) }),
            Event::End => json!("end"),
            Event::Abort => json!("abort"),
            Event::Tick => json!("tick"),
            Event::Control(what) => json!({ "control": what }),
            Event::ReplyHead(status, map) => json!({ "reply": status, "headers": headers(map) }),
            Event::Frame(bytes) if self.secret => json!({ "frame": { "secret_bytes": bytes.len() } }),
            Event::Frame(bytes) => json!({ "frame": text(bytes) }),
            Event::ReplyEnd => json!("reply-end"),
            Event::Cut => json!("cut"),
            Event::Outgoing(id, request) => json!({
                "outgoing": id,
                "request": format!("{} {}", request.method, request.url()),
                "headers": headers(&request.headers),
                "body": text(&request.body),
            }),
            Event::Incoming(id, Ok(reply)) => json!({
                "incoming": id,
                "status": reply.status,
                "headers": headers(&reply.headers),
                "body": text(&reply.body),
            }),
            Event::Incoming(id, Err(failure)) => json!({ "incoming": id, "failure": failure }),
        };
        json!({ "at": self.at, "exchange": self.exchange, "event": event }).serialize(serializer)
    }
}

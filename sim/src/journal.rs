//! The journal: every input and output with its virtual time, as a rolling hash and a bounded ring.
//!
//! The hash is the run's fingerprint: equal seeds, epochs and inputs produce equal hashes.

use std::sync::Arc;

use assay_spec::Instant;
use assay_spec::crypto::text::hex;
use bytes::Bytes;
use http::HeaderMap;
use imbl::Vector;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::exchange::ExchangeId;
use crate::io::Output;
use crate::outgoing::{Outcome, Outgoing, OutgoingId};

/// How many entries the ring keeps.
pub const KEPT: usize = 512;
/// The maximum size of headers and bodies in the ring, in bytes. The latest entry is always kept.
pub const KEPT_BYTES: usize = 8 * 1024 * 1024;

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

impl Event {
    /// The journal's event for an output to a client.
    pub(crate) fn from_output(output: &Output) -> Option<Event> {
        match output {
            Output::Head { status, headers, .. } => Some(Event::ReplyHead(*status, headers.clone())),
            Output::Frame { bytes, .. } => Some(Event::Frame(bytes.clone())),
            Output::End { .. } => Some(Event::ReplyEnd),
            Output::Cut { .. } => Some(Event::Cut),
            // Recorded when the request left.
            Output::Outgoing { .. } => None,
        }
    }
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

impl Entry {
    /// The size of its headers and bodies.
    fn bytes(&self) -> usize {
        match &self.event {
            Event::Body(bytes) | Event::Frame(bytes) => bytes.len(),
            Event::Head(_, headers) | Event::ReplyHead(_, headers) => {
                headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum()
            }
            Event::Outgoing(_, request) => request.body.len(),
            Event::Incoming(_, Ok(reply)) => reply.body.len(),
            _ => 0,
        }
    }
}

/// The journal of a world.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    hash: Sha256,
    count: u64,
    ring: Vector<Entry>,
    /// Bytes of headers and bodies in the ring.
    bytes: usize,
}

impl Journal {
    /// Adds an entry.
    pub fn note(&mut self, entry: Entry) {
        self.hash.update(entry.at.0.to_be_bytes());
        self.hash.update(entry.exchange.to_be_bytes());
        feed(&mut self.hash, &entry.event);
        self.count += 1;
        self.bytes += entry.bytes();
        while (self.ring.len() == KEPT || self.bytes > KEPT_BYTES)
            && let Some(oldest) = self.ring.pop_front()
        {
            self.bytes -= oldest.bytes();
        }
        self.ring.push_back(entry);
    }

    /// The fingerprint of everything so far, hex.
    pub fn fingerprint(&self) -> String {
        hex(&self.hash.clone().finalize())
    }

    /// The total number of entries.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The entries still in the ring, oldest first, each with its number, counted from 0.
    pub fn entries(&self) -> impl Iterator<Item = (u64, &Entry)> {
        (self.count - self.ring.len() as u64..).zip(self.ring.iter())
    }
}

/// Each part is hashed with its length, so that different journals never feed equal bytes.
fn feed(hash: &mut Sha256, event: &Event) {
    let mut part = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_be_bytes());
        hash.update(bytes);
    };
    match event {
        Event::Head(line, headers) => {
            part(b"head");
            part(line.as_bytes());
            feed_headers(&mut part, headers);
        }
        Event::ReplyHead(status, headers) => {
            part(b"reply");
            part(&status.to_be_bytes());
            feed_headers(&mut part, headers);
        }
        Event::Body(bytes) => {
            part(b"body");
            part(bytes);
        }
        Event::Frame(bytes) => {
            part(b"frame");
            part(bytes);
        }
        Event::Control(text) => {
            part(b"control");
            part(text.as_bytes());
        }
        Event::End => part(b"end"),
        Event::Abort => part(b"abort"),
        Event::Tick => part(b"tick"),
        Event::ReplyEnd => part(b"reply-end"),
        Event::Cut => part(b"cut"),
        Event::Outgoing(id, request) => {
            part(b"outgoing");
            part(&id.to_be_bytes());
            part(request.method.as_str().as_bytes());
            part(request.url().as_bytes());
            feed_headers(&mut part, &request.headers);
            part(&request.body);
        }
        Event::Incoming(id, Ok(reply)) => {
            part(b"incoming");
            part(&id.to_be_bytes());
            part(&reply.status.to_be_bytes());
            feed_headers(&mut part, &reply.headers);
            part(&reply.body);
        }
        Event::Incoming(id, Err(failure)) => {
            part(b"failure");
            part(&id.to_be_bytes());
            part(failure.to_string().as_bytes());
        }
    }
}

fn feed_headers(part: &mut impl FnMut(&[u8]), headers: &HeaderMap) {
    for (name, value) in headers {
        part(name.as_str().as_bytes());
        part(value.as_bytes());
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

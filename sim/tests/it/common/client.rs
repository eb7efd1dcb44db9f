//! A client of the exchange: what it signs, sends and reads.

use std::fmt;

use assay_sim::Reply;
use assay_spec::crypto::{ed25519, text};
use assay_spec::publish::envelope::{Claims, sign};
use assay_spec::{Dialect, Instant};
use ed25519_dalek::SigningKey;
use serde_json::{Value, json};

use super::{PREPARE, SUBMIT};

/// A key, and its domain.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) key: SigningKey,
    pub(crate) domain: String,
}

impl Client {
    pub(crate) fn new(key: u8, domain: &str) -> Client {
        Client { key: ed25519::key_from_seed([key; 32]), domain: domain.to_owned() }
    }

    pub(crate) fn address(&self) -> String {
        ed25519::address(&self.key)
    }

    /// A POST with its own envelope.
    pub(crate) fn call(&self, path: &str, body: &[u8], time: Instant) -> Call {
        let claims = Claims { method: "POST", path, domain: &self.domain, time, body };
        let header = sign(&Dialect::default(), &self.key, &claims);
        let headers =
            vec![("authorization", header.into_bytes()), ("content-type", b"application/json".to_vec())];
        Call::new("POST", path, headers, body.to_vec())
    }

    /// A prepare of `body`, with the domain added.
    pub(crate) fn prepare(&self, body: &Value, time: Instant) -> Call {
        let mut body = body.clone();
        body["domain"] = json!(self.domain);
        self.call(PREPARE, body.to_string().as_bytes(), time)
    }

    pub(crate) fn publish(&self, time: Instant) -> Call {
        self.prepare(&json!({ "cid": "bafy" }), time)
    }

    pub(crate) fn transfer(&self, to: &Client, time: Instant) -> Call {
        let new_authority = format!("chain:{}", to.address());
        self.prepare(&json!({ "op": "transfer", "newAuthority": new_authority }), time)
    }

    pub(crate) fn submit(&self, prepared: &Prepared, op: Option<&str>, time: Instant) -> Call {
        let signature = text::base64(&ed25519::sign(&self.key, &prepared.message));
        self.submit_signed(&prepared.id, &signature, op, time)
    }

    pub(crate) fn submit_signed(&self, id: &str, signature: &str, op: Option<&str>, time: Instant) -> Call {
        let mut body = json!({ "prepareId": id, "signature": signature });
        if let Some(op) = op {
            body["op"] = json!(op);
        }
        self.call(SUBMIT, body.to_string().as_bytes(), time)
    }
}

/// A request to send.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(&'static str, Vec<u8>)>,
    pub(crate) body: Vec<u8>,
}

impl Call {
    pub(crate) fn new(
        method: &str,
        target: &str,
        headers: Vec<(&'static str, Vec<u8>)>,
        body: Vec<u8>,
    ) -> Call {
        Call { method: method.to_owned(), target: target.to_owned(), headers, body }
    }
}

/// Method, path, headers and body, one per line, as a shell command: `$SIM` is the base URL of a simulator whose
/// clock is at the time of the call.
impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace('\'', r"'\''");
        write!(f, "curl -sS -i -X {} \"$SIM{}\"", self.method, self.target)?;
        for (name, value) in &self.headers {
            write!(f, " -H '{name}: {}'", quoted(value))?;
        }
        write!(f, " --data-binary '{}'", quoted(&self.body))
    }
}

/// The response to a prepare.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    pub(crate) id: String,
    pub(crate) message: Vec<u8>,
    pub(crate) expires_at: Instant,
    pub(crate) last_valid_block_height: u64,
    pub(crate) whole: Value,
}

impl Prepared {
    pub(crate) fn read(reply: &Reply) -> Prepared {
        let whole = body_of(reply);
        let text = |key: &str| whole[key].as_str().expect("a string").to_owned();
        Prepared {
            id: text("prepareId"),
            message: text::parse_base64(&text("message")).expect("standard base64"),
            expires_at: Instant(whole["expiresAt"].as_i64().expect("milliseconds")),
            last_valid_block_height: whole["lastValidBlockHeight"].as_u64().expect("a height"),
            whole,
        }
    }
}

/// A reply's JSON body.
pub(crate) fn body_of(reply: &Reply) -> Value {
    serde_json::from_slice(&reply.body).unwrap_or_else(|e| panic!("{e}: {}", show(reply)))
}

/// A reply's status and body, for messages.
pub(crate) fn show(reply: &Reply) -> String {
    format!("{} {}", reply.status, String::from_utf8_lossy(&reply.body))
}

//! One exchange per endpoint, written by hand: a wrong shape cannot hide in a reference and its own cases.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::data;

/// A request and its answer, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exchange {
    /// The endpoint's name.
    pub endpoint: String,
    /// What happens.
    pub about: String,
    /// The server's clock.
    pub clock: String,
    /// The keys as their service writes them, and their secrets, hex: public test keys. Empty where none is needed.
    #[serde(default)]
    pub keys: Keys,
    /// What is sent.
    pub request: Request,
    /// What comes back.
    pub response: Response,
}

/// The keys of an exchange.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keys {
    /// The client's seed, private key or API key.
    pub client_secret: String,
    /// The client's address, or who the client is.
    pub client: String,
    /// The fee payer's seed, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fee_payer_secret: Option<String>,
    /// The fee payer's address, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fee_payer: Option<String>,
}

/// What is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The request line and the headers.
    pub head: Vec<String>,
    /// The body; nothing where none is sent.
    pub body: String,
}

/// What comes back, once; another time, or from another service, the free members differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Response {
    /// The status line and the headers.
    pub head: Vec<String>,
    /// The body.
    pub body: String,
    /// What the service chooses, by JSON pointer.
    pub free: BTreeMap<String, String>,
}

/// Every exchange with `service`, in the order in which they happen.
pub fn exchanges(service: &str) -> Vec<Exchange> {
    let own = data::EXCHANGES.iter().filter(|(path, _)| path.split('/').next() == Some(service));
    own.map(|(path, text)| serde_json::from_str(text).unwrap_or_else(|e| panic!("{path}: {e}"))).collect()
}

impl Request {
    /// The bytes on the wire.
    pub fn bytes(&self) -> Vec<u8> {
        wire(&self.head, &self.body)
    }

    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.iter().skip(1).filter_map(|line| line.split_once(": "));
        lines.filter(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }
}

impl Response {
    /// The bytes on the wire.
    pub fn bytes(&self) -> Vec<u8> {
        wire(&self.head, &self.body)
    }
}

fn wire(head: &[String], body: &str) -> Vec<u8> {
    format!("{}\r\n\r\n{body}", head.join("\r\n")).into_bytes()
}

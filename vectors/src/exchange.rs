//! One exchange per endpoint and one rejection per error form, written by hand: an error in a declaration cannot hide in
//! cases generated from it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::data;

/// A request and its response, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exchange {
    /// The endpoint's name.
    pub endpoint: String,
    /// What it shows.
    pub about: String,
    /// The server's clock.
    pub clock: String,
    /// The keys as their service writes them, and their secrets in hex: public test keys. Empty if none is needed.
    #[serde(default)]
    pub keys: Keys,
    /// The request.
    pub request: Request,
    /// The response.
    pub response: Response,
}

/// The keys of an exchange.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keys {
    /// The client's seed, private key or API key.
    pub client_secret: String,
    /// The client's address, or its name.
    pub client: String,
    /// The fee payer's seed, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fee_payer_secret: Option<String>,
    /// The fee payer's address, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fee_payer: Option<String>,
}

/// A request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The request line and the headers.
    pub head: Vec<String>,
    /// The body; empty if there is none.
    pub body: String,
}

/// An example response; at another time, or from another server, the free members differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Response {
    /// The status line and the headers.
    pub head: Vec<String>,
    /// The body.
    pub body: String,
    /// The members that the service chooses, as JSON pointers.
    pub free: BTreeMap<String, String>,
}

/// All exchanges with `service` that succeed, in order.
pub fn exchanges(service: &str) -> Vec<Exchange> {
    within(service, "exchange")
}

/// All rejections by `service`, in order.
pub fn rejections(service: &str) -> Vec<Exchange> {
    within(service, "rejection")
}

fn within(service: &str, folder: &str) -> Vec<Exchange> {
    let place = format!("{service}/{folder}/");
    let own = data::EXCHANGES.iter().filter(|(path, _)| path.starts_with(&place));
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

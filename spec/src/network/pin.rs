//! Pinned content (document 2, "Endpoints").

use serde_json::{Map, Value};

use crate::network::endpoint;
use crate::network::members::{filled, read_member};
use crate::network::message::MessageType;
use crate::network::mistakes::pins::HASH_REQUIRED;
use crate::network::requirements::pins::PINNED;
use crate::network::shapes::{ACCEPTED, ERRORS};
use crate::shape::{Body, Reply, ShapeKind, must};
use crate::{Refused, Rules};

endpoint! {
    /// Pins content.
    PIN "pin" "POST" "/api/v0/ipfs/pin" Envelope [200, 400, 401, 403, 429, 500]
    group: "Pins",
    body: Body::Envelope { kind: Some(MessageType::IpfsPin.name()), content: &[must("hash", ShapeKind::Text)] },
    reply: ACCEPTED,
    row: Some(&PINNED),
    errors: ERRORS,
}
endpoint! {
    /// Reads content.
    READ "pinned" "GET" "/api/v0/ipfs/{hash}" None [200, 400, 404, 429, 500]
    group: "Pins",
    reply: Reply::Bytes,
    errors: ERRORS,
}

/// A pin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// The content's hash, as sent.
    pub hash: String,
}

impl Pin {
    /// Reads an `IPFS_PIN`'s content.
    pub fn parse(content: &Map<String, Value>, rules: &mut dyn Rules) -> Result<Pin, Refused> {
        Ok(Pin { hash: read_member(&HASH_REQUIRED, "hash", content, filled, rules)?.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Strict, Without};

    #[test]
    fn pin_without_a_hash_is_rejected() {
        let parse = |content: Value| Pin::parse(content.as_object().unwrap(), &mut Strict);
        assert_eq!(parse(json!({"hash": "bafy"})).unwrap().hash, "bafy");
        for bad in [json!({}), json!({"hash": 1}), json!({"hash": ""}), json!({"hash": null})] {
            assert_eq!(parse(bad.clone()).unwrap_err().rule, HASH_REQUIRED.rule);
            assert!(Pin::parse(bad.as_object().unwrap(), &mut Without(&HASH_REQUIRED)).is_ok());
        }
    }
}

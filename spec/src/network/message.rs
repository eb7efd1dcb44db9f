//! Messages and their records (document 2, "Message record").

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::crypto::text::sha256_hex;
use crate::json;
use crate::network::endpoint;
use crate::network::requirements::envelope::REPLY_HASH;
use crate::network::requirements::messages::{WRAPPER, WRAPPER_HASH, WRAPPER_STATUS};
use crate::network::shapes::{CREATED, ERRORS, RECORD};
use crate::relation::{Alike, Asked};
use crate::reply::Whole;
use crate::shape::{Body, COUNT, Case, Field, Reply, ShapeKind, loose, may, must, object};

/// A message read by its hash. Parts may be missing unless it is processed: a forgotten STORE has no content, and where
/// the parts of a removed one are is open.
const WRAPPED: Case = Case {
    member: "status",
    words: &["processed"],
    then: &[STATUS, ITEM_HASH, must("message", ShapeKind::Object(&RECORD)).or_null()],
    otherwise: &[STATUS, ITEM_HASH, may("message", ShapeKind::Object(&LOOSE)).or_null()],
};
const STATUS: Field =
    must("status", ShapeKind::Text).free("the words for other types than STORE are not listed");
const ITEM_HASH: Field =
    must("item_hash", ShapeKind::Text).asked(Asked::Path("hash"), Alike::Equal).related(&WRAPPER_HASH);
const LOOSE: [Field; 9] = loose(RECORD);
const NOT_SUCCESS: &[Whole] = &[Whole {
    row: &WRAPPER_STATUS,
    want: "the status of a message, such as `processed`",
    breaks: |body| (body["status"] == "success").then(|| "`success`, the status of a create call".to_owned()),
}];

endpoint! {
    /// Reads one message.
    READ "message" "GET" "/api/v0/messages/{hash}" None [200, 400, 404, 410, 429, 500]
    group: "Messages",
    reply: Reply::Json(ShapeKind::Case(&WRAPPED)),
    row: Some(&WRAPPER),
    whole: NOT_SUCCESS,
    errors: ERRORS,
}
endpoint! {
    /// Creates a message of any type.
    CREATE "create-message" "POST" "/api/v0/messages" Envelope [200, 400, 401, 403, 404, 429, 500]
    group: "Messages",
    body: Body::Envelope { kind: None, content: &[] },
    reply: CREATED,
    row: Some(&REPLY_HASH),
    errors: ERRORS,
}

/// A message type: the ten that the document lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum MessageType {
    /// A file.
    Store,
    /// Any document.
    Post,
    /// A write to a keyed document.
    Aggregate,
    /// A serverless program.
    Program,
    /// A virtual machine.
    Instance,
    /// An update of a virtual machine.
    InstanceUpdate,
    /// An action on a virtual machine.
    InstanceControl,
    /// A pin of content.
    IpfsPin,
    /// A webhook registration.
    Webhook,
    /// A deletion of stored files.
    Forget,
}

impl MessageType {
    /// Every type, in the document's order.
    pub const ALL: [MessageType; 10] = [
        MessageType::Store,
        MessageType::Post,
        MessageType::Aggregate,
        MessageType::Program,
        MessageType::Instance,
        MessageType::InstanceUpdate,
        MessageType::InstanceControl,
        MessageType::IpfsPin,
        MessageType::Webhook,
        MessageType::Forget,
    ];

    /// The type's name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            MessageType::Store => "STORE",
            MessageType::Post => "POST",
            MessageType::Aggregate => "AGGREGATE",
            MessageType::Program => "PROGRAM",
            MessageType::Instance => "INSTANCE",
            MessageType::InstanceUpdate => "INSTANCE_UPDATE",
            MessageType::InstanceControl => "INSTANCE_CONTROL",
            MessageType::IpfsPin => "IPFS_PIN",
            MessageType::Webhook => "WEBHOOK",
            MessageType::Forget => "FORGET",
        }
    }

    /// The type with exactly this name.
    pub fn named(name: &str) -> Option<MessageType> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Why the members of a confirmation are free.
const BLOCKS: &str = "the network decides when and where a message is confirmed";

object! {
    /// A block that holds a message.
    #[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
    pub struct Confirmation {
        /// The chain.
        chain: String = must("chain", ShapeKind::Text).free(BLOCKS),
        /// The block's height.
        height: u64 = must("height", COUNT).free(BLOCKS),
        /// The transaction's hash.
        hash: String = must("hash", ShapeKind::Text).free(BLOCKS),
    }
}

/// A message as it is stored. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The message's hash, hexadecimal.
    pub item_hash: Arc<str>,
    /// The chain whose signatures the sender uses.
    pub chain: Arc<str>,
    /// The sender's address, as sent.
    pub sender: Arc<str>,
    /// The type.
    pub kind: MessageType,
    /// The channel.
    pub channel: Arc<str>,
    /// Seconds since the epoch.
    pub timestamp: i64,
    /// The content as compact JSON: an object, its members as sent.
    pub content: Arc<str>,
    /// The signature, as sent.
    pub signature: Arc<str>,
    /// The blocks that hold it.
    pub confirmations: Arc<[Confirmation]>,
}

/// The members that a sender chooses: everything that the hash covers.
#[derive(Clone, Copy, Debug)]
pub struct Draft<'a> {
    /// The chain.
    pub chain: &'a str,
    /// The sender's address.
    pub sender: &'a str,
    /// The type.
    pub kind: MessageType,
    /// The channel.
    pub channel: &'a str,
    /// Seconds since the epoch.
    pub timestamp: i64,
    /// The content as compact JSON.
    pub content: &'a str,
}

impl Draft<'_> {
    /// The SHA-256, in hex, of the record's members from `chain` to `content` as compact JSON.
    ///
    /// How a network hashes is not shown. This hash covers every member that distinguishes two messages and nothing
    /// else: a message sent again is the same message, even with a new signature.
    pub fn item_hash(&self) -> String {
        let Draft { chain, sender, kind, channel, timestamp, content } = self;
        let [chain, sender, channel] = [chain, sender, channel].map(|text| Value::from(*text));
        let kind = kind.name();
        sha256_hex(
            format!(
                r#"{{"chain":{chain},"sender":{sender},"type":"{kind}","channel":{channel},"timestamp":{timestamp},"content":{content}}}"#
            )
            .as_bytes(),
        )
    }

    /// The message, still without confirmations.
    pub fn signed(&self, signature: &str) -> Message {
        Message {
            item_hash: self.item_hash().into(),
            chain: self.chain.into(),
            sender: self.sender.into(),
            kind: self.kind,
            channel: self.channel.into(),
            timestamp: self.timestamp,
            content: self.content.into(),
            signature: signature.into(),
            confirmations: Arc::default(),
        }
    }
}

impl Message {
    /// The content's members.
    pub fn members(&self) -> Map<String, Value> {
        serde_json::from_str(&self.content).unwrap_or_default()
    }

    /// `type` of the content, which a POST has.
    pub fn content_type(&self) -> Option<String> {
        match self.members().remove("type") {
            Some(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    /// The strings in `tags` of the content, or of the content inside it.
    pub fn tags(&self) -> Vec<String> {
        let content = Value::Object(self.members());
        let found = [content.pointer("/tags"), content.pointer("/content/tags")];
        let texts =
            found.into_iter().flatten().filter_map(Value::as_array).flatten().filter_map(Value::as_str);
        texts.map(str::to_owned).collect()
    }

    /// The record, members in the document's order.
    pub fn record(&self) -> Value {
        serde_json::to_value(self).expect("a message is JSON")
    }
}

/// Reads `content` of a create call as compact JSON.
pub fn content_text(raw: &RawValue) -> String {
    json::compact(raw.get())
}

impl Serialize for Message {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Record<'a> {
            item_hash: &'a str,
            chain: &'a str,
            sender: &'a str,
            r#type: &'a str,
            channel: &'a str,
            timestamp: i64,
            content: &'a RawValue,
            signature: &'a str,
            confirmations: &'a [Confirmation],
        }
        let content: &RawValue = serde_json::from_str(&self.content).map_err(serde::ser::Error::custom)?;
        Record {
            item_hash: &self.item_hash,
            chain: &self.chain,
            sender: &self.sender,
            r#type: self.kind.name(),
            channel: &self.channel,
            timestamp: self.timestamp,
            content,
            signature: &self.signature,
            confirmations: &self.confirmations,
        }
        .serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft() -> Draft<'static> {
        Draft {
            chain: "ETH",
            sender: "0x01",
            kind: MessageType::Post,
            channel: "SVC",
            timestamp: 1_700_000_000,
            content: r#"{"type":"t","b":1e5,"a":{"tags":["x"]},"content":{"tags":["y",2]}}"#,
        }
    }

    #[test]
    fn type_names_convert_both_ways() {
        for kind in MessageType::ALL {
            assert_eq!(MessageType::named(kind.name()), Some(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
        for other in ["post", "STORE ", "", "MESSAGE"] {
            assert_eq!(MessageType::named(other), None);
        }
    }

    #[test]
    fn record_has_its_members_in_order_and_its_content_as_sent() {
        let message = draft().signed("0xsig");
        let text = serde_json::to_string(&message).unwrap();
        let hash = &message.item_hash;
        assert_eq!(
            text,
            format!(
                r#"{{"item_hash":"{hash}","chain":"ETH","sender":"0x01","type":"POST","channel":"SVC","timestamp":1700000000,"content":{},"signature":"0xsig","confirmations":[]}}"#,
                draft().content
            )
        );
        assert_eq!(message.content_type().as_deref(), Some("t"));
        assert_eq!(message.tags(), ["y"]);
    }

    #[test]
    fn every_draft_member_changes_the_hash_but_the_signature_does_not() {
        let base = draft();
        let others = [
            Draft { chain: "X", ..base },
            Draft { sender: "0x02", ..base },
            Draft { kind: MessageType::Store, ..base },
            Draft { channel: "T", ..base },
            Draft { timestamp: 0, ..base },
            Draft { content: "{}", ..base },
            Draft { chain: "ETH\",\"sender\":\"0x01", sender: "", ..base },
        ];
        let hashes: std::collections::BTreeSet<_> = others.iter().map(Draft::item_hash).collect();
        assert_eq!(hashes.len(), others.len());
        assert!(!hashes.contains(&base.item_hash()));
        assert_eq!(base.signed("a").item_hash, base.signed("b").item_hash);
    }
}

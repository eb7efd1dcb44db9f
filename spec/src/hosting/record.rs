//! A network message as seen by a reader of stored records (document 2, "Message record", "Stored records written by
//! the hosting application", "Signing of stored records").
//!
//! The members of the content keep the received order, because the signature covers it.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::fields::Fields;
use crate::crypto::address::Address;
use crate::hosting::limits::RECORD as LARGEST;
use crate::hosting::mistakes::records::{DUPLICATES, NOT_JSON, OBJECT, TIME};
use crate::hosting::requirements::records::{ADDRESS, CHANNEL, FORM, SIGNATURE, SIZE};
use crate::json::{self, Fault};
use crate::network::requirements::signing::{RECORD_DUPLICATES, RECORD_NUMBERS};
use crate::network::signing::{sign_record, verify_record};
use crate::{Dialect, Id, Refused, Rules, Strict};

/// A parsed record. Its signature, its signer's authority and its body are not checked yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The message's hash, as stated by the node.
    pub item_hash: String,
    /// The sender.
    pub sender: Address,
    /// The message type.
    pub kind: String,
    /// The channel.
    pub channel: String,
    /// The signature, as written.
    pub signature: String,
    /// `content.address`.
    pub address: Address,
    /// `content.key`, which an aggregate has.
    pub key: Option<String>,
    /// `content.type`, which a POST has.
    pub content_type: Option<String>,
    /// `content.ref`, which an amend has.
    pub target: Option<String>,
    /// `content.time`, in seconds since the epoch.
    pub time: i64,
    /// The content, its members in the received order.
    pub content: Map<String, Value>,
    /// The record's JSON text, as received.
    pub text: String,
}

impl Record {
    /// Reads a record from its JSON text.
    pub fn parse(text: &str, rules: &mut dyn Rules) -> Result<Record, Refused> {
        rules.require(&SIZE, text.len() <= LARGEST.usize(), || {
            format!("the record has {} bytes, at most {LARGEST} are allowed", text.len())
        })?;
        let value = read(text, rules)?;
        let odd = json::odd_number(value.get("content").unwrap_or(&Value::Null)).map(ToString::to_string);
        rules.require(&RECORD_NUMBERS, odd.is_none(), || {
            format!("the number {} is not portable", odd.clone().unwrap_or_default())
        })?;
        let none = Map::new();
        let fields = Fields::new(value.as_object().unwrap_or(&none), "");
        let item_hash = fields.text_that("item_hash", &FORM, rules, |hash| !hash.is_empty())?;
        let sender = fields.address("sender", &FORM, rules)?;
        let kind = fields.text("type", &FORM, rules)?;
        let channel = fields.text("channel", &FORM, rules)?;
        let signature = fields.text("signature", &FORM, rules)?;
        let content = fields.object("content", &FORM, rules)?;
        let inner = Fields::new(content, "content.");
        let address = inner.address("address", &ADDRESS, rules)?;
        let time = inner.read("time", &TIME, rules, |time| json::integer(time).filter(|time| *time >= 0))?;
        let optional = |name, rules: &mut dyn Rules| match inner.value(name) {
            None => Ok(None),
            Some(_) => inner.text(name, &FORM, rules).map(Some),
        };
        Ok(Record {
            item_hash,
            sender,
            kind,
            channel,
            signature,
            address,
            key: optional("key", rules)?,
            content_type: optional("type", rules)?,
            target: optional("ref", rules)?,
            time,
            content: content.clone(),
            text: text.to_owned(),
        })
    }

    /// Checks that the sender's signature covers the canonical JSON.
    pub fn verify(&self, rules: &mut dyn Rules) -> Result<(), Refused> {
        self.require_signed(&self.signed(), rules)
    }

    /// Verifies the signature with all rules; the expensive half of [`Record::verify`], which needs no `Rules`.
    pub fn signed(&self) -> Result<(), Refused> {
        verify_record(&self.text, &self.signature, &self.sender.to_string(), &mut Strict).map(|_| ())
    }

    /// Rejects with the result of [`Record::signed`].
    pub fn require_signed(&self, signed: &Result<(), Refused>, rules: &mut dyn Rules) -> Result<(), Refused> {
        rules.require(&SIGNATURE, signed.is_ok(), || {
            signed.as_ref().map_or_else(ToString::to_string, |()| String::new())
        })
    }

    /// Checks that the record is on the channel of hosting records.
    pub fn require_channel(&self, dialect: &Dialect, rules: &mut dyn Rules) -> Result<(), Refused> {
        rules.require(&CHANNEL, self.channel == dialect.records_channel, || {
            format!("the channel is {:.40}", self.channel)
        })
    }

    /// `content.content`, if it is an object.
    pub fn body(&self) -> Option<&Map<String, Value>> {
        self.content.get("content").and_then(Value::as_object)
    }

    /// `content.content`. `rule` requires that it is an object.
    pub(super) fn body_of(&self, rule: Id, rules: &mut dyn Rules) -> Result<&Map<String, Value>, Refused> {
        rules.read(&OBJECT.under(rule), self.content.get("content"), |_| {
            self.body().ok_or_else(|| "content.content is not an object".to_owned())
        })
    }
}

/// The elements of a list response, each as received: a bare array, the array `messages` of an object, or else the only
/// array of objects in an object. The documents leave the container of the flat list open.
pub fn listed(answer: &str) -> Result<Vec<&RawValue>, String> {
    let bare = |text| serde_json::from_str::<Vec<&RawValue>>(text);
    if let Ok(items) = bare(answer) {
        return Ok(items);
    }
    let members: BTreeMap<String, &RawValue> =
        serde_json::from_str(answer).map_err(|e| format!("not a list response: {e}"))?;
    if let Some(items) = members.get("messages").and_then(|items| bare(items.get()).ok()) {
        return Ok(items);
    }
    let are_objects = |items: &Vec<&RawValue>| items.iter().all(|item| item.get().starts_with('{'));
    let mut arrays = members.values().filter_map(|member| bare(member.get()).ok().filter(are_objects));
    match (arrays.next(), arrays.next()) {
        (Some(items), None) => Ok(items),
        (None, _) => Err("not a list response: it has no array".to_owned()),
        (Some(_), Some(_)) => Err("not a list response: it has no array `messages`, but others".to_owned()),
    }
}

/// A name for a record that cannot be read, for warnings: its hash, or the SHA-256 of its text.
pub fn name_of(text: &str) -> String {
    #[derive(Deserialize)]
    struct Named {
        item_hash: String,
    }
    let named = serde_json::from_str::<Named>(text).ok().map(|named| named.item_hash);
    named
        .filter(|hash| !hash.is_empty() && hash.len() <= 128)
        .unwrap_or_else(|| format!("sha256:{}", crate::crypto::text::sha256_hex(text.as_bytes())))
}

/// Signs a record's canonical JSON. `message` is the message's JSON text with at least `type`, `channel` and
/// `content`.
pub fn sign(
    key: &crate::crypto::secp256k1::SigningKey,
    message: &str,
    rules: &mut dyn Rules,
) -> Result<String, Refused> {
    sign_record(key, message, rules)
}

fn read(text: &str, rules: &mut dyn Rules) -> Result<Value, Refused> {
    match json::parse_unique(text) {
        Ok(value) => Ok(value),
        Err(Fault::Duplicate(key)) => rules.refuse(
            &DUPLICATES.under(&RECORD_DUPLICATES),
            text,
            format!("the key {key:.60} is duplicated"),
        ),
        Err(Fault::Syntax(why)) => rules.refuse(&NOT_JSON, text, format!("not JSON: {why}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::crypto::secp256k1::{SigningKey, key_from_secret};
    use crate::{Id, Without};

    fn key() -> SigningKey {
        key_from_secret(&[1; 32]).unwrap()
    }

    fn sent(change: impl FnOnce(&mut Value)) -> String {
        let owner = Address::from_key(&key()).to_string();
        let mut record = json!({
            "item_hash": "h1", "chain": "ETH", "sender": owner, "type": "POST", "channel": "SVC_CHANNEL_V1",
            "timestamp": 7, "content": {"time": 7, "content": {"z": 1, "a": [2]}, "type": "t", "address": owner},
            "confirmations": [],
        });
        change(&mut record);
        let signature = sign(&key(), &record.to_string(), &mut Strict).unwrap_or_else(|_| "0x".into());
        if record.get("signature").is_none() {
            record["signature"] = signature.into();
        }
        record.to_string()
    }

    #[test]
    fn signature_covers_the_received_order() {
        let record = Record::parse(&sent(|_| {}), &mut Strict).unwrap();
        assert!(record.verify(&mut Strict).is_ok());
        assert!(record.require_channel(&Dialect::default(), &mut Strict).is_ok());
        assert_eq!((record.time, record.content_type.as_deref(), record.target), (7, Some("t"), None));
        let turned = record.text.replace(r#"{"z":1,"a":[2]}"#, r#"{"a":[2],"z":1}"#);
        let turned = Record::parse(&turned, &mut Strict).unwrap();
        assert_eq!(turned.verify(&mut Strict).unwrap_err().rule, &SIGNATURE);
        assert!(turned.verify(&mut Without(&SIGNATURE)).is_ok());
    }

    #[test]
    fn each_fault_breaks_one_rule_only() {
        let cases: [(Id, String); 14] = [
            (&FORM, "{".to_owned()),
            (&FORM, sent(|r| r["item_hash"] = "".into())),
            (&FORM, sent(|r| r["item_hash"] = 1.into())),
            (&FORM, sent(|r| r["sender"] = "0x1".into())),
            (&FORM, sent(|r| r["type"] = Value::Null)),
            (&FORM, sent(|r| r["channel"] = json!([]))),
            (&FORM, sent(|r| r["signature"] = Value::Null)),
            (&FORM, sent(|r| r["content"]["ref"] = 1.into())),
            (&FORM, sent(|r| r["content"]["key"] = "x".repeat(70_000).into())),
            (&ADDRESS, sent(|r| r["content"]["address"] = "no address".into())),
            (&TIME, sent(|r| r["content"]["time"] = "7".into())),
            (&TIME, sent(|r| r["content"]["time"] = (-1).into())),
            (&RECORD_NUMBERS, sent(|r| r["content"]["content"]["z"] = (1_i64 << 53).into())),
            (&RECORD_DUPLICATES, sent(|_| {}).replace("\"a\":", "\"z\":")),
        ];
        for (rule, text) in cases {
            assert_eq!(Record::parse(&text, &mut Strict).expect_err(&text).rule, rule, "{text:.200}");
            // A string that is not JSON at all leaves nothing for later rules.
            if text != "{" {
                assert!(Record::parse(&text, &mut Without(rule)).is_ok(), "{text:.200} without {rule}");
            }
        }
    }

    #[test]
    fn oversized_record_is_rejected_before_parsing() {
        let text = format!("\"{}\"", "x".repeat(LARGEST.usize()));
        assert_eq!(Record::parse(&text, &mut Strict).unwrap_err().rule, &SIZE);
    }

    #[test]
    fn list_elements_are_returned_as_received() {
        let answer = r#"{"pagination":{}, "messages":[ {"b": 1,"a":2} , {"c":3} ]}"#;
        let flat = r#"[ {"b": 1,"a":2} , {"c":3} ]"#;
        let named = format!(r#"{{"total":2,"numbers":[1],"data":{flat}}}"#);
        let beside = format!(r#"{{"messages":{flat},"data":[]}}"#);
        for answer in [answer, flat, &named, &beside] {
            let listed = listed(answer).unwrap();
            let texts: Vec<&str> = listed.iter().map(|raw| raw.get()).collect();
            assert_eq!(texts, [r#"{"b": 1,"a":2}"#, r#"{"c":3}"#], "{answer}");
        }
        for bad in ["", "7", "{}", r#"{"messages":{}}"#, r#"{"a":[],"b":[]}"#] {
            assert!(listed(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn unreadable_record_has_a_name() {
        assert_eq!(name_of(r#"{"item_hash":"h"}"#), "h");
        for other in ["{", r#"{"item_hash":1}"#, r#"{"item_hash":""}"#] {
            assert!(name_of(other).starts_with("sha256:"), "{other}");
        }
    }
}

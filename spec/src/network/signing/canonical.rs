//! The canonical JSON of a stored record, and the signature over its digest.
//!
//! Two levels have a documented order of members: the message and its content. Below them, members keep the order in
//! which they were written. The canonical form of a FORGET is not shown; here `hashes` takes the place of `content`.

use std::convert::identity;

use serde_json::{Map, Value};

use super::signature::{keccak, recover_digest};
use crate::crypto::address::Address;
use crate::crypto::secp256k1::{self, SigningKey};
use crate::crypto::text::prefixed_hex;
use crate::json::{self, Fault};
use crate::network::mistakes::signing::{
    RECORD_COMPACT, RECORD_DIGEST, RECORD_DUPLICATES, RECORD_FORM, RECORD_MEMBERS, RECORD_NESTED,
    RECORD_OPTIONAL, RECORD_ORDER,
};
use crate::network::requirements::signing::RECORD_NUMBERS;
use crate::{Refused, Rules};

/// Members of the message, in order.
const MESSAGE: [&str; 3] = ["type", "channel", "content"];
/// Members of the content, in order; the ones in the middle are written only if present.
const CONTENT: [&str; 7] = ["address", "key", "type", "ref", "content", "hashes", "time"];

/// The canonical JSON of a message, which may hold more members in any order.
pub fn canonical(message: &str, rules: &mut dyn Rules) -> Result<String, Refused> {
    let mut outer = read(message, rules)?;
    let wrong = |name: &str| format!("{name} is missing or has another type");
    let is_text = |members: &Map<String, Value>, name: &str| members.get(name).is_some_and(Value::is_string);
    for name in ["type", "channel"] {
        rules.require(&RECORD_FORM, is_text(&outer, name), || wrong(name))?;
    }
    let mut inner = match outer.get_mut("content").map(Value::take) {
        Some(Value::Object(inner)) => inner,
        _ => rules.refuse(&RECORD_FORM, (), wrong("content"))?,
    };
    let has_content = inner.contains_key("content") || inner.get("hashes").is_some_and(Value::is_array);
    for (name, holds) in [
        ("content.address", is_text(&inner, "address")),
        ("content.content", has_content),
        ("content.time", inner.get("time").and_then(json::integer).is_some()),
    ] {
        rules.require(&RECORD_FORM, holds, || wrong(name))?;
    }
    let content = level(&mut inner, &CONTENT, rules);
    let content = rules.derive(&RECORD_OPTIONAL, content, identity);
    // Below the documented levels the writer's order is kept.
    let content = rules.derive(&RECORD_NESTED, content, identity);
    if let Some(place) = outer.get_mut("content") {
        *place = content.into();
    }
    let message = Value::Object(level(&mut outer, &MESSAGE, rules));
    let odd = json::odd_number(&message).map(ToString::to_string);
    rules.require(&RECORD_NUMBERS, odd.is_none(), || {
        format!("the number {} is written in several notations", odd.clone().unwrap_or_default())
    })?;
    Ok(rules.derive(&RECORD_COMPACT, &message, Value::to_string))
}

/// The 32-byte digest that is signed.
pub fn record_digest(canonical: &str, rules: &mut dyn Rules) -> [u8; 32] {
    keccak(canonical.as_bytes(), rules)
}

/// Signs a message's canonical JSON.
pub fn sign_record(key: &SigningKey, message: &str, rules: &mut dyn Rules) -> Result<String, Refused> {
    let digest = wrapped(&canonical(message, rules)?, rules);
    Ok(prefixed_hex(&secp256k1::sign(key, &digest).to_bytes()))
}

/// Verifies a record's signature against the sender's address.
pub fn verify_record(
    message: &str,
    signature: &str,
    sender: &str,
    rules: &mut dyn Rules,
) -> Result<Address, Refused> {
    let digest = wrapped(&canonical(message, rules)?, rules);
    recover_digest(&digest, signature, Some(sender), rules)
}

/// The digest of the personal message that holds a record's digest.
fn wrapped(canonical: &str, rules: &mut dyn Rules) -> [u8; 32] {
    let digest = record_digest(canonical, rules);
    let signed = rules.derive(&RECORD_DIGEST, digest, |digest| digest.to_vec());
    super::signature::digest(&signed, rules)
}

fn read(message: &str, rules: &mut dyn Rules) -> Result<Map<String, Value>, Refused> {
    let value = match json::parse_unique(message) {
        Ok(value) => value,
        Err(Fault::Syntax(why)) => return rules.refuse(&RECORD_FORM, (), why),
        Err(Fault::Duplicate(key)) => {
            rules.refuse(&RECORD_DUPLICATES, message, format!("the key {key:?} is duplicated"))?
        }
    };
    match value {
        Value::Object(members) => Ok(members),
        _ => rules.refuse(&RECORD_FORM, (), "the message is not an object"),
    }
}

/// Takes the members that `names` lists, in that order.
fn level(members: &mut Map<String, Value>, names: &[&str], rules: &mut dyn Rules) -> Map<String, Value> {
    // `hashes` is part of it only if there is no `content`.
    let listed = names.iter().filter(|name| members.contains_key(**name));
    let listed = listed.filter(|name| **name != "hashes" || !members.contains_key("content"));
    let order = listed.map(|name| (*name).to_owned()).collect();
    let order = rules.derive(&RECORD_ORDER, (members, order), |(_, order)| order);
    let order = rules.derive(&RECORD_MEMBERS, (members, order), |(_, order)| order);
    let take = |name: String| {
        let value = members[&name].take();
        (name, value)
    };
    order.into_iter().map(take).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::crypto::secp256k1::key_from_secret;
    use crate::crypto::text::hex;
    use crate::{Id, Strict, Without};

    const SENT: &str = r#"{"chain":"ETH","channel":"C","content":{"time":7,"content":{"b":{"d":1,"c":"é"},"a":[]},"key":"k","extra":1,"address":"0x1"},"type":"AGGREGATE","timestamp":7}"#;
    const CANONICAL: &str = r#"{"type":"AGGREGATE","channel":"C","content":{"address":"0x1","key":"k","content":{"b":{"d":1,"c":"é"},"a":[]},"time":7}}"#;

    #[test]
    fn members_are_in_documented_order_on_every_level() {
        assert_eq!(canonical(SENT, &mut Strict).as_deref(), Ok(CANONICAL));
        assert_eq!(canonical(CANONICAL, &mut Strict).as_deref(), Ok(CANONICAL));
        let amend = r#"{"type":"POST","channel":"C","content":{"ref":"r","type":"amend","address":"a","content":null,"time":1}}"#;
        assert_eq!(
            canonical(amend, &mut Strict).as_deref(),
            Ok(
                r#"{"type":"POST","channel":"C","content":{"address":"a","type":"amend","ref":"r","content":null,"time":1}}"#
            )
        );
        let forget = r#"{"type":"FORGET","channel":"C","content":{"hashes":["x"],"time":1,"address":"a"}}"#;
        assert_eq!(
            canonical(forget, &mut Strict).as_deref(),
            Ok(r#"{"type":"FORGET","channel":"C","content":{"address":"a","hashes":["x"],"time":1}}"#)
        );
    }

    #[test]
    fn each_violated_rule_changes_the_json_or_the_digest() {
        let rules: [Id; 5] =
            [&RECORD_ORDER, &RECORD_MEMBERS, &RECORD_OPTIONAL, &RECORD_NESTED, &RECORD_COMPACT];
        for rule in rules {
            let violated = canonical(SENT, &mut Without(rule)).unwrap();
            assert_ne!(violated, CANONICAL, "{rule}");
        }
        assert_ne!(wrapped(CANONICAL, &mut Without(&RECORD_DIGEST)), wrapped(CANONICAL, &mut Strict));
    }

    /// Digest by eth-utils 6.0.0 (keccak256); signature by eth-account 0.14.0 and ethers 6 over its 32 bytes.
    #[test]
    fn signature_matches_other_libraries() {
        let digest = record_digest(CANONICAL, &mut Strict);
        assert_eq!(hex(&digest), "378efe491ed37ef6ca3c090aa5f1e06bc6bb2c7630be1eb26f1aff57a65c05c0");
        let key = key_from_secret(&[1; 32]).unwrap();
        let signature = sign_record(&key, SENT, &mut Strict).unwrap();
        assert_eq!(
            signature,
            "0xcfa3d3a2f5ffdfb62662f7dac192b0d4af793f451405591e9e4dd690eb7352d07b8f0b824288c5226d1b657dc231d2ebda0827685e87e0185cab0f68941ef6a41b"
        );
        let sender = Address::from_key(&key).to_string();
        assert!(verify_record(SENT, &signature, &sender, &mut Strict).is_ok());
        assert!(verify_record(&SENT.replace("\"C\"", "\"D\""), &signature, &sender, &mut Strict).is_err());
        assert!(verify_record(&SENT.replace("\"ETH\"", "\"X\""), &signature, &sender, &mut Strict).is_ok());
    }

    #[test]
    fn each_fault_breaks_one_rule_only() {
        let cases: [(Id, String); 13] = [
            (&RECORD_FORM, String::new()),
            (&RECORD_FORM, "[]".to_owned()),
            (&RECORD_FORM, SENT.replace("\"type\"", "\"kind\"")),
            (&RECORD_FORM, SENT.replace("\"C\"", "1")),
            (&RECORD_FORM, SENT.replace("\"0x1\"", "null")),
            (&RECORD_FORM, SENT.replace("\"time\":7", "\"time\":\"7\"")),
            (&RECORD_FORM, SENT.replace("\"time\":7,", "")),
            (&RECORD_FORM, r#"{"type":"t","channel":"c","content":[]}"#.to_owned()),
            (&RECORD_FORM, SENT.replace("\"content\":{\"b\"", "\"contents\":{\"b\"")),
            (&RECORD_DUPLICATES, SENT.replace("\"d\":1", "\"c\":1")),
            (&RECORD_DUPLICATES, SENT.replace("\"chain\"", "\"type\"")),
            (&RECORD_NUMBERS, SENT.replace("\"d\":1", "\"d\":0.00001")),
            (&RECORD_NUMBERS, SENT.replace("\"d\":1", "\"d\":9007199254740992")),
        ];
        for (rule, text) in cases {
            assert_eq!(canonical(&text, &mut Strict).expect_err(&text).rule, rule, "{text}");
            assert!(canonical(&text, &mut Without(rule)).is_ok(), "{text} without {rule}");
        }
    }

    #[test]
    fn escapes_match_the_standard_serializer() {
        let text = SENT.replace("é", "\\u00e9\\/\\u001F\\b\u{7f}\\u2028\\ud83d\\ude00");
        let canonical = canonical(&text, &mut Strict).unwrap();
        assert!(canonical.contains("\"c\":\"\u{e9}/\\u001f\\b\u{7f}\u{2028}\u{1f600}\""), "{canonical}");
    }

    proptest! {
        #[test]
        fn received_order_does_not_matter_at_the_documented_levels(
            outer in Just(["type", "channel", "content", "chain"]).prop_shuffle(),
            inner in Just(["address", "key", "content", "time", "more"]).prop_shuffle(),
        ) {
            let sent: Value = serde_json::from_str(SENT).unwrap();
            let pick = |from: &Value, names: &[&str]| -> Map<String, Value> {
                names.iter().filter_map(|name| Some(((*name).to_owned(), from.get(*name)?.clone()))).collect()
            };
            let mut message = pick(&sent, &outer);
            message.insert("content".to_owned(), pick(&sent["content"], &inner).into());
            let read = canonical(&Value::from(message).to_string(), &mut Strict);
            prop_assert_eq!(read.as_deref(), Ok(CANONICAL));
        }

        #[test]
        fn arbitrary_strings_never_panic(text in "[{}\\[\\]\":,a-d0-9 ]{0,60}") {
            let _ = canonical(&text, &mut Strict);
            let _ = canonical(&text, &mut Without(&RECORD_FORM));
        }
    }
}

//! The canonical JSON of a stored record, and the signature over its digest.
//!
//! Two levels have a documented order of members: the message and its content. Below them, members keep the order in
//! which they were written. The canonical form of a FORGET is not shown; here `hashes` takes the place of `content`.

use serde_json::{Map, Value};

use super::signature::{keccak, recover_digest};
use crate::crypto::address::Address;
use crate::crypto::secp256k1::{self, SigningKey};
use crate::crypto::text::{hex, prefixed_hex};
use crate::json::{self, Fault};
use crate::network::requirements::signing::{
    RECORD_COMPACT, RECORD_DIGEST, RECORD_DUPLICATES, RECORD_FORM, RECORD_MEMBERS, RECORD_NESTED,
    RECORD_NUMBERS, RECORD_OPTIONAL, RECORD_ORDER,
};
use crate::{Refused, Rules};

/// Members of the message, in order.
const MESSAGE: [&str; 3] = ["type", "channel", "content"];
/// Members of the content, in order; the ones in the middle are written only if present.
const CONTENT: [&str; 7] = ["address", "key", "type", "ref", "content", "hashes", "time"];

/// The canonical JSON of a message, which may hold more members in any order.
pub fn canonical(message: &str, rules: &mut dyn Rules) -> Result<String, Refused> {
    let value = read(message, rules)?;
    let empty = Map::new();
    let outer = value.as_object().unwrap_or(&empty);
    let inner = outer.get("content").and_then(Value::as_object).unwrap_or(&empty);
    rules.require(&RECORD_FORM, value.is_object(), || "the message is not an object".to_owned())?;
    for (name, holds) in [
        ("type", outer.get("type").is_some_and(Value::is_string)),
        ("channel", outer.get("channel").is_some_and(Value::is_string)),
        ("content", outer.get("content").is_some_and(Value::is_object)),
        ("content.address", inner.get("address").is_some_and(Value::is_string)),
        (
            "content.content",
            inner.contains_key("content") || inner.get("hashes").is_some_and(Value::is_array),
        ),
        ("content.time", inner.get("time").and_then(json::integer).is_some()),
    ] {
        rules.require(&RECORD_FORM, holds, || format!("{name} is missing or has another type"))?;
    }
    let sort = rules.violated(&RECORD_NESTED).is_some();
    let content = level(inner, &CONTENT, rules, |name, value| match name {
        // Below the documented levels the writer's order is kept.
        "content" | "hashes" if sort => sorted(value.clone()),
        _ => value.clone(),
    });
    let message = level(outer, &MESSAGE, rules, |name, value| match name {
        "content" => Value::Object(content.clone()),
        _ => value.clone(),
    });
    let message = Value::Object(message);
    let odd = json::odd_number(&message).map(ToString::to_string);
    rules.require(&RECORD_NUMBERS, odd.is_none(), || {
        format!("the number {} is written in several notations", odd.clone().unwrap_or_default())
    })?;
    Ok(rules.effect(&RECORD_COMPACT, message.to_string(), |_, variant| match variant {
        "ascii" => escaped(&message.to_string()),
        _ => spaced(&message),
    }))
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
    let signed = rules.effect(&RECORD_DIGEST, digest.to_vec(), |digest, _| hex(&digest).into_bytes());
    super::signature::digest(&signed, rules)
}

fn read(message: &str, rules: &mut dyn Rules) -> Result<Value, Refused> {
    let read = json::parse_unique(message);
    let twice = match &read {
        Err(Fault::Duplicate(key)) => Some(key.clone()),
        _ => None,
    };
    rules.require(&RECORD_DUPLICATES, twice.is_none(), || format!("the key {twice:?} is duplicated"))?;
    match read {
        Err(Fault::Syntax(why)) => rules.parse(&RECORD_FORM, || Err(why), || Ok(Value::Null)),
        // With the rule violated, the last of the two wins, as in most readers.
        Err(Fault::Duplicate(_)) => Ok(serde_json::from_str(message).unwrap_or_default()),
        Ok(value) => Ok(value),
    }
}

/// The members that `names` lists, in that order.
fn level(
    members: &Map<String, Value>,
    names: &[&str],
    rules: &mut dyn Rules,
    value: impl Fn(&str, &Value) -> Value,
) -> Map<String, Value> {
    // `hashes` is part of it only if there is no `content`.
    let listed =
        |name: &&str| names.contains(name) && (*name != "hashes" || !members.contains_key("content"));
    let received = || members.keys().map(String::as_str);
    let mut order: Vec<&str> =
        names.iter().copied().filter(|name| members.contains_key(*name)).filter(listed).collect();
    if rules.violated(&RECORD_ORDER).is_some() {
        order = received().filter(listed).collect();
    }
    if rules.violated(&RECORD_MEMBERS).is_some() {
        order.extend(received().filter(|name| !listed(name)));
    }
    let mut level: Map<String, Value> =
        order.into_iter().map(|name| (name.to_owned(), value(name, &members[name]))).collect();
    if names.contains(&"ref") && rules.violated(&RECORD_OPTIONAL).is_some() {
        for name in ["key", "type", "ref"].into_iter().filter(|name| !members.contains_key(*name)) {
            level.insert(name.to_owned(), Value::Null);
        }
    }
    level
}

fn sorted(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<(String, Value)> =
                members.into_iter().map(|(key, value)| (key, sorted(value))).collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(members.into_iter().collect())
        }
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        other => other,
    }
}

/// A blank after every colon and comma.
fn spaced(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), spaced(value)))
                .collect();
            format!("{{{}}}", members.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(spaced).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

/// Escapes non-ASCII characters.
fn escaped(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            let mut units = [0; 2];
            let escapes: Vec<char> = if c.is_ascii() {
                vec![c]
            } else {
                c.encode_utf16(&mut units)
                    .iter()
                    .flat_map(|unit| format!("\\u{unit:04x}").chars().collect::<Vec<_>>())
                    .collect()
            };
            escapes
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::crypto::secp256k1::key_from_secret;
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
        for rule in [&RECORD_ORDER, &RECORD_MEMBERS, &RECORD_OPTIONAL, &RECORD_NESTED, &RECORD_COMPACT] {
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

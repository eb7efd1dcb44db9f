//! The request envelope of create calls (document 2, "Request envelope for creating records").

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::json;
use crate::network::limits::{MESSAGE as LARGEST, TIMESTAMP_FUTURE, TIMESTAMP_PAST};
use crate::network::message::{Draft, Message, MessageType, content_text};
use crate::network::mistakes::envelope::{
    ADDRESS, CHAIN, CHANNEL, CONTENT, SIGNATURE, SPELLING, TIMESTAMP, TYPE, TYPE_KNOWN, TYPE_OF_ENDPOINT,
};
use crate::network::mistakes::messages::CHANNEL_DEFAULT;
use crate::network::requirements::envelope::{BODY, MESSAGE, SIZE, TIMESTAMP_RANGE};
use crate::rules::{Mistake, Reading};
use crate::{Dialect, Instant, Refused, Rules, spelling};

/// A parsed envelope; its signature is not verified yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// `message` exactly as received: what a general signature covers.
    pub text: String,
    /// The chain.
    pub chain: String,
    /// The channel, with its default filled in.
    pub channel: String,
    /// The type.
    pub kind: MessageType,
    /// Seconds since the epoch.
    pub timestamp: i64,
    /// The content as compact JSON.
    pub content_text: String,
    /// The content's members.
    pub content: Map<String, Value>,
    /// The signature.
    pub signature: String,
    /// The sender's address.
    pub address: String,
}

type Members = BTreeMap<String, Box<RawValue>>;

impl Envelope {
    /// Reads the body of a create call. `expected` is the type that the endpoint requires, if any.
    pub fn parse(
        dialect: &Dialect,
        body: &[u8],
        expected: Option<MessageType>,
        now: Instant,
        rules: &mut dyn Rules,
    ) -> Result<Envelope, Refused> {
        rules.require(&SIZE, body.len() <= LARGEST.usize(), || {
            format!("the body has {} bytes, at most {LARGEST} are allowed", body.len())
        })?;
        let outer: Members = serde_json::from_slice(body)
            .map_err(|e| Refused { rule: &BODY, why: format!("the body is not a JSON object: {e}") })?;
        spelling::accept(&SPELLING, body, outer.keys(), rules)?;
        let raw = outer.get("message");
        let inner: Option<Members> = raw.and_then(|raw| serde_json::from_str(raw.get()).ok());
        let (Some(raw), Some(inner)) = (raw, inner) else {
            rules.judge(Some(MESSAGE.kind(value(raw).as_ref(), None)));
            return Err(Refused { rule: &MESSAGE, why: shown("message", raw) });
        };

        let signature = match outer.get("signature") {
            None => Some(String::new()),
            Some(_) => text(&outer, "signature"),
        };
        let signature = member(&SIGNATURE, (), "signature", &outer, signature, rules)?;
        let address = text(&outer, "address").filter(|address| !address.is_empty());
        let address = member(&ADDRESS, (), "address", &outer, address, rules)?;

        let chain = text(&inner, "chain").filter(|chain| !chain.is_empty());
        let chain = member(&CHAIN, (), "chain", &inner, chain, rules)?;
        let channel = channel(dialect, &inner, rules)?;
        let kind = kind(&inner, expected, rules)?;
        let timestamp = timestamp(&inner, now, rules)?;
        let content = inner.get("content").and_then(|raw| {
            let members: Map<String, Value> = serde_json::from_str(raw.get()).ok()?;
            Some((members, content_text(raw)))
        });
        let (content, content_text) = member(&CONTENT, (), "content", &inner, content, rules)?;
        let text = raw.get().to_owned();
        Ok(Envelope { text, chain, channel, kind, timestamp, content_text, content, signature, address })
    }

    /// The message that is stored.
    pub fn message(&self) -> Message {
        let Envelope { chain, channel, kind, timestamp, content_text, signature, address, .. } = self;
        Draft { chain, sender: address, kind: *kind, channel, timestamp: *timestamp, content: content_text }
            .signed(signature)
    }
}

/// `message` of an envelope, in the document's order, followed by the nonce if one is given.
pub fn message_text(
    chain: &str,
    channel: Option<&str>,
    kind: &str,
    timestamp: i64,
    content: &Value,
    nonce: Option<&str>,
) -> String {
    let mut message = Map::new();
    message.insert("chain".to_owned(), chain.into());
    if let Some(channel) = channel {
        message.insert("channel".to_owned(), channel.into());
    }
    message.insert("type".to_owned(), kind.into());
    message.insert("timestamp".to_owned(), timestamp.into());
    message.insert("content".to_owned(), content.clone());
    if let Some(nonce) = nonce {
        message.insert("nonce".to_owned(), nonce.into());
    }
    Value::Object(message).to_string()
}

/// The body of a create call: `message` byte for byte as given, its signature, the address.
pub fn body(message: &str, signature: &str, address: &str) -> String {
    let [signature, address] = [signature, address].map(Value::from);
    format!(r#"{{"message":{message},"signature":{signature},"address":{address}}}"#)
}

fn channel(dialect: &Dialect, inner: &Members, rules: &mut dyn Rules) -> Result<String, Refused> {
    if !inner.contains_key("channel") {
        return Ok(rules.derive(&CHANNEL_DEFAULT, dialect, |dialect| dialect.channel.clone()));
    }
    member(&CHANNEL, dialect, "channel", inner, text(inner, "channel"), rules)
}

fn kind(
    inner: &Members,
    expected: Option<MessageType>,
    rules: &mut dyn Rules,
) -> Result<MessageType, Refused> {
    let sent = member(&TYPE, expected, "type", inner, text(inner, "type"), rules)?;
    let kind = rules.read(&TYPE_KNOWN, (&*sent, expected), |(sent, _)| {
        MessageType::named(sent).ok_or_else(|| format!("type is {sent:?}, not a documented type"))
    })?;
    match expected {
        Some(expected) if kind != expected => {
            let why = format!("type is {sent}, the endpoint accepts only {}", expected.name());
            rules.refuse(&TYPE_OF_ENDPOINT, expected, why)
        }
        _ => Ok(kind),
    }
}

fn timestamp(inner: &Members, now: Instant, rules: &mut dyn Rules) -> Result<i64, Refused> {
    let sent: Option<i64> = inner
        .get("timestamp")
        .and_then(|raw| serde_json::from_str(raw.get()).ok())
        .and_then(|value| json::integer(&value));
    let sent = member(&TIMESTAMP, now, "timestamp", inner, sent, rules)?;
    let (earliest, latest) =
        ((now - TIMESTAMP_PAST.value).seconds(), (now + TIMESTAMP_FUTURE.value).seconds());
    rules.require(&TIMESTAMP_RANGE, (earliest..=latest).contains(&sent), || {
        format!("timestamp is {sent}, the server's clock is {}", now.seconds())
    })?;
    Ok(sent)
}

/// Reads a member as its rule says. `read` is what was found in it, `input` what a mistake looks at.
fn member<I: Copy, T>(
    rule: &Mistake<Reading<I, T>>,
    input: I,
    name: &str,
    members: &Members,
    read: Option<T>,
    rules: &mut dyn Rules,
) -> Result<T, Refused> {
    let raw = members.get(name);
    // A value is parsed only to name what is wrong with it.
    rules.read_value(rule, input, || (value(raw), None), |_| read.ok_or_else(|| shown(name, raw)))
}

fn value(raw: Option<&impl AsRef<RawValue>>) -> Option<Value> {
    serde_json::from_str(raw?.as_ref().get()).ok()
}

fn text(members: &Members, name: &str) -> Option<String> {
    serde_json::from_str(members.get(name)?.get()).ok()
}

fn shown(name: &str, raw: Option<&impl AsRef<RawValue>>) -> String {
    let Some(raw) = raw else { return format!("{name} is missing") };
    let start: String = raw.as_ref().get().chars().take(60).collect();
    format!("{name} is {start}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::{Id, Strict, Without};

    const NOW: Instant = Instant(1_767_323_045_678);

    fn good() -> Value {
        json!({
            "message": {
                "chain": "ETH", "channel": "C", "type": "POST", "timestamp": NOW.seconds(), "content": {"b": 1, "a": 2},
            },
            "signature": "0x00",
            "address": "0x01",
        })
    }

    fn parse(body: &Value, rules: &mut dyn Rules) -> Result<Envelope, Refused> {
        Envelope::parse(&Dialect::default(), body.to_string().as_bytes(), None, NOW, rules)
    }

    fn with(path: &str, value: Option<Value>) -> Value {
        let mut body = good();
        let (parent, name) = path.rsplit_once('/').unwrap();
        let parent = body.pointer_mut(parent).unwrap().as_object_mut().unwrap();
        match value {
            Some(value) => drop(parent.insert(name.to_owned(), value)),
            None => drop(parent.shift_remove(name)),
        }
        body
    }

    #[test]
    fn valid_envelope_is_read_as_sent() {
        let text = br#" {"message": { "chain":"ETH","type":"POST", "timestamp":1767323045,"content":{ "b": 1.50,"a":[ ] },"nonce":"n"},"signature":"0x00","address":"0x01","more":1}"#;
        let envelope = Envelope::parse(&Dialect::default(), text, None, NOW, &mut Strict).unwrap();
        assert_eq!(envelope.channel, "SVC");
        assert_eq!(envelope.content_text, r#"{"b":1.50,"a":[]}"#);
        assert!(envelope.text.starts_with("{ \"chain\"") && envelope.text.ends_with("\"n\"}"));
        assert_eq!(*envelope.message().sender, *"0x01");
    }

    #[test]
    fn each_invalid_member_breaks_its_own_rule() {
        let number = || Some(json!(1));
        let cases: Vec<(Id, &str, Vec<Option<Value>>)> = vec![
            (
                &MESSAGE,
                "/message",
                vec![None, number(), Some(json!([])), Some(Value::Null), Some(json!("{}"))],
            ),
            (&SIGNATURE, "/signature", vec![number(), Some(Value::Null), Some(json!({}))]),
            (&ADDRESS, "/address", vec![None, number(), Some(json!("")), Some(json!(["0x01"]))]),
            (&CHAIN, "/message/chain", vec![None, number(), Some(json!(""))]),
            (&CHANNEL, "/message/channel", vec![number(), Some(Value::Null)]),
            (&TYPE, "/message/type", vec![None, number()]),
            (&TYPE_KNOWN, "/message/type", vec![Some(json!("post")), Some(json!(""))]),
            (
                &TIMESTAMP,
                "/message/timestamp",
                vec![None, Some(json!("1")), Some(json!(1.5)), Some(json!(1e300)), Some(json!(u64::MAX))],
            ),
            (
                &TIMESTAMP_RANGE,
                "/message/timestamp",
                vec![Some(json!(-1)), Some(json!(NOW.0)), Some(json!(i64::MIN)), Some(json!(i64::MAX))],
            ),
            (&CONTENT, "/message/content", vec![None, number(), Some(json!([])), Some(json!("{}"))]),
        ];
        for (rule, path, values) in cases {
            for value in values {
                let body = with(path, value);
                assert_eq!(parse(&body, &mut Strict).expect_err(path).rule, rule, "{body}");
                // Without a message there is nothing to read.
                let is_read = rule != &MESSAGE;
                assert_eq!(parse(&body, &mut Without(rule)).is_ok(), is_read, "{body} without {rule}");
            }
        }
        assert_eq!(parse(&with("/signature", None), &mut Strict).unwrap().signature, "");
    }

    #[test]
    fn bodies_that_are_not_objects_are_rejected() {
        let deep = "{\"message\":".repeat(1000);
        for body in ["", "x", "[]", "1", "null", "{\"message\":{}", &deep, "\u{feff}{}"] {
            let parsed = Envelope::parse(&Dialect::default(), body.as_bytes(), None, NOW, &mut Strict);
            assert_eq!(parsed.expect_err("not an object").rule, &BODY, "{body:.20}");
        }
        let big = vec![b' '; LARGEST.usize() + 1];
        let parsed = Envelope::parse(&Dialect::default(), &big, None, NOW, &mut Strict);
        assert_eq!(parsed.unwrap_err().rule, &SIZE);
    }

    #[test]
    fn endpoint_accepts_only_its_own_type() {
        let body = good().to_string();
        let of = |expected, rules: &mut dyn FnMut() -> Option<Id>| {
            let dialect = Dialect::default();
            match rules() {
                Some(rule) => {
                    Envelope::parse(&dialect, body.as_bytes(), Some(expected), NOW, &mut Without(rule))
                }
                None => Envelope::parse(&dialect, body.as_bytes(), Some(expected), NOW, &mut Strict),
            }
        };
        assert!(of(MessageType::Post, &mut || None).is_ok());
        assert_eq!(of(MessageType::Program, &mut || None).unwrap_err().rule, TYPE_OF_ENDPOINT.rule);
        let lax = of(MessageType::Program, &mut || Some(&TYPE_OF_ENDPOINT)).unwrap();
        assert_eq!(lax.kind, MessageType::Program);
    }

    #[test]
    fn written_body_is_read_back() {
        let content = json!({"z": "\u{e9}\"", "a": 1});
        let message = message_text("ETH", Some("C"), "POST", NOW.seconds(), &content, Some("n1"));
        let read = Envelope::parse(
            &Dialect::default(),
            body(&message, "0x5", "0x1").as_bytes(),
            None,
            NOW,
            &mut Strict,
        );
        let read = read.unwrap();
        assert_eq!((read.text.as_str(), read.content_text), (message.as_str(), content.to_string()));
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Envelope::parse(&Dialect::default(), &bytes, None, NOW, &mut Strict);
        }

        #[test]
        fn mutated_bodies_never_panic(at in 0..200_usize, byte in any::<u8>()) {
            let mut body = good().to_string().into_bytes();
            let at = at % body.len();
            body[at] = byte;
            let _ = Envelope::parse(&Dialect::default(), &body, None, NOW, &mut Strict);
            let _ = Envelope::parse(&Dialect::default(), &body, None, NOW, &mut Without(&ADDRESS));
        }
    }
}

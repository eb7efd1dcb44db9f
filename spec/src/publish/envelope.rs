//! The request envelope in the `Authorization` header (document 3, "Request envelope" and "Exchange").

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use ed25519_dalek::SigningKey;
use serde_json::{Value, json};

use crate::crypto::ed25519;
use crate::crypto::text::{base64url, parse_base64url, sha256_hex};
use crate::publish::limits::{ENVELOPE_FUTURE, ENVELOPE_PAST};
use crate::publish::mistakes::envelope::{
    BASE64URL, DOMAIN_AS_SENT, EMPTY_BODY, KEY_ORDER_FREE, MEMBER, NO_BINDING, NO_HEADER, NO_TRANSFER,
    PREFIX, QUERY_NOT_SIGNED, SCHEME, SIGNATURE_LENGTH, SIX_KEYS, TIME_FORM, TWO_PARTS,
};
use crate::publish::requirements::envelope::{BODY_HASH, METHOD, PATH, SIGNATURE, TIME_WINDOW, VERSION};
use crate::publish::{domain, values};
use crate::{Dialect, Id, Instant, Refused, Rules, Strict};

/// The six keys, in the document's order.
pub const KEYS: [&str; 6] = ["v", "m", "p", "d", "t", "h"];

/// How far `t` may be from the server's clock.
pub const SKEW_MS: RangeInclusive<i64> = -ENVELOPE_PAST.value..=ENVELOPE_FUTURE.value;

/// What a client signs for one request.
#[derive(Clone, Copy, Debug)]
pub struct Claims<'a> {
    /// The HTTP method.
    pub method: &'a str,
    /// The path exactly as sent, without query.
    pub path: &'a str,
    /// The domain acted on.
    pub domain: &'a str,
    /// The client's current time.
    pub time: Instant,
    /// The exact body bytes.
    pub body: &'a [u8],
}

/// The header value for `claims`, keys in the document's order.
pub fn sign(dialect: &Dialect, key: &SigningKey, claims: &Claims<'_>) -> String {
    let message = message(dialect, claims);
    seal(dialect, message.as_bytes(), &ed25519::sign(key, message.as_bytes()))
}

/// The envelope message for `claims`: the prefix and compact JSON.
pub fn message(dialect: &Dialect, claims: &Claims<'_>) -> String {
    let json = serde_json::json!({
        "v": 1,
        "m": claims.method,
        "p": claims.path,
        "d": claims.domain,
        "t": claims.time.to_string(),
        "h": sha256_hex(claims.body),
    });
    format!("{}{json}", dialect.auth_prefix)
}

/// The header value for a message and its signature.
pub fn seal(dialect: &Dialect, message: &[u8], signature: &[u8]) -> String {
    format!("{} {}.{}", dialect.auth_scheme, base64url(message), base64url(signature))
}

/// A parsed header: the signed bytes, the signature over them, and the claims.
#[derive(Clone, Debug)]
pub struct Envelope {
    /// The bytes that were signed.
    pub message: Vec<u8>,
    /// The signature, not verified yet.
    pub signature: [u8; 64],
    claims: Members,
}

impl Envelope {
    /// Parses a header value (server rule 1, without the signature).
    pub fn parse(dialect: &Dialect, header: &str, rules: &mut dyn Rules) -> Result<Envelope, Refused> {
        let encoded = rules.read_value(
            &SCHEME,
            header,
            || values::header(dialect, header),
            |header| {
                header
                    .strip_prefix(dialect.auth_scheme.as_str())
                    .and_then(|rest| rest.strip_prefix(' '))
                    .filter(|rest| !rest.contains(char::is_whitespace))
                    .ok_or_else(|| "the header is not the scheme, one space and the envelope".to_owned())
            },
        )?;
        let sent = |text: &str| (Some(json!(text)), None);
        let [message, signature] = rules.read_value(&TWO_PARTS, encoded, || sent(encoded), two_parts)?;
        let [message, signature] = [message, signature].map(|part| {
            rules.read_value(
                &BASE64URL,
                part,
                || sent(part),
                |part| parse_base64url(part).ok_or_else(|| "not unpadded base64url".to_owned()),
            )
        });
        let (message, signature) = (message?, signature?);
        let signature = rules.read(&SIGNATURE_LENGTH, signature.as_slice(), |signature| {
            signature.try_into().map_err(|_| format!("a signature of {} bytes", signature.len()))
        })?;
        let claims = parse_message(dialect, &message, rules)?;
        Ok(Envelope { message, signature, claims })
    }

    /// Compares `m` and `p` with the request (server rule 2). `target` is the request target as sent.
    pub fn check_request(&self, method: &str, target: &str, rules: &mut dyn Rules) -> Result<(), Refused> {
        self.require(&METHOD, "m", method, rules)?;
        let (path, query) = target.split_at(target.find('?').unwrap_or(target.len()));
        if !query.is_empty() {
            rules.accept_value(&QUERY_NOT_SIGNED, &json!(query), None)?;
        }
        let expected = rules.derive(&QUERY_NOT_SIGNED, target, |_| path);
        self.require(&PATH, "p", expected, rules)
    }

    /// `t` as sent, if it is a string.
    pub fn time(&self) -> Option<&str> {
        self.claims.get("t")?.as_str()
    }

    /// Compares `t` with the server's clock (server rule 3). `skew_ms` is how far `t` may be from it: [`SKEW_MS`].
    pub fn check_time(
        &self,
        now: Instant,
        skew_ms: &RangeInclusive<i64>,
        rules: &mut dyn Rules,
    ) -> Result<(), Refused> {
        let sent = self.claims.member("t", &|| json!(now.to_string()), rules)?;
        let time = rules.read_value(
            &TIME_FORM,
            (&sent, now),
            || (Some(sent.as_ref().clone()), Some(json!(now.to_string()))),
            |(sent, _)| sent.as_str().and_then(Instant::parse_iso).ok_or_else(|| format!("t is {sent}")),
        )?;
        let skew = time - now;
        rules.require(&TIME_WINDOW, skew_ms.contains(&skew), || {
            format!("t is {skew} ms from the server's clock")
        })
    }

    /// Compares `h` with the body as received (server rule 4).
    pub fn check_body(&self, body: &[u8], rules: &mut dyn Rules) -> Result<(), Refused> {
        rules.accept(&EMPTY_BODY, body)?;
        self.require(&BODY_HASH, "h", &sha256_hex(body), rules)
    }

    /// The domain acted on, canonical as sent (server rule 5).
    pub fn domain(&self, rules: &mut dyn Rules) -> Result<String, Refused> {
        let sent = self.claims.get("d").unwrap_or(&Value::Null);
        rules.read_value(
            &DOMAIN_AS_SENT,
            sent,
            || (Some(sent.clone()), None),
            |sent| {
                let canonical = sent.as_str().filter(|text| domain::is_canonical(text));
                canonical.map(str::to_owned).ok_or_else(|| format!("d is {sent}"))
            },
        )
    }

    /// Verifies the signature over the message as sent with `key` (base58; server rules 1 and 6).
    pub fn check_signature(&self, key: &str, rules: &mut dyn Rules) -> Result<(), Refused> {
        rules.require(&SIGNATURE, self.signed_by(key), || format!("not signed by {key}"))
    }

    /// Whether `key` (base58) signed the message as sent.
    pub fn signed_by(&self, key: &str) -> bool {
        ed25519::parse_address(key).is_some_and(|key| ed25519::verifies(&key, &self.message, &self.signature))
    }

    /// Requires a member to be this string.
    fn require(&self, rule: Id, key: &str, expected: &str, rules: &mut dyn Rules) -> Result<(), Refused> {
        let sent = self.claims.member(key, &|| json!(expected), rules)?;
        rules.require_text(rule, Some(&sent), expected, *sent == *expected, || {
            format!("{key} is {sent}, not {expected:?}")
        })
    }
}

fn two_parts(encoded: &str) -> Result<[&str; 2], String> {
    match encoded.split_once('.') {
        Some((message, signature)) if !signature.contains('.') => Ok([message, signature]),
        _ => Err(format!("{} parts", encoded.split('.').count())),
    }
}

fn parse_message(dialect: &Dialect, message: &[u8], rules: &mut dyn Rules) -> Result<Members, Refused> {
    let json: Cow<'_, str> = rules.read_value(
        &PREFIX,
        message,
        || values::prefix(dialect, message),
        |message| {
            let text = std::str::from_utf8(message).map_err(|_| "the message is not UTF-8")?;
            let json = text.strip_prefix(dialect.auth_prefix.as_str()).ok_or("the prefix is wrong")?;
            Ok(json.into())
        },
    )?;
    let claims = rules.read_value(&SIX_KEYS, &*json, || values::form(&json), parse_claims)?;
    // The six keys in the document's order are the ordinary case, in which there is nothing to compare.
    if claims.names().eq(KEYS) {
        rules.require(&SIX_KEYS, true, String::new)?;
    } else {
        let order: Vec<&str> = claims.names().collect();
        let (sent, names) = (json!(order), json!(KEYS));
        let is_known = |name: &&str| KEYS.contains(name);
        let is_whole = KEYS.iter().all(|key| order.contains(key)) && order.iter().all(is_known);
        rules.require_value(&SIX_KEYS, Some(&sent), Some(&names), is_whole, || {
            format!("the keys are {order:?}")
        })?;
        rules.accept_value(&KEY_ORDER_FREE, &sent, Some(&names))?;
    }
    rules.accept(&KEY_ORDER_FREE, &claims)?;
    let version = claims.member("v", &|| json!(1), rules)?;
    let is_one = version.as_f64().is_some_and(|v| v.to_bits() == 1f64.to_bits());
    rules.require_value(&VERSION, Some(&version), Some(&json!(1)), is_one, || format!("v is {version}"))?;
    Ok(claims)
}

/// The members of a message in their order, each once. A known key is not copied.
#[derive(Clone, Debug, Default)]
pub struct Members(pub(super) Vec<(Cow<'static, str>, Value)>);

impl Members {
    fn get(&self, key: &str) -> Option<&Value> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The value of one of the six keys. `right` makes the value that the server compares it with.
    fn member(
        &self,
        key: &str,
        right: &dyn Fn() -> Value,
        rules: &mut dyn Rules,
    ) -> Result<Cow<'_, Value>, Refused> {
        rules.read_value(
            &MEMBER,
            right,
            || (Some(json!(self.names().collect::<Vec<_>>())), Some(json!(KEYS))),
            |_| self.get(key).map(Cow::Borrowed).ok_or_else(|| format!("{key} is missing")),
        )
    }

    /// The names, in their order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_ref())
    }
}

/// The members of a JSON object. A duplicate key is an error.
fn parse_claims(json: &str) -> Result<Members, String> {
    struct Key(Cow<'static, str>);

    impl<'de> serde::Deserialize<'de> for Key {
        fn deserialize<D: serde::Deserializer<'de>>(reader: D) -> Result<Key, D::Error> {
            reader.deserialize_str(KeyVisitor)
        }
    }

    struct KeyVisitor;

    impl serde::de::Visitor<'_> for KeyVisitor {
        type Value = Key;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a key")
        }

        fn visit_str<E>(self, name: &str) -> Result<Key, E> {
            let known = KEYS.into_iter().find(|known| *known == name);
            Ok(Key(known.map_or_else(|| name.to_owned().into(), Cow::Borrowed)))
        }
    }

    struct MembersVisitor;

    impl<'de> serde::de::Visitor<'de> for MembersVisitor {
        type Value = Members;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a JSON object without duplicate keys")
        }

        fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
            let (mut members, mut known, mut others) = (Vec::with_capacity(KEYS.len()), 0u8, BTreeSet::new());
            while let Some((Key(name), value)) = map.next_entry()? {
                let is_new = match KEYS.iter().position(|key| *key == name) {
                    Some(at) => {
                        let before = known;
                        known |= 1 << at;
                        known != before
                    }
                    None => others.insert(name.clone()),
                };
                if !is_new {
                    return Err(serde::de::Error::custom("duplicate key"));
                }
                members.push((name, value));
            }
            Ok(Members(members))
        }
    }

    let mut reader = serde_json::Deserializer::from_str(json);
    let members =
        serde::Deserializer::deserialize_map(&mut reader, MembersVisitor).map_err(|e| e.to_string())?;
    reader.end().map_err(|e| e.to_string())?;
    Ok(members)
}

/// A domain's binding, as far as the server rules need it.
#[derive(Clone, Debug, serde::Deserialize)]
pub struct Binding {
    /// The domain.
    pub domain: String,
    /// The bound key, base58.
    pub key: String,
    /// The incoming key of a pending transfer, base58.
    pub incoming_key: Option<String>,
}

/// An accepted header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admitted {
    /// The domain acted on.
    pub domain: String,
    /// The key that signed, base58.
    pub key: String,
    /// The key is the old key of a pending transfer: authenticated, but rejected as frozen.
    pub frozen: bool,
}

/// A request, as far as the server rules look at it.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The `Authorization` header's value.
    pub authorization: Option<&'a str>,
    /// The method.
    pub method: &'a str,
    /// The target as sent.
    pub target: &'a str,
    /// The body as received.
    pub body: &'a [u8],
    /// The body's `op`, if it can be read.
    pub op: Option<&'a str>,
}

/// Server rules 1 to 6, in order.
pub fn verify(
    dialect: &Dialect,
    request: &Request<'_>,
    now: Instant,
    bindings: &[Binding],
    rules: &mut dyn Rules,
) -> Result<Admitted, Refused> {
    let Some(header) = request.authorization else {
        return rules.refuse(&NO_HEADER, (), "the Authorization header is missing");
    };
    let envelope = Envelope::parse(dialect, header, rules)?;
    envelope.check_request(request.method, request.target, rules)?;
    envelope.check_time(now, &SKEW_MS, rules)?;
    envelope.check_body(request.body, rules)?;
    let domain = envelope.domain(rules)?;
    let Some(binding) = bindings.iter().find(|binding| binding.domain == domain) else {
        return rules.refuse(&NO_BINDING, domain.as_str(), format!("{domain} is not bound"));
    };
    let (key, frozen) = match &binding.incoming_key {
        Some(key) if request.op == Some("accept") => (key.as_str(), false),
        None if request.op == Some("accept") => {
            (rules.refuse(&NO_TRANSFER, binding, "no transfer is pending")?, false)
        }
        pending => (binding.key.as_str(), pending.is_some()),
    };
    envelope.check_signature(key, rules)?;
    Ok(Admitted { domain, key: key.to_owned(), frozen })
}

/// [`verify`] with every rule enforced.
pub fn verify_strict(
    dialect: &Dialect,
    request: &Request<'_>,
    now: Instant,
    bindings: &[Binding],
) -> Result<Admitted, Refused> {
    verify(dialect, request, now, bindings, &mut Strict)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: Instant = Instant(1_700_000_000_000);
    const PATH_SENT: &str = "/api/vf-cli/publish/prepare";

    fn judge(header: &str, body: &[u8], now: Instant) -> Result<Admitted, Refused> {
        let key = ed25519::address(&ed25519::key_from_seed([7; 32]));
        let bindings = [Binding { domain: "a.example".into(), key, incoming_key: None }];
        let request =
            Request { authorization: Some(header), method: "POST", target: PATH_SENT, body, op: None };
        verify_strict(&Dialect::default(), &request, now, &bindings)
    }

    fn header(body: &[u8]) -> String {
        let claims = Claims { method: "POST", path: PATH_SENT, domain: "a.example", time: NOW, body };
        sign(&Dialect::default(), &ed25519::key_from_seed([7; 32]), &claims)
    }

    #[test]
    fn time_window_is_exact_on_both_sides() {
        let header = header(b"{}");
        for skew in [-600_000, 0, 600_000] {
            assert!(judge(&header, b"{}", NOW + skew).is_ok(), "{skew}");
        }
        for skew in [-600_001, 600_001] {
            assert_eq!(judge(&header, b"{}", NOW + skew).expect_err("too far").rule, &TIME_WINDOW);
        }
    }

    #[test]
    fn duplicate_keys_are_rejected_and_1_0_is_accepted_as_1() {
        let sign_text = |json: &str| {
            let message = format!("svc-vf:1:auth:{json}");
            let signature = ed25519::sign(&ed25519::key_from_seed([7; 32]), message.as_bytes());
            seal(&Dialect::default(), message.as_bytes(), &signature)
        };
        let hash = sha256_hex(b"");
        let json = |v: &str, more: &str| {
            format!(
                r#"{{"v":{v},"m":"POST","p":"{PATH_SENT}","d":"a.example","t":"{NOW}","h":"{hash}"{more}}}"#
            )
        };
        assert!(judge(&sign_text(&json("1", "")), b"", NOW).is_ok());
        assert!(judge(&sign_text(&json("1.0", "")), b"", NOW).is_ok());
        for (v, more) in [("1", r#","v":1"#), ("\"1\"", ""), ("2", ""), ("true", ""), ("1", r#","x":1"#)] {
            assert!(judge(&sign_text(&json(v, more)), b"", NOW).is_err(), "{v} {more}");
        }
    }

    proptest! {
        #[test]
        fn signed_requests_are_accepted(body in proptest::collection::vec(any::<u8>(), 0..200)) {
            let admitted = judge(&header(&body), &body, NOW).expect("signed for this body");
            prop_assert_eq!(admitted.domain, "a.example");
        }

        #[test]
        fn any_changed_header_byte_is_rejected(at in any::<prop::sample::Index>(), to in 0x21u8..0x7f) {
            let good = header(b"{}");
            let mut bytes = good.clone().into_bytes();
            let at = at.index(bytes.len());
            prop_assume!(bytes[at] != to);
            bytes[at] = to;
            let changed = String::from_utf8(bytes).expect("ASCII");
            prop_assert!(judge(&changed, b"{}", NOW).is_err(), "{}", changed);
        }

        #[test]
        fn any_changed_body_byte_is_rejected(
            body in proptest::collection::vec(any::<u8>(), 1..200),
            at in any::<prop::sample::Index>(),
            flip in 1u8..,
        ) {
            let good = header(&body);
            let mut body = body;
            let at = at.index(body.len());
            body[at] ^= flip;
            prop_assert_eq!(judge(&good, &body, NOW).expect_err("changed").rule, &BODY_HASH);
        }

        #[test]
        fn no_header_panics(text in "\\PC*") {
            let _ = judge(&text, b"", NOW);
            let _ = judge(&format!("VfKey {text}"), b"", NOW);
        }
    }
}

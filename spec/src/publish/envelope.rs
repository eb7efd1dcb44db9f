//! The request envelope in the `Authorization` header (document 3, "Request envelope" and "Exchange").

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use ed25519_dalek::SigningKey;
use serde_json::{Value, json};

use crate::crypto::ed25519;
use crate::crypto::text::{base64url, parse_base64url, sha256_hex};
use crate::json::shown;
use crate::publish::domain;
use crate::publish::limits::{ENVELOPE_FUTURE, ENVELOPE_PAST};
use crate::publish::requirements::envelope::{
    BASE64URL, BODY_HASH, DOMAIN_AS_SENT, EMPTY_BODY, KEY_ORDER_FREE, METHOD, PATH, PREFIX, QUERY_NOT_SIGNED,
    SCHEME, SIGNATURE, SIGNATURE_LENGTH, SIX_KEYS, TIME_FORM, TIME_WINDOW, TWO_PARTS, VERSION,
};
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
        let encoded = rules.parse_lazily(
            &SCHEME,
            || {
                let word = header_word(header).unwrap_or_default();
                (json!(header), Some(json!(format!("{} {word}", dialect.auth_scheme))))
            },
            || {
                header
                    .strip_prefix(dialect.auth_scheme.as_str())
                    .and_then(|rest| rest.strip_prefix(' '))
                    .filter(|rest| !rest.contains(char::is_whitespace))
                    .ok_or_else(|| "the header is not the scheme, one space and the envelope".to_owned())
            },
            || header_word(header).ok_or_else(|| "the envelope is missing".to_owned()),
        )?;
        let [message, signature] = rules.parse_lazily(
            &TWO_PARTS,
            || (json!(encoded), None),
            || two_parts(encoded),
            || any_parts(encoded),
        )?;
        let [message, signature] = [message, signature].map(|part| {
            rules.parse_lazily(
                &BASE64URL,
                || (json!(part), None),
                || parse_base64url(part).ok_or_else(|| "not unpadded base64url".to_owned()),
                || parse_any_base64(part).ok_or_else(|| "not base64".to_owned()),
            )
        });
        let (message, signature) = (message?, signature?);
        let length = signature.len();
        let signature = rules.parse(
            &SIGNATURE_LENGTH,
            || signature.as_slice().try_into().map_err(|_| format!("a signature of {length} bytes")),
            || Ok(std::array::from_fn(|n| signature.get(n).copied().unwrap_or_default())),
        )?;
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
        let expected = rules.interpret(&QUERY_NOT_SIGNED, path, || target);
        self.require(&PATH, "p", expected, rules)
    }

    /// `t` as sent, if it is a string.
    pub fn time(&self) -> Option<&str> {
        self.text("t")
    }

    /// Compares `t` with the server's clock (server rule 3). `skew_ms` is how far `t` may be from it: [`SKEW_MS`].
    pub fn check_time(
        &self,
        now: Instant,
        skew_ms: &RangeInclusive<i64>,
        rules: &mut dyn Rules,
    ) -> Result<(), Refused> {
        let sent = self.claims.get("t");
        let time = rules.parse_lazily(
            &TIME_FORM,
            || (sent.cloned().unwrap_or_default(), Some(json!(now.to_string()))),
            || self.text("t").and_then(Instant::parse_iso).ok_or_else(|| format!("t is {}", shown(sent))),
            || Ok(self.text("t").and_then(Instant::parse_iso).unwrap_or(now)),
        );
        // A missing `t` gets here only if the rule of the six keys is violated.
        let time = if sent.is_some() { time? } else { now };
        let skew = time - now;
        rules.require(&TIME_WINDOW, skew_ms.contains(&skew), || {
            format!("t is {skew} ms from the server's clock")
        })
    }

    /// Compares `h` with the body as received (server rule 4).
    pub fn check_body(&self, body: &[u8], rules: &mut dyn Rules) -> Result<(), Refused> {
        let actual = sha256_hex(body);
        rules.forbid(&EMPTY_BODY, !body.is_empty(), || "the body is empty".to_owned())?;
        self.require(&BODY_HASH, "h", &actual, rules)
    }

    /// The domain acted on, canonical as sent (server rule 5).
    pub fn domain(&self, rules: &mut dyn Rules) -> Result<String, Refused> {
        let sent = self.claims.get("d").unwrap_or(&Value::Null);
        rules.parse_lazily(
            &DOMAIN_AS_SENT,
            || (sent.clone(), None),
            || {
                let canonical = sent.as_str().filter(|text| domain::is_canonical(text));
                canonical.map(str::to_owned).ok_or_else(|| format!("d is {sent}"))
            },
            || Ok(any_domain(sent)),
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
        let sent = self.claims.get(key);
        rules.require_text(rule, sent, expected, self.says(key, expected), || {
            format!("{key} is {}, not {expected:?}", shown(sent))
        })
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.claims.get(key)?.as_str()
    }

    /// Whether a claim has this string value. A missing claim gets here only if the rule of the six keys is violated;
    /// then there is nothing to compare.
    fn says(&self, key: &str, text: &str) -> bool {
        self.claims.get(key).is_none_or(|claim| claim.as_str() == Some(text))
    }
}

/// The part of a header that looks like an envelope, whatever is before it.
fn header_word(header: &str) -> Option<&str> {
    let mut words = header.split(|c: char| c.is_whitespace() || ":,=;".contains(c));
    words.clone().find(|word| word.contains('.')).or_else(|| words.next_back())
}

fn two_parts(encoded: &str) -> Result<[&str; 2], String> {
    match encoded.split_once('.') {
        Some((message, signature)) if !signature.contains('.') => Ok([message, signature]),
        _ => Err(format!("{} parts", encoded.split('.').count())),
    }
}

/// Lenient: ignores parts after the second. Without a dot, the last 86 characters are the signature.
fn any_parts(encoded: &str) -> Result<[&str; 2], String> {
    let mut parts = encoded.split(['.', ':']);
    let first = parts.next().unwrap_or_default();
    match parts.next() {
        Some(second) => Ok([first, second]),
        None => first
            .split_at_checked(first.len().saturating_sub(86))
            .map(|(message, signature)| [message, signature])
            .ok_or_else(|| "only one part".to_owned()),
    }
}

fn parse_message(dialect: &Dialect, message: &[u8], rules: &mut dyn Rules) -> Result<Members, Refused> {
    let json: Cow<'_, str> = rules.parse_lazily(
        &PREFIX,
        || {
            let before = message.iter().position(|byte| b"{[".contains(byte)).unwrap_or_default();
            (json!(String::from_utf8_lossy(&message[..before])), Some(json!(dialect.auth_prefix)))
        },
        || {
            let text = std::str::from_utf8(message).map_err(|_| "the message is not UTF-8")?;
            let json = text.strip_prefix(dialect.auth_prefix.as_str()).ok_or("the prefix is wrong")?;
            Ok(json.into())
        },
        || {
            let text = String::from_utf8_lossy(message).into_owned();
            let at = text.find(['{', '[']).ok_or("no JSON object")?;
            Ok(text[at..].to_owned().into())
        },
    )?;
    let claims = rules.parse_lazily(
        &SIX_KEYS,
        || {
            let form = if json.starts_with('[') { "array" } else { "object" };
            (json!(form), Some(json!(KEYS)))
        },
        || parse_claims(&json),
        || parse_any_claims(&json),
    )?;
    // The six keys in the document's order are the ordinary case, in which there is nothing to compare.
    if claims.names().eq(KEYS) {
        rules.require(&SIX_KEYS, true, String::new)?;
    } else {
        let order: Vec<&str> = claims.names().collect();
        let (sent, names) = (json!(order), json!(KEYS));
        let is_whole = KEYS.iter().all(|key| order.contains(key)) && order.iter().all(is_known);
        rules.require_value(&SIX_KEYS, Some(&sent), Some(&names), is_whole, || {
            format!("the keys are {order:?}")
        })?;
        rules.accept_value(&KEY_ORDER_FREE, &sent, Some(&names))?;
    }
    let ordered = claims.names().filter(is_known).eq(KEYS);
    rules.forbid(&KEY_ORDER_FREE, ordered, || "the keys are in another order".to_owned())?;
    let version = claims.get("v");
    let one = version.is_none_or(|v| v.as_f64().is_some_and(|v| v.to_bits() == 1f64.to_bits()));
    rules.require_value(&VERSION, version, Some(&json!(1)), one, || format!("v is {}", shown(version)))?;
    Ok(claims)
}

fn is_known(name: &&str) -> bool {
    KEYS.contains(name)
}

/// The members of a message in their order, each once. A known key is not copied.
#[derive(Clone, Debug, Default)]
struct Members(Vec<(Cow<'static, str>, Value)>);

impl Members {
    fn get(&self, key: &str) -> Option<&Value> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    fn names(&self) -> impl Iterator<Item = &str> {
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

/// Lenient: finds the domain in a URL, a list or another spelling.
fn any_domain(sent: &Value) -> String {
    let text = sent.get(0).unwrap_or(sent).as_str().unwrap_or_default();
    let text: String = text.chars().map(narrow).collect();
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0').trim_start_matches("https://");
    let text = text.rsplit('@').next().unwrap_or_default();
    let host = text.split([':', '/']).next().unwrap_or_default();
    host.trim_matches('.').replace("..", ".").to_ascii_lowercase()
}

/// The ASCII character that a full-width one looks like.
fn narrow(c: char) -> char {
    match u32::from(c) {
        code @ 0xff01..=0xff5e => char::from_u32(code - 0xfee0).unwrap_or(c),
        _ => c,
    }
}

/// Lenient: ignores what follows the object. An array holds the values in the keys' order.
fn parse_any_claims(json: &str) -> Result<Members, String> {
    let mut values = serde_json::Deserializer::from_str(json).into_iter::<Value>();
    match values.next() {
        Some(Ok(Value::Object(claims))) => {
            Ok(Members(claims.into_iter().map(|(name, value)| (name.into(), value)).collect()))
        }
        Some(Ok(Value::Array(values))) => {
            Ok(Members(KEYS.map(Cow::Borrowed).into_iter().zip(values).collect()))
        }
        _ => Err("neither an object nor an array".to_owned()),
    }
}

/// Lenient: accepts both alphabets and any spare bits, and skips all other characters.
fn parse_any_base64(text: &str) -> Option<Vec<u8>> {
    const LENIENT: GeneralPurpose = GeneralPurpose::new(
        &URL_SAFE,
        GeneralPurposeConfig::new()
            .with_decode_allow_trailing_bits(true)
            .with_decode_padding_mode(DecodePaddingMode::RequireNone),
    );
    let known = |c: char| match c {
        '+' => Some('-'),
        '/' => Some('_'),
        c => (c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).then_some(c),
    };
    let text: String = text.chars().filter_map(known).collect();
    LENIENT.decode(text).ok()
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
    use crate::publish::requirements::envelope::BINDING;

    rules.require(&SCHEME, request.authorization.is_some(), || {
        "the Authorization header is missing".to_owned()
    })?;
    // If the rule is violated and there is no header, nothing is left to check.
    let Some(header) = request.authorization else {
        return Ok(Admitted { domain: String::new(), key: String::new(), frozen: false });
    };
    let envelope = Envelope::parse(dialect, header, rules)?;
    envelope.check_request(request.method, request.target, rules)?;
    envelope.check_time(now, &SKEW_MS, rules)?;
    envelope.check_body(request.body, rules)?;
    let domain = envelope.domain(rules)?;
    let binding = bindings.iter().find(|binding| binding.domain == domain);
    rules.require(&BINDING, binding.is_some(), || format!("{domain} is not bound"))?;
    let accept = request.op == Some("accept");
    let (key, frozen) = match binding {
        None => return Ok(Admitted { domain, key: String::new(), frozen: false }),
        Some(Binding { incoming_key: Some(key), .. }) if accept => (key, false),
        Some(binding) if accept => {
            rules.require(&BINDING, false, || "no transfer is pending".to_owned())?;
            (&binding.key, false)
        }
        Some(binding) => (&binding.key, binding.incoming_key.is_some()),
    };
    envelope.check_signature(key, rules)?;
    Ok(Admitted { domain, key: key.clone(), frozen })
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

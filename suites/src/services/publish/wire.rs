//! Writes and reads the exchange's requests and bytes independently of `spec`, so that a mistake in the shared
//! encodings cannot hide.

use assay_spec::Instant;
use assay_spec::crypto::{ed25519, text};
use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use ed25519_dalek::SigningKey;
use serde_json::{Map, Value, json};

use super::{Caller, PREPARE, patient, pool};
use crate::harness::check::Stop;
use crate::harness::probe::{Answer, Probe};
use crate::http::exchange::Request;

/// Builds the header's value from scheme, message and signature.
type Seal = Box<dyn Fn(&str, &[u8], &[u8]) -> String + Send>;

/// A request of the exchange in parts. Each part can be changed before the request is signed and sent.
pub(crate) struct Draft {
    pub(crate) method: String,
    /// The request target as it will be sent.
    pub(crate) target: String,
    pub(crate) body: Vec<u8>,
    pub(crate) scheme: String,
    pub(crate) prefix: String,
    /// The envelope's members, in the order they are written.
    pub(crate) members: Vec<(String, Value)>,
    /// Writes the members as JSON.
    pub(crate) json: fn(&[(String, Value)]) -> String,
    pub(crate) key: SigningKey,
    /// Builds the header's value.
    pub(crate) seal: Seal,
    /// Sends no `Authorization` header.
    pub(crate) bare: bool,
}

impl Draft {
    /// A correct request of `caller` for `path` with `body`.
    pub(crate) async fn new(
        probe: &Probe<'_>,
        caller: &Caller,
        path: &str,
        body: impl Into<Vec<u8>>,
    ) -> Result<Draft, Stop> {
        let now = probe.now().await?;
        Ok(Self::at(probe, caller, path, body, now))
    }

    /// Like [`Draft::new`], signed for the time `now`.
    pub(crate) fn at(
        probe: &Probe<'_>,
        caller: &Caller,
        path: &str,
        body: impl Into<Vec<u8>>,
        now: Instant,
    ) -> Draft {
        let body = body.into();
        let target = format!("{}{path}", probe.prefix("publish"));
        let members = [
            ("v", json!(1)),
            ("m", json!("POST")),
            ("p", json!(target)),
            ("d", json!(caller.domain)),
            ("t", json!(now.to_string())),
            ("h", json!(text::sha256_hex(&body))),
        ];
        Draft {
            method: "POST".to_owned(),
            target,
            body,
            scheme: probe.settings.dialect.auth_scheme.clone(),
            prefix: probe.settings.dialect.auth_prefix.clone(),
            members: members.map(|(key, value)| (key.to_owned(), value)).to_vec(),
            json: compact,
            key: caller.key.clone(),
            seal: Box::new(sealed),
            bare: false,
        }
    }

    /// Replaces a member of the envelope.
    pub(crate) fn set(&mut self, key: &str, value: Value) {
        if let Some((_, old)) = self.members.iter_mut().find(|(name, _)| name == key) {
            *old = value;
        }
    }

    /// A member of the envelope.
    pub(crate) fn member(&self, key: &str) -> Value {
        let member = self.members.iter().find(|(name, _)| name == key);
        member.map(|(_, value)| value.clone()).unwrap_or_default()
    }

    /// Builds the header's value as usual, and changes it.
    pub(crate) fn edit_header(&mut self, edit: impl Fn(&str) -> String + Send + 'static) {
        self.seal = Box::new(move |scheme, message, signature| edit(&sealed(scheme, message, signature)));
    }

    /// The envelope's message as it is signed.
    pub(crate) fn message(&self) -> Vec<u8> {
        format!("{}{}", self.prefix, (self.json)(&self.members)).into_bytes()
    }

    /// The request as it is sent.
    pub(crate) fn request(&self) -> Request {
        let request = Request::new(&self.method, &self.target)
            .header("Content-Type", "application/json")
            .body(self.body.clone());
        if self.bare {
            return request;
        }
        let message = self.message();
        let signature = ed25519::sign(&self.key, &message);
        request.header("Authorization", (self.seal)(&self.scheme, &message, &signature))
    }

    /// Whether it is a request to this endpoint.
    pub(crate) fn asks(&self, path: &str) -> bool {
        self.target.split('?').next().is_some_and(|target| target.ends_with(path))
    }

    /// The domain that the envelope names.
    pub(crate) fn domain(&self) -> String {
        self.member("d").as_str().unwrap_or_default().to_owned()
    }

    /// Sends the request. Without a control API, a domain that has no publish left today ends the check.
    pub(crate) async fn send<'p>(&self, probe: &'p Probe<'_>) -> Result<Answer<'p>, Stop> {
        let answer = self.transmit(probe).await?;
        if self.asks(PREPARE) && !probe.has_control() && pool::is_of_day(&answer) {
            let why = format!("{} has no publish left today: its prepare returned 429", self.domain());
            return Err(Stop::NotTestable(why));
        }
        Ok(answer)
    }

    /// Sends the request, whatever the answer is.
    pub(crate) async fn transmit<'p>(&self, probe: &'p Probe<'_>) -> Result<Answer<'p>, Stop> {
        let answer = probe.send_with("publish", self.request(), None, patient(probe)).await?;
        probe.learn_clock(&answer.response);
        pool::note(probe, self, &answer);
        Ok(answer)
    }
}

/// The header's value.
fn sealed(scheme: &str, message: &[u8], signature: &[u8]) -> String {
    format!("{scheme} {}.{}", text::base64url(message), text::base64url(signature))
}

fn compact(members: &[(String, Value)]) -> String {
    let members: Vec<String> = members.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
    format!("{{{}}}", members.join(","))
}

/// With whitespace between the tokens.
pub(crate) fn spaced(members: &[(String, Value)]) -> String {
    let members: Vec<String> = members.iter().map(|(key, value)| format!("\"{key}\" : {value}")).collect();
    format!("{{{}}}", members.join(" ,\n "))
}

/// With escapes that need not be: the names and each slash.
pub(crate) fn escaped(members: &[(String, Value)]) -> String {
    let escape = |name: &str| name.chars().map(|c| format!("\\u{:04x}", c as u32)).collect::<String>();
    let value = |value: &Value| value.to_string().replace('/', "\\/");
    let members = members.iter().map(|(name, of)| format!("\"{}\":{}", escape(name), value(of)));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

/// The same JSON object with a blank, and with escapes that need not be: the first letter, letters beyond ASCII and each slash.
pub(crate) fn spelled_otherwise(body: &str) -> String {
    let Some((before, after)) = body.split_once('"') else { return format!("{body} ") };
    let mut after = after.chars();
    let first = after.next().map(|c| format!("\\u{:04x}", c as u32)).unwrap_or_default();
    let escape = |c: char| if c.is_ascii() { c.to_string() } else { format!("\\u{:04x}", c as u32) };
    let after: String = after.flat_map(|c| escape(c).chars().collect::<Vec<_>>()).collect();
    format!("{before} \"{first}{}", after.replace('/', "\\/"))
}

/// An array of the values.
pub(crate) fn array(members: &[(String, Value)]) -> String {
    members.iter().map(|(_, value)| value.clone()).collect::<Value>().to_string()
}

/// Decodes base64 in either alphabet, with or without padding.
pub(crate) fn any_base64(text: &str) -> Option<Vec<u8>> {
    let lenient = GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent);
    [STANDARD, URL_SAFE].iter().find_map(|alphabet| GeneralPurpose::new(alphabet, lenient).decode(text).ok())
}

/// A transaction message, read leniently.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) header: [u8; 3],
    pub(crate) accounts: Vec<[u8; 32]>,
    pub(crate) blockhash: [u8; 32],
    pub(crate) instructions: Vec<(u8, Vec<u8>, Vec<u8>)>,
    /// Every length is in its shortest encoding.
    pub(crate) shortest: bool,
    /// The number of bytes after the end.
    pub(crate) left_over: usize,
    /// The first byte marks a versioned message.
    pub(crate) versioned: bool,
}

/// Decodes a message leniently.
pub(crate) fn read_message(bytes: &[u8]) -> Option<Message> {
    let versioned = bytes.first().is_some_and(|first| first & 0x80 != 0);
    let mut at = usize::from(versioned);
    let mut shortest = true;
    let mut take = |count: usize| {
        let piece = bytes.get(at..at.checked_add(count)?)?;
        at += count;
        Some(piece.to_vec())
    };
    let header = take(3)?;
    let mut length = |take: &mut dyn FnMut(usize) -> Option<Vec<u8>>| {
        let mut value = 0usize;
        for n in 0..3 {
            let byte = take(1)?[0];
            value |= usize::from(byte & 0x7f) << (7 * n);
            if byte & 0x80 == 0 {
                shortest &= n == 0 || byte != 0;
                return Some(value);
            }
        }
        None
    };
    let count = length(&mut take)?;
    let accounts = (0..count).map(|_| take(32)?.try_into().ok()).collect::<Option<Vec<[u8; 32]>>>()?;
    let blockhash = take(32)?.try_into().ok()?;
    let mut instructions = Vec::new();
    for _ in 0..length(&mut take)? {
        let program = take(1)?[0];
        let accounts = length(&mut take).and_then(&mut take)?;
        let data = length(&mut take).and_then(&mut take)?;
        instructions.push((program, accounts, data));
    }
    let header = header.try_into().ok()?;
    let left_over = bytes.len() - at;
    Some(Message { header, accounts, blockhash, instructions, shortest, left_over, versioned })
}

/// A record, parsed leniently: the part before the object, the object's raw JSON, and its members in order.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) before: String,
    pub(crate) json: String,
    pub(crate) members: Map<String, Value>,
}

/// Parses the record in a message's first instruction.
pub(crate) fn read_record(message: &[u8]) -> Option<Record> {
    let data = read_message(message)?.instructions.into_iter().next()?.2;
    let text = String::from_utf8(data).ok()?;
    let (before, json) = text.split_at(text.find('{')?);
    let members = serde_json::from_str(json).ok()?;
    Some(Record { before: before.to_owned(), json: json.to_owned(), members })
}

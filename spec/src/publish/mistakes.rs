//! The mistakes that programs make with the exchange (document 3). The files beside this one say only what the document
//! says. An entry says which program reads otherwise at one place of them, and why that is tempting, with its code.
//!
//! It takes hold if its rule is switched off: in a server that is wrong on purpose, or in a proof that one rule alone rejects a
//! case. A violated rule without an entry is not asked.

use std::borrow::Cow;

use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::{Map, Value};

use crate::crypto::text::{parse_base64, parse_hex};
use crate::publish::envelope::{Admitted, Binding, KEYS, Members};
use crate::publish::message::{Instruction, Message};
use crate::publish::record::{Record, RecordKind};
use crate::publish::requirements;
use crate::rules::mistakes;
use crate::spelling::refuse_blanks;
use crate::{Dialect, Instant};

mistakes! {
    /// Canonical domains.
    mod domain {
        NO_TRAILING_DOT => "A resolver takes the dot as the end of a complete name, and a program that resolves names does too.",
            |domain: &str| -> Result<&str, String> { Ok(domain.strip_suffix('.').unwrap_or(domain)) }
    }

    /// The request envelope.
    mod envelope {
        SCHEME => "A server takes the token from a header with any scheme and spacing, as its library for bearer tokens does.",
            |header: &str| -> Result<&str, String> {
                header_word(header).ok_or_else(|| "the envelope is missing".to_owned())
            }
        SCHEME as NO_HEADER => "A server checks a header only if there is one, because its other endpoints are public.",
            |_request: ()| -> Result<Admitted, String> { Ok(unknown_caller(String::new())) }
        TWO_PARTS => "A server splits at each dot and takes the first two parts, as it does with web tokens of three.",
            |encoded: &str| -> Result<[&str; 2], String> { any_parts(encoded) }
        BASE64URL => "A server uses the decoder of its platform, which takes both alphabets and skips what it does not know.",
            |part: &str| -> Result<Vec<u8>, String> {
                any_base64(part).ok_or_else(|| "not base64".to_owned())
            }
        SIGNATURE_LENGTH => "A server copies the signature into the 64 bytes that its library wants, whatever its length was.",
            |signature: &[u8]| -> Result<[u8; 64], String> {
                Ok(std::array::from_fn(|n| signature.get(n).copied().unwrap_or_default()))
            }
        PREFIX => "A server looks for the first bracket, because it needs only the JSON.",
            |message: &[u8]| -> Result<Cow<'static, str>, String> {
                let text = String::from_utf8_lossy(message);
                let at = text.find(['{', '[']).ok_or("no JSON object")?;
                Ok(text[at..].to_owned().into())
            }
        SIX_KEYS => "A server deserializes the JSON into its own structure: that ignores other members, and takes an array too.",
            |json: &str| -> Result<Members, String> { any_members(json) }
        SIX_KEYS as MEMBER => "A server compares a member only if it is there, because other clients leave some out.",
            |right: &dyn Fn() -> Value| -> Result<Cow<'static, Value>, String> { Ok(Cow::Owned(right())) }
        KEY_ORDER_FREE => "A server writes the message again and compares the strings, instead of verifying the bytes as sent.",
            |members: &Members| -> Result<(), String> {
                let is_ordered = members.names().filter(|name| KEYS.contains(name)).eq(KEYS);
                if is_ordered { Ok(()) } else { Err("the keys are in another order".to_owned()) }
            }
        QUERY_NOT_SIGNED => "A server compares with what its framework calls the URL, which has the query too.",
            |target: &str| -> &str { target }
        TIME_FORM => "A server subtracts what did not parse: the difference is not a number, and no comparison rejects that.",
            |sent: (&Value, Instant)| -> Result<Instant, String> { Ok(sent.1) }
        TIME_FORM as TIME => "A client writes the time with what its language has, and any parser reads that.",
            |time: &str| -> Result<Instant, String> { Ok(Instant::parse_iso(time).unwrap_or(Instant(0))) }
        EMPTY_BODY => "A server takes an empty body for no body, and has nothing to hash.",
            |body: &[u8]| -> Result<(), String> {
                if body.is_empty() { Err("the body is empty".to_owned()) } else { Ok(()) }
            }
        DOMAIN_AS_SENT => "A server normalizes each domain that it reads, as it does with those that users type.",
            |sent: &Value| -> Result<String, String> { Ok(any_domain(sent)) }
        DOMAIN_FORMS => "A server asks a library for domain names, which knows no labels of digits and no hyphens in third and fourth place.",
            |domain: &str| -> Result<(), String> {
                let is_odd = |label: &str| {
                    label.get(2..4) == Some("--") || label.bytes().all(|byte| byte.is_ascii_digit())
                };
                match domain.split('.').find(|label| is_odd(label)) {
                    Some(label) => Err(format!("the label {label:?} is not that of a host")),
                    None => Ok(()),
                }
            }
        SIGNATURE as SECRET_KEY => "A client copies its key into the 32 bytes that its library wants, whatever its length was.",
            |secret: &[u8]| -> Result<[u8; 32], String> {
                Ok(std::array::from_fn(|n| secret.get(n).copied().unwrap_or_default()))
            }
        BINDING as NO_BINDING => "A server that finds no key for a domain has nothing to verify with, and goes on.",
            |domain: &str| -> Result<Admitted, String> { Ok(unknown_caller(domain.to_owned())) }
        BINDING as NO_TRANSFER => "A server that finds no incoming key falls back to the bound key, as for other operations.",
            |binding: &Binding| -> Result<&str, String> { Ok(&binding.key) }
    }

    /// Both endpoints.
    mod exchange {
        SPELLING => "A server finds the members of a body with a pattern, which it wrote for one client.",
            |spelled: &[&'static str]| -> Result<(), String> { refuse_blanks(spelled) }
    }

    /// The first call.
    mod prepare {
        BODY_JSON => "A server takes an object without members if a body does not parse, because its framework does.",
            |_body: &[u8]| -> Result<Map<String, Value>, String> { Ok(Map::new()) }
        DOMAIN_REQUIRED => "A server reads a missing string as an empty one, which is the default of its language.",
            |_sent: Option<&Value>| -> Result<&str, String> { Ok("") }
        DOMAIN_TRIMMED => "A server compares the string as it is, because the document asks clients to send it trimmed.",
            |sent: &str| -> &str { sent }
        OP_DEFAULT => "A server dispatches by `op`, and has no operation for a request without it.",
            |_missing: ()| -> Result<(), String> { Err("op is missing".to_owned()) }
        OP_KNOWN => "A server compares with the two special operations, and everything else is a publish.",
            |_sent: Option<&Value>| -> Result<RecordKind, String> { Ok(RecordKind::Pub) }
        CID_REQUIRED => "A server does not look at the content identifier, because the document does not validate it.",
            |_sent: Option<&Value>| -> Result<&str, String> { Ok("none") }
        CID_NOT_VALIDATED => "A server accepts only what looks like a content identifier, because that seems safer.",
            |cid: &str| -> Result<(), String> {
                if cid.starts_with("bafy") { Ok(()) } else { Err(format!("{cid:?} is not a CID")) }
            }
        NEW_AUTHORITY => "A server stores the new authority as a string, and leaves it to the chain to know keys.",
            |sent: (&Dialect, Option<&Value>)| -> Result<String, String> {
                let (dialect, sent) = sent;
                let sent = sent.and_then(Value::as_str).unwrap_or("none");
                Ok(sent.strip_prefix(dialect.key_scheme.as_str()).unwrap_or(sent).to_owned())
            }
        VERSION_STRING => "A server takes the default version for each value that it cannot use.",
            |_sent: &Value| -> Result<&str, String> { Ok("") }
        VERSION_DEFAULT => "A server counts the builds of a domain, and the first one is number 1.",
            |_blank: ()| -> &'static str { "1" }
    }

    /// The record.
    mod record {
        FORM as KIND => "A program takes the first kind for one that it does not know, and fills in nothing.",
            |_name: &str| -> Result<Record, String> { Ok(unread_record()) }
        FORM as VALUES => "A program converts each value to a string, because the record can then be written.",
            |sent: (RecordKind, &Map<String, Value>)| -> Result<Vec<String>, String> {
                let (kind, fields) = sent;
                Ok(kind.keys().iter().map(|key| any_string(fields.get(*key))).collect())
            }
        FORM as TEXT => "A program goes on without a record that it cannot read, as with other strangers' memos.",
            |_bytes: &[u8]| -> Result<Record, String> { Ok(unread_record()) }
    }

    /// The transaction message.
    mod message {
        LEGACY => "A program reads from the front what it needs, and does not look at the version, the rest or longer lengths.",
            |bytes: &[u8]| -> Result<Message, String> { Ok(any_message(bytes)) }
        LEGACY as ACCOUNT => "A program leaves the zeros of its buffer in place of a key that it cannot decode.",
            |_address: &str| -> Result<[u8; 32], String> { Ok([0; 32]) }
        LEGACY as DATA => "A program cuts data at the greatest length that the encoding has, because a buffer of that size is enough.",
            |data: &[u8]| -> Result<&[u8], String> { Ok(&data[..data.len().min(0xffff)]) }
    }

    /// The second call.
    mod submit {
        FIELDS => "A server finds the string inside a list or an object, and an empty one elsewhere, as parsers of forms do.",
            |sent: Option<&Value>| -> Result<&str, String> {
                let inner = sent.and_then(|sent| sent.get(0).or_else(|| sent.get("value")));
                Ok(sent.and_then(Value::as_str).or_else(|| inner?.as_str()).unwrap_or_default())
            }
        SIGNATURE_FORM => "A server accepts each notation that it can decode, because clients in other languages differ.",
            |sent: &str| -> Result<[u8; 64], String> {
                any_signature(sent).ok_or_else(|| "not base64 of 64 bytes or more".to_owned())
            }
    }

    /// Transfers.
    mod transfer {
        ACCEPT_NEEDS_PENDING => "A server writes what it has into the record, and a domain without a transfer has nothing.",
            |_domain: &str| -> Result<&str, String> { Ok("none") }
    }

    /// The checks that a client runs before it signs.
    mod check {
        ENCODING => "A client decodes with a library that reads more than legacy messages, and does not encode again.",
            |bytes: &[u8]| -> Result<Message, String> { Ok(any_message(bytes)) }
        CLIENT_ACCOUNT => "A client does not decode its own address, because its wallet signs with the key in any case.",
            |_address: &str| -> Result<[u8; 32], String> { Ok([0; 32]) }
        ONE_INSTRUCTION as FIRST => "A client looks at the first instruction, because there is always one.",
            |first: &Instruction| -> Result<&Instruction, String> { Ok(first) }
        ONE_INSTRUCTION as NONE => "A client checks each instruction in a loop, which does nothing if there is none.",
            |_none: ()| -> Result<Record, String> { Ok(unread_record()) }
        RECORD_FORM => "A client compares the record's fields only if it can read them.",
            |_data: &[u8]| -> Result<Record, String> { Ok(unread_record()) }
        KIND => "A client compares the fields of the kind that it asked for, and a record of another kind has none of them.",
            |_record: &Record| -> Result<Vec<(&'static str, &'static str)>, String> { Ok(Vec::new()) }
    }

    /// The verification of a confirmed transaction.
    mod verify {
        MEMO_SUCCEEDED => "A verifier searches the whole log for the line, without its program and depth.",
            |logs: &[String]| -> Result<Vec<Vec<&str>>, String> {
                Ok(vec![logs.iter().map(String::as_str).collect()])
            }
    }
}

/// A caller whose key is not known.
fn unknown_caller(domain: String) -> Admitted {
    Admitted { domain, key: String::new(), frozen: false }
}

/// The part of a header that looks like an envelope, whatever is before it.
pub(super) fn header_word(header: &str) -> Option<&str> {
    let mut words = header.split(|c: char| c.is_whitespace() || ":,=;".contains(c));
    words.clone().find(|word| word.contains('.')).or_else(|| words.next_back())
}

/// Ignores parts after the second. Without a dot, the last 86 characters are the signature.
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

/// Accepts both alphabets and any spare bits, and skips all other characters.
fn any_base64(text: &str) -> Option<Vec<u8>> {
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

/// Ignores what follows the object. An array holds the values in the keys' order.
fn any_members(json: &str) -> Result<Members, String> {
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

/// Finds the domain in a URL, a list or another spelling.
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

/// Any value as a string.
fn any_string(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => "none".to_owned(),
    }
}

/// A record in place of one that could not be read. All values are empty.
fn unread_record() -> Record {
    Record::with_values(RecordKind::Pub, [""; 4])
}

/// Accepts hex, the other alphabet, missing padding, spaces and quotation marks, and truncates what is too long.
fn any_signature(text: &str) -> Option<[u8; 64]> {
    if text.len() == 128
        && let Some(bytes) = parse_hex(text)
    {
        return bytes.try_into().ok();
    }
    let text: String =
        text.trim().trim_matches('"').trim_end_matches('=').replace('-', "+").replace('_', "/");
    let padding = "=".repeat((4 - text.len() % 4) % 4);
    parse_base64(&format!("{text}{padding}"))?.get(..64)?.try_into().ok()
}

/// Skips a version byte, accepts lengths of any form and reads missing bytes as zero.
fn any_message(bytes: &[u8]) -> Message {
    let is_version = |first: &u8| *first >= 0x80;
    let mut rest = Rest(if bytes.first().is_some_and(is_version) { &bytes[1..] } else { bytes });
    let header = rest.array();
    let accounts = (0..rest.length()).map(|_| rest.array()).collect();
    let blockhash = rest.array();
    let instruction = |rest: &mut Rest<'_>| {
        let [program] = rest.array();
        Instruction { program, accounts: rest.list(), data: rest.list() }
    };
    let instructions = (0..rest.length()).map(|_| instruction(&mut rest)).collect();
    Message { header, accounts, blockhash, instructions }
}

/// Bytes, followed by zeros without end.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn array<const N: usize>(&mut self) -> [u8; N] {
        let (taken, rest) = self.0.split_at(N.min(self.0.len()));
        self.0 = rest;
        std::array::from_fn(|n| taken.get(n).copied().unwrap_or_default())
    }

    /// A length of up to four bytes, without what is above 65535.
    fn length(&mut self) -> usize {
        let mut value = 0usize;
        for n in 0..4 {
            let [byte] = self.array();
            value |= usize::from(byte & 0x7f) << (7 * n);
            if byte & 0x80 == 0 {
                return value & 0xffff;
            }
        }
        0
    }

    fn list(&mut self) -> Vec<u8> {
        let length = self.length();
        let (taken, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        taken.to_vec()
    }
}

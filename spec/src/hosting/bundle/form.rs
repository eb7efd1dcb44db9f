//! The pinned file: its hash, and what the envelope in it is made of.

use serde_json::{Map, Value};

use super::{FILE_BYTES, ROWS, VERSION, rows};
use crate::crypto::base64::Padding;
use crate::crypto::text::{parse_hex, sha256_hex};
use crate::hosting::envelope::parse_json;
use crate::hosting::fields::cut;
use crate::hosting::sealed::{self, Ciphertext};
use crate::{Dialect, Refused, Rules};

/// A bundle's envelope, read and not opened.
pub struct Envelope {
    pub(super) text: Ciphertext,
    pub(super) vm: Vec<u8>,
    pub(super) encryption: Vec<u8>,
    pub(super) deks: Map<String, Value>,
}

/// The hash that a record states: SHA-256 over the pinned file as it is, in hexadecimal.
pub fn hash(file: &[u8]) -> String {
    sha256_hex(file)
}

/// Compares the pinned file with the hash that the record states.
pub fn check_hash(file: &[u8], stated: &str, rules: &mut impl Rules) -> Result<(), Refused> {
    let whole = stated.len() == 64 && parse_hex(stated).is_some();
    rules.require(&rows::HASH_FORM, whole, || format!("the stated hash is {stated:.80?}"))?;
    // Leniently, with its usual prefix or white space around it.
    let stated = stated.trim().trim_start_matches("0x");
    let found = hash(file);
    rules.require(&rows::HASH, found.eq_ignore_ascii_case(stated), || {
        format!("the file has {found}, stated is {stated:.80}")
    })
}

/// Reads the pinned file: JSON of version 1 and the bundle's kind, with exactly two recipients.
pub fn parse(dialect: &Dialect, file: &[u8], rules: &mut impl Rules) -> Result<Envelope, Refused> {
    let text = rules.parse(
        &rows::FORM,
        || std::str::from_utf8(file).map(Into::into).map_err(|e| format!("no UTF-8 at {}", e.valid_up_to())),
        || Ok(String::from_utf8_lossy(file)),
    )?;
    let value = parse_json(&text, FILE_BYTES, &rows::FORM, rules)?;
    // Leniently, JSON within a text is an envelope as well.
    let inner = value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    rules.require(&rows::FORM, value.is_object(), || format!("the file is {}", cut(&value)))?;
    let empty = Map::new();
    let members = inner.as_ref().unwrap_or(&value).as_object().unwrap_or(&empty);
    let shown = |name: &str| members.get(name).unwrap_or(&Value::Null);
    let deks = members.get("deks").and_then(Value::as_object);
    rules.require(&rows::FORM, deks.is_some(), || format!("deks is {}", cut(shown("deks"))))?;
    let deks = deks.unwrap_or(members);
    rules.require(&rows::VERSION, shown("v") == VERSION, || format!("v is {}", cut(shown("v"))))?;
    rules.require(&rows::KIND, shown("kind") == dialect.bundle_kind.as_str(), || {
        format!("kind is {}", cut(shown("kind")))
    })?;
    let text = sealed::read(members, &ROWS, FILE_BYTES, Padding::Required, rules)?;
    let mut wrapped = |name: &str, rule| {
        let place = format!("deks.{name}");
        sealed::bytes(deks.get(name), &place, rule, FILE_BYTES, Padding::Required, rules)
    };
    let (vm, encryption) = (wrapped("vm", &rows::VM)?, wrapped("encryption", &rows::ENCRYPTION)?);
    let other = deks.keys().find(|name| !matches!(name.as_str(), "vm" | "encryption"));
    // Where a member is missing its own rule is violated, and another name may stand for it.
    let complete = deks.contains_key("vm") && deks.contains_key("encryption");
    rules.require(&rows::TWO_RECIPIENTS, other.is_none() || !complete, || {
        format!("deks has the member {other:.60?}")
    })?;
    Ok(Envelope { text, vm, encryption, deks: deks.clone() })
}

//! The pinned file: its hash, and the members of its envelope.

use serde_json::{Map, Value};

use super::{ROWS, VERSION, rows};
use crate::crypto::base64::Padding;
use crate::crypto::text::{parse_hex, sha256_hex};
use crate::hosting::envelope::parse_json;
use crate::hosting::fields::cut;
use crate::hosting::limits::BUNDLE as LARGEST;
use crate::hosting::sealed::{self, Ciphertext};
use crate::{Dialect, Refused, Rules};

/// A bundle's envelope, parsed but not decrypted.
pub struct Envelope {
    pub(super) text: Ciphertext,
    pub(super) vm: Vec<u8>,
    pub(super) encryption: Vec<u8>,
    pub(super) deks: Map<String, Value>,
}

/// The hash for the record: SHA-256 over the pinned file, in hexadecimal.
pub fn hash(file: &[u8]) -> String {
    sha256_hex(file)
}

/// Compares the pinned file with the hash in the record.
pub fn check_hash(file: &[u8], stated: &str, rules: &mut dyn Rules) -> Result<(), Refused> {
    let whole = stated.len() == 64 && parse_hex(stated).is_some();
    rules.require(&rows::HASH_FORM, whole, || {
        format!("the recorded hash is {stated:.80?}, not 64 hexadecimal digits")
    })?;
    // Lenient: with the usual prefix, or with surrounding white space.
    let stated = stated.trim().trim_start_matches("0x");
    let found = hash(file);
    rules.require(&rows::HASH, found.eq_ignore_ascii_case(stated), || {
        format!("the file's hash is {found}, the record says {stated:.80}")
    })
}

/// Parses the pinned file: JSON of version 1 and kind `svc-bundle`, with exactly two recipients.
pub fn parse(dialect: &Dialect, file: &[u8], rules: &mut dyn Rules) -> Result<Envelope, Refused> {
    let text = rules.parse(
        &rows::FORM,
        || {
            std::str::from_utf8(file)
                .map(Into::into)
                .map_err(|e| format!("the file is not UTF-8 at byte {}", e.valid_up_to()))
        },
        || Ok(String::from_utf8_lossy(file)),
    )?;
    let value = parse_json(&text, LARGEST.usize(), &rows::FORM, rules)?;
    // Lenient: JSON inside a JSON string is accepted as an envelope.
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
    let text = sealed::read(members, &ROWS, LARGEST.usize(), Padding::Required, rules)?;
    let mut wrapped = |name: &str, rule| {
        let place = format!("deks.{name}");
        sealed::bytes(deks.get(name), &place, rule, LARGEST.usize(), Padding::Required, rules)
    };
    let (vm, encryption) = (wrapped("vm", &rows::VM)?, wrapped("encryption", &rows::ENCRYPTION)?);
    let other = deks.keys().find(|name| !matches!(name.as_str(), "vm" | "encryption"));
    // If a member is missing its own rule is violated, and another name may take its place.
    let complete = deks.contains_key("vm") && deks.contains_key("encryption");
    rules.require(&rows::TWO_RECIPIENTS, other.is_none() || !complete, || {
        format!("deks has the member {other:.60?}")
    })?;
    Ok(Envelope { text, vm, encryption, deks: deks.clone() })
}

//! The pinned file: its hash, and the members of its envelope.

use serde_json::{Map, Value};

use super::{ROWS, VERSION, rows};
use crate::crypto::base64::Padding;
use crate::crypto::text::{parse_hex, sha256_hex};
use crate::hosting::envelope::parse_json;
use crate::hosting::fields::cut;
use crate::hosting::limits::BUNDLE as LARGEST;
use crate::hosting::mistakes::bundle::{HASH_FORM, NOT_UTF8};
use crate::hosting::mistakes::envelope::{NESTED, NO_DEKS};
use crate::hosting::sealed::{self, Ciphertext};
use crate::{Dialect, Refused, Rules};

/// A bundle's envelope, parsed but not decrypted.
pub struct Envelope {
    pub(super) text: Ciphertext,
    pub(super) vm: Option<Vec<u8>>,
    pub(super) encryption: Option<Vec<u8>>,
    pub(super) deks: Map<String, Value>,
}

/// The hash for the record: SHA-256 over the pinned file, in hexadecimal.
pub fn hash(file: &[u8]) -> String {
    sha256_hex(file)
}

/// Compares the pinned file with the hash in the record.
pub fn check_hash(file: &[u8], stated: &str, rules: &mut dyn Rules) -> Result<(), Refused> {
    let stated = rules.read(&HASH_FORM, stated, |stated| {
        let is_whole = stated.len() == 64 && parse_hex(stated).is_some();
        let why = || format!("the recorded hash is {stated:.80?}, not 64 hexadecimal digits");
        is_whole.then_some(stated).ok_or_else(why)
    })?;
    let found = hash(file);
    rules.require(&rows::HASH, found.eq_ignore_ascii_case(stated), || {
        format!("the file's hash is {found}, the record says {stated:.80}")
    })
}

/// Parses the pinned file: JSON of version 1 and kind `svc-bundle`, with exactly two recipients.
pub fn parse(dialect: &Dialect, file: &[u8], rules: &mut dyn Rules) -> Result<Envelope, Refused> {
    let text = rules.read(&NOT_UTF8, file, |file| {
        std::str::from_utf8(file)
            .map(Into::into)
            .map_err(|e| format!("the file is not UTF-8 at byte {}", e.valid_up_to()))
    })?;
    let value = parse_json(&text, LARGEST.usize(), &rows::FORM, rules)?;
    let members = match value {
        Value::Object(members) => members,
        other => rules.refuse(&NESTED.under(&rows::FORM), &other, format!("the file is {}", cut(&other)))?,
    };
    let shown = |name: &str| members.get(name).unwrap_or(&Value::Null);
    let deks = rules.read(&NO_DEKS.under(&rows::FORM), &members, |members| {
        let deks = members.get("deks").and_then(Value::as_object).cloned();
        deks.ok_or_else(|| format!("deks is {}", cut(shown("deks"))))
    })?;
    rules.require(&rows::VERSION, shown("v") == VERSION, || format!("v is {}", cut(shown("v"))))?;
    rules.require(&rows::KIND, shown("kind") == dialect.bundle_kind.as_str(), || {
        format!("kind is {}", cut(shown("kind")))
    })?;
    let text = sealed::read(&members, &ROWS, LARGEST.usize(), Padding::Required, rules)?;
    let mut wrapped = |name: &str, rule| {
        let place = format!("deks.{name}");
        rules.require(rule, deks.contains_key(name), || format!("{place} is missing"))?;
        match deks.get(name) {
            None => Ok(None),
            value => sealed::bytes(value, &place, rule, LARGEST.usize(), Padding::Required, rules).map(Some),
        }
    };
    let (vm, encryption) = (wrapped("vm", &rows::VM)?, wrapped("encryption", &rows::ENCRYPTION)?);
    let other = deks.keys().find(|name| !matches!(name.as_str(), "vm" | "encryption"));
    rules.require(&rows::TWO_RECIPIENTS, deks.len() <= 2, || format!("deks has the member {other:.60?}"))?;
    Ok(Envelope { text, vm, encryption, deks })
}

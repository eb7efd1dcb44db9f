//! The common part of encrypted envelopes and bundles: a ciphertext under its own key, and that key wrapped for each
//! recipient.

use serde_json::{Map, Value};
use zeroize::Zeroizing;

use crate::crypto::aead::{self, Key, Nonce};
use crate::crypto::base64::Padding;
use crate::crypto::ecies::NonceLength;
use crate::crypto::secp256k1::SigningKey;
use crate::hosting::mistakes::envelope::{ADDITIONAL_DATA, IV, KEY_LENGTH, LIST, TAG};
use crate::hosting::requirements::records::SIZE;
use crate::hosting::wrapping::{self, Agreement};
use crate::hosting::{base64, fields};
use crate::{Id, Refused, Rules};

/// The one cipher.
pub(super) const ALGORITHM: &str = "aes-256-gcm";

/// The rows for one kind of envelope.
pub(super) struct Rows {
    pub(super) algorithm: Id,
    pub(super) ciphertext: Id,
    pub(super) iv: Id,
    pub(super) tag: Id,
    pub(super) additional_data: Option<Id>,
}

/// The bytes of `ct`, `iv` and `tag`.
pub struct Ciphertext {
    pub(super) bytes: Vec<u8>,
    pub(super) iv: Nonce,
    pub(super) tag: Vec<u8>,
}

/// Reads the cipher's four members.
pub(super) fn read(
    members: &Map<String, Value>,
    rows: &Rows,
    limit: usize,
    padding: Padding,
    rules: &mut dyn Rules,
) -> Result<Ciphertext, Refused> {
    let algorithm = members.get("alg").unwrap_or(&Value::Null);
    rules.require(rows.algorithm, algorithm == ALGORITHM, || format!("alg is {}", fields::cut(algorithm)))?;
    let bytes = bytes(members.get("ct"), "ct", rows.ciphertext, limit, padding, rules)?;
    let iv = self::bytes(members.get("iv"), "iv", rows.iv, limit, padding, rules)?;
    let iv = rules.read(&IV.under(rows.iv), iv.as_slice(), |iv| {
        iv.try_into().map(Nonce::Twelve).map_err(|_| format!("iv has {} bytes", iv.len()))
    })?;
    let tag = self::bytes(members.get("tag"), "tag", rows.tag, limit, padding, rules)?;
    rules.require(rows.tag, tag.len() == 16, || format!("tag has {} bytes", tag.len()))?;
    Ok(Ciphertext { bytes, iv, tag })
}

/// Reads base64 in a member; `rule` requires it to be present and a string.
pub(super) fn bytes(
    value: Option<&Value>,
    place: &str,
    rule: Id,
    limit: usize,
    padding: Padding,
    rules: &mut dyn Rules,
) -> Result<Vec<u8>, Refused> {
    let Some(text) = value.and_then(Value::as_str) else {
        let why = value.map_or_else(|| "missing".to_owned(), fields::cut);
        return rules.refuse(&LIST.under(rule), value, format!("{place} is {why}"));
    };
    rules.require(&SIZE, text.len() <= limit, || {
        format!("{place} has {} bytes, the limit is {limit}", text.len())
    })?;
    base64::read(text, padding, place, rules)
}

/// Unwraps the key of 32 bytes. `rule` requires this length.
pub(super) fn unwrap_key(
    key: &SigningKey,
    wrapped: &[u8],
    rule: Id,
    rules: &mut dyn Rules,
) -> Result<(Key, Option<Agreement>), Refused> {
    let layout = NonceLength::of_length(wrapped.len(), 32);
    let unwrapped = wrapping::unwrap(key, wrapped, layout, rules)?;
    let dek = rules.read(&KEY_LENGTH.under(rule), unwrapped.plaintext.as_slice(), |bytes| {
        let dek = bytes.try_into().map(Zeroizing::new);
        dek.map_err(|_| format!("the unwrapped key has {} bytes", bytes.len()))
    })?;
    Ok((dek, unwrapped.agreement))
}

/// Decrypts with an unwrapped key. `None`: the authentication tag does not match.
pub(super) fn open(
    text: &Ciphertext,
    dek: &Key,
    rows: &Rows,
    rules: &mut dyn Rules,
) -> Result<Option<Zeroizing<Vec<u8>>>, Refused> {
    let data = additional_data(rows, rules);
    let tag = rules.read(&TAG.under(rows.tag), (text, dek, data), |(text, ..)| {
        let tag = text.tag.as_slice().try_into();
        tag.map_err(|_| format!("tag has {} bytes", text.tag.len()))
    })?;
    Ok(aead::open(dek, text.iv, data, &text.bytes, &tag))
}

/// The additional authenticated data: none.
pub(super) fn additional_data(rows: &Rows, rules: &mut dyn Rules) -> &'static [u8] {
    match rows.additional_data {
        Some(rule) => rules.keep(&ADDITIONAL_DATA.under(rule), &[]),
        None => &[],
    }
}

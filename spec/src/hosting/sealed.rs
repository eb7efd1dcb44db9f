//! The common part of encrypted envelopes and bundles: a ciphertext under its own key, and that key wrapped for each
//! recipient.

use serde_json::{Map, Value};
use zeroize::Zeroizing;

use crate::crypto::aead::{self, Key, Nonce};
use crate::crypto::base64::Padding;
use crate::crypto::ecies::NonceLength;
use crate::crypto::secp256k1::SigningKey;
use crate::hosting::requirements::records::SIZE;
use crate::hosting::wrapping::{self, Agreement};
use crate::hosting::{base64, fields};
use crate::json;
use crate::{Id, Refused, Rules};

/// The one cipher.
pub(super) const ALGORITHM: &str = "aes-256-gcm";

/// The rows for one kind of envelope.
pub(super) struct Rows {
    pub(super) algorithm: Id,
    pub(super) ciphertext: Id,
    pub(super) iv: Id,
    pub(super) tag: Id,
    pub(super) authentic: Id,
    pub(super) additional_data: Option<Id>,
}

/// The bytes of `ct`, `iv` and `tag`. The lengths are correct unless their rules are violated.
pub(super) struct Ciphertext {
    pub(super) bytes: Vec<u8>,
    pub(super) iv: Vec<u8>,
    pub(super) tag: Vec<u8>,
}

/// A decrypted plaintext; `authentic` is false only when the rule is violated.
pub(super) struct Plaintext {
    pub(super) bytes: Zeroizing<Vec<u8>>,
    pub(super) authentic: bool,
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
    rules.require(rows.iv, iv.len() == 12, || format!("iv has {} bytes", iv.len()))?;
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
    let text = value.and_then(Value::as_str);
    rules.require(rule, text.is_some(), || match value {
        None => format!("{place} is missing"),
        Some(value) => format!("{place} is {}", fields::cut(value)),
    })?;
    let Some(text) = text else {
        // Lenient: a list of bytes, as some libraries print it.
        let items = value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        return Ok(items.iter().filter_map(|item| u8::try_from(json::integer(item)?).ok()).collect());
    };
    rules.require(&SIZE, text.len() <= limit, || {
        format!("{place} has {} bytes, the limit is {limit}", text.len())
    })?;
    base64::read(text, padding, place, rules)
}

/// Unwraps the key of 32 bytes.
pub(super) fn unwrap_key(
    key: &SigningKey,
    wrapped: &[u8],
    rule: Id,
    rules: &mut dyn Rules,
) -> Result<(Key, Option<Agreement>), Refused> {
    let layout = NonceLength::of_length(wrapped.len(), 32);
    let unwrapped = wrapping::unwrap(key, wrapped, layout, rules)?;
    let bytes = &unwrapped.plaintext;
    rules.require(rule, bytes.len() == 32, || format!("the unwrapped key has {} bytes", bytes.len()))?;
    let mut dek = Zeroizing::new([0; 32]);
    // Lenient: a longer key is truncated and a shorter one padded with zeros.
    dek.iter_mut().zip(bytes.iter()).for_each(|(to, from)| *to = *from);
    Ok((dek, unwrapped.agreement))
}

/// Decrypts with an unwrapped key.
pub(super) fn open(
    text: &Ciphertext,
    dek: &Key,
    rows: &Rows,
    rules: &mut dyn Rules,
) -> Result<Plaintext, Refused> {
    let nonce = Nonce::from_slice(&text.iv).unwrap_or_else(|| {
        let filled = std::array::from_fn(|n| text.iv.get(n).copied().unwrap_or_default());
        Nonce::Twelve(filled)
    });
    let data = additional_data(rows, rules);
    let opened = if let Ok(tag) = <&[u8; 16]>::try_from(text.tag.as_slice()) {
        aead::open(dek, nonce, data, &text.bytes, tag)
    } else {
        // Its length was accepted: compare as many bytes as there are.
        let plaintext = aead::open_unchecked(dek, nonce, &text.bytes);
        let (_, tag) = aead::seal(dek, nonce, data, &plaintext);
        tag.iter().zip(&text.tag).all(|(a, b)| a == b).then_some(plaintext)
    };
    rules.require(rows.authentic, opened.is_some(), || "the authentication tag does not match".to_owned())?;
    let authentic = opened.is_some();
    let bytes = opened.unwrap_or_else(|| aead::open_unchecked(dek, nonce, &text.bytes));
    Ok(Plaintext { bytes, authentic })
}

/// The additional authenticated data: none.
pub(super) fn additional_data(rows: &Rows, rules: &mut dyn Rules) -> &'static [u8] {
    match rows.additional_data {
        Some(rule) => rules.effect(rule, &[][..], |_, _| ALGORITHM.as_bytes()),
        None => &[],
    }
}

/// The key that one of `deks` holds for `key`, whatever the member's name: the mistake of a reader that tries them
/// all.
pub(super) fn try_all(
    deks: &Map<String, Value>,
    key: &SigningKey,
    rule: Id,
    rules: &mut dyn Rules,
) -> Result<(Key, Option<Agreement>), Refused> {
    let texts = deks.values().filter_map(Value::as_str);
    let wrapped: Vec<Vec<u8>> = texts.map(crate::crypto::base64::decode_lossy).collect();
    for bytes in &wrapped {
        if let Ok(found) = unwrap_key(key, bytes, rule, &mut crate::Strict) {
            return Ok(found);
        }
    }
    unwrap_key(key, wrapped.first().map_or(&[], Vec::as_slice), rule, rules)
}

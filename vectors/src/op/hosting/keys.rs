//! `base64.decode`, `key_e.derive`, `ecies.encrypt` and `ecies.decrypt`.

use assay_spec::crypto::address::Address;
use assay_spec::crypto::aead::Nonce;
use assay_spec::crypto::base64::Padding;
use assay_spec::crypto::ecies::NonceLength;
use assay_spec::crypto::secp256k1::{PublicKey, SigningKey};
use assay_spec::crypto::text::parse_prefixed_hex;
use assay_spec::hosting::requirements::key_e::WALLET;
use assay_spec::hosting::wrapping::{self, Ephemeral};
use assay_spec::hosting::{base64, key_e};
use assay_spec::network::signing;
use assay_spec::{Dialect, Rules};
use serde_json::{Value, json};

use super::{bad, staged};
use crate::bytes;
use crate::op::{Members, OpError};

/// The bytes of a base64 string, strictly decoded.
pub(in crate::op) fn base64_decode(
    _: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    let read = base64::read(input.text("text")?, Padding::Required, "text", rules).map_err(staged)?;
    Ok(json!({"bytes": bytes::hex(&read)}))
}

/// Derives E from the wallet's key and the derivation message.
pub(in crate::op) fn derive(
    dialect: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    let (wallet, text) = (private_key(input, "private_key", rules)?, input.text("derivation_text")?);
    let named = key_e::check(dialect, text, rules).map_err(staged)?;
    let own = Address::from_key(&wallet);
    let holds = named.is_none_or(|named| named == own);
    rules
        .require(&WALLET, holds, || format!("the message names a wallet other than {own}"))
        .map_err(staged)?;
    let e = key_e::of_wallet(&wallet, text, rules).map_err(staged)?;
    Ok(json!({
        "signature": bytes::hex(&*e.signature),
        "private_key": bytes::hex(&*e.secret),
        "public_key": e.public_text,
    }))
}

/// Encrypts for a public key. The ephemeral key and the nonce come from the input.
pub(in crate::op) fn encrypt(
    _: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    let (public, ephemeral) = (public_key(input, rules)?, ephemeral(input, rules)?);
    let wrapped = wrapping::wrap(&public, &ephemeral, &input.bytes("plaintext")?, rules).map_err(staged)?;
    Ok(json!({"ciphertext": bytes::hex(&wrapped.bytes)}))
}

/// Decrypts with a private key. `nonce_length` defaults to 16.
pub(in crate::op) fn decrypt(
    _: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    let (key, ciphertext) = (private_key(input, "private_key", rules)?, input.bytes("ciphertext")?);
    let layout = match input.value("nonce_length").map(|_| input.number("nonce_length")).transpose()? {
        None | Some(16) => NonceLength::Sixteen,
        Some(12) => NonceLength::Twelve,
        Some(_) => return Err(bad("nonce_length: 16 or 12 is missing")),
    };
    let unwrapped = wrapping::unwrap(&key, &ciphertext, layout, rules).map_err(staged)?;
    Ok(json!({"plaintext": bytes::hex(&unwrapped.plaintext)}))
}

/// A private key of 32 bytes.
pub(super) fn private_key(
    input: &Members<'_>,
    name: &str,
    rules: &mut dyn Rules,
) -> Result<SigningKey, OpError> {
    signing::parse_secret_key(&input.bytes(name)?, rules).map_err(staged)
}

/// A recipient's key: 0x and 65 bytes in hex.
pub(super) fn public_key(input: &Members<'_>, rules: &mut dyn Rules) -> Result<PublicKey, OpError> {
    let bytes = parse_prefixed_hex(input.text("public_key")?).unwrap_or_default();
    wrapping::recipient(&bytes, rules).map_err(staged)
}

/// The sender's one-time key and nonce.
pub(super) fn ephemeral(input: &Members<'_>, rules: &mut dyn Rules) -> Result<Ephemeral, OpError> {
    let key = private_key(input, "ephemeral_private_key", rules)?;
    let nonce =
        Nonce::from_slice(&input.bytes("nonce")?).ok_or_else(|| bad("nonce: 16 or 12 bytes are missing"))?;
    Ok(Ephemeral { key, nonce })
}

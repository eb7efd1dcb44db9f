//! Digests, addresses and signatures: `keccak256`, `eip191.*`, `address.from_public_key`, `record.*` and
//! `request.verify`.

use assay_spec::crypto::secp256k1::{public_key, sign as sign_digest};
use assay_spec::crypto::text::{hex, prefixed_hex};
use assay_spec::network::requirements::signing as rows;
use assay_spec::network::signing;
use assay_spec::{Dialect, Id, Refused, Rules};
use serde_json::{Value, json};

use crate::bytes;
use crate::op::{Members, OpError};

/// The digest of any bytes.
pub(in crate::op) fn keccak256(
    _: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    Ok(json!({"hash": hex(&signing::keccak(&input.bytes("data")?, rules))}))
}

/// The digest of a personal message, its signature, and the signer's address.
pub(in crate::op) fn sign(_: &Dialect, input: &Members<'_>, rules: &mut dyn Rules) -> Result<Value, OpError> {
    let (secret, message) = (input.bytes("private_key")?, input.bytes("message")?);
    let key = signing::parse_secret_key(&secret, rules).map_err(staged)?;
    let digest = signing::digest(&message, rules);
    Ok(json!({
        "digest": hex(&digest),
        "signature": bytes::hex(&sign_digest(&key, &digest).to_bytes()),
        "address": signing::address_of(&public_key(&key), rules).to_string(),
    }))
}

/// The signer of a personal message.
pub(in crate::op) fn recover(
    _: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    let (message, signature) = (input.bytes("message")?, input.bytes("signature")?);
    let signer = signing::recover(&message, &prefixed_hex(&signature), rules).map_err(staged)?;
    Ok(json!({"address": signer.to_string()}))
}

/// The address of a public key.
pub(in crate::op) fn address(
    _: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    let key = signing::parse_public_key(input.text("public_key")?, rules).map_err(staged)?;
    Ok(json!({"address": signing::address_of(&key, rules).to_string()}))
}

/// The canonical JSON of a record and its digest.
pub(in crate::op) fn canonical_record(
    _: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    let canonical = signing::canonical(input.text("message_json")?, rules).map_err(staged)?;
    let digest = signing::record_digest(&canonical, rules);
    Ok(json!({"canonical": canonical, "digest": hex(&digest)}))
}

/// Whether a record is signed by its sender.
pub(in crate::op) fn verify_record(
    _: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    let (message, signature) = (input.text("message_json")?, input.text("signature")?);
    let signer = signing::verify_record(message, signature, input.text("sender")?, rules).map_err(staged)?;
    Ok(json!({"address": signer.to_string()}))
}

/// Whether a request is signed by its caller.
pub(in crate::op) fn verify_request(
    _: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    let (message, signature) = (input.text("message_json")?, input.text("signature")?);
    let signer =
        signing::verify_request(message, signature, input.text("address")?, rules).map_err(staged)?;
    Ok(json!({"address": signer.to_string()}))
}

fn staged(refused: Refused) -> OpError {
    let stage = stage(refused.rule);
    (refused, stage).into()
}

fn stage(row: Id) -> &'static str {
    let of_keys = [&rows::SIGNATURE_SCALARS, &rows::LOW_S, &rows::SIGNER];
    let of_members = [&rows::REQUEST_TIMESTAMP, &rows::REQUEST_NONCE];
    match row {
        row if of_keys.contains(&row) => "verify",
        row if of_members.contains(&row) => "check",
        _ => "parse",
    }
}

//! `envelope.seal`, `envelope.open`, `bundle.seal` and `bundle.open`.

use assay_spec::crypto::aead::Key;
use assay_spec::crypto::secp256k1::PublicKey;
use assay_spec::hosting::bundle;
use assay_spec::hosting::envelope::{self, Keys, Outcome, Reader};
use assay_spec::hosting::requirements::{bundle as bundle_rows, envelope as rows};
use assay_spec::hosting::wrapping::Ephemeral;
use assay_spec::{Dialect, Id, Rules};
use serde_json::{Value, json};

use super::keys::{ephemeral, private_key, public_key};
use super::{bad, staged};
use crate::bytes;
use crate::op::{Members, OpError};

/// Seals an envelope of version 3. All random values come from the input.
pub(in crate::op) fn seal_envelope(
    _: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    let plaintext = input.text("plaintext_json")?;
    let is_json = serde_json::from_str::<Value>(plaintext).is_ok();
    rules.require(&rows::JSON, is_json, || "the plaintext is not JSON".to_owned()).map_err(staged)?;
    let (dek, iv) = cipher(input, &rows::KEY_LENGTH, &rows::IV, rules)?;
    let (user_key, user) = recipient(input, "user", rules)?;
    let (encryption_key, encryption) = recipient(input, "encryption", rules)?;
    let recipients = envelope::Recipients { user: user_key, encryption: encryption_key };
    let secrets = envelope::Secrets { dek, iv, user, encryption };
    let sealed = envelope::seal(plaintext.as_bytes(), &recipients, &secrets, rules).map_err(staged)?;
    Ok(json!({"envelope": sealed.envelope}))
}

/// Opens an envelope with one key, in one of two roles.
pub(in crate::op) fn open_envelope(
    _: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    let reader = match input.text("role")? {
        "backend" => Reader::backend(),
        "recovery" => Reader::recovery(),
        _ => return Err(bad("role: backend or recovery is missing")),
    };
    let key = private_key(input, "private_key", rules)?;
    let (keys, row): (Keys, Id) = match input.text("dek")? {
        "user" => (Keys { wallet: Some(key), encryption: None }, &rows::USER),
        "encryption" => (Keys { wallet: None, encryption: Some(key) }, &rows::ENCRYPTION),
        _ => return Err(bad("dek: user or encryption is missing")),
    };
    let envelope = input.value("envelope").ok_or_else(|| bad("envelope: an object is missing"))?;
    match envelope::open(envelope, reader, &keys, rules).map_err(staged)? {
        Outcome::Opened(opened) => {
            Ok(json!({"plaintext": bytes::hex(opened.text.as_bytes()), "warnings": []}))
        }
        Outcome::Skipped { .. } => {
            Ok(json!({"plaintext": null, "warnings": [envelope::LEGACY_ENVELOPE_SKIPPED]}))
        }
        Outcome::Closed { version } => {
            rules
                .require(row, false, || format!("version {version} has no such recipient"))
                .map_err(staged)?;
            Ok(json!({"plaintext": null, "warnings": []}))
        }
    }
}

/// Seals a bundle. The output is the pinned file as a JSON object.
pub(in crate::op) fn seal_bundle(
    dialect: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    let tarball = input.bytes("tarball")?;
    let (dek, iv) = cipher(input, &bundle_rows::KEY_LENGTH, &bundle_rows::IV, rules)?;
    let (vm_key, vm) = recipient(input, "vm", rules)?;
    let (encryption_key, encryption) = recipient(input, "encryption", rules)?;
    let recipients = bundle::Recipients { vm: vm_key, encryption: encryption_key };
    let secrets = bundle::Secrets { dek, iv, vm, encryption };
    let sealed = bundle::seal(dialect, &tarball, &recipients, &secrets, rules).map_err(staged)?;
    let file: Value = serde_json::from_slice(&sealed.file).expect("a bundle is written as JSON");
    Ok(json!({"bundle": file}))
}

/// Opens a pinned file and returns its tarball. Without a stated hash none is compared.
pub(in crate::op) fn open_bundle(
    dialect: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    let file = input.bytes("bundle")?;
    let stated = input.optional_text("bundle_hash")?.map_or_else(|| bundle::hash(&file), str::to_owned);
    let key = private_key(input, "private_key", rules)?;
    let key = match input.text("dek")? {
        "vm" => bundle::Key::Vm(&key),
        "encryption" => bundle::Key::Encryption(&key),
        _ => return Err(bad("dek: vm or encryption is missing")),
    };
    let opened = bundle::open(dialect, &file, &stated, key, rules).map_err(staged)?;
    Ok(json!({"tarball": bytes::hex(&opened.tarball)}))
}

/// The key and the IV of the cipher.
fn cipher(
    input: &Members<'_>,
    key_row: Id,
    iv_row: Id,
    rules: &mut dyn Rules,
) -> Result<(Key, [u8; 12]), OpError> {
    let (dek, iv) = (input.bytes("dek")?, input.bytes("iv")?);
    rules.require(key_row, dek.len() == 32, || format!("dek has {} bytes", dek.len())).map_err(staged)?;
    rules.require(iv_row, iv.len() == 12, || format!("iv has {} bytes", iv.len())).map_err(staged)?;
    // Without the rule, either is cut or padded with zeros at the end.
    let at = |bytes: &[u8], n: usize| bytes.get(n).copied().unwrap_or_default();
    Ok((Key::new(std::array::from_fn(|n| at(&dek, n))), std::array::from_fn(|n| at(&iv, n))))
}

/// One member of `deks`: the recipient's key, and the ephemeral key and nonce.
fn recipient(
    input: &Members<'_>,
    name: &str,
    rules: &mut dyn Rules,
) -> Result<(PublicKey, Ephemeral), OpError> {
    let members = input.object("deks")?.object(name)?;
    Ok((public_key(&members, rules)?, ephemeral(&members, rules)?))
}

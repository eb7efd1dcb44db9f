//! Encrypts a bundle.

use serde_json::json;

use super::{ROWS, VERSION, hash, rows};
use crate::crypto::aead::{self, Key, Nonce};
use crate::crypto::secp256k1::PublicKey;
use crate::hosting::base64;
use crate::hosting::envelope::wrap;
use crate::hosting::sealed::{self, ALGORITHM};
use crate::hosting::wrapping::{Ephemeral, Wrapped};
use crate::{Dialect, Refused, Rules};

/// The recipients of a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipients {
    /// The virtual machine's public key, from its claim.
    pub vm: PublicKey,
    /// E's public key, from the security aggregate.
    pub encryption: PublicKey,
}

/// The random values, new for every bundle. It prints nothing.
#[derive(Clone)]
pub struct Secrets {
    /// The bundle's own key.
    pub dek: Key,
    /// Its IV.
    pub iv: [u8; 12],
    /// The wrapping for the virtual machine.
    pub vm: Ephemeral,
    /// The wrapping for E.
    pub encryption: Ephemeral,
}

/// A bundle's envelope, and the intermediate values.
pub struct Sealed {
    /// The file to pin.
    pub file: Vec<u8>,
    /// The record's `bundleHash`.
    pub hash: String,
    /// The key wrapped for the virtual machine.
    pub vm: Wrapped,
    /// The key wrapped for E.
    pub encryption: Wrapped,
}

/// Encrypts a tarball for both recipients.
pub fn seal(
    dialect: &Dialect,
    tarball: &[u8],
    recipients: &Recipients,
    secrets: &Secrets,
    rules: &mut dyn Rules,
) -> Result<Sealed, Refused> {
    let data = sealed::additional_data(&ROWS, rules);
    let (ciphertext, tag) = aead::seal(&secrets.dek, Nonce::Twelve(secrets.iv), data, tarball);
    let vm = wrap(&recipients.vm, &secrets.vm, &secrets.dek, &rows::VM_OPENS, rules)?;
    let encryption =
        wrap(&recipients.encryption, &secrets.encryption, &secrets.dek, &rows::KEY_E_OPENS, rules)?;
    let file = json!({
        "v": VERSION,
        "kind": dialect.bundle_kind,
        "alg": ALGORITHM,
        "ct": base64::write(&ciphertext, rules),
        "iv": base64::write(&secrets.iv, rules),
        "tag": base64::write(&tag, rules),
        "deks": {
            "vm": base64::write(&vm.bytes, rules),
            "encryption": base64::write(&encryption.bytes, rules),
        },
    })
    .to_string()
    .into_bytes();
    Ok(Sealed { hash: hash(&file), file, vm, encryption })
}

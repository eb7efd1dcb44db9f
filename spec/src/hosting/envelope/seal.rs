//! Encrypts an envelope.

use serde_json::{Value, json};

use super::{ROWS, VERSION, rows};
use crate::crypto::aead::{self, Key, Nonce};
use crate::crypto::secp256k1::PublicKey;
use crate::hosting::base64;
use crate::hosting::mistakes::envelope::{NO_OTHERS, OTHER_KEY};
use crate::hosting::sealed::{self, ALGORITHM};
use crate::hosting::wrapping::{self, Ephemeral, Wrapped};
use crate::{Id, Refused, Rules};

/// The recipients of an envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipients {
    /// The wallet's public key.
    pub user: PublicKey,
    /// E's public key.
    pub encryption: PublicKey,
}

/// The random values, new for every envelope. It prints nothing.
#[derive(Clone)]
pub struct Secrets {
    /// The envelope's own key.
    pub dek: Key,
    /// Its IV.
    pub iv: [u8; 12],
    /// The wrapping for the wallet.
    pub user: Ephemeral,
    /// The wrapping for E.
    pub encryption: Ephemeral,
}

/// An envelope of version 3, and the intermediate values.
pub struct Sealed {
    /// The envelope to store.
    pub envelope: Value,
    /// The key wrapped for the wallet.
    pub user: Wrapped,
    /// The key wrapped for E.
    pub encryption: Wrapped,
}

/// Encrypts a plaintext, which should be JSON, for both recipients.
pub fn seal(
    plaintext: &[u8],
    recipients: &Recipients,
    secrets: &Secrets,
    rules: &mut dyn Rules,
) -> Result<Sealed, Refused> {
    let data = sealed::additional_data(&ROWS, rules);
    let (ciphertext, tag) = aead::seal(&secrets.dek, Nonce::Twelve(secrets.iv), data, plaintext);
    let user = wrap(&recipients.user, &secrets.user, &secrets.dek, &rows::WALLET_OPENS, rules)?;
    let encryption =
        wrap(&recipients.encryption, &secrets.encryption, &secrets.dek, &rows::KEY_E_OPENS, rules)?;
    let deks = json!({
        "user": base64::write(&user.bytes, rules),
        "encryption": base64::write(&encryption.bytes, rules),
    });
    let deks = rules.keep(&NO_OTHERS, deks);
    let envelope = json!({
        "v": VERSION,
        "alg": ALGORITHM,
        "ct": base64::write(&ciphertext, rules),
        "iv": base64::write(&secrets.iv, rules),
        "tag": base64::write(&tag, rules),
        "deks": deks,
    });
    Ok(Sealed { envelope, user, encryption })
}

/// Wraps the key for a recipient, who opens with it what `rule` names.
pub(in crate::hosting) fn wrap(
    public: &PublicKey,
    ephemeral: &Ephemeral,
    dek: &Key,
    rule: Id,
    rules: &mut dyn Rules,
) -> Result<Wrapped, Refused> {
    let key = rules.keep(&OTHER_KEY.under(rule), dek.clone());
    wrapping::wrap(public, ephemeral, key.as_slice(), rules)
}

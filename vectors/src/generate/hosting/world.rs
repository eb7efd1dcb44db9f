//! Keys and bytes that several generators share, and ciphertexts of third-party libraries.

use assay_spec::crypto::secp256k1::{SigningKey, key_from_secret, public_key};
use assay_spec::crypto::text::prefixed_hex;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::bytes::{hex, parse_hex};
use crate::generate::keys;

/// The name of E where it is used like any other key.
pub(super) const E: &str = "encryption key E";

/// A named key.
pub(super) fn key(name: &str) -> SigningKey {
    key_from_secret(&keys::secret(name)).expect("the hash of a name is a scalar")
}

/// A named private key in the form of a case's input.
pub(super) fn secret(name: &str) -> Value {
    hex(&keys::secret(name))
}

/// A named public key as a prefixed hex string.
pub(super) fn public(name: &str) -> String {
    prefixed_hex(&public_key(&key(name)))
}

/// `count` reproducible random-looking bytes, at most 32.
pub(super) fn random(name: &str, count: usize) -> Vec<u8> {
    keys::bytes(name)[..count].to_vec()
}

/// A recipient of a wrapped key, with an ephemeral key and a nonce drawn from `draw` and `name`.
pub(super) fn recipient(name: &str, draw: &str) -> Value {
    json!({
        "public_key": public(name),
        "ephemeral_private_key": secret(&format!("ephemeral {draw} {name}")),
        "nonce": hex(&random(&format!("nonce {draw} {name}"), 16)),
    })
}

/// Ciphertexts that one library made for some of the keys.
#[derive(Deserialize)]
pub(super) struct Foreign {
    /// The library and its version.
    pub(super) source: String,
    /// The library call.
    #[serde(rename = "call")]
    _call: String,
    /// The ciphertexts.
    pub(super) cases: Vec<ForeignText>,
}

/// One ciphertext.
#[derive(Deserialize)]
pub(super) struct ForeignText {
    /// Its name.
    pub(super) name: String,
    /// The recipient.
    pub(super) key: String,
    /// The length of the nonce in bytes.
    pub(super) nonce: u16,
    /// The plaintext in hex.
    #[serde(rename = "plaintext")]
    _plaintext: String,
    ciphertext: String,
}

impl ForeignText {
    /// The ciphertext's bytes.
    pub(super) fn bytes(&self) -> Vec<u8> {
        parse_hex(&self.ciphertext).expect("hex")
    }
}

impl Foreign {
    /// The ciphertext with this name.
    pub(super) fn text(&self, name: &str) -> &ForeignText {
        self.cases.iter().find(|text| text.name == name).expect("the file has a ciphertext with this name")
    }

    /// The library's name in the names of cases.
    pub(super) fn library(&self) -> &str {
        self.source.split(' ').next().unwrap_or_default()
    }
}

/// The ciphertexts of eciespy and eciesjs.
pub(super) fn foreign() -> [Foreign; 2] {
    [include_str!("../foreign/eciespy.json"), include_str!("../foreign/eciesjs.json")]
        .map(|text| serde_json::from_str(text).expect("the files are well formed"))
}

/// The 32-byte key that both libraries wrapped.
pub(super) fn foreign_dek() -> [u8; 32] {
    keys::bytes("foreign dek")
}

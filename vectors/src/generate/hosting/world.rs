//! Keys and bytes that several generators speak of, and what other people's libraries encrypted.

use assay_spec::crypto::secp256k1::{SigningKey, key_from_secret, public_key};
use assay_spec::crypto::text::prefixed_hex;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::bytes::{hex, parse_hex};
use crate::generate::keys;

/// The name of E, where it is a key like any other.
pub(super) const E: &str = "encryption key E";

/// A named key.
pub(super) fn key(name: &str) -> SigningKey {
    key_from_secret(&keys::secret(name)).expect("the hash of a name is a scalar")
}

/// A named private key, as requests have it.
pub(super) fn secret(name: &str) -> Value {
    hex(&keys::secret(name))
}

/// A named public key, as texts have it.
pub(super) fn public(name: &str) -> String {
    prefixed_hex(&public_key(&key(name)))
}

/// So many bytes that look random, up to 32.
pub(super) fn random(name: &str, count: usize) -> Vec<u8> {
    keys::bytes(name)[..count].to_vec()
}

/// For whom a key is wrapped, and with what; drawn from a name of its own.
pub(super) fn recipient(name: &str, draw: &str) -> Value {
    json!({
        "public_key": public(name),
        "ephemeral_private_key": secret(&format!("ephemeral {draw} {name}")),
        "nonce": hex(&random(&format!("nonce {draw} {name}"), 16)),
    })
}

/// What another library encrypted for one of the keys.
#[derive(Deserialize)]
pub(super) struct Foreign {
    /// The library and its version.
    pub(super) source: String,
    /// What was called.
    #[serde(rename = "call")]
    _call: String,
    /// The texts.
    pub(super) cases: Vec<ForeignText>,
}

/// One text.
#[derive(Deserialize)]
pub(super) struct ForeignText {
    /// What it is called.
    pub(super) name: String,
    /// The recipient.
    pub(super) key: String,
    /// Bytes of the nonce.
    pub(super) nonce: u16,
    /// What was encrypted, in hex.
    #[serde(rename = "plaintext")]
    _plaintext: String,
    ciphertext: String,
}

impl ForeignText {
    /// Its bytes.
    pub(super) fn bytes(&self) -> Vec<u8> {
        parse_hex(&self.ciphertext).expect("hex")
    }
}

impl Foreign {
    /// The text of a name.
    pub(super) fn text(&self, name: &str) -> &ForeignText {
        self.cases.iter().find(|text| text.name == name).expect("it stands in the file")
    }

    /// How the library is called in the names of cases.
    pub(super) fn library(&self) -> &str {
        self.source.split(' ').next().unwrap_or_default()
    }
}

/// What eciespy and eciesjs encrypted.
pub(super) fn foreign() -> [Foreign; 2] {
    [include_str!("../foreign/eciespy.json"), include_str!("../foreign/eciesjs.json")]
        .map(|text| serde_json::from_str(text).expect("the files are well formed"))
}

/// The name of a foreign draw of 32 bytes: the key that both libraries wrapped.
pub(super) fn foreign_dek() -> [u8; 32] {
    keys::bytes("foreign dek")
}

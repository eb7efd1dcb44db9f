//! Ed25519 keys and signatures, with strict verification only.
//!
//! Small-order keys, mixed points and non-canonical scalars are rejected, as the chain itself does.

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};

use super::memo::recall;

/// A signing key from its 32-byte seed.
pub fn key_from_seed(seed: [u8; 32]) -> SigningKey {
    recall("ed25519 key", &[&seed], || SigningKey::from_bytes(&seed))
}

/// The base58 form of the public key.
pub fn address(key: &SigningKey) -> String {
    bs58::encode(key.verifying_key().as_bytes()).into_string()
}

/// Signs `message`; plain Ed25519, no pre-hashing.
pub fn sign(key: &SigningKey, message: &[u8]) -> [u8; 64] {
    recall("ed25519 sign", &[key.as_bytes(), message], || key.sign(message).to_bytes())
}

/// Whether `signature` is a valid signature of exactly `message` by `public_key`.
pub fn verifies(public_key: &[u8; 32], message: &[u8], signature: &[u8; 64]) -> bool {
    recall("ed25519 verify", &[public_key, message, signature], || {
        VerifyingKey::from_bytes(public_key)
            .is_ok_and(|key| key.verify_strict(message, &Signature::from_bytes(signature)).is_ok())
    })
}

/// Parses a base58 public key of 32 bytes.
pub fn parse_address(text: &str) -> Option<[u8; 32]> {
    // A 32-byte key has at most 44 characters. Do not decode longer strings.
    if text.len() > 44 {
        return None;
    }
    bs58::decode(text).into_vec().ok()?.try_into().ok()
}

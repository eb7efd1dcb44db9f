//! The test keys of the cases. A private key is the SHA-256 of the seed and the key's name, so all are public.

use assay_spec::crypto::ed25519;
use ed25519_dalek::SigningKey;
use sha2::{Digest, Sha256};

/// The seed of every key and every random byte in the cases.
pub const SEED: &str = "assay vectors 1";

/// The names of the keys.
pub const NAMES: [&str; 4] = ["client", "incoming", "fee payer", "stranger"];

/// The 32-byte seed of a named key.
pub fn secret(name: &str) -> [u8; 32] {
    bytes(&format!("key {name}"))
}

/// A named key.
pub fn key(name: &str) -> SigningKey {
    ed25519::key_from_seed(secret(name))
}

/// The base58 address of a named key.
pub fn address(name: &str) -> String {
    ed25519::address(&key(name))
}

/// The key with this address.
pub fn by_address(address: &str) -> Option<SigningKey> {
    NAMES.into_iter().map(key).find(|key| ed25519::address(key) == address)
}

/// Thirty-two reproducible bytes for other random-looking values, such as a blockhash.
pub fn bytes(name: &str) -> [u8; 32] {
    Sha256::digest(format!("{SEED}/{name}")).into()
}

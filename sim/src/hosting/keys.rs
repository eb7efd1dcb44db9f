//! Keys of accounts and machines. They come from the world's keyed draws, so a seed reproduces them.

use std::fmt;

use assay_spec::crypto::address::Address;
use assay_spec::crypto::secp256k1::{PublicKey, SigningKey, key_from_secret, public_key};
use assay_spec::crypto::text::prefixed_hex;

use crate::core::Core;

/// A valid private key. `Debug` does not print it.
#[derive(Clone, PartialEq)]
pub(super) struct Secret([u8; 32]);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl Secret {
    /// The key with these bytes, if it is valid.
    pub(super) fn from_bytes(bytes: [u8; 32]) -> Option<Secret> {
        key_from_secret(&bytes).map(|_| Secret(bytes))
    }

    /// The `n`th key of a kind.
    pub(super) fn draw(core: &Core, kind: &str, n: u64) -> Secret {
        let mut draws = (0..).map(|again: u64| {
            let key = [n.to_be_bytes(), again.to_be_bytes()].concat();
            core.rng.draw("hosting.key", &[kind.as_bytes(), b" ", &key].concat(), n)
        });
        draws.find_map(Secret::from_bytes).expect("nearly every draw is a valid key")
    }

    /// The key.
    pub(super) fn key(&self) -> SigningKey {
        key_from_secret(&self.0).expect("the key was valid when it was created")
    }

    /// The public key.
    pub(super) fn public(&self) -> PublicKey {
        public_key(&self.key())
    }

    /// The public key in the form of records.
    pub(super) fn public_text(&self) -> String {
        prefixed_hex(&self.public())
    }

    /// The address with its EIP-55 checksum.
    pub(super) fn address(&self) -> String {
        Address::from_key(&self.key()).to_string()
    }

    /// The private key, for its owner.
    pub(super) fn reveal(&self) -> String {
        prefixed_hex(&self.0)
    }
}

/// The backend's delegate; the same for all users.
pub(super) fn delegate(core: &Core) -> Secret {
    Secret::draw(core, "delegate", 0)
}

/// A key that no user has authorized.
pub(super) fn stranger(core: &Core) -> Secret {
    Secret::draw(core, "stranger", 0)
}

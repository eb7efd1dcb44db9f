//! Keys of accounts and machines. They come from the world's keyed draws, so that a seed repeats them.

use std::fmt;

use assay_spec::crypto::address::Address;
use assay_spec::crypto::secp256k1::{PublicKey, SigningKey, key_from_secret, public_key};
use assay_spec::crypto::text::prefixed_hex;

use crate::core::Core;

/// A private key that is good. It prints nothing of itself.
#[derive(Clone)]
pub(super) struct Secret([u8; 32]);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl Secret {
    /// The key of these bytes, if they are one.
    pub(super) fn of(bytes: [u8; 32]) -> Option<Secret> {
        key_from_secret(&bytes).map(|_| Secret(bytes))
    }

    /// The key number `n` of a kind.
    pub(super) fn draw(core: &Core, kind: &str, n: u64) -> Secret {
        let mut draws = (0..).map(|again: u64| {
            let key = [n.to_be_bytes(), again.to_be_bytes()].concat();
            core.rng.draw("hosting.key", &[kind.as_bytes(), b" ", &key].concat(), n)
        });
        draws.find_map(Secret::of).expect("nearly every draw is a key")
    }

    /// The key.
    pub(super) fn key(&self) -> SigningKey {
        key_from_secret(&self.0).expect("it was a key when it was kept")
    }

    /// The public key.
    pub(super) fn public(&self) -> PublicKey {
        public_key(&self.key())
    }

    /// The public key as records write it.
    pub(super) fn public_text(&self) -> String {
        prefixed_hex(&self.public())
    }

    /// The address, its letters cased by the checksum.
    pub(super) fn address(&self) -> String {
        Address::of(&self.key()).to_string()
    }

    /// The key itself, for its user.
    pub(super) fn reveal(&self) -> String {
        prefixed_hex(&self.0)
    }
}

/// The backend's delegate: one for all users.
pub(super) fn delegate(core: &Core) -> Secret {
    Secret::draw(core, "delegate", 0)
}

/// Somebody whom nobody has authorised.
pub(super) fn stranger(core: &Core) -> Secret {
    Secret::draw(core, "stranger", 0)
}

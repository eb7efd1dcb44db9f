//! Wallets, their signatures, and constants that several generators share.

use assay_spec::crypto::address::Address;
use assay_spec::crypto::secp256k1::{SigningKey, key_from_secret};
use assay_spec::crypto::{eip191, secp256k1};

use crate::generate::keys::secret;

/// The order of the curve's group, in hex.
pub(super) const ORDER: &str = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
/// A zero scalar in hex.
pub(super) const ZERO: &str = "0000000000000000000000000000000000000000000000000000000000000000";
/// No point of the curve has 5 as its x coordinate.
pub(super) const NO_COORDINATE: &str = "0000000000000000000000000000000000000000000000000000000000000005";

/// The key of a named wallet.
pub(super) fn wallet(name: &str) -> SigningKey {
    key_from_secret(&secret(name)).expect("the hash of a name is a scalar")
}

/// The checksummed address of a named wallet.
pub(super) fn address(name: &str) -> String {
    Address::from_key(&wallet(name)).to_string()
}

/// A wallet's signature over a personal message.
pub(super) fn personal(name: &str, message: &[u8]) -> [u8; 65] {
    eip191::sign(&wallet(name), message).to_bytes()
}

/// A wallet's signature over 32 bytes without any prefix.
pub(super) fn bare(name: &str, digest: &[u8; 32]) -> [u8; 65] {
    secp256k1::sign(&wallet(name), digest).to_bytes()
}

/// The other signature of the same message: the order minus s, with the other v.
pub(super) fn mirrored(mut signature: [u8; 65]) -> [u8; 65] {
    let order = crate::bytes::parse_hex(ORDER).expect("hex");
    let mut borrow = 0_i16;
    for n in (0..32).rev() {
        let digit = i16::from(order[n]) - i16::from(signature[32 + n]) - borrow;
        borrow = i16::from(digit < 0);
        signature[32 + n] = u8::try_from(digit.rem_euclid(256)).expect("a byte");
    }
    signature[64] = 55 - signature[64];
    signature
}

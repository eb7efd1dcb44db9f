//! Wallets, their signatures, and texts that several generators speak of.

use assay_spec::crypto::address::Address;
use assay_spec::crypto::secp256k1::{SigningKey, key_from_secret};
use assay_spec::crypto::{eip191, secp256k1};

use crate::generate::keys::secret;

/// The order of the curve's group.
pub(super) const ORDER: &str = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
/// A text of the length of a scalar, all zero.
pub(super) const ZERO: &str = "0000000000000000000000000000000000000000000000000000000000000000";
/// Five is the first coordinate of no point of the curve.
pub(super) const NO_COORDINATE: &str = "0000000000000000000000000000000000000000000000000000000000000005";

/// A named wallet's key.
pub(super) fn wallet(name: &str) -> SigningKey {
    key_from_secret(&secret(name)).expect("the hash of a name is a scalar")
}

/// A named wallet's address, with its checksum.
pub(super) fn address(name: &str) -> String {
    Address::of(&wallet(name)).to_string()
}

/// A wallet's signature over a personal message.
pub(super) fn personal(name: &str, message: &[u8]) -> [u8; 65] {
    eip191::sign(&wallet(name), message).to_bytes()
}

/// A wallet's signature over 32 bytes without any prefix.
pub(super) fn bare(name: &str, digest: &[u8; 32]) -> [u8; 65] {
    secp256k1::sign(&wallet(name), digest).to_bytes()
}

/// The other signature of the same message: the order less s, and the other v.
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

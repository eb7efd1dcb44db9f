//! ECIES over secp256k1 as the cross-language libraries write it: ephemeral public key (65 bytes, 0x04 first), nonce
//! (16 bytes, optionally 12), tag (16 bytes), ciphertext.
//!
//! The key is HKDF-SHA256, without salt and info, over the ephemeral key and the shared point, both uncompressed. The
//! cipher is AES-256-GCM without additional data. The caller passes ephemeral keys and nonces: nothing here is random.

use hkdf::Hkdf;
use k256::ProjectivePoint;
use k256::ecdsa::VerifyingKey;
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::crypto::aead::{self, Key, Nonce, Tag};
use crate::crypto::memo::recall;
use crate::crypto::secp256k1::{self, PublicKey, SigningKey};

/// Length of the ephemeral public key, in bytes.
pub const EPHEMERAL_BYTES: usize = 65;
/// Length of the tag, in bytes.
pub const TAG_BYTES: usize = 16;

/// The length of the nonce.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NonceLength {
    /// 16 bytes, the libraries' default.
    #[default]
    Sixteen,
    /// 12 bytes, an option of the libraries.
    Twelve,
}

impl NonceLength {
    /// In bytes.
    pub const fn bytes(self) -> usize {
        match self {
            NonceLength::Sixteen => 16,
            NonceLength::Twelve => 12,
        }
    }

    /// Bytes before the ciphertext.
    pub const fn overhead(self) -> usize {
        EPHEMERAL_BYTES + self.bytes() + TAG_BYTES
    }

    /// The nonce length that follows from the whole length and the plaintext's length; 16 if neither fits.
    pub const fn of_length(whole: usize, plaintext: usize) -> NonceLength {
        if whole == NonceLength::Twelve.overhead() + plaintext {
            NonceLength::Twelve
        } else {
            NonceLength::Sixteen
        }
    }
}

/// Why decryption failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Shorter than the fixed parts.
    #[error("{0} bytes are too few for an ephemeral key, a nonce and a tag")]
    Length(usize),
    /// The ephemeral key is compressed, hybrid, the point at infinity or not a key.
    #[error("the ephemeral key begins with {0:#04x}")]
    Prefix(u8),
    /// The ephemeral key is not a point on the curve.
    #[error("the ephemeral key is not a point on the curve")]
    Point,
    /// The data was changed, or is encrypted for another key.
    #[error("the tag does not match")]
    Authentic,
}

/// The parts of encrypted data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts<'a> {
    /// The ephemeral key's bytes, not validated.
    pub ephemeral: &'a PublicKey,
    /// The nonce.
    pub nonce: Nonce,
    /// The tag.
    pub tag: &'a Tag,
    /// The ciphertext.
    pub ciphertext: &'a [u8],
}

/// Splits encrypted data; `None` if it is too short.
pub fn split(bytes: &[u8], nonce: NonceLength) -> Option<Parts<'_>> {
    let (ephemeral, rest) = bytes.split_first_chunk()?;
    let (nonce, rest) = rest.split_at_checked(nonce.bytes())?;
    let (tag, ciphertext) = rest.split_first_chunk()?;
    Some(Parts { ephemeral, nonce: Nonce::from_slice(nonce)?, tag, ciphertext })
}

/// Joins the parts to encrypted data.
pub fn join(parts: &Parts<'_>) -> Vec<u8> {
    [&parts.ephemeral[..], parts.nonce.as_bytes(), parts.tag, parts.ciphertext].concat()
}

/// The shared point of a private key and another public key, uncompressed. `None` if the public key is not an
/// uncompressed point.
pub fn shared_point(key: &SigningKey, public: &PublicKey) -> Option<Zeroizing<PublicKey>> {
    recall("secp256k1 shared point", &[&key.to_bytes(), public], || {
        let public = secp256k1::parse_public_key(public)?;
        let public = VerifyingKey::from_sec1_bytes(&public).ok()?;
        let shared = ProjectivePoint::from(*public.as_affine()) * key.as_nonzero_scalar().as_ref();
        let shared = VerifyingKey::from_affine(shared.to_affine()).ok()?;
        let mut point = Zeroizing::new([0; EPHEMERAL_BYTES]);
        point.copy_from_slice(shared.to_sec1_point(false).as_bytes());
        Some(point)
    })
}

/// The input of the key derivation: the ephemeral key and the shared point.
pub fn key_material(ephemeral: &PublicKey, shared: &PublicKey) -> Zeroizing<Vec<u8>> {
    let mut material = Zeroizing::new(Vec::with_capacity(2 * EPHEMERAL_BYTES));
    material.extend_from_slice(ephemeral);
    material.extend_from_slice(shared);
    material
}

/// The cipher's key: 32 bytes of HKDF-SHA256, no salt, no info.
pub fn derive_key(material: &[u8]) -> Key {
    let mut key = Zeroizing::new([0; 32]);
    let expanded = Hkdf::<Sha256>::new(None, material).expand(&[], key.as_mut_slice());
    expanded.expect("32 bytes are one block of the hash");
    key
}

/// Encrypts for `recipient`; `None` if it is not a point on the curve.
pub fn encrypt(
    recipient: &PublicKey,
    ephemeral: &SigningKey,
    nonce: Nonce,
    plaintext: &[u8],
) -> Option<Vec<u8>> {
    let shared = shared_point(ephemeral, recipient)?;
    let ephemeral = secp256k1::public_key(ephemeral);
    let key = derive_key(&key_material(&ephemeral, &shared));
    let (ciphertext, tag) = aead::seal(&key, nonce, &[], plaintext);
    Some(join(&Parts { ephemeral: &ephemeral, nonce, tag: &tag, ciphertext: &ciphertext }))
}

/// Decrypts data that was encrypted for `key`.
pub fn decrypt(key: &SigningKey, bytes: &[u8], nonce: NonceLength) -> Result<Zeroizing<Vec<u8>>, Fault> {
    let parts = split(bytes, nonce).ok_or(Fault::Length(bytes.len()))?;
    if parts.ephemeral[0] != 4 {
        return Err(Fault::Prefix(parts.ephemeral[0]));
    }
    let shared = shared_point(key, parts.ephemeral).ok_or(Fault::Point)?;
    let key = derive_key(&key_material(parts.ephemeral, &shared));
    aead::open(&key, parts.nonce, &[], parts.ciphertext, parts.tag).ok_or(Fault::Authentic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::secp256k1::{key_from_secret, public_key};
    use crate::crypto::text::{hex, parse_hex};

    const SIXTEEN: Nonce = Nonce::Sixteen([9; 16]);

    fn key(fill: u8) -> SigningKey {
        key_from_secret(&[fill; 32]).expect("a scalar")
    }

    fn small(number: u16) -> SigningKey {
        let mut secret = [0; 32];
        secret[30..].copy_from_slice(&number.to_be_bytes());
        key_from_secret(&secret).expect("a scalar")
    }

    #[test]
    fn both_sides_derive_the_same_point() {
        let (a, b) = (key(3), key(5));
        let (public_a, public_b) = (public_key(&a), public_key(&b));
        assert_eq!(shared_point(&a, &public_b), shared_point(&b, &public_a));
        // With 1 as the private key, the shared point is the other public key.
        assert_eq!(shared_point(&small(1), &public_a).as_deref(), Some(&public_a));
    }

    #[test]
    fn key_derivation_matches_the_libraries() {
        assert_eq!(
            hex(&*derive_key(b"secret")),
            "2f34e5ff91ec85d53ca9b543683174d0cf550b60d5f52b24c97b386cfcf6cbbf"
        );
    }

    #[test]
    fn both_nonce_lengths_round_trip() {
        for (nonce, length, whole) in
            [(SIXTEEN, NonceLength::Sixteen, 129), (Nonce::Twelve([9; 12]), NonceLength::Twelve, 125)]
        {
            let wrapped = encrypt(&public_key(&key(3)), &key(5), nonce, &[7; 32]).unwrap();
            assert_eq!(wrapped.len(), whole);
            assert_eq!(NonceLength::of_length(whole, 32), length);
            assert_eq!(decrypt(&key(3), &wrapped, length).as_deref(), Ok(&vec![7; 32]));
            assert_eq!(split(&wrapped, length).map(|parts| join(&parts)), Some(wrapped.clone()));
            assert_eq!(decrypt(&key(4), &wrapped, length), Err(Fault::Authentic));
        }
    }

    #[test]
    fn data_without_its_fixed_parts_is_rejected() {
        let wrapped = encrypt(&public_key(&key(3)), &key(5), SIXTEEN, &[]).unwrap();
        assert_eq!(wrapped.len(), 97);
        assert_eq!(decrypt(&key(3), &wrapped, NonceLength::Sixteen).as_deref(), Ok(&Vec::new()));
        for length in 0..97 {
            let read = decrypt(&key(3), &wrapped[..length], NonceLength::Sixteen);
            assert_eq!(read, Err(Fault::Length(length)));
        }
    }

    #[test]
    fn only_uncompressed_points_are_ephemeral_keys() {
        let wrapped = encrypt(&public_key(&key(3)), &key(5), SIXTEEN, &[7; 32]).unwrap();
        for prefix in [0, 2, 3, 5, 6, 7, 0x84, 255] {
            let mut bad = wrapped.clone();
            bad[0] = prefix;
            assert_eq!(decrypt(&key(3), &bad, NonceLength::Sixteen), Err(Fault::Prefix(prefix)));
        }
        let mut off = wrapped.clone();
        off[64] ^= 1;
        let mut zero = wrapped.clone();
        zero[1..65].fill(0);
        // A coordinate that is not below the field's prime.
        let mut large = wrapped.clone();
        large[1..33].fill(0xff);
        for bad in [off, zero, large] {
            assert_eq!(decrypt(&key(3), &bad, NonceLength::Sixteen), Err(Fault::Point));
        }
    }

    /// A library that writes the coordinate as a number would drop its first byte.
    #[test]
    fn leading_zero_of_the_shared_point_is_kept() {
        let recipient = key(3);
        let found = (1..2000).map(small).find(|ephemeral| {
            shared_point(ephemeral, &public_key(&recipient)).is_some_and(|point| point[1] == 0)
        });
        let ephemeral = found.expect("one in 256 begins with zero");
        let wrapped = encrypt(&public_key(&recipient), &ephemeral, SIXTEEN, b"text").unwrap();
        assert_eq!(ecies::decrypt(&[3; 32], &wrapped).as_deref(), Ok(&b"text"[..]));
        let read = decrypt(&recipient, &wrapped, NonceLength::Sixteen);
        assert_eq!(read.as_deref().map(|text| &text[..]), Ok(&b"text"[..]));
    }

    #[test]
    fn recipients_are_points_on_the_curve() {
        let mut off = public_key(&key(3));
        off[64] ^= 1;
        assert_eq!(encrypt(&off, &key(5), SIXTEEN, &[]), None);
        assert!(parse_hex("00").is_some_and(|short| split(&short, NonceLength::Twelve).is_none()));
    }
}

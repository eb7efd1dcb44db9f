//! secp256k1 keys and recoverable signatures.
//!
//! Signing uses RFC 6979 nonces, the lower of the two values of s, and v of 27 or 28. Parsing accepts more: the caller
//! decides what to reject.

use k256::ecdsa::{RecoveryId, VerifyingKey};

pub use k256::ecdsa::SigningKey;

use super::memo::recall;

/// An uncompressed public key: 0x04, X, Y.
pub type PublicKey = [u8; 65];

/// A signing key from its 32 bytes; `None` if they are zero or not below the curve's order.
pub fn key_from_secret(secret: &[u8; 32]) -> Option<SigningKey> {
    recall("secp256k1 key", &[secret], || SigningKey::from_slice(secret).ok())
}

/// The public key, uncompressed.
pub fn public_key(key: &SigningKey) -> PublicKey {
    uncompressed(key.verifying_key())
}

/// Parses a public key: 0x04 and the two coordinates of a point on the curve.
pub fn parse_public_key(bytes: &[u8]) -> Option<PublicKey> {
    let bytes: PublicKey = bytes.try_into().ok()?;
    (bytes[0] == 4 && VerifyingKey::from_sec1_bytes(&bytes).is_ok()).then_some(bytes)
}

/// Parses any encoding of a public key: uncompressed, hybrid or compressed.
pub fn parse_any_public_key(bytes: &[u8]) -> Option<PublicKey> {
    VerifyingKey::from_sec1_bytes(bytes).ok().map(|key| uncompressed(&key))
}

/// A signature: r, s and v.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// r and s, big-endian, one after the other.
    pub rs: [u8; 64],
    /// 27 or 28 when signing; 0 and 1 mean the same.
    pub v: u8,
}

impl Signature {
    /// The 65 bytes.
    pub fn to_bytes(self) -> [u8; 65] {
        let mut bytes = [0; 65];
        bytes[..64].copy_from_slice(&self.rs);
        bytes[64] = self.v;
        bytes
    }

    /// From the 65 bytes, without any check.
    pub fn from_bytes(bytes: &[u8; 65]) -> Signature {
        let mut rs = [0; 64];
        rs.copy_from_slice(&bytes[..64]);
        Signature { rs, v: bytes[64] }
    }

    /// Whether s is the lower of its two values.
    pub fn has_low_s(self) -> bool {
        k256::ecdsa::Signature::from_slice(&self.rs)
            .is_ok_and(|signature| signature.normalize_s() == signature)
    }

    /// The other signature of the same digest by the same key: the order minus s, and the other v.
    #[must_use]
    pub fn mirrored(self) -> Signature {
        let Ok(signature) = k256::ecdsa::Signature::from_slice(&self.rs) else { return self };
        let (r, s) = signature.split_scalars();
        let Ok(other) = k256::ecdsa::Signature::from_scalars(*r, -*s) else { return self };
        let mut rs = [0; 64];
        rs.copy_from_slice(&other.to_bytes());
        Signature { rs, v: self.v ^ if self.v < 27 { 1 } else { 7 } }
    }

    /// The public key that signed `digest`. `None` if r or s is zero or not below the order, if r is not a coordinate,
    /// or if v is not one of its four values.
    pub fn recover(self, digest: &[u8; 32]) -> Option<PublicKey> {
        let odd = match self.v {
            0 | 27 => false,
            1 | 28 => true,
            _ => return None,
        };
        recall("secp256k1 recover", &[digest, &self.rs, &[odd.into()]], || {
            let signature = k256::ecdsa::Signature::from_slice(&self.rs).ok()?;
            let recovered =
                VerifyingKey::recover_from_prehash(digest, &signature, RecoveryId::new(odd, false));
            recovered.ok().map(|key| uncompressed(&key))
        })
    }
}

/// Signs a digest of 32 bytes.
pub fn sign(key: &SigningKey, digest: &[u8; 32]) -> Signature {
    recall("secp256k1 sign", &[&key.to_bytes(), digest], || {
        let (signature, recovery) = key.sign_prehash_recoverable(digest);
        let mut rs = [0; 64];
        rs.copy_from_slice(&signature.to_bytes());
        // One signature in 2^127 has an r that was reduced by the order. v of 27 or 28 cannot express that.
        Signature { rs, v: 27 + u8::from(recovery.is_y_odd()) }
    })
}

fn uncompressed(key: &VerifyingKey) -> PublicKey {
    key.to_sec1_point(false).as_bytes().try_into().expect("an uncompressed point has 65 bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDER: &str = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";

    fn bytes32(text: &str) -> [u8; 32] {
        crate::crypto::text::parse_hex(text).unwrap().try_into().unwrap()
    }

    #[test]
    fn zero_and_the_order_are_not_keys() {
        assert!(key_from_secret(&[0; 32]).is_none());
        assert!(key_from_secret(&bytes32(ORDER)).is_none());
        let mut last = bytes32(ORDER);
        last[31] -= 1;
        assert!(key_from_secret(&last).is_some());
    }

    #[test]
    fn points_off_the_curve_and_other_forms_are_rejected() {
        let good = public_key(&key_from_secret(&[7; 32]).unwrap());
        assert_eq!(parse_public_key(&good), Some(good));
        let mut off = good;
        off[64] ^= 1;
        let mut hybrid = good;
        hybrid[0] = 6 + (good[64] & 1);
        let compressed: Vec<u8> = std::iter::once(2 + (good[64] & 1)).chain(good[1..33].to_vec()).collect();
        for bad in [&off[..], &hybrid, &compressed, &good[..64], &[]] {
            assert_eq!(parse_public_key(bad), None);
        }
        assert_eq!(parse_any_public_key(&compressed), Some(good));
    }

    #[test]
    fn scalars_out_of_range_recover_nothing() {
        let key = key_from_secret(&[7; 32]).unwrap();
        let signature = sign(&key, &[1; 32]);
        assert_eq!(signature.recover(&[1; 32]), Some(public_key(&key)));
        for at in [0, 32] {
            for value in [[0; 32], bytes32(ORDER), [0xff; 32]] {
                let mut bad = signature;
                bad.rs[at..at + 32].copy_from_slice(&value);
                assert_eq!(bad.recover(&[1; 32]), None, "{value:?} at {at}");
            }
        }
        for v in [2, 26, 29, 255] {
            assert_eq!(Signature { v, ..signature }.recover(&[1; 32]), None, "{v}");
        }
    }
}

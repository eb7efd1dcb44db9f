//! Encrypts a message for one recipient (document 2, "Primitives"), rule by rule and step by step.

use std::borrow::Cow;

use zeroize::Zeroizing;

use crate::crypto::aead::{self, Key, Nonce};
use crate::crypto::ecies::{self, NonceLength, Parts};
use crate::crypto::secp256k1::{self, PublicKey, SigningKey};
use crate::hosting::mistakes::ecies::{
    ADDITIONAL_DATA, AUTHENTIC, DERIVATION, EPHEMERAL_POINT, EPHEMERAL_PREFIX, LENGTH, RECIPIENT,
    SHARED_POINT,
};
use crate::{Refused, Rules};

/// The sender's random values, new for every message.
#[derive(Clone)]
pub struct Ephemeral {
    /// The ephemeral key pair.
    pub key: SigningKey,
    /// The nonce; the layout decides its length.
    pub nonce: Nonce,
}

/// The steps from two keys to the cipher's key. They print nothing: each of them is secret.
pub struct Agreement {
    /// The shared point: 65 bytes, uncompressed.
    pub shared_point: Zeroizing<PublicKey>,
    /// The input of the key derivation: 130 bytes.
    pub key_material: Zeroizing<Vec<u8>>,
    /// The cipher's key.
    pub key: Key,
}

/// An encrypted message.
pub struct Wrapped {
    /// Ephemeral key, nonce, tag, ciphertext.
    pub bytes: Vec<u8>,
    /// The derivation of its key.
    pub agreement: Agreement,
}

/// A decrypted message.
pub struct Unwrapped {
    /// The plaintext.
    pub plaintext: Zeroizing<Vec<u8>>,
    /// The derivation of its key; none if a rule that it needs is violated.
    pub agreement: Option<Agreement>,
}

/// Reads a recipient's key: 65 bytes, a point on the curve.
pub fn recipient(bytes: &[u8], rules: &mut dyn Rules) -> Result<PublicKey, Refused> {
    rules.read(&RECIPIENT, bytes, |bytes| {
        secp256k1::parse_public_key(bytes)
            .ok_or_else(|| "the recipient's key is not a point on the curve".to_owned())
    })
}

/// Encrypts `plaintext` for the owner of a public key.
pub fn wrap(
    public: &[u8],
    ephemeral: &Ephemeral,
    plaintext: &[u8],
    rules: &mut dyn Rules,
) -> Result<Wrapped, Refused> {
    let public = recipient(public, rules)?;
    let own = secp256k1::public_key(&ephemeral.key);
    let shared = ecies::shared_point(&ephemeral.key, &public).expect("the recipient's key is a point");
    let agreement = agree(&own, shared, rules);
    let data = rules.derive(&ADDITIONAL_DATA, &own, |_| &[]);
    let (ciphertext, tag) = aead::seal(&agreement.key, ephemeral.nonce, data, plaintext);
    let parts = Parts { ephemeral: &own, nonce: ephemeral.nonce, tag: &tag, ciphertext: &ciphertext };
    Ok(Wrapped { bytes: ecies::join(&parts), agreement })
}

/// Decrypts a message for `key`.
pub fn unwrap(
    key: &SigningKey,
    bytes: &[u8],
    nonce: NonceLength,
    rules: &mut dyn Rules,
) -> Result<Unwrapped, Refused> {
    let is_whole = ecies::split(bytes, nonce).is_some();
    let short = || format!("the wrapped key has {} bytes, too few", bytes.len());
    rules.require(&LENGTH, is_whole, short)?;
    let bytes = rules.read(&EPHEMERAL_PREFIX, bytes, |bytes| match bytes.first() {
        Some(first) if *first != 4 => Err(format!("the ephemeral key starts with {first:#04x}, not 0x04")),
        _ => Ok(Cow::Borrowed(bytes)),
    })?;
    let Some(parts) = ecies::split(&bytes, nonce) else {
        return rules.refuse(&LENGTH, (), short());
    };
    let Some(shared) = ecies::shared_point(key, parts.ephemeral) else {
        return rules.refuse(&EPHEMERAL_POINT, &parts, "the ephemeral key is not a point on the curve");
    };
    let agreement = agree(parts.ephemeral, shared, rules);
    let data = rules.derive(&ADDITIONAL_DATA, parts.ephemeral, |_| &[]);
    let plaintext = rules.read(&AUTHENTIC, (&agreement.key, &parts), |(key, parts)| {
        aead::open(key, parts.nonce, data, parts.ciphertext, parts.tag)
            .ok_or_else(|| "the authentication tag does not match".to_owned())
    })?;
    Ok(Unwrapped { plaintext, agreement: Some(agreement) })
}

fn agree(ephemeral: &PublicKey, shared_point: Zeroizing<PublicKey>, rules: &mut dyn Rules) -> Agreement {
    let key_material = rules.derive(&SHARED_POINT, (ephemeral, &*shared_point), |(ephemeral, shared)| {
        ecies::key_material(ephemeral, shared)
    });
    let key = rules.derive(&DERIVATION, key_material.as_slice(), ecies::derive_key);
    Agreement { shared_point, key_material, key }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::secp256k1::{key_from_secret, public_key};
    use crate::hosting::requirements::ecies::{
        ADDITIONAL_DATA, AUTHENTIC, DERIVATION, EPHEMERAL_POINT, EPHEMERAL_PREFIX, LENGTH, RECIPIENT,
        SHARED_POINT,
    };
    use crate::{Id, Strict, Without};

    const LAYOUT: NonceLength = NonceLength::Sixteen;

    fn key(fill: u8) -> SigningKey {
        key_from_secret(&[fill; 32]).expect("a scalar")
    }

    fn ephemeral() -> Ephemeral {
        Ephemeral { key: key(5), nonce: Nonce::Sixteen([9; 16]) }
    }

    fn wrapped() -> Vec<u8> {
        wrap(&public_key(&key(3)), &ephemeral(), &[7; 32], &mut Strict).map(|w| w.bytes).expect("a point")
    }

    fn read(bytes: &[u8], rules: &mut dyn Rules) -> Result<Vec<u8>, Id> {
        unwrap(&key(3), bytes, LAYOUT, rules).map(|u| u.plaintext.to_vec()).map_err(|refused| refused.rule)
    }

    #[test]
    fn output_matches_the_ecies_module() {
        let below = ecies::encrypt(&public_key(&key(3)), &key(5), ephemeral().nonce, &[7; 32]).unwrap();
        assert_eq!(wrapped(), below);
        assert_eq!(read(&below, &mut Strict), Ok(vec![7; 32]));
        let steps = unwrap(&key(3), &below, LAYOUT, &mut Strict).ok().and_then(|u| u.agreement).unwrap();
        assert_eq!(steps.key_material[..65], below[..65]);
        assert_eq!(steps.key_material[65..], steps.shared_point[..]);
    }

    #[test]
    fn each_fault_breaks_one_rule_only() {
        let good = wrapped();
        let edited = |at: usize, value: u8| {
            let mut bad = good.clone();
            bad[at] = value;
            bad
        };
        let compressed = [&[2 + (good[64] & 1)][..], &good[1..33], &good[65..]].concat();
        let cases: [(Id, Vec<u8>); 11] = [
            (&LENGTH, Vec::new()),
            (&LENGTH, good[..96].to_vec()),
            (&EPHEMERAL_PREFIX, edited(0, 0)),
            (&EPHEMERAL_PREFIX, edited(0, 6 + (good[64] & 1))),
            (&EPHEMERAL_PREFIX, edited(0, 7 - (good[64] & 1))),
            (&EPHEMERAL_PREFIX, edited(0, 2)),
            (&EPHEMERAL_PREFIX, compressed),
            (&EPHEMERAL_POINT, edited(64, good[64] ^ 1)),
            (&AUTHENTIC, edited(65, good[65] ^ 1)),
            (&AUTHENTIC, edited(81, good[81] ^ 1)),
            (&AUTHENTIC, edited(128, good[128] ^ 1)),
        ];
        for (rule, bytes) in cases {
            assert_eq!(read(&bytes, &mut Strict), Err(rule), "{rule}");
            let violated = read(&bytes, &mut Without(rule));
            assert!(violated.is_ok(), "without {rule}");
            if rule == &EPHEMERAL_PREFIX {
                assert_eq!(violated, Ok(vec![7; 32]));
            }
        }
    }

    #[test]
    fn each_violated_step_changes_both_ends() {
        for rule in [&SHARED_POINT, &DERIVATION, &ADDITIONAL_DATA] {
            let other =
                wrap(&public_key(&key(3)), &ephemeral(), &[7; 32], &mut Without(rule)).map(|w| w.bytes);
            assert_ne!(other.as_ref(), Ok(&wrapped()), "{rule}");
            assert_eq!(read(&wrapped(), &mut Without(rule)), Err(&AUTHENTIC as Id), "{rule}");
            assert_eq!(read(&other.unwrap(), &mut Without(rule)), Ok(vec![7; 32]), "{rule}");
        }
    }

    #[test]
    fn recipient_key_has_exactly_one_form() {
        let good = public_key(&key(3));
        let compressed = [&[2 + (good[64] & 1)][..], &good[1..33]].concat();
        let mut off = good;
        off[64] ^= 1;
        for bad in [&compressed[..], &off, &good[1..], &[]] {
            let refused = wrap(bad, &ephemeral(), b"", &mut Strict).map(|_| ()).unwrap_err();
            assert_eq!(refused.rule, &RECIPIENT);
            assert!(wrap(bad, &ephemeral(), b"", &mut Without(&RECIPIENT)).is_ok());
        }
    }
}

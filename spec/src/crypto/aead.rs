//! AES-256-GCM with a detached tag.

use aes_gcm::aead::consts::{U12, U16};
use aes_gcm::aead::{AeadInOut, KeyInit};
use aes_gcm::{AesGcm, aes::Aes256};
use zeroize::Zeroizing;

/// A key: 32 bytes, zeroized on drop.
pub type Key = Zeroizing<[u8; 32]>;
/// A tag: 16 bytes.
pub type Tag = [u8; 16];

/// A nonce of 12 or 16 bytes. 12 bytes are used directly; 16 are hashed to the cipher's counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nonce {
    /// 12 bytes.
    Twelve([u8; 12]),
    /// 16 bytes.
    Sixteen([u8; 16]),
}

impl Nonce {
    /// A nonce of 12 or 16 bytes; `None` for another length.
    pub fn from_slice(bytes: &[u8]) -> Option<Nonce> {
        let sixteen = || bytes.try_into().ok().map(Nonce::Sixteen);
        bytes.try_into().ok().map(Nonce::Twelve).or_else(sixteen)
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Nonce::Twelve(bytes) => bytes,
            Nonce::Sixteen(bytes) => bytes,
        }
    }
}

/// Encrypts `plaintext`, and authenticates `data` with it.
pub fn seal(key: &[u8; 32], nonce: Nonce, data: &[u8], plaintext: &[u8]) -> (Vec<u8>, Tag) {
    let mut text = plaintext.to_vec();
    let tag = apply(key, nonce, data, &mut text);
    (text, tag)
}

/// Decrypts `ciphertext`; `None` if it, the nonce, the tag or the data was changed.
pub fn open(
    key: &[u8; 32],
    nonce: Nonce,
    data: &[u8],
    ciphertext: &[u8],
    tag: &Tag,
) -> Option<Zeroizing<Vec<u8>>> {
    let mut text = Zeroizing::new(ciphertext.to_vec());
    let tag = &(*tag).into();
    let opened = match nonce {
        Nonce::Twelve(nonce) => AesGcm::<Aes256, U12>::new(key.into()).decrypt_inout_detached(
            &nonce.into(),
            data,
            text.as_mut_slice().into(),
            tag,
        ),
        Nonce::Sixteen(nonce) => AesGcm::<Aes256, U16>::new(key.into()).decrypt_inout_detached(
            &nonce.into(),
            data,
            text.as_mut_slice().into(),
            tag,
        ),
    };
    opened.ok().map(|()| text)
}

/// Decrypts without checking a tag, as a reader does that violates the rule.
pub fn open_unchecked(key: &[u8; 32], nonce: Nonce, ciphertext: &[u8]) -> Zeroizing<Vec<u8>> {
    // The cipher is a stream cipher: encrypting again gives the plaintext.
    let mut text = Zeroizing::new(ciphertext.to_vec());
    apply(key, nonce, &[], &mut text);
    text
}

fn apply(key: &[u8; 32], nonce: Nonce, data: &[u8], text: &mut [u8]) -> Tag {
    let sealed = match nonce {
        Nonce::Twelve(nonce) => {
            AesGcm::<Aes256, U12>::new(key.into()).encrypt_inout_detached(&nonce.into(), data, text.into())
        }
        Nonce::Sixteen(nonce) => {
            AesGcm::<Aes256, U16>::new(key.into()).encrypt_inout_detached(&nonce.into(), data, text.into())
        }
    };
    sealed.expect("data in memory is below the cipher's limit of 64 GiB").into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::crypto::text::{hex, parse_hex};

    /// Test case 16 of the GCM specification, and a published value for a 16-byte nonce.
    #[test]
    fn published_values_match() {
        let bytes = |text: &str| parse_hex(text).expect("hex");
        let key: [u8; 32] =
            bytes("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308").try_into().unwrap();
        let nonce = Nonce::from_slice(&bytes("cafebabefacedbaddecaf888")).unwrap();
        let data = bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2");
        let plaintext = bytes(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
        );
        let (ciphertext, tag) = seal(&key, nonce, &data, &plaintext);
        assert_eq!(
            hex(&ciphertext),
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
        );
        assert_eq!(hex(&tag), "76fc6ece0f4e1768cddf8853bb2d551b");

        let nonce = Nonce::from_slice(&bytes("f3e1ba810d2c8900b11312b7c725565f")).unwrap();
        let (ciphertext, tag) = seal(&[0; 32], nonce, &[], b"helloworld");
        assert_eq!(hex(&ciphertext), "02d2ffed93b856f148b9");
        assert_eq!(hex(&tag), "ec3b71e17c11dbe31484da9450edcf6c");
    }

    #[test]
    fn nonces_have_one_of_two_lengths() {
        for length in 0..20 {
            let nonce = Nonce::from_slice(&vec![7; length]);
            assert_eq!(nonce.is_some(), matches!(length, 12 | 16), "{length}");
            assert!(nonce.is_none_or(|nonce| nonce.as_bytes().len() == length));
        }
    }

    proptest! {
        #[test]
        fn sealed_data_opens_and_changed_data_does_not(
            key in any::<[u8; 32]>(),
            long in any::<bool>(),
            fill in any::<[u8; 16]>(),
            text in proptest::collection::vec(any::<u8>(), 0..100),
            at in any::<prop::sample::Index>(),
        ) {
            let nonce = Nonce::from_slice(if long { &fill } else { &fill[..12] }).unwrap();
            let (ciphertext, tag) = seal(&key, nonce, b"", &text);
            prop_assert_eq!(ciphertext.len(), text.len());
            let opened = open(&key, nonce, b"", &ciphertext, &tag);
            prop_assert_eq!(opened.as_deref(), Some(&text));
            prop_assert_eq!(&*open_unchecked(&key, nonce, &ciphertext), &text);
            prop_assert!(open(&key, nonce, b"x", &ciphertext, &tag).is_none());

            let mut whole = [&ciphertext[..], &tag[..]].concat();
            let at = at.index(whole.len());
            whole[at] ^= 1;
            let (changed, changed_tag) = whole.split_at(text.len());
            prop_assert!(open(&key, nonce, b"", changed, &changed_tag.try_into().unwrap()).is_none());
        }
    }
}

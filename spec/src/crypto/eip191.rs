//! Personal signing (EIP-191, version 0x45): how a wallet signs a string.

use crate::crypto::address::Address;
use crate::crypto::keccak::keccak256;
use crate::crypto::secp256k1::{self, Signature, SigningKey};

/// The prefix, before the length.
pub const PREFIX: &str = "\u{19}Ethereum Signed Message:\n";

/// The bytes to hash: the prefix, the number of bytes in decimal, the message.
pub fn prefixed(message: &[u8]) -> Vec<u8> {
    let mut bytes = format!("{PREFIX}{}", message.len()).into_bytes();
    bytes.extend_from_slice(message);
    bytes
}

/// The digest to sign.
pub fn digest(message: &[u8]) -> [u8; 32] {
    keccak256(&prefixed(message))
}

/// Signs a message.
pub fn sign(key: &SigningKey, message: &[u8]) -> Signature {
    secp256k1::sign(key, &digest(message))
}

/// The address whose key signed `message`; `None` if none can be recovered.
pub fn recover(message: &[u8], signature: Signature) -> Option<Address> {
    signature.recover(&digest(message)).map(|key| Address::from_public_key(&key))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::crypto::secp256k1::key_from_secret;
    use crate::crypto::text::hex;

    /// Digests and signatures that eth-account 0.14.0 and ethers 6 agree on.
    const CASES: [(u8, &[u8], &str, &str); 5] = [
        (
            1,
            b"",
            "5f35dce98ba4fba25530a026ed80b2cecdaa31091ba4958b99b52ea1d068adad",
            "008f5fb3ee6d29e767bfb729dc8764c5178f4e8a872450f6a33f62442f9ecd883c3d1dc059a5a809bde6ed6299b99b3d5c4f0ed46d79ba01658ad7b7ef8f61151c",
        ),
        (
            1,
            b"hello",
            "50b2c43fd39106bafbba0da34fc430e1f91e3c96ea2acee2bc34119f92b37750",
            "f186a035b50de31ac4d913b550ae6fe2fe9e7225c635f108c71e9135de228a2a567dd55d0a4d2115d30c9226903b0feef967ae4d2daf2c07c7fb70676600c15d1b",
        ),
        (
            1,
            "Svc Cloud \u{2014} encryption key".as_bytes(),
            "bdda6417f0b39a6648cb128c5665203d663c3f5a429ce16751ec9bdefadf9899",
            "5f9972c1c24afaa155b6bf54f832d94f937e7e5f1029bd955f00912172488eb41dfd614fd4118f21dbaa3414c2a390349434da211355082c4bb27370cf2573801c",
        ),
        (
            1,
            &[
                0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
                26, 27, 28, 29, 30, 31,
            ],
            "04c3a0e6f47dd8889a200887da01ab4fa88d85f15fb01537cd4b7bcc1ef6f991",
            "8c9b79ef2ac8b4cc1f9e82a172f1b4972b8010cfcd52557b7779c103490340ae69bb7f3c89a674be0cf86316f27af5af1e8361cd36fa999b1d658656089db1d51c",
        ),
        (
            1,
            &[b'x'; 130],
            "6b05d38cb2e982fe17d2d56c9aa851653e2df2555253f918ce24090b5ff55e10",
            "dc873470f6f60cbd14e8b8ac04bd80ddfb6ef374e1c1d70cf24e474912364fb36833ca0d0527b257b9ec113d32f37f9752d25c281001441f2119e5f405dbdf311c",
        ),
    ];

    #[test]
    fn signatures_match_other_libraries() {
        for (secret, message, expected, signature) in CASES {
            let key = key_from_secret(&[secret; 32]).unwrap();
            assert_eq!(hex(&digest(message)), expected);
            let signed = sign(&key, message);
            assert_eq!(hex(&signed.to_bytes()), signature);
            assert_eq!(recover(message, signed), Some(Address::from_key(&key)));
        }
    }

    #[test]
    fn both_forms_of_v_recover_the_signer() {
        let key = key_from_secret(&[1; 32]).unwrap();
        let signature = sign(&key, b"hello");
        let bare = Signature { v: signature.v - 27, ..signature };
        assert_eq!(recover(b"hello", bare), Some(Address::from_key(&key)));
    }

    /// The other value of s with the other v recovers the same signer: eth-account accepts it, ethers rejects it.
    #[test]
    fn high_s_is_distinguished() {
        let key = key_from_secret(&[1; 32]).unwrap();
        let low = sign(&key, b"hello");
        let high = "f186a035b50de31ac4d913b550ae6fe2fe9e7225c635f108c71e9135de228a2aa9822aa2f5b2deea2cf36dd96fc4f00fc1472e9981997433f7d6ee256a357fe41c";
        let high: [u8; 65] = crate::crypto::text::parse_hex(high).unwrap().try_into().unwrap();
        let high = Signature::from_bytes(&high);
        assert!(low.has_low_s() && !high.has_low_s());
        assert_eq!(recover(b"hello", high), Some(Address::from_key(&key)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn signatures_recover_the_signer(secret in proptest::array::uniform32(1_u8..255), message in proptest::collection::vec(any::<u8>(), 0..200)) {
            let key = key_from_secret(&secret).unwrap();
            let signature = sign(&key, &message);
            prop_assert!(signature.has_low_s());
            prop_assert_eq!(recover(&message, signature), Some(Address::from_key(&key)));
            let mut other = message;
            other.push(0);
            prop_assert_ne!(recover(&other, signature), Some(Address::from_key(&key)));
        }

        #[test]
        fn no_signature_panics(bytes in proptest::collection::vec(any::<u8>(), 65)) {
            let bytes: [u8; 65] = bytes.try_into().unwrap();
            let _ = recover(b"m", Signature::from_bytes(&bytes));
        }
    }
}

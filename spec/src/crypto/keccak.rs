//! Keccak-256 with its original padding, which is not SHA3-256.

use sha3::{Digest, Keccak256};

/// The Keccak-256 of `bytes`.
pub fn keccak256(bytes: &[u8]) -> [u8; 32] {
    Keccak256::digest(bytes).into()
}

/// The SHA3-256 of `bytes`, which is often confused with Keccak-256.
pub fn sha3_256(bytes: &[u8]) -> [u8; 32] {
    sha3::Sha3_256::digest(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::text::hex;

    /// Values printed by eth-utils 6.0.0.
    #[test]
    fn digests_match_other_libraries() {
        for (input, digest) in [
            (&b""[..], "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"),
            (b"abc", "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"),
            (&[b'a'; 200], "96ea54061def936c4be90b518992fdc6f12f535068a256229aca54267b4d084d"),
        ] {
            assert_eq!(hex(&keccak256(input)), digest);
            assert_ne!(sha3_256(input), keccak256(input));
        }
    }
}

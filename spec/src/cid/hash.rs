//! The hash functions: SHA-256 for blocks, and murmur3 for slots of names.
//!
//! Blocks that are known at the same time are hashed together: see [`digests`].

use sha2::{Digest as _, Sha256};

/// A SHA-256 digest.
pub(super) type Digest = [u8; 32];

/// How many blocks of about the same length keep one core busy.
pub(super) fn width() -> usize {
    multi_sha256::width()
}

/// The digests of blocks, in order. It is faster than [`digest`] for each of them.
pub(super) fn digests(blocks: &[&[u8]]) -> Vec<Digest> {
    multi_sha256::digests(blocks)
}

/// The digest of one block.
pub(super) fn digest(block: &[u8]) -> Digest {
    Sha256::digest(block).into()
}

/// The hash that gives a name's slot in a sharded directory: at depth `d`, byte `d`, highest first.
pub(super) fn place(name: &str) -> u64 {
    let hash = murmur3::murmur3_x64_128(&mut name.as_bytes(), 0).expect("a slice can be read");
    hash as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_is_the_first_half_of_the_hash() {
        // Known values of MurmurHash3_x64_128 with seed 0.
        assert_eq!(place(""), 0);
        assert_eq!(place("hello"), 0xcbd8_a7b3_41bd_9b02);
        assert_eq!(place("The quick brown fox jumps over the lazy dog"), 0xe34b_bc7b_bc07_1b6c);
    }
}

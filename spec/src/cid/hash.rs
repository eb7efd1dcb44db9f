//! The hash functions: SHA-256 for blocks, and murmur3 for slots of names.
//!
//! Every leaf's digest comes from [`digests`]. A hasher for several chunks at once needs them together: [`RUN_CHUNKS`]
//! is how many a thread reads before it calls.

use sha2::{Digest as _, Sha256};

/// A SHA-256 digest.
pub(super) type Digest = [u8; 32];

/// Chunks of a file that are hashed together.
pub(super) const RUN_CHUNKS: usize = 1;

/// The digests of chunks, in order.
pub(super) fn digests<'a>(chunks: impl Iterator<Item = &'a [u8]>) -> impl Iterator<Item = Digest> {
    chunks.map(digest)
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

//! Keyed randomness: a draw depends only on the seed, the stream's name, a logical key and a number.
//!
//! A new draw in one place does not change draws elsewhere.

use sha2::{Digest, Sha256};

/// The random streams of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rng {
    seed: u64,
}

impl Rng {
    /// The streams of `seed`.
    pub const fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// The seed.
    pub const fn seed(self) -> u64 {
        self.seed
    }

    /// Draw `n` of `stream` under `key`: 32 bytes.
    pub fn draw(self, stream: &str, key: &[u8], n: u64) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(b"assay");
        hash.update(self.seed.to_be_bytes());
        for part in [stream.as_bytes(), key] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        hash.update(n.to_be_bytes());
        hash.finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_the_key_matters() {
        let draws = [
            Rng::new(1).draw("a", b"b", 0),
            Rng::new(2).draw("a", b"b", 0),
            Rng::new(1).draw("ab", b"", 0),
            Rng::new(1).draw("a", b"c", 0),
            Rng::new(1).draw("a", b"b", 1),
        ];
        assert_eq!(draws.iter().collect::<std::collections::BTreeSet<_>>().len(), draws.len());
        assert_eq!(draws[0], Rng::new(1).draw("a", b"b", 0));
    }
}

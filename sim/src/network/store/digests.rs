//! Maps hashes to message numbers. Only a prefix of each hash is kept here; the message has the rest.

use super::ranked::Ranked;
use super::stored::Number;
use crate::network::hash::Hash;

/// Message numbers by hash prefix. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct Digests(Ranked<[u32; 3]>);

impl Digests {
    /// Adds a message.
    pub(super) fn insert(&mut self, hash: Hash, number: Number) {
        let [first, second] = begin(hash);
        let item = [first, second, number];
        let rank = self.0.rank_of(|other| other < item);
        self.0.insert(rank, item);
    }

    /// The message with the hash. `has` says whether a message has it.
    pub(super) fn find(&self, hash: Hash, has: impl Fn(Number) -> bool) -> Option<Number> {
        let begin = begin(hash);
        let from = self.0.rank_of(|item| item[..2] < begin[..]);
        let alike = (from..).map_while(|rank| self.0.at(rank)).take_while(|item| item[..2] == begin[..]);
        alike.map(|[_, _, number]| number).find(|number| has(*number))
    }
}

fn begin(hash: Hash) -> [u32; 2] {
    let word = |at: usize| u32::from_be_bytes(std::array::from_fn(|n| hash.0[at + n]));
    [word(0), word(4)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_with_a_common_prefix_are_distinguished() {
        let hashes: Vec<Hash> = (0..600_u16)
            .map(|n| {
                let mut bytes = [9; 32];
                // Three prefixes, each with enough hashes to fill leaves.
                bytes[7] = (n % 3) as u8;
                bytes[30..].copy_from_slice(&n.to_be_bytes());
                Hash(bytes)
            })
            .collect();
        let mut digests = Digests::default();
        for (number, hash) in (0..).zip(&hashes) {
            digests.insert(*hash, number);
        }
        for (number, hash) in (0..).zip(&hashes) {
            assert_eq!(digests.find(*hash, |other| hashes[other as usize] == *hash), Some(number));
        }
        assert_eq!(digests.find(hashes[0], |_| false), None);
        assert_eq!(digests.find(Hash([8; 32]), |_| true), None);
        assert_eq!(digests.find(Hash([255; 32]), |_| true), None);
    }
}

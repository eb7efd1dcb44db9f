//! Chains of amends (document 2, "Amend chain resolution").
//!
//! Readings: records without authority are removed before any time is compared. Of two amends of one message the
//! larger time wins at that message, whatever follows on the other branch; equal times go to the smaller hash.
//! Resolving always terminates, and does not depend on the order in which the amends arrived.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::hosting::mistakes::amends::{CYCLE, FORWARD, LARGER_TIME, LOCAL, REF, TIE};
use crate::{Rules, Strict};

/// The members of an amend that the rule uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amend<'a> {
    /// The hash of the record that it amends.
    pub target: &'a str,
    /// `content.time`.
    pub time: i64,
    /// The amend's own hash.
    pub item_hash: &'a str,
}

/// How a chain ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// No amend follows the last record.
    Leaf,
    /// The amend of the last record is already in the chain.
    Cycle,
}

/// A creation and the amends that follow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain<'a> {
    /// The creation's hash, then those of the amends; the last one is authoritative.
    pub hashes: Vec<&'a str>,
    /// How it ends.
    pub end: End,
}

impl<'a> Chain<'a> {
    /// The hash of the message whose content is authoritative.
    pub fn leaf(&self) -> &'a str {
        self.hashes.last().copied().unwrap_or_default()
    }
}

/// The result for one amend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It is in the chain of a creation.
    Followed,
    /// Another branch won, here or earlier.
    Outvoted,
    /// It leads to no creation: the record that it amends is unknown.
    Dangling,
    /// It leads into a cycle.
    Cycle,
}

/// Resolves the chain of one creation.
pub fn resolve<'a>(creation: &'a str, amends: &[Amend<'a>]) -> Chain<'a> {
    Amends::new(amends).chain(creation, &mut Strict)
}

/// Amends, sorted so that those of one message are adjacent, the winner first.
#[derive(Clone, Debug)]
pub struct Amends<'a> {
    sorted: Vec<Amend<'a>>,
}

impl<'a> Amends<'a> {
    /// Accepts amends in any order, with duplicates.
    pub fn new(amends: &[Amend<'a>]) -> Amends<'a> {
        let mut sorted = amends.to_vec();
        sorted.sort_unstable_by_key(|amend| (amend.target, Reverse(amend.time), amend.item_hash));
        sorted.dedup();
        Amends { sorted }
    }

    /// The chain of `creation`.
    pub fn chain(&self, creation: &'a str, rules: &mut dyn Rules) -> Chain<'a> {
        let chain = self.follow(creation, rules);
        let chain = rules.keep(&FORWARD, chain);
        let chain = rules.keep(&CYCLE, chain);
        rules.derive(&LOCAL, (self, creation), |_| chain)
    }

    /// Follows the winner of each fork, up to the last one.
    fn follow(&self, creation: &'a str, rules: &mut dyn Rules) -> Chain<'a> {
        let mut chain = Chain { hashes: vec![creation], end: End::Leaf };
        let mut seen = BTreeSet::from([creation]);
        while let Some(next) = self.next(chain.leaf(), rules) {
            if !seen.insert(next.item_hash) {
                chain.end = End::Cycle;
                break;
            }
            chain.hashes.push(next.item_hash);
        }
        chain
    }

    /// The winning amend of `target`: the one with the larger time, at the same time the one with the smaller hash.
    fn next(&self, target: &str, rules: &mut dyn Rules) -> Option<Amend<'a>> {
        let amends = rules.derive(&REF, (self, target), |(all, target)| all.for_target(target));
        let latest = rules.derive(&LARGER_TIME, amends, latest);
        rules.derive(&TIE, latest, |latest| latest.first().copied())
    }

    /// The amends of `target`, the winner first.
    pub(super) fn for_target(&self, target: &str) -> &[Amend<'a>] {
        let start = self.sorted.partition_point(|amend| amend.target < target);
        let length = self.sorted[start..].partition_point(|amend| amend.target == target);
        &self.sorted[start..start + length]
    }

    /// All amends.
    pub(super) fn all(&self) -> &[Amend<'a>] {
        &self.sorted
    }

    /// The result for every amend, by its hash. `chains` are those of all creations.
    pub fn fates(&self, chains: &[Chain<'a>]) -> BTreeMap<&'a str, Fate> {
        let mut fates: BTreeMap<&str, Fate> = BTreeMap::new();
        for chain in chains {
            fates.extend(chain.hashes.iter().skip(1).map(|hash| (*hash, Fate::Followed)));
        }
        let roots: BTreeSet<&str> = chains.iter().filter_map(|chain| chain.hashes.first().copied()).collect();
        // Two amends with the same hash come from a deviating node; the first in the order represents both.
        let mut targets: BTreeMap<&str, &str> = BTreeMap::new();
        for amend in &self.sorted {
            targets.entry(amend.item_hash).or_insert(amend.target);
        }
        for amend in &self.sorted {
            let mut path = Vec::new();
            let mut on_path = BTreeSet::new();
            let mut at = amend.item_hash;
            let fate = loop {
                match (fates.get(at), targets.get(at)) {
                    (Some(Fate::Followed), _) if path.is_empty() => break Fate::Followed,
                    (Some(Fate::Followed), _) => break Fate::Outvoted,
                    (Some(fate), _) => break *fate,
                    _ if roots.contains(at) => break Fate::Outvoted,
                    (None, None) => break Fate::Dangling,
                    _ if !on_path.insert(at) => break Fate::Cycle,
                    (None, Some(target)) => {
                        path.push(at);
                        at = target;
                    }
                }
            };
            fates.extend(path.into_iter().map(|hash| (hash, fate)));
        }
        fates
    }
}

/// Of the amends of one record, the winner first, those with the largest time.
fn latest<'s, 'a>(amends: &'s [Amend<'a>]) -> &'s [Amend<'a>] {
    let time = amends.first().map(|amend| amend.time);
    &amends[..amends.partition_point(|amend| Some(amend.time) == time)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Id, Without};

    fn amend<'a>(item_hash: &'a str, target: &'a str, time: i64) -> Amend<'a> {
        Amend { target, time, item_hash }
    }

    #[test]
    fn each_fork_is_decided_separately() {
        let amends = [amend("A", "C0", 10), amend("B", "C0", 20), amend("C", "A", 30)];
        let chain = resolve("C0", &amends);
        assert_eq!((chain.hashes, chain.end), (vec!["C0", "B"], End::Leaf));
        let index = Amends::new(&amends);
        let fates = index.fates(&[index.chain("C0", &mut Strict)]);
        assert_eq!(fates["B"], Fate::Followed);
        assert_eq!((fates["A"], fates["C"]), (Fate::Outvoted, Fate::Outvoted));
    }

    #[test]
    fn chain_is_followed_even_when_a_later_amend_is_older() {
        let amends = [amend("c", "b", 1), amend("a", "root", 5), amend("b", "a", 3)];
        assert_eq!(resolve("root", &amends).leaf(), "c");
        assert_eq!(resolve("root", &[]).leaf(), "root");
        assert_eq!(resolve("other", &amends).leaf(), "other");
    }

    #[test]
    fn ties_go_to_the_smaller_hash() {
        assert_eq!(resolve("r", &[amend("b", "r", 1), amend("a", "r", 1)]).leaf(), "a");
    }

    #[test]
    fn every_malformed_set_gets_a_named_result() {
        let amends = [
            amend("x", "y", 1),
            amend("y", "x", 1),
            amend("z", "y", 1),
            amend("self", "self", 1),
            amend("lost", "nowhere", 1),
            amend("after", "lost", 1),
            amend("a", "r", 1),
            amend("r", "a", 1),
        ];
        let index = Amends::new(&amends);
        let chain = index.chain("r", &mut Strict);
        assert_eq!((chain.leaf(), chain.end), ("a", End::Cycle));
        assert_eq!(index.chain("r", &mut Without(&CYCLE)).leaf(), "r");
        let fates = index.fates(&[chain]);
        for cycle in ["x", "y", "z", "self"] {
            assert_eq!(fates[cycle], Fate::Cycle, "{cycle}");
        }
        for lost in ["lost", "after"] {
            assert_eq!(fates[lost], Fate::Dangling, "{lost}");
        }
        assert_eq!(fates["a"], Fate::Followed);
    }

    #[test]
    fn each_violated_rule_changes_the_result() {
        let amends = [
            amend("A", "C0", 10),
            amend("B", "C0", 20),
            amend("C", "A", 30),
            amend("B2", "C0", 20),
            amend("D", "B", 1),
            amend("0", "none", 9),
        ];
        let index = Amends::new(&amends);
        assert_eq!(index.chain("C0", &mut Strict).leaf(), "D");
        let cases: [(Id, &str); 5] =
            [(&FORWARD, "B"), (&LARGER_TIME, "C"), (&LOCAL, "C"), (&TIE, "B2"), (&REF, "0")];
        for (rule, leaf) in cases {
            assert_eq!(index.chain("C0", &mut Without(rule)).leaf(), leaf, "{rule}");
        }
    }

    /// A chain whose messages would fill 100 MB.
    #[test]
    fn huge_chain_is_followed_to_its_end() {
        let hashes: Vec<String> = (0..100_001).map(|n| format!("{:064x}", n * 7919 % 100_003)).collect();
        let amends: Vec<Amend<'_>> =
            hashes.windows(2).rev().map(|pair| amend(&pair[1], &pair[0], 1)).collect();
        let index = Amends::new(&amends);
        let chain = index.chain(&hashes[0], &mut Strict);
        assert_eq!((chain.hashes.len(), chain.leaf()), (hashes.len(), hashes[100_000].as_str()));
        let all_lost = index.fates(&[]);
        assert!(all_lost.values().all(|fate| *fate == Fate::Dangling));
        let one: Vec<Amend<'_>> = hashes.iter().map(|hash| amend(hash, "root", 1)).collect();
        assert_eq!(resolve("root", &one).hashes.len(), 2);
    }

    proptest! {
        #[test]
        fn order_of_arrival_does_not_matter(
            edges in proptest::collection::vec((0_u8..8, 0_u8..8, 0_i64..4), 0..14),
            seed in any::<u64>(),
        ) {
            let names: Vec<String> = (0..8).map(|n| format!("h{n}")).collect();
            let mut amends: Vec<Amend<'_>> = edges
                .iter()
                .map(|(hash, target, time)| amend(&names[usize::from(*hash)], &names[usize::from(*target)], *time))
                .collect();
            let forward = Amends::new(&amends);
            let (chain, fates) = (forward.chain("h0", &mut Strict), forward.fates(&[forward.chain("h0", &mut Strict)]));
            let turn = if amends.is_empty() { 0 } else { seed as usize % amends.len() };
            amends.rotate_left(turn);
            amends.reverse();
            let backward = Amends::new(&amends);
            prop_assert_eq!(&backward.chain("h0", &mut Strict), &chain);
            prop_assert_eq!(backward.fates(&[backward.chain("h0", &mut Strict)]), fates);
            // Every step goes to the winner of its fork.
            for hop in chain.hashes.windows(2) {
                let best = amends.iter().filter(|amend| amend.target == hop[0]).min_by_key(|amend| (Reverse(amend.time), amend.item_hash));
                prop_assert_eq!(best.map(|amend| amend.item_hash), Some(hop[1]));
            }
        }
    }
}

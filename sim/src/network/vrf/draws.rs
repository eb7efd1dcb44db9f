//! The random numbers that were drawn.

use assay_spec::network::vrf::Drawn;
use imbl::Vector;

/// The number of draws that are kept.
const REMEMBERED: usize = 256;

/// The latest draws, and the total number of draws.
#[derive(Clone, Debug, Default)]
pub(in crate::network) struct Draws {
    latest: Vector<(Drawn, u64)>,
    pub(super) drawn: u64,
}

impl Draws {
    pub(super) fn keep(&mut self, drawn: Drawn, key: u64) {
        if self.latest.len() == REMEMBERED {
            self.latest.pop_front();
        }
        self.latest.push_back((drawn, key));
        self.drawn += 1;
    }

    /// The number of the key of a proof, if its draw is kept.
    pub(super) fn key_of(&self, proof: &str) -> u64 {
        self.latest.iter().rev().find(|(drawn, _)| drawn.proof == proof).map_or(0, |(_, key)| *key)
    }

    /// The kept draws.
    pub(in crate::network) fn latest(&self) -> impl Iterator<Item = &Drawn> {
        self.latest.iter().map(|(drawn, _)| drawn)
    }
}

//! Random draws for one answer.

use crate::rng::Rng;

/// Draws that depend only on the world's seed, the model's name, the request and the choice.
#[derive(Clone, Debug)]
pub(super) struct Dice {
    rng: Rng,
    key: Vec<u8>,
    drawn: u64,
    left: Vec<u8>,
}

impl Dice {
    /// The dice of one choice of an answer.
    pub(super) fn new(rng: Rng, model: &str, key: &[u8; 32], choice: usize) -> Dice {
        let key = [&(choice as u64).to_be_bytes()[..], &key[..], model.as_bytes()].concat();
        Dice { rng, key, drawn: 0, left: Vec::new() }
    }

    /// Any number.
    pub(super) fn any(&mut self) -> u32 {
        if self.left.is_empty() {
            self.left = self.rng.draw("gateway.model", &self.key, self.drawn).to_vec();
            self.drawn += 1;
        }
        let rest = self.left.split_off(4.min(self.left.len()));
        let bytes = std::mem::replace(&mut self.left, rest);
        bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
    }

    /// A number below `end`; 0 if there is none.
    pub(super) fn below(&mut self, end: usize) -> usize {
        let any = self.any() as usize;
        any.checked_rem(end).unwrap_or_default()
    }
}

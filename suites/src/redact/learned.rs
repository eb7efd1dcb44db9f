//! The secrets that the checks of a run have learned. A target may repeat one in an exchange of another check.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::Hidden;
use crate::verdict::Outcome;

/// The learned secrets of a run: all their forms and parts of 12 characters or more. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Learned(Arc<Mutex<Hidden>>);

impl Learned {
    /// Adds what a check has learned.
    pub(crate) fn learn(&self, hidden: &Hidden) {
        self.known().absorb(hidden);
    }

    /// The number of forms so far.
    pub(crate) fn count(&self) -> usize {
        self.known().forms.len()
    }

    /// Redacts an outcome of any check of the run.
    pub fn redact(&self, outcome: &mut Outcome) {
        let known = self.known();
        if known.is_empty() || !known.redact_contents(outcome) {
            return;
        }
        let new = known.disguises.iter().filter(|disguise| !outcome.disguises.contains(disguise));
        let new: Vec<_> = new.cloned().collect();
        outcome.disguises.extend(new);
    }

    /// Redacts a string.
    pub(crate) fn redact_text(&self, text: &mut String) {
        self.known().redact_text(text);
    }

    fn known(&self) -> MutexGuard<'_, Hidden> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Hidden {
    /// Takes over the forms of another, with their replacements.
    fn absorb(&mut self, other: &Hidden) {
        for (number, form) in other.forms.iter().enumerate() {
            if self.forms.contains(form) {
                continue;
            }
            if let Some(whole) = other.wholes.get(&number) {
                self.wholes.insert(self.forms.len(), whole.clone());
                self.disguises
                    .extend(other.disguises.iter().find(|disguise| disguise.value == *whole).cloned());
            }
            self.forms.push(form.clone());
            self.shown.push(other.shown[number].clone());
            self.index = OnceLock::new();
        }
    }
}

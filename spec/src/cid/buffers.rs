//! Buffers for reading.

use std::sync::{Mutex, PoisonError};

/// Buffers that are used in turn, so that there are only as many as are in use at the same time.
#[derive(Debug, Default)]
pub(super) struct Buffers(Mutex<Vec<Vec<u8>>>);

impl Buffers {
    /// Lends a buffer to `work`. Its size and content do not matter.
    pub(super) fn lend<R>(&self, work: impl FnOnce(&mut Vec<u8>) -> R) -> R {
        let mut buffer = self.free(Vec::pop).unwrap_or_default();
        let result = work(&mut buffer);
        self.free(|free| free.push(buffer));
        result
    }

    fn free<R>(&self, change: impl FnOnce(&mut Vec<Vec<u8>>) -> R) -> R {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

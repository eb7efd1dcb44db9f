//! Remembers the results of operations with keys, for work that repeats them thousands of times, such as a proof.
//!
//! Outside [`Memo::during`] nothing is remembered. An operation depends on its input alone, so a result is the same whether
//! it is remembered or not.

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};

/// The most results that are kept.
const MOST: usize = 1 << 16;

thread_local! {
    static CURRENT: RefCell<Option<Arc<Memo>>> = const { RefCell::new(None) };
}

/// Remembered results, by the hash of operation and input.
#[derive(Default)]
pub struct Memo(Mutex<BTreeMap<[u8; 32], Arc<dyn Any + Send + Sync>>>);

/// Shows no result: it may be a key.
impl std::fmt::Debug for Memo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Memo")
    }
}

/// Ends the use of a memo on this thread.
struct Until(Option<Arc<Memo>>);

impl Drop for Until {
    fn drop(&mut self) {
        let before = self.0.take();
        CURRENT.with(|current| *current.borrow_mut() = before);
    }
}

impl Memo {
    /// Does work on this thread with this memo. Several threads may share one.
    pub fn during<T>(self: &Arc<Memo>, work: impl FnOnce() -> T) -> T {
        let before = CURRENT.with(|current| current.borrow_mut().replace(self.clone()));
        let _until = Until(before);
        work()
    }

    fn recall<T: Clone + Send + Sync + 'static>(&self, key: [u8; 32], compute: impl FnOnce() -> T) -> T {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().get(&key).cloned();
        if let Some(known) = known.and_then(|known| known.downcast::<T>().ok()) {
            return T::clone(&known);
        }
        // Not under the lock: another thread may do the same meanwhile.
        let result = compute();
        let mut all = lock();
        if all.len() == MOST {
            all.clear();
        }
        all.insert(key, Arc::new(result.clone()));
        result
    }
}

/// The result of an operation: as this thread's memo has it, or computed.
pub(crate) fn recall<T: Clone + Send + Sync + 'static>(
    operation: &str,
    input: &[&[u8]],
    compute: impl FnOnce() -> T,
) -> T {
    let Some(memo) = CURRENT.with(|current| current.borrow().clone()) else { return compute() };
    let mut hash = Sha256::new();
    for part in [operation.as_bytes()].iter().chain(input) {
        // With its length, so that different input never has equal bytes.
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    memo.recall(hash.finalize().into(), compute)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn results_are_remembered_by_operation_and_input_while_a_memo_is_used() {
        let computed = Cell::new(0);
        let double = |operation: &str, input: &[&[u8]]| {
            recall(operation, input, || {
                computed.set(computed.get() + 1);
                input.concat().len() * 2
            })
        };
        let memo = Arc::new(Memo::default());
        for round in 0..2 {
            memo.during(|| {
                assert_eq!(double("a", &[b"xy", b"z"]), 6);
                assert_eq!(double("a", &[b"x", b"yz"]), 6);
                assert_eq!(double("b", &[b"xy", b"z"]), 6);
                assert_eq!(recall("a", &[b"xy", b"z"], || "another type"), "another type");
                assert_eq!(double("a", &[b"x", b"yz"]), 6);
            });
            assert_eq!(computed.get(), 3 + round, "the operation whose result had another type");
        }
        assert_eq!(double("a", &[b"x", b"yz"]), 6);
        assert_eq!(computed.get(), 5, "outside, nothing is remembered");
    }

    #[test]
    fn a_memo_is_bounded() {
        let memo = Memo::default();
        for n in 0..=MOST as u64 {
            let mut key = [0; 32];
            key[..8].copy_from_slice(&n.to_be_bytes());
            memo.recall(key, || n);
        }
        assert_eq!(memo.0.lock().unwrap().len(), 1);
    }
}

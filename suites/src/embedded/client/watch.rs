//! Collects the world's journal and the client's standard error while the client runs.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use assay_sim::journal::Entry;
use assay_sim::serve::Handle;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::task::JoinSet;

/// How often the journal is read; its ring buffer must not overflow in between.
pub(super) const READ_EVERY: Duration = Duration::from_millis(500);
/// How much of the head and of the tail of a client's standard error is kept, in bytes.
const KEPT_BYTES: usize = 16 * 1024;
/// How many lines of each are shown.
const SHOWN_LINES: usize = 5;

/// The journal of a world, read before its ring buffer drops entries.
pub(super) struct Watch {
    handle: Handle,
    /// Its entries, in order.
    pub(super) entries: Vec<Entry>,
    next: u64,
}

impl Watch {
    /// Reads from now on.
    pub(super) fn new(handle: Handle) -> Watch {
        let next = handle.read(|world| world.core.journal.count());
        Watch { handle, entries: Vec::new(), next }
    }

    /// Forgets what was read, and reads from now on.
    pub(super) fn restart(&mut self) {
        *self = Watch::new(self.handle.clone());
    }

    pub(super) fn read(&mut self) {
        let (next, fresh) = self.handle.read(|world| {
            let journal = &world.core.journal;
            let fresh = journal.entries_from(self.next).map(|(_, entry)| entry);
            (journal.count(), fresh.collect::<Vec<Entry>>())
        });
        self.next = next;
        self.entries.extend(fresh);
    }
}

/// A client's standard error. Its end is not waited for, since a child process of the client may keep it open.
pub(super) struct Said {
    kept: Arc<Mutex<Kept>>,
    _listening: JoinSet<()>,
}

impl Said {
    pub(super) fn listen(stderr: Option<impl AsyncRead + Unpin + Send + 'static>) -> Said {
        let kept: Arc<Mutex<Kept>> = Arc::default();
        let mut listening = JoinSet::new();
        if let Some(mut stderr) = stderr {
            let kept = kept.clone();
            listening.spawn(async move {
                let mut buffer = vec![0; 4096];
                while let Ok(count @ 1..) = stderr.read(&mut buffer).await {
                    kept.lock().unwrap_or_else(PoisonError::into_inner).add(&buffer[..count]);
                }
            });
        }
        Said { kept, _listening: listening }
    }

    /// The first and the last lines.
    pub(super) fn lines(&self) -> Vec<String> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).lines()
    }
}

/// The head and the tail of a stream of bytes.
#[derive(Default)]
struct Kept {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    /// The number of line ends between head and tail.
    dropped_lines: usize,
    /// The number of bytes between head and tail.
    dropped_bytes: usize,
}

impl Kept {
    fn add(&mut self, bytes: &[u8]) {
        let room = KEPT_BYTES.saturating_sub(self.head.len()).min(bytes.len());
        let (head, tail) = bytes.split_at(room);
        self.head.extend_from_slice(head);
        self.tail.extend(tail);
        let excess = self.tail.len().saturating_sub(KEPT_BYTES);
        self.dropped_bytes += excess;
        self.dropped_lines += self.tail.drain(..excess).filter(|byte| *byte == b'\n').count();
    }

    /// The first lines, how many are left out, and the last lines.
    fn lines(&self) -> Vec<String> {
        let (head, tail) = (self.head.clone(), self.tail.iter().copied().collect::<Vec<u8>>());
        if self.dropped_bytes == 0 {
            let whole = [head, tail].concat();
            let whole = String::from_utf8_lossy(&whole);
            let lines: Vec<&str> = whole.lines().collect();
            let first = lines.len().min(SHOWN_LINES);
            let last = lines.len().saturating_sub(SHOWN_LINES).max(first);
            return shown(&lines[..first], last - first, &lines[last..]);
        }
        let (head, tail) = (String::from_utf8_lossy(&head), String::from_utf8_lossy(&tail));
        let all = head.matches('\n').count() + self.dropped_lines + tail.lines().count();
        let (head, tail): (Vec<&str>, Vec<&str>) = (head.lines().collect(), tail.lines().collect());
        let (first, last) = (head.len().min(SHOWN_LINES), tail.len().saturating_sub(SHOWN_LINES));
        let left_out = all.saturating_sub(first + tail.len() - last);
        shown(&head[..first], left_out, &tail[last..])
    }
}

fn shown(first: &[&str], left_out: usize, last: &[&str]) -> Vec<String> {
    let gap = (left_out > 0).then(|| format!("({left_out} more lines)"));
    let line = |line: &&str| (*line).to_owned();
    first.iter().map(line).chain(gap).chain(last.iter().map(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str) -> Kept {
        let mut kept = Kept::default();
        text.as_bytes().chunks(777).for_each(|bytes| kept.add(bytes));
        kept
    }

    fn numbered(count: usize) -> String {
        (1..=count).map(|n| format!("line {n}\n")).collect()
    }

    #[test]
    fn few_lines_are_shown_once_each() {
        for count in 0..=10 {
            let lines: Vec<String> = (1..=count).map(|n| format!("line {n}")).collect();
            assert_eq!(kept(&numbered(count)).lines(), lines);
        }
    }

    #[test]
    fn first_and_last_of_many_lines_are_shown() {
        for count in [11, 100, 100_000] {
            let lines = kept(&numbered(count)).lines();
            assert_eq!(lines.len(), 11);
            assert_eq!((lines[0].as_str(), lines[4].as_str()), ("line 1", "line 5"));
            assert_eq!(lines[5], format!("({} more lines)", count - 10));
            assert_eq!(lines[10], format!("line {count}"));
        }
    }

    #[test]
    fn memory_is_limited() {
        let kept = kept(&"x".repeat(1 << 20));
        assert_eq!((kept.head.len(), kept.tail.len()), (KEPT_BYTES, KEPT_BYTES));
        assert!(kept.lines().iter().all(|line| line.len() <= KEPT_BYTES));
    }
}

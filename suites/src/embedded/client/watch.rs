//! Collects the world's journal and the client's standard error while the client runs.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use assay_sim::journal::Entry;
use assay_sim::serve::Handle;
use tokio::io::AsyncReadExt;
use tokio::process::ChildStderr;
use tokio::task::JoinSet;

/// How often the journal is read; its ring buffer must not overflow in between.
pub(super) const READ_EVERY: Duration = Duration::from_millis(500);
/// How much of a client's standard error is kept.
const STDERR_BYTES: usize = 64 * 1024;
const STDERR_LINES: usize = 5;

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

    pub(super) fn read(&mut self) {
        let (next, fresh) = self.handle.read(|world| {
            let journal = &world.core.journal;
            let fresh = journal.entries().filter(|(number, _)| *number >= self.next);
            (journal.count(), fresh.map(|(_, entry)| entry.clone()).collect::<Vec<Entry>>())
        });
        self.next = next;
        self.entries.extend(fresh);
    }
}

/// A client's standard error. Its end is not waited for, since a child process of the client may keep it open.
pub(super) struct Said {
    bytes: Arc<Mutex<Vec<u8>>>,
    _listening: JoinSet<()>,
}

impl Said {
    pub(super) fn listen(stderr: Option<ChildStderr>) -> Said {
        let bytes: Arc<Mutex<Vec<u8>>> = Arc::default();
        let mut listening = JoinSet::new();
        if let Some(mut stderr) = stderr {
            let bytes = bytes.clone();
            listening.spawn(async move {
                let mut buffer = vec![0; 4096];
                while let Ok(count @ 1..) = stderr.read(&mut buffer).await {
                    let mut bytes = bytes.lock().unwrap_or_else(PoisonError::into_inner);
                    if bytes.len() < STDERR_BYTES {
                        bytes.extend_from_slice(&buffer[..count]);
                    }
                }
            });
        }
        Said { bytes, _listening: listening }
    }

    /// The last lines.
    pub(super) fn lines(&self) -> Vec<String> {
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(STDERR_LINES)..].iter().map(ToString::to_string).collect()
    }
}

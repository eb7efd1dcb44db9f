//! Files by content identifier, and until when each node has them.

use std::sync::Arc;

use assay_spec::Instant;
use bytes::Bytes;
use imbl::OrdMap;

/// The number of nodes that keep files: the primary, the alternative, the mirror.
pub(in crate::network) const NODES: usize = 3;

/// A file.
#[derive(Clone, Debug)]
pub(in crate::network) struct File {
    /// Its bytes.
    pub(in crate::network) bytes: Bytes,
    /// Its content type, as uploaded last.
    pub(in crate::network) content_type: Arc<str>,
    /// The number of messages that keep it: live STOREs, and pins.
    pub(in crate::network) kept_by: u32,
    /// When it leaves each node; set once no message keeps it.
    pub(in crate::network) leaves: Option<[Instant; NODES]>,
}

/// The files. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(in crate::network) struct Files {
    by_cid: OrdMap<Arc<str>, Arc<File>>,
    bytes: u64,
}

impl Files {
    /// The size of all files, in bytes.
    pub(in crate::network) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The number of files.
    pub(in crate::network) fn len(&self) -> usize {
        self.by_cid.len()
    }

    /// The file with that identifier, whether or not a node still has it.
    pub(in crate::network) fn find(&self, cid: &str) -> Option<&Arc<File>> {
        self.by_cid.get(cid)
    }

    /// The file with that identifier, if `node` has it at `now`.
    pub(in crate::network) fn at(&self, cid: &str, node: usize, now: Instant) -> Option<&Arc<File>> {
        self.find(cid).filter(|file| file.leaves.is_none_or(|leaves| now < leaves[node]))
    }

    /// Adds a file. Nothing keeps a new one yet.
    pub(in crate::network) fn put(&mut self, cid: &str, bytes: Bytes, content_type: &str) {
        let (kept_by, leaves) = self.find(cid).map_or((0, None), |file| (file.kept_by, file.leaves));
        self.drop(cid);
        self.bytes += bytes.len() as u64;
        let file = File { bytes, content_type: content_type.into(), kept_by, leaves };
        self.by_cid.insert(cid.into(), Arc::new(file));
    }

    /// Keeps the file for one more message; it no longer leaves.
    pub(in crate::network) fn keep(&mut self, cid: &str) {
        if let Some(file) = self.by_cid.get_mut(cid).map(Arc::make_mut) {
            file.kept_by += 1;
            file.leaves = None;
        }
    }

    /// Releases the file for one message. Returns whether it was the last.
    pub(in crate::network) fn release(&mut self, cid: &str) -> bool {
        let Some(file) = self.by_cid.get_mut(cid).map(Arc::make_mut) else { return false };
        file.kept_by = file.kept_by.saturating_sub(1);
        file.kept_by == 0
    }

    /// Sets when the file leaves each node.
    pub(in crate::network) fn leave(&mut self, cid: &str, leaves: [Instant; NODES]) {
        if let Some(file) = self.by_cid.get_mut(cid).map(Arc::make_mut) {
            file.leaves = Some(leaves);
        }
    }

    /// Drops a file that nothing keeps and that waits for no timer: its message was rejected.
    pub(in crate::network) fn drop_unkept(&mut self, cid: &str) {
        if self.find(cid).is_some_and(|file| file.kept_by == 0 && file.leaves.is_none()) {
            self.drop(cid);
        }
    }

    /// Drops a file from every node.
    pub(in crate::network) fn drop(&mut self, cid: &str) {
        if let Some(file) = self.by_cid.remove(cid) {
            self.bytes -= file.bytes.len() as u64;
        }
    }
}

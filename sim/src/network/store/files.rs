//! Files by the identifier of their content, and until when each node still has them.

use std::sync::Arc;

use assay_spec::Instant;
use bytes::Bytes;
use imbl::OrdMap;

/// How many nodes keep files: the primary, the alternative, the mirror.
pub(in crate::network) const NODES: usize = 3;

/// A file.
#[derive(Clone, Debug)]
pub(in crate::network) struct File {
    /// What it holds.
    pub(in crate::network) bytes: Bytes,
    /// Its content type, as last uploaded.
    pub(in crate::network) content_type: Arc<str>,
    /// Messages that keep it: STOREs that are live, and pins.
    pub(in crate::network) kept_by: u32,
    /// When it leaves each node; nobody keeps it any more.
    pub(in crate::network) leaves: Option<[Instant; NODES]>,
}

/// The files. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(in crate::network) struct Files {
    by_cid: OrdMap<Arc<str>, Arc<File>>,
    bytes: u64,
}

impl Files {
    /// What all files hold together, in bytes.
    pub(in crate::network) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many files there are.
    pub(in crate::network) fn len(&self) -> usize {
        self.by_cid.len()
    }

    /// The file of that identifier, whether or not a node still has it.
    pub(in crate::network) fn find(&self, cid: &str) -> Option<&Arc<File>> {
        self.by_cid.get(cid)
    }

    /// The file of that identifier, where `node` has it at `now`.
    pub(in crate::network) fn at(&self, cid: &str, node: usize, now: Instant) -> Option<&Arc<File>> {
        self.find(cid).filter(|file| file.leaves.is_none_or(|leaves| now < leaves[node]))
    }

    /// A file comes. Nothing keeps a new one yet.
    pub(in crate::network) fn put(&mut self, cid: &str, bytes: Bytes, content_type: &str) {
        let (kept_by, leaves) = self.find(cid).map_or((0, None), |file| (file.kept_by, file.leaves));
        self.drop(cid);
        self.bytes += bytes.len() as u64;
        let file = File { bytes, content_type: content_type.into(), kept_by, leaves };
        self.by_cid.insert(cid.into(), Arc::new(file));
    }

    /// One more message keeps the file; it stays.
    pub(in crate::network) fn keep(&mut self, cid: &str) {
        if let Some(file) = self.by_cid.get_mut(cid).map(Arc::make_mut) {
            file.kept_by += 1;
            file.leaves = None;
        }
    }

    /// One message less keeps the file; answers whether it was the last.
    pub(in crate::network) fn release(&mut self, cid: &str) -> bool {
        let Some(file) = self.by_cid.get_mut(cid).map(Arc::make_mut) else { return false };
        file.kept_by = file.kept_by.saturating_sub(1);
        file.kept_by == 0
    }

    /// The file leaves each node at its moment.
    pub(in crate::network) fn leave(&mut self, cid: &str, leaves: [Instant; NODES]) {
        if let Some(file) = self.by_cid.get_mut(cid).map(Arc::make_mut) {
            file.leaves = Some(leaves);
        }
    }

    /// The file is gone where nobody keeps it or waits for it to leave: its message was not taken.
    pub(in crate::network) fn drop_unkept(&mut self, cid: &str) {
        if self.find(cid).is_some_and(|file| file.kept_by == 0 && file.leaves.is_none()) {
            self.drop(cid);
        }
    }

    /// The file is gone from every node.
    pub(in crate::network) fn drop(&mut self, cid: &str) {
        if let Some(file) = self.by_cid.remove(cid) {
            self.bytes -= file.bytes.len() as u64;
        }
    }
}

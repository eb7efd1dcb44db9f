//! The entries as a tree of names, without conflicts.

use std::collections::BTreeMap;

use super::MOST_NODES;
use super::central::{Entry, EntryKind};
use super::contents::Content;
use crate::drop::requirements::zip::FAITHFUL;
use crate::{Refused, Rules};

/// The index of the root.
pub(super) const ROOT: usize = 0;

/// All paths of a zip. A node's index is larger than its parent's.
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    /// The nodes of the entries; `None` for an omitted entry.
    of_entries: Vec<Option<usize>>,
}

/// A file, link or directory.
pub(super) struct Node {
    pub(super) parent: usize,
    /// Whether the directory has its own entry.
    pub(super) named: bool,
    pub(super) what: What,
}

/// The kind of a node.
pub(super) enum What {
    Directory(BTreeMap<String, usize>),
    /// A file or link; `None` until it is filled.
    Leaf(Content),
}

impl Tree {
    /// Adds every entry.
    pub(super) fn grow(entries: &[Entry<'_>], rules: &mut dyn Rules) -> Result<Self, Refused> {
        let root = Node { parent: ROOT, named: false, what: What::Directory(BTreeMap::new()) };
        let mut tree = Self { nodes: vec![root], of_entries: Vec::with_capacity(entries.len()) };
        for entry in entries {
            let planted = tree.plant(entry);
            let clash = planted.as_ref().err().copied();
            rules.require(&FAITHFUL, clash.is_none(), || entry.why(clash.unwrap_or_default()))?;
            tree.of_entries.push(planted.ok());
        }
        Ok(tree)
    }

    /// Sets the content of an entry.
    pub(super) fn fill(&mut self, entry: usize, content: Content) {
        if let Some(node) = self.of_entries[entry]
            && let What::Leaf(leaf) = &mut self.nodes[node].what
        {
            *leaf = content;
        }
    }

    fn plant(&mut self, entry: &Entry<'_>) -> Result<usize, &'static str> {
        let path = &entry.path;
        let (parents, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut at = ROOT;
        for parent in parents.split('/').filter(|parent| !parent.is_empty()) {
            at = self.child_or(at, parent, || What::Directory(BTreeMap::new()))?;
        }
        if name.is_empty() {
            return Err("the path is the root itself");
        }
        let before = self.nodes.len();
        let node = match entry.kind {
            EntryKind::Directory => self.child_or(at, name, || What::Directory(BTreeMap::new()))?,
            EntryKind::File | EntryKind::Link => self.child_or(at, name, || What::Leaf(Content::Nothing))?,
        };
        let is_new = node == before;
        let kept = &mut self.nodes[node];
        match (&kept.what, entry.kind) {
            (What::Directory(_), EntryKind::Directory) if !kept.named => kept.named = true,
            (What::Leaf(_), EntryKind::File | EntryKind::Link) if is_new => {}
            _ => return Err("another entry has the same path"),
        }
        Ok(node)
    }

    fn child_or(
        &mut self,
        at: usize,
        name: &str,
        what: impl FnOnce() -> What,
    ) -> Result<usize, &'static str> {
        let new = self.nodes.len();
        let What::Directory(children) = &mut self.nodes[at].what else {
            return Err("another entry is a file where this entry needs a directory");
        };
        if let Some(child) = children.get(name) {
            return Ok(*child);
        }
        if new > MOST_NODES {
            return Err("the zip has too many paths");
        }
        children.insert(name.to_owned(), new);
        self.nodes.push(Node { parent: at, named: false, what: what() });
        Ok(new)
    }
}

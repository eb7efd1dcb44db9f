//! The balanced tree over the leaves of a file: all leaves have the same depth, and only the last node of a level may
//! have fewer children than the width.

use super::block::{Node, Out};
use super::node::{Link, encode, file_part};
use super::{CidError, Fault};

/// A tree that is built from left to right. It keeps only the unfinished node of each level.
#[derive(Debug)]
pub(super) struct Balanced {
    levels: Vec<Vec<Part>>,
    width: usize,
}

/// A part of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) node: Node,
    /// Bytes of the file below this node.
    pub(super) bytes: u64,
}

impl Balanced {
    /// A tree without leaves. With a width below 2, it would never get a root.
    pub(super) fn new(width: usize) -> Balanced {
        Balanced { levels: Vec::new(), width: width.max(2) }
    }

    /// Adds the next leaf.
    pub(super) fn push(&mut self, leaf: Part, out: &mut impl Out) -> Result<(), CidError> {
        self.push_at(0, leaf, out)
    }

    /// The root. There must be at least two leaves.
    pub(super) fn finish(mut self, out: &mut impl Out) -> Result<Part, CidError> {
        let mut level = 0;
        loop {
            let is_top = level + 1 == self.levels.len();
            match self.levels[level][..] {
                [root] if is_top => return Ok(root),
                [] => {}
                _ => self.close(level, out)?,
            }
            level += 1;
        }
    }

    fn push_at(&mut self, level: usize, part: Part, out: &mut impl Out) -> Result<(), CidError> {
        if level == self.levels.len() {
            self.levels.push(Vec::with_capacity(self.width.min(1024)));
        }
        self.levels[level].push(part);
        if self.levels[level].len() == self.width { self.close(level, out) } else { Ok(()) }
    }

    /// Makes a node of the parts of a level, and adds it to the next level.
    fn close(&mut self, level: usize, out: &mut impl Out) -> Result<(), CidError> {
        let parts = &self.levels[level];
        let sum = |of: fn(&Part) -> u64| parts.iter().map(of).try_fold(0u64, u64::checked_add);
        let too_large = || CidError::at("", Fault::TooLarge);
        let bytes = sum(|part| part.bytes).ok_or_else(too_large)?;
        let below_bytes = sum(|part| part.node.total_bytes).ok_or_else(too_large)?;
        let links = parts.iter().map(|part| Link { name: "", node: &part.node });
        let block = encode(links, &file_part(bytes, parts.iter().map(|part| part.bytes)));
        let node = Node::of_block(&block, below_bytes).ok_or_else(too_large)?;
        out.put(&node, Some(block))?;
        self.levels[level].clear();
        self.push_at(level + 1, Part { node, bytes }, out)
    }
}

//! Directories: one block with a link for each entry, or a sharded directory.

use super::block::{Node, Out};
use super::node::{self, Link, encode};
use super::{Estimate, Fault, Layout, hamt};
use crate::cid::CidError;

/// An entry of a directory.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) node: Node,
}

impl Named {
    fn link(&self) -> Link<'_> {
        Link { name: &self.name, node: &self.node }
    }
}

/// The directory with these entries, which must be sorted by name.
pub(super) fn directory(entries: &[Named], layout: &Layout, out: &mut impl Out) -> Result<Node, CidError> {
    if layout.shard_above_bytes.is_some_and(|limit| measure(entries, layout.estimate) > limit) {
        return hamt::directory(entries, out);
    }
    let block = encode(entries.iter().map(Named::link), &node::directory());
    let node = below(entries.iter().map(|entry| &entry.node))
        .and_then(|below_bytes| Node::of_block(&block, below_bytes))
        .ok_or_else(|| CidError::at("", Fault::TooLarge))?;
    out.put(&node, Some(block))?;
    Ok(node)
}

/// The total size of the given children; `None` if it overflows.
pub(super) fn below<'a>(mut nodes: impl Iterator<Item = &'a Node>) -> Option<u64> {
    nodes.try_fold(0u64, |sum, node| sum.checked_add(node.total_bytes))
}

fn measure(entries: &[Named], estimate: Estimate) -> u64 {
    let bytes: usize = match estimate {
        Estimate::Links => entries.iter().map(|entry| entry.name.len() + Node::CID_BYTES).sum(),
        Estimate::Block => {
            let links: usize = entries.iter().map(|entry| entry.link().bytes()).sum();
            // The directory's message, and the field that contains it.
            links + 2 + node::directory().len()
        }
    };
    bytes as u64
}

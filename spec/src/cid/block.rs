//! Blocks: their identifiers, and where they are written.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use cid::Cid;
use multihash::Multihash;

use super::CidError;
use super::hash::{Digest, digest};

/// Multicodec of SHA-256.
const SHA2_256: u64 = 0x12;

/// Receives the blocks in the order they are made: children before their parents, files in the order of the walk, the
/// root last. A block that occurs twice is received twice.
pub trait Blocks: Sync {
    /// Whether blocks are wanted. If not, they are never copied and [`put`](Blocks::put) is never called.
    fn keeps(&self) -> bool {
        true
    }

    /// Receives a block, from one thread at a time. The error says why it failed.
    fn put(&self, cid: &Cid, block: Vec<u8>) -> Result<(), String>;
}

/// Discards every block, when only the identifier is wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Discard;

impl Blocks for Discard {
    fn keeps(&self) -> bool {
        false
    }

    fn put(&self, _: &Cid, _: Vec<u8>) -> Result<(), String> {
        Ok(())
    }
}

/// Keeps every block in memory.
#[derive(Debug, Default)]
pub struct Kept(Mutex<BTreeMap<Cid, Vec<u8>>>);

impl Kept {
    /// The blocks by identifier.
    pub fn into_blocks(self) -> BTreeMap<Cid, Vec<u8>> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Blocks for Kept {
    fn put(&self, cid: &Cid, block: Vec<u8>) -> Result<(), String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(*cid, block);
        Ok(())
    }
}

/// A block's identifier, and the size of its subtree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    codec: Codec,
    digest: Digest,
    /// Bytes of the block and of all blocks below it, each counted as often as it is linked.
    pub(super) total_bytes: u64,
}

/// The kind of a block's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Codec {
    /// Raw bytes of a file.
    Raw = 0x55,
    /// A node with links.
    DagPb = 0x70,
}

impl Node {
    /// Length in bytes of an identifier in a link.
    pub(super) const CID_BYTES: usize = 36;

    /// A leaf of a file's bytes.
    pub(super) fn raw(digest: Digest, bytes: u64) -> Node {
        Node { codec: Codec::Raw, digest, total_bytes: bytes }
    }

    /// A block with links; `below_bytes` is the total size of their targets.
    pub(super) fn of_block(block: &[u8], below_bytes: u64) -> Option<Node> {
        let total_bytes = below_bytes.checked_add(block.len() as u64)?;
        Some(Node { codec: Codec::DagPb, digest: digest(block), total_bytes })
    }

    /// The version 1 identifier.
    pub(super) fn cid(&self) -> Cid {
        Cid::new_v1(self.codec as u64, self.multihash())
    }

    /// The version 0 identifier, which has no codec.
    pub(super) fn cid_v0(&self) -> Cid {
        Cid::new_v0(self.multihash()).expect("a 32-byte digest has a version 0 identifier")
    }

    /// The identifier's bytes: version, codec, hash function and digest length, one byte each, then the digest.
    pub(super) fn cid_bytes(&self) -> [u8; Node::CID_BYTES] {
        let mut bytes = [0; Node::CID_BYTES];
        bytes[..4].copy_from_slice(&[1, self.codec as u8, SHA2_256 as u8, 32]);
        bytes[4..].copy_from_slice(&self.digest);
        bytes
    }

    fn multihash(&self) -> Multihash<64> {
        Multihash::wrap(SHA2_256, &self.digest).expect("32 bytes fit into 64")
    }
}

/// Receives blocks from the builders, in order.
pub(super) trait Out {
    /// Whether blocks are wanted.
    fn keeps(&self) -> bool;

    /// Counts a block, and stores its bytes if blocks are wanted.
    fn put(&mut self, node: &Node, block: Option<Vec<u8>>) -> Result<(), CidError>;

    /// Puts all held blocks.
    fn pour(&mut self, held: Held) -> Result<(), CidError>;
}

/// Passes blocks on to the caller.
#[derive(Debug)]
pub(super) struct Direct<'a, B> {
    blocks: &'a B,
    /// Blocks so far.
    pub(super) count: u64,
}

impl<'a, B: Blocks> Direct<'a, B> {
    /// With no blocks yet.
    pub(super) fn new(blocks: &'a B) -> Direct<'a, B> {
        Direct { blocks, count: 0 }
    }
}

impl<B: Blocks> Out for Direct<'_, B> {
    fn keeps(&self) -> bool {
        self.blocks.keeps()
    }

    fn put(&mut self, node: &Node, block: Option<Vec<u8>>) -> Result<(), CidError> {
        self.count += 1;
        match block {
            Some(block) if self.blocks.keeps() => {
                self.blocks.put(&node.cid(), block).map_err(CidError::Blocks)
            }
            _ => Ok(()),
        }
    }

    fn pour(&mut self, held: Held) -> Result<(), CidError> {
        self.count += held.count - held.blocks.len() as u64;
        held.blocks.into_iter().try_for_each(|(node, block)| self.put(&node, Some(block)))
    }
}

/// Holds blocks until it is their turn.
#[derive(Debug)]
pub(super) struct Held {
    keeps: bool,
    count: u64,
    blocks: Vec<(Node, Vec<u8>)>,
}

impl Held {
    /// With no blocks yet.
    pub(super) fn new(keeps: bool) -> Held {
        Held { keeps, count: 0, blocks: Vec::new() }
    }

    /// With one block, whose bytes are held if they are wanted.
    pub(super) fn with(node: Node, block: Option<Vec<u8>>) -> Held {
        let keeps = block.is_some();
        Held { keeps, count: 1, blocks: block.map(|block| (node, block)).into_iter().collect() }
    }
}

impl Out for Held {
    fn keeps(&self) -> bool {
        self.keeps
    }

    fn put(&mut self, node: &Node, block: Option<Vec<u8>>) -> Result<(), CidError> {
        self.count += 1;
        self.blocks.extend(block.filter(|_| self.keeps).map(|block| (*node, block)));
        Ok(())
    }

    fn pour(&mut self, held: Held) -> Result<(), CidError> {
        self.count += held.count;
        self.blocks.extend(held.blocks);
        Ok(())
    }
}

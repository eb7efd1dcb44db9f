//! Blocks: what they are called, and where they go.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use cid::Cid;
use multihash::Multihash;

use super::CidError;
use super::hash::{Digest, digest};

/// Multicodec of SHA-256.
const SHA2_256: u64 = 0x12;

/// Takes the blocks as they are made: children before their parents, files in the order of the walk, the root last.
/// A block that occurs twice comes twice.
pub trait Blocks: Sync {
    /// Whether blocks are wanted; if not, they are never copied and [`put`](Blocks::put) is never called.
    fn keeps(&self) -> bool {
        true
    }

    /// Takes a block, from one thread at a time. The error's text says why it could not.
    fn put(&self, cid: &Cid, block: Vec<u8>) -> Result<(), String>;
}

/// Keeps no block: for the identifier alone.
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
    /// The blocks by their identifiers.
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

/// A block's name, and what hangs below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    codec: Codec,
    digest: Digest,
    /// Bytes of the block and of all blocks below it, each as often as it is linked.
    pub(super) total_bytes: u64,
}

/// What a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Codec {
    /// Bytes of a file, as they are.
    Raw = 0x55,
    /// A node with links.
    DagPb = 0x70,
}

impl Node {
    /// Bytes of an identifier as links hold it.
    pub(super) const CID_BYTES: usize = 36;

    /// A leaf of a file's bytes.
    pub(super) fn raw(digest: Digest, bytes: u64) -> Node {
        Node { codec: Codec::Raw, digest, total_bytes: bytes }
    }

    /// A block with links; `below_bytes` is the sum over them.
    pub(super) fn of_block(block: &[u8], below_bytes: u64) -> Option<Node> {
        let total_bytes = below_bytes.checked_add(block.len() as u64)?;
        Some(Node { codec: Codec::DagPb, digest: digest(block), total_bytes })
    }

    /// The identifier, version 1.
    pub(super) fn cid(&self) -> Cid {
        Cid::new_v1(self.codec as u64, self.multihash())
    }

    /// The identifier of version 0, which knows no codec.
    pub(super) fn cid_v0(&self) -> Cid {
        Cid::new_v0(self.multihash()).expect("a digest of 32 bytes has a version 0")
    }

    /// The identifier's bytes: version, codec, and the digest with its name and length, each one byte.
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

/// Where the builders put blocks, in order.
pub(super) trait Out {
    /// Whether blocks are wanted.
    fn keeps(&self) -> bool;

    /// Counts a block, and takes its bytes where blocks are wanted.
    fn put(&mut self, node: &Node, block: Option<Vec<u8>>) -> Result<(), CidError>;
}

/// Puts blocks where the caller wants them.
#[derive(Debug)]
pub(super) struct Direct<'a, B> {
    blocks: &'a B,
    /// Blocks so far.
    pub(super) count: u64,
}

impl<'a, B: Blocks> Direct<'a, B> {
    /// No block yet.
    pub(super) fn new(blocks: &'a B) -> Direct<'a, B> {
        Direct { blocks, count: 0 }
    }

    /// Puts what was held until now.
    pub(super) fn pour(&mut self, held: Held) -> Result<(), CidError> {
        self.count += held.count - held.blocks.len() as u64;
        held.blocks.into_iter().try_for_each(|(node, block)| self.put(&node, Some(block)))
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
}

/// Holds blocks until their turn comes.
#[derive(Debug)]
pub(super) struct Held {
    keeps: bool,
    count: u64,
    blocks: Vec<(Node, Vec<u8>)>,
}

impl Held {
    /// No block yet.
    pub(super) fn new(keeps: bool) -> Held {
        Held { keeps, count: 0, blocks: Vec::new() }
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
}

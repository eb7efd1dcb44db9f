//! dag-pb nodes and the UnixFS messages in them.
//!
//! A node has its links before its data, although the data's field has the lower number. A link has identifier, name
//! and size in this order, and always a name, even an empty one.

use quick_protobuf::Writer;
use quick_protobuf::sizeofs::{sizeof_len, sizeof_varint};

use super::block::Node;

/// Field 1 of a node, length-delimited: the data. Field 1 of a link: the identifier.
const FIELD_1: u32 = 1 << 3 | 2;
/// Field 2 of a node: a link. Field 2 of a link: its name.
const FIELD_2: u32 = 2 << 3 | 2;
/// Field 3 of a link, a varint: the total size of its target.
const LINK_SIZE: u32 = 3 << 3;

/// Fields of a UnixFS message. The second is length-delimited, the others are varints.
const TYPE: u32 = 1 << 3;
const DATA: u32 = 2 << 3 | 2;
const FILE_SIZE: u32 = 3 << 3;
const BLOCK_SIZE: u32 = 4 << 3;
const HASH_TYPE: u32 = 5 << 3;
const FANOUT: u32 = 6 << 3;

/// Values of the type field.
const DIRECTORY: u64 = 1;
const FILE: u64 = 2;
const HAMT_SHARD: u64 = 5;

/// Multicodec of murmur3-x64-64.
const MURMUR3_X64_64: u64 = 0x22;

/// A link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link<'a> {
    pub(super) name: &'a str,
    pub(super) node: &'a Node,
}

impl Link<'_> {
    fn message_bytes(&self) -> usize {
        3 + sizeof_len(Node::CID_BYTES) + sizeof_len(self.name.len()) + sizeof_varint(self.node.total_bytes)
    }

    /// The length of the link in a node, in bytes.
    pub(super) fn bytes(&self) -> usize {
        1 + sizeof_len(self.message_bytes())
    }
}

/// A node's bytes. The links must be in order.
pub(super) fn encode<'a>(links: impl Iterator<Item = Link<'a>> + Clone, data: &[u8]) -> Vec<u8> {
    let bytes: usize = links.clone().map(|link| link.bytes()).sum();
    written(bytes + 1 + sizeof_len(data.len()), |w| {
        for link in links {
            w.write_tag(FIELD_2)?;
            w.write_varint(link.message_bytes() as u64)?;
            w.write_tag(FIELD_1)?;
            w.write_bytes(&link.node.cid_bytes())?;
            w.write_tag(FIELD_2)?;
            w.write_string(link.name)?;
            w.write_tag(LINK_SIZE)?;
            w.write_varint(link.node.total_bytes)?;
        }
        w.write_tag(FIELD_1)?;
        w.write_bytes(data)
    })
}

/// The message of a directory.
pub(super) fn directory() -> Vec<u8> {
    written(2, |w| number(w, TYPE, DIRECTORY))
}

/// The message of a file that is in this block alone.
pub(super) fn file_leaf(bytes: &[u8]) -> Vec<u8> {
    written(bytes.len() + 20, |w| {
        number(w, TYPE, FILE)?;
        if !bytes.is_empty() {
            w.write_tag(DATA)?;
            w.write_bytes(bytes)?;
        }
        number(w, FILE_SIZE, bytes.len() as u64)
    })
}

/// The message of a file, or of a part of it, whose bytes are in the linked blocks; `parts` are their sizes.
pub(super) fn file_part(total: u64, parts: impl Iterator<Item = u64>) -> Vec<u8> {
    written(512, |w| {
        number(w, TYPE, FILE)?;
        number(w, FILE_SIZE, total)?;
        parts.into_iter().try_for_each(|bytes| number(w, BLOCK_SIZE, bytes))
    })
}

/// The message of a shard: a bit for each used slot, the highest slot first, without leading zero bytes.
pub(super) fn shard(bitfield: &[u8], fanout: u64) -> Vec<u8> {
    written(48, |w| {
        number(w, TYPE, HAMT_SHARD)?;
        w.write_tag(DATA)?;
        w.write_bytes(bitfield)?;
        number(w, HASH_TYPE, MURMUR3_X64_64)?;
        number(w, FANOUT, fanout)
    })
}

type Written = quick_protobuf::Result<()>;

fn written(capacity: usize, write: impl FnOnce(&mut Writer<&mut Vec<u8>>) -> Written) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(capacity);
    write(&mut Writer::new(&mut bytes)).expect("writing to a Vec cannot fail");
    bytes
}

fn number(w: &mut Writer<&mut Vec<u8>>, tag: u32, value: u64) -> Written {
    w.write_tag(tag)?;
    w.write_varint(value)
}

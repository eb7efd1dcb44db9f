//! Files: chunks, hashed in parallel, under a balanced tree.

use rayon::prelude::*;

use super::balanced::{Balanced, Part};
use super::block::{Blocks, Direct, Node, Out};
use super::hash::{RUN_CHUNKS, digests};
use super::node::{encode, file_leaf};
use super::{CidError, Content, Fault, Layout, Summary};

/// Bytes of a file whose blocks are in memory at the same time, if blocks are kept.
const HELD_BYTES: usize = 16 << 20;
/// Leaves in memory at the same time, without their blocks.
const WINDOW_LEAVES: usize = 1 << 14;

/// The identifier of a file: that of its only chunk, or of the tree over its chunks.
pub fn of_file(content: &impl Content, layout: &Layout, blocks: &impl Blocks) -> Result<Summary, CidError> {
    let mut out = Direct::new(blocks);
    let Part { node, bytes } = file(content, layout, &mut Vec::new(), &mut out)?;
    Ok(Summary { cid: layout.cid(&node), files: 1, bytes, blocks: out.count })
}

/// Puts a file's blocks and returns its root. `buffer` has the size of a chunk; its content does not matter.
pub(super) fn file(
    content: &impl Content,
    layout: &Layout,
    buffer: &mut Vec<u8>,
    out: &mut impl Out,
) -> Result<Part, CidError> {
    let at = |fault| CidError::at("", fault);
    let (chunk_bytes, keeps) = (layout.chunk_bytes.max(1), out.keeps());
    let head = read(content, 0, chunk_bytes + 1, buffer).map_err(at)?;
    let mut leaves = leaves(&head[..head.len().min(chunk_bytes)], layout, keeps);
    let first = leaves.pop().expect("every content has a chunk");
    out.put(&first.part.node, first.block)?;
    if head.len() <= chunk_bytes {
        return Ok(first.part);
    }
    let mut tree = Balanced::new(layout.width);
    tree.push(first.part, out)?;
    let len = content.len();
    let rest = len.checked_sub(chunk_bytes as u64).filter(|&rest| rest > 0);
    let rest = rest.ok_or_else(|| at(Fault::Length { expected: len }))?;
    let run_bytes = chunk_bytes * RUN_CHUNKS;
    let window = if keeps { HELD_BYTES / run_bytes } else { WINDOW_LEAVES / RUN_CHUNKS }.max(1);
    let runs = rest.div_ceil(run_bytes as u64);
    let offset = |n: u64| chunk_bytes as u64 + n * run_bytes as u64;
    for first in (0..runs).step_by(window) {
        let read: Vec<_> = (first..runs.min(first + window as u64))
            .into_par_iter()
            .map_init(Vec::new, |buffer, n| run(content, offset(n), len, layout, keeps, buffer))
            .collect();
        for leaves in read {
            for Leaf { part, block } in leaves.map_err(at)? {
                out.put(&part.node, block)?;
                tree.push(part, out)?;
            }
        }
    }
    tree.finish(out)
}

/// The leaves of the run of chunks that begins at `offset`. `len` is the declared length of the content.
fn run(
    content: &impl Content,
    offset: u64,
    len: u64,
    layout: &Layout,
    keeps: bool,
    buffer: &mut Vec<u8>,
) -> Result<Vec<Leaf>, Fault> {
    let run_bytes = layout.chunk_bytes.max(1) * RUN_CHUNKS;
    let bytes = usize::try_from(len - offset).unwrap_or(usize::MAX).min(run_bytes);
    // At the declared end, ask for one more byte, which must not exist.
    let is_last = offset + bytes as u64 == len;
    let read = read(content, offset, bytes + usize::from(is_last), buffer)?;
    if read.len() == bytes { Ok(leaves(read, layout, keeps)) } else { Err(Fault::Length { expected: len }) }
}

/// A chunk, and its block if blocks are wanted.
struct Leaf {
    part: Part,
    block: Option<Vec<u8>>,
}

/// The leaves of these bytes: at least one, even if it is empty.
fn leaves(bytes: &[u8], layout: &Layout, keeps: bool) -> Vec<Leaf> {
    let empty = bytes.is_empty().then_some(bytes);
    let chunks = empty.into_iter().chain(bytes.chunks(layout.chunk_bytes.max(1)));
    if layout.raw_leaves {
        let leaf = |(chunk, digest): (&[u8], _)| {
            let bytes = chunk.len() as u64;
            let part = Part { node: Node::raw(digest, bytes), bytes };
            Leaf { part, block: keeps.then(|| chunk.to_vec()) }
        };
        return chunks.clone().zip(digests(chunks)).map(leaf).collect();
    }
    let leaf = |chunk: &[u8]| {
        let block = encode(std::iter::empty(), &file_leaf(chunk));
        let node = Node::of_block(&block, 0).expect("a chunk fits into memory");
        Leaf { part: Part { node, bytes: chunk.len() as u64 }, block: keeps.then_some(block) }
    };
    chunks.map(leaf).collect()
}

/// `count` bytes from `offset`, or fewer if the content ends.
fn read<'a>(
    content: &'a impl Content,
    offset: u64,
    count: usize,
    buffer: &'a mut Vec<u8>,
) -> Result<&'a [u8], Fault> {
    if let Some(bytes) = content.as_bytes() {
        let rest = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)).unwrap_or_default();
        return Ok(&rest[..rest.len().min(count)]);
    }
    if buffer.len() < count {
        buffer.resize(count, 0);
    }
    let mut filled = 0;
    while filled < count {
        match content.read_at(offset + filled as u64, &mut buffer[filled..count]) {
            Ok(0) => break,
            Ok(more) => filled += more,
            Err(why) => return Err(Fault::Unreadable(why)),
        }
    }
    Ok(&buffer[..filled])
}

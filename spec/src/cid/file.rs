//! Files: chunks, hashed beside each other, under a balanced tree.

use rayon::prelude::*;

use super::balanced::{Balanced, Part};
use super::block::{Blocks, Direct, Node, Out};
use super::hash::{RUN_CHUNKS, digests};
use super::node::{encode, file_leaf};
use super::{CidError, Content, Fault, Layout, Summary};

/// Bytes of a file whose blocks are held at once, where blocks are kept.
const HELD_BYTES: usize = 16 << 20;
/// Leaves that are held at once, without their blocks.
const WINDOW_LEAVES: usize = 1 << 14;

/// The identifier of a file: its only chunk's, or that of the tree over its chunks.
pub fn of_file(content: &impl Content, layout: &Layout, blocks: &impl Blocks) -> Result<Summary, CidError> {
    let mut out = Direct::new(blocks);
    let Part { node, bytes } = file(content, layout, &mut Vec::new(), &mut out)?;
    Ok(Summary { cid: layout.cid(&node), files: 1, bytes, blocks: out.count })
}

/// Puts a file's blocks and tells its root. `buffer` is room for a chunk, whatever is in it.
pub(super) fn file(
    content: &impl Content,
    layout: &Layout,
    buffer: &mut Vec<u8>,
    out: &mut impl Out,
) -> Result<Part, CidError> {
    let (len, chunk_bytes) = (content.len(), layout.chunk_bytes.max(1));
    let keeps = out.keeps();
    if len <= chunk_bytes as u64 {
        let leaf = run(content, 0, layout, keeps, buffer)?.pop().expect("every run has a chunk");
        out.put(&leaf.part.node, leaf.block)?;
        return Ok(leaf.part);
    }
    let run_bytes = chunk_bytes * RUN_CHUNKS;
    let window = if keeps { HELD_BYTES / run_bytes } else { WINDOW_LEAVES / RUN_CHUNKS }.max(1);
    let runs = len.div_ceil(run_bytes as u64);
    let mut tree = Balanced::new(layout.width);
    for first in (0..runs).step_by(window) {
        let leaves: Vec<_> = (first..runs.min(first + window as u64))
            .into_par_iter()
            .map_init(Vec::new, |buffer, n| run(content, n * run_bytes as u64, layout, keeps, buffer))
            .collect();
        for run in leaves {
            for Leaf { part, block } in run? {
                out.put(&part.node, block)?;
                tree.push(part, out)?;
            }
        }
    }
    tree.finish(out)
}

/// A chunk, and its block where that is wanted.
struct Leaf {
    part: Part,
    block: Option<Vec<u8>>,
}

/// The leaves of the run of chunks that begins at `offset`.
fn run(
    content: &impl Content,
    offset: u64,
    layout: &Layout,
    keeps: bool,
    buffer: &mut Vec<u8>,
) -> Result<Vec<Leaf>, CidError> {
    let chunk_bytes = layout.chunk_bytes.max(1);
    let len = usize::try_from(content.len() - offset).unwrap_or(usize::MAX).min(chunk_bytes * RUN_CHUNKS);
    let bytes = match content.as_bytes() {
        Some(bytes) => usize::try_from(offset).ok().and_then(|at| bytes.get(at..)?.get(..len)),
        None => Some(read(content, offset, len, buffer).map_err(|fault| CidError::at("", fault))?),
    };
    let bytes = bytes.ok_or_else(|| CidError::at("", Fault::Length { expected: content.len() }))?;
    // An empty file has one chunk, an empty one.
    let empty = bytes.is_empty().then_some(bytes);
    let chunks = empty.into_iter().chain(bytes.chunks(chunk_bytes));
    if layout.raw_leaves {
        let leaf = |(chunk, digest): (&[u8], _)| {
            let bytes = chunk.len() as u64;
            let part = Part { node: Node::raw(digest, bytes), bytes };
            Leaf { part, block: keeps.then(|| chunk.to_vec()) }
        };
        return Ok(chunks.clone().zip(digests(chunks)).map(leaf).collect());
    }
    let leaf = |chunk: &[u8]| {
        let block = encode(std::iter::empty(), &file_leaf(chunk));
        let node = Node::of_block(&block, 0).expect("a chunk fits into memory");
        Leaf { part: Part { node, bytes: chunk.len() as u64 }, block: keeps.then_some(block) }
    };
    Ok(chunks.map(leaf).collect())
}

/// Exactly `len` bytes from `offset` on; where the content should end behind them, it must.
fn read<'a>(
    content: &impl Content,
    offset: u64,
    len: usize,
    buffer: &'a mut Vec<u8>,
) -> Result<&'a [u8], Fault> {
    let is_last = offset + len as u64 == content.len();
    let wanted = len + usize::from(is_last);
    if buffer.len() < wanted {
        buffer.resize(wanted, 0);
    }
    let mut filled = 0;
    // A file that ends where it should is not asked twice: the answer that fills all but the last byte says so.
    while filled < len {
        match content.read_at(offset + filled as u64, &mut buffer[filled..wanted]) {
            Ok(0) => break,
            Ok(count) => filled += count.min(wanted - filled),
            Err(why) => return Err(Fault::Unreadable(why)),
        }
    }
    if filled == len && len == 0 && is_last {
        match content.read_at(0, &mut buffer[..1]) {
            Ok(count) => filled += count.min(1),
            Err(why) => return Err(Fault::Unreadable(why)),
        }
    }
    if filled == len { Ok(&buffer[..len]) } else { Err(Fault::Length { expected: content.len() }) }
}

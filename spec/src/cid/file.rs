//! Files: chunks, hashed in parallel, under a balanced tree.

use rayon::prelude::*;

use super::balanced::{Balanced, Part};
use super::block::{Blocks, Direct, Node, Out};
use super::buffers::Buffers;
use super::hash::{digests, width};
use super::node::{encode, file_leaf};
use super::{CidError, Content, Fault, Layout, Summary};

/// Bytes of a file whose blocks are in memory at the same time, if blocks are kept.
const HELD_BYTES: usize = 16 << 20;
/// Leaves in memory at the same time, without their blocks.
const WINDOW_LEAVES: usize = 1 << 14;

/// The identifier of a file: that of its only chunk, or of the tree over its chunks.
pub fn of_file(content: &impl Content, layout: &Layout, blocks: &impl Blocks) -> Result<Summary, CidError> {
    let mut out = Direct::new(blocks);
    let Part { node, bytes } = file(content, layout, &Buffers::default(), &mut out)?;
    Ok(Summary { cid: layout.cid(&node), files: 1, bytes, blocks: out.count })
}

/// Puts a file's blocks and returns its root.
pub(super) fn file(
    content: &impl Content,
    layout: &Layout,
    buffers: &Buffers,
    out: &mut impl Out,
) -> Result<Part, CidError> {
    buffers.lend(|buffer| {
        let head = read(content, 0, head_bytes(layout), buffer).map_err(|fault| CidError::at("", fault))?;
        file_with_head(content, head, layout, buffers, out)
    })
}

/// How many bytes of a file tell whether it has one chunk.
pub(super) fn head_bytes(layout: &Layout) -> usize {
    layout.chunk_bytes.max(1) + 1
}

/// Puts the blocks of a file whose first [`head_bytes`] are known, and returns its root.
pub(super) fn file_with_head(
    content: &impl Content,
    head: &[u8],
    layout: &Layout,
    buffers: &Buffers,
    out: &mut impl Out,
) -> Result<Part, CidError> {
    let at = |fault| CidError::at("", fault);
    let (chunk_bytes, keeps) = (layout.chunk_bytes.max(1), out.keeps());
    let first = leaves(&[&head[..head.len().min(chunk_bytes)]], layout, keeps).remove(0);
    out.put(&first.part.node, first.block)?;
    if head.len() <= chunk_bytes {
        return Ok(first.part);
    }
    let mut tree = Balanced::new(layout.width);
    tree.push(first.part, out)?;
    let len = content.len();
    let rest = len.checked_sub(chunk_bytes as u64).filter(|&rest| rest > 0);
    let rest = rest.ok_or_else(|| at(Fault::Length { expected: len }))?;
    let window_chunks = if keeps { HELD_BYTES / chunk_bytes } else { WINDOW_LEAVES }.max(1);
    let run_chunks = run_chunks(rest.div_ceil(chunk_bytes as u64), window_chunks);
    let run_bytes = chunk_bytes * run_chunks;
    let window = (window_chunks / run_chunks).max(1);
    let runs = rest.div_ceil(run_bytes as u64);
    let offset = |n: u64| chunk_bytes as u64 + n * run_bytes as u64;
    for first in (0..runs).step_by(window) {
        let read: Vec<_> = (first..runs.min(first + window as u64))
            .into_par_iter()
            .map(|n| buffers.lend(|buffer| run(content, offset(n), run_bytes, len, layout, keeps, buffer)))
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

/// How many chunks a thread reads before it hashes them, so that every thread has work.
fn run_chunks(rest_chunks: u64, window_chunks: usize) -> usize {
    let threads = rayon::current_num_threads();
    let chunks = usize::try_from(rest_chunks).unwrap_or(usize::MAX).min(window_chunks);
    chunks.div_ceil(threads).min(width()).max(1)
}

/// The leaves of the run of chunks that begins at `offset`. `len` is the declared length of the content.
fn run(
    content: &impl Content,
    offset: u64,
    run_bytes: usize,
    len: u64,
    layout: &Layout,
    keeps: bool,
    buffer: &mut Vec<u8>,
) -> Result<Vec<Leaf>, Fault> {
    let bytes = usize::try_from(len - offset).unwrap_or(usize::MAX).min(run_bytes);
    // At the declared end, ask for one more byte, which must not exist.
    let is_last = offset + bytes as u64 == len;
    let read = read(content, offset, bytes + usize::from(is_last), buffer)?;
    if read.len() != bytes {
        return Err(Fault::Length { expected: len });
    }
    let chunks: Vec<&[u8]> = read.chunks(layout.chunk_bytes.max(1)).collect();
    Ok(leaves(&chunks, layout, keeps))
}

/// A chunk, and its block if blocks are wanted.
pub(super) struct Leaf {
    pub(super) part: Part,
    pub(super) block: Option<Vec<u8>>,
}

/// The leaf of each chunk.
pub(super) fn leaves(chunks: &[&[u8]], layout: &Layout, keeps: bool) -> Vec<Leaf> {
    let bytes = |chunk: &[u8]| chunk.len() as u64;
    if layout.raw_leaves {
        let leaf = |(&chunk, digest): (&&[u8], _)| {
            let part = Part { node: Node::raw(digest, bytes(chunk)), bytes: bytes(chunk) };
            Leaf { part, block: keeps.then(|| chunk.to_vec()) }
        };
        return chunks.iter().zip(digests(chunks)).map(leaf).collect();
    }
    let leaf = |chunk: &&[u8]| {
        let block = encode(std::iter::empty(), &file_leaf(chunk));
        let node = Node::of_block(&block, 0).expect("a chunk fits into memory");
        Leaf { part: Part { node, bytes: bytes(chunk) }, block: keeps.then_some(block) }
    };
    chunks.iter().map(leaf).collect()
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
    fill(content, offset, &mut buffer[..count])
}

/// Reads from `offset` until the buffer is full or the content ends.
pub(super) fn fill<'a>(content: &impl Content, offset: u64, buffer: &'a mut [u8]) -> Result<&'a [u8], Fault> {
    let mut filled = 0;
    while filled < buffer.len() {
        match content.read_at(offset + filled as u64, &mut buffer[filled..]) {
            Ok(0) => break,
            Ok(more) => filled += more,
            Err(why) => return Err(Fault::Unreadable(why)),
        }
    }
    Ok(&buffer[..filled])
}

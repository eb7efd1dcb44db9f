//! The intermediate values between files and their identifier: chunks, nodes, and the size that decides on sharding.

use std::collections::BTreeMap;
use std::sync::Mutex;

use assay_spec::Strict;
use assay_spec::cid::{Blocks, Cid, Entry, Estimate, Layout, of_entries, of_file};
use assay_spec::drop::zip::{self, Limits};
use serde_json::Value;

use super::text;
use crate::bytes::{self, Recipe};
use crate::case::Step;
use crate::op::Members;
use crate::op::drop::cid::{Folder, estimate};

/// The multicodec of a raw block.
const RAW: u64 = 0x55;
/// The longest node that is shown in full, and the number of nodes shown.
const SHOWN_BYTES: usize = 600;
const SHOWN_NODES: usize = 12;
/// The longest node with one link. Among many nodes these are the shards of a chain.
const SHORT_BYTES: usize = 100;

/// The chunks of a file and the nodes above them.
pub(crate) fn file(input: &Value) -> Vec<Step> {
    let listed = Listed::default();
    let content = Recipe::read("content", &input["content"]).expect("the case is accepted");
    of_file(&content, &Layout::default(), &listed).expect("the case is accepted");
    let blocks = listed.into_blocks();
    let chunks: Vec<&Cid> = blocks.iter().map(|(cid, _)| cid).filter(|cid| cid.codec() == RAW).collect();
    let mut steps = vec![text("chunks", &chunks.len().to_string())];
    let shown = |n: &usize| chunks.len() <= 4 || *n == 0 || *n + 1 == chunks.len();
    let chunk = |n: usize| text(&format!("chunk {n}"), &chunks[n].to_string());
    steps.extend((0..chunks.len()).filter(shown).map(chunk));
    steps.extend(nodes(&blocks));
    steps
}

/// The sizes of a folder's top directory and the nodes.
pub(crate) fn folder(input: &Value) -> Vec<Step> {
    let members = Members::from_input(input).expect("the case is accepted");
    let folder = Folder::read(&members).expect("the case is accepted");
    let layout = Layout { estimate: estimate(&members).expect("the case is accepted"), ..Layout::default() };
    let (entries, sizes) = (folder.entries(), [links_bytes(input), block_bytes(input)]);
    let mut steps = vec![
        text("bytes of the top directory's names and identifiers", &sizes[0].to_string()),
        text("bytes of the top directory's block, unsharded", &sizes[1].to_string()),
    ];
    let blocks = blocks(&entries, &layout);
    let size = if layout.estimate == Estimate::Links { sizes[0] } else { sizes[1] };
    if layout.shard_above_bytes.is_some_and(|limit| size as u64 > limit) {
        steps.extend(places(input));
    }
    steps.extend(nodes(&blocks));
    steps
}

/// The hashes of the names in a sharded top directory: the position at depth d is byte d.
fn places(input: &Value) -> impl Iterator<Item = Step> {
    let names = input["entries"].as_array().into_iter().flatten().filter_map(|entry| entry["path"].as_str());
    names.filter(|path| !path.contains('/')).map(|name| {
        let hash = murmur3::murmur3_x64_128(&mut name.as_bytes(), 0).expect("a slice can be read");
        text(&format!("place of {name}"), &format!("{:016x}", hash as u64))
    })
}

/// The files of a zip and the nodes.
pub(crate) fn zip(input: &Value) -> Vec<Step> {
    let bytes = bytes::read("zip", &input["zip"]).expect("the case is accepted");
    let extracted = zip::inspect(&bytes, &Limits::default(), &mut Strict).expect("the case is accepted");
    let mut steps = vec![text("bytes of the zip", &bytes.len().to_string())];
    if extracted.files.len() <= SHOWN_NODES {
        let line = |(path, bytes): (&String, &std::sync::Arc<[u8]>)| {
            text(&format!("file {path}"), &format!("{} bytes", bytes.len()))
        };
        steps.extend(extracted.files.iter().map(line));
    }
    let entries = extracted.files.iter().map(|(path, bytes)| (path.clone(), Entry::File(bytes))).collect();
    steps.extend(nodes(&blocks(&entries, &Layout::default())));
    steps
}

/// The bytes of names and identifiers in the unsharded top directory.
pub(crate) fn links_bytes(input: &Value) -> usize {
    let block = unsharded(input);
    let (mut rest, mut sum) = (block.as_slice(), 0);
    // Links come first. Each is a message: identifier (36 bytes), name, size.
    while let Some((0x12, message)) = field(&mut rest) {
        let mut message = message;
        let (identifier, name) = (field(&mut message), field(&mut message));
        sum += identifier.map_or(0, |(_, bytes)| bytes.len()) + name.map_or(0, |(_, bytes)| bytes.len());
    }
    sum
}

/// The bytes of the unsharded top directory's block.
pub(crate) fn block_bytes(input: &Value) -> usize {
    unsharded(input).len()
}

fn unsharded(input: &Value) -> Vec<u8> {
    let members = Members::from_input(input).expect("entries are an object");
    let folder = Folder::read(&members).expect("entries are readable");
    let layout = Layout { shard_above_bytes: None, ..Layout::default() };
    blocks(&folder.entries(), &layout).pop().expect("the root comes last").1
}

/// The tag and the bytes of the next length-delimited field.
fn field<'a>(rest: &mut &'a [u8]) -> Option<(u8, &'a [u8])> {
    let (tag, after) = rest.split_first()?;
    let (mut length, mut shift, mut at) = (0usize, 0, 0);
    loop {
        let byte = *after.get(at)?;
        length |= usize::from(byte & 0x7f) << shift;
        (shift, at) = (shift + 7, at + 1);
        if byte < 0x80 {
            break;
        }
    }
    let bytes = after.get(at..at + length)?;
    *rest = &after[at + length..];
    Some((*tag, bytes))
}

fn blocks(entries: &BTreeMap<String, Entry<'_>>, layout: &Layout) -> Vec<(Cid, Vec<u8>)> {
    let listed = Listed::default();
    of_entries(entries, layout, &mut Strict, &listed).expect("the entries have an identifier");
    listed.into_blocks()
}

/// The nodes in the order of their creation. Long nodes show only their length; of many nodes only the short ones and
/// the root are shown.
fn nodes(blocks: &[(Cid, Vec<u8>)]) -> Vec<Step> {
    let nodes: Vec<_> = blocks.iter().filter(|(cid, _)| cid.codec() != RAW).collect();
    let is_few = nodes.len() <= SHOWN_NODES;
    let mut steps = Vec::new();
    if !is_few {
        steps.push(text("nodes", &nodes.len().to_string()));
    }
    let last = nodes.len().saturating_sub(1);
    let shown = |n: usize, block: &[u8]| is_few || n == last || block.len() <= SHORT_BYTES;
    for (_, (cid, block)) in nodes.iter().enumerate().filter(|(n, (_, block))| shown(*n, block)) {
        let name = format!("node {cid}");
        steps.push(if block.len() > SHOWN_BYTES {
            text(&name, &format!("{} bytes", block.len()))
        } else {
            Step::Hex { name, hex: assay_spec::crypto::text::hex(block) }
        });
    }
    steps
}

/// Blocks in the order of their creation. Raw blocks are kept without content.
#[derive(Default)]
struct Listed(Mutex<Vec<(Cid, Vec<u8>)>>);

impl Listed {
    fn into_blocks(self) -> Vec<(Cid, Vec<u8>)> {
        self.0.into_inner().expect("no thread has panicked")
    }
}

impl Blocks for Listed {
    fn put(&self, cid: &Cid, block: Vec<u8>) -> Result<(), String> {
        let block = if cid.codec() == RAW { Vec::new() } else { block };
        self.0.lock().expect("no thread has panicked").push((*cid, block));
        Ok(())
    }
}

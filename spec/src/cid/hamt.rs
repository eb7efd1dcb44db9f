//! Sharded directories: a trie over the hashes of names, 256 places a shard.

use super::block::{Node, Out};
use super::directory::{Named, below};
use super::node::{self, Link, encode};
use super::{CidError, Fault, hash};

/// Places of a shard.
const FANOUT: usize = 256;
/// A hash has eight bytes, one for each shard on the way to an entry.
const DEPTH: u32 = 8;

/// The root of a sharded directory.
pub(super) fn directory(entries: &[Named], out: &mut impl Out) -> Result<Node, CidError> {
    let mut placed: Vec<(u64, &Named)> =
        entries.iter().map(|entry| (hash::place(&entry.name), entry)).collect();
    placed.sort_unstable_by_key(|&(place, entry)| (place, entry.name.as_str()));
    shard(&placed, 0, out)
}

/// The shard of these entries, whose hashes agree in the first `depth` bytes.
fn shard(
    entries: &[(u64, &Named)],
    depth: u32,
    out: &mut impl Out,
) -> Result<Node, CidError> {
    if depth == DEPTH {
        let name = |n: usize| entries[n].1.name.clone();
        return Err(CidError::at("", Fault::Collision(name(0), name(1))));
    }
    let byte = |place: u64| (place >> (56 - 8 * depth)) as u8;
    let mut bits = [0u8; FANOUT / 8];
    let mut children: Vec<(String, &str, Node)> = Vec::new();
    for group in entries.chunk_by(|a, b| byte(a.0) == byte(b.0)) {
        let place = byte(group[0].0);
        bits[FANOUT / 8 - 1 - usize::from(place) / 8] |= 1 << (place % 8);
        let (name, node) = match group {
            [(_, entry)] => (entry.name.as_str(), entry.node),
            _ => ("", shard(group, depth + 1, out)?),
        };
        children.push((format!("{place:02X}"), name, node));
    }
    let leading = bits.iter().take_while(|&&byte| byte == 0).count();
    let links = children.iter().map(|(prefix, name, node)| Link { prefix, name, node });
    let block = encode(links, &node::shard(&bits[leading..], FANOUT as u64));
    let node = below(children.iter().map(|(.., node)| node))
        .and_then(|below_bytes| Node::of_block(&block, below_bytes))
        .ok_or_else(|| CidError::at("", Fault::TooLarge))?;
    out.put(&node, Some(block))?;
    Ok(node)
}

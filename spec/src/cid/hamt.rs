//! Sharded directories (HAMT): a trie over the hashes of names, 256 slots per shard.

use rayon::prelude::*;

use super::block::{Held, Node, Out};
use super::directory::{Named, below};
use super::node::{self, Link, encode};
use super::{CidError, Fault, hash};

/// Slots of a shard.
const FANOUT: usize = 256;
/// A hash has eight bytes, one for each level.
const DEPTH: u32 = 8;

/// An entry and its hash.
type Placed<'a> = (u64, &'a Named);

/// The root of a sharded directory. The shards directly below it are built in parallel.
pub(super) fn directory(entries: &[Named], out: &mut impl Out) -> Result<Node, CidError> {
    let mut placed: Vec<Placed<'_>> =
        entries.par_iter().map(|entry| (hash::place(&entry.name), entry)).collect();
    placed.par_sort_unstable_by_key(|&(place, entry)| (place, entry.name.as_str()));
    let keeps = out.keeps();
    let made: Vec<_> = groups(&placed, 0)
        .collect::<Vec<_>>()
        .into_par_iter()
        .map(|group| {
            let mut held = Held::new(keeps);
            child(group, 0, &mut held).map(|child| (child, held))
        })
        .collect();
    let mut children = Vec::with_capacity(made.len());
    for child in made {
        let (child, held) = child?;
        out.pour(held)?;
        children.push(child);
    }
    shard(&children, out)
}

/// The content of a slot: an entry, or a shard of the entries whose hashes are equal so far.
struct Child {
    place: u8,
    /// The slot, and the entry's name.
    name: String,
    node: Node,
}

/// The entries of each slot, in order.
fn groups<'a, 'b>(entries: &'b [Placed<'a>], depth: u32) -> impl Iterator<Item = &'b [Placed<'a>]> {
    entries.chunk_by(move |a, b| byte(a.0, depth) == byte(b.0, depth))
}

fn byte(place: u64, depth: u32) -> u8 {
    (place >> (56 - 8 * depth)) as u8
}

fn child(group: &[Placed<'_>], depth: u32, out: &mut impl Out) -> Result<Child, CidError> {
    let place = byte(group[0].0, depth);
    let (name, node) = match group {
        [(_, entry)] => (entry.name.as_str(), entry.node),
        [(_, one), (_, other), ..] if depth + 1 == DEPTH => {
            let fault = Fault::Collision(one.name.clone(), other.name.clone());
            return Err(CidError::at("", fault));
        }
        _ => {
            let children: Result<Vec<Child>, CidError> =
                groups(group, depth + 1).map(|group| child(group, depth + 1, out)).collect();
            ("", shard(&children?, out)?)
        }
    };
    Ok(Child { place, name: format!("{place:02X}{name}"), node })
}

fn shard(children: &[Child], out: &mut impl Out) -> Result<Node, CidError> {
    let mut bits = [0u8; FANOUT / 8];
    for Child { place, .. } in children {
        bits[FANOUT / 8 - 1 - usize::from(place / 8)] |= 1 << (place % 8);
    }
    let leading = bits.iter().take_while(|&&byte| byte == 0).count();
    let links = children.iter().map(|Child { name, node, .. }| Link { name, node });
    let block = encode(links, &node::shard(&bits[leading..], FANOUT as u64));
    let node = below(children.iter().map(|child| &child.node))
        .and_then(|below_bytes| Node::of_block(&block, below_bytes))
        .ok_or_else(|| CidError::at("", Fault::TooLarge))?;
    out.put(&node, Some(block))?;
    Ok(node)
}

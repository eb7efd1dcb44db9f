//! Walks the tree: every file under every path that leads to it, also through links.

use std::collections::btree_map;
use std::sync::Arc;

use super::contents::Content;
use super::fields::shown;
use super::path::MOST_PATH;
use super::tree::{ROOT, Tree, What};
use super::{Extracted, MOST_STEPS, refuse_over};
use crate::drop::mistakes::zip::SYMLINK;
use crate::drop::requirements::zip::{EXTRACTED_SIZE, FAITHFUL, FILES};
use crate::{Refused, Rules};

/// The maximum number of links on the way to one target.
const MOST_HOPS: u32 = 40;

/// Collects the files.
///
/// A link shows its target, a file or a directory, under the link's own path. A link is rejected if it dangles, leads
/// out of the root or leads into a directory that contains it.
pub(super) fn follow(
    tree: &Tree,
    most_files: u64,
    most_bytes: u64,
    rules: &mut dyn Rules,
) -> Result<Extracted, Refused> {
    let mut out = Extracted::default();
    let mut walk = Walk { tree, steps: 0, within: vec![false; tree.nodes.len()] };
    let mut path = String::new();
    let mut frames = Vec::new();
    frames.extend(walk.enter(ROOT, 0, false));
    while let Some(frame) = frames.last_mut() {
        path.truncate(frame.path_length);
        let Some((name, child)) = frame.children.next() else {
            walk.within[frame.node] = false;
            frames.pop();
            continue;
        };
        if !path.is_empty() {
            path.push('/');
        }
        path.push_str(name);

        let (mut node, mut linked) = (*child, frame.linked);
        let is_link = matches!(tree.nodes[node].what, What::Leaf(Content::Link(_)));
        out.links += usize::from(is_link);
        let is_shown = !is_link || rules.derive(&SYMLINK, path.as_str(), |_| true);
        if !is_shown {
            continue;
        }
        if is_link || linked {
            let led = walk.through(node, &path);
            let wrong = led.as_ref().err().copied();
            let why = || format!("{}: the link {}", shown(path.as_bytes()), wrong.unwrap_or_default());
            rules.require(&FAITHFUL, wrong.is_none(), why)?;
            let Ok(target) = led else { continue };
            (node, linked) = (target, true);
        }
        if tree.nodes[node].named && !linked {
            out.directories.insert(path.clone());
        }
        frames.extend(walk.enter(node, path.len(), linked));
        if let What::Leaf(Content::File(bytes)) = &tree.nodes[node].what {
            out.bytes += bytes.len() as u64;
            out.files.insert(path.clone(), Arc::clone(bytes));
            refuse_over(&FILES, out.files.len() as u64, most_files, "files")?;
            refuse_over(&EXTRACTED_SIZE, out.bytes, most_bytes, "bytes of files")?;
        }
    }
    Ok(out)
}

/// A directory that the walk is in.
struct Frame<'a> {
    node: usize,
    children: btree_map::Iter<'a, String, usize>,
    path_length: usize,
    /// Whether it was reached through a link.
    linked: bool,
}

struct Walk<'a> {
    tree: &'a Tree,
    steps: u32,
    /// The directories that the walk is in.
    within: Vec<bool>,
}

impl<'a> Walk<'a> {
    /// Goes into a directory.
    fn enter(&mut self, node: usize, path_length: usize, linked: bool) -> Option<Frame<'a>> {
        let What::Directory(children) = &self.tree.nodes[node].what else { return None };
        self.within[node] = true;
        Some(Frame { node, children: children.iter(), path_length, linked })
    }

    /// The file or directory that a link leads to. A node that is not a link leads to itself.
    fn through(&mut self, node: usize, path: &str) -> Result<usize, &'static str> {
        self.step()?;
        if path.len() > MOST_PATH {
            return Err("makes a path of more than 4096 bytes");
        }
        let node = match &self.tree.nodes[node].what {
            What::Leaf(Content::Link(_)) => self.resolve(node)?,
            _ => node,
        };
        if self.within[node] { Err("leads into itself") } else { Ok(node) }
    }

    fn resolve(&mut self, link: usize) -> Result<usize, &'static str> {
        let mut at = self.tree.nodes[link].parent;
        let mut hops = 1;
        let mut pending = segments(self.tree, link)?;
        while let Some(segment) = pending.pop() {
            self.step()?;
            let What::Directory(children) = &self.tree.nodes[at].what else { return Err("dangles") };
            let next = match segment {
                "" | "." => at,
                ".." if at == ROOT => return Err("leads out of the root"),
                ".." => self.tree.nodes[at].parent,
                name => *children.get(name).ok_or("dangles")?,
            };
            if matches!(self.tree.nodes[next].what, What::Leaf(Content::Link(_))) {
                hops += 1;
                if hops > MOST_HOPS {
                    return Err("leads through too many links");
                }
                pending.extend(segments(self.tree, next)?);
            } else {
                at = next;
            }
        }
        Ok(at)
    }

    fn step(&mut self) -> Result<(), &'static str> {
        self.steps = self.steps.saturating_add(1);
        if self.steps > MOST_STEPS { Err("comes after too many steps") } else { Ok(()) }
    }
}

/// The segments of a link's target, last first.
fn segments(tree: &Tree, link: usize) -> Result<Vec<&str>, &'static str> {
    let What::Leaf(Content::Link(Some(target))) = &tree.nodes[link].what else {
        return Err("has a target that is not UTF-8");
    };
    if target.is_empty() || target.contains('\0') {
        return Err("has an invalid target path");
    }
    if target.starts_with('/') {
        return Err("leads out of the root");
    }
    Ok(target.split('/').rev().collect())
}

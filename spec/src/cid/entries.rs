//! Folders given as a map of paths.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Blocks, CidError, Fault, Followed, Item, Layout, NodeKind, Summary, Tree, of_folder};
use crate::Rules;

/// The maximum path length in bytes and in segments: more than file systems accept, and more than anyone nests.
const PATH_BYTES: usize = 4096;
const SEGMENTS: usize = 256;
/// The maximum number of links on one path.
const HOPS: usize = 40;
/// The maximum number of entries that links may add, including through other links.
const FOLLOWED_ENTRIES: u64 = 100_000;
/// The maximum number of bytes of files that links may add.
const FOLLOWED_BYTES: u64 = 1 << 30;

/// The entry at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry<'a> {
    /// A file with these bytes.
    File(&'a [u8]),
    /// A symbolic link. The target is relative to the folder of the link, and cannot be outside the map.
    Link(&'a str),
    /// A folder. Folders that are part of another entry's path need not be listed.
    Directory,
}

/// The identifier of the folder with these entries, by path. A path is relative, with `/` between segments. No segment
/// is empty, `.` or `..`. A path has at most 4096 bytes and 256 segments.
///
/// The rules about links are asked of `rules`. If one is violated, the links that it would reject are omitted. Links
/// that multiply the content too much are an error.
pub fn of_entries(
    entries: &BTreeMap<String, Entry<'_>>,
    layout: &Layout,
    rules: &mut dyn Rules,
    blocks: &impl Blocks,
) -> Result<Summary, CidError> {
    of_folder(&Map::new(entries)?, ROOT, layout, rules, blocks)
}

/// The index of the root.
const ROOT: usize = 0;

/// The entries as a tree.
#[derive(Debug)]
struct Map<'a> {
    nodes: Vec<At<'a>>,
    /// Entries and bytes that links may still add.
    entries_left: AtomicU64,
    bytes_left: AtomicU64,
}

#[derive(Debug)]
struct At<'a> {
    parent: usize,
    what: What<'a>,
}

#[derive(Debug)]
enum What<'a> {
    File(&'a [u8]),
    Link(&'a str),
    Folder(BTreeMap<&'a str, usize>),
}

/// Why a path leads to no entry.
enum Lost {
    Nothing,
    Endless,
}

impl<'a> Map<'a> {
    fn new(entries: &'a BTreeMap<String, Entry<'a>>) -> Result<Map<'a>, CidError> {
        let root = At { parent: ROOT, what: What::Folder(BTreeMap::new()) };
        let mut map = Map { nodes: vec![root], entries_left: 0.into(), bytes_left: 0.into() };
        let mut bytes = FOLLOWED_BYTES;
        for (path, entry) in entries {
            map.add(path, entry).map_err(|why| CidError::at(path, Fault::Path(why)))?;
            if let Entry::File(content) = entry {
                bytes = bytes.saturating_add(content.len() as u64);
            }
        }
        map.entries_left = (map.nodes.len() as u64 + FOLLOWED_ENTRIES).into();
        map.bytes_left = bytes.into();
        Ok(map)
    }

    fn add(&mut self, path: &'a str, entry: &Entry<'a>) -> Result<(), &'static str> {
        if path.len() > PATH_BYTES || path.split('/').count() > SEGMENTS {
            return Err("the path is too long");
        }
        let mut at = ROOT;
        let mut segments = path.split('/').peekable();
        while let Some(segment) = segments.next() {
            match segment {
                "" => return Err("the path has an empty segment"),
                "." | ".." => return Err("the path has a . or .. segment"),
                _ if segment.contains('\0') => return Err("the path has a NUL"),
                _ => {}
            }
            let is_last = segments.peek().is_none();
            let new = self.nodes.len();
            let What::Folder(children) = &mut self.nodes[at].what else {
                return Err("the path leads through something that is not a folder");
            };
            let child = *children.entry(segment).or_insert(new);
            if child == new {
                let what = match entry {
                    Entry::File(content) if is_last => What::File(content),
                    Entry::Link(target) if is_last => What::Link(target),
                    _ => What::Folder(BTreeMap::new()),
                };
                self.nodes.push(At { parent: at, what });
            } else if is_last
                && !matches!((entry, &self.nodes[child].what), (Entry::Directory, What::Folder(_)))
            {
                return Err("the path is also a folder of other entries");
            }
            at = child;
        }
        Ok(())
    }

    fn child(&self, folder: usize, name: &str) -> Option<usize> {
        match &self.nodes[folder].what {
            What::Folder(children) => children.get(name).copied(),
            _ => None,
        }
    }

    /// The entry after all links are followed.
    fn resolve(&self, entry: usize, hops: &mut usize) -> Result<usize, Lost> {
        let What::Link(target) = self.nodes[entry].what else { return Ok(entry) };
        *hops = hops.checked_sub(1).ok_or(Lost::Endless)?;
        if target.is_empty() || target.starts_with('/') {
            return Err(Lost::Nothing);
        }
        let mut at = self.nodes[entry].parent;
        for segment in target.split('/') {
            if !matches!(self.nodes[at].what, What::Folder(_)) {
                return Err(Lost::Nothing);
            }
            at = match segment {
                "" | "." => at,
                ".." if at == ROOT => return Err(Lost::Nothing),
                ".." => self.nodes[at].parent,
                name => self.resolve(self.child(at, name).ok_or(Lost::Nothing)?, hops)?,
            };
        }
        Ok(at)
    }

    fn spend(&self, entries: u64, bytes: u64) -> Result<(), String> {
        let take = |left: &AtomicU64, count: u64| {
            left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(count)).is_ok()
        };
        if take(&self.entries_left, entries) && take(&self.bytes_left, bytes) {
            Ok(())
        } else {
            Err("links multiply the content too much".to_owned())
        }
    }
}

impl<'a> Tree for Map<'a> {
    type File = &'a [u8];
    type Folder = usize;

    fn list(&self, &folder: &usize) -> Result<Vec<Item>, String> {
        let What::Folder(children) = &self.nodes[folder].what else {
            return Err("not a folder".to_owned());
        };
        let mut bytes = 0;
        let item = |(name, &child): (&&str, &usize)| {
            let kind = match &self.nodes[child].what {
                What::File(content) => {
                    bytes += content.len() as u64;
                    NodeKind::File
                }
                What::Link(_) => NodeKind::Link,
                What::Folder(_) => NodeKind::Folder,
            };
            Item { name: name.as_bytes().to_vec(), kind }
        };
        let items: Vec<Item> = children.iter().map(item).collect();
        self.spend(items.len() as u64, bytes)?;
        Ok(items)
    }

    fn enter(&self, &folder: &usize, name: &str) -> Result<usize, String> {
        self.child(folder, name).ok_or_else(|| "no such entry".to_owned())
    }

    fn follow(&self, &folder: &usize, name: &str) -> Result<Followed<usize>, String> {
        let entry = self.enter(&folder, name)?;
        let found = match self.resolve(entry, &mut HOPS.clone()) {
            Ok(found) => found,
            Err(Lost::Nothing) => return Ok(Followed::Nothing),
            Err(Lost::Endless) => return Ok(Followed::Endless),
        };
        match &self.nodes[found].what {
            What::File(content) => self.spend(0, content.len() as u64).map(|()| Followed::File),
            _ => Ok(Followed::Folder(found)),
        }
    }

    fn open(&self, &folder: &usize, name: &str) -> Result<&'a [u8], String> {
        let entry = self.enter(&folder, name)?;
        match self.resolve(entry, &mut HOPS.clone()).map(|found| &self.nodes[found].what) {
            Ok(What::File(content)) => Ok(content),
            _ => Err("not a file".to_owned()),
        }
    }

    fn is_same(&self, one: &usize, other: &usize) -> Result<bool, String> {
        Ok(one == other)
    }
}

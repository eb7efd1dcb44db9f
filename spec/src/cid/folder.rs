//! Folders: one thread walks and builds directories, all threads read files.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use rayon::prelude::*;

use super::balanced::Part;
use super::block::{Blocks, Direct, Held, Node, Out};
use super::buffers::Buffers;
use super::directory::{Named, directory};
use super::file::{file, file_with_head, fill, head_bytes, leaves};
use super::hash::width;
use super::walk::{Step, Walk, path};
use super::{CidError, Content, Fault, Layout, Summary, Tree};
use crate::Rules;

/// Steps whose files are read in parallel.
const BATCH: usize = 4096;
/// Steps that a thread reads in a row, unless some threads would have none.
const GROUP: usize = 64;
/// Groups of steps for each thread: more of them share the work more evenly.
const GROUPS_PER_THREAD: usize = 2;
/// Files that wait to be hashed fill at least one chunk for this many messages that the hash function takes at once.
const LANES_PER_CHUNK: usize = 4;
/// Maximum bytes of files whose blocks a batch may hold. Further files are read when it is their turn.
const HELD_BYTES: u64 = 16 << 20;

/// The identifier of a folder.
///
/// If `rules` violates one of the rules about links, the links that it would reject are omitted.
pub fn of_folder<T: Tree>(
    tree: &T,
    root: T::Folder,
    layout: &Layout,
    rules: &mut dyn Rules,
    blocks: &impl Blocks,
) -> Result<Summary, CidError> {
    let mut walk = Walk::new(tree, root, layout, rules);
    let buffers = Buffers::default();
    let mut builder = Builder::new(tree, layout, blocks, &buffers);
    let mut steps = walk.steps(BATCH);
    let mut done: Vec<(Step<T::Folder>, Option<Read>)> = Vec::new();
    while !steps.is_empty() || !done.is_empty() {
        let reader = Reader::new(tree, layout, blocks.keeps(), &buffers);
        let mut files = Vec::new();
        // While files are read, the steps before them become directories, and the steps after them are listed.
        let next = rayon::in_place_scope(|scope| {
            scope.spawn(|_| files = reader.read(&steps));
            builder.build(std::mem::take(&mut done)).inspect_err(|_| reader.stop_before(0))?;
            Ok::<_, CidError>(walk.steps(BATCH))
        })?;
        done = steps.into_iter().zip(files).collect();
        steps = next;
    }
    builder.finish()
}

/// The result for a file that was read ahead.
enum Read {
    Done(Part, Held),
    /// Wait until it is its turn.
    Later,
    Failed(CidError),
}

/// Reads the files of a batch.
struct Reader<'a, T> {
    tree: &'a T,
    layout: &'a Layout,
    keeps: bool,
    buffers: &'a Buffers,
    /// Bytes whose blocks are held.
    held_bytes: AtomicU64,
    /// The first step that failed. Nothing after it is needed.
    failed: AtomicUsize,
}

impl<'a, T: Tree> Reader<'a, T> {
    fn new(tree: &'a T, layout: &'a Layout, keeps: bool, buffers: &'a Buffers) -> Reader<'a, T> {
        Reader { tree, layout, keeps, buffers, held_bytes: 0.into(), failed: usize::MAX.into() }
    }

    fn stop_before(&self, step: usize) {
        self.failed.fetch_min(step, Ordering::Relaxed);
    }

    /// The result of each step; `None` for steps that are not files.
    fn read(&self, steps: &[Step<T::Folder>]) -> Vec<Option<Read>> {
        let groups = rayon::current_num_threads() * GROUPS_PER_THREAD;
        let group = steps.len().div_ceil(groups).clamp(1, GROUP);
        let read = |(n, steps)| self.buffers.lend(|buffer| Group::new(self, buffer).read(n * group, steps));
        steps.par_chunks(group).enumerate().map(read).flatten_iter().collect()
    }
}

/// Reads some files of a batch on one thread. Files of one chunk are hashed together.
struct Group<'a, 'b, T: Tree> {
    reader: &'b Reader<'a, T>,
    /// What is read of the files that wait, from the start.
    buffer: &'b mut Vec<u8>,
    filled: usize,
    waiting: Vec<Waiting<T::File>>,
    done: Vec<Option<Read>>,
}

/// A file of one chunk that is read, and not hashed.
struct Waiting<F> {
    /// Its place among the results.
    place: usize,
    chunk: Chunk<F>,
}

enum Chunk<F> {
    /// A part of the buffer.
    Read(Range<usize>),
    /// The bytes of this content, which are in memory.
    Memory(F),
}

impl<F: Content> Chunk<F> {
    fn bytes<'a>(&'a self, buffer: &'a [u8]) -> &'a [u8] {
        match self {
            Chunk::Read(range) => &buffer[range.clone()],
            Chunk::Memory(content) => content.as_bytes().unwrap_or_default(),
        }
    }
}

impl<'a, 'b, T: Tree> Group<'a, 'b, T> {
    fn new(reader: &'b Reader<'a, T>, buffer: &'b mut Vec<u8>) -> Group<'a, 'b, T> {
        Group { reader, buffer, filled: 0, waiting: Vec::new(), done: Vec::new() }
    }

    /// The results of these steps, the first of which has the number `first` in the batch.
    fn read(mut self, first: usize, steps: &[Step<T::Folder>]) -> Vec<Option<Read>> {
        for (n, step) in (first..).zip(steps) {
            let read = match step {
                Step::File(folder, name) if n < self.reader.failed.load(Ordering::Relaxed) => {
                    self.file(folder, name).unwrap_or_else(|error| {
                        self.reader.stop_before(n);
                        Some(Read::Failed(error))
                    })
                }
                _ => None,
            };
            self.done.push(read);
        }
        self.hash();
        self.done
    }

    /// The result for a file; `None` if it waits.
    fn file(&mut self, folder: &T::Folder, name: &str) -> Result<Option<Read>, CidError> {
        let Reader { tree, layout, keeps, buffers, ref held_bytes, .. } = *self.reader;
        let content = open(tree, folder, name)?;
        if keeps {
            let len = content.len();
            let before = held_bytes.fetch_add(len, Ordering::Relaxed);
            if before.saturating_add(len) > HELD_BYTES {
                return Ok(Some(Read::Later));
            }
        }
        let head_bytes = head_bytes(layout);
        if self.filled > head_bytes * width().div_ceil(LANES_PER_CHUNK) {
            self.hash();
        }
        if self.buffer.len() < self.filled + head_bytes {
            self.buffer.resize(self.filled + head_bytes, 0);
        }
        let (place, start) = (self.done.len(), self.filled);
        let head = match content.as_bytes() {
            Some(bytes) => &bytes[..bytes.len().min(head_bytes)],
            None => fill(&content, 0, &mut self.buffer[start..start + head_bytes])
                .map_err(|fault| CidError::at("", fault))?,
        };
        if head.len() == head_bytes {
            let mut held = Held::new(keeps);
            let part = file_with_head(&content, head, layout, buffers, &mut held)?;
            return Ok(Some(Read::Done(part, held)));
        }
        let chunk = if content.as_bytes().is_some() {
            Chunk::Memory(content)
        } else {
            self.filled += head.len();
            Chunk::Read(start..self.filled)
        };
        self.waiting.push(Waiting { place, chunk });
        Ok(None)
    }

    /// Hashes the files that wait.
    fn hash(&mut self) {
        let chunks: Vec<&[u8]> =
            self.waiting.iter().map(|waiting| waiting.chunk.bytes(self.buffer)).collect();
        let leaves = leaves(&chunks, self.reader.layout, self.reader.keeps);
        for (Waiting { place, .. }, leaf) in self.waiting.drain(..).zip(leaves) {
            self.done[place] = Some(Read::Done(leaf.part, Held::with(leaf.part.node, leaf.block)));
        }
        self.filled = 0;
    }
}

fn open<T: Tree>(tree: &T, folder: &T::Folder, name: &str) -> Result<T::File, CidError> {
    tree.open(folder, name).map_err(|why| CidError::at("", Fault::Unreadable(why)))
}

/// Builds directories from steps, in order.
struct Builder<'a, T, B> {
    tree: &'a T,
    layout: &'a Layout,
    buffers: &'a Buffers,
    out: Direct<'a, B>,
    /// The folders that are not left yet, with their known entries.
    open: Vec<(String, Vec<Named>)>,
    root: Option<Node>,
    files: u64,
    bytes: u64,
}

impl<'a, T: Tree, B: Blocks> Builder<'a, T, B> {
    fn new(tree: &'a T, layout: &'a Layout, blocks: &'a B, buffers: &'a Buffers) -> Self {
        Builder {
            tree,
            layout,
            buffers,
            out: Direct::new(blocks),
            open: Vec::new(),
            root: None,
            files: 0,
            bytes: 0,
        }
    }

    fn build(&mut self, steps: Vec<(Step<T::Folder>, Option<Read>)>) -> Result<(), CidError> {
        for (step, read) in steps {
            match step {
                Step::Enter(name) => self.open.push((name, Vec::new())),
                Step::Leave => self.leave()?,
                Step::Fail(error) => return Err(error),
                Step::File(folder, name) => {
                    let part = match read {
                        Some(Read::Done(part, held)) => self.out.pour(held).map(|()| part),
                        Some(Read::Failed(error)) => Err(error),
                        Some(Read::Later) | None => open(self.tree, &folder, &name)
                            .and_then(|content| file(&content, self.layout, self.buffers, &mut self.out)),
                    };
                    let part = part.map_err(|error| error.placed(&self.path(&name)))?;
                    self.files += 1;
                    self.bytes = self.bytes.saturating_add(part.bytes);
                    self.add(Named { name, node: part.node });
                }
            }
        }
        Ok(())
    }

    fn leave(&mut self) -> Result<(), CidError> {
        let (name, entries) = self.open.pop().expect("a folder is left after it was entered");
        let is_root = self.open.is_empty();
        if entries.is_empty() && !is_root && !self.layout.empty_directories {
            return Ok(());
        }
        let node = directory(&entries, self.layout, &mut self.out)
            .map_err(|error| error.placed(&self.path(&name)))?;
        if is_root {
            self.root = Some(node);
        } else {
            self.add(Named { name, node });
        }
        Ok(())
    }

    /// The path of an entry in the folder entered last.
    fn path(&self, name: &str) -> String {
        path(self.open.iter().map(|(name, _)| name.as_str()).chain([name]))
    }

    fn add(&mut self, entry: Named) {
        let (_, entries) = self.open.last_mut().expect("the root is left last");
        entries.push(entry);
    }

    fn finish(mut self) -> Result<Summary, CidError> {
        let mut root = self.root.expect("the walk leaves the root at its end");
        if let Some(name) = self.layout.wrapped_as.clone() {
            root = directory(&[Named { name, node: root }], self.layout, &mut self.out)?;
        }
        let cid = self.layout.cid(&root);
        Ok(Summary { cid, files: self.files, bytes: self.bytes, blocks: self.out.count })
    }
}

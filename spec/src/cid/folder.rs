//! Folders: one thread walks and builds directories, all threads read files.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use rayon::prelude::*;

use super::balanced::Part;
use super::block::{Blocks, Direct, Held, Node, Out};
use super::directory::{Named, directory};
use super::file::file;
use super::walk::{Step, Walk, path};
use super::{CidError, Content, Fault, Layout, Summary, Tree};
use crate::Rules;

/// Steps whose files are read in parallel.
const BATCH: usize = 4096;
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
    let mut builder = Builder::new(tree, layout, blocks);
    let mut steps = walk.steps(BATCH);
    let mut done: Vec<(Step<T::Folder>, Option<Read>)> = Vec::new();
    while !steps.is_empty() || !done.is_empty() {
        let reader = Reader::new(tree, layout, blocks.keeps());
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
    /// Bytes whose blocks are held.
    held_bytes: AtomicU64,
    /// The first step that failed. Nothing after it is needed.
    failed: AtomicUsize,
}

impl<'a, T: Tree> Reader<'a, T> {
    fn new(tree: &'a T, layout: &'a Layout, keeps: bool) -> Reader<'a, T> {
        Reader { tree, layout, keeps, held_bytes: 0.into(), failed: usize::MAX.into() }
    }

    fn stop_before(&self, step: usize) {
        self.failed.fetch_min(step, Ordering::Relaxed);
    }

    /// The result of each step; `None` for steps that are not files.
    fn read(&self, steps: &[Step<T::Folder>]) -> Vec<Option<Read>> {
        let one = |buffer: &mut Vec<u8>, (n, step): (usize, &Step<T::Folder>)| match step {
            Step::File(folder, name) if n < self.failed.load(Ordering::Relaxed) => {
                Some(self.file(folder, name, buffer).unwrap_or_else(|error| {
                    self.stop_before(n);
                    Read::Failed(error)
                }))
            }
            _ => None,
        };
        steps.par_iter().enumerate().map_init(Vec::new, one).collect()
    }

    fn file(&self, folder: &T::Folder, name: &str, buffer: &mut Vec<u8>) -> Result<Read, CidError> {
        let content = open(self.tree, folder, name)?;
        if self.keeps {
            let len = content.len();
            let before = self.held_bytes.fetch_add(len, Ordering::Relaxed);
            if before.saturating_add(len) > HELD_BYTES {
                return Ok(Read::Later);
            }
        }
        let mut held = Held::new(self.keeps);
        let part = file(&content, self.layout, buffer, &mut held)?;
        Ok(Read::Done(part, held))
    }
}

fn open<T: Tree>(tree: &T, folder: &T::Folder, name: &str) -> Result<T::File, CidError> {
    tree.open(folder, name).map_err(|why| CidError::at("", Fault::Unreadable(why)))
}

/// Builds directories from steps, in order.
struct Builder<'a, T, B> {
    tree: &'a T,
    layout: &'a Layout,
    out: Direct<'a, B>,
    /// The folders that are not left yet, with their known entries.
    open: Vec<(String, Vec<Named>)>,
    root: Option<Node>,
    files: u64,
    bytes: u64,
}

impl<'a, T: Tree, B: Blocks> Builder<'a, T, B> {
    fn new(tree: &'a T, layout: &'a Layout, blocks: &'a B) -> Self {
        Builder { tree, layout, out: Direct::new(blocks), open: Vec::new(), root: None, files: 0, bytes: 0 }
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
                            .and_then(|content| file(&content, self.layout, &mut Vec::new(), &mut self.out)),
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

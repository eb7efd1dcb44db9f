//! Content identifiers of files and folders (document 3, "Computing the content identifier").
//!
//! A file becomes chunks and a balanced tree over them ([`of_file`]). A folder becomes a directory, sharded if it is
//! too large ([`of_folder`], [`of_entries`]). The caller implements [`Content`] and [`Tree`] to provide contents, and
//! [`Blocks`] to receive blocks. Memory stays bounded: files are read in chunks on all cores, and the entries of a
//! folder in parallel. Identifiers, errors and the order of blocks do not depend on the number of threads.
//!
//! The document leaves the rest to "a reference implementation with default import settings": the width of the tree
//! (174), the shards (256 slots, by the first eight bytes of murmur3-x64-128 of a name) and the estimate of a
//! directory's size ([`Estimate`]).

mod balanced;
mod block;
mod buffers;
mod car;
mod content;
mod directory;
mod entries;
mod error;
mod file;
mod folder;
mod hamt;
mod hash;
mod layout;
pub mod mistakes;
mod node;
mod tree;
mod walk;

pub use block::{Blocks, Discard, Kept};
pub use car::CarWriter;
pub use cid::Cid;
pub use content::Content;
pub use entries::{Entry, of_entries};
pub use error::{CidError, Fault};
pub use file::of_file;
pub use folder::of_folder;
pub use layout::{Estimate, Layout, Version};
pub use tree::{Followed, Item, NodeKind, Tree};

/// The result: the identifier, and counts of its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The identifier. Its `Display` uses the layout's version.
    pub cid: Cid,
    /// Number of files, each counted as often as a link leads to it.
    pub files: u64,
    /// Total bytes of these files.
    pub bytes: u64,
    /// Number of blocks, each counted as often as it was made.
    pub blocks: u64,
}

//! Content identifiers of files and folders (document 3, "Computing the content identifier").
//!
//! A file becomes chunks and a balanced tree over them ([`of_file`]); a folder becomes a directory, sharded where it
//! would grow too large ([`of_folder`], [`of_entries`]). Contents come through [`Content`] and [`Tree`], which the
//! caller implements; blocks go to a [`Blocks`]. Nothing is held whole: a file is read chunk by chunk on all cores,
//! and a folder's entries are read beside each other. Identifiers, errors and the order of blocks are the same
//! whatever the number of threads.
//!
//! What the document leaves to "a reference implementation with default import settings" is the width of the tree
//! (174), the shards (256 places, by the first eight bytes of murmur3-x64-128 of a name) and the estimate of a
//! directory's size ([`Estimate`]).

mod balanced;
mod block;
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

/// What came out: the identifier, and what it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The identifier; its `Display` is the text of the layout's version.
    pub cid: Cid,
    /// Files, each as often as a link leads to it.
    pub files: u64,
    /// Bytes of these files.
    pub bytes: u64,
    /// Blocks, each as often as it was made.
    pub blocks: u64,
}

//! Folders as the builder sees them.

use super::Content;

/// Folders and files, wherever they are. Lists are asked for by one thread, in order; files are opened by many.
/// Errors are texts that say what went wrong, without the path.
pub trait Tree: Sync {
    /// An opened file.
    type File: Content;
    /// A folder.
    type Folder: Send + Sync;

    /// What stands in a folder, in any order.
    fn list(&self, folder: &Self::Folder) -> Result<Vec<Item>, String>;

    /// The folder of this name.
    fn enter(&self, folder: &Self::Folder, name: &str) -> Result<Self::Folder, String>;

    /// Where the link of this name leads in the end, through other links if need be.
    fn follow(&self, folder: &Self::Folder, name: &str) -> Result<Followed<Self::Folder>, String>;

    /// Opens the file of this name, or the one that the link of this name leads to.
    fn open(&self, folder: &Self::Folder, name: &str) -> Result<Self::File, String>;

    /// Whether two folders are one and the same.
    fn is_same(&self, one: &Self::Folder, other: &Self::Folder) -> Result<bool, String>;
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The name's bytes; anything but UTF-8 is refused.
    pub name: Vec<u8>,
    /// What it is.
    pub kind: NodeKind,
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// Anything else, in words: `a socket`.
    Special(&'static str),
}

/// Where a link leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Followed<F> {
    /// To a regular file.
    File,
    /// To a folder.
    Folder(F),
    /// To nothing.
    Nothing,
    /// To links without end.
    Endless,
    /// To anything else, in words.
    Special(&'static str),
}

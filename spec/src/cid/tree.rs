//! Folders as the builder reads them.

use super::Content;

/// Folders and files from any source. One thread lists folders, in order; many threads open files. Errors are strings
/// that say what went wrong, without the path.
pub trait Tree: Sync {
    /// An opened file.
    type File: Content;
    /// A folder.
    type Folder: Send + Sync;

    /// The entries of a folder, in any order.
    fn list(&self, folder: &Self::Folder) -> Result<Vec<Item>, String>;

    /// The folder with this name.
    fn enter(&self, folder: &Self::Folder, name: &str) -> Result<Self::Folder, String>;

    /// The final target of the link with this name, through other links if needed.
    fn follow(&self, folder: &Self::Folder, name: &str) -> Result<Followed<Self::Folder>, String>;

    /// Opens the file with this name, or the file that the link with this name leads to.
    fn open(&self, folder: &Self::Folder, name: &str) -> Result<Self::File, String>;

    /// Whether two folders are the same.
    fn is_same(&self, one: &Self::Folder, other: &Self::Folder) -> Result<bool, String>;
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The name's bytes. They must be UTF-8.
    pub name: Vec<u8>,
    /// The kind of entry.
    pub kind: NodeKind,
}

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// Anything else, as a phrase: `a socket`.
    Special(&'static str),
}

/// The target of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Followed<F> {
    /// To a regular file.
    File,
    /// To a folder.
    Folder(F),
    /// To nothing.
    Nothing,
    /// A loop of links.
    Endless,
    /// Anything else, as a phrase.
    Special(&'static str),
}

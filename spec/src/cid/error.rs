//! What can be wrong with files and folders.

use crate::Refused;

/// Why there is no identifier.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CidError {
    /// A rule of the document refuses the content.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// Something at a path cannot be read, or cannot be part of a folder.
    #[error("{path}: {fault}")]
    At {
        /// From the root, with `/` between segments; `.` is the root.
        path: String,
        /// What is wrong there.
        fault: Fault,
    },
    /// A block could not be kept.
    #[error("a block could not be kept: {0}")]
    Blocks(String),
}

/// What is wrong at a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The path of an entry has no form that a tree could hold.
    #[error("{0}")]
    Path(&'static str),
    /// A name is not UTF-8, which a directory's names must be.
    #[error("the name is not UTF-8")]
    Name,
    /// Neither a file nor a folder.
    #[error("{0} is neither a file nor a folder")]
    Special(&'static str),
    /// It could not be read; the text says why.
    #[error("{0}")]
    Unreadable(String),
    /// A file has fewer or more bytes than it was said to have.
    #[error("the file is not {expected} bytes long, as it was when it was opened")]
    Length {
        /// What it was said to have.
        expected: u64,
    },
    /// Names whose hashes agree in all of their 64 bits have no place in a sharded directory.
    #[error("{0:?} and {1:?} have the same hash, so no sharded directory can hold both")]
    Collision(String, String),
    /// Sizes no longer fit into 64 bits.
    #[error("the content is too large")]
    TooLarge,
}

impl CidError {
    /// A fault at a path.
    pub(super) fn at(path: &str, fault: Fault) -> CidError {
        CidError::At { path: if path.is_empty() { "." } else { path }.to_owned(), fault }
    }

    /// The same fault, at `path`.
    pub(super) fn placed(self, path: &str) -> CidError {
        match self {
            CidError::At { fault, .. } => CidError::at(path, fault),
            other => other,
        }
    }
}

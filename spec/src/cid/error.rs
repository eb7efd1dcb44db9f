//! Errors in files and folders.

use crate::Refused;

/// Why there is no identifier.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CidError {
    /// A rule of the document rejects the content.
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
    /// A block could not be written.
    #[error("a block could not be written: {0}")]
    Blocks(String),
}

/// The error at a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The path of an entry is not valid.
    #[error("{0}")]
    Path(&'static str),
    /// A name is not UTF-8. A directory's names must be UTF-8.
    #[error("the name is not UTF-8")]
    Name,
    /// The entry is neither a file nor a folder.
    #[error("{0} is neither a file nor a folder")]
    Special(&'static str),
    /// The entry could not be read; the string says why.
    #[error("{0}")]
    Unreadable(String),
    /// A file has fewer or more bytes than its declared length.
    #[error("the file does not have its declared length of {expected} bytes")]
    Length {
        /// The declared length.
        expected: u64,
    },
    /// The hashes of two names are equal in all 64 bits, so no sharded directory can contain both.
    #[error("{0:?} and {1:?} have the same hash, so no sharded directory can contain both")]
    Collision(String, String),
    /// A size does not fit into 64 bits.
    #[error("the content is too large")]
    TooLarge,
}

impl CidError {
    /// A fault at a path.
    pub(super) fn at(path: &str, fault: Fault) -> CidError {
        CidError::At { path: if path.is_empty() { "." } else { path }.to_owned(), fault }
    }

    /// The same fault at `path`.
    pub(super) fn placed(self, path: &str) -> CidError {
        match self {
            CidError::At { fault, .. } => CidError::at(path, fault),
            other => other,
        }
    }
}

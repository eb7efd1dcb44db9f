//! The cases of the site drop.

pub(super) mod cid_directory;
pub(super) mod cid_file;
pub(super) mod inspect_zip;
mod zip;

//! The anonymous drop: content identifiers and zips.

pub(crate) mod cid;
pub(super) mod zip;

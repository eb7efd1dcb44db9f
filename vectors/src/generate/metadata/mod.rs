//! Token metadata: the resource that a raw path names, and the members of the documents.

pub(super) mod records;
pub(super) mod route;

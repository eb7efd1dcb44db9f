//! Token metadata: which resource a raw path names, and documents member by member.

pub(super) mod records;
pub(super) mod route;

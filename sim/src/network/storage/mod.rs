//! Files and pins: content by its hash.

pub(super) mod files;
pub(super) mod pinned;
pub(super) mod pins;

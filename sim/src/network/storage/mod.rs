//! Files and pins: content by its hash.

pub(super) mod files;
pub(super) mod pins;

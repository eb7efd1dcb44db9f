//! Virtual machine instances.

pub(super) mod calls;
pub(super) mod machines;

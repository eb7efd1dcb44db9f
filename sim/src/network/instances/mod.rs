//! Virtual machine instances.

pub(super) mod calls;
pub(super) mod changes;
pub(super) mod machines;

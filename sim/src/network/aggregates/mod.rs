//! Aggregates: keyed documents of an address, built from the messages that write them.

pub(super) mod calls;
pub(super) mod kept;
pub(super) mod writes;

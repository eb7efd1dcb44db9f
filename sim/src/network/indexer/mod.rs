//! Indexed chain data: events and transactions of a few chains.

pub(super) mod chain;
pub(super) mod lists;

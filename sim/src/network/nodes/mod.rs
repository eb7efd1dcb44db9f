//! The world's nodes: core nodes with the API, and compute nodes. What they tell about themselves.

pub(super) mod change;
pub(super) mod info;
pub(super) mod node;
pub(super) mod probes;
pub(super) mod reach;

//! Verifiable random numbers, under the network's own key.

pub(super) mod calls;
pub(super) mod draws;
pub(super) mod ecvrf;

//! The state of the services beside the network.

use std::sync::Arc;

use assay_spec::Instant;
use imbl::Vector;

/// A purchase of credits.
#[derive(Clone, Debug)]
pub(super) struct Purchase {
    pub(super) number: u64,
    pub(super) address: Arc<str>,
    pub(super) tokens: u64,
    pub(super) credits: u64,
    pub(super) at: Instant,
}

/// The state of these services. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(in crate::network) struct Neighbours {
    pub(super) bought: u64,
    /// The latest purchases, oldest first.
    pub(super) purchases: Vector<Purchase>,
}

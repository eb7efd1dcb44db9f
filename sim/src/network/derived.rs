//! What a node makes of its messages besides keeping them: aggregates and instances. A clone is cheap.

use std::sync::Arc;

use imbl::OrdSet;

use super::aggregates::Aggregates;
use super::instances::Instances;

/// What follows from the messages of a node.
#[derive(Clone, Debug, Default)]
pub(super) struct Derived {
    /// Keyed documents.
    pub(super) aggregates: Aggregates,
    /// Virtual machines.
    pub(super) instances: Instances,
    /// Hashes of content that is pinned.
    pub(super) pins: OrdSet<Arc<str>>,
}

//! State derived from messages: aggregates and instances. Cheap to clone.

use std::sync::Arc;

use imbl::OrdSet;

use super::aggregates::Aggregates;
use super::instances::Instances;

/// What a node derives from its messages.
#[derive(Clone, Debug, Default)]
pub(super) struct Derived {
    /// Keyed documents.
    pub(super) aggregates: Aggregates,
    /// Virtual machines.
    pub(super) instances: Instances,
    /// The hashes of pinned content.
    pub(super) pins: OrdSet<Arc<str>>,
}

//! Conditions that the document foresees.

use crate::fault::FaultKind;

/// Drops are paused since the service is too busy.
pub const BUSY: FaultKind = FaultKind { name: "drop.busy", about: "drops are paused, too busy: 503" };
/// Drops are paused since the day's budget is spent.
pub const BUDGET: FaultKind =
    FaultKind { name: "drop.budget", about: "drops are paused, the day's budget is spent: 503" };
/// Drops are paused since the feature is switched off.
pub const DISABLED: FaultKind =
    FaultKind { name: "drop.disabled", about: "drops are paused, switched off: 503" };
/// Publishing fails.
pub const PUBLISH_FAILS: FaultKind =
    FaultKind { name: "drop.publish-fails", about: "publishing fails after a good upload: 500" };

/// Every fault of the drop.
pub const ALL: &[FaultKind] = &[BUSY, BUDGET, DISABLED, PUBLISH_FAILS];

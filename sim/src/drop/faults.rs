//! Conditions that the document foresees.

use crate::fault::FaultKind;

/// Drops are paused: the service is too busy.
pub const BUSY: FaultKind = FaultKind {
    name: "drop.busy",
    about: "drops are paused because the service is too busy: 503",
    keys: &[],
};
/// Drops are paused: the day's budget is used up.
pub const BUDGET: FaultKind = FaultKind {
    name: "drop.budget",
    about: "drops are paused because the day's budget is used up: 503",
    keys: &[],
};
/// Drops are paused: the feature is disabled.
pub const DISABLED: FaultKind = FaultKind {
    name: "drop.disabled",
    about: "drops are paused because the feature is disabled: 503",
    keys: &[],
};
/// Publishing fails.
pub const PUBLISH_FAILS: FaultKind =
    FaultKind { name: "drop.publish-fails", about: "publishing fails after a valid upload: 500", keys: &[] };

/// Every fault of the drop.
pub const ALL: &[FaultKind] = &[BUSY, BUDGET, DISABLED, PUBLISH_FAILS];

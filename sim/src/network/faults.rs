//! Failures that the document mentions.

use crate::core::Core;
use crate::fault::FaultKind;

/// The validation of messages is held until the fault is unset.
pub const PROCESSING_HELD: FaultKind = FaultKind {
    name: "network.processing-held",
    about: "new messages stay pending until this is unset",
    keys: &["type", "address"],
};
/// A STORE is invalid.
pub const INVALID: FaultKind =
    FaultKind { name: "network.invalid", about: "the validation of a STORE fails", keys: &["address"] };
/// The mirror receives no changes.
pub const LAGGING: FaultKind = FaultKind {
    name: "network.lagging",
    about: "the mirror receives no changes until this is unset",
    keys: &[],
};
/// The node fails.
pub const INTERNAL: FaultKind =
    FaultKind { name: "network.internal", about: "a request returns 500", keys: &["endpoint", "site"] };
/// A program fails.
pub const PROGRAM_FAILS: FaultKind =
    FaultKind { name: "network.program-fails", about: "running a program returns 500", keys: &["program"] };
/// The receiver of a webhook is down.
pub const WEBHOOK_DOWN: FaultKind = FaultKind {
    name: "network.webhook-down",
    about: "the receiver of a webhook is unreachable; the delivery is retried later",
    keys: &["url", "event"],
};

/// Every fault of the network.
pub const ALL: &[FaultKind] = &[PROCESSING_HELD, INVALID, LAGGING, INTERNAL, PROGRAM_FAILS, WEBHOOK_DOWN];

/// Whether a fault is set and its time has come. Its conditions are not considered.
pub(super) fn in_force(core: &Core, kind: FaultKind) -> bool {
    let now = core.now();
    core.faults.list().iter().any(|fault| {
        fault.fault == kind.name
            && fault.from.is_none_or(|from| now >= from)
            && fault.until.is_none_or(|until| now < until)
    })
}

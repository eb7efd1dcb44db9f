//! Conditions that the document foresees.

use crate::fault::FaultKind;

/// A message waits for its validation until the fault is unset.
pub const PROCESSING_HELD: FaultKind = FaultKind {
    name: "network.processing-held",
    about: "new messages stay pending until this is unset; where: type, address",
};
/// A STORE is found invalid.
pub const INVALID: FaultKind = FaultKind {
    name: "network.invalid",
    about: "a STORE is found invalid when it is validated; where: address",
};
/// The mirror hears nothing.
pub const LAGGING: FaultKind =
    FaultKind { name: "network.lagging", about: "the mirror learns of no change until this is unset" };
/// The node fails.
pub const INTERNAL: FaultKind =
    FaultKind { name: "network.internal", about: "a request is answered by 500; where: endpoint, site" };
/// A program fails.
pub const PROGRAM_FAILS: FaultKind = FaultKind {
    name: "network.program-fails",
    about: "a run of a program is answered by 500; where: program",
};
/// A webhook's receiver is down.
pub const WEBHOOK_DOWN: FaultKind = FaultKind {
    name: "network.webhook-down",
    about: "a webhook's delivery finds nobody, and is tried again later; where: url, event",
};

/// Every fault of the network.
pub const ALL: &[FaultKind] = &[PROCESSING_HELD, INVALID, LAGGING, INTERNAL, PROGRAM_FAILS, WEBHOOK_DOWN];

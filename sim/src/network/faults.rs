//! Conditions that the document foresees.

use crate::fault::Kind;

/// A message waits for its validation until the fault is unset.
pub const PROCESSING_HELD: Kind = Kind {
    name: "network.processing-held",
    about: "new messages stay pending until this is unset; where: type, address",
};
/// A STORE is found invalid.
pub const INVALID: Kind =
    Kind { name: "network.invalid", about: "a STORE is found invalid when it is validated; where: address" };
/// The mirror hears nothing.
pub const LAGGING: Kind =
    Kind { name: "network.lagging", about: "the mirror learns of no change until this is unset" };
/// The node fails.
pub const INTERNAL: Kind =
    Kind { name: "network.internal", about: "a request is answered by 500; where: endpoint, site" };
/// A program fails.
pub const PROGRAM_FAILS: Kind =
    Kind { name: "network.program-fails", about: "a run of a program is answered by 500; where: program" };
/// A webhook's receiver is down.
pub const WEBHOOK_DOWN: Kind = Kind {
    name: "network.webhook-down",
    about: "a webhook's delivery finds nobody, and is tried again later; where: url, event",
};

/// Every fault of the network.
pub const ALL: &[Kind] = &[PROCESSING_HELD, INVALID, LAGGING, INTERNAL, PROGRAM_FAILS, WEBHOOK_DOWN];

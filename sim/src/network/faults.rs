//! Failures that the document mentions.

use assay_spec::network::ENDPOINTS;
use assay_spec::network::message::MessageType;
use assay_spec::network::webhook::{MESSAGE_NEW, PROGRAM_EXECUTED};

use super::sites;
use crate::core::Core;
use crate::fault::{FaultKind, Key};

const ADDRESS: Key = Key::any("address");
const EVENT: Key = Key::one_of("event", || vec![MESSAGE_NEW, PROGRAM_EXECUTED]);
const ENDPOINT: Key = Key::one_of("endpoint", endpoints);
const SITE: Key = Key::one_of("site", || sites::ALL.iter().map(|site| site.name).collect());

/// Each name once: some endpoints of different nodes share one.
fn endpoints() -> Vec<&'static str> {
    let mut names: Vec<&str> = ENDPOINTS.iter().map(|endpoint| endpoint.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The validation of messages is held until the fault is unset.
pub const PROCESSING_HELD: FaultKind = FaultKind {
    name: "network.processing-held",
    about: "new messages stay pending until this is unset",
    keys: &[Key::one_of("type", || MessageType::ALL.map(MessageType::name).to_vec()), ADDRESS],
};
/// A STORE is invalid.
pub const INVALID: FaultKind =
    FaultKind { name: "network.invalid", about: "the validation of a STORE fails", keys: &[ADDRESS] };
/// The mirror receives no changes.
pub const LAGGING: FaultKind = FaultKind {
    name: "network.lagging",
    about: "the mirror receives no changes until this is unset",
    keys: &[],
};
/// The node fails.
pub const INTERNAL: FaultKind =
    FaultKind { name: "network.internal", about: "a request returns 500", keys: &[ENDPOINT, SITE] };
/// A program fails.
pub const PROGRAM_FAILS: FaultKind = FaultKind {
    name: "network.program-fails",
    about: "running a program returns 500",
    keys: &[Key::any("program")],
};
/// The receiver of a webhook is down.
pub const WEBHOOK_DOWN: FaultKind = FaultKind {
    name: "network.webhook-down",
    about: "the receiver of a webhook is unreachable; the delivery is retried later",
    keys: &[Key::any("url"), EVENT],
};

/// Every fault of the network.
pub const ALL: &[FaultKind] = &[PROCESSING_HELD, INVALID, LAGGING, INTERNAL, PROGRAM_FAILS, WEBHOOK_DOWN];

/// Whether a fault is set and its time has come. Its conditions are not considered.
pub(super) fn in_force(core: &Core, kind: FaultKind) -> bool {
    let now = core.now();
    core.faults.list().iter().any(|fault| fault.fault == kind.name && fault.is_due(now))
}

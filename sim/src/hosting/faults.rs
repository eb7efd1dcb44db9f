//! Failures that the document mentions.

use crate::fault::{FaultKind, Key};

const PROJECT: Key = Key::any("project");
const DEPLOYMENT: Key = Key::any("deployment");

/// The delegate writes late.
pub const SLOW: FaultKind = FaultKind {
    name: "hosting.delegate-slow",
    about: "the delegate delays a terminal record or a FORGET",
    keys: &[Key::one_of("record", || vec!["terminal", "forget"]), PROJECT, DEPLOYMENT],
};
/// A FORGET contains an unknown hash.
pub const UNKNOWN_TARGET: FaultKind = FaultKind {
    name: "hosting.forget-unknown",
    about: "a FORGET contains a hash that the node lacks, so the whole batch fails",
    keys: &[PROJECT],
};
/// An artifact is not paid for.
pub const RECLAIMED: FaultKind = FaultKind {
    name: "hosting.artifact-reclaimed",
    about: "a pinned artifact is not paid for: it becomes `removing`, and `removed` after the grace period",
    keys: &[DEPLOYMENT],
};
/// Two backends finish one deployment.
pub const FORK: FaultKind = FaultKind {
    name: "hosting.fork",
    about: "two terminal records refer to one creation; the second is one second later and failed",
    keys: &[DEPLOYMENT],
};
/// The delegate asks a lagging node.
pub const LAGGING: FaultKind = FaultKind {
    name: "hosting.lagging-node",
    about: "before a FORGET, artifacts are looked up at the mirror, and at the primary if the mirror lacks them",
    keys: &[PROJECT],
};

/// Every fault of the application.
pub const ALL: &[FaultKind] = &[SLOW, UNKNOWN_TARGET, RECLAIMED, FORK, LAGGING];

//! Conditions that the document foresees.

use crate::fault::FaultKind;

/// The delegate takes its time over an artifact, or over cleaning up.
pub const SLOW: FaultKind = FaultKind {
    name: "hosting.delegate-slow",
    about: "the delegate writes a terminal record or a FORGET later; where: record, project, deployment",
};
/// A hash that no node knows gets among those of a FORGET.
pub const UNKNOWN_TARGET: FaultKind = FaultKind {
    name: "hosting.forget-unknown",
    about: "a hash that the node lacks is in a FORGET, so that the whole of it fails; where: project",
};
/// Nobody pays for an artifact any more.
pub const RECLAIMED: FaultKind = FaultKind {
    name: "hosting.artifact-reclaimed",
    about: "once pinned, an artifact is not paid for: it becomes `removing`, and `removed` after the grace; where: deployment",
};
/// Two backends finish one deployment.
pub const FORK: FaultKind = FaultKind {
    name: "hosting.fork",
    about: "two terminal records refer to one creation, the other one second later and failed; where: deployment",
};
/// The delegate asks a node that lags.
pub const LAGGING: FaultKind = FaultKind {
    name: "hosting.lagging-node",
    about: "before a FORGET, artifacts are looked up at the mirror first, and what it lacks at the primary; where: project",
};

/// Every fault of the application.
pub const ALL: &[FaultKind] = &[SLOW, UNKNOWN_TARGET, RECLAIMED, FORK, LAGGING];

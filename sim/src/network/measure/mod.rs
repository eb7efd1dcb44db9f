//! Node metrics: the measurement program, and the endpoints that return its records.

pub(super) mod metrics;
pub(super) mod probers;
pub(super) mod program;
pub(super) mod publish;
pub(super) mod record;
pub(super) mod run;
pub(super) mod steps;
pub(super) mod visit;

//! The harness: checks and their context, plans, runs, pace, verdicts, recordings.
//!
//! Imports `documents`, `profile`, `http` and `support`. The services are arguments of its functions. Entry points:
//! [`check::Check`], [`probe::Probe`], [`run::Runner`].

pub mod ambient;
pub mod baseline;
pub(crate) mod boundary;
pub mod cause;
pub mod check;
pub mod conclusion;
pub mod control;
pub mod coverage;
pub(crate) mod dry;
pub(crate) mod owners;
pub mod pace;
pub(crate) mod panics;
pub mod plan;
pub mod probe;
pub mod recording;
pub mod redact;
pub mod refusal;
pub mod run;
pub mod select;
pub mod sender;
pub mod setup;
pub mod shard;
pub mod suite;
pub mod survey;
pub mod target;
pub mod verdict;

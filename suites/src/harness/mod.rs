//! The harness: checks and their context, plans, runs, pace, verdicts, recordings.
//!
//! Imports `documents`, `profile`, `http` and `support`. The services are arguments of its functions. Entry points:
//! [`check::Check`], [`probe::Probe`], [`run::Runner`].

pub(crate) mod boundary;
pub mod check;
pub mod control;
pub mod coverage;
pub mod data;
pub mod environment;
pub mod explore;
pub mod judge;
pub mod pace;
pub mod probe;
pub mod recording;
pub mod redact;
pub mod rejections;
pub mod run;
pub mod select;
pub mod sender;
pub mod setup;
pub mod suite;
pub mod survey;
pub mod target;

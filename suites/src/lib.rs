//! Checks that know a URL and raw bytes, and the `assay` command around them.
//!
//! Rule of this layer: only the folder [`embedded`] may use the simulator.

pub mod baseline;
pub mod check;
pub mod client;
pub mod control;
pub mod curl;
pub mod diff;
pub mod disk;
pub mod doctor;
pub mod documents;
pub mod drop;
mod dry;
#[cfg(feature = "embedded")]
pub mod embedded;
pub mod endpoints;
pub mod exchange;
pub mod files;
mod form;
pub mod gateway;
pub mod hosting;
pub mod judge;
pub mod ledger;
pub mod merge;
pub mod metadata;
pub mod network;
pub mod openapi;
pub mod pace;
mod panics;
pub mod plan;
pub mod probe;
pub mod profile;
pub mod proxy;
pub mod publish;
pub mod readings;
pub mod recording;
pub mod redact;
pub mod replay;
pub mod report;
pub mod run;
pub mod setup;
pub mod shard;
pub mod survey;
pub mod target;
pub mod tls;
pub mod transport;
pub mod verdict;

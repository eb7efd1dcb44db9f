//! Checks that know a URL and raw bytes, and the `assay` command around them.
//!
//! Rule of this floor: nothing here knows the simulator but the folder [`embedded`].

pub mod baseline;
pub mod check;
pub mod client;
pub mod control;
pub mod disk;
pub mod documents;
pub mod drop;
#[cfg(feature = "embedded")]
pub mod embedded;
pub mod endpoints;
pub mod exchange;
mod form;
pub mod gateway;
pub mod hosting;
pub mod ledger;
pub mod metadata;
pub mod network;
pub mod pace;
pub mod plan;
pub mod probe;
pub mod profile;
pub mod publish;
pub mod redact;
pub mod repeat;
pub mod report;
pub mod run;
pub mod target;
pub mod tls;
pub mod verdict;

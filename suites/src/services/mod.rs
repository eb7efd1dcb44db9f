//! The checks, one folder for each service.
//!
//! Imports `harness` and what is below it; no other folder matches on a service.

pub mod drop;
pub mod gateway;
pub mod hosting;
pub mod metadata;
pub mod network;
pub mod publish;

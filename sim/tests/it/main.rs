//! The simulator, tested from outside: one program, a module for each subject.

mod admission;
mod boundaries;
#[allow(dead_code, reason = "a helper may serve one subject only")]
mod common;
mod concurrency;
mod determinism;
mod drop;
mod families;
mod faults;
mod gateway;
mod hostile;
mod hosting;
mod metadata;
mod network;
mod nodes;
mod outgoing;
mod tls;
mod walk;

//! Tests of the simulator from outside: one program, one module per subject.

mod admission;
mod boundaries;
#[allow(dead_code, reason = "some helpers are used by one subject only")]
mod common;
mod concurrency;
mod control;
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

//! Tests of the simulator from outside: one program, one module per subject.

mod allocations;
#[allow(dead_code, reason = "some helpers are used by one subject only")]
mod common;
mod control;
mod determinism;
mod drop;
mod families;
mod gateway;
mod hosting;
mod metadata;
mod network;
mod nodes;
mod outgoing;
mod publish;
mod scenario;
mod seams;
mod tls;

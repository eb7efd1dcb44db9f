//! The inference gateway: keys, responses, streams, the pool, the enclave, and hostile input.

mod determinism;
mod deviations;
mod discovery;
mod enclave;
mod hostile;
mod keys;
pub(crate) mod model;
mod payment;
mod places;
mod pool;
mod scripted;
mod servers;
mod streams;
mod wires;

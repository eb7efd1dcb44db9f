//! The inference gateway: who is let in, what is answered, streams, the pool, the enclave, and whoever means it ill.

mod determinism;
mod deviations;
mod discovery;
mod enclave;
mod hostile;
mod keys;
mod model;
mod payment;
mod pool;
mod servers;
mod streams;
mod wires;

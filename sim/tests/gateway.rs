//! The inference gateway: who is let in, what is answered, streams, the pool, the enclave, and whoever means it ill.

#[allow(dead_code, reason = "each test file takes what it needs of the driver")]
mod common;
#[path = "gateway/determinism.rs"]
mod determinism;
#[path = "gateway/deviations.rs"]
mod deviations;
#[path = "gateway/discovery.rs"]
mod discovery;
#[path = "gateway/enclave.rs"]
mod enclave;
#[path = "gateway/hostile.rs"]
mod hostile;
#[path = "gateway/keys.rs"]
mod keys;
#[path = "gateway/model.rs"]
mod model;
#[path = "gateway/payment.rs"]
mod payment;
#[path = "gateway/pool.rs"]
mod pool;
#[path = "gateway/servers.rs"]
mod servers;
#[path = "gateway/streams.rs"]
mod streams;
#[path = "gateway/wires.rs"]
mod wires;

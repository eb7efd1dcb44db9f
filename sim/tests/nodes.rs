//! The world's nodes: what they answer, what the hourly measurement program finds at them, and what it publishes; and
//! the services beside the network.

#[allow(dead_code, reason = "each test file takes what it needs of the driver")]
mod common;
#[path = "network/hours.rs"]
mod hours;
#[path = "network/metrics.rs"]
mod metrics;
#[path = "network/neighbours.rs"]
mod neighbours;
#[path = "network/probes.rs"]
mod probes;
#[path = "network/trouble.rs"]
mod trouble;

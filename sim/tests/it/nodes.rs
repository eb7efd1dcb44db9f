//! The world's nodes: their responses, what the hourly measurement program measures and publishes, and the services
//! besides the network.

mod hours;
mod metrics;
mod neighbours;
mod probes;
mod trouble;

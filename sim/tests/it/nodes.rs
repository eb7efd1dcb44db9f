//! The world's nodes: what they answer, what the hourly measurement program finds at them, and what it publishes; and
//! the services beside the network.

mod hours;
mod metrics;
mod neighbours;
mod probes;
mod trouble;

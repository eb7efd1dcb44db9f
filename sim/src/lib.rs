//! The simulator: every service of the documents in one world.
//!
//! Rules of this layer: state changes only inside one synchronous [`World::input`]; only [`serve`] uses sockets; only
//! [`deviation`] and the services' `deviations.rs` deviate.

pub mod clock;
pub mod control;
pub mod core;
pub mod deviation;
pub mod drop;
pub mod fault;
mod form;
pub mod gateway;
pub mod hosting;
pub mod journal;
pub mod limits;
pub mod log;
pub mod metadata;
pub mod network;
pub mod outgoing;
pub mod publish;
pub mod reach;
mod refusal;
pub mod rng;
pub mod serve;
pub mod tls;
pub mod variation;
pub mod world;

pub use crate::core::Core;
pub use crate::outgoing::{Outcome, Outgoing};
pub use crate::world::{ExchangeId, Input, Output, Reply, Request, RequestHead, Site, World};

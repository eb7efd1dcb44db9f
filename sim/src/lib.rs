#![doc = include_str!("../README.md")]
//!
//! Rules of this layer: state changes only inside one synchronous [`World::input`]; only [`serve`] uses sockets; the code of
//! deviations and variations is in the services' `deviations.rs` and `variations.rs`, and acts at a [`seam`].

pub mod clock;
pub mod control;
pub mod core;
pub mod deviation;
pub mod drop;
pub mod exchange;
pub mod fault;
pub mod field;
mod form;
pub mod gateway;
pub mod host;
pub mod hosting;
pub mod io;
pub mod journal;
pub mod limits;
pub mod log;
pub mod metadata;
pub mod network;
pub mod outgoing;
pub mod publish;
pub mod reach;
pub mod received;
mod refusal;
pub mod rng;
pub mod scenario;
pub mod schedule;
pub mod seam;
pub mod serve;
pub mod services;
pub mod shape;
pub mod testing;
pub mod tls;
pub mod variation;
pub mod window;
pub mod world;

pub use crate::core::Core;
pub use crate::exchange::{ExchangeId, Reply, Request, RequestHead, Site};
pub use crate::io::{Input, Output};
pub use crate::outgoing::{Outcome, Outgoing};
pub use crate::testing::Sim;
pub use crate::world::World;

//! The simulator: every service of the documents in one world. Use it to answer requests as the documents say, in process or
//! over sockets ([`serve`]), with a clock, faults and deviations under control.
//!
//! ```
//! use assay_sim::clock::EPOCH;
//! use assay_sim::{Input, Output, RequestHead, World, metadata};
//! use assay_spec::Dialect;
//! use http::{HeaderMap, Method};
//!
//! let mut world = World::new(7, EPOCH, Dialect::default());
//! let exchange = world.next_exchange();
//! let head = RequestHead {
//!     site: metadata::SITE,
//!     peer: [127, 0, 0, 1].into(),
//!     method: Method::GET,
//!     target: "/".to_owned(),
//!     headers: HeaderMap::new(),
//! };
//! let mut outputs = world.input(Input::Head(Box::new(head)));
//! outputs.extend(world.input(Input::End(exchange)));
//! assert!(matches!(outputs[0], Output::Head { status: 200, .. }));
//! assert!(matches!(outputs.last(), Some(Output::End { .. })));
//! ```
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
mod refusal;
pub mod rng;
pub mod scenario;
pub mod schedule;
pub mod seam;
pub mod serve;
pub mod services;
pub mod shape;
pub mod tls;
pub mod variation;
pub mod window;
pub mod world;

pub use crate::core::Core;
pub use crate::exchange::{ExchangeId, Reply, Request, RequestHead, Site};
pub use crate::io::{Input, Output};
pub use crate::outgoing::{Outcome, Outgoing};
pub use crate::world::World;

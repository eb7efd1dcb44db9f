//! What the three documents say, as values and pure functions.
//!
//! Rule of this layer: no input or output, no clock, no randomness, no async. The same input bytes give the same
//! output bytes. Each service has its own folder. Shared modules are beside them.

pub mod catalogue;
pub mod cid;
pub mod crypto;
pub mod dialect;
pub mod drop;
pub mod endpoint;
pub mod gateway;
pub mod hosting;
pub mod instant;
pub mod json;
pub mod machine;
pub mod metadata;
pub mod network;
pub mod publish;
pub mod requirement;
pub mod rules;
pub mod service;
pub mod shape;

pub use dialect::Dialect;
pub use instant::Instant;
pub use requirement::{Id, Requirement};
pub use rules::{Refused, Rules, Strict, Without};
pub use service::Service;

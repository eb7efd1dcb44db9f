//! The signed publishing exchange (document 3).

pub mod check;
pub mod domain;
pub mod envelope;
pub mod exemptions;
pub mod limits;
pub mod machines;
pub mod message;
pub mod mistakes;
pub mod places;
pub mod prepare;
pub mod record;
pub mod rejections;
pub mod requirements;
mod shapes;
pub mod submit;
pub mod values;
pub mod verify;

use crate::endpoint::Endpoint;
use crate::machine::Machine;

/// The service's endpoints.
pub static ENDPOINTS: &[&Endpoint] = &[&prepare::ENDPOINT, &submit::ENDPOINT];

/// What the body's shape does not say.
const ENVELOPE_NOTE: &str = "The envelope in the header is signed over the method, the path and the body exactly as sent: \
     serialize the body once. Any failure of the envelope answers the same plain 404.";

/// The service's limits.
pub use limits::LIMITS;

/// The service's state machines.
pub static MACHINES: &[&Machine] = &[&machines::PREPARE, &machines::LOCK, &machines::BINDING];

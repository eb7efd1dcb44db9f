//! The anonymous drop (document 3).

pub mod exemptions;
pub mod limits;
pub mod machines;
pub mod mistakes;
pub mod places;
pub mod rejections;
pub mod requirements;
pub mod response;
pub mod source;
pub mod upload;
pub mod values;
pub mod zip;

use crate::endpoint::Endpoint;
use crate::machine::Machine;

/// The service's endpoints.
pub static ENDPOINTS: &[&Endpoint] = &[&upload::ENDPOINT];

/// The service's limits.
pub use limits::LIMITS;

/// The service's state machines.
pub static MACHINES: &[&Machine] = &[&machines::DROP];

//! The inference gateway and its backing servers (document 1).

pub mod excuses;
pub mod requirements;
pub mod stand_in;

use crate::endpoint::Endpoint;
use crate::machine::Machine;

/// The service's endpoints.
pub static ENDPOINTS: &[&Endpoint] = &[];

/// The service's state machines.
pub static MACHINES: &[&Machine] = &[];

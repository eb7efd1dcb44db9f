//! The stored records of a hosting application (document 2).
//!
//! Projects, deployments, security and key claims are messages of the network; their private parts are in envelopes.
//! With the owner's wallet key the history can be recovered from any node.

pub mod amends;
pub mod authority;
pub mod base64;
pub mod bundle;
pub mod claim;
pub mod deployment;
pub mod envelope;
pub mod exemptions;
pub mod fields;
pub mod forget;
pub mod identifier;
pub mod key_e;
pub mod limits;
pub mod machines;
pub mod mistakes;
pub mod places;
pub mod project;
pub mod record;
pub mod recovery;
pub mod rehydrate;
pub mod requirements;
pub mod security;
pub mod stage;
pub mod wrapping;

mod sealed;

use crate::endpoint::Endpoint;
use crate::machine::Machine;

/// The service's endpoints. The records themselves use the network's endpoints.
pub static ENDPOINTS: &[&Endpoint] = &[&rehydrate::ENDPOINT];

/// The service's limits.
pub use limits::LIMITS;

/// The service's state machines.
pub static MACHINES: &[&Machine] = &[&machines::DEPLOYMENT, &machines::PROJECT];

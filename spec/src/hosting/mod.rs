//! The stored records of a hosting application (document 2).
//!
//! Projects, deployments, security and key claims are messages of the network; what is private in them is in
//! envelopes. Whoever holds the owner's wallet key can recover their history from any node.

pub mod amends;
pub mod authority;
pub mod base64;
pub mod bundle;
pub mod claim;
pub mod deployment;
pub mod envelope;
pub mod excuses;
pub mod fields;
pub mod forget;
pub mod identifier;
pub mod key_e;
pub mod machines;
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

/// The service's endpoints: the records themselves stand on the network's.
pub static ENDPOINTS: &[&Endpoint] = &[&rehydrate::ENDPOINT];

/// The service's state machines.
pub static MACHINES: &[&Machine] = &[&machines::DEPLOYMENT, &machines::PROJECT];

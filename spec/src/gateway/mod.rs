//! The inference gateway and its backing servers (document 1).

pub mod auth;
pub mod body;
pub mod chat;
pub mod completions;
pub mod data_url;
pub mod discovery;
pub mod exemptions;
pub mod input;
pub mod limits;
pub mod machines;
pub mod messages;
pub mod mistakes;
pub mod models;
pub mod places;
pub mod rejections;
pub mod requirements;
pub mod responses;
mod shapes;
pub mod stand_in;
pub mod stream;
pub mod tools;
pub mod values;

use crate::endpoint::Endpoint;
use crate::machine::Machine;

/// The service's endpoints, in the document's order.
pub static ENDPOINTS: &[&Endpoint] = &[
    &chat::ENDPOINT,
    &completions::ENDPOINT,
    &responses::ENDPOINT,
    &messages::ENDPOINT,
    &models::LIST,
    &completions::NATIVE,
    &discovery::ENDPOINT,
    &auth::CHECK,
];

/// The endpoints that a backing server exposes under its own URL, as far as the document names them.
pub static DIRECT: &[&Endpoint] = &[&chat::ENDPOINT, &completions::ENDPOINT, &messages::ENDPOINT];

/// The status for a request that is larger than the server's maximum, which the document does not show.
const TOO_LARGE: &[u16] = &[413];

/// The service's limits.
pub use limits::LIMITS;

/// The service's state machines.
pub static MACHINES: &[&Machine] = &[&machines::REQUEST, &machines::CONFIDENTIAL, &machines::DIRECT];

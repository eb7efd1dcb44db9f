//! The node API: signatures, and the reading of STORE messages.

pub(super) mod signing;
pub(super) mod store;

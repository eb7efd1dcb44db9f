//! Commands that are long enough for a file of their own.

pub(crate) mod chat;
pub(crate) mod cid;
#[cfg(feature = "embedded")]
pub(crate) mod client;
pub(crate) mod recover;
pub(crate) mod vectors;

//! Commands that are long enough for a file of their own.

#[cfg(feature = "embedded")]
pub(crate) mod client;
pub(crate) mod vectors;

//! The encodings of the node API: digests, addresses, signatures, and responses about a STORE.

pub(super) mod address;
pub(super) mod canonical;
mod characters;
pub(super) mod classify;
pub(super) mod keccak;
pub(super) mod personal;
pub(super) mod record;
pub(super) mod request;
mod types;
mod world;

//! Cases for the records that a hosting application stores.

pub(super) mod amends;
pub(super) mod authority;
pub(super) mod base64;
pub(super) mod bundle;
pub(super) mod claims;
mod counter;
pub(super) mod derive;
pub(super) mod ecies;
pub(super) mod envelope;
pub(super) mod open;
pub(super) mod read;
mod record;
pub(super) mod recover;
mod world;

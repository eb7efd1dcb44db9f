//! The signed publishing exchange: domains, envelopes, records, messages.

pub(super) mod domain;
pub(super) mod record;
pub(crate) mod transaction;
pub(super) mod vfkey;

//! The rejections of the signed publishing exchange, and the sentences that demand them.

use crate::harness::refusal::Refusal;

/// A request that is not authenticated.
pub(super) const UNAUTHENTICATED: Refusal = Refusal::new("Errors", &[404]);
/// A malformed field.
pub(super) const FIELD: Refusal = Refusal::new("Errors", &[400]);
/// A new authority that is not a key.
pub(super) const NEW_AUTHORITY: Refusal = Refusal::new("POST /api/vf-cli/publish/prepare", &[400]);
/// A binding that is not free.
pub(super) const CONFLICT: Refusal = Refusal::new("Errors", &[409]);
/// A replayed prepare meets the lock.
pub(super) const REPLAYED: Refusal = Refusal::new("Exchange (both endpoints)", &[409]);
/// A prepare that does not exist or has expired.
pub(super) const GONE: Refusal = Refusal::new("Errors", &[410]);
/// A prepare of another domain.
pub(super) const FOREIGN: Refusal = Refusal::new("Errors", &[410, 404, 400])
    .because("it is unknown for this domain, names another domain, or is a malformed field; submitting it is never legal");
/// The submit of an accept that does not say so: a malformed field, or a publish by a key that may not publish. No sentence
/// rejects it in so many words.
pub(super) const NO_OP: Refusal = Refusal::new("Transfer and accept", &[400, 404])
    .because("a member is missing, or a key signs that may not publish");
/// A body over 64 KiB.
pub(super) const TOO_LARGE: Refusal = Refusal::new("Errors", &[413]);
/// More requests or publishes than the limit.
pub(super) const LIMITED: Refusal = Refusal::new("Errors", &[429]);
/// More publishes than the limit of a day.
pub(super) const DAY: Refusal = Refusal::new("Limits", &[429]);
/// The chain rejects the transaction.
pub(super) const CHAIN: Refusal = Refusal::new("Errors", &[502]);
/// A node that may not write.
pub(super) const NO_WRITES: Refusal = Refusal::new("Errors", &[503]);
/// Errors of every kind.
pub(super) const ERRORS: Refusal = Refusal::new("Errors", &[400, 409, 410])
    .because("each request has one fault, whose status the table of errors names");

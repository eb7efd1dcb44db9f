//! The rejections of the signed publishing exchange, and the sentences that demand them.

use crate::rejection::Rejection;

/// A request that is not authenticated.
pub static UNAUTHENTICATED: Rejection = Rejection::new("Errors", &[404]);
/// A malformed field.
pub static FIELD: Rejection = Rejection::new("Errors", &[400]);
/// A new authority that is not a key.
pub static NEW_AUTHORITY: Rejection = Rejection::new("POST /api/vf-cli/publish/prepare", &[400]);
/// A binding that is not free.
pub static CONFLICT: Rejection = Rejection::new("Errors", &[409]);
/// A replayed prepare meets the lock.
pub static REPLAYED: Rejection = Rejection::new("Exchange (both endpoints)", &[409]);
/// A prepare that does not exist or has expired.
pub static GONE: Rejection = Rejection::new("Errors", &[410]);
/// A prepare of another domain.
pub static FOREIGN: Rejection = Rejection::new("Errors", &[410, 404, 400])
    .because("it is unknown for this domain, names another domain, or is a malformed field; submitting it is never legal");
/// The submit of an accept that does not say so: a malformed field, or a publish by a key that may not publish. No sentence
/// rejects it in so many words.
pub static NO_OP: Rejection = Rejection::new("Transfer and accept", &[400, 404])
    .because("a member is missing, or a key signs that may not publish")
    .usually(404);
/// A body over 64 KiB.
pub static TOO_LARGE: Rejection = Rejection::new("Errors", &[413]);
/// More requests or publishes than the limit.
pub static LIMITED: Rejection = Rejection::new("Errors", &[429]);
/// More publishes than the limit of a day.
pub static DAY: Rejection = Rejection::new("Limits", &[429]);
/// The chain rejects the transaction.
pub static CHAIN: Rejection = Rejection::new("Errors", &[502]);
/// A node that may not write.
pub static NO_WRITES: Rejection = Rejection::new("Errors", &[503]);
/// Errors of every kind.
pub static ERRORS: Rejection = Rejection::new("Errors", &[400, 409, 410])
    .because("each request has one fault, whose status the table of errors names");

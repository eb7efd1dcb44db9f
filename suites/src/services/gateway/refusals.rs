//! The rejections of the inference gateway, and the sentences that demand them.

use crate::harness::refusal::Refusal;

/// A key that is not valid.
pub(super) const INVALID_KEY: Refusal = Refusal::new("Authentication", &[401]);
/// A request without a key. With the payment flow it is asked to pay.
pub(super) const MISSING_KEY: Refusal = Refusal::new("Authentication", &[401, 402]);
/// A key check without a key.
pub(super) const NO_KEY: Refusal = Refusal::new("Authentication", &[401]);
/// See [`INVALID_KEY`]; the form of the error.
pub(super) const KEY_ERROR: Refusal = Refusal::new("Errors", &[401]);
/// A request that must be paid.
pub(super) const PAYMENT: Refusal = Refusal::new("Errors", &[402]);
/// A model that does not exist.
pub(super) const UNKNOWN_MODEL: Refusal = Refusal::new("Errors", &[404]);
/// A field of a wrong type or value.
pub(super) const VALIDATION: Refusal = Refusal::new("Errors", &[422]);
/// A body that is not JSON: it can be rejected before the validation.
pub(super) const NOT_JSON: Refusal = Refusal::new("Errors", &[422, 400]);
/// No server of the model answers.
pub(super) const ALL_FAILED: Refusal = Refusal::new("Errors", &[503]);
/// An error before the first event.
pub(super) const BEFORE_STREAM: Refusal = Refusal::new("Errors", &[401, 404, 422]);

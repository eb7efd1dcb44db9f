//! The rejections of the inference gateway, and the sentences that demand them.

use crate::harness::refusal::Refusal;

/// A key that is not valid.
pub(super) const INVALID_KEY: Refusal = Refusal::new("Authentication", &[401]);
/// A request without a key. With the payment flow it is asked to pay.
pub(super) const MISSING_KEY: Refusal = Refusal::new("Authentication", &[401, 402])
    .because("401 is for a missing key, and 402 where the payment flow may ask for a payment");
/// A key check without a key.
pub(super) const NO_KEY: Refusal = Refusal::new("Authentication", &[401]);
/// See [`INVALID_KEY`]; the form of the error.
pub(super) const KEY_ERROR: Refusal = Refusal::new("Errors", &[401]);
/// A request that must be paid.
pub(super) const PAYMENT: Refusal = Refusal::new("Errors", &[402]);
/// A payment that is none. No sentence names its status: it is a request that is not paid for, or an invalid one.
pub(super) const NO_PAYMENT: Refusal = Refusal::new("Errors", &[400, 401, 402, 422]).because(
    "it pays for nothing, so a 2xx would serve a request without a key; a 5xx is a failure of the gateway",
);
/// A model that does not exist.
pub(super) const UNKNOWN_MODEL: Refusal = Refusal::new("Errors", &[404]);
/// A field of a wrong type or value.
pub(super) const VALIDATION: Refusal = Refusal::new("Errors", &[422]);
/// No server of the model answers.
pub(super) const ALL_FAILED: Refusal = Refusal::new("Errors", &[503]);
/// An error before the first event.
pub(super) const BEFORE_STREAM: Refusal = Refusal::new("Errors", &[401, 404, 422])
    .because("each request has one fault, whose status the table of errors names");

//! The rejections of the inference gateway, and the sentences that demand them.

use crate::rejection::Rejection;

/// A key that is not valid.
pub static INVALID_KEY: Rejection = Rejection::new("Authentication", &[401]);
/// A request without a key. With the payment flow it is asked to pay.
pub static MISSING_KEY: Rejection = Rejection::new("Authentication", &[401, 402])
    .because("401 is for a missing key, and 402 where the payment flow may ask for a payment");
/// A key check without a key.
pub static NO_KEY: Rejection = Rejection::new("Authentication", &[401]);
/// See [`INVALID_KEY`]; the form of the error.
pub static KEY_ERROR: Rejection = Rejection::new("Errors", &[401]);
/// A request that must be paid.
pub static PAYMENT: Rejection = Rejection::new("Errors", &[402]);
/// A payment that is none. No sentence names its status: it is a request that is not paid for, or an invalid one.
pub static NO_PAYMENT: Rejection = Rejection::new("Errors", &[400, 401, 402, 422]).because(
    "it pays for nothing, so a 2xx would serve a request without a key; a 5xx is a failure of the gateway",
)
    .usually(402);
/// A model that does not exist.
pub static UNKNOWN_MODEL: Rejection = Rejection::new("Errors", &[404]);
/// A field of a wrong type or value.
pub static VALIDATION: Rejection = Rejection::new("Errors", &[422]);
/// No server of the model answers.
pub static ALL_FAILED: Rejection = Rejection::new("Errors", &[503]);
/// An error before the first event.
pub static BEFORE_STREAM: Rejection = Rejection::new("Errors", &[401, 404, 422])
    .because("each request has one fault, whose status the table of errors names");

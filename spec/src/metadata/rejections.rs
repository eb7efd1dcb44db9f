//! The rejections of the token metadata service, and the sentences that demand them.

use crate::rejection::Rejection;

/// A token id that is not an integer.
pub static INVALID: Rejection = Rejection::new("Errors", &[422]);
/// A path parameter that is empty.
pub static EMPTY: Rejection =
    Rejection::new("Token metadata service (GET only; paths under {base_url})", &[422])
        .usually(404)
        .or("return any other status below 500 except 200")
        .because("all path parameters are required, so there is no document to serve");
/// A contract that does not exist: there is no document to serve.
pub static UNKNOWN: Rejection = Rejection::new("Token metadata service", &[404])
    .or("return another 4xx, 502 or 504")
    .because("there is no document to serve, and statuses besides 422 are not shown");
/// A token that does not exist.
pub static UNKNOWN_TOKEN: Rejection = Rejection::new("Token metadata service", &[404])
    .or("return another 4xx, 502 or 504, or make its document from the template of the contract")
    .because("there is no document to serve, and statuses besides 422 are not shown");

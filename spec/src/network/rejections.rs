//! The rejections of the node API, and the sentences that demand them.

use crate::rejection::Rejection;

/// The documented statuses for a client's mistake.
pub static MALFORMED: Rejection = Rejection::new("Errors", &[400, 401, 403, 404]);
/// A malformed request.
pub static BAD_REQUEST: Rejection = Rejection::new("Errors", &[400]);
/// An envelope that is not what the document describes.
pub static ENVELOPE: Rejection =
    Rejection::new("Request envelope for creating records", &[400, 401, 403, 404]);
/// A signature that does not verify.
pub static UNSIGNED: Rejection = Rejection::new("", &[400, 401, 403]).usually(403);
/// What does not exist.
pub static NOT_FOUND: Rejection = Rejection::new("Errors", &[404]);
/// What does not exist, where an empty response says the same.
pub static ABSENT: Rejection = Rejection::new("Errors", &[404]).or("return it as empty");
/// A message that this node lacks.
pub static LAGGING: Rejection = Rejection::new("Reading the STORE message (recovery rules)", &[404]);
/// A call for an instance that does not exist: no owner may make it.
pub static UNKNOWN_INSTANCE: Rejection = Rejection::new("Errors", &[400, 403, 404]).usually(404);
/// A type that belongs to another endpoint.
pub static OTHER_TYPE: Rejection = Rejection::new("Endpoints", &[400, 401, 403, 404, 422]);
/// A value of another type than a table gives. No sentence demands that it is rejected at once.
pub static TYPED: Rejection = Rejection::new("", &[400, 401, 403, 404, 422]).or("accept it and reject the message later, or read a number in a string, a string in a number or a fraction as the type of the table");
/// A value outside a list that the document leaves open.
pub static OPEN_LIST: Rejection =
    Rejection::new("", &[400, 401, 403, 404, 422]).or("accept it as a value that the document does not name");
/// A FORGET with a target that cannot be forgotten.
pub static BATCH: Rejection =
    Rejection::new("Reading the STORE message (recovery rules)", &[400, 401, 403, 404])
        .or("accept it, retry it, and reject it finally");
/// A number that was not drawn.
pub static NOT_VALID: Rejection = Rejection::new("", &[400, 401, 403, 404]).or("return `valid` false");
/// A bound of a query that is not an integer.
pub static BOUND: Rejection = Rejection::new("", &[400, 401, 403, 404, 422]).or("ignore it");
/// A write of a sender who is neither the owner nor authorized.
pub static STRANGER: Rejection = Rejection::new("Aggregate", &[400, 401, 403, 404])
    .or("accept it without an effect on the owner's aggregate")
    .usually(403);
/// A write of a listed signer beyond its authorization.
pub static BEYOND: Rejection = Rejection::new("Signing of stored records", &[400, 401, 403, 404])
    .or("accept it without an effect on the owner's aggregate")
    .usually(403);
/// A failure of the node itself.
pub static INTERNAL: Rejection = Rejection::new("Errors", &[500]);
/// A request over the rate limit.
pub static RATE: Rejection = Rejection::new("Limits", &[429]);

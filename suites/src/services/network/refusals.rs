//! The rejections of the node API, and the sentences that demand them.

use crate::harness::refusal::Refusal;

/// The documented statuses for a client's mistake.
pub(super) const MALFORMED: Refusal = Refusal::new("Errors", &[400, 401, 403, 404]);
/// A malformed request.
pub(super) const BAD_REQUEST: Refusal = Refusal::new("Errors", &[400]);
/// An envelope that is not what the document describes.
pub(super) const ENVELOPE: Refusal =
    Refusal::new("Request envelope for creating records", &[400, 401, 403, 404]);
/// A signature that does not verify.
pub(super) const UNSIGNED: Refusal = Refusal::new("", &[400, 401, 403]);
/// What does not exist.
pub(super) const NOT_FOUND: Refusal = Refusal::new("Errors", &[404]);
/// What does not exist, where an empty response says the same.
pub(super) const ABSENT: Refusal = Refusal::new("Errors", &[404]).or("return it as empty");
/// A message that this node lacks.
pub(super) const LAGGING: Refusal = Refusal::new("Reading the STORE message (recovery rules)", &[404]);
/// A call for an instance that does not exist: no owner may make it.
pub(super) const UNKNOWN_INSTANCE: Refusal = Refusal::new("Errors", &[400, 403, 404]);
/// A type that belongs to another endpoint.
pub(super) const OTHER_TYPE: Refusal = Refusal::new("Endpoints", &[400, 401, 403, 404, 422]);
/// A value of another type than a table gives. No sentence demands that it is rejected at once.
pub(super) const TYPED: Refusal = Refusal::new("", &[400, 401, 403, 404, 422]).or("accept it and reject the message later, or read a number in a string, a string in a number or a fraction as the type of the table");
/// A value outside a list that the document leaves open.
pub(super) const OPEN_LIST: Refusal =
    Refusal::new("", &[400, 401, 403, 404, 422]).or("accept it as a value that the document does not name");
/// A FORGET with a target that cannot be forgotten.
pub(super) const BATCH: Refusal =
    Refusal::new("Reading the STORE message (recovery rules)", &[400, 401, 403, 404])
        .or("accept it, retry it, and reject it finally");
/// A number that was not drawn.
pub(super) const NOT_VALID: Refusal = Refusal::new("", &[400, 401, 403, 404]).or("return `valid` false");
/// A bound of a query that is not an integer.
pub(super) const BOUND: Refusal = Refusal::new("", &[400, 401, 403, 404, 422]).or("ignore it");
/// A write of a sender who is neither the owner nor authorized.
pub(super) const STRANGER: Refusal = Refusal::new("Aggregate", &[400, 401, 403, 404])
    .or("accept it without an effect on the owner's aggregate");
/// A write of a listed signer beyond its authorization.
pub(super) const BEYOND: Refusal = Refusal::new("Signing of stored records", &[400, 401, 403, 404])
    .or("accept it without an effect on the owner's aggregate");
/// A failure of the node itself.
pub(super) const INTERNAL: Refusal = Refusal::new("Errors", &[500]);
/// A request over the rate limit.
pub(super) const RATE: Refusal = Refusal::new("Limits", &[429]);

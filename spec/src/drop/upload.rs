//! `POST /api/drop`: a zip in, a live site out (document 3).

use crate::endpoint::endpoint;
use crate::shape::{Body, Field, Kind, Reply, may, must};

/// The parts of a form, for descriptions.
const FORM: &[Field] = &[must(ARTIFACT, Kind::File), may(SOURCE, Kind::Text)];
/// The members of a reply, for descriptions.
const REPLY: &[Field] = &[
    must("dropId", Kind::Text),
    must("claimToken", Kind::Text),
    must("url", Kind::Text),
    must("cid", Kind::Text),
    must("expiresAt", Kind::Integer),
    must("claimUrl", Kind::Text),
];

endpoint! {
    /// Publishes a zipped static site without an account.
    Drop ENDPOINT "drop" "POST" "/api/drop"
    None [200, 400, 413, 429, 500, 503]
    "POST /api/drop";
    group: "Drop",
    body: Body::Form(FORM),
    reply: Reply::Json(Kind::Object(REPLY)),
}

/// The form's field that holds the zip.
pub const ARTIFACT: &str = "artifact";
/// The form's field that names where the drop comes from.
pub const SOURCE: &str = "source";

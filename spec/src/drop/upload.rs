//! `POST /api/drop`: publishes a zip as a live site (document 3).

use crate::endpoint::endpoint;
use crate::shape::{Body, Field, Reply, ShapeKind, may, must};

/// The parts of the form, for OpenAPI.
const FORM: &[Field] = &[must(ARTIFACT, ShapeKind::File), may(SOURCE, ShapeKind::Text)];
/// The members of the response, for OpenAPI.
const REPLY: &[Field] = &[
    must("dropId", ShapeKind::Text),
    must("claimToken", ShapeKind::Text),
    must("url", ShapeKind::Text),
    must("cid", ShapeKind::Text),
    must("expiresAt", ShapeKind::Integer),
    must("claimUrl", ShapeKind::Text),
];

endpoint! {
    /// Publishes a zipped static site without an account.
    Drop ENDPOINT "drop" "POST" "/api/drop"
    None [200, 400, 413, 429, 500, 503]
    "POST /api/drop";
    group: "Drop",
    body: Body::Form(FORM),
    reply: Reply::Json(ShapeKind::Object(REPLY)),
}

/// The form's field that holds the zip.
pub const ARTIFACT: &str = "artifact";
/// The form's field with the drop's attribution.
pub const SOURCE: &str = "source";

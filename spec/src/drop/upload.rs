//! `POST /api/drop`: publishes a zip as a live site (document 3).

use crate::drop::requirements::response as rows;
use crate::drop::requirements::upload::NO_CORS;
use crate::drop::response::DropResponse;
use crate::endpoint::endpoint;
use crate::reply::{ErrorForm, Header, HeaderRule, Unavailable};
use crate::shape::{Body, Field, Reply, ShapeKind, may, must};

/// The parts of the form, for OpenAPI.
const FORM: &[Field] = &[must(ARTIFACT, ShapeKind::File), may(SOURCE, ShapeKind::Text)];
/// No response lets a browser of another origin read it.
const CLOSED: &[Header] =
    &[Header { name: "access-control-allow-origin", rule: HeaderRule::Absent, row: &NO_CORS }];
const PAUSED: &[Unavailable] = &[Unavailable { says: None, why: "the target has paused drops (503)" }];
const NOT_SHOWN: &str = "the documents do not show the bodies of errors";
const ERRORS: &[ErrorForm] =
    &[ErrorForm::open(&[503], NOT_SHOWN).unavailable(PAUSED), ErrorForm::open(&[], NOT_SHOWN)];

endpoint! {
    /// Publishes a zipped static site without an account.
    Drop ENDPOINT "drop" "POST" "/api/drop"
    None [200, 400, 413, 429, 500, 503]
    "POST /api/drop";
    group: "Drop",
    body: Body::Form(FORM),
    reply: Reply::Json(DropResponse::SHAPE),
    row: Some(&rows::DROP_ID),
    json_type: Some(&rows::MEDIA_TYPE),
    answers: CLOSED,
    errors: ERRORS,
}

/// The form's field that holds the zip.
pub const ARTIFACT: &str = "artifact";
/// The form's field with the drop's attribution.
pub const SOURCE: &str = "source";

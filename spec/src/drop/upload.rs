//! `POST /api/drop`: publishes a zip as a live site (document 3).

use crate::drop::requirements::cid::VERSION;
use crate::drop::requirements::response as rows;
use crate::drop::requirements::upload::NO_CORS;
use crate::drop::response::DROP_ID_PREFIX;
use crate::endpoint::endpoint;
use crate::reply::{ErrorForm, Header, HeaderRule, Unavailable};
use crate::shape::{Body, Field, Form, Reply, ShapeKind, may, must};

/// The parts of the form, for OpenAPI.
const FORM: &[Field] = &[must(ARTIFACT, ShapeKind::File), may(SOURCE, ShapeKind::Text)];
/// The members of the response, for OpenAPI.
const REPLY: &[Field] = &[
    must("dropId", ShapeKind::Form(Form::Prefixed(DROP_ID_PREFIX))).owned(&rows::DROP_ID),
    must("claimToken", ShapeKind::Form(Form::NotEmpty)).owned(&rows::CLAIM_TOKEN),
    must("url", ShapeKind::Form(Form::Url)).owned(&rows::URL),
    must("cid", ShapeKind::Form(Form::CidV1)).owned(&VERSION),
    must("expiresAt", ShapeKind::Milliseconds).owned(&rows::EXPIRES_AT),
    must("claimUrl", ShapeKind::Form(Form::Url)).owned(&rows::CLAIM_URL),
];
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
    reply: Reply::Json(ShapeKind::Object(REPLY)),
    row: Some(&rows::DROP_ID),
    answers: CLOSED,
    errors: ERRORS,
}

/// The form's field that holds the zip.
pub const ARTIFACT: &str = "artifact";
/// The form's field with the drop's attribution.
pub const SOURCE: &str = "source";

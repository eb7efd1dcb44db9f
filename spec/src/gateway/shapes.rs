//! The forms of errors of inference, and parts that several responses share.

use super::requirements::{errors, payment};
use crate::reply::{ErrorForm, Unavailable};
use crate::shape::{Field, Reply, ShapeKind, must};

/// The forms of errors of inference: a string `detail`.
pub(super) const ERRORS: &[ErrorForm] = &[
    ErrorForm::new(&[401], &errors::DETAIL_401, DETAIL),
    ErrorForm::new(&[402], &payment::DETAIL, DETAIL),
    ErrorForm::new(&[404], &errors::DETAIL_404, DETAIL),
    ErrorForm::new(&[422], &errors::DETAIL_422, ANY_DETAIL),
    ErrorForm::new(&[503], &errors::DETAIL_503, DETAIL).unavailable(&[Unavailable {
        says: Some(("detail", None)),
        why: "every server of the model failed (503)",
    }]),
    ErrorForm::open(&[], "the documents show the bodies of the listed errors only"),
];
const DETAIL: Reply = Reply::Json(ShapeKind::Object(DETAIL_FIELDS));
const DETAIL_FIELDS: &[Field] = &[must("detail", ShapeKind::Text).free("its wording is open")];
/// A target may declare that the `detail` of its 422 is an array; the check of the row knows what it declares.
const ANY_DETAIL: Reply = Reply::Json(ShapeKind::Object(ANY_DETAIL_FIELDS));
const ANY_DETAIL_FIELDS: &[Field] = &[must(
    "detail",
    ShapeKind::Either(&[
        ShapeKind::Text,
        ShapeKind::Array(&ShapeKind::Open("the target declares what is in it")),
    ]),
)
.free("its wording, or what the target declares, is open")];
/// The error form where the documents show statuses only.
pub(super) const NO_ERRORS: &[ErrorForm] = &[ErrorForm::open(&[], "the documents show its statuses only")];
/// The events of an endpoint that is not the chat.
pub(super) const EVENTS: ShapeKind = ShapeKind::Open("whether and how it streams is not shown");
/// An object whose members are not shown.
pub(super) const OBJECT: ShapeKind = ShapeKind::Object(&[]);

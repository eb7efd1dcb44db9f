//! `GET /v1/models` (document 1).

use super::requirements::models::LIST as LIST_ROW;
use super::shapes::NO_ERRORS;
use crate::endpoint::endpoint;
use crate::shape::{Reply, ShapeKind};

endpoint! {
    /// Lists the models. The document does not show whether it needs a key.
    Gateway LIST "models" "GET" "/v1/models"
    None [200]
    "document 1, Inference gateway (paths under {base_url})";
    group: "Models",
    reply: Reply::Json(ShapeKind::Open("the shape of the list is not shown")),
    row: Some(&LIST_ROW),
    errors: NO_ERRORS,
    open: &[401],
}

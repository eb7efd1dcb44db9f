//! `GET /v1/models` (document 1).

use crate::endpoint::endpoint;
use crate::shape::{Reply, ShapeKind};

endpoint! {
    /// Lists the models. The document does not show whether it needs a key.
    Gateway LIST "models" "GET" "/v1/models"
    None [200]
    "document 1, Inference gateway (paths under {base_url})";
    group: "Models",
    reply: Reply::Json(ShapeKind::Any),
    open: &[401],
}

//! `GET /v1/models` (document 1).

use crate::endpoint::endpoint;
use crate::shape::{Reply, ShapeKind};

endpoint! {
    /// Lists the models. Whether it needs a key is not shown.
    Gateway LIST "models" "GET" "/v1/models"
    None [200]
    "document 1, Inference gateway (paths under {base_url})";
    group: "Models",
    reply: Reply::Json(ShapeKind::Any),
    open: &[401],
}

//! The overrides of a token: a JSON array of objects. What an element holds is not shown.

use crate::metadata::{TOKEN_ID, UNKNOWN, URI_NOTE, endpoint};
use crate::shape::{Reply, ShapeKind};

endpoint! {
    /// By the content identifier of the contract's metadata.
    BY_CID "overrides-by-cid" "/{contract_metadata_cid}/{token_id}/overrides" [200, 422]
    group: "Overrides", path: TOKEN_ID, reply: Reply::Json(ShapeKind::Array(&ShapeKind::Object(&[]))), open: UNKNOWN
}
endpoint! {
    /// By the contract's URI.
    BY_URI "overrides-by-uri" "/{contract_uri}//{token_id}/overrides" [200, 422]
    group: "Overrides", path: TOKEN_ID, reply: Reply::Json(ShapeKind::Array(&ShapeKind::Object(&[]))), open: UNKNOWN, note: URI_NOTE
}

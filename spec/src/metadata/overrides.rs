//! The overrides of a token: a JSON array of objects. The document does not show the members of an element.

use crate::metadata::requirements::overrides as rows;
use crate::metadata::{TOKEN_ID, UNKNOWN, URI_NOTE, endpoint};
use crate::shape::{Reply, ShapeKind};

endpoint! {
    /// Returns a token's overrides by the content identifier of the contract's metadata.
    BY_CID "overrides-by-cid" "/{contract_metadata_cid}/{token_id}/overrides" [200, 422]
    group: "Overrides", path: TOKEN_ID, reply: Reply::Json(ShapeKind::Array(&ShapeKind::Object(&[]))), row: Some(&rows::BY_CID), open: UNKNOWN
}
endpoint! {
    /// Returns a token's overrides by the contract's URI.
    BY_URI "overrides-by-uri" "/{contract_uri}//{token_id}/overrides" [200, 422]
    group: "Overrides", path: TOKEN_ID, reply: Reply::Json(ShapeKind::Array(&ShapeKind::Object(&[]))), row: Some(&rows::BY_URI), open: UNKNOWN, note: URI_NOTE
}

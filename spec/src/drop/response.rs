//! The answer to an upload (document 3, "Drop response").

use serde::Serialize;

use crate::Instant;

/// What every drop's id begins with.
pub const DROP_ID_PREFIX: &str = "drop_";

/// The answer to an upload.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DropResponse {
    /// [`DROP_ID_PREFIX`] and more.
    pub drop_id: String,
    /// The secret that claims the drop.
    pub claim_token: String,
    /// The live site.
    pub url: String,
    /// The content identifier, a CIDv1.
    pub cid: String,
    /// The claim's deadline, in milliseconds.
    pub expires_at: Instant,
    /// A page's URL with token and deadline in its fragment.
    pub claim_url: String,
}

/// The fragment that carries the claim; a fragment never reaches a server. The token is of unreserved characters.
pub fn claim_fragment(token: &str, expires_at: Instant) -> String {
    format!("claim={token}&exp={}", expires_at.0)
}

//! The response to an upload (document 3, "Drop response").

use serde::Serialize;

use crate::Instant;

/// The prefix of every drop's id.
pub const DROP_ID_PREFIX: &str = "drop_";

/// The response to an upload.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DropResponse {
    /// [`DROP_ID_PREFIX`] followed by random characters.
    pub drop_id: String,
    /// The secret to claim the drop.
    pub claim_token: String,
    /// The live site.
    pub url: String,
    /// The content identifier, a CIDv1.
    pub cid: String,
    /// The claim deadline, in milliseconds since the epoch.
    pub expires_at: Instant,
    /// The URL of the claim page, with token and deadline in its fragment.
    pub claim_url: String,
}

/// The fragment of the claim URL. Clients never send a fragment to a server. The token has unreserved characters only.
pub fn claim_fragment(token: &str, expires_at: Instant) -> String {
    format!("claim={token}&exp={}", expires_at.0)
}

//! The response to an upload (document 3, "Drop response").

use crate::Instant;
use crate::drop::requirements::cid::VERSION;
use crate::drop::requirements::response as rows;
use crate::drop::requirements::site::SEPARATE;
use crate::relation::Fresh;
use crate::shape::{Form, ShapeKind, object};

/// The prefix of every drop's id.
pub const DROP_ID_PREFIX: &str = "drop_";

object! {
    /// The response to an upload.
    #[derive(Clone, Debug)]
    pub struct DropResponse {
        /// [`DROP_ID_PREFIX`] followed by random characters.
        drop_id: String = must("dropId", ShapeKind::Form(Form::Prefixed(DROP_ID_PREFIX)))
            .owned(&rows::DROP_ID).fresh(Fresh::Unique),
        /// The secret to claim the drop.
        claim_token: String = must("claimToken", ShapeKind::Form(Form::NotEmpty))
            .owned(&rows::CLAIM_TOKEN).fresh(Fresh::Unique),
        /// The live site.
        url: String = must("url", ShapeKind::Form(Form::Url))
            .owned(&rows::URL).fresh(Fresh::Unique).related(&SEPARATE),
        /// The content identifier, a CIDv1.
        cid: String = must("cid", ShapeKind::Form(Form::CidV1)).owned(&VERSION).derived("the files"),
        /// The claim deadline, in milliseconds since the epoch.
        expires_at: Instant = must("expiresAt", ShapeKind::Milliseconds).owned(&rows::EXPIRES_AT).moment(),
        /// The URL of the claim page, with token and deadline in its fragment.
        claim_url: String = must("claimUrl", ShapeKind::Form(Form::Url)).owned(&rows::CLAIM_URL)
            .derived("`claimToken` and `expiresAt`"),
    }
}

/// The fragment of the claim URL. Clients never send a fragment to a server. The token has unreserved characters only.
pub fn claim_fragment(token: &str, expires_at: Instant) -> String {
    format!("claim={token}&exp={}", expires_at.0)
}

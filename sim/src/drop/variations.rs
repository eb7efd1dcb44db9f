//! What the document leaves open, varied.

use crate::variation::Variation;

/// A success returns 201.
pub(super) const STATUS_201: Variation =
    Variation { name: "drop.status-201", about: "an upload returns 201" };
/// Plain-text errors.
pub(super) const ERROR_TEXT: Variation =
    Variation { name: "drop.error-text", about: "errors are plain text" };
/// Other URLs for sites.
pub(super) const URL_SHAPE: Variation =
    Variation { name: "drop.url-shape", about: "live URLs have another form" };
/// A live URL that redirects.
pub(super) const REDIRECT: Variation =
    Variation { name: "drop.redirect", about: "the live URL has no trailing slash and redirects" };
/// Another claim page.
pub(super) const CLAIM_ELSEWHERE: Variation =
    Variation { name: "drop.claim-elsewhere", about: "the claim page has another URL with a query" };
/// Tokens with other characters.
pub(super) const TOKEN_ENCODED: Variation =
    Variation { name: "drop.token-encoded", about: "tokens need percent-encoding in the fragment" };
/// Removed sites return 410.
pub(super) const GONE: Variation = Variation { name: "drop.gone", about: "a removed site returns 410" };
/// Zips with symbolic links are rejected.
pub(super) const SYMLINK_REFUSED: Variation =
    Variation { name: "drop.symlink-refused", about: "a zip with a symbolic link is rejected as unsafe" };
/// Too much content inside a zip returns 400.
pub(super) const INSIDE_400: Variation =
    Variation { name: "drop.inside-400", about: "too many files or bytes inside a zip return 400" };
/// `Retry-After` headers.
pub(super) const RETRY_AFTER: Variation =
    Variation { name: "drop.retry-after", about: "429 and 503 send Retry-After" };
/// The other estimate of a directory's size.
pub(super) const HAMT_BLOCK: Variation =
    Variation { name: "drop.hamt-block", about: "directories are sharded by the size of their block" };

/// Every variation of the drop.
pub(super) const ALL: &[Variation] = &[
    STATUS_201,
    ERROR_TEXT,
    URL_SHAPE,
    REDIRECT,
    CLAIM_ELSEWHERE,
    TOKEN_ENCODED,
    GONE,
    SYMLINK_REFUSED,
    INSIDE_400,
    RETRY_AFTER,
    HAMT_BLOCK,
];

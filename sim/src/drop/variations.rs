//! What the document leaves open, varied.

use crate::variation::Variation;

/// A success returns 201.
pub(super) const STATUS_201: Variation = Variation::named("drop.status-201", "an upload returns 201");
/// Plain-text errors.
pub(super) const ERROR_TEXT: Variation = Variation::named("drop.error-text", "errors are plain text");
/// Other URLs for sites.
pub(super) const URL_SHAPE: Variation = Variation::named("drop.url-shape", "live URLs have another form");
/// A live URL that redirects.
pub(super) const REDIRECT: Variation =
    Variation::named("drop.redirect", "the live URL has no trailing slash and redirects");
/// Another claim page.
pub(super) const CLAIM_ELSEWHERE: Variation =
    Variation::named("drop.claim-elsewhere", "the claim page has another URL with a query");
/// Tokens with other characters.
pub(super) const TOKEN_ENCODED: Variation =
    Variation::named("drop.token-encoded", "tokens need percent-encoding in the fragment");
/// Removed sites return 410.
pub(super) const GONE: Variation = Variation::named("drop.gone", "a removed site returns 410");
/// Zips with symbolic links are rejected.
pub(super) const SYMLINK_REFUSED: Variation =
    Variation::named("drop.symlink-refused", "a zip with a symbolic link is rejected as unsafe");
/// Too much content inside a zip returns 400.
pub(super) const INSIDE_400: Variation =
    Variation::named("drop.inside-400", "too many files or bytes inside a zip return 400");
/// `Retry-After` headers.
pub(super) const RETRY_AFTER: Variation =
    Variation::named("drop.retry-after", "429 and 503 send Retry-After");
/// The other estimate of a directory's size.
pub(super) const HAMT_BLOCK: Variation =
    Variation::named("drop.hamt-block", "directories are sharded by the size of their block");

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

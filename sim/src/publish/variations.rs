//! What the document leaves open, varied.

use crate::variation::Variation;

/// `txtObserved` is omitted instead of null.
pub(super) const TXT_ABSENT: Variation =
    Variation { name: "publish.txt-absent", about: "txtObserved is omitted if it was never observed" };
/// A version of spaces is kept.
pub(super) const BLANK_VERSION_KEPT: Variation = Variation {
    name: "publish.blank-version-kept",
    about: "a version of only spaces is kept, not replaced by 0",
};
/// Envelope times in other forms are rejected.
pub(super) const EXACT_TIME_ONLY: Variation =
    Variation { name: "publish.exact-time-only", about: "envelope times need milliseconds and Z" };
/// The scheme word in any case.
pub(super) const SCHEME_CASE: Variation =
    Variation { name: "publish.scheme-case", about: "the scheme word is accepted in any case" };
/// A newline after the blanket 404.
pub(super) const NOT_FOUND_NEWLINE: Variation =
    Variation { name: "publish.not-found-newline", about: "a newline follows `404 Not Found`" };
/// The memo in quotes.
pub(super) const MEMO_QUOTED: Variation = Variation {
    name: "publish.memo-quoted",
    about: "the log shows the memo quoted, and compute units, as the public program does",
};
/// Repeats are allowed for ten minutes.
pub(super) const REPEAT_LONG: Variation =
    Variation { name: "publish.repeat-long", about: "a confirmed submit can be repeated for ten minutes" };
/// A repeated transfer or accept returns 409, as frozen or second.
pub(super) const REPEAT_CONFLICTS: Variation = Variation {
    name: "publish.repeat-conflicts",
    about: "a repeated submit of a transfer or accept returns 409",
};
/// A prepare id of another domain returns 404.
pub(super) const FOREIGN_404: Variation =
    Variation { name: "publish.foreign-404", about: "a prepareId of another domain returns 404" };
/// A malformed prepare id returns 400.
pub(super) const MALFORMED_ID_400: Variation =
    Variation { name: "publish.malformed-id-400", about: "a prepareId that is not a UUID returns 400" };
/// An accept by the frozen key returns 409.
pub(super) const OLD_KEY_ACCEPT_409: Variation =
    Variation { name: "publish.old-key-accept-409", about: "an accept by the old key returns 409" };
/// The daily limit sends `Retry-After`.
pub(super) const DAILY_RETRY_AFTER: Variation =
    Variation { name: "publish.daily-retry-after", about: "the daily limit sends Retry-After" };
/// Every variation of the exchange.
pub(super) const ALL: &[Variation] = &[
    TXT_ABSENT,
    BLANK_VERSION_KEPT,
    EXACT_TIME_ONLY,
    SCHEME_CASE,
    NOT_FOUND_NEWLINE,
    MEMO_QUOTED,
    REPEAT_LONG,
    REPEAT_CONFLICTS,
    FOREIGN_404,
    MALFORMED_ID_400,
    OLD_KEY_ACCEPT_409,
    DAILY_RETRY_AFTER,
];

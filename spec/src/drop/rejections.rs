//! The rejections of the anonymous drop, and the sentences that demand them.

use crate::rejection::Rejection;

/// A form without a zip, or a zip that is not safe.
pub static UNSAFE: Rejection = Rejection::new("Errors", &[400]);
/// A symbolic link in a zip.
pub static LINK: Rejection = Rejection::new("Errors", &[400]).or("follow it");
/// A zip that is too large.
pub static TOO_LARGE: Rejection = Rejection::new("Errors", &[413]);
/// Too many files or bytes inside a zip.
pub static TOO_MUCH_INSIDE: Rejection = Rejection::new("Limits", &[400, 413])
    .because("such a zip is unsafe or too large, and no sentence says which")
    .usually(413);
/// More uploads than the limit.
pub static LIMITED: Rejection = Rejection::new("Errors", &[429]);
/// More uploads of one network than the limit.
pub static PREFIX: Rejection = Rejection::new("Limits", &[429]);
/// Publishing failed.
pub static FAILED: Rejection = Rejection::new("Errors", &[500]);
/// Drops are paused.
pub static PAUSED: Rejection = Rejection::new("Errors", &[503]);
/// A site that was removed.
pub static REMOVED: Rejection = Rejection::new("States and transitions", &[404, 410])
    .or("return anything but the page of the site")
    .because("the site is removed, so its page is not shown");

//! The rejections of the anonymous drop, and the sentences that demand them.

use crate::harness::refusal::Refusal;

/// A form without a zip, or a zip that is not safe.
pub(super) const UNSAFE: Refusal = Refusal::new("Errors", &[400]);
/// A symbolic link in a zip.
pub(super) const LINK: Refusal = Refusal::new("Errors", &[400]).or("follow it");
/// A zip that is too large.
pub(super) const TOO_LARGE: Refusal = Refusal::new("Errors", &[413]);
/// Too many files or bytes inside a zip.
pub(super) const TOO_MUCH_INSIDE: Refusal = Refusal::new("Limits", &[400, 413])
    .because("such a zip is unsafe or too large, and no sentence says which");
/// More uploads than the limit.
pub(super) const LIMITED: Refusal = Refusal::new("Errors", &[429]);
/// More uploads of one network than the limit.
pub(super) const PREFIX: Refusal = Refusal::new("Limits", &[429]);
/// Publishing failed.
pub(super) const FAILED: Refusal = Refusal::new("Errors", &[500]);
/// Drops are paused.
pub(super) const PAUSED: Refusal = Refusal::new("Errors", &[503]);
/// A site that was removed.
pub(super) const REMOVED: Refusal = Refusal::new("States and transitions", &[404, 410])
    .or("return anything but the page of the site")
    .because("the site is removed, so its page is not shown");

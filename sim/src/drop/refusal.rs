//! Maps a refusal to its response. The document gives statuses but no format; the format is the simulator's.

use assay_spec::drop::requirements::{limits, upload, zip};
use assay_spec::{Id, Rules};
use serde_json::json;

use super::variations;
use crate::core::Core;
use crate::refusal::Refusal;
use crate::world::Reply;

/// The response to a refusal.
pub(super) fn answer(core: &mut Core, refusal: &Refusal) -> Reply {
    let (status, text) = status(core, refusal.refused.rule);
    let reply = error(core, status, text);
    let says_when = matches!(status, 429 | 503) && core.varies(variations::RETRY_AFTER);
    if says_when { reply.header("retry-after", refusal.retry_after_s.unwrap_or(60)) } else { reply }
}

/// An error in the simulator's format.
pub(super) fn error(core: &Core, status: u16, text: &str) -> Reply {
    let text = core.prose(text);
    if core.varies(variations::ERROR_TEXT) {
        core.text(status, &text)
    } else {
        core.json(status, json!({ "error": text }))
    }
}

/// The status and message of a violated requirement. Requirements not listed return 400.
fn status(core: &mut Core, rule: Id) -> (u16, &'static str) {
    static STATUSES: &[(Id, u16, &str)] = &[
        (&upload::UNAUTHENTICATED, 401, "a key is required"),
        (&upload::ARTIFACT_REQUIRED, 400, "artifact is missing"),
        (&upload::SOURCE_TAKEN, 400, "source is not accepted"),
        (&upload::SOURCE_IGNORED, 400, "source is malformed"),
        (&upload::PAUSED, 503, "drops are paused"),
        (&zip::ROOT_INDEX, 400, "no index.html at the root"),
        (&zip::SIZE, 413, "zip too large"),
        (&zip::EXTRACTED_SIZE, 413, "the files of the zip are too large"),
        (&zip::COUNTED, 413, "the files of the zip are too large"),
        (&zip::FILES, 413, "the zip has too many files"),
        (&limits::ONE_UPLOAD, 429, "another upload is in progress"),
        (&limits::HOURLY, 429, "too many drops"),
        (&limits::DAILY, 429, "too many drops"),
    ];
    if rule == &upload::PUBLISH_FAILED {
        let status = core.effect(rule, 500, |status, variant| if variant == "kept" { status } else { 422 });
        return (status, "publishing failed; try again");
    }
    let inside = [&zip::EXTRACTED_SIZE, &zip::COUNTED, &zip::FILES].contains(&rule);
    let found = STATUSES.iter().find(|(row, _, _)| *row == rule);
    let (status, text) = found.map_or((400, "unsafe zip"), |(_, status, text)| (*status, *text));
    if inside && core.varies(variations::INSIDE_400) { (400, text) } else { (status, text) }
}

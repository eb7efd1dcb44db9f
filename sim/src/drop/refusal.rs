//! Maps a refusal to its response. The document gives statuses but no format; the format is the simulator's.

use assay_spec::Id;
use assay_spec::drop::requirements::Rule;
use assay_spec::drop::requirements::limits::Row as L;
use assay_spec::drop::requirements::upload::Row as U;
use assay_spec::drop::requirements::zip::Row as Z;
use serde_json::json;

use crate::core::Core;
use crate::exchange::Reply;
use crate::refusal::Refusal;
use crate::seam::{Answer, Body};

/// A refusal, as the reply to it knows it.
#[derive(Clone, Debug, Default)]
pub(super) struct Rejected {
    /// The rule that rejected, if a row states it.
    pub(super) rule: Option<Id>,
    /// When to retry, in seconds, if retrying helps.
    pub(super) retry_after_s: Option<i64>,
}

impl Answer<Rejected> {
    /// Changes the status of the replies to one rule.
    pub(super) fn change(&mut self, rule: Id, status: u16) {
        if self.about.rule == Some(rule) {
            self.status = status;
        }
    }
}

/// The response to a refusal.
pub(super) fn answer(core: &mut Core, refusal: &Refusal) -> Reply {
    let (rule, status) = (refusal.refused.rule, refusal.status(of_others));
    write(
        core,
        Rejected { rule: Some(rule), retry_after_s: refusal.retry_after_s },
        status,
        text(rule, status),
    )
}

/// An error that no row states, in the simulator's format.
pub(super) fn error(core: &mut Core, status: u16, text: &str) -> Reply {
    write(core, Rejected::default(), status, text)
}

fn write(core: &mut Core, rejected: Rejected, status: u16, text: &str) -> Reply {
    let body = Body::Json(json!({ "error": core.prose(text) }));
    core.reply(Answer::new(rejected, status, body))
}

/// The status where a rule rejects that names none.
fn of_others(rule: Id) -> u16 {
    match Rule::named(rule) {
        Some(Rule::upload(U::UNAUTHENTICATED)) => 401,
        Some(Rule::upload(_) | Rule::zip(_) | Rule::cid(_)) => 400,
        _ => unreachable!("{rule} rejects no request"),
    }
}

/// The words of a rejection; they are free.
fn text(rule: Id, status: u16) -> &'static str {
    match Rule::named(rule) {
        Some(Rule::upload(U::ARTIFACT_REQUIRED)) => "artifact is missing",
        Some(Rule::upload(U::SOURCE_TAKEN | U::SOURCE_IGNORED)) => "source is not accepted",
        Some(Rule::zip(Z::ROOT_INDEX)) => "no index.html at the root",
        Some(Rule::zip(Z::FILES)) => "the zip has too many files",
        Some(Rule::limits(L::ONE_UPLOAD)) => "another upload is in progress",
        _ => match status {
            400 => "unsafe zip",
            401 => "a key is required",
            404 => "this site was removed",
            413 => "zip too large",
            429 => "too many drops",
            503 => "drops are paused",
            _ => "publishing failed; try again",
        },
    }
}

//! Maps a refusal to its response. The document gives statuses but no format; the format is the simulator's.

use assay_spec::Id;
use assay_spec::drop::requirements::{Rule, limits, site, upload, zip};
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
    let rule = refusal.refused.rule;
    let (status, text) = response(Rule::named(rule).expect("only the drop's own rules reject its requests"));
    write(core, Rejected { rule: Some(rule), retry_after_s: refusal.retry_after_s }, status, text)
}

/// An error that no row states, in the simulator's format.
pub(super) fn error(core: &mut Core, status: u16, text: &str) -> Reply {
    write(core, Rejected::default(), status, text)
}

fn write(core: &mut Core, rejected: Rejected, status: u16, text: &str) -> Reply {
    let body = Body::Json(json!({ "error": core.prose(text) }));
    core.reply(Answer::new(rejected, status, body))
}

/// The status and message of a rejection by each rule.
fn response(rule: Rule) -> (u16, &'static str) {
    use limits::Row as L;
    use site::Row as S;
    use upload::Row as U;
    use zip::Row as Z;

    match rule {
        Rule::upload(row) => match row {
            U::UNAUTHENTICATED => (401, "a key is required"),
            U::ARTIFACT_REQUIRED => (400, "artifact is missing"),
            U::SOURCE_TAKEN => (400, "source is not accepted"),
            U::SOURCE_IGNORED => (400, "source is malformed"),
            U::PUBLISH_FAILED => (500, "publishing failed; try again"),
            U::PAUSED => (503, "drops are paused"),
            U::NO_CORS => rejects_nothing(rule),
        },
        Rule::zip(row) => match row {
            Z::FORM | Z::TRAVERSAL | Z::ABSOLUTE | Z::SYMLINK | Z::FAITHFUL => (400, "unsafe zip"),
            Z::ROOT_INDEX => (400, "no index.html at the root"),
            Z::SIZE => (413, "zip too large"),
            Z::EXTRACTED_SIZE | Z::COUNTED => (413, "the files of the zip are too large"),
            Z::FILES => (413, "the zip has too many files"),
        },
        Rule::site(S::REMOVED) => (404, "this site was removed"),
        Rule::limits(row) => match row {
            L::ONE_UPLOAD => (429, "another upload is in progress"),
            L::HOURLY | L::DAILY => (429, "too many drops"),
            L::HOUR_PASSES | L::PER_ADDRESS | L::IPV6_PREFIX => rejects_nothing(rule),
        },
        Rule::cid(_) => (400, "unsafe zip"),
        Rule::site(S::LIVE | S::NESTED | S::SEPARATE | S::CLAIMED_STAYS) | Rule::response(_) => {
            rejects_nothing(rule)
        }
    }
}

fn rejects_nothing(rule: Rule) -> ! {
    unreachable!("{rule:?} rejects no request")
}

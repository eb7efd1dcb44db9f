//! Maps a refusal to its response: one table, and the documented error body.

use assay_spec::Id;
use assay_spec::network::error::{ErrorBody, code};
use assay_spec::network::requirements::{
    aggregates, errors, info, messages, metrics, neighbours, paging, probes, programs, store,
};
use http::header::RETRY_AFTER;
use serde_json::json;

use crate::core::Core;
use crate::exchange::Reply;
use crate::refusal::Refusal;
use crate::seam::{Answer, Body};

/// A refusal, as the reply to it knows it.
#[derive(Clone, Debug)]
pub(super) struct Rejected {
    /// The rule that rejected.
    pub(super) rule: Id,
}

impl Answer<Rejected> {
    /// Changes the status of the replies to some rules, with the code in the body.
    pub(super) fn change(&mut self, rules: &[Id], status: u16) {
        if rules.contains(&self.about.rule) {
            self.status = status;
            self["code"] = json!(code(status));
        }
    }

    /// Changes the error body of the API. Those of compute nodes and of the neighbours are not shown.
    pub(super) fn spoil(&mut self, edit: impl FnOnce(&mut Answer<Rejected>)) {
        if !["probes", "neighbours"].contains(&self.about.rule.group) {
            edit(self);
        }
    }

    /// Makes the reply to a rule a success with this body.
    pub(super) fn accept(&mut self, rule: Id, body: Body) {
        if self.about.rule == rule {
            (self.status, self.body) = (200, body);
        }
    }
}

/// The response to a rejected request.
pub(super) fn answer(core: &mut Core, refusal: &Refusal) -> Reply {
    let rule = refusal.refused.rule;
    let status = refusal.status(of_others);
    let text = match status {
        401 => "a signature is needed",
        403 => "the signature does not match the address",
        404 => "not found",
        429 => "rate limit exceeded",
        500 => "internal error",
        _ => "malformed request",
    };
    let mut answer = error(core, rule, status, text);
    if let Some(seconds) = refusal.retry_after_s {
        answer.headers.insert(RETRY_AFTER, seconds.into());
    }
    core.reply(answer)
}

/// The documented error body with a status.
pub(super) fn error(core: &Core, rule: Id, status: u16, text: &str) -> Answer<Rejected> {
    Answer::new(Rejected { rule }, status, Body::Json(json!(ErrorBody::new(status, core.prose(text)))))
}

/// The status where a rule rejects that names none: the method, the path or the signature is not taken, or the message is
/// malformed.
fn of_others(rule: Id) -> u16 {
    let not_found = [
        &info::PREFIX,
        &messages::FOUND,
        &metrics::ALTERNATIVE,
        &neighbours::SCHEDULER,
        &paging::PAST_END,
        &probes::METRICS,
        &probes::STATUS_CHECK,
        &probes::VM,
        &programs::RUN,
        &store::FORGOTTEN,
        &store::REMOVED,
    ];
    let is_among = |rules: &[Id]| rules.contains(&rule);
    match () {
        () if is_among(&not_found) => 404,
        () if is_among(&[&errors::UNAUTHORIZED, &probes::LOGIN]) => 401,
        () if is_among(&[&aggregates::DELEGATE, &errors::FORBIDDEN]) => 403,
        () if is_among(&[&errors::NO_INTERNAL]) => 500,
        () => 400,
    }
}

//! The response to a refusal: the status that its row names, and a form for each kind of response.

use assay_spec::publish::requirements::Rule;
use assay_spec::publish::requirements::exchange::Row as E;
use assay_spec::publish::requirements::prepare::Row as P;
use assay_spec::publish::requirements::submit::Row as S;
use assay_spec::publish::requirements::transfer::Row as T;
use assay_spec::publish::submit::SAFETY_CEILING;
use assay_spec::{Id, Instant};
use serde_json::json;

use crate::core::Core;
use crate::exchange::Reply;
use crate::refusal::Refusal;
use crate::seam::{Answer, Body};

/// The body of every response that must not say more.
pub(super) const NOT_FOUND: &str = "404 Not Found";

/// A refusal, as the reply to it knows it.
#[derive(Clone, Debug)]
pub(super) struct Rejected {
    /// The rule that rejected.
    pub(super) rule: Id,
    /// When.
    pub(super) at: Instant,
}

impl Answer<Rejected> {
    /// Changes the status of the replies to one rule. The body has the form of the new status.
    pub(super) fn change(&mut self, rule: Id, status: u16) {
        if self.about.rule != rule {
            return;
        }
        self.status = status;
        match &self.body {
            Body::Text(text) => self.body = Body::Json(json!({ "error": text })),
            _ if status == 404 => self.body = Body::Text(NOT_FOUND.to_owned()),
            _ => {}
        }
    }
}

/// The response to a refusal; it says no more than the document allows.
pub(super) fn answer(core: &mut Core, refusal: &Refusal) -> Reply {
    let (rule, status) = (refusal.refused.rule, refusal.status(of_others));
    let body = match form(rule, status) {
        Form::Text(text) => Body::Text(text.to_owned()),
        Form::Error(text) => Body::Json(json!({ "error": core.prose(text) })),
        Form::Frozen => {
            let text = core.prose("this key is frozen by a pending transfer");
            Body::Json(json!({ "error": text, "cause": "transfer-frozen" }))
        }
        Form::Ceiling => {
            // The document defines these words; only the words around them are free.
            let text = format!("stopped waiting at the {SAFETY_CEILING}; the transaction may still land");
            Body::Json(json!({ "error": text }))
        }
        Form::Standby => {
            let reason = core.prose("another node is the primary");
            Body::Json(json!({ "error": "not-primary", "reason": reason }))
        }
        Form::Passive => Body::Json(json!({ "error": "backend is passive" })),
    };
    let mut answer = Answer::new(Rejected { rule, at: core.now() }, status, body);
    if let Some(seconds) = refusal.retry_after_s {
        answer.headers.insert(http::header::RETRY_AFTER, seconds.into());
    }
    core.reply(answer)
}

/// The form of a response.
enum Form {
    /// Plain text.
    Text(&'static str),
    /// `{error}`; the words are free.
    Error(&'static str),
    /// `{error, cause}` for a frozen key.
    Frozen,
    /// `{error}` with the words of the safety ceiling.
    Ceiling,
    /// `{error, reason}` of a standby.
    Standby,
    /// `{error}` of a passive backend.
    Passive,
}

/// The status where a rule rejects that names none.
fn of_others(rule: Id) -> u16 {
    match Rule::named(rule) {
        Some(Rule::domain(_) | Rule::envelope(_) | Rule::transfer(_)) => 404,
        Some(Rule::prepare(P::LOCK_EXPIRES | P::LOCK_PER_DOMAIN)) => 409,
        Some(Rule::prepare(_) | Rule::record(_) | Rule::exchange(E::SPELLING)) => 400,
        Some(Rule::submit(S::REPEAT)) => 410,
        _ => unreachable!("{rule} rejects no request"),
    }
}

/// The form of a rejection. Rules of the envelope are not distinguishable.
fn form(rule: Id, status: u16) -> Form {
    match Rule::named(rule) {
        Some(Rule::prepare(P::RECORD_FITS)) => Form::Error("the record is too large for one transaction"),
        Some(Rule::prepare(P::PUBLISHABLE)) => Form::Error("the binding is not publishable"),
        Some(Rule::submit(S::SIGNATURE_VERIFIES)) => Form::Error("the signature does not verify"),
        Some(Rule::submit(S::IN_FLIGHT)) => Form::Error("this prepare is already being submitted"),
        Some(Rule::submit(S::EXPIRED)) => Form::Error("the prepare has expired"),
        Some(Rule::submit(S::BLOCKHASH_EXPIRED)) => {
            Form::Error("the blockhash expired before the transaction was confirmed")
        }
        Some(Rule::submit(S::SAFETY_CEILING)) => Form::Ceiling,
        Some(Rule::transfer(T::FREEZES)) => Form::Frozen,
        Some(Rule::transfer(T::SECOND_ACCEPT)) => Form::Error("this transfer has been accepted"),
        Some(Rule::exchange(E::STANDBY)) => Form::Standby,
        Some(Rule::exchange(E::PASSIVE)) => Form::Passive,
        _ => match status {
            404 => Form::Text(NOT_FOUND),
            409 => Form::Error("another publish for this domain is in flight"),
            410 => Form::Error("unknown prepareId"),
            413 => Form::Text("Payload Too Large"),
            429 => Form::Error("too many requests"),
            502 => Form::Error("the chain rejected the transaction"),
            _ => Form::Error("malformed request"),
        },
    }
}

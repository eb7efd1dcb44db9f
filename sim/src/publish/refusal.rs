//! Maps a refusal to its response: one table, one form per kind of response.

use assay_spec::publish::requirements::{Rule, exchange, prepare, submit, transfer};
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
    let rule = refusal.refused.rule;
    let (status, form) =
        response(Rule::named(rule).expect("only the exchange's own rules reject its requests"));
    let body = match form {
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

/// The response to a rejection by each rule. Rules of the envelope are not distinguishable.
fn response(rule: Rule) -> (u16, Form) {
    use exchange::Row as E;
    use prepare::Row as P;
    use submit::Row as S;
    use transfer::Row as T;

    let malformed = (400, Form::Error("malformed request"));
    let not_found = (404, Form::Text(NOT_FOUND));
    match rule {
        Rule::domain(_) | Rule::envelope(_) => not_found,
        Rule::prepare(row) => match row {
            P::BODY_JSON
            | P::DOMAIN_REQUIRED
            | P::CID_REQUIRED
            | P::CID_NOT_VALIDATED
            | P::VERSION_STRING
            | P::OP_DEFAULT
            | P::OP_KNOWN
            | P::NEW_AUTHORITY
            | P::NEW_AUTHORITY_DIFFERS
            | P::DOMAIN_TRIMMED
            | P::VERSION_DEFAULT => malformed,
            P::RECORD_FITS => (400, Form::Error("the record is too large for one transaction")),
            P::DOMAIN_MATCH => not_found,
            P::ONE_IN_FLIGHT | P::LOCK_PER_DOMAIN | P::REPLAY | P::LOCK_EXPIRES => {
                (409, Form::Error("another publish for this domain is in flight"))
            }
            P::PUBLISHABLE => (409, Form::Error("the binding is not publishable")),
            P::PREPARE_ID
            | P::MESSAGE
            | P::FEE_PAYER
            | P::LAST_VALID_BLOCK_HEIGHT
            | P::PAYLOAD
            | P::EXPIRES_AT
            | P::TXT_OBSERVED
            | P::LOCKS_NOTHING => rejects_nothing(rule),
        },
        Rule::exchange(row) => match row {
            E::BODY_LIMIT => (413, Form::Text("Payload Too Large")),
            E::DAILY_LIMIT | E::RATE_PER_IP => (429, Form::Error("too many requests")),
            E::STANDBY => (503, Form::Standby),
            E::PASSIVE => (503, Form::Passive),
            E::ERROR_JSON | E::DAILY_WINDOW | E::DAILY_COUNTS | E::DAILY_REJECTED | E::PER_ADDRESS => {
                rejects_nothing(rule)
            }
        },
        Rule::submit(row) => match row {
            S::FIELDS | S::SIGNATURE_FORM => malformed,
            S::SIGNATURE_VERIFIES => (400, Form::Error("the signature does not verify")),
            S::IN_FLIGHT => (409, Form::Error("this prepare is already being submitted")),
            S::UNKNOWN => (410, Form::Error("unknown prepareId")),
            S::EXPIRED => (410, Form::Error("the prepare has expired")),
            S::FOREIGN => (410, Form::Error("malformed request")),
            S::REPEAT => (410, Form::Error("unknown prepareId")),
            S::BLOCKHASH_EXPIRED => {
                (410, Form::Error("the blockhash expired before the transaction was confirmed"))
            }
            S::SAFETY_CEILING => (410, Form::Ceiling),
            S::REJECTED => (502, Form::Error("the chain rejected the transaction")),
            S::LANDS
            | S::SIGNATURE
            | S::STAYS_PREPARED
            | S::EXPIRY_UNCHANGED
            | S::NO_SECOND_RECORD
            | S::LOCK_FREED
            | S::UNRESOLVED_LOCK => rejects_nothing(rule),
        },
        Rule::transfer(row) => match row {
            T::FREEZES => (409, Form::Frozen),
            T::SECOND_ACCEPT => (409, Form::Error("this transfer has been accepted")),
            T::ACCEPT_ADMITTED
            | T::ACCEPT_NEEDS_PENDING
            | T::ACCEPT_BY_INCOMING
            | T::INCOMING_ONLY_ACCEPTS
            | T::ACCEPT_SAYS_SO => not_found,
            T::FREEZES_ONCE_CONFIRMED => rejects_nothing(rule),
        },
        Rule::record(_) => malformed,
        Rule::message(_) | Rule::chain(_) | Rule::check(_) | Rule::client(_) | Rule::verify(_) => {
            rejects_nothing(rule)
        }
    }
}

fn rejects_nothing(rule: Rule) -> ! {
    unreachable!("{rule:?} rejects no request")
}

//! Maps a refusal to its response: one table, and `{"detail": string}` for all documented errors.

use assay_spec::Id;
use assay_spec::gateway::requirements::{
    Rule, auth, chat, completions, confidential, direct, discovery, errors, input, messages, payment, pool,
    responses, tools,
};
use serde_json::{Value, json};

use crate::core::Core;
use crate::exchange::Reply;
use crate::refusal::Refusal;
use crate::seam::{Answer, Body};

/// An error, as the reply to it knows it.
#[derive(Clone, Debug, Default)]
pub(super) struct Rejected {
    /// The rule that rejected, if a row states it.
    pub(super) rule: Option<Id>,
    /// The request was a chat that asked for a stream.
    pub(super) streamed: bool,
}

impl Answer<Rejected> {
    /// Changes the status of the errors of one rule.
    pub(super) fn change(&mut self, rule: Id, status: u16) {
        if self.about.rule == Some(rule) {
            self.status = status;
        }
    }

    /// Replaces the body of the errors with one status.
    pub(super) fn replace(&mut self, status: u16, body: Value) {
        if self.status == status {
            self.body = Body::Json(body);
        }
    }
}

/// The response to a refusal. `streamed`: the request was a chat that asked for a stream.
pub(super) fn answer(core: &mut Core, refusal: &Refusal, streamed: bool) -> Reply {
    let rule = refusal.refused.rule;
    let (status, form) =
        response(Rule::named(rule).expect("only the gateway's own rules reject its requests"));
    let rejected = Rejected { rule: Some(rule), streamed };
    match form {
        Form::Detail(text) => write(core, rejected, status, text),
        // A validation error tells the client which rule its request violates.
        Form::Invalid => {
            let text = format!("{}: {}", rule.statement(), refusal.refused.why);
            write(core, rejected, status, &text)
        }
        Form::Internal => core.reply(Answer::new(rejected, status, Body::Text(INTERNAL.to_owned()))),
    }
}

/// The body of an internal error.
pub(super) const INTERNAL: &str = "Internal Server Error";

/// An error that no row states, in the documented format.
pub(super) fn error(core: &mut Core, status: u16, text: &str) -> Reply {
    write(core, Rejected::default(), status, text)
}

fn write(core: &mut Core, rejected: Rejected, status: u16, text: &str) -> Reply {
    let body = Body::Json(json!({ "detail": core.prose(&short(text)) }));
    core.reply(Answer::new(rejected, status, body))
}

/// Shortens an error message; what it quotes may be megabytes long.
fn short(text: &str) -> String {
    const CHARACTERS: usize = 400;
    match text.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The form of a response.
enum Form {
    /// `{detail}`; the words are free.
    Detail(&'static str),
    /// `{detail}` with the rule and what was seen.
    Invalid,
    /// Plain text: only a deviation responds so.
    Internal,
}

const INVALID: (u16, Form) = (422, Form::Invalid);
const UNKNOWN_MODEL: (u16, Form) = (404, Form::Detail("unknown model"));

/// The response to a rejection by each rule.
fn response(rule: Rule) -> (u16, Form) {
    use auth::Row as A;
    use completions::Row as P;
    use confidential::Row as F;
    use direct::Row as D;
    use discovery::Row as V;
    use errors::Row as E;
    use input::Row as I;
    use payment::Row as Y;
    use pool::Row as O;
    use responses::Row as R;

    let bad_key = (401, Form::Detail("missing or invalid API key"));
    let unpaid = (402, Form::Detail("payment required"));
    let not_found = (404, Form::Detail("not found"));
    match rule {
        Rule::auth(row) => match row {
            A::KEY_CHECK
            | A::KEY_CHECK_INVALID
            | A::KEY_CHECK_MISSING
            | A::KEY_CHECK_REVOKED
            | A::INVALID_KEY_CHAT
            | A::INVALID_KEY_COMPLETIONS
            | A::INVALID_KEY_NATIVE
            | A::INVALID_KEY_RESPONSES
            | A::INVALID_KEY_MESSAGES
            | A::MISSING_KEY
            | A::REVOKED_KEY => bad_key,
            A::KEY_CHECK_FREE | A::OTHER_HEADERS | A::KEY_CHECK_BODY => rejects_nothing(rule),
        },
        Rule::chat(row) => of_chat(row, rule),
        Rule::tools(row) => of_tools(row, rule),
        Rule::completions(row) => match row {
            P::NATIVE => not_found,
            P::UNKNOWN_MODEL => UNKNOWN_MODEL,
            P::BODY => INVALID,
            P::COMPLETION | P::REPLY => rejects_nothing(rule),
        },
        Rule::responses(row) => match row {
            R::UNKNOWN_MODEL => UNKNOWN_MODEL,
            R::BODY => INVALID,
            R::RESPONSE | R::REPLY => rejects_nothing(rule),
        },
        Rule::messages(row) => of_messages(row, rule),
        Rule::discovery(row) => match row {
            V::USABLE => UNKNOWN_MODEL,
            V::PUBLIC => bad_key,
            V::OBJECT | V::SERVERS | V::ENTRY | V::COVERS | V::CURRENT | V::LISTS => rejects_nothing(rule),
        },
        Rule::errors(row) => match row {
            E::UNKNOWN_MODEL => UNKNOWN_MODEL,
            E::OTHER_PATHS => not_found,
            E::DETAIL_401 | E::DETAIL_404 | E::DETAIL_422 | E::DETAIL_503 | E::ORDER => rejects_nothing(rule),
        },
        Rule::payment(row) => match row {
            Y::REQUIRED | Y::INVALID | Y::PAID | Y::USED_AGAIN | Y::VALID_KEY | Y::USED_UP => unpaid,
            Y::INVALID_KEY => bad_key,
            Y::DETAIL | Y::SIGNING | Y::BILLING => rejects_nothing(rule),
        },
        Rule::pool(row) => match row {
            O::ALL_FAILED | O::PER_MODEL | O::RECOVERS => {
                (503, Form::Detail("all servers failed for this model"))
            }
            O::COOKIES => INVALID,
            O::FAILOVER | O::ROUTING | O::COOKIE_NAME | O::FAILURE => rejects_nothing(rule),
        },
        Rule::direct(row) => match row {
            D::CHAT | D::COMPLETIONS | D::MESSAGES => not_found,
            D::EVERY_SERVER | D::INVALID_KEY | D::MISSING_KEY | D::REVOKED_KEY => bad_key,
            D::UNKNOWN_MODEL => UNKNOWN_MODEL,
            D::OTHERS | D::ALONE => rejects_nothing(rule),
        },
        Rule::confidential(row) => match row {
            F::STAND_INS => not_found,
            F::NOT_AN_ADDRESS
            | F::RESOLVED
            | F::ATTESTED_FIRST
            | F::REFUSED
            | F::PINNED
            | F::REBOOTED
            | F::FRESH
            | F::KEY_INSIDE
            | F::ENCLAVE => rejects_nothing(rule),
        },
        Rule::input(row) => match row {
            I::NOT_UTF8
            | I::DEEP
            | I::LARGE
            | I::UNKNOWN_ROLE
            | I::IMAGE_DATA
            | I::HUGE_NUMBER
            | I::ODD_PATH => (500, Form::Internal),
            I::LIMITS => INVALID,
        },
        Rule::stream(_) | Rule::models(_) | Rule::client(_) => rejects_nothing(rule),
    }
}

/// The response to a rejection by a rule of this group.
fn of_chat(row: chat::Row, rule: Rule) -> (u16, Form) {
    use chat::Row;

    match row {
        Row::PARTS
        | Row::IMAGE
        | Row::BODY
        | Row::MODEL
        | Row::MESSAGES
        | Row::MESSAGE
        | Row::ROLE
        | Row::CONTENT
        | Row::PART
        | Row::PART_TYPE
        | Row::PART_TEXT
        | Row::PART_IMAGE
        | Row::PART_IMAGE_URL
        | Row::TOOL_CALL_ID
        | Row::STREAM
        | Row::ROLE_KNOWN
        | Row::MESSAGE_COMPLETE
        | Row::NOT_EMPTY
        | Row::IMAGE_DATA => INVALID,
        Row::ANSWERED | Row::CHOICES | Row::ANSWER_TEXT | Row::FURTHER_MEMBERS | Row::REPLY_FURTHER => {
            rejects_nothing(rule)
        }
    }
}

/// The response to a rejection by a rule of this group.
fn of_tools(row: tools::Row, rule: Rule) -> (u16, Form) {
    use tools::Row;

    match row {
        Row::TAKEN
        | Row::ROUND_TRIP
        | Row::TOOLS
        | Row::TOOL
        | Row::TYPE
        | Row::FUNCTION
        | Row::NAME
        | Row::DESCRIPTION
        | Row::PARAMETERS
        | Row::DECLARATION_COMPLETE => INVALID,
        Row::CALL_NAME
        | Row::CALL_ARGUMENTS
        | Row::CALL_ID
        | Row::CALL_IDS
        | Row::SCHEMA
        | Row::ARGUMENTS_FIT
        | Row::RESULT_USED
        | Row::UNFLAGGED => rejects_nothing(rule),
    }
}

/// The response to a rejection by a rule of this group.
fn of_messages(row: messages::Row, rule: Rule) -> (u16, Form) {
    use messages::Row;

    match row {
        Row::UNKNOWN_MODEL => UNKNOWN_MODEL,
        Row::BODY
        | Row::MODEL
        | Row::MAX_TOKENS
        | Row::MESSAGES
        | Row::MESSAGE
        | Row::ROLE
        | Row::CONTENT
        | Row::ROLE_KNOWN
        | Row::COMPLETE
        | Row::BLOCKS
        | Row::VERSION_HEADER => INVALID,
        Row::MESSAGE_OBJECT | Row::REPLY => rejects_nothing(rule),
    }
}

fn rejects_nothing(rule: Rule) -> ! {
    unreachable!("{rule:?} rejects no request")
}

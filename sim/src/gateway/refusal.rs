//! Maps a refusal to its response: one table, and `{"detail": string}` for all documented errors.

use assay_spec::Id;
use assay_spec::gateway::{rejections, requirements};
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
    let (rule, status) = (refusal.refused.rule, refusal.status(of_others));
    let rejected = Rejected { rule: Some(rule), streamed };
    let is_unknown_model = rule.rejection == Some(&rejections::UNKNOWN_MODEL);
    match status {
        401 => write(core, rejected, status, "missing or invalid API key"),
        402 => write(core, rejected, status, "payment required"),
        404 if is_unknown_model => write(core, rejected, status, "unknown model"),
        404 => write(core, rejected, status, "not found"),
        // A validation error tells the client which rule its request violates.
        422 => write(core, rejected, status, &format!("{}: {}", rule.statement(), refusal.refused.why)),
        503 => write(core, rejected, status, "all servers failed for this model"),
        _ => core.reply(Answer::new(rejected, status, Body::Text(INTERNAL.to_owned()))),
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

/// The status where a rule rejects that names none.
fn of_others(rule: Id) -> u16 {
    use requirements::{completions, confidential, direct, discovery, errors, input, payment, pool};

    let not_found: [Id; 7] = [
        &completions::NATIVE,
        &confidential::STAND_INS,
        &direct::CHAT,
        &direct::COMPLETIONS,
        &direct::MESSAGES,
        &discovery::USABLE,
        &errors::OTHER_PATHS,
    ];
    let unpaid: [Id; 4] = [&payment::PAID, &payment::USED_AGAIN, &payment::USED_UP, &payment::VALID_KEY];
    match rule.group {
        _ if not_found.contains(&rule) => 404,
        _ if unpaid.contains(&rule) => 402,
        _ if rule == &direct::EVERY_SERVER || rule == &discovery::PUBLIC => 401,
        _ if rule == &pool::PER_MODEL || rule == &pool::RECOVERS => 503,
        "auth" => 401,
        // Input that a server must survive.
        "input" if rule != &input::LIMITS && rule != &input::SPELLING => 500,
        _ => 422,
    }
}

//! Maps a refusal to its response: one table of statuses, and `{"detail": string}` for all of them.

use assay_spec::Id;
use assay_spec::gateway::requirements::{
    auth, completions, confidential, direct, discovery, errors, messages, payment, pool, responses,
};
use http::HeaderValue;
use serde_json::json;

use super::{deviations, variations};
use crate::core::Core;
use crate::exchange::Reply;
use crate::refusal::Refusal;

/// The statuses with their messages. Requirements not listed return a validation error.
static STATUSES: &[(u16, &str, &[Id])] = &[
    (
        401,
        "missing or invalid API key",
        &[
            &auth::KEY_CHECK,
            &auth::KEY_CHECK_INVALID,
            &auth::KEY_CHECK_MISSING,
            &auth::KEY_CHECK_REVOKED,
            &auth::INVALID_KEY_CHAT,
            &auth::INVALID_KEY_COMPLETIONS,
            &auth::INVALID_KEY_NATIVE,
            &auth::INVALID_KEY_RESPONSES,
            &auth::INVALID_KEY_MESSAGES,
            &auth::MISSING_KEY,
            &auth::REVOKED_KEY,
            &direct::INVALID_KEY,
            &direct::MISSING_KEY,
            &direct::EVERY_SERVER,
            &discovery::PUBLIC,
            &payment::INVALID_KEY,
        ],
    ),
    (402, "payment required", &[&payment::REQUIRED, &payment::PAID, &payment::USED_UP, &payment::VALID_KEY]),
    (
        404,
        "unknown model",
        &[
            &errors::UNKNOWN_MODEL,
            &completions::UNKNOWN_MODEL,
            &responses::UNKNOWN_MODEL,
            &messages::UNKNOWN_MODEL,
            &discovery::USABLE,
        ],
    ),
    (
        404,
        "not found",
        &[
            &completions::NATIVE,
            &confidential::STAND_INS,
            &direct::CHAT,
            &direct::COMPLETIONS,
            &direct::MESSAGES,
            &errors::OTHER_PATHS,
        ],
    ),
    (503, "all servers failed for this model", &[&pool::ALL_FAILED]),
];

/// The response to a refusal. `streamed` returns whether the request asked for a stream.
pub(super) fn answer(core: &mut Core, refusal: &Refusal, streamed: impl FnOnce() -> bool) -> Reply {
    let rule = refusal.refused.rule;
    let listed = STATUSES.iter().find(|(_, _, rules)| rules.contains(&rule));
    let (status, text) = listed.map_or((422, ""), |(status, text, _)| (*status, *text));
    let status = deviations::status(core, rule, status);
    // A validation error tells the client which rule its request violates.
    let text = match text {
        "" if core.varies(variations::VALIDATION_PROSE) => "validation error".to_owned(),
        "" => format!("{}: {}", rule.statement(), refusal.refused.why),
        text => text.to_owned(),
    };
    let reply = error(core, status, &text);
    deviations::before_stream(core, reply, streamed)
}

/// An error in the documented format.
pub(super) fn error(core: &mut Core, status: u16, text: &str) -> Reply {
    let text = core.prose(&short(text));
    let mut reply = core.json(status, json!({ "detail": text }));
    if status == 401 && core.varies(variations::CHALLENGE) {
        reply = reply.header("www-authenticate", HeaderValue::from_static("Bearer"));
    }
    if matches!(status, 402 | 503) && core.varies(variations::RETRY_AFTER) {
        reply = reply.header("retry-after", 1);
    }
    deviations::detail(core, reply)
}

/// Shortens an error message; what it quotes may be megabytes long.
fn short(text: &str) -> String {
    const CHARACTERS: usize = 400;
    match text.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

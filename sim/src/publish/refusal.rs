//! Maps a refusal to its response: one table of statuses, one format each.

use assay_spec::publish::requirements::{envelope, exchange, prepare, submit, transfer};
use assay_spec::{Id, Rules};
use serde_json::{Value, json};

use super::variations;
use crate::core::Core;
use crate::refusal::Refusal;
use crate::world::Reply;

/// The response to a refusal; it says no more than the document allows.
pub(super) fn answer(core: &mut Core, refusal: &Refusal) -> Reply {
    let rule = refusal.refused.rule;
    match status(rule) {
        404 => not_found(core, rule),
        413 => core.text(413, "Payload Too Large"),
        503 => unavailable(core, rule),
        429 => {
            let reply = error(core, 429, rule, "too many requests");
            let after = core.effect(&exchange::RATE_PER_IP, refusal.retry_after_s, |after, variant| {
                if variant == "no-retry-after" { None } else { after }
            });
            let daily = core.varies(variations::DAILY_RETRY_AFTER).then_some(3600);
            match after.or(daily) {
                Some(seconds) => reply.header("retry-after", seconds),
                None => reply,
            }
        }
        status => error(core, status, rule, text(rule)),
    }
}

/// The status of a violated requirement. Those not listed belong to the envelope and stay indistinguishable.
fn status(rule: Id) -> u16 {
    static STATUSES: &[(u16, &[Id])] = &[
        (
            400,
            &[
                &prepare::BODY_JSON,
                &prepare::DOMAIN_REQUIRED,
                &prepare::CID_REQUIRED,
                &prepare::VERSION_STRING,
                &prepare::OP_DEFAULT,
                &prepare::OP_KNOWN,
                &prepare::NEW_AUTHORITY,
                &prepare::NEW_AUTHORITY_DIFFERS,
                &prepare::RECORD_FITS,
                &prepare::CID_NOT_VALIDATED,
                &submit::FIELDS,
                &submit::SIGNATURE_FORM,
                &submit::SIGNATURE_VERIFIES,
            ],
        ),
        (
            409,
            &[
                &prepare::ONE_IN_FLIGHT,
                &prepare::LOCK_PER_DOMAIN,
                &prepare::PUBLISHABLE,
                &submit::IN_FLIGHT,
                &transfer::FREEZES,
                &transfer::SECOND_ACCEPT,
            ],
        ),
        (410, &[&submit::UNKNOWN, &submit::EXPIRED, &submit::FOREIGN, &submit::SAFETY_CEILING]),
        (413, &[&exchange::BODY_LIMIT]),
        (429, &[&exchange::RATE_PER_IP, &exchange::DAILY_LIMIT]),
        (503, &[&exchange::STANDBY, &exchange::PASSIVE]),
    ];
    STATUSES.iter().find(|(_, rules)| rules.contains(&rule)).map_or(404, |(status, _)| *status)
}

/// The error message of a refusal.
fn text(rule: Id) -> &'static str {
    static TEXTS: &[(Id, &str)] = &[
        (&prepare::ONE_IN_FLIGHT, "another publish for this domain is in flight"),
        (&prepare::PUBLISHABLE, "the binding is not publishable"),
        (&submit::IN_FLIGHT, "this prepare is already being submitted"),
        (&transfer::FREEZES, "this key is frozen by a pending transfer"),
        (&transfer::SECOND_ACCEPT, "this transfer has been accepted"),
        (&submit::UNKNOWN, "unknown prepareId"),
        (&submit::EXPIRED, "the prepare has expired"),
        (&submit::SAFETY_CEILING, "stopped waiting at the safety ceiling; the transaction may still land"),
        (&prepare::RECORD_FITS, "the record is too large for one transaction"),
        (&submit::SIGNATURE_VERIFIES, "the signature does not verify"),
    ];
    TEXTS.iter().find(|(id, _)| *id == rule).map_or("malformed request", |(_, text)| text)
}

/// `{error}` in JSON, with the `cause` for a frozen key.
fn error(core: &mut Core, status: u16, rule: Id, text: &str) -> Reply {
    let mut body = json!({ "error": core.prose(text) });
    if rule == &transfer::FREEZES && core.violated(&transfer::FREEZES).is_none() {
        body["cause"] = json!("transfer-frozen");
    }
    if rule == &submit::SAFETY_CEILING {
        // The document defines these words; only the words around them are free.
        body["error"] = json!(text);
    }
    if status == 400 && core.violated(&exchange::ERROR_JSON).is_some() {
        return core.text(400, "Bad Request");
    }
    core.json(status, body)
}

fn unavailable(core: &mut Core, rule: Id) -> Reply {
    let mut body = if rule == &exchange::STANDBY {
        json!({ "error": "not-primary", "reason": core.prose("another node is the primary") })
    } else {
        json!({ "error": "backend is passive" })
    };
    if core.violated(&exchange::STANDBY) == Some("no-reason") {
        body["reason"] = Value::Null;
    }
    core.json(503, body)
}

fn not_found(core: &mut Core, rule: Id) -> Reply {
    let body = match core.violated(&envelope::BLANKET) {
        Some("form") => return core.json(404, json!({ "error": "not found" })),
        Some(_) if rule == &envelope::BINDING => "404 No Such Domain",
        _ => "404 Not Found",
    };
    let newline = if core.varies(variations::NOT_FOUND_NEWLINE) { "\n" } else { "" };
    core.text(404, &format!("{body}{newline}"))
}

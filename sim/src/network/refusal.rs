//! From a rejected request to its response: one table of statuses, and the documented error body.

use assay_spec::network::error::ErrorBody;
use assay_spec::network::requirements::{
    aggregates, errors, flat, indexer, info, instances, limits, messages, metrics, neighbours, paging, pins,
    probes, programs, signing, storage, store,
};
use assay_spec::{Id, Rules};
use serde_json::json;

use super::{typed, variations};
use crate::core::Core;
use crate::exchange::Reply;
use crate::refusal::Refusal;

/// The statuses. Rules not listed here return 400.
static STATUSES: &[(u16, &str, &[Id])] = &[
    (401, "a signature is needed", &[&errors::UNAUTHORIZED, &probes::LOGIN]),
    (
        403,
        "the signature does not match the address",
        &[&aggregates::OWNER, &errors::FORBIDDEN, &signing::VERIFIED, &storage::SIGNATURE],
    ),
    (
        404,
        "not found",
        &[
            &info::PREFIX,
            &messages::UNKNOWN,
            &store::LAGGING,
            &storage::UNKNOWN,
            &storage::UNKNOWN_RAW,
            &aggregates::UNKNOWN,
            &aggregates::JSON_UNKNOWN,
            &programs::UNKNOWN,
            &instances::UNKNOWN,
            &instances::UPDATE_UNKNOWN,
            &instances::CONTROL_UNKNOWN,
            &pins::UNKNOWN,
            &indexer::UNKNOWN_NETWORK,
            &metrics::UNKNOWN,
            &neighbours::SCHEDULER,
            &probes::METRICS,
            &probes::STATUS_CHECK,
            &probes::VM,
            &paging::PAST_END,
        ],
    ),
    (429, "rate limit exceeded", &[&limits::GENERAL, &limits::AUTHENTICATED, &limits::HEAVY]),
    (500, "internal error", &[&errors::INTERNAL, &errors::NO_INTERNAL]),
];

/// The response to a rejected request.
pub(super) fn answer(core: &mut Core, refusal: &Refusal) -> Reply {
    let rule = refusal.refused.rule;
    let listed = STATUSES.iter().find(|(_, _, rules)| rules.contains(&rule));
    let (status, text) = listed.map_or((400, "malformed request"), |(status, text, _)| (*status, *text));
    let status = if matches!(status, 401 | 403) { signature_status(core, status) } else { status };
    let is_typed = typed::RULES.contains(&rule);
    let status = if is_typed && core.varies(variations::TYPES_422) { 422 } else { status };
    let status = deviating_status(core, rule, status);
    let reply = error(core, status, text);
    let after = refusal.retry_after_s.filter(|_| status == 429);
    match core.effect(&limits::RETRY_AFTER, after, |_, _| None) {
        Some(seconds) => reply.header("retry-after", seconds),
        None => reply,
    }
}

/// The documented error body with a status.
pub(super) fn error(core: &mut Core, status: u16, text: &str) -> Reply {
    let mut body = json!(ErrorBody::new(status, core.prose(text)));
    if core.varies(variations::CODES) {
        body["code"] = json!(format!("E{status}"));
    }
    match core.violated(&errors::BODY) {
        Some("status") => body["status"] = json!("failed"),
        Some("code") => body["code"] = json!(status),
        Some(_) => return core.text(status, text),
        None => {}
    }
    core.json(status, body)
}

/// The document names no cause for 401 and 403, so variations change them.
fn signature_status(core: &Core, status: u16) -> u16 {
    match status {
        _ if core.varies(variations::SIGNATURE_400) => 400,
        403 if core.varies(variations::SIGNATURE_401) => 401,
        _ => status,
    }
}

fn deviating_status(core: &mut Core, rule: Id, status: u16) -> u16 {
    match status {
        // The deviation fails on what it should reject.
        _ if [&paging::ODD_VALUES, &indexer::INTEGERS].contains(&rule) => {
            core.effect(rule, status, |_, _| 500)
        }
        _ if rule == &errors::INTERNAL => core.effect(rule, status, |_, _| 400),
        // Only where no other check judges the status.
        400 if [&flat::START_DATE, &flat::END_DATE].contains(&rule) => {
            core.effect(&errors::BAD_REQUEST, status, |_, _| 422)
        }
        _ => status,
    }
}

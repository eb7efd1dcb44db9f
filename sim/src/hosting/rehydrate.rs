//! `POST /api/projects/rehydrate`: a browser asks after a login. The document shows neither what is sent nor what is
//! answered; both are this simulator's own.

use assay_spec::Refused;
use assay_spec::hosting::requirements::recovery::REHYDRATE;
use serde_json::{Value, json};

use super::{State, error};
use crate::core::Core;
use crate::world::{Reply, Request};

/// Takes an object or nothing, and answers how often it was asked.
pub(super) fn handle(state: &mut State, core: &mut Core, request: &Request) -> Reply {
    let refuse = |core: &mut Core, status, text: &str| {
        core.refuse(&Refused { rule: &REHYDRATE, why: text.to_owned() });
        error(core, status, text)
    };
    if request.too_large {
        return refuse(core, 413, "the body is too large");
    }
    let body = &request.body;
    if !body.is_empty() && !serde_json::from_slice::<Value>(body).is_ok_and(|body| body.is_object()) {
        return refuse(core, 400, "the body is no JSON object");
    }
    state.rehydrations += 1;
    core.json(200, json!({ "rehydrations": state.rehydrations }))
}

//! `POST /api/projects/rehydrate`: called by a browser after a login. The document shows neither request nor
//! response; both are the simulator's choice.

use assay_spec::Refused;
use assay_spec::hosting::requirements::recovery::REHYDRATE;
use serde_json::{Value, json};

use super::{State, error, view};
use crate::core::Core;
use crate::exchange::{Reply, Request};

/// The body is empty, or an object in which `address` may name a user. Returns the user's projects and the
/// number of calls so far.
pub(super) fn handle(core: &mut Core, state: &mut State, request: &Request) -> Reply {
    let refuse = |core: &mut Core, status, text: &str| {
        core.refuse(&Refused { rule: &REHYDRATE, why: text.to_owned() });
        error(core, status, text)
    };
    if request.too_large {
        return refuse(core, 413, "the body is too large");
    }
    let body = match &request.body[..] {
        [] => json!({}),
        bytes => serde_json::from_slice(bytes).unwrap_or_default(),
    };
    if !body.is_object() {
        return refuse(core, 400, "the body is not a JSON object");
    }
    let address = match &body["address"] {
        Value::Null => None,
        Value::String(address) => Some(address),
        _ => return refuse(core, 400, "address is not a string"),
    };
    state.rehydrations += 1;
    let projects = address.map(|address| view::held(state, address)).unwrap_or_default();
    core.json(200, json!({ "rehydrations": state.rehydrations, "projects": projects }))
}

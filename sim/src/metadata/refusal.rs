//! Maps a refusal to its response: 422 with its documented body for an id that is not an integer; 404 (the
//! simulator's choice) for anything unknown.

use assay_spec::metadata::requirements::contract::UNKNOWN as UNKNOWN_CONTRACT;
use assay_spec::metadata::requirements::token::UNKNOWN as UNKNOWN_TOKEN;
use assay_spec::metadata::requirements::validation::INTEGER;
use assay_spec::metadata::token::TokenId;
use assay_spec::metadata::validation::{HttpValidationError, ValidationError};
use serde_json::json;

use super::{deviations, variations};
use crate::core::Core;
use crate::refusal::Refusal;
use crate::world::Reply;

/// Integers with this many digits always fit 64 bits.
const DIGITS_64: usize = 18;

/// The response to a refusal.
pub(super) fn answer(core: &mut Core, refusal: &Refusal) -> Reply {
    let rule = refusal.refused.rule;
    if rule == &INTEGER {
        return invalid(core);
    }
    let is_unknown = rule == &UNKNOWN_CONTRACT || rule == &UNKNOWN_TOKEN;
    let varies = |variation| is_unknown && core.varies(variation);
    if varies(variations::UNKNOWN_422) {
        invalid(core)
    } else if varies(variations::UNKNOWN_410) {
        error(core, 410, "Gone")
    } else if varies(variations::UNKNOWN_504) {
        error(core, 504, "Gateway Timeout")
    } else {
        error(core, 404, "Not Found")
    }
}

/// An error in the simulator's format; the document shows only that of 422.
pub(super) fn error(core: &Core, status: u16, text: &str) -> Reply {
    let text = core.prose(text);
    if core.varies(variations::ERROR_TEXT) {
        core.text(status, &text)
    } else {
        core.json(status, json!({ "detail": text }))
    }
}

/// The document does not limit integers: some services accept only 64 bits.
pub(super) fn too_wide(core: &Core, id: &TokenId) -> Result<(), Refusal> {
    let is_wide = id.as_str().trim_start_matches('-').len() > DIGITS_64;
    if is_wide && core.varies(variations::INTEGERS_64) {
        return Err(Refusal::new(&INTEGER, "the id does not fit 64 bits"));
    }
    Ok(())
}

fn invalid(core: &mut Core) -> Reply {
    let place = if core.varies(variations::LOC_INDEX) { json!(1) } else { json!("token_id") };
    let error = ValidationError {
        loc: vec![json!("path"), place],
        msg: core.prose("Input should be a valid integer"),
        kind: "int_parsing".to_owned(),
    };
    let body = deviations::validation(core, json!(HttpValidationError { detail: vec![error] }));
    core.json(422, body)
}

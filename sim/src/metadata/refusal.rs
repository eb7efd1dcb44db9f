//! Maps a refusal to its response: 422 with its documented body for an id that is not an integer; 404 (the
//! simulator's choice) for anything unknown.

use assay_spec::Id;
use assay_spec::metadata::requirements::validation::ODD_ID;
use assay_spec::metadata::validation::{HttpValidationError, ValidationError};
use serde_json::{Value, json};

use crate::core::Core;
use crate::exchange::Reply;
use crate::refusal::Refusal;
use crate::seam::{Answer, Body};

/// A refusal, as the reply to it knows it.
#[derive(Clone, Debug)]
pub(super) struct Rejected {
    /// The rule that rejected, if a row states it.
    pub(super) rule: Option<Id>,
}

/// The response to a refusal.
pub(super) fn answer(core: &mut Core, refusal: &Refusal) -> Reply {
    // Input that a server must survive.
    let status = refusal.status(|rule| if rule == &ODD_ID { 500 } else { 404 });
    let rule = refusal.refused.rule;
    if status == 422 {
        let body = invalid(&core.prose("Input should be a valid integer"));
        return core.reply(Answer::new(Rejected { rule: Some(rule) }, status, Body::Json(body)));
    }
    write(core, Some(rule), status, "Not Found")
}

/// An error that no row states, in the simulator's format; the document shows only that of 422.
pub(super) fn error(core: &mut Core, status: u16, text: &str) -> Reply {
    write(core, None, status, text)
}

fn write(core: &mut Core, rule: Option<Id>, status: u16, text: &str) -> Reply {
    let body = Body::Json(json!({ "detail": core.prose(text) }));
    core.reply(Answer::new(Rejected { rule }, status, body))
}

/// The body of a 422.
pub(super) fn invalid(text: &str) -> Value {
    let error = ValidationError {
        loc: vec![json!("path"), json!("token_id")],
        msg: text.to_owned(),
        kind: "int_parsing".to_owned(),
    };
    json!(HttpValidationError { detail: vec![error] })
}

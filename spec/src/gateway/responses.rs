//! `POST /v1/responses` (document 1). The document does not show its body.

use serde_json::Value;

use super::TOO_LARGE;
use super::body::{broken, object, optional, required};
use super::requirements::responses::{BODY, RESPONSE};
use super::shapes::{ERRORS, EVENTS, OBJECT};
use crate::endpoint::endpoint;
use crate::shape::{Body, Field, Reply, ShapeKind, may, must};
use crate::{Refused, Rules};

/// The members of the body in the wire format, for OpenAPI.
const REQUEST: &[Field] = &[
    must("model", ShapeKind::Text),
    must("input", ShapeKind::Either(&[ShapeKind::Text, ShapeKind::Array(&ShapeKind::Object(&[]))])),
    may("stream", ShapeKind::Boolean),
];

endpoint! {
    /// Creates a response to an input.
    Gateway ENDPOINT "responses" "POST" "/v1/responses"
    BearerOrPayment [200, 401, 402, 404, 422, 503]
    "document 1, Inference gateway (paths under {base_url})";
    group: "Inference",
    note: "The document does not show the bodies; these are the common form.",
    body: Body::Json(REQUEST),
    reply: Reply::JsonOrEvents(OBJECT, EVENTS),
    row: Some(&RESPONSE),
    errors: ERRORS,
    open: TOO_LARGE,
}

/// A parsed request for a response.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// The model's id.
    pub model: String,
    /// Whether the response is to be a stream.
    pub stream: bool,
    /// The whole body as sent; null if it was not an object.
    pub body: Value,
}

/// Parses a body: a model, and an input that is a string or an array of objects.
pub fn parse(body: &[u8], rules: &mut dyn Rules) -> Result<Request, Refused> {
    let Some(object) = object(body, &BODY, rules)? else { return Ok(Request::default()) };
    let model = required(&object, "model", &BODY, rules, Value::as_str)?.unwrap_or_default().to_owned();
    let input = object.get("input");
    let items = input.and_then(Value::as_array).is_some_and(|items| items.iter().all(Value::is_object));
    if !items && !input.is_some_and(Value::is_string) {
        broken(&BODY, rules, || "input is neither a string nor an array of objects".to_owned())?;
    }
    optional(&object, "tools", &BODY, rules, Value::as_array)?;
    let stream = optional(&object, "stream", &BODY, rules, Value::as_bool)?.unwrap_or_default();
    Ok(Request { model, stream, body: Value::Object(object) })
}

//! `POST /v1/completions` and `POST /completions` (document 1). The document does not show their bodies.

use serde_json::Value;

use super::TOO_LARGE;
use super::body::{broken, object, optional, required};
use super::requirements::completions::{BODY, COMPLETION, NATIVE as NATIVE_ROW};
use super::shapes::{ERRORS, EVENTS, OBJECT};
use crate::endpoint::endpoint;
use crate::json;
use crate::shape::{Body, Field, Reply, ShapeKind, may, must};
use crate::{Refused, Rules};

/// The members of the body in common wire formats, for OpenAPI.
const REQUEST: &[Field] = &[
    must("model", ShapeKind::Text),
    must("prompt", ShapeKind::Either(&[ShapeKind::Text, ShapeKind::Array(&ShapeKind::Text)])),
    may("stream", ShapeKind::Boolean),
];

endpoint! {
    /// Completes a prompt.
    Gateway ENDPOINT "completions" "POST" "/v1/completions"
    BearerOrPayment [200, 401, 402, 404, 422, 503]
    "document 1, Inference gateway (paths under {base_url})";
    group: "Inference",
    note: "The document does not show the bodies; these are the common form.",
    body: Body::Json(REQUEST),
    reply: Reply::JsonOrEvents(OBJECT, EVENTS),
    row: Some(&COMPLETION),
    errors: ERRORS,
    open: TOO_LARGE,
}

endpoint! {
    /// Completes a prompt, in the native style: the listed exception to the path prefix of inference.
    Gateway NATIVE "native-completions" "POST" "/completions"
    BearerOrPayment [200, 401, 402, 404, 422, 503]
    "document 1, Inference gateway (paths under {base_url})";
    group: "Inference",
    note: "The document does not show the bodies; these are the common form.",
    body: Body::Json(REQUEST),
    reply: Reply::JsonOrEvents(OBJECT, EVENTS),
    row: Some(&NATIVE_ROW),
    errors: ERRORS,
    open: TOO_LARGE,
}

/// A parsed request for a completion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// The model's id.
    pub model: String,
    /// Whether the response is to be a stream.
    pub stream: bool,
    /// The whole body as sent; null if it was not an object.
    pub body: Value,
}

/// Parses a body of either endpoint: a model, and a prompt that is a string, strings or tokens.
pub fn parse(body: &[u8], rules: &mut dyn Rules) -> Result<Request, Refused> {
    let Some(object) = object(body, &BODY, rules)? else { return Ok(Request::default()) };
    let model = required(&object, "model", &BODY, rules, Value::as_str)?.unwrap_or_default().to_owned();
    if !object.get("prompt").is_some_and(is_prompt) {
        broken(&BODY, rules, || {
            "prompt is not a string, an array of strings or an array of tokens".to_owned()
        })?;
    }
    let stream = optional(&object, "stream", &BODY, rules, Value::as_bool)?.unwrap_or_default();
    Ok(Request { model, stream, body: Value::Object(object) })
}

fn is_prompt(value: &Value) -> bool {
    let tokens = |value: &Value| {
        value
            .as_array()
            .is_some_and(|items| items.iter().all(|item| json::integer(item).is_some_and(|token| token >= 0)))
    };
    let strings = |items: &[Value]| items.iter().all(Value::is_string);
    let lists = |items: &[Value]| items.iter().all(tokens);
    value.is_string() || tokens(value) || value.as_array().is_some_and(|items| strings(items) || lists(items))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Strict;

    #[test]
    fn prompts_are_strings_or_tokens() {
        let read = |prompt: &str| {
            parse(format!("{{\"model\":\"m\",\"prompt\":{prompt}}}").as_bytes(), &mut Strict).is_ok()
        };
        for good in ["\"a\"", "[\"a\",\"b\"]", "[1,2]", "[[1],[2,3]]", "[]", "\"\""] {
            assert!(read(good), "{good}");
        }
        for bad in ["null", "1", "{}", "[\"a\",1]", "[1.5]", "[[\"a\"]]", "true"] {
            assert!(!read(bad), "{bad}");
        }
        assert!(parse(b"{\"model\":\"m\"}", &mut Strict).is_err());
        assert!(parse(b"{\"prompt\":\"m\"}", &mut Strict).is_err());
    }
}

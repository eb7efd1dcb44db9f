//! `POST /v1/messages` (document 1).

use serde_json::{Map, Value};

use super::TOO_LARGE;
use super::body::{broken, conversation, given, kind, object, required, within, wrong};
use super::limits;
use super::requirements::messages::{
    BLOCKS, BODY, COMPLETE, CONTENT, MAX_TOKENS, MESSAGE, MESSAGE_OBJECT, MESSAGES, MODEL, ROLE, ROLE_KNOWN,
};
use super::shapes::{ERRORS, EVENTS, OBJECT};
use crate::endpoint::endpoint;
use crate::shape::{Body, Field, Reply, ShapeKind, may, must};
use crate::{Refused, Rules};

/// The members of the body, for OpenAPI.
const REQUEST: &[Field] = &[
    must("model", ShapeKind::Text),
    must("max_tokens", ShapeKind::Integer),
    must("messages", ShapeKind::Array(&ShapeKind::Object(MESSAGE_MEMBERS))),
];
const MESSAGE_MEMBERS: &[Field] = &[must("role", ShapeKind::OneOf(&ROLES)), must("content", ShapeKind::Text)];
/// The version header, with a date as its value.
const VERSION: &[Field] = &[may("svc-version", ShapeKind::Text)];

endpoint! {
    /// Answers a conversation in a second wire format.
    Gateway ENDPOINT "messages" "POST" "/v1/messages"
    BearerOrPayment [200, 401, 402, 404, 422, 503]
    "document 1, Inference gateway (paths under {base_url})";
    group: "Inference",
    note: "Whether the version header is required is not shown.",
    headers: VERSION,
    body: Body::Json(REQUEST),
    reply: Reply::JsonOrEvents(OBJECT, EVENTS),
    row: Some(&MESSAGE_OBJECT),
    errors: ERRORS,
    open: TOO_LARGE,
}

/// The roles of the wire format. The document names none.
pub const ROLES: [&str; 3] = ["user", "assistant", "system"];

/// A parsed request to the messages endpoint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// The model's id.
    pub model: String,
    /// The maximum number of tokens in the response.
    pub max_tokens: u64,
    /// Whether the response is to be a stream.
    pub stream: bool,
    /// The conversation.
    pub messages: Vec<Message>,
    /// The whole body as sent; null if it was not an object.
    pub body: Value,
}

/// One message of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// The role.
    pub role: String,
    /// Its string, or the strings of its blocks, concatenated.
    pub text: String,
}

/// Parses a body. Ignores members that the document does not name, except `stream`.
pub fn parse(body: &[u8], rules: &mut dyn Rules) -> Result<Request, Refused> {
    let Some(object) = object(body, &BODY, rules)? else { return Ok(Request::default()) };
    let model = required(&object, "model", &MODEL, rules, Value::as_str)?.unwrap_or_default().to_owned();
    let max_tokens = max_tokens(&object, rules)?;
    let messages = conversation(&object, [&MESSAGES, &MESSAGE, &COMPLETE], rules, message)?;
    let stream = object.get("stream").and_then(Value::as_bool).unwrap_or_default();
    Ok(Request { model, max_tokens, stream, messages, body: Value::Object(object) })
}

/// The maximum number of tokens; at least one.
fn max_tokens(request: &Map<String, Value>, rules: &mut dyn Rules) -> Result<u64, Refused> {
    let Some(tokens) = required(request, "max_tokens", &MAX_TOKENS, rules, integer)? else { return Ok(1) };
    if tokens < 1 {
        broken(&COMPLETE, rules, || format!("max_tokens is {tokens}"))?;
    }
    Ok(tokens.max(1).unsigned_abs())
}

/// An integer in any notation. Beyond 64 bits, the nearest 64-bit integer.
fn integer(value: &Value) -> Option<i64> {
    let Value::Number(number) = value else { return None };
    if let Some(integer) = number.as_i64() {
        return Some(integer);
    }
    // The cast saturates at the type's bounds, which is intended here.
    #[allow(clippy::cast_possible_truncation)]
    number.as_f64().filter(|float| float.fract() == 0.0).map(|float| float as i64)
}

fn message(message: &Map<String, Value>, rules: &mut dyn Rules) -> Result<Message, Refused> {
    let mut role = "user";
    if given(message, "role").is_none() {
        broken(&COMPLETE, rules, || "a message has no role".to_owned())?;
    } else if let Some(sent) = required(message, "role", &ROLE, rules, Value::as_str)? {
        role = sent;
        if !ROLES.contains(&role) {
            broken(&ROLE_KNOWN, rules, || "the role is unknown".to_owned())?;
        }
    }
    let text = match given(message, "content") {
        None => {
            broken(&COMPLETE, rules, || "a message has no content".to_owned())?;
            String::new()
        }
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => joined_text(blocks, rules)?,
        Some(other) => {
            wrong(&CONTENT, Some(other), rules, || format!("content is {}", kind(other)))?;
            String::new()
        }
    };
    Ok(Message { role: role.to_owned(), text })
}

fn joined_text(blocks: &[Value], rules: &mut dyn Rules) -> Result<String, Refused> {
    within(&"the number of blocks", blocks.len(), &limits::PARTS, rules)?;
    let mut joined = String::new();
    for block in blocks {
        let text = block.get("text");
        match block.get("type").and_then(Value::as_str) {
            Some("text") if text.is_some_and(Value::is_string) => {
                joined.push_str(text.and_then(Value::as_str).unwrap_or_default());
            }
            Some(other) if other != "text" => {}
            _ => broken(&BLOCKS, rules, || format!("a block is {} without type or text", kind(block)))?,
        }
    }
    Ok(joined)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Id, Strict, Without};

    fn read(body: &Value, rules: &mut dyn Rules) -> Result<Request, Refused> {
        parse(body.to_string().as_bytes(), rules)
    }

    fn whole() -> Value {
        json!({"model": "m", "max_tokens": 64, "stream": true, "messages": [
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": [{"type": "text", "text": "Hi"}, {"type": "tool_use", "id": "t"}]},
        ]})
    }

    #[test]
    fn full_request_is_parsed() {
        let request = read(&whole(), &mut Strict).unwrap();
        assert_eq!((request.model.as_str(), request.max_tokens, request.stream), ("m", 64, true));
        let said: Vec<_> = request.messages.iter().map(|m| (m.role.as_str(), m.text.as_str())).collect();
        assert_eq!(said, [("user", "Hello"), ("assistant", "Hi")]);
    }

    #[test]
    fn each_wrong_value_is_rejected_by_its_own_row_only() {
        let wrong: [(&str, Value, Id); 16] = [
            ("/model", json!([]), &MODEL),
            ("/max_tokens", json!("many"), &MAX_TOKENS),
            ("/max_tokens", json!(1.5), &MAX_TOKENS),
            ("/max_tokens", Value::Null, &MAX_TOKENS),
            ("/max_tokens", json!(0), &COMPLETE),
            ("/messages", json!("Hello"), &MESSAGES),
            ("/messages", json!([]), &COMPLETE),
            ("/messages/0", json!("Hello"), &MESSAGE),
            ("/messages/0/role", json!({}), &ROLE),
            ("/messages/0/role", Value::Null, &COMPLETE),
            ("/messages/0/role", json!("wizard"), &ROLE_KNOWN),
            ("/messages/0/content", json!({}), &CONTENT),
            ("/messages/0/content", json!(7), &CONTENT),
            ("/messages/0/content", Value::Null, &COMPLETE),
            ("/messages/1/content/0", json!(7), &BLOCKS),
            ("/messages/1/content/0/text", json!(7), &BLOCKS),
        ];
        for (place, value, row) in wrong {
            let mut body = whole();
            *body.pointer_mut(place).unwrap() = value;
            assert_eq!(read(&body, &mut Strict).unwrap_err().rule, row, "{place}");
            assert!(read(&body, &mut Without(row)).is_ok(), "{place} without {row}");
        }
    }

    #[test]
    fn integers_are_accepted_in_any_notation() {
        for (text, expected) in [("64", Some(64)), ("64.0", Some(64)), ("6.4e1", Some(64)), ("6.4", None)] {
            assert_eq!(integer(&serde_json::from_str(text).unwrap()), expected, "{text}");
        }
        assert_eq!(integer(&json!(u64::MAX)), Some(i64::MAX));
        assert_eq!(integer(&json!(-1e300)), Some(i64::MIN));
    }
}

//! `POST /v1/chat/completions` (document 1).

use serde_json::{Map, Value};

use super::TOO_LARGE;
use super::body::{broken, conversation, given, kind, object, optional, required, within, wrong};
use super::data_url::{self, ImageData};
use super::limits;
use super::requirements::chat::{
    ANSWERED, BODY, CHOICES, CONTENT, IMAGE_DATA, MESSAGE, MESSAGE_COMPLETE, MESSAGES, MODEL, NOT_EMPTY,
    PART, PART_IMAGE, PART_IMAGE_URL, PART_TEXT, PART_TYPE, ROLE, ROLE_KNOWN, STREAM, TOOL_CALL_ID,
};
use super::requirements::stream::{CHUNKS, DELTA, NOT_ASKED_FOR};
use super::requirements::tools::{CALL_ARGUMENTS, CALL_NAME};
use super::shapes::ERRORS;
use super::tools::{self, Tool};
use crate::endpoint::endpoint;
use crate::json;
use crate::shape::{Body, Field, Reply, ShapeKind, may, must};
use crate::{Refused, Rules};

/// The members of the body, for OpenAPI.
const REQUEST: &[Field] = &[
    must("model", ShapeKind::Text),
    must("messages", ShapeKind::Array(&ShapeKind::Object(MESSAGE_MEMBERS))),
    may("stream", ShapeKind::Boolean),
    may("tools", ShapeKind::Array(&ShapeKind::Object(TOOL_MEMBERS))),
];
const MESSAGE_MEMBERS: &[Field] = &[
    must("role", ShapeKind::OneOf(&ROLES)),
    may("content", ShapeKind::Either(&[ShapeKind::Text, ShapeKind::Array(&ShapeKind::Either(PARTS))])),
    may("tool_call_id", ShapeKind::Text),
];
const PARTS: &[ShapeKind] = &[ShapeKind::Object(TEXT_PART), ShapeKind::Object(IMAGE_PART)];
const TEXT_PART: &[Field] = &[must("type", ShapeKind::OneOf(&["text"])), must("text", ShapeKind::Text)];
const IMAGE_PART: &[Field] =
    &[must("type", ShapeKind::OneOf(&["image_url"])), must("image_url", ShapeKind::Object(IMAGE_URL))];
const IMAGE_URL: &[Field] = &[must("url", ShapeKind::Text)];
const TOOL_MEMBERS: &[Field] =
    &[must("type", ShapeKind::OneOf(&["function"])), must("function", ShapeKind::Object(FUNCTION))];
const FUNCTION: &[Field] = &[
    must("name", ShapeKind::Text),
    must("description", ShapeKind::Text),
    must("parameters", ShapeKind::Object(&[])),
];

/// A reply.
const COMPLETION: &[Field] = &[must("choices", ShapeKind::Array(&CHOICE)).owned(&CHOICES)];
const CHOICE: ShapeKind = ShapeKind::Object(&[must("message", ShapeKind::Object(REPLY_MESSAGE))]);
const REPLY_MESSAGE: &[Field] = &[
    may("content", ShapeKind::Open("the documents do not list it among the reply's fields")),
    may("tool_calls", ShapeKind::Array(&CALL)).or_null().owned(&CALL_NAME),
];
const CALL: ShapeKind = ShapeKind::Object(&[must("function", ShapeKind::Object(CALLED))]);
const CALLED: &[Field] = &[
    must("name", ShapeKind::Text).free("the model chooses it"),
    must("arguments", ShapeKind::Text).owned(&CALL_ARGUMENTS).free("the model writes them"),
];
/// The data of an event. Without `choices` it is not a chunk, but may be the error of a stream that failed, whose shape is
/// not shown.
const CHUNK: &[Field] = &[may("choices", ShapeKind::Array(&INCREMENT)).owned(&CHUNKS)];
const INCREMENT: ShapeKind = ShapeKind::Object(&[may("delta", ShapeKind::Object(DELTA_FIELDS)).or_null()]);
const DELTA_FIELDS: &[Field] =
    &[may("content", ShapeKind::Text).or_null().owned(&DELTA).free("the model writes it")];

endpoint! {
    /// Answers a conversation, as one object or as a stream.
    Gateway ENDPOINT "chat" "POST" "/v1/chat/completions"
    BearerOrPayment [200, 401, 402, 404, 422, 503]
    "document 1, Inference gateway (paths under {base_url})";
    group: "Inference",
    note: "With `stream` true the reply is a stream of server-sent events.",
    body: Body::Json(REQUEST),
    reply: Reply::JsonOrEvents(ShapeKind::Object(COMPLETION), ShapeKind::Object(CHUNK)),
    row: Some(&ANSWERED),
    unasked: Some(&NOT_ASKED_FOR),
    errors: ERRORS,
    open: TOO_LARGE,
}

/// The roles of the wire format. The document uses `user` and `tool`.
pub const ROLES: [&str; 6] = ["user", "tool", "assistant", "system", "developer", "function"];

/// A parsed request to the chat endpoint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// The model's id.
    pub model: String,
    /// Whether the response is to be a stream.
    pub stream: bool,
    /// The conversation.
    pub messages: Vec<Message>,
    /// The tools that the model may call.
    pub tools: Vec<Tool>,
    /// The maximum number of tokens in the response, if given.
    pub max_tokens: Option<u64>,
    /// The whole body as sent; null if it was not an object.
    pub body: Value,
}

/// One message of a conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Message {
    /// The role.
    pub role: String,
    /// The content, in order. A string is one part.
    pub content: Vec<Part>,
    /// The id of the tool call that a tool message answers.
    pub tool_call_id: Option<String>,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// A string.
    Text(String),
    /// An image with its data in the request.
    Image(ImageData),
    /// An image at a URL.
    ImageUrl(String),
}

impl Message {
    /// Its text parts, concatenated.
    pub fn text(&self) -> String {
        let strings = self.content.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Image(_) | Part::ImageUrl(_) => None,
        });
        strings.collect()
    }

    /// The number of its images.
    pub fn images(&self) -> usize {
        self.content.iter().filter(|part| !matches!(part, Part::Text(_))).count()
    }
}

/// Parses a body. Ignores members that the document does not name.
pub fn parse(body: &[u8], rules: &mut dyn Rules) -> Result<Request, Refused> {
    let Some(object) = object(body, &BODY, rules)? else { return Ok(Request::default()) };
    let model = required(&object, "model", &MODEL, rules, Value::as_str)?.unwrap_or_default().to_owned();
    let messages = conversation(&object, [&MESSAGES, &MESSAGE, &NOT_EMPTY], rules, message)?;
    let stream = optional(&object, "stream", &STREAM, rules, Value::as_bool)?.unwrap_or_default();
    let tools = tools::parse(&object, rules)?;
    let tokens = ["max_completion_tokens", "max_tokens"]
        .iter()
        .find_map(|name| json::integer(object.get(*name)?)?.try_into().ok());
    Ok(Request { model, stream, messages, tools, max_tokens: tokens, body: Value::Object(object) })
}

fn message(message: &Map<String, Value>, rules: &mut dyn Rules) -> Result<Message, Refused> {
    let role = role(message, rules)?;
    let content = match given(message, "content") {
        None => {
            // An assistant message that only has tool calls has no content.
            if role.is_some_and(|role| role != "assistant") {
                broken(&MESSAGE_COMPLETE, rules, || "a message has no content".to_owned())?;
            }
            Vec::new()
        }
        Some(Value::String(text)) => vec![Part::Text(text.clone())],
        Some(Value::Array(parts)) => read_parts(parts, rules)?,
        Some(other) => {
            wrong(&CONTENT, Some(other), rules, || format!("content is {}", kind(other)))?;
            Vec::new()
        }
    };
    let mut tool_call_id = None;
    if role == Some("tool") {
        tool_call_id = optional(message, "tool_call_id", &TOOL_CALL_ID, rules, Value::as_str)?;
        if given(message, "tool_call_id").is_none() {
            broken(&MESSAGE_COMPLETE, rules, || "a tool message has no tool_call_id".to_owned())?;
        }
    }
    let role = role.unwrap_or("user").to_owned();
    Ok(Message { role, content, tool_call_id: tool_call_id.map(str::to_owned) })
}

/// The role; `None` if it is missing and the rule is violated.
fn role<'a>(message: &'a Map<String, Value>, rules: &mut dyn Rules) -> Result<Option<&'a str>, Refused> {
    if given(message, "role").is_none() {
        broken(&MESSAGE_COMPLETE, rules, || "a message has no role".to_owned())?;
        return Ok(None);
    }
    let role = required(message, "role", &ROLE, rules, Value::as_str)?;
    if role.is_some_and(|role| !ROLES.contains(&role)) {
        broken(&ROLE_KNOWN, rules, || "the role is unknown".to_owned())?;
    }
    Ok(role)
}

fn read_parts(parts: &[Value], rules: &mut dyn Rules) -> Result<Vec<Part>, Refused> {
    within(&"the number of parts", parts.len(), &limits::PARTS, rules)?;
    let mut content = Vec::with_capacity(parts.len());
    for value in parts {
        let Value::Object(object) = value else {
            wrong(&PART, Some(value), rules, || format!("a content part is {}, not an object", kind(value)))?;
            continue;
        };
        content.extend(part(object, rules)?);
    }
    Ok(content)
}

/// One part; `None` if a rule is violated and nothing is left of the part.
fn part(part: &Map<String, Value>, rules: &mut dyn Rules) -> Result<Option<Part>, Refused> {
    match part.get("type").and_then(Value::as_str) {
        Some("text") => {
            let text = required(part, "text", &PART_TEXT, rules, Value::as_str)?;
            Ok(text.map(|text| Part::Text(text.to_owned())))
        }
        Some("image_url") => {
            let Some(image) = required(part, "image_url", &PART_IMAGE, rules, Value::as_object)? else {
                return Ok(None);
            };
            let Some(url) = required(image, "url", &PART_IMAGE_URL, rules, Value::as_str)? else {
                return Ok(None);
            };
            image_at(url, rules).map(Some)
        }
        other => {
            let what = other.map_or("a content part has no type", |_| "a content part's type is unknown");
            wrong(&PART_TYPE, part.get("type"), rules, || what.to_owned())?;
            Ok(None)
        }
    }
}

fn image_at(url: &str, rules: &mut dyn Rules) -> Result<Part, Refused> {
    if let Some(data) = data_url::parse(url) {
        return Ok(Part::Image(data));
    }
    if !url.starts_with("https://") && !url.starts_with("http://") {
        broken(&IMAGE_DATA, rules, || {
            "the image is neither base64 image data nor an http(s) URL".to_owned()
        })?;
    }
    Ok(Part::ImageUrl(url.to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Strict, Without};

    fn read(body: &Value, rules: &mut dyn Rules) -> Result<Request, Refused> {
        parse(body.to_string().as_bytes(), rules)
    }

    fn whole() -> Value {
        json!({
            "model": "m",
            "stream": true,
            "temperature": {"not": "ours"},
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": [
                    {"type": "text", "text": "What is this?"},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA", "detail": 3}},
                    {"type": "image_url", "image_url": {"url": "https://a.example/b.png"}},
                ]},
                {"role": "assistant", "content": null, "tool_calls": [{"id": "c1"}]},
                {"role": "tool", "tool_call_id": "c1", "content": "rain"},
            ],
            "tools": [{"type": "function", "function": {
                "name": "weather", "description": "Tells it.", "parameters": {"type": "object"},
            }}],
            "max_tokens": 7,
        })
    }

    #[test]
    fn full_request_is_parsed() {
        let request = read(&whole(), &mut Strict).unwrap();
        assert_eq!((request.model.as_str(), request.stream, request.max_tokens), ("m", true, Some(7)));
        let roles: Vec<_> = request.messages.iter().map(|message| message.role.as_str()).collect();
        assert_eq!(roles, ["system", "user", "assistant", "tool"]);
        assert_eq!((request.messages[1].text().as_str(), request.messages[1].images()), ("What is this?", 2));
        assert_eq!(
            request.messages[1].content[1],
            Part::Image(ImageData { media_type: "image/png".into(), size: 3 })
        );
        assert_eq!(request.messages[3].tool_call_id.as_deref(), Some("c1"));
        assert_eq!((request.tools.len(), request.tools[0].name.as_str()), (1, "weather"));
        assert_eq!(request.body, whole());
    }

    #[test]
    fn each_wrong_value_is_rejected_by_its_own_row_only() {
        use crate::gateway::requirements::tools as t;
        let wrong: [(&str, Value, crate::Id); 27] = [
            ("/model", json!(7), &MODEL),
            ("/model", Value::Null, &MODEL),
            ("/messages", json!({}), &MESSAGES),
            ("/messages", json!([]), &NOT_EMPTY),
            ("/messages/0", json!("hi"), &MESSAGE),
            ("/messages/0/role", json!(["user"]), &ROLE),
            ("/messages/0/role", Value::Null, &MESSAGE_COMPLETE),
            ("/messages/0/role", json!("wizard"), &ROLE_KNOWN),
            ("/messages/0/content", json!(7), &CONTENT),
            ("/messages/0/content", Value::Null, &MESSAGE_COMPLETE),
            ("/messages/1/content/0", json!("hi"), &PART),
            ("/messages/1/content/0/type", json!("hologram"), &PART_TYPE),
            ("/messages/1/content/0/type", json!(1), &PART_TYPE),
            ("/messages/1/content/0/text", json!(1), &PART_TEXT),
            ("/messages/1/content/1/image_url", json!("data:"), &PART_IMAGE),
            ("/messages/1/content/1/image_url/url", json!({}), &PART_IMAGE_URL),
            ("/messages/1/content/1/image_url/url", json!("data:image/png;base64,?"), &IMAGE_DATA),
            ("/messages/3/tool_call_id", json!(1), &TOOL_CALL_ID),
            ("/messages/3/tool_call_id", Value::Null, &MESSAGE_COMPLETE),
            ("/stream", json!("maybe"), &STREAM),
            ("/tools", json!({}), &t::TOOLS),
            ("/tools/0", json!("weather"), &t::TOOL),
            ("/tools/0/type", json!("oracle"), &t::TYPE),
            ("/tools/0/function", json!("weather"), &t::FUNCTION),
            ("/tools/0/function/name", json!(1), &t::NAME),
            ("/tools/0/function/description", json!([]), &t::DESCRIPTION),
            ("/tools/0/function/parameters", json!([]), &t::PARAMETERS),
        ];
        for (place, value, row) in wrong {
            let mut body = whole();
            *body.pointer_mut(place).unwrap() = value;
            assert_eq!(read(&body, &mut Strict).unwrap_err().rule, row, "{place}");
            assert!(read(&body, &mut Without(row)).is_ok(), "{place} without {row}");
        }
    }

    #[test]
    fn invalid_body_is_rejected_by_the_body_row_only() {
        for body in [&b""[..], b"[]", b"nul", b"{\"model\":", b"\"\xff\"", b"{} {}"] {
            assert_eq!(parse(body, &mut Strict).unwrap_err().rule, &BODY);
            assert_eq!(parse(body, &mut Without(&BODY)).unwrap(), Request::default());
        }
    }
}

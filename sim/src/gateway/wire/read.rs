//! Reads requests. Invalid parts are ignored, since validation comes first.

use std::io;

use assay_spec::gateway::body::write_canonical;
use assay_spec::json;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::gateway::model::{Role, Tool, Turn};

/// Members that control how an answer is delivered, not what it contains.
const DELIVERY: &[&str] = &["stream", "stream_options"];

/// A digest of a request: equal for requests with the same content, however they are formatted or delivered.
pub(super) fn key(body: &Value) -> [u8; 32] {
    let mut digest = Digesting(Sha256::new());
    write_canonical(body, DELIVERY, &mut digest).expect("a digest takes all bytes");
    digest.0.finalize().into()
}

/// Takes what is written into a digest.
struct Digesting(Sha256);

impl io::Write for Digesting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The items of an array under a key.
pub(super) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The string under a key; empty if absent.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The number of tokens under the first of these keys.
pub(super) fn tokens(body: &Value, keys: &[&str]) -> Option<u64> {
    keys.iter().find_map(|key| json::integer(body.get(*key)?)?.try_into().ok())
}

/// The strings under a key: one, or an array of them.
pub(super) fn texts(body: &Value, key: &str) -> Vec<String> {
    match body.get(key) {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(texts)) => texts.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// The number of answers.
pub(super) fn n(body: &Value) -> usize {
    body.get("n").and_then(json::integer).and_then(|n| n.try_into().ok()).unwrap_or(1)
}

/// The role of that name.
pub(super) fn role(name: &str) -> Role {
    match name {
        "assistant" => Role::Assistant,
        "tool" | "function" => Role::Tool,
        "system" | "developer" => Role::System,
        _ => Role::User,
    }
}

/// A turn from content in any of the formats: a string, or an array of text and image parts.
pub(super) fn turn(role: Role, content: Option<&Value>) -> Turn {
    let mut turn = Turn { role, text: String::new(), images: Vec::new() };
    match content {
        Some(Value::String(text)) => turn.text.clone_from(text),
        Some(Value::Array(parts)) => parts.iter().for_each(|part| add(&mut turn, part)),
        _ => {}
    }
    turn
}

/// Adds a part to a turn.
pub(super) fn add(turn: &mut Turn, part: &Value) {
    let image = part.get("image_url");
    let source = part.get("source");
    match (part.get("text").and_then(Value::as_str), image, source) {
        (Some(text), ..) => {
            if !turn.text.is_empty() {
                turn.text.push('\n');
            }
            turn.text.push_str(text);
        }
        (_, Some(Value::String(url)), _) => turn.images.push(url.clone()),
        (_, Some(image), _) => turn.images.push(text(image, "url").to_owned()),
        (_, _, Some(source)) if text(part, "type") == "image" => {
            let data = format!("data:{};base64,{}", text(source, "media_type"), text(source, "data"));
            let url = source.get("url").and_then(Value::as_str).map(str::to_owned);
            turn.images.push(url.unwrap_or(data));
        }
        _ => {}
    }
}

/// The schema of an answer that may be any object.
pub(super) fn any_object() -> Value {
    let text = json!({ "type": "string" });
    json!({ "type": "object", "properties": { "answer": text }, "required": ["answer"] })
}

/// A tool, with its schema under this key; `None` without a name.
pub(super) fn tool(declared: &Value, schema: &str) -> Option<Tool> {
    let name = declared.get("name").and_then(Value::as_str)?.to_owned();
    let schema = declared.get(schema).cloned().unwrap_or_else(|| Value::Object(Map::new()));
    Some(Tool { name, about: text(declared, "description").to_owned(), schema })
}

//! The bodies that checks send. The prompts do not matter: no check compares a reply with a fixed sentence.

use serde_json::{Value, json};

/// The default prompt. It is short, so that the reply is short.
pub(super) const QUESTION: &str = "Say hello in one short sentence.";

/// A prompt with letters beyond ASCII.
const GREETING: &str = "Say hello to Zo\u{eb} \u{1f30a} in one short sentence.";

/// A chat with one message.
pub(super) fn chat(model: &str) -> Value {
    json!({ "model": model, "messages": [{ "role": "user", "content": QUESTION }] })
}

/// A chat with these messages.
pub(super) fn chat_of(model: &str, messages: &Value) -> Value {
    json!({ "model": model, "messages": messages })
}

/// A chat whose one message has this content.
pub(super) fn chat_content(model: &str, content: &Value) -> Value {
    chat_of(model, &json!([{ "role": "user", "content": content }]))
}

/// The names of the tools that checks declare, with the letters that such names have.
pub(super) const TOOLS: [&str; 2] = ["readThermometer", "read_barometer-2"];
/// The units of a tool.
pub(super) const UNITS: [&str; 2] = ["metric", "imperial"];

/// The declaration of a tool.
fn tool(name: &str) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": name,
            "description": "Reads an instrument at a place, from Troms\u{f8} to \u{5927}\u{962a} \u{1f30a}",
            "parameters": {
                "type": "object",
                "properties": {
                    "place": { "type": "string", "description": "The place, such as Oslo" },
                    "unit": { "type": "string", "enum": UNITS },
                },
                "required": ["place", "unit"],
            },
        },
    })
}

/// The declaration of a tool whose arguments are lists and objects.
pub(super) fn tool_of_lists() -> Value {
    json!({
        "type": "function",
        "function": {
            "name": "compare",
            "description": "Compares places",
            "parameters": {
                "type": "object",
                "properties": {
                    "places": { "type": "array", "items": { "type": "string" }, "minItems": 2 },
                    "within": { "type": "object", "properties": { "km": { "type": "number" } } },
                },
            },
        },
    })
}

/// A question that names these tools.
pub(super) fn question(tools: &[&str]) -> Value {
    let text =
        format!("What is the weather in Oslo, in metric units? Use {} to find out.", tools.join(" and "));
    json!({ "role": "user", "content": text })
}

/// A chat that asks for the first tool; both are declared.
pub(super) fn chat_with_tools(model: &str) -> Value {
    let mut body = chat_of(model, &json!([question(&TOOLS[..1])]));
    body["tools"] = TOOLS.map(tool).into();
    body
}

/// A body of the messages format.
pub(super) fn messages(model: &str) -> Value {
    json!({ "model": model, "max_tokens": 64, "messages": [{ "role": "user", "content": GREETING }] })
}

/// A completions body in the common form; the document shows none.
pub(super) fn completions(model: &str) -> Value {
    json!({ "model": model, "prompt": "Once upon a time in Troms\u{f8} \u{1f30a}", "max_tokens": 16 })
}

/// A responses body in the common form; the document shows none.
pub(super) fn responses(model: &str) -> Value {
    json!({ "model": model, "input": GREETING })
}

/// The same request for a stream.
pub(super) fn streamed(body: Value) -> Value {
    with(body, "/stream", json!(true))
}

/// A body with these top-level members.
pub(super) fn with_members(mut body: Value, members: &Value) -> Value {
    if let (Some(body), Some(members)) = (body.as_object_mut(), members.as_object()) {
        body.extend(members.clone());
    }
    body
}

/// A body with the value at a pointer, such as `/messages/0/role`, replaced.
pub(super) fn with(mut body: Value, pointer: &str, value: Value) -> Value {
    let (place, name) = pointer.rsplit_once('/').expect("a pointer has a slash");
    match body.pointer_mut(place) {
        Some(Value::Object(members)) => drop(members.insert(name.to_owned(), value)),
        Some(Value::Array(items)) => items[name.parse::<usize>().expect("an index")] = value,
        _ => panic!("{pointer} is not in {body}"),
    }
    body
}

/// A body without the member at a pointer.
pub(super) fn without(mut body: Value, pointer: &str) -> Value {
    let (place, name) = pointer.rsplit_once('/').expect("a pointer has a slash");
    let members = body.pointer_mut(place).and_then(Value::as_object_mut);
    let removed = members.and_then(|members| members.shift_remove(name));
    assert!(removed.is_some(), "{pointer} is not in {body}");
    body
}

#[cfg(test)]
mod tests {
    use assay_spec::gateway::values::{JPEG, PNG};

    use super::*;

    #[test]
    fn one_member_is_replaced_or_removed() {
        let body = with(chat("m"), "/messages/0/role", json!(7));
        assert_eq!(body["messages"][0]["role"], 7);
        assert_eq!(without(body.clone(), "/messages")["messages"], Value::Null);
        assert_eq!(with(body, "/messages/0", json!("x"))["messages"], json!(["x"]));
    }

    #[test]
    fn pixels_are_whole_images() {
        use base64::Engine;
        let bytes = |text| base64::engine::general_purpose::STANDARD.decode(text).expect("base64");
        let (png, jpeg) = (bytes(PNG), bytes(JPEG));
        assert!(png.starts_with(b"\x89PNG\r\n\x1a\n") && png.ends_with(b"IEND\xaeB`\x82"));
        assert!(jpeg.starts_with(b"\xff\xd8\xff") && jpeg.ends_with(b"\xff\xd9"));
    }
}

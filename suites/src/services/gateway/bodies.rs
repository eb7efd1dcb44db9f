//! The bodies that checks send. The prompts do not matter: no check compares a reply with a fixed sentence.

use serde_json::{Value, json};

/// The default prompt. It is short, so that the reply is short.
pub(super) const QUESTION: &str = "Say hello in one short sentence.";

/// A prompt with letters beyond ASCII.
const GREETING: &str = "Say hello to Zo\u{eb} \u{1f30a} in one short sentence.";

/// A PNG of one red pixel.
pub(super) const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC";

/// A JPEG of one grey pixel.
const GREY_PIXEL: &str = "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAv/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AL//Z";

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

/// A `text` part.
pub(super) fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// An `image_url` part.
pub(super) fn image(url: &str) -> Value {
    json!({ "type": "image_url", "image_url": { "url": url } })
}

/// The pixel as a data URL.
pub(super) fn pixel_url() -> String {
    format!("data:image/png;base64,{PIXEL}")
}

/// The grey pixel as a data URL.
pub(super) fn grey_pixel_url() -> String {
    format!("data:image/jpeg;base64,{GREY_PIXEL}")
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

/// A chat as client libraries send it: with options, and letters beyond ASCII.
pub(super) fn ordinary(body: Value) -> Value {
    let options = [
        ("/temperature", json!(0.7)),
        ("/top_p", json!(1)),
        ("/max_tokens", json!(64)),
        ("/user", json!("assay")),
    ];
    let body = options.into_iter().fold(body, |body, (name, value)| with(body, name, value));
    with(body, "/messages/0/content", json!(GREETING))
}

/// Another spelling of a JSON value: members in the opposite order, blanks, and escapes, also of all letters beyond ASCII.
pub(super) fn spelled(value: &Value) -> String {
    let quote = |text: &str| {
        let mut letters = text.chars();
        let first = letters.next().filter(char::is_ascii_alphabetic);
        let rest = if first.is_some() { letters.as_str() } else { text };
        let escaped = first.map_or_else(String::new, |letter| format!("\\u{:04x}", u32::from(letter)));
        let rest = Value::from(rest).to_string().replace('/', "\\/");
        let ascii = rest.encode_utf16().map(|unit| match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii() => char::from(byte).to_string(),
            _ => format!("\\u{unit:04x}"),
        });
        format!("\"{escaped}{}", &ascii.collect::<String>()[1..])
    };
    match value {
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| format!("{} : {}", quote(name), spelled(value));
            format!("{{\n  {}\n}}", members.iter().rev().map(member).collect::<Vec<_>>().join(" ,\n  "))
        }
        Value::Array(items) => format!("[ {} ]", items.iter().map(spelled).collect::<Vec<_>>().join(" , ")),
        Value::String(text) => quote(text),
        other => other.to_string(),
    }
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
    use super::*;

    #[test]
    fn one_member_is_replaced_or_removed() {
        let body = with(chat("m"), "/messages/0/role", json!(7));
        assert_eq!(body["messages"][0]["role"], 7);
        assert_eq!(without(body.clone(), "/messages")["messages"], Value::Null);
        assert_eq!(with(body, "/messages/0", json!("x"))["messages"], json!(["x"]));
    }

    #[test]
    fn another_spelling_has_the_same_value() {
        let value = json!({ "model": "a/b", "n": [1, true, "", "\u{1f30a}\"", {}], "stream": null });
        let other = spelled(&value);
        assert_eq!(serde_json::from_str::<Value>(&other).expect("JSON"), value);
        assert!(other.contains("\"\\u0073tream\" : null ,") && other.contains("\\/b"), "{other}");
        assert!(other.contains("\\ud83c\\udf0a") && other.is_ascii(), "{other}");
    }

    #[test]
    fn pixels_are_whole_images() {
        use base64::Engine;
        let bytes = |text| base64::engine::general_purpose::STANDARD.decode(text).expect("base64");
        let (png, jpeg) = (bytes(PIXEL), bytes(GREY_PIXEL));
        assert!(png.starts_with(b"\x89PNG\r\n\x1a\n") && png.ends_with(b"IEND\xaeB`\x82"));
        assert!(jpeg.starts_with(b"\xff\xd8\xff") && jpeg.ends_with(b"\xff\xd9"));
    }
}

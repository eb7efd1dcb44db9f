//! What the rows of the gateway reject in place of a valid value, and what they accept besides ordinary values. Frameworks read some
//! values as another type; which, the document leaves open.

use serde_json::{Value, json};

pub use crate::spelling::SPELLINGS;
use crate::value::{
    ARRAY, BOOLEAN, FRACTION, LONGER, MISSING, NULL, NUMBER, OBJECT, SHORTER, STRING, UPPER, ValueKind, WORD,
    property,
};

const READ: &str = "a framework may read it as a string";

/// A required string.
pub const REQUIRED_TEXT: &[ValueKind] = &[
    MISSING,
    OBJECT,
    ARRAY,
    NULL.beyond_quick(),
    NUMBER.may_be_accepted(READ).beyond_quick(),
    BOOLEAN.may_be_accepted(READ).beyond_quick(),
];
/// A string.
pub const TEXT: &[ValueKind] = &[
    OBJECT,
    ARRAY,
    NUMBER.may_be_accepted(READ).beyond_quick(),
    BOOLEAN.may_be_accepted(READ).beyond_quick(),
];
/// A string or an array.
pub const CONTENT: &[ValueKind] =
    &[OBJECT, NUMBER.may_be_accepted(READ).beyond_quick(), BOOLEAN.may_be_accepted(READ).beyond_quick()];
/// A string or an array, in the messages format.
pub const BLOCKS: &[ValueKind] = &[OBJECT, BOOLEAN, NUMBER.may_be_accepted(READ).beyond_quick()];
/// An object.
pub const OBJECTS: &[ValueKind] = &[NUMBER, ARRAY, STRING.beyond_quick(), BOOLEAN.beyond_quick()];
/// A required array.
pub const REQUIRED_LIST: &[ValueKind] = &[
    MISSING,
    OBJECT,
    NULL.beyond_quick(),
    STRING.beyond_quick(),
    NUMBER.beyond_quick(),
    BOOLEAN.beyond_quick(),
];
/// An array.
pub const LIST: &[ValueKind] =
    &[OBJECT, STRING.beyond_quick(), NUMBER.beyond_quick(), BOOLEAN.beyond_quick()];
/// A boolean.
pub const SWITCH: &[ValueKind] = &[
    OBJECT,
    ARRAY,
    WORD.beyond_quick(),
    NUMBER.may_be_accepted("a framework may read it as true").beyond_quick(),
];
/// A required integer.
pub const COUNT: &[ValueKind] = &[
    MISSING,
    OBJECT,
    ARRAY,
    WORD,
    NULL.beyond_quick(),
    BOOLEAN.may_be_accepted("a framework may read it as 1").beyond_quick(),
    FRACTION.may_be_accepted("a framework may round it").beyond_quick(),
];

/// A PNG of one red pixel, in base64.
pub const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC";
/// A JPEG of one grey pixel, in base64.
pub const JPEG: &str = "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAv/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AL//Z";

/// A `text` part.
pub fn text_part(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// An `image_url` part.
pub fn image_part(url: &str) -> Value {
    json!({ "type": "image_url", "image_url": { "url": url } })
}

/// The PNG as a part.
pub fn png_part() -> Value {
    image_part(&format!("data:image/png;base64,{PNG}"))
}

fn jpeg_part() -> Value {
    image_part(&format!("data:image/jpeg;base64,{JPEG}"))
}

const ASKS: &str = "Say hello in one short sentence.";
const ASKS_OF_COLOUR: &str = "Which colour is this?";

fn are_parts(content: &Value, kind: &str) -> usize {
    content.as_array().into_iter().flatten().filter(|part| part["type"] == kind).count()
}

fn has_text(value: &Value, is: fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => is(text),
        Value::Array(values) => values.iter().any(|value| has_text(value, is)),
        Value::Object(members) => members.values().any(|value| has_text(value, is)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn has_image(content: &Value, media_type: &str) -> bool {
    let mut parts = content.as_array().into_iter().flatten();
    parts.any(|part| part["image_url"]["url"].as_str().is_some_and(|url| url.starts_with(media_type)))
}

/// Contents of text parts alone.
pub const PARTS: &[ValueKind] = &[
    property!("one", json!([text_part(ASKS)]), |sent| {
        are_parts(sent, "text") == 1 && sent.as_array().is_some_and(|parts| parts.len() == 1)
    })
    .at_each_depth(),
    property!(
        "several",
        json!([text_part(ASKS), text_part("Greet Zo\u{eb} and \u{5c0f}\u{660e} \u{1f30a}.")]),
        |sent| { are_parts(sent, "text") > 1 && are_parts(sent, "image_url") == 0 }
    )
    .at_each_depth(),
];
/// Contents with an image.
pub const IMAGES: &[ValueKind] = &[
    property!("after-text", json!([text_part(ASKS_OF_COLOUR), png_part()]), |sent| {
        has_image(sent, "data:image/png") && sent[0]["type"] == "text"
    })
    .at_each_depth(),
    property!("alone", json!([png_part()]), |sent| {
        has_image(sent, "data:image/png") && are_parts(sent, "text") == 0
    }),
    property!("jpeg-first", json!([jpeg_part(), text_part(ASKS_OF_COLOUR)]), |sent| {
        has_image(sent, "data:image/jpeg") && sent[0]["type"] == "image_url"
    })
    .at_each_depth(),
    property!("two", json!([text_part(ASKS_OF_COLOUR), png_part(), jpeg_part()]), |sent| {
        are_parts(sent, "image_url") > 1
    })
    .at_each_depth(),
];

/// The one message of a user.
fn asks(text: &str) -> Value {
    json!([{ "role": "user", "content": text }])
}

/// A prompt of some paragraphs.
fn long() -> String {
    "The quick brown fox jumps over the lazy dog. ".repeat(25)
}

fn is_long(value: &Value) -> bool {
    has_text(&value["messages"], |text| text.len() > 1_000)
}

fn is_beyond_ascii(value: &Value) -> bool {
    has_text(&value["messages"], |text| !text.is_ascii())
}

const BEYOND_ASCII_PROMPT: &str = "Say hello to Zo\u{eb} \u{1f30a} in one short sentence.";

/// The first words of a conversation.
const NAMES_ADA: &str = "Call me Ada.";

/// A conversation of two turns of the user, of which the first has this content.
fn turns(first: &Value, last: &str) -> Value {
    json!([
        { "role": "user", "content": first },
        { "role": "assistant", "content": "Hello, Ada." },
        { "role": "user", "content": last },
    ])
}

fn in_parts() -> Value {
    json!([text_part(NAMES_ADA)])
}

fn has_turns(value: &Value) -> bool {
    let messages = value["messages"].as_array().into_iter().flatten();
    messages.filter(|message| message["role"] == "user").count() > 1
}

/// A conversation with all of it.
fn long_turns_beyond_ascii(first: &Value) -> Value {
    turns(first, &format!("{}{BEYOND_ASCII_PROMPT}", long()))
}

/// Members of a chat that common client libraries send. The first value has them all. Whether two messages of a user may follow each
/// other is not shown.
pub const CHATS: &[ValueKind] = &[
    property!(
        "mixed",
        json!({ "temperature": 0.7, "top_p": 1, "max_tokens": 64, "user": "assay", "messages": long_turns_beyond_ascii(&in_parts()) }),
        |sent| !sent["temperature"].is_null() && is_long(sent) && is_beyond_ascii(sent) && has_turns(sent)
    )
    .at_each_depth(),
    property!("options", json!({ "temperature": 0.7, "top_p": 1, "max_tokens": 64, "user": "assay" }), |sent| {
        !sent["temperature"].is_null()
    }),
    property!("long", json!({ "messages": asks(&long()) }), is_long),
    property!("beyond-ascii", json!({ "messages": asks(BEYOND_ASCII_PROMPT) }), is_beyond_ascii),
    property!("turns", json!({ "messages": turns(&in_parts(), ASKS) }), has_turns),
];
/// Members of a body of the messages format. The first value has them all.
pub const MESSAGE_BODIES: &[ValueKind] = &[
    property!(
        "mixed",
        json!({ "max_tokens": 1, "messages": long_turns_beyond_ascii(&json!(NAMES_ADA)) }),
        |sent| { sent["max_tokens"] == 1 && is_long(sent) && is_beyond_ascii(sent) && has_turns(sent) }
    )
    .at_each_depth(),
    property!("one-token", json!({ "max_tokens": 1 }), |sent| sent["max_tokens"] == 1),
    property!("long", json!({ "messages": asks(&long()) }), is_long),
    property!("beyond-ascii", json!({ "messages": asks(BEYOND_ASCII_PROMPT) }), is_beyond_ascii),
    property!("turns", json!({ "messages": turns(&json!(NAMES_ADA), ASKS) }), has_turns),
];

/// The `Authorization` of a key that was issued.
pub const KEYS: &[ValueKind] = &[
    SHORTER,
    LONGER,
    OTHER_END,
    UPPER_KEY.beyond_quick(),
    QUOTED_KEY.beyond_quick(),
    OTHER_SCHEME.beyond_quick(),
    NO_KEY,
    BEYOND_ASCII,
];
/// The id of a model.
pub const MODELS: &[ValueKind] = &[
    SHORTER,
    LONGER.beyond_quick(),
    UPPER.may_be_accepted("letter case of an id may not count").beyond_quick(),
];

/// A key whose last character is another one.
const OTHER_END: ValueKind = ValueKind::near("other-end", |valid| {
    edited(valid, |key| {
        let (rest, last) = key.split_at(key.floor_char_boundary(key.len().saturating_sub(1)));
        format!("{rest}{}", if last == "x" { 'y' } else { 'x' })
    })
});
const UPPER_KEY: ValueKind = ValueKind::near("upper-case", |valid| edited(valid, str::to_uppercase));
const QUOTED_KEY: ValueKind = ValueKind::near("quoted", |valid| edited(valid, |key| format!("\"{key}\"")));
/// Credentials of another scheme instead of a key.
const OTHER_SCHEME: ValueKind = ValueKind::text(
    "other-scheme",
    |_| Some(json!("Basic YXNzYXk6YXNzYXk=")),
    |sent| sent.and_then(Value::as_str).is_some_and(|sent| sent.starts_with("Basic ")),
);

/// The scheme without a key.
const NO_KEY: ValueKind = ValueKind::text(
    "empty",
    |_| Some(json!("Bearer ")),
    |sent| sent.and_then(Value::as_str).is_some_and(|sent| sent.trim() == "Bearer"),
);
/// A key with letters beyond ASCII, which some servers cannot compare.
const BEYOND_ASCII: ValueKind = ValueKind::text(
    "beyond-ascii",
    |_| Some(json!("Bearer schl\u{fc}ssel")),
    |sent| sent.and_then(Value::as_str).is_some_and(|sent| !sent.is_ascii()),
);

/// The header with another key.
fn edited(valid: &Value, edit: fn(&str) -> String) -> Option<Value> {
    let (scheme, key) = valid.as_str()?.split_once(' ')?;
    Some(json!(format!("{scheme} {}", edit(key))))
}

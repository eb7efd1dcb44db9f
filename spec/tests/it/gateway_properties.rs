//! Bodies of inference requests: a valid body stays valid, a wrong type is always rejected, and no input makes a
//! parser panic.

use assay_spec::gateway::requirements::{chat as chat_rows, messages as messages_rows, tools as tools_rows};
use assay_spec::gateway::{body, chat, completions, data_url, input, messages, responses};
use assay_spec::{Id, Strict, Without};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};

/// Any JSON value, small.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<i16>().prop_map(|eighths| json!(f64::from(eighths) / 8.0)),
        "\\PC{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map("[a-z_]{0,8}", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn part() -> impl Strategy<Value = Value> {
    prop_oneof![
        "\\PC{0,12}".prop_map(|text| json!({"type": "text", "text": text})),
        Just(json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}})),
        Just(json!({"type": "image_url", "image_url": {"url": "https://a.example/b.png"}})),
    ]
}

fn content() -> impl Strategy<Value = Value> {
    prop_oneof!["\\PC{0,12}".prop_map(Value::from), vec(part(), 0..4).prop_map(Value::from)]
}

fn message() -> impl Strategy<Value = Value> {
    prop_oneof![
        content().prop_map(|content| json!({"role": "user", "content": content})),
        content().prop_map(|content| json!({"role": "system", "content": content})),
        content().prop_map(|content| json!({"role": "tool", "tool_call_id": "c", "content": content})),
        Just(json!({"role": "assistant", "content": null, "tool_calls": [{"id": "c"}]})),
    ]
}

fn tool() -> impl Strategy<Value = Value> {
    ("[a-z]{1,8}", proptest::option::of("\\PC{0,8}"), btree_map("[a-z]{0,6}", values(), 0..3)).prop_map(
        |(name, description, parameters)| {
            let parameters: Map<String, Value> = parameters.into_iter().collect();
            json!({"type": "function", "function": {
                "name": name, "description": description, "parameters": parameters,
            }})
        },
    )
}

/// A valid body for the chat endpoint.
fn chats() -> impl Strategy<Value = Value> {
    let stream = proptest::option::of(any::<bool>());
    ("\\PC{0,12}", vec(message(), 1..5), stream, vec(tool(), 0..3)).prop_map(
        |(model, messages, stream, tools)| {
            json!({"model": model, "messages": messages, "stream": stream, "tools": tools})
        },
    )
}

/// A valid body for the messages endpoint.
fn messages_bodies() -> impl Strategy<Value = Value> {
    let message = prop_oneof![
        "\\PC{0,12}".prop_map(|text| json!({"role": "user", "content": text})),
        "\\PC{0,12}"
            .prop_map(|text| json!({"role": "assistant", "content": [{"type": "text", "text": text}]})),
    ];
    ("\\PC{0,12}", 1..u32::MAX, vec(message, 1..5)).prop_map(
        |(model, tokens, messages)| json!({"model": model, "max_tokens": tokens, "messages": messages}),
    )
}

/// The values of `type` members.
const WORDS: [&str; 3] = ["text", "image_url", "function"];

/// The type of a field, as in the document's tables.
#[derive(Clone, Copy, Debug)]
enum Type {
    Text,
    /// One of [`WORDS`]; every other string is wrong too.
    Word,
    Integer,
    Boolean,
    Array,
    Object,
    TextOrArray,
}

impl Type {
    /// Whether `value` certainly has another type. Null counts only if the member is required.
    fn is_broken_by(self, value: &Value) -> bool {
        match self {
            Type::Text => !value.is_string(),
            Type::Word => !WORDS.iter().any(|word| value == word),
            Type::Integer => !value.as_f64().is_some_and(|number| number.fract() == 0.0),
            Type::Boolean => !value.is_boolean(),
            Type::Array => !value.is_array(),
            Type::Object => !value.is_object(),
            Type::TextOrArray => !value.is_string() && !value.is_array(),
        }
    }
}

/// A field: its pointer, with `*` for any element; its type; its row; whether null is wrong.
type Field = (&'static str, Type, Id, bool);

fn chat_fields() -> Vec<Field> {
    vec![
        ("/model", Type::Text, &chat_rows::MODEL, true),
        ("/messages", Type::Array, &chat_rows::MESSAGES, true),
        ("/messages/*", Type::Object, &chat_rows::MESSAGE, true),
        ("/messages/*/role", Type::Text, &chat_rows::ROLE, false),
        ("/messages/*/content", Type::TextOrArray, &chat_rows::CONTENT, false),
        ("/messages/*/content/*", Type::Object, &chat_rows::PART, true),
        ("/messages/*/content/*/type", Type::Word, &chat_rows::PART_TYPE, true),
        ("/messages/*/content/*/text", Type::Text, &chat_rows::PART_TEXT, true),
        ("/messages/*/content/*/image_url", Type::Object, &chat_rows::PART_IMAGE, true),
        ("/messages/*/content/*/image_url/url", Type::Text, &chat_rows::PART_IMAGE_URL, true),
        ("/messages/*/tool_call_id", Type::Text, &chat_rows::TOOL_CALL_ID, false),
        ("/stream", Type::Boolean, &chat_rows::STREAM, false),
        ("/tools", Type::Array, &tools_rows::TOOLS, false),
        ("/tools/*", Type::Object, &tools_rows::TOOL, true),
        ("/tools/*/type", Type::Word, &tools_rows::TYPE, true),
        ("/tools/*/function", Type::Object, &tools_rows::FUNCTION, true),
        ("/tools/*/function/name", Type::Text, &tools_rows::NAME, true),
        ("/tools/*/function/description", Type::Text, &tools_rows::DESCRIPTION, false),
        ("/tools/*/function/parameters", Type::Object, &tools_rows::PARAMETERS, false),
    ]
}

fn messages_fields() -> Vec<Field> {
    vec![
        ("/model", Type::Text, &messages_rows::MODEL, true),
        ("/max_tokens", Type::Integer, &messages_rows::MAX_TOKENS, true),
        ("/messages", Type::Array, &messages_rows::MESSAGES, true),
        ("/messages/*", Type::Object, &messages_rows::MESSAGE, true),
        ("/messages/*/role", Type::Text, &messages_rows::ROLE, false),
        ("/messages/*/content", Type::TextOrArray, &messages_rows::CONTENT, false),
    ]
}

/// The pointers in `body` that match `pattern`.
fn places(body: &Value, pattern: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    for segment in pattern.split('/').skip(1) {
        let step = |at: String| -> Vec<String> {
            let value = body.pointer(&at).expect("the pointer was just found");
            match segment {
                "*" => (0..value.as_array().map_or(0, Vec::len)).map(|n| format!("{at}/{n}")).collect(),
                name if value.get(name).is_some() => vec![format!("{at}/{name}")],
                _ => Vec::new(),
            }
        };
        found = found.into_iter().flat_map(step).collect();
    }
    found
}

/// `body` with one value of `field` replaced by an invalid one; `None` if the body has no such value.
fn broken(body: &Value, field: Field, place: Index, value: &Value) -> Option<Value> {
    let (pattern, kind, _, null_breaks) = field;
    let places = places(body, pattern);
    if places.is_empty() || !kind.is_broken_by(value) || (value.is_null() && !null_breaks) {
        return None;
    }
    let mut body = body.clone();
    *body.pointer_mut(&places[place.index(places.len())]).expect("the pointer was just found") =
        value.clone();
    Some(body)
}

/// `body` with an unknown member added to one of its objects, chosen by `place`.
fn with_member(body: &Value, place: Index, name: &str, value: Value) -> Value {
    let patterns = ["", "/messages/*", "/messages/*/content/*", "/tools/*", "/tools/*/function"];
    let places: Vec<String> = patterns.iter().flat_map(|pattern| places(body, pattern)).collect();
    let mut body = body.clone();
    let object = body.pointer_mut(&places[place.index(places.len())]).expect("the pointer was just found");
    object.as_object_mut().expect("the patterns name objects").insert(format!("x_{name}"), value);
    body
}

/// Runs every parser on the same bytes.
fn read_by_all(bytes: &[u8]) {
    let refused = chat::parse(bytes, &mut Strict).err().map(|refused| refused.rule);
    let _ = completions::parse(bytes, &mut Strict);
    let _ = responses::parse(bytes, &mut Strict);
    let _ = messages::parse(bytes, &mut Strict);
    let _ = input::oddities(bytes, refused);
}

proptest! {
    #[test]
    fn valid_chat_stays_valid_with_unknown_members(
        body in chats(), place: Index, name in "[a-z]{1,6}", value in values(),
    ) {
        let plain = chat::parse(body.to_string().as_bytes(), &mut Strict).expect("a valid body");
        let more = with_member(&body, place, &name, value);
        let read = chat::parse(more.to_string().as_bytes(), &mut Strict).expect("still a valid body");
        prop_assert_eq!(&plain.messages, &read.messages);
        prop_assert_eq!(&plain.tools, &read.tools);
        prop_assert_eq!((&plain.model, plain.stream), (&read.model, read.stream));
    }

    #[test]
    fn valid_messages_stay_valid_with_unknown_members(
        body in messages_bodies(), place: Index, name in "[a-z]{1,6}", value in values(),
    ) {
        let plain = messages::parse(body.to_string().as_bytes(), &mut Strict).expect("a valid body");
        let more = with_member(&body, place, &name, value);
        let read = messages::parse(more.to_string().as_bytes(), &mut Strict).expect("still a valid body");
        prop_assert_eq!(plain.messages, read.messages);
    }

    #[test]
    fn wrong_type_in_a_chat_is_rejected_by_its_row_only(
        body in chats(), field in select(chat_fields()), place: Index, value in values(),
    ) {
        let Some(body) = broken(&body, field, place, &value) else { return Ok(()) };
        let bytes = body.to_string().into_bytes();
        let refused = chat::parse(&bytes, &mut Strict).expect_err("a wrong type");
        prop_assert_eq!(refused.rule, field.2);
        prop_assert!(chat::parse(&bytes, &mut Without(field.2)).is_ok());
    }

    #[test]
    fn wrong_type_in_messages_is_rejected_by_its_row_only(
        body in messages_bodies(), field in select(messages_fields()), place: Index, value in values(),
    ) {
        let Some(body) = broken(&body, field, place, &value) else { return Ok(()) };
        let bytes = body.to_string().into_bytes();
        let refused = messages::parse(&bytes, &mut Strict).expect_err("a wrong type");
        prop_assert_eq!(refused.rule, field.2);
        prop_assert!(messages::parse(&bytes, &mut Without(field.2)).is_ok());
    }

    #[test]
    fn no_bytes_make_a_parser_panic(bytes in vec(any::<u8>(), 0..256)) {
        read_by_all(&bytes);
    }

    #[test]
    fn no_json_makes_a_parser_panic(value in values()) {
        read_by_all(value.to_string().as_bytes());
        let wrapped = json!({"model": "m", "prompt": value, "input": value, "messages": [value]});
        read_by_all(wrapped.to_string().as_bytes());
    }

    #[test]
    fn no_truncated_or_changed_body_makes_a_parser_panic(body in chats(), at: Index, byte: u8) {
        let mut bytes = body.to_string().into_bytes();
        let at = at.index(bytes.len());
        read_by_all(&bytes[..at]);
        bytes[at] = byte;
        read_by_all(&bytes);
    }

    #[test]
    fn canonical_bytes_do_not_depend_on_member_order(body in chats()) {
        let object = body.as_object().expect("an object");
        let turned: Map<String, Value> = object.clone().into_iter().rev().collect();
        let canonical = |body: &Value| {
            let mut bytes = Vec::new();
            body::write_canonical(body, &[], &mut bytes).expect("memory takes all bytes");
            bytes
        };
        let bytes = canonical(&body);
        prop_assert_eq!(&bytes, &canonical(&Value::Object(turned)));
        prop_assert_eq!(serde_json::from_slice::<Value>(&bytes).expect("JSON"), body);
    }

    #[test]
    fn data_urls_never_panic(url in "(data:)?[a-z/;,=+0-9A-Z \u{e9}]{0,40}") {
        if let Some(image) = data_url::parse(&url) {
            prop_assert!(image.media_type.starts_with("image/") && image.size > 0);
        }
    }
}

#[test]
fn deep_nesting_is_rejected_fast_and_with_a_small_stack() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        for depth in [99, 100, 101, 127, 128, 129, 1000, 300_000] {
            let nested = format!("{}0{}", open.repeat(depth), close.repeat(depth));
            let whole = format!(
                "{{\"model\":\"m\",\"messages\":[{{\"role\":\"user\",\"content\":\"a\"}}],\"x\":{nested}}}"
            );
            read_by_all(nested.as_bytes());
            read_by_all(whole.as_bytes());
            read_by_all(open.repeat(depth).as_bytes());
            // One level is the body itself.
            let accepted = chat::parse(whole.as_bytes(), &mut Strict).is_ok();
            assert_eq!(accepted, depth < 100, "{depth} levels of {open}");
        }
    }
}

#[test]
fn ten_megabyte_message_is_accepted() {
    let text = "a".repeat(10 << 20);
    let one = json!({"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": text}]});
    let bytes = one.to_string().into_bytes();
    let read = chat::parse(&bytes, &mut Strict).expect("one long message");
    assert_eq!(read.messages[0].text().len(), 10 << 20);
    assert!(messages::parse(&bytes, &mut Strict).is_ok());
    let many = format!(
        "{{\"model\":\"m\",\"messages\":[{}]}}",
        vec!["{\"role\":\"user\",\"content\":\"aaaaaaaa\"}"; 300_000].join(",")
    );
    let refused = chat::parse(many.as_bytes(), &mut Strict).expect_err("too many messages");
    assert_eq!(refused.rule.to_string(), "gateway.input.limits");
}

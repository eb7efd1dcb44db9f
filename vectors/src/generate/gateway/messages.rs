//! `gateway.validate` of the messages endpoint: each field with values of other types.

use assay_spec::gateway::requirements::messages as rows;
use serde_json::json;

use super::super::group::Group;
use super::{Wrong, reject_all, reject_bodies};
use crate::case::Case;

const MINIMAL: &str = r#"{"model":"m","max_tokens":64,"messages":[{"role":"user","content":"Hello"}]}"#;

pub(in crate::generate) fn cases() -> Vec<Case> {
    let mut g = Group::new(
        "gateway/validate-messages",
        "gateway.validate",
        "src/generate/gateway/messages.rs",
        rows::ALL,
    );
    accept(&mut g, "minimal", MINIMAL, "A model, a number of tokens and one message are enough.");
    let swapped = r#"{"messages":[{"content":"Hello","role":"user"}],"max_tokens":64,"model":"m"}"#;
    accept(&mut g, "order", swapped, "Members have no order.");
    accept(&mut g, "blanks", &MINIMAL.replace(',', " ,\r\n\t"), "White space between tokens says nothing.");
    accept(&mut g, "one-token", &MINIMAL.replace("64", "1"), "One token is a number of tokens.");
    accept(&mut g, "many-tokens", &MINIMAL.replace("64", "4294967296"), "No bound is shown.");
    accept(&mut g, "empty-text", &MINIMAL.replace("Hello", ""), "An empty text is a text.");
    let again = MINIMAL.replace("}]", "},{\"role\":\"user\",\"content\":\"Still there?\"}]");
    accept(&mut g, "two-messages", &again, "A conversation has several messages.");
    reject_bodies(&mut g, &rows::BODY);
    reject_all(&mut g, REQUEST);
    g.cases
}

fn accept(g: &mut Group, name: &str, body: &str, why: &str) {
    g.accept(name, json!({"endpoint": "messages", "body": {"utf8": body}}), why);
}

const HELLO: &str = "[{\"role\":\"user\",\"content\":\"Hello\"}]";
const SAID: &str = "{\"role\":\"user\",\"content\":\"Hello\"}";

const REQUEST: &[Wrong] = &[
    ("model-missing", "minimal", "\"model\":\"m\",", "", &rows::MODEL, "The model is required."),
    ("model-null", "minimal", "\"m\"", "null", &rows::MODEL, "Null is no text."),
    ("model-number", "minimal", "\"m\"", "7", &rows::MODEL, "A number is no text."),
    ("model-array", "minimal", "\"m\"", "[\"m\"]", &rows::MODEL, "An array of one text is no text."),
    ("model-object", "minimal", "\"m\"", "{\"id\":\"m\"}", &rows::MODEL, "An object is no text."),
    (
        "max-tokens-missing",
        "minimal",
        "\"max_tokens\":64,",
        "",
        &rows::MAX_TOKENS,
        "The number of tokens is required.",
    ),
    ("max-tokens-null", "minimal", "64", "null", &rows::MAX_TOKENS, "Null is no integer."),
    ("max-tokens-text", "minimal", "64", "\"many\"", &rows::MAX_TOKENS, "A text is no integer."),
    ("max-tokens-fraction", "minimal", "64", "64.5", &rows::MAX_TOKENS, "A fraction is no integer."),
    ("max-tokens-small", "minimal", "64", "1e-1", &rows::MAX_TOKENS, "A tenth is no integer."),
    ("max-tokens-array", "minimal", "64", "[64]", &rows::MAX_TOKENS, "An array is no integer."),
    ("max-tokens-object", "minimal", "64", "{}", &rows::MAX_TOKENS, "An object is no integer."),
    (
        "messages-missing",
        "minimal",
        ",\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]",
        "",
        &rows::MESSAGES,
        "The messages are required.",
    ),
    ("messages-null", "minimal", HELLO, "null", &rows::MESSAGES, "Null is no array."),
    ("messages-text", "minimal", HELLO, "\"Hello\"", &rows::MESSAGES, "A text is no array."),
    ("messages-number", "minimal", HELLO, "1", &rows::MESSAGES, "A number is no array."),
    ("messages-object", "minimal", HELLO, SAID, &rows::MESSAGES, "One message alone is no array."),
    ("message-text", "minimal", SAID, "\"Hello\"", &rows::MESSAGE, "A text is no message."),
    ("message-number", "minimal", SAID, "1", &rows::MESSAGE, "A number is no message."),
    ("message-null", "minimal", SAID, "null", &rows::MESSAGE, "Null is no message."),
    ("message-array", "minimal", SAID, "[]", &rows::MESSAGE, "An array is no message."),
    (
        "message-second",
        "two-messages",
        "{\"role\":\"user\",\"content\":\"Still there?\"}",
        "\"Still there?\"",
        &rows::MESSAGE,
        "Every message counts, not the first alone.",
    ),
    ("role-number", "minimal", "\"user\"", "1", &rows::ROLE, "A number is no role."),
    ("role-array", "minimal", "\"user\"", "[\"user\"]", &rows::ROLE, "An array of one role is no role."),
    ("role-object", "minimal", "\"user\"", "{}", &rows::ROLE, "An object is no role."),
    ("content-number", "minimal", "\"Hello\"", "1", &rows::CONTENT, "A number is no text."),
    ("content-boolean", "minimal", "\"Hello\"", "true", &rows::CONTENT, "A boolean is no text."),
    ("content-object", "minimal", "\"Hello\"", "{}", &rows::CONTENT, "An object is no text."),
];

//! `gateway.validate` for the messages endpoint: each field with values of other types.

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
    accept(&mut g, "minimal", MINIMAL, "A model, max_tokens and one message are enough.");
    let swapped = r#"{"messages":[{"content":"Hello","role":"user"}],"max_tokens":64,"model":"m"}"#;
    accept(&mut g, "order", swapped, "The order of members is free.");
    accept(&mut g, "blanks", &MINIMAL.replace(',', " ,\r\n\t"), "White space between tokens has no meaning.");
    accept(&mut g, "one-token", &MINIMAL.replace("64", "1"), "max_tokens may be 1.");
    accept(
        &mut g,
        "many-tokens",
        &MINIMAL.replace("64", "4294967296"),
        "The document states no upper bound for max_tokens.",
    );
    accept(&mut g, "empty-text", &MINIMAL.replace("Hello", ""), "An empty string is a string.");
    let again = MINIMAL.replace("}]", "},{\"role\":\"user\",\"content\":\"Still there?\"}]");
    accept(&mut g, "two-messages", &again, "A conversation may have several messages.");
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
    ("model-missing", "minimal", "\"model\":\"m\",", "", &rows::MODEL, "model is required."),
    ("model-null", "minimal", "\"m\"", "null", &rows::MODEL, "Null is not a string."),
    ("model-number", "minimal", "\"m\"", "7", &rows::MODEL, "A number is not a string."),
    ("model-array", "minimal", "\"m\"", "[\"m\"]", &rows::MODEL, "An array of one string is not a string."),
    ("model-object", "minimal", "\"m\"", "{\"id\":\"m\"}", &rows::MODEL, "An object is not a string."),
    ("max-tokens-missing", "minimal", "\"max_tokens\":64,", "", &rows::MAX_TOKENS, "max_tokens is required."),
    ("max-tokens-null", "minimal", "64", "null", &rows::MAX_TOKENS, "Null is not an integer."),
    ("max-tokens-text", "minimal", "64", "\"many\"", &rows::MAX_TOKENS, "A string is not an integer."),
    ("max-tokens-fraction", "minimal", "64", "64.5", &rows::MAX_TOKENS, "A fraction is not an integer."),
    ("max-tokens-small", "minimal", "64", "1e-1", &rows::MAX_TOKENS, "A tenth is not an integer."),
    ("max-tokens-array", "minimal", "64", "[64]", &rows::MAX_TOKENS, "An array is not an integer."),
    ("max-tokens-object", "minimal", "64", "{}", &rows::MAX_TOKENS, "An object is not an integer."),
    (
        "messages-missing",
        "minimal",
        ",\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]",
        "",
        &rows::MESSAGES,
        "messages is required.",
    ),
    ("messages-null", "minimal", HELLO, "null", &rows::MESSAGES, "Null is not an array."),
    ("messages-text", "minimal", HELLO, "\"Hello\"", &rows::MESSAGES, "A string is not an array."),
    ("messages-number", "minimal", HELLO, "1", &rows::MESSAGES, "A number is not an array."),
    ("messages-object", "minimal", HELLO, SAID, &rows::MESSAGES, "One message alone is not an array."),
    ("message-text", "minimal", SAID, "\"Hello\"", &rows::MESSAGE, "A string is not a message."),
    ("message-number", "minimal", SAID, "1", &rows::MESSAGE, "A number is not a message."),
    ("message-null", "minimal", SAID, "null", &rows::MESSAGE, "Null is not a message."),
    ("message-array", "minimal", SAID, "[]", &rows::MESSAGE, "An array is not a message."),
    (
        "message-second",
        "two-messages",
        "{\"role\":\"user\",\"content\":\"Still there?\"}",
        "\"Still there?\"",
        &rows::MESSAGE,
        "Every message is validated, not only the first.",
    ),
    ("role-number", "minimal", "\"user\"", "1", &rows::ROLE, "A number is not a role."),
    ("role-array", "minimal", "\"user\"", "[\"user\"]", &rows::ROLE, "An array of one role is not a role."),
    ("role-object", "minimal", "\"user\"", "{}", &rows::ROLE, "An object is not a role."),
    ("content-number", "minimal", "\"Hello\"", "1", &rows::CONTENT, "A number is not a string."),
    ("content-boolean", "minimal", "\"Hello\"", "true", &rows::CONTENT, "A boolean is not a string."),
    ("content-object", "minimal", "\"Hello\"", "{}", &rows::CONTENT, "An object is not a string."),
];

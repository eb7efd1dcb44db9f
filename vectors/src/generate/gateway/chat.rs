//! `gateway.validate` for the chat endpoint: each field with values of other types.

use assay_spec::Id;
use assay_spec::gateway::requirements::{chat as rows, tools};
use serde_json::json;

use super::super::group::Group;
use super::{Wrong, reject_all, reject_bodies};
use crate::case::Case;

const MINIMAL: &str = r#"{"model":"m","messages":[{"role":"user","content":"Hello"}]}"#;
const STREAM: &str = r#"{"model":"m","messages":[{"role":"user","content":"Hello"}],"stream":true}"#;
const PARTS: &str =
    r#"{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"What is this?"}]}]}"#;
const IMAGE: &str = r#"{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"What is this?"},{"type":"image_url","image_url":{"url":"data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs="}}]}]}"#;
const TOOLS: &str = r#"{"model":"m","messages":[{"role":"user","content":"Rain?"}],"tools":[{"type":"function","function":{"name":"weather","description":"Tells the weather of a place.","parameters":{"type":"object","properties":{"place":{"type":"string"}},"required":["place"]}}}]}"#;
const TURN: &str = r#"{"model":"m","messages":[{"role":"user","content":"Rain?"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_1","content":"Rain."}]}"#;

/// The rows of declared tools.
static SHOWN_BY_TOOLS: &[Id] = &[
    &tools::TOOLS,
    &tools::TOOL,
    &tools::TYPE,
    &tools::FUNCTION,
    &tools::NAME,
    &tools::DESCRIPTION,
    &tools::PARAMETERS,
];

pub(in crate::generate) fn cases() -> Vec<Case> {
    let mut g =
        Group::new("gateway/validate-chat", "gateway.validate", "src/generate/gateway/chat.rs", rows::ALL);
    accept_all(&mut g);
    reject_bodies(&mut g, &rows::BODY);
    reject_all(&mut g, REQUEST);
    reject_all(&mut g, CONTENT);
    let mut t = Group::new(
        "gateway/validate-chat",
        "gateway.validate",
        "src/generate/gateway/chat.rs",
        SHOWN_BY_TOOLS,
    );
    t.cases = g.cases;
    accept(&mut t, "tools", TOOLS, "A tool is a function with a name, a description and a schema.");
    let two = TOOLS.replacen(
        "[{\"type\":\"function\"",
        r#"[{"type":"function","function":{"name":"clock","description":"Tells the time.","parameters":{"type":"object","properties":{},"required":[]}}},{"type":"function""#,
        1,
    );
    accept(&mut t, "two-tools", &two, "A request may have several tools.");
    accept(
        &mut t,
        "no-tools",
        &MINIMAL.replacen("{\"model\"", "{\"tools\":[],\"model\"", 1),
        "The list of tools may be empty.",
    );
    reject_all(&mut t, DECLARED);
    t.cases
}

fn accept_all(g: &mut Group) {
    accept(g, "minimal", MINIMAL, "A model and one message are enough.");
    let swapped = r#"{"messages":[{"content":"Hello","role":"user"}],"model":"m"}"#;
    accept(g, "order", swapped, "The order of members is free.");
    accept(g, "blanks", &MINIMAL.replace(',', " ,\r\n\t"), "White space between tokens has no meaning.");
    accept(
        g,
        "escapes",
        &MINIMAL.replace("\"model\"", "\"\\u006dodel\""),
        "A member name may contain escapes.",
    );
    accept(g, "empty-text", &MINIMAL.replace("Hello", ""), "An empty string is a string.");
    accept(g, "nul", &MINIMAL.replace("Hello", "a\\u0000b"), "An escaped NUL is an ordinary character.");
    accept(g, "beyond-ascii", &MINIMAL.replace("Hello", "Gr\u{fc}\u{df} \u{1f600}"), "Strings are UTF-8.");
    accept(
        g,
        "pair",
        &MINIMAL.replace("Hello", "\\ud83d\\ude00"),
        "An escaped surrogate pair is one character.",
    );
    accept(g, "model-path", &MINIMAL.replace("\"m\"", "\"maker/m-1.5:8b\""), "A model id may be any string.");
    let again = MINIMAL.replace("}]", "},{\"role\":\"user\",\"content\":\"Still there?\"}]");
    accept(g, "two-messages", &again, "A conversation may have several messages.");
    accept(g, "stream", STREAM, "stream may be true.");
    accept(g, "no-stream", &STREAM.replace("true", "false"), "stream may be false.");
    accept(g, "parts", PARTS, "Content may be an array of parts.");
    accept(g, "image", IMAGE, "An image part contains a data URL.");
    let images =
        IMAGE.replacen("[{\"type\":\"text\"", "[{\"type\":\"text\",\"text\":\"\"},{\"type\":\"text\"", 1);
    accept(g, "three-parts", &images, "Parts may come in any number and order.");
    accept(g, "tool-turn", TURN, "A tool message names the call that it answers.")
        .read_as("A-007/assistant-turn");
}

fn accept<'a>(g: &'a mut Group, name: &str, body: &str, why: &str) -> &'a mut Case {
    g.accept(name, json!({"endpoint": "chat", "body": {"utf8": body}}), why)
}

const HELLO: &str = "[{\"role\":\"user\",\"content\":\"Hello\"}]";
const SAID: &str = "{\"role\":\"user\",\"content\":\"Hello\"}";

const REQUEST: &[Wrong] = &[
    ("model-missing", "minimal", "\"model\":\"m\",", "", &rows::MODEL, "model is required."),
    ("model-null", "minimal", "\"m\"", "null", &rows::MODEL, "Null is not a string."),
    ("model-number", "minimal", "\"m\"", "7", &rows::MODEL, "A number is not a string."),
    ("model-boolean", "minimal", "\"m\"", "true", &rows::MODEL, "A boolean is not a string."),
    ("model-array", "minimal", "\"m\"", "[\"m\"]", &rows::MODEL, "An array of one string is not a string."),
    ("model-object", "minimal", "\"m\"", "{\"id\":\"m\"}", &rows::MODEL, "An object is not a string."),
    ("model-case", "minimal", "\"model\"", "\"Model\"", &rows::MODEL, "Member names are case-sensitive."),
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
    ("messages-boolean", "minimal", HELLO, "true", &rows::MESSAGES, "A boolean is not an array."),
    ("messages-object", "minimal", HELLO, SAID, &rows::MESSAGES, "One message alone is not an array."),
    ("message-text", "minimal", SAID, "\"Hello\"", &rows::MESSAGE, "A string is not a message."),
    ("message-number", "minimal", SAID, "1", &rows::MESSAGE, "A number is not a message."),
    ("message-null", "minimal", SAID, "null", &rows::MESSAGE, "Null is not a message."),
    ("message-array", "minimal", SAID, "[\"user\",\"Hello\"]", &rows::MESSAGE, "An array is not a message."),
    (
        "message-second",
        "two-messages",
        "{\"role\":\"user\",\"content\":\"Still there?\"}",
        "\"Still there?\"",
        &rows::MESSAGE,
        "Every message is validated, not only the first.",
    ),
    ("role-number", "minimal", "\"user\"", "1", &rows::ROLE, "A number is not a role."),
    ("role-boolean", "minimal", "\"user\"", "true", &rows::ROLE, "A boolean is not a role."),
    ("role-array", "minimal", "\"user\"", "[\"user\"]", &rows::ROLE, "An array of one role is not a role."),
    ("role-object", "minimal", "\"user\"", "{\"name\":\"user\"}", &rows::ROLE, "An object is not a role."),
    ("stream-text", "stream", "true", "\"maybe\"", &rows::STREAM, "A string is not a boolean."),
    ("stream-number", "stream", "true", "7", &rows::STREAM, "A number is not a boolean."),
    ("stream-array", "stream", "true", "[]", &rows::STREAM, "An array is not a boolean."),
    ("stream-object", "stream", "true", "{}", &rows::STREAM, "An object is not a boolean."),
    (
        "tool-call-id-number",
        "tool-turn",
        "\"tool_call_id\":\"call_1\"",
        "\"tool_call_id\":1",
        &rows::TOOL_CALL_ID,
        "The id of a tool call is a string.",
    ),
    (
        "tool-call-id-array",
        "tool-turn",
        "\"tool_call_id\":\"call_1\"",
        "\"tool_call_id\":[\"call_1\"]",
        &rows::TOOL_CALL_ID,
        "A message answers one tool call, so its id is not an array.",
    ),
    (
        "tool-call-id-object",
        "tool-turn",
        "\"tool_call_id\":\"call_1\"",
        "\"tool_call_id\":{\"id\":\"call_1\"}",
        &rows::TOOL_CALL_ID,
        "The id of a tool call is a string.",
    ),
];

const PART: &str = "{\"type\":\"text\",\"text\":\"What is this?\"}";
const SHOWN: &str = "{\"url\":\"data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=\"}";
const URL: &str = "\"data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=\"";

const CONTENT: &[Wrong] = &[
    ("content-number", "minimal", "\"Hello\"", "1", &rows::CONTENT, "A number is not valid content."),
    ("content-boolean", "minimal", "\"Hello\"", "false", &rows::CONTENT, "A boolean is not valid content."),
    (
        "content-object",
        "minimal",
        "\"Hello\"",
        "{\"type\":\"text\",\"text\":\"Hello\"}",
        &rows::CONTENT,
        "One part alone is not an array.",
    ),
    ("part-text", "parts", PART, "\"What is this?\"", &rows::PART, "A string is not a part."),
    ("part-number", "parts", PART, "1", &rows::PART, "A number is not a part."),
    ("part-null", "parts", PART, "null", &rows::PART, "Null is not a part."),
    ("part-array", "parts", PART, "[]", &rows::PART, "An array is not a part."),
    (
        "part-type-unknown",
        "parts",
        "\"type\":\"text\"",
        "\"type\":\"hologram\"",
        &rows::PART_TYPE,
        "The type is not one of the documented values.",
    ),
    (
        "part-type-number",
        "parts",
        "\"type\":\"text\"",
        "\"type\":1",
        &rows::PART_TYPE,
        "A number is not a valid type.",
    ),
    (
        "part-type-array",
        "parts",
        "\"type\":\"text\"",
        "\"type\":[\"text\"]",
        &rows::PART_TYPE,
        "An array is not a valid type.",
    ),
    ("part-text-number", "parts", "\"What is this?\"", "1", &rows::PART_TEXT, "A number is not a string."),
    ("part-text-array", "parts", "\"What is this?\"", "[]", &rows::PART_TEXT, "An array is not a string."),
    ("part-text-object", "parts", "\"What is this?\"", "{}", &rows::PART_TEXT, "An object is not a string."),
    (
        "part-text-second",
        "three-parts",
        "\"What is this?\"",
        "1",
        &rows::PART_TEXT,
        "Every part is validated, not only the first.",
    ),
    ("image-text", "image", SHOWN, URL, &rows::PART_IMAGE, "The URL of an image is inside an object."),
    ("image-number", "image", SHOWN, "1", &rows::PART_IMAGE, "A number is not an object."),
    ("image-array", "image", SHOWN, "[]", &rows::PART_IMAGE, "An array is not an object."),
    ("image-url-number", "image", URL, "1", &rows::PART_IMAGE_URL, "A number is not a URL."),
    ("image-url-boolean", "image", URL, "true", &rows::PART_IMAGE_URL, "A boolean is not a URL."),
    ("image-url-array", "image", URL, "[]", &rows::PART_IMAGE_URL, "An array is not a URL."),
    ("image-url-object", "image", URL, "{}", &rows::PART_IMAGE_URL, "An object is not a URL."),
];

const NAME: &str = "\"name\":\"weather\"";
const ABOUT: &str = "\"Tells the weather of a place.\"";
const SCHEMA: &str = r#"{"type":"object","properties":{"place":{"type":"string"}},"required":["place"]}"#;

const DECLARED: &[Wrong] = &[
    ("tools-text", "no-tools", "[]", "\"weather\"", &tools::TOOLS, "A string is not an array."),
    ("tools-number", "no-tools", "[]", "1", &tools::TOOLS, "A number is not an array."),
    ("tools-boolean", "no-tools", "[]", "true", &tools::TOOLS, "A boolean is not an array."),
    ("tools-object", "no-tools", "[]", "{}", &tools::TOOLS, "An object is not an array."),
    ("tool-text", "no-tools", "[]", "[\"weather\"]", &tools::TOOL, "A name is not a tool."),
    ("tool-number", "no-tools", "[]", "[1]", &tools::TOOL, "A number is not a tool."),
    ("tool-null", "no-tools", "[]", "[null]", &tools::TOOL, "Null is not a tool."),
    ("tool-array", "no-tools", "[]", "[[]]", &tools::TOOL, "An array is not a tool."),
    (
        "tool-type-unknown",
        "tools",
        "\"type\":\"function\"",
        "\"type\":\"oracle\"",
        &tools::TYPE,
        "The type is not one of the documented values.",
    ),
    (
        "tool-type-number",
        "tools",
        "\"type\":\"function\"",
        "\"type\":1",
        &tools::TYPE,
        "A number is not a valid type.",
    ),
    (
        "function-text",
        "no-tools",
        "[]",
        "[{\"type\":\"function\",\"function\":\"weather\"}]",
        &tools::FUNCTION,
        "A name is not a function.",
    ),
    (
        "function-array",
        "no-tools",
        "[]",
        "[{\"type\":\"function\",\"function\":[]}]",
        &tools::FUNCTION,
        "An array is not a function.",
    ),
    ("name-missing", "tools", "\"name\":\"weather\",", "", &tools::NAME, "A function has a name."),
    ("name-number", "tools", NAME, "\"name\":1", &tools::NAME, "A number is not a name."),
    ("name-array", "tools", NAME, "\"name\":[\"weather\"]", &tools::NAME, "An array is not a name."),
    ("name-object", "tools", NAME, "\"name\":{}", &tools::NAME, "An object is not a name."),
    ("description-number", "tools", ABOUT, "1", &tools::DESCRIPTION, "A number is not a description."),
    ("description-array", "tools", ABOUT, "[]", &tools::DESCRIPTION, "An array is not a description."),
    ("description-object", "tools", ABOUT, "{}", &tools::DESCRIPTION, "An object is not a description."),
    ("parameters-text", "tools", SCHEMA, "\"place\"", &tools::PARAMETERS, "A string is not a schema."),
    ("parameters-number", "tools", SCHEMA, "1", &tools::PARAMETERS, "A number is not a schema."),
    (
        "parameters-array",
        "tools",
        SCHEMA,
        "[\"place\"]",
        &tools::PARAMETERS,
        "A list of names is not a schema.",
    ),
];

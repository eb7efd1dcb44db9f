//! `gateway.read_stream`: streams in each form of events, increments and calls in pieces, and streams with one wrong event.

use assay_spec::Id;
use assay_spec::gateway::requirements::client::ERROR_EVENT;
use assay_spec::gateway::requirements::stream::{CHUNKS, DELTA};
use assay_spec::gateway::requirements::tools::STREAMED;
use serde_json::{Value, json};

use super::super::group::Group;
use super::{BODY, Wrong, reject_all};
use crate::case::Case;

/// The reading by which a choice is named by its member `index`.
const INDEX: &str = "A-009/choices-by-index";
/// The reading by which the data `[DONE]` ends the stream.
const END_MARK: &str = "A-009/end-mark";
/// The reading by which an event without its empty line is left out.
const UNFINISHED: &str = "A-009/unfinished-event";
/// The reading by which a streamed call comes in pieces with the members of the standard format.
const PIECES: &str = "A-006/calls-in-pieces";

static SHOWN: &[Id] = &[&CHUNKS, &DELTA, &STREAMED, &ERROR_EVENT];

/// A role, two increments, and a last chunk.
const HELLO: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\"}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hel\"}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lo\"}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
/// Two calls whose pieces alternate.
const CALLS: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"type\":\"function\",\"function\":{\"name\":\"weather\",\"arguments\":\"\"}}]}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"place\\\":\"}},{\"index\":1,\"id\":\"call_2\",\"type\":\"function\",\"function\":{\"name\":\"clock\",\"arguments\":\"{\"}}]}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":1,\"function\":{\"arguments\":\"}\"}},{\"index\":0,\"function\":{\"arguments\":\"\\\"Oslo\\\"}\"}}]}}]}\n\n";
const PIECE: &str =
    r#"{"index":0,"id":"call_1","type":"function","function":{"name":"clock","arguments":"{}"}}"#;
const PIECE_LIST: &str =
    r#"[{"index":0,"id":"call_1","type":"function","function":{"name":"clock","arguments":"{}"}}]"#;
const FIRST: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\"}}]}\n\n";

pub(in crate::generate) fn cases() -> Vec<Case> {
    let mut g =
        Group::new("gateway/read-stream", "gateway.read_stream", "src/generate/gateway/stream.rs", SHOWN);
    forms_of_events(&mut g);
    texts(&mut g);
    end(&mut g);
    calls(&mut g);
    reject_all(&mut g, EVENTS);
    reject_all(&mut g, INCREMENTS);
    for (name, bytes, why) in [
        ("utf8-cut", "c3", "A two-byte UTF-8 sequence has only its first byte."),
        ("utf8-overlong", "c0af", "An overlong form is not valid UTF-8."),
        ("utf8-surrogate", "eda080", "An encoded surrogate is not valid UTF-8."),
        ("utf8-latin1", "e9", "A Latin-1 byte is not valid UTF-8."),
    ] {
        let mut edit = g.change("hello", BODY, "Hel", "");
        edit.new = json!({"hex": bytes});
        g.reject(name, "hello", [edit], &CHUNKS, why);
    }
    for (name, base, old, new, row, why) in PIECES_OF_CALLS {
        let edit = g.change(base, BODY, old, new);
        g.reject(name, base, [edit], row, why).read_as(PIECES);
    }
    g.cases
}

fn accept<'a>(g: &'a mut Group, name: &str, body: &str, why: &str) -> &'a mut Case {
    g.accept(name, json!({"body": {"utf8": body}}), why)
}

/// An event with one choice.
fn chunk(delta: &Value) -> String {
    format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta}]}))
}

fn forms_of_events(g: &mut Group) {
    let data = |old: &str, new: &str| HELLO.replace(old, new);
    accept(g, "hello", HELLO, "The increments together are the text.");
    accept(g, "crlf", &data("\n", "\r\n"), "A line may end in CR LF.");
    accept(g, "cr", &data("\n", "\r"), "A line may end in CR.");
    accept(g, "lines-mixed", &data("\n\n", "\r\n\n"), "The lines of a stream may end in different ways.");
    accept(g, "byte-order-mark", &format!("\u{feff}{HELLO}"), "A byte order mark may lead the stream.");
    accept(
        g,
        "comments",
        &data("data: ", ": still there\ndata: "),
        "A line that begins with a colon is a comment.",
    );
    accept(g, "keep-alive", &data("data: ", ":\n\ndata: "), "A comment alone is not an event.");
    accept(g, "no-blank", &data("data: ", "data:"), "The blank behind the colon may be missing.");
    accept(g, "two-blanks", &data("data: ", "data:  "), "JSON may begin with a blank.");
    accept(
        g,
        "other-fields",
        &data("data: ", "id: 7\nretry: 100\nwords: x\nbare\ndata: "),
        "Other fields do not matter.",
    );
    accept(g, "named", &data("data: ", "event: message\ndata: "), "An event may have a name.");
    accept(g, "name-behind", &data("}\n\n", "}\nevent: message\n\n"), "The name may follow the data.");
    accept(
        g,
        "data-on-lines",
        &data(",\"delta\"", ",\ndata: \"delta\""),
        "The lines of the data of an event are joined by line feeds.",
    );
    accept(g, "empty-lines", &data("\n\n", "\n\n\n\n"), "More than one empty line may end an event.");
    accept(g, "name-alone", &data("data: ", "event: ping\n\ndata: "), "An event without data is left out.");
    accept(
        g,
        "error-null",
        &data("{\"choices\"", "{\"error\":null,\"choices\""),
        "A null member `error` says nothing.",
    );
}

fn texts(g: &mut Group) {
    let said = |text: &str| format!("{FIRST}{}", chunk(&json!({"content": text})));
    accept(g, "no-role", &chunk(&json!({"content": "Hello"})), "A role may be missing.");
    accept(g, "no-text", FIRST, "A stream may have no text.");
    accept(
        g,
        "null",
        &format!("{}{HELLO}", chunk(&json!({"content": null}))),
        "A null increment counts as absent.",
    );
    accept(g, "empty", &format!("{}{HELLO}", said("")), "An increment may be empty.");
    accept(g, "white-space", &said("  a\t\n b  "), "White space of an increment is kept.");
    accept(g, "beyond-ascii", &said("Gr\u{fc}\u{df} \u{1f600}"), "An increment may have any character.");
    accept(
        g,
        "escapes",
        &said("e").replace("\"e\"", "\"\\u00e9\\ud83d\\ude00\""),
        "An increment may have escapes.",
    );
    accept(g, "separators", &said("a\u{2028}b\u{85}c\u{b}d"), "Only CR and LF end a line.");
    accept(
        g,
        "combining",
        &format!("{}{}", said("e"), chunk(&json!({"content": "\u{301}"}))),
        "Increments are joined as they are.",
    );
    accept(g, "says-done", &said("[DONE]"), "An increment may look like an end mark.");
    accept(g, "says-data", &said("data: x\n\ndata: y"), "An increment may look like events.");
    accept(
        g,
        "repeats",
        &format!("{}{}", said("ha"), chunk(&json!({"content": "ha"}))),
        "Two increments may be equal.",
    );
    accept(
        g,
        "usage",
        &format!("{HELLO}data: {{\"choices\":[],\"usage\":{{}}}}\n\n"),
        "A chunk may have no choice.",
    );
    accept(g, "without-index", &HELLO.replace("\"index\":0,", ""), "A choice without an index is the first.");
    let two =
        r#"data: {"choices":[{"index":1,"delta":{"content":"b"}},{"index":0,"delta":{"content":"a"}}]}"#;
    accept(g, "two-choices", &format!("{two}\n\n{two}\n\n"), "A choice is known by its index.")
        .read_as(INDEX);
    let second = r#"data: {"choices":[{"index":1,"delta":{"content":"b"}}]}"#;
    accept(g, "second-alone", &format!("{HELLO}{second}\n\n"), "A chunk may have the second choice alone.")
        .read_as(INDEX);
}

fn end(g: &mut Group) {
    let done = format!("{HELLO}data: [DONE]\n\n");
    accept(g, "end-mark", &done, "The end mark is not a chunk.").read_as(END_MARK);
    accept(g, "end-mark-twice", &format!("{done}data: [DONE]\n\n"), "The end mark may be doubled.")
        .read_as(END_MARK);
    let usage = format!("{done}data: {{\"usage\":{{}}}}\n\n");
    accept(g, "behind-the-end-mark", &usage, "What follows the end mark is not part of the chat.")
        .read_as(END_MARK);
    let open = HELLO.trim_end();
    accept(g, "unfinished", open, "The last event lacks its empty line. It has no text.");
    let cut = &HELLO[..HELLO.find("data: {\"choices\":[{\"index\":0,\"delta\":{},").unwrap_or_default()];
    accept(g, "unfinished-text", cut.trim_end(), "The last event has text, but lacks its empty line.")
        .read_as(UNFINISHED);
}

fn calls(g: &mut Group) {
    let whole = FIRST.replace("\"role\":\"assistant\"", &format!("\"tool_calls\":{PIECE_LIST}"));
    accept(g, "call", &whole, "A call may come whole.").read_as(PIECES);
    accept(g, "calls", CALLS, "The pieces of two calls may alternate.").read_as(PIECES);
    let said = format!("{}{CALLS}", chunk(&json!({"content": "Let me look."})));
    accept(g, "text-and-calls", &said, "A choice may have content and calls.").read_as(PIECES);
    let null = HELLO.replace("\"delta\":{", "\"delta\":{\"tool_calls\":null,").replace("null,}", "null}");
    accept(g, "calls-null", &null, "A null member counts as absent.");
    let none = HELLO.replace("\"delta\":{", "\"delta\":{\"tool_calls\":[],").replace("[],}", "[]}");
    accept(g, "calls-empty", &none, "A list of pieces may be empty.");
    let again = CALLS.replace(
        "{\"index\":0,\"function\":{",
        "{\"index\":0,\"id\":\"call_1\",\"function\":{\"name\":\"weather\",",
    );
    accept(g, "calls-named-again", &again, "A piece may repeat the id and the name of its call.")
        .read_as(PIECES);
    let empty =
        CALLS.replace("{\"index\":0,\"function\":{", "{\"index\":0,\"id\":\"\",\"function\":{\"name\":null,");
    accept(g, "calls-emptied", &empty, "An empty id and a null name count as absent.").read_as(PIECES);
    let second = CALLS.replace("\"index\":1,", "\"index\":7,");
    accept(g, "calls-far-apart", &second, "The indexes of calls may have gaps.").read_as(PIECES);
}

const HEL: &str = "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hel\"}}]}";
const CONTENT: &str = "\"Hel\"";
const CHOICES: &str = "[{\"index\":0,\"delta\":{\"role\":\"assistant\"}}]";

const EVENTS: &[Wrong] = &[
    ("not-json", "hello", HEL, "Hel", &CHUNKS, "A word is not JSON."),
    ("json-cut", "hello", HEL, "{\"choices\":[{", &CHUNKS, "The object is not closed."),
    ("json-twice", "hello", HEL, "{\"choices\":[]}{\"choices\":[]}", &CHUNKS, "An event has two objects."),
    ("no-data", "hello", HEL, "", &CHUNKS, "The data of an event is empty."),
    ("null-event", "hello", HEL, "null", &CHUNKS, "Null is not a chunk."),
    ("array", "hello", HEL, "[]", &CHUNKS, "An array is not a chunk."),
    ("no-choices", "hello", HEL, "{\"detail\":\"overloaded\"}", &CHUNKS, "An event has no choices."),
    ("choices-null", "hello", CHOICES, "null", &CHUNKS, "Null is not an array of choices."),
    ("choices-object", "hello", CHOICES, "{}", &CHUNKS, "An object is not an array of choices."),
    ("choices-text", "hello", CHOICES, "\"\"", &CHUNKS, "A string is not an array of choices."),
    (
        "first-event",
        "hello",
        "{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\"}}]}",
        "{}",
        &CHUNKS,
        "The first event is not a chunk.",
    ),
    (
        "error",
        "hello",
        HEL,
        "{\"error\":{\"message\":\"overloaded\"}}",
        &ERROR_EVENT,
        "An event says that the stream has failed.",
    ),
    ("error-text", "hello", HEL, "{\"error\":\"overloaded\"}", &ERROR_EVENT, "The error may be a string."),
    (
        "error-and-choices",
        "hello",
        "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hel\"}}]}",
        "{\"error\":{\"code\":502},\"choices\":[]}",
        &ERROR_EVENT,
        "A chunk with an error is an error.",
    ),
    (
        "error-named",
        "hello",
        "\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lo\"}}]}",
        "\n\nevent: error\ndata: {\"message\":\"overloaded\"}",
        &ERROR_EVENT,
        "The name of an event says that the stream has failed.",
    ),
    (
        "error-named-chunk",
        "hello",
        "\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{}",
        "\n\nevent: error\ndata: {\"choices\":[{\"index\":0,\"delta\":{}",
        &ERROR_EVENT,
        "An event with the name `error` is not a chunk.",
    ),
    (
        "error-in-words",
        "hello",
        "\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lo\"}}]}",
        "\n\nevent: error\ndata: overloaded",
        &ERROR_EVENT,
        "The data of an error may be words.",
    ),
    (
        "error-first",
        "hello",
        "{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\"}}]}",
        "{\"error\":{}}",
        &ERROR_EVENT,
        "The first event may be an error.",
    ),
    (
        "error-last",
        "hello",
        "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}",
        "{\"error\":{}}",
        &ERROR_EVENT,
        "A text may have come whole before an error.",
    ),
];

const INCREMENTS: &[Wrong] = &[
    ("content-number", "hello", CONTENT, "7", &DELTA, "A number is not a string."),
    ("content-zero", "hello", CONTENT, "0", &DELTA, "A zero is not a string."),
    ("content-boolean", "hello", CONTENT, "true", &DELTA, "A boolean is not a string."),
    ("content-false", "hello", CONTENT, "false", &DELTA, "A boolean is not a string."),
    ("content-array", "hello", CONTENT, "[\"Hel\"]", &DELTA, "An array of one string is not a string."),
    ("content-empty-array", "hello", CONTENT, "[]", &DELTA, "An empty array is not a string."),
    ("content-object", "hello", CONTENT, "{\"text\":\"Hel\"}", &DELTA, "An object is not a string."),
    (
        "content-parts",
        "hello",
        CONTENT,
        "[{\"type\":\"text\",\"text\":\"Hel\"}]",
        &DELTA,
        "The parts of a request are not a string.",
    ),
    ("content-late", "hello", "\"lo\"", "7", &DELTA, "Each increment is a string, not only the first."),
    (
        "content-second-choice",
        "second-alone",
        "\"b\"",
        "7",
        &DELTA,
        "The increments of each choice are strings.",
    ),
];

/// Wrong pieces of calls.
const PIECES_OF_CALLS: &[Wrong] = &[
    ("calls-object", "call", PIECE_LIST, PIECE, &STREAMED, "One piece alone is not a list of pieces."),
    ("calls-text", "call", PIECE_LIST, "\"clock\"", &STREAMED, "A string is not a list of pieces."),
    (
        "piece-without-index",
        "call",
        "\"index\":0,\"id\"",
        "\"id\"",
        &STREAMED,
        "Nothing tells which call a piece belongs to.",
    ),
    (
        "index-text",
        "call",
        "\"index\":0,\"id\"",
        "\"index\":\"0\",\"id\"",
        &STREAMED,
        "A string is not an index.",
    ),
    (
        "index-negative",
        "call",
        "\"index\":0,\"id\"",
        "\"index\":-1,\"id\"",
        &STREAMED,
        "An index is not negative.",
    ),
    (
        "index-fraction",
        "call",
        "\"index\":0,\"id\"",
        "\"index\":0.5,\"id\"",
        &STREAMED,
        "An index has no fraction.",
    ),
    ("call-id-number", "call", "\"call_1\"", "1", &STREAMED, "A number is not an id."),
    (
        "call-id-missing",
        "call",
        "\"id\":\"call_1\",",
        "",
        &STREAMED,
        "A call without an id cannot be answered.",
    ),
    ("call-id-empty", "call", "\"call_1\"", "\"\"", &STREAMED, "An empty id names no call."),
    ("call-ids-equal", "calls", "\"call_2\"", "\"call_1\"", &STREAMED, "Two calls have one id."),
    (
        "call-id-changes",
        "calls-named-again",
        "{\"index\":0,\"id\":\"call_1\",\"function\":{\"name\":\"weather\",\"arguments\":\"\\\"Oslo",
        "{\"index\":0,\"id\":\"call_7\",\"function\":{\"name\":\"weather\",\"arguments\":\"\\\"Oslo",
        &STREAMED,
        "The pieces of one call have two ids.",
    ),
    (
        "call-merged",
        "calls",
        "\"index\":1,\"id\"",
        "\"index\":0,\"id\"",
        &STREAMED,
        "Two calls have one index.",
    ),
    ("name-number", "call", "\"clock\"", "7", &STREAMED, "A number is not a name."),
    ("name-missing", "call", "\"name\":\"clock\",", "", &STREAMED, "A call names no function."),
    ("name-empty", "call", "\"clock\"", "\"\"", &STREAMED, "An empty name names no function."),
    ("arguments-object", "call", "\"{}\"", "{}", &STREAMED, "An object is not a string with JSON."),
    ("arguments-number", "call", "\"{}\"", "7", &STREAMED, "A number is not a string with JSON."),
    ("arguments-array", "call", "\"{}\"", "[]", &STREAMED, "An array is not a string with JSON."),
];

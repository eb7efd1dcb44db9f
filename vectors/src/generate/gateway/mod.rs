//! The gateway: bodies of inference requests, with one wrong value each.

pub(super) mod chat;
pub(super) mod messages;

use assay_spec::Id;
use serde_json::json;

use super::group::{Group, set};

const BODY: &str = "/in/body";

/// A wrong value: the case, its base, what stands in the base, what takes its place, the row, and why.
type Wrong = (&'static str, &'static str, &'static str, &'static str, Id, &'static str);

/// One case for each wrong value.
fn reject_all(g: &mut Group, wrong: &[Wrong]) {
    for (name, base, old, new, row, why) in wrong {
        let edit = g.change(base, BODY, old, new);
        g.reject(name, base, [edit], row, why);
    }
}

/// Bodies that are no JSON object, made from the case `minimal`.
fn reject_bodies(g: &mut Group, row: Id) {
    let whole = g.input("minimal")["body"].clone();
    for (name, body, why) in [
        ("body-empty", "", "No bytes are no JSON."),
        ("body-null", "null", "Null is no object."),
        ("body-array", "[]", "An array is no object."),
        ("body-text", "\"m\"", "A text is no object."),
        ("body-number", "1", "A number is no object."),
        ("body-form", "model=m&messages=Hello", "A form is no JSON."),
    ] {
        g.reject(name, "minimal", [set(BODY, whole.clone(), json!({"utf8": body}))], row, why);
    }
    reject_all(
        g,
        &[
            ("body-cut", "minimal", "}]}", "}]", row, "The object does not end."),
            ("body-comma", "minimal", "}]}", "}],}", row, "JSON has no comma before a closing brace."),
            ("body-quotes", "minimal", "\"m\"", "'m'", row, "JSON has no single quotes."),
            ("body-comment", "minimal", "{\"model\"", "{/**/\"model\"", row, "JSON has no comments."),
            ("body-trailing", "minimal", "}]}", "}]}{}", row, "Nothing follows the object."),
            ("body-control", "minimal", "Hello", "Hel\nlo", row, "A line feed in a text is escaped."),
        ],
    );
    for (name, bytes, why) in [
        ("body-utf8-cut", "c3", "A sequence of two bytes has only its first."),
        ("body-utf8-overlong", "c0af", "A character is written in the fewest bytes."),
        ("body-utf8-surrogate", "eda080", "UTF-8 has no halves of pairs."),
        ("body-latin1", "e9", "A byte of another encoding is no UTF-8."),
    ] {
        let mut edit = g.change("minimal", BODY, "Hello", "");
        edit.new = json!({"hex": bytes});
        g.reject(name, "minimal", [edit], row, why);
    }
}

//! The gateway: bodies of inference requests and of streams, each with one wrong value.

pub(super) mod chat;
pub(super) mod messages;
pub(super) mod stream;

use assay_spec::Id;
use serde_json::json;

use super::group::{Group, set};

const BODY: &str = "/in/body";

/// A wrong value: case, base, text in the base, replacement, row, and why.
type Wrong = (&'static str, &'static str, &'static str, &'static str, Id, &'static str);

/// Adds one case for each wrong value.
fn reject_all(g: &mut Group, wrong: &[Wrong]) {
    for (name, base, old, new, row, why) in wrong {
        let edit = g.change(base, BODY, old, new);
        g.reject(name, base, [edit], row, why);
    }
}

/// Adds bodies that are not a JSON object, derived from the case `minimal`.
fn reject_bodies(g: &mut Group, row: Id) {
    let whole = g.input("minimal")["body"].clone();
    for (name, body, why) in [
        ("body-empty", "", "An empty body is not JSON."),
        ("body-null", "null", "Null is not an object."),
        ("body-array", "[]", "An array is not an object."),
        ("body-text", "\"m\"", "A string is not an object."),
        ("body-number", "1", "A number is not an object."),
        ("body-form", "model=m&messages=Hello", "A URL-encoded form is not JSON."),
    ] {
        g.reject(name, "minimal", [set(BODY, whole.clone(), json!({"utf8": body}))], row, why);
    }
    reject_all(
        g,
        &[
            ("body-cut", "minimal", "}]}", "}]", row, "The object is not closed."),
            ("body-comma", "minimal", "}]}", "}],}", row, "JSON has no trailing comma."),
            ("body-quotes", "minimal", "\"m\"", "'m'", row, "JSON strings have double quotes."),
            ("body-comment", "minimal", "{\"model\"", "{/**/\"model\"", row, "JSON has no comments."),
            ("body-trailing", "minimal", "}]}", "}]}{}", row, "Nothing follows the object."),
            ("body-control", "minimal", "Hello", "Hel\nlo", row, "A line feed in a string must be escaped."),
        ],
    );
    for (name, bytes, why) in [
        ("body-utf8-cut", "c3", "A two-byte UTF-8 sequence has only its first byte."),
        ("body-utf8-overlong", "c0af", "An overlong form is not valid UTF-8."),
        ("body-utf8-surrogate", "eda080", "An encoded surrogate is not valid UTF-8."),
        ("body-latin1", "e9", "A Latin-1 byte is not valid UTF-8."),
    ] {
        let mut edit = g.change("minimal", BODY, "Hello", "");
        edit.new = json!({"hex": bytes});
        g.reject(name, "minimal", [edit], row, why);
    }
}

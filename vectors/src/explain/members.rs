//! Members of an input or a response: byte members as a dump, strings as they are, with differences from the base
//! marked.

use assay_spec::crypto::text::parse_base64;
use serde_json::Value;

use super::line::{Line, Page, Tone};
use super::{dump, entries, is_bytes, parts};
use crate::case::Case;
use crate::edit::look;

/// Values up to this length are on one line.
const ONE_LINE: usize = 100;
/// The maximum depth to which values are expanded.
const DEPTH: usize = 10;

/// All members of `value`, compared with those of the base.
pub(super) fn list(page: &mut Page, case: &Case, value: &Value, before: Option<&Value>) {
    let of =
        At { case, is_input: std::ptr::eq(value, &raw const case.input), indent: 2, path: "/in".to_owned() };
    of.members(page, value, before);
}

/// A position in the value.
struct At<'a> {
    case: &'a Case,
    is_input: bool,
    indent: usize,
    path: String,
}

impl At<'_> {
    fn inside(&self, name: &str) -> Self {
        At {
            case: self.case,
            is_input: self.is_input,
            indent: self.indent + 2,
            path: format!("{}/{name}", self.path),
        }
    }

    fn members(&self, page: &mut Page, value: &Value, before: Option<&Value>) {
        for (name, member) in value.as_object().into_iter().flatten() {
            self.member(page, name, member, before.map(|before| &before[name]));
        }
        let gone = before.and_then(Value::as_object).into_iter().flatten();
        for (name, was) in gone.filter(|(name, was)| value.get(name).is_none() && !was.is_null()) {
            let line = self.start(page, name);
            line.push(Tone::Changed, "absent");
            line.push(Tone::Faint, &format!(", was {}", super::short(was)));
        }
    }

    fn start<'p>(&self, page: &'p mut Page, name: &str) -> &'p mut Line {
        let line = page.line();
        line.push(Tone::Plain, &format!("{}{name}: ", " ".repeat(self.indent)));
        line
    }

    fn member(&self, page: &mut Page, name: &str, value: &Value, before: Option<&Value>) {
        let path = format!("{}/{name}", self.path);
        let place = dump::Position { case: self.case, name, indent: self.indent };
        let edits = if self.is_input { self.case.edit.as_slice() } else { &[] };
        match value {
            Value::Array(list) if name == "entries" => entries::list(page, list, before),
            Value::Object(_) if is_bytes(value) => dump::member(page, &place, value, before, &path, edits),
            Value::String(text) => {
                marked(self.start(page, name), text, before);
                if name == "authorization" && self.is_input {
                    self.header(page, value, before);
                }
                self.sealed(page, name, text, before);
            }
            Value::Object(_) | Value::Array(_) if self.is_nested(value) => {
                let line = self.start(page, name);
                let count = value.as_array().map(|list| format!("{} of them", list.len()));
                line.push(Tone::Faint, &count.unwrap_or_default());
                let inside = self.inside(name);
                inside.members(page, value, before);
                for (n, element) in value.as_array().into_iter().flatten().enumerate() {
                    inside.member(page, &n.to_string(), element, before.map(|before| &before[n]));
                }
                let was = before.and_then(Value::as_array).map_or(0, Vec::len);
                let is = value.as_array().map_or(was, Vec::len);
                if was > is {
                    inside.start(page, "…").push(Tone::Changed, &format!("{} fewer", was - is));
                }
            }
            other => {
                let same = before.is_none_or(|before| before == value);
                self.start(page, name)
                    .push(if same { Tone::Plain } else { Tone::Changed }, &other.to_string());
            }
        }
    }

    fn is_nested(&self, value: &Value) -> bool {
        let is_empty = value.as_array().is_some_and(Vec::is_empty)
            || value.as_object().is_some_and(serde_json::Map::is_empty);
        let has_bytes =
            |value: &Value| value.as_object().into_iter().flatten().any(|(_, value)| is_bytes(value));
        let deep = self.path.matches('/').count() > DEPTH;
        !is_empty && !deep && (value.to_string().len() > ONE_LINE || has_bytes(value))
    }

    /// The parts of an authorization header.
    fn header(&self, page: &mut Page, header: &Value, before: Option<&Value>) {
        let part = |header: &Value, name: &str| {
            look(&serde_json::json!({"authorization": header}), &format!("/in/authorization/{name}")).ok()
        };
        let inside = self.inside("authorization");
        if let Some(Value::String(message)) = part(header, "message") {
            let was = before.map(|before| part(before, "message").unwrap_or_default());
            marked(inside.start(page, "message"), &message, was.as_ref());
        }
        if let Some(signature) = part(header, "signature") {
            let was = before.map(|before| part(before, "signature").unwrap_or_default());
            let place = dump::Position { case: self.case, name: "signature", indent: inside.indent };
            dump::member(page, &place, &signature, was.as_ref(), "", &[]);
        }
    }

    /// The bytes in the base64 strings of an envelope.
    fn sealed(&self, page: &mut Page, name: &str, text: &str, before: Option<&Value>) {
        let is_dek = self.path.ends_with("/deks");
        if !(is_dek || matches!(name, "ct" | "iv" | "tag")) {
            return;
        }
        let Some(bytes) = parse_base64(text) else { return };
        let name = if is_dek { "ciphertext" } else { name };
        let was = before.map(|before| before.as_str().and_then(parse_base64).unwrap_or_default());
        let labels = parts::of_bytes(self.case, name, bytes.len());
        let changed = was.filter(|was| *was != bytes).map(|was| dump::difference(&was, &bytes));
        dump::dump(page, self.indent + 2, 0, &bytes, changed.as_slice(), &labels);
    }
}

/// A string in quotes, with the difference from the base marked.
fn marked(line: &mut Line, text: &str, before: Option<&Value>) {
    let quoted = |text: &str| {
        let text = format!("{text:?}");
        text[1..text.len() - 1].replace("\\\"", "\"")
    };
    let (front, changed, back) = match before {
        None => (text, "", ""),
        Some(Value::String(before)) => split(before, text),
        Some(_) => ("", text, ""),
    };
    line.push(Tone::Plain, &format!("\"{}", quoted(front)));
    match before {
        // Characters may be removed without a replacement.
        Some(before) if changed.is_empty() && before != text => line.push(Tone::Changed, ""),
        _ if changed.is_empty() => {}
        _ => line.push(Tone::Changed, &quoted(changed)),
    }
    line.push(Tone::Plain, &format!("{}\"", quoted(back)));
}

/// The common prefix, the difference, and the common suffix.
fn split<'a>(before: &str, after: &'a str) -> (&'a str, &'a str, &'a str) {
    let same = |(a, b): &(char, char)| a == b;
    let front: usize = after.chars().zip(before.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let (rest, other) = (&after[front..], &before[front..]);
    let back: usize =
        rest.chars().rev().zip(other.chars().rev()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    (&after[..front], &rest[..rest.len() - back], &rest[rest.len() - back..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn difference_of_strings_is_between_common_prefix_and_suffix() {
        assert_eq!(split("abc", "abc"), ("abc", "", ""));
        assert_eq!(split("abc", "aXc"), ("a", "X", "c"));
        assert_eq!(split("abc", "ac"), ("a", "", "c"));
        assert_eq!(split("aa", "aaa"), ("aa", "a", ""));
        assert_eq!(split("aé", "aè"), ("a", "è", ""));
        assert_eq!(split("", "x"), ("", "x", ""));
    }
}

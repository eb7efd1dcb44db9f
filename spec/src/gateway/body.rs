//! Parses the JSON bodies of inference requests in one pass. Each wrong type is rejected by its own row.
//!
//! A row is consulted only if its statement is broken, so that a long conversation costs no more than its bytes. A
//! violated row always leaves a value to respond to.

use std::io::{self, Write};

use memchr::memchr2;
use serde_json::{Map, Value};

use super::limits;
use super::mistakes::input::SPELLING;
use super::requirements::input::LIMITS;
use crate::limit::Limit;
use crate::{Id, Refused, Rules, spelling};

/// The object of a body. `rule` rejects a body that is not an object; `None` if that rule is violated.
///
/// If a member appears twice, the last one counts.
pub(super) fn object(
    bytes: &[u8],
    rule: Id,
    rules: &mut dyn Rules,
) -> Result<Option<Map<String, Value>>, Refused> {
    let depth = Scan::read(bytes).depth;
    within(&format_args!("the body's depth"), depth, &limits::DEPTH, rules)?;
    match serde_json::from_slice::<Map<String, Value>>(bytes) {
        Ok(object) => {
            spelling::accept(&SPELLING, bytes, object.keys(), rules)?;
            Ok(Some(object))
        }
        Err(e) => broken(rule, rules, || format!("not a JSON object: {e}")).map(|()| None),
    }
}

/// The statement of `rule` is broken: rejects, unless the rule is violated.
pub(super) fn broken(rule: Id, rules: &mut dyn Rules, why: impl Fn() -> String) -> Result<(), Refused> {
    rules.require(rule, false, why)
}

/// As [`broken`], by a value.
pub(super) fn wrong(
    rule: Id,
    sent: Option<&Value>,
    rules: &mut dyn Rules,
    why: impl Fn() -> String,
) -> Result<(), Refused> {
    rules.require_value(rule, sent, None, false, why)
}

/// Rejects more than the limit.
pub(super) fn within(
    what: &dyn std::fmt::Display,
    count: usize,
    most: &Limit,
    rules: &mut dyn Rules,
) -> Result<(), Refused> {
    if count > most.usize() {
        broken(&LIMITS, rules, || format!("{what} is {count}, the most is {most}"))?;
    }
    Ok(())
}

/// The messages of a request. The rules: for the array, for each message in it, and for an empty array.
pub(super) fn conversation<T>(
    request: &Map<String, Value>,
    [array, each, empty]: [Id; 3],
    rules: &mut dyn Rules,
    read: impl Fn(&Map<String, Value>, &mut dyn Rules) -> Result<T, Refused>,
) -> Result<Vec<T>, Refused> {
    let Some(said) = required(request, "messages", array, rules, Value::as_array)? else {
        return Ok(Vec::new());
    };
    within(&"the number of messages", said.len(), &limits::MESSAGES, rules)?;
    if said.is_empty() {
        broken(empty, rules, || "messages is empty".to_owned())?;
    }
    let mut messages = Vec::with_capacity(said.len());
    for value in said {
        let Value::Object(message) = value else {
            wrong(each, Some(value), rules, || format!("a message is {}, not an object", kind(value)))?;
            continue;
        };
        messages.push(read(message, rules)?);
    }
    Ok(messages)
}

/// A member, unless it is null.
pub(super) fn given<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    object.get(name).filter(|value| !value.is_null())
}

/// A required member that `read` must be able to read.
pub(super) fn required<'a, T>(
    object: &'a Map<String, Value>,
    name: &str,
    rule: Id,
    rules: &mut dyn Rules,
    read: impl FnOnce(&'a Value) -> Option<T>,
) -> Result<Option<T>, Refused> {
    let value = object.get(name);
    let found = value.and_then(read);
    if found.is_none() {
        wrong(rule, value, rules, || format!("{name} is {}", value.map_or("missing", kind)))?;
    }
    Ok(found)
}

/// An optional member. If it is present and not null, `read` must be able to read it.
pub(super) fn optional<'a, T>(
    object: &'a Map<String, Value>,
    name: &str,
    rule: Id,
    rules: &mut dyn Rules,
    read: impl FnOnce(&'a Value) -> Option<T>,
) -> Result<Option<T>, Refused> {
    if given(object, name).is_none() {
        return Ok(None);
    }
    required(object, name, rule, rules, read)
}

/// The type of a value, for logs. Never its content, which may be a prompt.
pub(super) const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Writes bytes that are the same for the same request, whatever the order of its members: JSON without whitespace,
/// members sorted, without the top-level members in `left_out`. The only errors are those of the writer.
pub fn write_canonical(body: &Value, left_out: &[&str], to: &mut impl Write) -> io::Result<()> {
    match body {
        Value::Object(members) => {
            let kept = members.iter().filter(|(name, _)| !left_out.contains(&name.as_str()));
            write_object(kept, to)
        }
        other => write(other, to),
    }
}

fn write(value: &Value, to: &mut impl Write) -> io::Result<()> {
    match value {
        Value::Object(members) => write_object(members.iter(), to),
        Value::Array(items) => {
            to.write_all(b"[")?;
            for (n, item) in items.iter().enumerate() {
                if n > 0 {
                    to.write_all(b",")?;
                }
                write(item, to)?;
            }
            to.write_all(b"]")
        }
        other => Ok(serde_json::to_writer(to, other)?),
    }
}

fn write_object<'a>(
    members: impl Iterator<Item = (&'a String, &'a Value)>,
    to: &mut impl Write,
) -> io::Result<()> {
    let mut sorted: Vec<_> = members.collect();
    sorted.sort_unstable_by_key(|(name, _)| *name);
    to.write_all(b"{")?;
    for (n, (name, value)) in sorted.into_iter().enumerate() {
        if n > 0 {
            to.write_all(b",")?;
        }
        serde_json::to_writer(&mut *to, name)?;
        to.write_all(b":")?;
        write(value, to)?;
    }
    to.write_all(b"}")
}

/// The result of a token scan. The bytes need not be valid JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Scan {
    /// How deep arrays and objects nest.
    pub(super) depth: usize,
    /// Whether there is a number beyond the range of a double.
    pub(super) huge_number: bool,
}

impl Scan {
    /// One pass over the bytes.
    pub(super) fn read(bytes: &[u8]) -> Scan {
        let (mut scan, mut open, mut at) = (Scan::default(), 0_usize, 0);
        while let Some(&byte) = bytes.get(at) {
            at = match byte {
                b'"' => string_end(bytes, at + 1),
                b'-' | b'0'..=b'9' => {
                    let end = number_end(bytes, at + 1);
                    scan.huge_number |= is_huge(&bytes[at..end]);
                    end
                }
                b'[' | b'{' => {
                    open += 1;
                    scan.depth = scan.depth.max(open);
                    at + 1
                }
                b']' | b'}' => {
                    open = open.saturating_sub(1);
                    at + 1
                }
                // Most of a body that is large is blank or in strings.
                ..=b' ' => at + 1 + blanks(&bytes[at + 1..]),
                _ => at + 1,
            };
        }
        scan
    }
}

/// The position after the closing quote.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}

/// The number of leading bytes that are blank, or control bytes, in whole groups: no token begins with such a byte.
fn blanks(bytes: &[u8]) -> usize {
    let (groups, _) = bytes.as_chunks::<16>();
    // Without a branch for each byte.
    let is_blank = |group: &&[u8; 16]| group.iter().fold(0, |most, byte| *byte.max(&most)) <= b' ';
    16 * groups.iter().take_while(is_blank).count()
}

fn number_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes[at..].iter();
    at + rest.take_while(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')).count()
}

fn is_huge(token: &[u8]) -> bool {
    let number = std::str::from_utf8(token).ok().and_then(|text| text.parse::<f64>().ok());
    number.is_some_and(f64::is_infinite)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn depth_ignores_brackets_in_strings() {
        let depth = |text: &str| Scan::read(text.as_bytes()).depth;
        assert_eq!(depth(""), 0);
        assert_eq!(depth("1"), 0);
        assert_eq!(depth("{\"a\":[{}]}"), 3);
        assert_eq!(depth("[\"[[[\\\"[[\",[]]"), 2);
        assert_eq!(depth("]]]][[\"\\"), 2);
        assert_eq!(depth(&"[".repeat(1_000_000)), 1_000_000);
    }

    #[test]
    fn blanks_and_control_bytes_are_skipped() {
        for blanks in 0..40 {
            for blank in [" ", "\n", "\t", "\0", "\u{1f}"] {
                let between = blank.repeat(blanks);
                let text = format!("{between}[{between}1{between},{between}{{\"{between}{{\\\"{between}\"");
                assert_eq!(Scan::read(text.as_bytes()), Scan { depth: 2, huge_number: false }, "{text:?}");
                let text = format!("{between}1{between},{between}1e999{between}");
                assert!(Scan::read(text.as_bytes()).huge_number, "{text:?}");
            }
        }
    }

    #[test]
    fn numbers_beyond_doubles_are_detected() {
        let huge = |text: &str| Scan::read(text.as_bytes()).huge_number;
        assert!(huge("[1e999]") && huge("{\"a\":-1E+400}") && huge(&"9".repeat(400)));
        assert!(!huge("[1e308,\"1e999\",18446744073709551616,1e-999]"));
        assert!(!huge("1e999e"), "not a number");
    }

    #[test]
    fn canonical_bytes_ignore_order_and_whitespace() {
        let canonical = |body: &Value, left_out: &[&str]| {
            let mut bytes = Vec::new();
            write_canonical(body, left_out, &mut bytes).unwrap();
            bytes
        };
        let one = json!({"b": [1.5, {"y": null, "x": "\u{e9}\""}], "a": true, "stream": true});
        let other: Value =
            serde_json::from_str("{\"a\":true , \"b\":[1.50,{\"x\":\"\\u00e9\\\"\",\"y\":null}]}").unwrap();
        assert_eq!(canonical(&one, &["stream"]), canonical(&other, &[]));
        assert_eq!(
            canonical(&other, &[]),
            "{\"a\":true,\"b\":[1.5,{\"x\":\"é\\\"\",\"y\":null}]}".as_bytes()
        );
        assert_ne!(canonical(&one, &[]), canonical(&other, &[]));
        assert_eq!(canonical(&json!([1]), &["stream"]), b"[1]");
    }
}

//! Bytes as a dump: sixteen a line, a new line at each part, what was changed marked.

use std::fmt::Write;
use std::ops::Range;

use serde_json::Value;

use super::Page;
use super::parts::parts;
use crate::bytes::Recipe;
use crate::case::Edit;
use crate::edit::content;

/// Bytes that are shown in full.
const SHOWN: usize = 4096;
/// Of more bytes: so many at both ends, and around both ends of what was changed.
const MARGIN: usize = 96;

/// A member with its length. What a rule makes is told, not shown.
pub(super) fn member(page: &mut Page, name: &str, value: &Value, before: Option<&Value>, edits: &[Edit]) {
    let length = |value: &Value| Recipe::read(name, value).map_or(0, |recipe| recipe.size());
    page.line(&format!("  {name}: {} bytes", length(value)));
    let path = format!("/in/{name}");
    let Some(pieces) = value["concat"].as_array() else {
        piece(page, name, 0, value, before, &spliced(edits, &path));
        return;
    };
    let mut at = 0;
    for (n, value) in pieces.iter().enumerate() {
        let marks = spliced(edits, &format!("{path}/concat/{n}"));
        piece(page, name, at, value, before.and_then(|before| before["concat"].get(n)), &marks);
        at += length(value) as usize;
    }
}

/// Where the edits of a member put bytes, if each of them stands behind the one before it.
fn spliced(edits: &[Edit], path: &str) -> Vec<Range<usize>> {
    let mut marks: Vec<Range<usize>> = Vec::new();
    for edit in edits.iter().filter(|edit| edit.path.starts_with(path)) {
        let new = Some(&edit.new).filter(|_| edit.path == path).and_then(|new| match new {
            Value::String(hex) => Some(hex.len() / 2),
            other => content(other).ok().map(|bytes| bytes.len()),
        });
        match (edit.at, new) {
            (Some(at), Some(length)) if marks.last().is_none_or(|last| last.end <= at) => {
                marks.push(at..at + length);
            }
            _ => return Vec::new(),
        }
    }
    marks
}

/// Where `after` differs from `before`: from the first to the last byte that is another.
pub(super) fn difference(before: &[u8], after: &[u8]) -> Range<usize> {
    let front = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let shorter = before.len().min(after.len());
    let back =
        before.iter().rev().zip(after.iter().rev()).take(shorter - front).take_while(|(a, b)| a == b).count();
    front..after.len() - back
}

/// Bytes that stand at `at` of their member.
fn piece(
    page: &mut Page,
    name: &str,
    at: usize,
    value: &Value,
    before: Option<&Value>,
    marks: &[Range<usize>],
) {
    if let Some(rule) = super::rule(value) {
        let same = before.is_none_or(|before| before == value);
        let rule = if same { rule } else { page.mark(&rule) };
        page.line(&format!("    {at:06x}  {rule}"));
        return;
    }
    let bytes = content(value).unwrap_or_default();
    let all = before.map_or(0..0, |before| difference(&content(before).unwrap_or_default(), &bytes));
    let changed = if marks.is_empty() { std::slice::from_ref(&all) } else { marks };
    let mut labels = parts(name, value);
    if labels.is_empty() {
        // What does not decode is labelled as its base, up to the change.
        labels = before.map_or_else(Vec::new, |before| parts(name, before));
        labels.retain(|(start, _)| *start <= all.start);
    }
    dump(page, at, &bytes, changed, &labels);
}

/// Long runs of one byte are told, not shown; so is the inside of what is long.
fn dump(page: &mut Page, first: usize, bytes: &[u8], changed: &[Range<usize>], parts: &[(usize, String)]) {
    let near = |at: usize, place: usize| at.abs_diff(place) < MARGIN;
    let ends: Vec<usize> =
        changed.iter().flat_map(|range| [range.start, range.end]).chain([0, bytes.len()]).collect();
    let is_shown = |at: usize| bytes.len() <= SHOWN || ends.iter().any(|place| near(at, *place));
    let (mut at, mut left_out) = (0, 0);
    while at < bytes.len() {
        let label = parts.iter().find(|(start, _)| *start == at).map_or("", |(_, label)| label);
        let next = parts.iter().map(|(start, _)| *start).find(|start| *start > at).unwrap_or(bytes.len());
        let end = next.min(at + 16).min(bytes.len());
        if !is_shown(at) {
            left_out += end - at;
            at = end;
            continue;
        }
        if left_out > 0 {
            page.line(&format!("            {left_out} bytes more"));
            left_out = 0;
        }
        let place = first + at;
        let run = bytes[at..].iter().take_while(|byte| **byte == bytes[at]).count();
        if run > 64 {
            page.line(&format!("    {place:06x}  {run} times {:02x}  {label}", bytes[at]));
            at += run;
            continue;
        }
        let (mut hex, mut text) = (String::new(), String::new());
        for (n, byte) in bytes[at..end].iter().enumerate() {
            let pair = format!("{byte:02x}");
            let is_changed = changed.iter().any(|range| range.contains(&(at + n)));
            let _ = write!(hex, "{} ", if is_changed { page.mark(&pair) } else { pair });
            text.push(if byte.is_ascii_graphic() || *byte == b' ' { char::from(*byte) } else { '.' });
        }
        let padding = " ".repeat(3 * (16 - (end - at)));
        page.line(&format!("    {place:06x}  {hex}{padding} {text:16}  {label}"));
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_where_the_bytes_differ() {
        assert_eq!(difference(b"abc", b"abc"), 3..3);
        assert_eq!(difference(b"abc", b"axc"), 1..2);
        assert_eq!(difference(b"abc", b"abbc"), 2..3);
        assert_eq!(difference(b"aa", b"aaa"), 2..3);
        assert_eq!(difference(b"abc", b""), 0..0);
    }
}

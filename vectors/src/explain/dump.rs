//! Bytes as a dump: sixteen a line, a new line at each part, what was changed marked.

use std::fmt::Write;
use std::ops::Range;

use serde_json::Value;

use super::line::{Page, Tone};
use super::parts::parts;
use crate::bytes::Recipe;
use crate::case::{Case, Edit};
use crate::edit::content;

/// Bytes that are shown in full.
const SHOWN: usize = 4096;
/// Of more bytes: so many at both ends, and around both ends of what was changed.
const MARGIN: usize = 96;

/// Here something was taken away.
const GAP: &str = "‸";

/// Which bytes, and where on the page.
pub(super) struct Place<'a> {
    pub(super) case: &'a Case,
    pub(super) name: &'a str,
    pub(super) indent: usize,
}

/// Bytes that have no base, with the labels of their parts.
pub(super) fn bytes(page: &mut Page, indent: usize, bytes: &[u8], labels: &[(usize, String)]) {
    dump(page, indent, 0, bytes, &[], labels);
}

/// A member with its length. What a rule makes is told, not shown. `path` is where the edits find it.
pub(super) fn member(
    page: &mut Page,
    place: &Place<'_>,
    value: &Value,
    before: Option<&Value>,
    path: &str,
    edits: &[Edit],
) {
    let length = |value: &Value| Recipe::read(place.name, value).map_or(0, |recipe| recipe.size());
    page.plain(&format!("{}{}: {} bytes", " ".repeat(place.indent), place.name, length(value)));
    if before.is_some_and(|before| length(before) > 0 && length(value) == 0) {
        page.line().push(Tone::Changed, &format!("{}nothing", " ".repeat(place.indent + 2)));
    }
    let Some(pieces) = value["concat"].as_array() else {
        piece(page, place, 0, value, before, &spliced(edits, path));
        return;
    };
    let mut at = 0;
    for (n, value) in pieces.iter().enumerate() {
        let marks = spliced(edits, &format!("{path}/concat/{n}"));
        piece(page, place, at, value, before.and_then(|before| before["concat"].get(n)), &marks);
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
                marks.push(at..at.saturating_add(length));
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
    place: &Place<'_>,
    at: usize,
    value: &Value,
    before: Option<&Value>,
    marks: &[Range<usize>],
) {
    if let Some(rule) = super::rule(value) {
        let same = before.is_none_or(|before| before == value);
        let line = page.line();
        line.push(Tone::Faint, &format!("{}{at:06x}  ", " ".repeat(place.indent + 2)));
        line.push(if same { Tone::Plain } else { Tone::Changed }, &rule);
        return;
    }
    let bytes = content(value).unwrap_or_default();
    let was = before.map(|before| content(before).unwrap_or_default()).filter(|was| *was != bytes);
    let all = was.map(|was| difference(&was, &bytes));
    let changed = if marks.is_empty() { all.as_slice() } else { marks };
    let mut labels = parts(place.case, place.name, value);
    if labels.is_empty() {
        // What does not decode is labelled as its base, up to the change.
        labels = before.map_or_else(Vec::new, |before| parts(place.case, place.name, before));
        labels.retain(|(start, _)| all.as_ref().is_none_or(|all| *start <= all.start));
    }
    dump(page, place.indent + 2, at, &bytes, changed, &labels);
}

/// Long runs of one byte are told, not shown; so is the inside of what is long.
pub(super) fn dump(
    page: &mut Page,
    indent: usize,
    first: usize,
    bytes: &[u8],
    changed: &[Range<usize>],
    parts: &[(usize, String)],
) {
    let margin = " ".repeat(indent);
    let near = |at: usize, place: usize| at.abs_diff(place) < MARGIN;
    let ends: Vec<usize> =
        changed.iter().flat_map(|range| [range.start, range.end]).chain([0, bytes.len()]).collect();
    let is_shown = |at: usize| bytes.len() <= SHOWN || ends.iter().any(|place| near(at, *place));
    let is_changed = |at: usize| changed.iter().any(|range| range.contains(&at));
    // Where something was only taken away, the place is marked.
    let is_gap = |at: usize| changed.iter().any(|range| range.is_empty() && range.start == at);
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
            page.line().push(Tone::Faint, &format!("{margin}        {left_out} bytes more"));
            left_out = 0;
        }
        let place = first + at;
        let run = bytes[at..].iter().take_while(|byte| **byte == bytes[at]).count();
        let line = page.line();
        line.push(Tone::Faint, &format!("{margin}{place:06x}  "));
        if run > 64 {
            let tone = if is_changed(at) { Tone::Changed } else { Tone::Plain };
            line.push(tone, &format!("{run} times {:02x}", bytes[at]));
            line.push(Tone::Faint, &format!("  {label}"));
            at += run;
            continue;
        }
        if at == 0 && is_gap(0) {
            line.push(Tone::Changed, GAP);
        }
        let mut text = String::new();
        for (n, byte) in bytes[at..end].iter().enumerate() {
            let mut pair = String::new();
            let _ = write!(pair, "{byte:02x}");
            line.push(if is_changed(at + n) { Tone::Changed } else { Tone::Plain }, &pair);
            let (tone, between) = if is_gap(at + n + 1) { (Tone::Changed, GAP) } else { (Tone::Plain, " ") };
            line.push(tone, between);
            text.push(if byte.is_ascii_graphic() || *byte == b' ' { char::from(*byte) } else { '.' });
        }
        let padding = " ".repeat(3 * (16 - (end - at)));
        line.push(Tone::Plain, &format!("{padding} {text:16}  "));
        line.push(Tone::Faint, label);
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

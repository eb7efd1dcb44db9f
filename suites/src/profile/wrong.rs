//! Errors in a profile: file, line, caret, and what to do.

use std::fmt;
use std::ops::Range;

use assay_spec::names::nearest;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{arrays, secret_keys, tables};
use crate::support::prose::one_line;

/// Why a profile cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// The file cannot be read.
    #[error("cannot read the profile {file}: {why}")]
    Unreadable {
        /// The file name as given.
        file: String,
        /// The system's reason.
        why: String,
    },
    /// The file does not exist.
    #[error("the profile {0} does not exist; assay init writes a first one")]
    Missing(String),
    /// Something in the file is invalid.
    #[error(transparent)]
    Wrong(Box<Wrong>),
}

/// One error in a profile, with its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Wrong {
    /// The file name as given.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The key, such as `publish.url` or `publish.domains[1]`; empty at the top level or if the file is not valid TOML.
    pub key: String,
    /// What is wrong, and what to do.
    pub message: String,
    /// The line, without anything that may be a secret.
    pub text: String,
    /// How many characters the caret marks.
    pub width: usize,
}

/// The message, then the line with a caret under the position.
impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Wrong { file, line, column, key, message, text, width } = self;
        let about = if key.is_empty() { String::new() } else { format!("{key}: ") };
        let gutter = " ".repeat(line.to_string().len());
        // Keep tabs, so that the caret is under its position.
        let indent: String =
            text.chars().take(column - 1).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        writeln!(f, "{file}:{line}:{column}: {about}{message}")?;
        writeln!(f, "{gutter} |")?;
        writeln!(f, "{line} | {text}")?;
        write!(f, "{gutter} | {indent}{}", "^".repeat(*width))
    }
}

/// A profile's text and file name, to show positions in it.
#[derive(Clone, PartialEq, Eq)]
pub struct Source {
    file: String,
    text: String,
}

impl Source {
    /// A source with this file name and text.
    pub fn new(file: String, text: String) -> Source {
        Source { file, text }
    }

    /// The file name as given.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// An error about the value of a key such as `gateway.key`, in a profile that was parsed without errors.
    pub fn wrong_at(&self, key: &str, message: &str) -> Wrong {
        let span = self.span(key);
        // A parsed profile contains no secret, so the line may be shown.
        Wrong::at(&self.text, &self.file, key, message, span, str::to_owned)
    }
}

impl Source {
    /// Where a key is, for one line of text: `p.toml:7: gateway.models.chat`.
    pub fn place_of(&self, key: &str) -> String {
        let line = self.text[..self.text.floor_char_boundary(self.span(key).start)].matches('\n').count() + 1;
        format!("{}:{line}: {key}", self.file)
    }

    /// The span of a key's value, or of the innermost table that should contain it.
    fn span(&self, key: &str) -> Range<usize> {
        let (table, _) = DeTable::parse_recoverable(&self.text);
        let mut key = key;
        loop {
            if let Some(span) = span_of(table.get_ref(), key) {
                return span;
            }
            let Some(at) = key.rfind(['.', '[']) else { return 0..0 };
            key = &key[..at];
        }
    }
}

/// Prints no text.
impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source({})", self.file)
    }
}

impl Wrong {
    /// An error of the parser at the span. `is_read` says that the text is valid TOML in the form of a profile.
    pub(super) fn in_text(
        text: &str,
        file: &str,
        table: &DeTable<'_>,
        (message, is_read): (&str, bool),
        span: Range<usize>,
    ) -> Wrong {
        // The second of two equal keys is in no table. Any other word there may be a misplaced secret.
        let twice = if message == "duplicate key" { text.get(span.clone()) } else { None };
        let key = key_at(table, &span).unwrap_or_else(|| bare_key(twice.unwrap_or_default()).into());
        let (line_start, line) = line_at(text, span.start);
        let of_line = |at: usize| line.floor_char_boundary(at.saturating_sub(line_start));
        let marked = of_line(span.start)..of_line(span.end);
        let shown = if message.starts_with("unknown field ") {
            up_to_key(line, marked)
        } else if !is_read {
            up_to_value(line, is_within_text(&text[..line_start]))
        } else if may_hold_secret(line, &key) {
            up_to_value(line, false)
        } else {
            line.to_owned()
        };
        let last = key.rsplit('.').next().and_then(|last| last.split('[').next()).unwrap_or_default();
        let is_known = is_read || shown.contains(last) || is_secret_key(key.as_str());
        let key = if is_known { key } else { String::new() };
        Wrong::at(text, file, &key, &with_suggestion(message), span, |_| shown)
    }

    fn at(
        source: &str,
        file: &str,
        key: &str,
        message: &str,
        span: Range<usize>,
        shown: impl FnOnce(&str) -> String,
    ) -> Wrong {
        let start = source.floor_char_boundary(span.start);
        let before = &source[..start];
        let (line_start, line) = line_at(source, start);
        // Replace control characters, so that they cannot control the terminal. Keep tabs for their width.
        let text = shown(line).replace(|c: char| c.is_control() && c != '\t', "\u{fffd}");
        let (key, message) = (one_line(key.as_bytes()), one_line(message.as_bytes()));
        let width = source[start..source.floor_char_boundary(span.end).max(start)].lines().next();
        let column = before[line_start..].chars().count() + 1;
        let room = (text.chars().count() + 1).saturating_sub(column);
        Wrong {
            file: file.into(),
            line: before.matches('\n').count() + 1,
            column,
            key,
            message,
            text,
            width: width.map_or(0, |marked| marked.chars().count()).min(room).max(1),
        }
    }
}

/// The start of the line that contains `at`, and the line.
fn line_at(text: &str, at: usize) -> (usize, &str) {
    let start = text[..text.floor_char_boundary(at)].rfind('\n').map_or(0, |at| at + 1);
    (start, text[start..].lines().next().unwrap_or_default())
}

/// Whether the line may contain a secret although it must not: as the value of a secret's key, or in the user or query
/// part of a URL.
fn may_hold_secret(line: &str, key: &str) -> bool {
    let mut names: Vec<&str> = line.split('=').collect();
    names.pop();
    let last = |name: &str| {
        let last = name.trim().rsplit(['.', ' ', '\t', '{', ',']).next().unwrap_or_default();
        last.trim_matches(['"', '\'']).to_owned()
    };
    let is_secret = |name: &str| secrets().any(|secret| secret.rsplit('.').next() == Some(name));
    secrets().any(|secret| key.starts_with(&secret))
        || names.into_iter().any(|name| is_secret(&last(name)))
        || line.contains(['@', '?', '#'])
}

/// The line up to its first value. Nothing if it begins inside a string or with anything but a name, since that is a
/// value already.
fn up_to_value(line: &str, is_within_text: bool) -> String {
    const NOTHING: &str = "\u{2026}";
    let header = line.trim().trim_start_matches('[').trim_end_matches(']');
    if is_within_text {
        return NOTHING.to_owned();
    }
    if tables().chain(arrays()).any(|known| known == header) || is_secret_key(header) {
        return line.to_owned();
    }
    let Some(at) = line.find(['=', ':']) else { return NOTHING.to_owned() };
    let (name, rest) = line.split_at(at);
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-.\"'{ \t".contains(c);
    // Base64 ends with `=`, also before the closing quotes of a string.
    let is_end = rest.trim_matches(['=', '"', '\'', ' ', '\t']).is_empty();
    if name.trim().is_empty() || !name.chars().all(is_name) || is_end {
        return NOTHING.to_owned();
    }
    format!("{name}{} {NOTHING}", &rest[..1])
}

/// The line up to the marked key, since the value of an unknown key may be a secret.
fn up_to_key(line: &str, marked: Range<usize>) -> String {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-.={[ \t".contains(c);
    let (before, rest) = (&line[..marked.start], &line[marked.end..]);
    if !before.chars().all(is_name) {
        return up_to_value(line, false);
    }
    match rest.trim() {
        header if header.trim_start_matches(']').is_empty() => line.to_owned(),
        _ if rest.trim_start().starts_with('=') => format!("{} = \u{2026}", &line[..marked.end]),
        _ => format!("{}\u{2026}", &line[..marked.end]),
    }
}

/// Whether a multi-line string is open at this point, as far as invalid TOML shows it.
fn is_within_text(before: &str) -> bool {
    [r#"""""#, "'''"].iter().any(|quotes| before.matches(quotes).count() % 2 == 1)
}

fn holds(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// The innermost key whose name or value contains the span.
fn key_at(table: &DeTable<'_>, span: &Range<usize>) -> Option<String> {
    table.iter().find_map(|(key, value)| {
        let name = key.get_ref();
        let rest = if holds(&key.span(), span) { Some(String::new()) } else { below(value, span) };
        rest.map(|rest| format!("{name}{rest}"))
    })
}

/// What follows the key of a value that contains the span: `.url`, `[1]`, or nothing.
fn below(value: &Spanned<DeValue<'_>>, span: &Range<usize>) -> Option<String> {
    // The span of a table with a header is the header; its keys are outside of it.
    let inner = match value.get_ref() {
        DeValue::Table(inner) => key_at(inner, span).map(|inside| format!(".{inside}")),
        DeValue::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(n, item)| below(item, span).map(|inside| format!("[{n}]{inside}"))),
        _ => None,
    };
    inner.or_else(|| holds(&value.span(), span).then(String::new))
}

fn bare_key(text: &str) -> &str {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if text.chars().all(is_bare) { text } else { "" }
}

/// The span of a key's value, such as that of `gateway.key` or `publish.domains[1]`.
fn span_of(table: &DeTable<'_>, key: &str) -> Option<Range<usize>> {
    // The name of an HTTP header may contain dots.
    table.iter().find_map(|(name, value)| match (key.strip_prefix(&**name.get_ref())?, value.get_ref()) {
        ("", _) => Some(value.span()),
        (rest, DeValue::Table(inner)) => span_of(inner, rest.strip_prefix('.')?),
        (rest, DeValue::Array(items)) => {
            let number = rest.strip_prefix('[')?.strip_suffix(']')?.parse::<usize>().ok()?;
            items.get(number).map(Spanned::span)
        }
        _ => None,
    })
}

/// Rewrites messages about unknown keys and values, with the nearest expected name as a suggestion.
fn with_suggestion(message: &str) -> String {
    let ranges = [("u16", u64::from(u16::MAX)), ("u32", u32::MAX.into()), ("u64", i64::MAX.unsigned_abs())];
    for (name, last) in ranges {
        if let Some(start) = message.strip_suffix(&format!(", expected {name}")) {
            return format!("{start}, expected a whole number, at most {last}");
        }
    }
    let kinds = [("unknown field ", "key"), ("unknown variant ", "value")];
    let found = kinds.iter().find_map(|(start, kind)| Some((message.strip_prefix(start)?, kind)));
    let Some((rest, kind)) = found else { return message.to_owned() };
    let mut names = rest.split('`').skip(1).step_by(2);
    let Some(unknown) = names.next() else { return message.to_owned() };
    let known: Vec<&str> = names.collect();
    match nearest(unknown, known.iter().copied(), unknown.len().max(3) / 2) {
        Some(name) => format!("unknown {kind} `{unknown}`; did you mean `{name}`?"),
        None => format!("unknown {kind} `{unknown}`; known here: {}", known.join(", ")),
    }
}

/// The keys whose values are secrets, or contain some.
fn secrets() -> impl Iterator<Item = String> {
    // `payment` is another name of `payments`.
    secret_keys().chain(["headers", "gateway.payment"].map(str::to_owned))
}

fn is_secret_key(key: &str) -> bool {
    secrets().any(|secret| secret == key)
}

//! What is wrong with a profile, and where: file, line, caret, and what helps.

use std::fmt;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::secret::SECRETS;

/// Why a profile cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// The file cannot be read.
    #[error("cannot read the profile {file}: {why}")]
    Unreadable {
        /// The file as it was named.
        file: String,
        /// The system's reason.
        why: String,
    },
    /// Something in it is wrong.
    #[error(transparent)]
    Wrong(Box<Wrong>),
}

/// One wrong spot of a profile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Wrong {
    /// The file as it was named.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The key, such as `publish.url` or `publish.domains[1]`; empty at the top or where the text is no TOML.
    pub key: String,
    /// What is wrong, and what helps.
    pub message: String,
    /// The line's text; the value of a secret's key is left out.
    pub text: String,
    /// How many characters the caret marks.
    pub width: usize,
}

/// The message, then the line with a caret under the spot.
impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Wrong { file, line, column, key, message, text, width } = self;
        let about = if key.is_empty() { String::new() } else { format!("{key}: ") };
        let gutter = " ".repeat(line.to_string().len());
        // Tabs stay tabs, so that the caret stands under its spot.
        let indent: String =
            text.chars().take(column - 1).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        writeln!(f, "{file}:{line}:{column}: {about}{message}")?;
        writeln!(f, "{gutter} |")?;
        writeln!(f, "{line} | {text}")?;
        write!(f, "{gutter} | {indent}{}", "^".repeat(*width))
    }
}

/// A profile's text under the name of its file, to show a place in it.
#[derive(Clone, PartialEq, Eq)]
pub struct Source {
    file: String,
    text: String,
}

impl Source {
    /// The text of the file.
    pub fn new(file: String, text: String) -> Source {
        Source { file, text }
    }

    /// The name of the file, as it was given.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// An error about the value of a key such as `gateway.key`, in a text that was read without one.
    pub fn wrong_at(&self, key: &str, message: String) -> Wrong {
        let (table, _) = DeTable::parse_recoverable(&self.text);
        let span = span_of(table.get_ref(), key).unwrap_or_default();
        // A profile that was read holds no secret, so its line may be shown.
        Wrong::at(&self.text, &self.file, key.to_owned(), message, span, str::to_owned)
    }
}

/// No text in any output.
impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source({})", self.file)
    }
}

impl Wrong {
    /// An error of the reader about the span.
    pub(super) fn in_text(
        text: &str,
        file: &str,
        table: &DeTable<'_>,
        message: &str,
        span: Range<usize>,
    ) -> Wrong {
        let key = Some(key_at(table, &span)).filter(|key| !key.is_empty());
        // The second of two equal keys stands in no table.
        let key = key.unwrap_or_else(|| bare_key(text.get(span.clone()).unwrap_or_default()).into());
        let shown = key.clone();
        Wrong::at(text, file, key, with_suggestion(message), span, |line| without_secret(line, &shown))
    }

    fn at(
        source: &str,
        file: &str,
        key: String,
        message: String,
        span: Range<usize>,
        shown: impl Fn(&str) -> String,
    ) -> Wrong {
        let start = source.floor_char_boundary(span.start);
        let before = &source[..start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = source[line_start..].lines().next().unwrap_or_default();
        let text = shown(line);
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

/// The line, without the value where a secret may have been written in spite of all.
fn without_secret(line: &str, key: &str) -> String {
    let Some((name, _)) = line.split_once('=') else { return line.to_owned() };
    let last = name.trim().rsplit(['.', ' ', '{', ',']).next().unwrap_or_default();
    let last = last.trim_matches(['"', '\'']);
    let is_secret =
        SECRETS.iter().any(|secret| key.starts_with(secret) || secret.rsplit('.').next() == Some(last));
    if is_secret { format!("{name}= \u{2026}") } else { line.to_owned() }
}

/// The innermost key whose name or value holds the span.
fn key_at(table: &DeTable<'_>, span: &Range<usize>) -> String {
    let holds = |outer: &Range<usize>| outer.start <= span.start && span.end <= outer.end;
    for (key, value) in table {
        let name = key.get_ref();
        if holds(&key.span()) {
            return name.to_string();
        }
        // The span of a table with a header of its own is the header; its keys stand below it.
        let inner = match value.get_ref() {
            DeValue::Table(inner) => match key_at(inner, span) {
                inside if inside.is_empty() => None,
                inside => Some(format!("{name}.{inside}")),
            },
            DeValue::Array(items) => {
                items.iter().position(|item| holds(&item.span())).map(|n| format!("{name}[{n}]"))
            }
            _ => None,
        };
        if let Some(found) = inner.or_else(|| holds(&value.span()).then(|| name.to_string())) {
            return found;
        }
    }
    String::new()
}

fn bare_key(text: &str) -> &str {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if text.chars().all(is_bare) { text } else { "" }
}

/// The span of a key's value, such as that of `gateway.key`.
fn span_of(table: &DeTable<'_>, key: &str) -> Option<Range<usize>> {
    let (name, rest) = key.split_once('.').map_or((key, None), |(name, rest)| (name, Some(rest)));
    let value = table.get(name)?;
    match (rest, value.get_ref()) {
        (None, _) => Some(value.span()),
        (Some(rest), DeValue::Table(inner)) => span_of(inner, rest),
        (Some(_), _) => None,
    }
}

/// Turns messages about unknown keys and values into our words, with the nearest name among those expected.
fn with_suggestion(message: &str) -> String {
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

/// The known name that is nearest to what was written, with at most so many slips between them.
pub(super) fn nearest<'n>(
    written: &str,
    known: impl Iterator<Item = &'n str>,
    slips: usize,
) -> Option<&'n str> {
    let written = written.to_lowercase();
    let distance = |name: &str| strsim::damerau_levenshtein(&written, &name.to_lowercase());
    known.map(|name| (distance(name), name)).filter(|(n, _)| *n <= slips).min().map(|(_, name)| name)
}

//! Lines with parts in different tones; terminal, plain text and HTML page each render them differently.

use std::fmt::Write;

/// The tone of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// As it is.
    Plain,
    /// A heading.
    Strong,
    /// A difference from the base.
    Changed,
    /// An addition for the reader.
    Faint,
}

/// A line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line(Vec<(Tone, String)>);

/// A sequence of lines.
#[derive(Default)]
pub(super) struct Page {
    pub(super) lines: Vec<Line>,
}

impl Page {
    /// Starts a new line.
    pub(super) fn line(&mut self) -> &mut Line {
        self.lines.push(Line::default());
        self.lines.last_mut().expect("it was just added")
    }

    pub(super) fn plain(&mut self, text: &str) {
        self.line().push(Tone::Plain, text);
    }

    pub(super) fn strong(&mut self, text: &str) {
        self.line().push(Tone::Strong, text);
    }

    /// A heading after a blank line.
    pub(super) fn head(&mut self, text: &str) {
        self.line();
        self.strong(text);
    }
}

impl Line {
    /// Adds a part. Control characters and invisible characters are escaped.
    pub(super) fn push(&mut self, tone: Tone, text: &str) {
        let mut seen = String::with_capacity(text.len());
        for c in text.chars() {
            match c {
                '\n' => seen.push_str("\\n"),
                '\t' => seen.push_str("\\t"),
                c if is_unseen(c) => drop(write!(seen, "\\u{{{:x}}}", u32::from(c))),
                c => seen.push(c),
            }
        }
        match self.0.last_mut() {
            Some((last, text)) if *last == tone => text.push_str(&seen),
            _ => self.0.push((tone, seen)),
        }
    }

    /// The parts.
    pub fn parts(&self) -> &[(Tone, String)] {
        &self.0
    }

    pub(super) fn plain(&self) -> String {
        self.written(|tone, text| if tone == Tone::Changed { format!("[{text}]") } else { text.to_owned() })
    }

    pub(super) fn coloured(&self) -> String {
        self.written(|tone, text| match tone {
            Tone::Plain => text.to_owned(),
            Tone::Strong => format!("\x1b[1m{text}\x1b[0m"),
            Tone::Changed => format!("\x1b[31m{text}\x1b[0m"),
            Tone::Faint => format!("\x1b[2m{text}\x1b[0m"),
        })
    }

    fn written(&self, part: impl Fn(Tone, &str) -> String) -> String {
        let text: String = self.0.iter().map(|(tone, text)| part(*tone, text)).collect();
        text.trim_end().to_owned()
    }
}

/// Controls, invisible characters, and characters that change the text direction.
pub(super) fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_in_a_case_are_escaped() {
        let mut line = Line::default();
        line.push(Tone::Plain, "a\x1b[2J\nb\u{202e}c");
        line.push(Tone::Changed, "\u{200b}");
        assert_eq!(line.plain(), "a\\u{1b}[2J\\nb\\u{202e}c[\\u{200b}]");
        assert_eq!(line.coloured().matches('\x1b').count(), 2);
    }
}

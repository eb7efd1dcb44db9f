//! Parses the documents into sentences and table rows, each with its heading and hash.
//!
//! The project contains no text of the documents. A row or an exemption names its sentence by heading and hash, so a changed
//! document shows exactly what must be reviewed.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use sha2::{Digest, Sha256};

/// One sentence or table row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The nearest heading above.
    pub heading: String,
    /// The first four bytes of the SHA-256 of its words.
    pub hash: u32,
    /// Its text with normalized white space; table cells are joined by ` | `.
    pub text: String,
}

/// The units of a document, in order. Table header rows are not units.
pub fn units(markdown: &str) -> Vec<Unit> {
    let mut reader = Reader::default();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        reader.read(event);
    }
    reader.end_block();
    reader.units
}

#[derive(Default)]
struct Reader {
    units: Vec<Unit>,
    heading: String,
    text: String,
    in_heading: bool,
    in_table_head: bool,
    in_row: bool,
}

impl Reader {
    fn read(&mut self, event: Event<'_>) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                self.end_block();
                self.in_heading = level <= HeadingLevel::H4;
            }
            Event::End(TagEnd::Heading(_)) => {
                self.heading = fold(&std::mem::take(&mut self.text));
                self.in_heading = false;
            }
            Event::Start(Tag::TableHead) => {
                self.end_block();
                self.in_table_head = true;
            }
            Event::End(TagEnd::TableHead) => {
                self.text.clear();
                self.in_table_head = false;
            }
            Event::Start(Tag::TableRow) => self.in_row = true,
            Event::End(TagEnd::TableRow) => {
                self.in_row = false;
                let row = std::mem::take(&mut self.text);
                self.push(row.trim_end_matches(" | "));
            }
            Event::End(TagEnd::TableCell) => self.text.push_str(" | "),
            Event::Start(Tag::Item | Tag::Paragraph) if !self.in_row => self.end_block(),
            Event::End(TagEnd::Item | TagEnd::Paragraph) if !self.in_row => self.end_block(),
            Event::Text(text) => self.text.push_str(&text),
            Event::Code(text) => {
                self.text.push('`');
                self.text.push_str(&text);
                self.text.push('`');
            }
            Event::SoftBreak | Event::HardBreak => self.text.push(' '),
            Event::InlineHtml(text) | Event::Html(text) => self.text.push_str(&text),
            _ => {}
        }
    }

    /// Ends a paragraph or list item and splits it into units.
    fn end_block(&mut self) {
        if self.in_heading || self.in_table_head || self.in_row {
            return;
        }
        let block = fold(&std::mem::take(&mut self.text));
        let mut rest = block.as_str();
        while let Some(at) = sentence_end(rest) {
            let (sentence, after) = rest.split_at(at);
            self.push(sentence);
            rest = after.trim_start();
        }
        self.push(rest);
    }

    fn push(&mut self, text: &str) {
        let text = fold(text);
        if text.is_empty() {
            return;
        }
        let digest = Sha256::digest(text.as_bytes());
        let hash = u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]);
        self.units.push(Unit { heading: self.heading.clone(), hash, text });
    }
}

/// The end of the first sentence: a full stop before a capital, a code span or a placeholder.
fn sentence_end(text: &str) -> Option<usize> {
    text.match_indices(". ").map(|(at, _)| at + 1).find(|&at| {
        text[at..].trim_start().starts_with(|c: char| c.is_uppercase() || matches!(c, '`' | '{' | '<'))
    })
}

fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_items_and_rows_are_units() {
        let text = "# T\nOne here. Two `x.y` there.\n\n## H\n| a | b |\n|---|---|\n| 1 | `2` |\n\n- item. Next\n  line\n1. num\n";
        let found: Vec<(String, String)> =
            units(text).into_iter().map(|unit| (unit.heading, unit.text)).collect();
        let expected = [
            ("T", "One here."),
            ("T", "Two `x.y` there."),
            ("H", "1 | `2`"),
            ("H", "item."),
            ("H", "Next line"),
            ("H", "num"),
        ];
        assert_eq!(found, expected.map(|(heading, text)| (heading.to_owned(), text.to_owned())));
    }

    #[test]
    fn a_changed_word_changes_the_hash() {
        assert_ne!(units("# T\nOne.")[0].hash, units("# T\nTwo.")[0].hash);
        assert_eq!(units("# T\nOne  here.")[0].hash, units("# T\nOne\nhere.")[0].hash);
    }
}

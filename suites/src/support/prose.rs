//! Prose for a terminal: wrapped lines, and Markdown pages as plain text.

use std::fmt::Write;
use std::io::IsTerminal;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// The number of characters in a line of a file or a pipe, except in code.
pub const WIDTH: usize = 80;
/// The least number of characters in a line of a terminal.
const NARROWEST: usize = 40;
/// The largest one.
const WIDEST: usize = 120;

/// The number of characters in a line of the terminal that standard output is, if it is one. Tests have none.
pub fn terminal_width() -> Option<usize> {
    let is_terminal = !cfg!(test) && std::io::stdout().is_terminal();
    let size = is_terminal.then(terminal_size::terminal_size).flatten();
    size.map(|(columns, _)| usize::from(columns.0).clamp(NARROWEST, WIDEST))
}

/// The number of characters in a line of standard output.
pub fn width() -> usize {
    terminal_width().unwrap_or(WIDTH)
}

/// The number of characters that a terminal shows, without the codes of colours.
pub(crate) fn shown(text: &str) -> usize {
    text.split("\x1b[")
        .enumerate()
        .map(|(n, part)| {
            let part = if n == 0 { part } else { part.split_once('m').map_or("", |(_, rest)| rest) };
            part.chars().count()
        })
        .sum()
}

/// A number and its noun: `1 check`, `2 checks`.
pub fn count(number: impl TryInto<u64> + std::fmt::Display + Copy, noun: &str) -> String {
    let plural = match number.try_into() {
        Ok(1) => "",
        _ if noun.ends_with("sh") => "es",
        _ => "s",
    };
    format!("{number} {noun}{plural}")
}

/// The text, or `nothing` if it is empty.
pub fn or_nothing(text: &str) -> &str {
    if text.is_empty() { "nothing" } else { text }
}

/// A number in an order: `1st`, `22nd`, `31st`, `112th`.
pub fn ordinal(number: i64) -> String {
    let suffix = match (number % 10, number % 100 / 10) {
        (1, tens) if tens != 1 => "st",
        (2, tens) if tens != 1 => "nd",
        (3, tens) if tens != 1 => "rd",
        _ => "th",
    };
    format!("{number}{suffix}")
}

/// The words of `text` in lines as long as those of standard output. The first line starts with `first`; the others are
/// indented by as many spaces.
pub fn wrap(first: &str, text: &str) -> String {
    wrap_at(width(), first, text)
}

/// As [`wrap`], in lines of at most `width` characters.
pub fn wrap_at(width: usize, first: &str, text: &str) -> String {
    let indent = first.chars().count();
    let (mut out, mut column) = (first.to_owned(), indent);
    for word in text.split_whitespace() {
        let length = shown(word);
        if column > indent && column + 1 + length > width {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = indent;
        } else if column > indent {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// A Markdown page as plain text. `follow` says how to follow a link from a terminal, if there is a way.
pub fn page(markdown: &str, follow: impl Fn(&str) -> Option<String>) -> String {
    let mut page = Page::default();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        page.read(event, &follow);
    }
    page.out
}

#[derive(Default)]
struct Page {
    out: String,
    /// The text of the open paragraph, heading, item or cell.
    text: String,
    /// The number of the next item of each open list; `None` for bullets.
    lists: Vec<Option<u64>>,
    /// What the next paragraph starts with, in an item.
    mark: Option<String>,
    links: Vec<String>,
    is_code: bool,
    rows: Vec<Vec<String>>,
}

impl Page {
    fn read(&mut self, event: Event<'_>, follow: &impl Fn(&str) -> Option<String>) {
        match event {
            Event::Start(Tag::List(first)) => {
                self.end_paragraph();
                self.lists.push(first);
            }
            Event::End(TagEnd::List(_)) => {
                self.lists.pop();
                if self.lists.is_empty() {
                    self.out.push('\n');
                }
            }
            Event::Start(Tag::Item) => {
                let indent = "  ".repeat(self.lists.len());
                self.mark = Some(match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{indent}{}. ", *number - 1)
                    }
                    _ => format!("{indent}- "),
                });
            }
            Event::End(TagEnd::Item | TagEnd::Paragraph) => self.end_paragraph(),
            Event::End(TagEnd::Heading(level)) => {
                let text = std::mem::take(&mut self.text);
                let line = match level {
                    HeadingLevel::H1 => "=",
                    _ => "-",
                };
                self.out.push_str(&format!("{text}\n{}\n\n", line.repeat(text.chars().count())));
            }
            Event::Start(Tag::CodeBlock(_)) => {
                self.end_paragraph();
                self.is_code = true;
            }
            Event::End(TagEnd::CodeBlock) => {
                self.is_code = false;
                self.out.push('\n');
            }
            Event::Text(text) if self.is_code => {
                let indent = "  ".repeat(self.lists.len() + 2);
                self.out
                    .extend(text.lines().map(|line| format!("{indent}{line}").trim_end().to_owned() + "\n"));
            }
            Event::Start(Tag::TableHead | Tag::TableRow) => self.rows.push(Vec::new()),
            Event::End(TagEnd::TableCell) => {
                let cell = std::mem::take(&mut self.text);
                self.rows.last_mut().expect("a cell is in a row").push(cell);
            }
            Event::End(TagEnd::Table) => {
                let rows = std::mem::take(&mut self.rows);
                self.out.push_str(&table(&rows));
                self.out.push('\n');
            }
            Event::Start(Tag::Link { dest_url, .. }) => self.links.push(dest_url.into_string()),
            Event::End(TagEnd::Link) => {
                let way = self.links.pop().and_then(|url| follow(&url));
                self.text.extend(way.map(|way| format!(" ({way})")));
            }
            Event::Text(text) => self.text.push_str(&text),
            Event::Code(text) => self.text.push_str(&format!("`{text}`")),
            Event::SoftBreak | Event::HardBreak => self.text.push(' '),
            _ => {}
        }
    }

    fn end_paragraph(&mut self) {
        let text = std::mem::take(&mut self.text);
        if text.is_empty() {
            return;
        }
        let indent = "  ".repeat(self.lists.len() * 2);
        let first = self.mark.take().unwrap_or(indent);
        self.out.push_str(&wrap(&first, &text));
        if self.lists.is_empty() {
            self.out.push('\n');
        }
    }
}

/// A table, aligned if it fits the width; otherwise a block for each row: its first cell, and the others below it.
fn table(rows: &[Vec<String>]) -> String {
    const GAP: usize = 2;
    let Some(head) = rows.first() else { return String::new() };
    let length = |cell: &String| cell.chars().count();
    let width = width();
    let widths: Vec<usize> = (0..head.len())
        .map(|column| rows.iter().filter_map(|row| row.get(column)).map(length).max().unwrap_or_default())
        .collect();
    let total = 2 + widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
    // Without its last column, a table leaves this much for the text of that column.
    let last = width.saturating_sub(total - widths.last().copied().unwrap_or_default());
    let mut out = String::new();
    if total <= width || last >= width / 2 {
        for (number, row) in rows.iter().enumerate() {
            let (text, before) = row.split_last().expect("a row has cells");
            let cells = before.iter().zip(&widths);
            let first: String = cells.map(|(cell, room)| format!("{cell:<0$}", room + GAP)).collect();
            out.push_str(&wrap(&format!("  {first}"), text));
            if number == 0 {
                out.push_str(&format!("  {}\n", "-".repeat(total.min(width) - 2)));
            }
        }
        return out;
    }
    for row in rows.iter().skip(1) {
        let (name, others) = row.split_first().expect("a row has cells");
        out.push_str(&wrap("  ", name));
        for (cell, title) in others.iter().zip(&head[1..]).filter(|(cell, _)| !cell.is_empty()) {
            let title = if others.len() == 1 { String::new() } else { format!("{title}: ") };
            out.push_str(&wrap("      ", &format!("{title}{cell}")));
        }
    }
    out
}

/// One line, safe for a terminal: control characters, invisible characters and line ends are escaped.
pub fn one_line(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                // `escape_debug` would also escape quotes and backslashes.
                '"' | '\'' | '\\' => out.push(c),
                // Characters that change the text direction.
                '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => {
                    let _ = write!(out, "{}", c.escape_unicode());
                }
                _ => {
                    let _ = write!(out, "{}", c.escape_debug());
                }
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_place_in_an_order() {
        let words = [1, 2, 3, 4, 11, 12, 13, 21, 22, 31, 101, 111, 112].map(ordinal);
        let wanted = "1st 2nd 3rd 4th 11th 12th 13th 21st 22nd 31st 101st 111th 112th";
        assert_eq!(words.join(" "), wanted);
    }

    #[test]
    fn a_page_is_plain_text() {
        let markdown = "# T `x`\n\nOne\n[two](a.md) and [three](b.md#c).\n\n## H\n\n- item *one*\n  - inner\n- two\n\n\
            1. first\n\n```sh\na  b\n\nc\n```\n\n| a | b |\n|---|---|\n| `1` | two |\n";
        let follow = |url: &str| url.strip_prefix("b.md").map(|_| "see b".to_owned());
        let expected = "T `x`\n=====\n\nOne two and three (see b).\n\nH\n-\n\n  - item one\n    - inner\n  - two\n\n  \
            1. first\n\n    a  b\n\n    c\n\n  a    b\n  --------\n  `1`  two\n\n";
        assert_eq!(page(markdown, follow), expected);
    }

    #[test]
    fn wide_tables_become_blocks_and_no_line_is_too_long() {
        let long = "word ".repeat(40);
        let wide = format!("| k | values | what |\n|---|---|---|\n| name | {long} | {long} |\n");
        let text = page(&wide, |_| None);
        assert!(text.starts_with("  name\n      values: word word"), "{text}");
        let narrow = format!("| k | what |\n|---|---|\n| name | {long} |\n");
        let other = page(&narrow, |_| None);
        assert!(other.contains("\n  name  word word"), "{other}");
        assert!((text + &other).lines().all(|line| line.chars().count() <= WIDTH));
    }
}

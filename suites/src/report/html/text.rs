//! Escaping of text in a page.

use assay_spec::Id;

use crate::documents::catalogue::Sentences;
use crate::support::prose::one_line;

/// The text on one line, escaped for content and for attributes in double quotes: markup, control characters and
/// direction marks are made visible.
pub(in crate::report) fn line(text: &str) -> String {
    bytes(text.as_bytes())
}

/// As [`line`]; what is in backticks is code.
pub(super) fn marked(text: &str) -> String {
    let mut parts = text.split('`').peekable();
    let mut out = String::new();
    let mut is_code = false;
    while let Some(part) = parts.next() {
        // The last backtick of an odd number is only a character.
        match (is_code, parts.peek().is_some()) {
            (true, true) => out.push_str(&format!("<code>{}</code>", line(part))),
            (true, false) => out.push_str(&format!("`{}", line(part))),
            (false, _) => out.push_str(&line(part)),
        }
        is_code = !is_code;
    }
    out
}

/// The sentences of the documents that a row states.
pub(super) fn quoted(sentences: Option<&Sentences>, row: Id) -> String {
    let named = sentences.and_then(|all| all.get(&row.key)).into_iter().flatten();
    named.map(|text| format!("<blockquote>{}</blockquote>\n", marked(text))).collect()
}

/// Bytes on one line, escaped as [`line`] does; invalid UTF-8 is written as `\xff`.
pub(super) fn bytes(bytes: &[u8]) -> String {
    escape(&one_line(bytes))
}

/// As [`line`], but line ends are kept.
pub(super) fn lines(text: &str) -> String {
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

/// Sixteen bytes a line: offset, hex, and printable ASCII.
pub(super) fn hex_dump(bytes: &[u8]) -> String {
    let line = |(n, chunk): (usize, &[u8])| {
        let hex: String = chunk.iter().map(|byte| format!("{byte:02x} ")).collect();
        let text: String =
            chunk.iter().map(|&b| if b.is_ascii_graphic() { b as char } else { '.' }).collect();
        format!("{:08x}  {hex:<48} {text}", n * 16)
    };
    bytes.chunks(16).enumerate().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped() {
        assert_eq!(
            line("</script><img onerror='x' a=\"b\">&\0\u{202e}\u{2066}\n"),
            "&lt;/script&gt;&lt;img onerror=&#39;x&#39; a=&quot;b&quot;&gt;&amp;\\0\\u{202e}\\u{2066}\\n"
        );
        assert_eq!(lines("a\n<b>"), "a\n&lt;b&gt;");
        assert_eq!(bytes(b"\xff<"), "\\xff&lt;");
    }

    #[test]
    fn what_is_in_backticks_is_code() {
        assert_eq!(marked("`<a>` is `b`"), "<code>&lt;a&gt;</code> is <code>b</code>");
        assert_eq!(marked("a ` b"), "a ` b");
        assert_eq!(marked("`a` `<b>"), "<code>a</code> `&lt;b&gt;");
    }

    #[test]
    fn bytes_in_hex() {
        let dump = hex_dump(b"PK\x03\x04<0123456789abcdef");
        assert_eq!(
            dump,
            "00000000  50 4b 03 04 3c 30 31 32 33 34 35 36 37 38 39 61  PK..<0123456789a\n\
             00000010  62 63 64 65 66                                   bcdef"
        );
    }
}

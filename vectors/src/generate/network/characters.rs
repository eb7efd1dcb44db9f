//! `record.canonical`: the notation of strings and names.

use assay_spec::network::requirements::signing as rows;

use super::canonical::{M, PLAIN, input};
use crate::generate::group::Group;

/// The reading by which only the escapes that RFC 8259 requires are written.
const RAW: Option<&str> = Some("A-048/raw");

pub(super) fn cases(g: &mut Group) {
    values(g);
    names(g);
    surrogates(g);
}

fn values(g: &mut Group) {
    let of = |value: &str| input(&PLAIN.replace("\"x\"", &format!("\"{value}\"")));
    for (name, value, why, reading) in [
        (
            "non-ascii",
            "caf\u{e9} \u{2014} \u{65e5}\u{672c}",
            "Non-ASCII characters are written as raw UTF-8.",
            None,
        ),
        ("emoji", "\u{1f600}", "A character above U+FFFF is written as four raw bytes.", None),
        (
            "last-character",
            "\u{10ffff}",
            "U+10FFFF, the last code point, is written as four raw bytes.",
            None,
        ),
        ("decomposed", "cafe\u{301}", "Strings are not normalized.", None),
        (
            "escapes",
            r#"\"\\\b\f\n\r\t"#,
            "Quote, backslash and five control characters have short escapes.",
            None,
        ),
        (
            "control",
            "\\u0000\\u0001\\u001f",
            "Other control characters are escaped with four lowercase hex digits. A NUL does not end the string.",
            None,
        ),
        (
            "escape-of-an-escape",
            "\\\\u0041",
            "An escaped backslash followed by letters is not another escape.",
            None,
        ),
        ("escaped-when-received", "\\u00e9\\ud83d\\ude00\\u0041", "Unneeded escapes are removed.", RAW),
        ("escaped-slash", "a\\/b", "A slash is not escaped, even if it was received escaped.", RAW),
        ("upper-case-escape", "\\u001F", "The hex digits of an escape are lowercase.", RAW),
        (
            "long-escape",
            "\\u000a\\u0022\\u005c",
            "A character that has a short escape is written with it.",
            RAW,
        ),
        ("delete", "\u{7f}", "U+007F is written raw.", RAW),
        ("line-separator", "\u{2028}\u{2029}", "U+2028 and U+2029 are written raw.", RAW),
        ("markup", "<a href='/'>&</a>", "Angle brackets and ampersands are not escaped.", RAW),
        (
            "byte-order-mark-inside",
            "\u{feff}",
            "A byte order mark inside a string is an ordinary character.",
            RAW,
        ),
    ] {
        g.accept(name, of(value), why).reading = reading.map(str::to_owned);
    }
}

fn names(g: &mut Group) {
    let of = |members: &str| input(&PLAIN.replace("\"name\":\"x\"", members));
    for (name, members, why, reading) in [
        ("non-ascii-name", "\"n\u{e4}me\":\"x\"", "Member names are written like string values.", None),
        (
            "names-beyond-bmp",
            "\"z\":1,\"\u{ff61}\":2,\"\u{1f600}\":3,\"\u{e000}\":4,\"a\":5",
            "Members are not sorted, neither by UTF-16 units nor by bytes. The two orders differ here.",
            None,
        ),
        (
            "names-by-utf16",
            "\"\u{1f600}\":1,\"\u{ff61}\":2",
            "The received order is kept. It is the UTF-16 order, not the byte order.",
            None,
        ),
        ("empty-name", "\"\":1,\" \":2", "A member name may be empty.", None),
        (
            "names-of-objects",
            "\"__proto__\":{\"a\":1},\"constructor\":2,\"toString\":3,\"length\":4",
            "Names of built-in object properties are ordinary member names.",
            None,
        ),
        ("names-by-case", "\"a\":1,\"A\":2", "Names that differ only in case are different.", None),
        (
            "names-that-look-alike",
            "\"\u{e9}\":1,\"e\u{301}\":2",
            "Names that look alike are different if their characters differ.",
            None,
        ),
        ("escaped-name", "\"n\\u0061me\\/\":\"x\"", "Unneeded escapes are removed from names too.", RAW),
        (
            "line-separator-in-name",
            "\"a\u{2028}b\\\"c\":\"x\"",
            "U+2028 is written raw in names too; a quote is escaped.",
            RAW,
        ),
    ] {
        g.accept(name, of(members), why).reading = reading.map(str::to_owned);
    }
}

/// A lone surrogate is not a character and has no UTF-8 form that could be hashed.
fn surrogates(g: &mut Group) {
    for (name, old, new, why) in [
        ("lone-high-surrogate", "\"x\"", "\"\\ud83d\"", "A lone high surrogate has no UTF-8 form."),
        ("lone-low-surrogate", "\"x\"", "\"\\ude00\"", "A lone low surrogate has no UTF-8 form."),
        (
            "surrogates-swapped",
            "\"x\"",
            "\"\\ude00\\ud83d\"",
            "Two surrogates in the wrong order are not a pair.",
        ),
        ("high-surrogate-and-letter", "\"x\"", "\"\\ud83dx\"", "A high surrogate is followed by a letter."),
        (
            "high-surrogate-twice",
            "\"x\"",
            "\"\\ud83d\\ud83d\\ude00\"",
            "A lone high surrogate precedes a pair.",
        ),
        ("lone-surrogate-in-name", "\"name\"", "\"n\\ud83d\"", "A member name contains a lone surrogate."),
    ] {
        let edit = g.change("plain", M, old, new);
        g.reject(name, "plain", [edit], &rows::RECORD_FORM, why).read_as("A-048/no-lone-surrogates");
    }
}

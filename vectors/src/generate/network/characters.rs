//! `record.canonical`: how texts and names are written.

use assay_spec::network::requirements::signing as rows;

use super::canonical::{M, PLAIN, input};
use crate::generate::group::Group;

/// The escapes of RFC 8259 that must be, and no other.
const RAW: Option<&str> = Some("A-048/raw");

pub(super) fn cases(g: &mut Group) {
    values(g);
    names(g);
    surrogates(g);
}

fn values(g: &mut Group) {
    let of = |value: &str| input(&PLAIN.replace("\"x\"", &format!("\"{value}\"")));
    for (name, value, why, reading) in [
        ("non-ascii", "caf\u{e9} \u{2014} \u{65e5}\u{672c}", "Characters beyond ASCII are raw UTF-8.", None),
        ("emoji", "\u{1f600}", "A character beyond U+FFFF is four raw bytes.", None),
        ("last-character", "\u{10ffff}", "So is the last character of all.", None),
        ("decomposed", "cafe\u{301}", "Nothing is normalised.", None),
        ("escapes", r#"\"\\\b\f\n\r\t"#, "Quote, backslash and the short escapes.", None),
        (
            "control",
            "\\u0000\\u0001\\u001f",
            "Other control characters are four hex digits, lower case; the first of them ends nothing.",
            None,
        ),
        ("escape-of-an-escape", "\\\\u0041", "A backslash and letters are no escape.", None),
        (
            "escaped-when-received",
            "\\u00e9\\ud83d\\ude00\\u0041",
            "Escapes that need not be are undone.",
            RAW,
        ),
        ("escaped-slash", "a\\/b", "A slash is not escaped, however it was received.", RAW),
        ("upper-case-escape", "\\u001F", "Hex digits of escapes are lower case.", RAW),
        (
            "long-escape",
            "\\u000a\\u0022\\u005c",
            "Of two escapes of one character the short one is written.",
            RAW,
        ),
        ("delete", "\u{7f}", "U+007F is raw.", RAW),
        ("line-separator", "\u{2028}\u{2029}", "Separators of lines are raw.", RAW),
        ("markup", "<a href='/'>&</a>", "Neither brackets nor ampersand are escaped.", RAW),
        ("byte-order-mark-inside", "\u{feff}", "A byte order mark inside a text is a character.", RAW),
    ] {
        g.accept(name, of(value), why).reading = reading.map(str::to_owned);
    }
}

fn names(g: &mut Group) {
    let of = |members: &str| input(&PLAIN.replace("\"name\":\"x\"", members));
    for (name, members, why, reading) in [
        ("non-ascii-name", "\"n\u{e4}me\":\"x\"", "Names are written as values are.", None),
        (
            "names-beyond-bmp",
            "\"z\":1,\"\u{ff61}\":2,\"\u{1f600}\":3,\"\u{e000}\":4,\"a\":5",
            "Nothing is sorted, neither by units of UTF-16 nor by bytes, which differ here.",
            None,
        ),
        (
            "names-by-utf16",
            "\"\u{1f600}\":1,\"\u{ff61}\":2",
            "The order of UTF-16 stays, though bytes have another.",
            None,
        ),
        ("empty-name", "\"\":1,\" \":2", "A name may be empty.", None),
        (
            "names-of-objects",
            "\"__proto__\":{\"a\":1},\"constructor\":2,\"toString\":3,\"length\":4",
            "Names that objects of some languages have by birth are names.",
            None,
        ),
        ("names-by-case", "\"a\":1,\"A\":2", "Names that differ by case alone are two.", None),
        (
            "names-that-look-alike",
            "\"\u{e9}\":1,\"e\u{301}\":2",
            "Names that look alike are two where their characters differ.",
            None,
        ),
        ("escaped-name", "\"n\\u0061me\\/\":\"x\"", "Escapes of names are undone too.", RAW),
        ("line-separator-in-name", "\"a\u{2028}b\\\"c\":\"x\"", "Raw in names too; a quote is escaped.", RAW),
    ] {
        g.accept(name, of(members), why).reading = reading.map(str::to_owned);
    }
}

/// Half of a pair stands for no character, and has no UTF-8 that could be hashed.
fn surrogates(g: &mut Group) {
    for (name, old, new, why) in [
        ("lone-high-surrogate", "\"x\"", "\"\\ud83d\"", "The first half of a pair alone."),
        ("lone-low-surrogate", "\"x\"", "\"\\ude00\"", "The second half alone."),
        ("surrogates-swapped", "\"x\"", "\"\\ude00\\ud83d\"", "The halves in the wrong order."),
        ("high-surrogate-and-letter", "\"x\"", "\"\\ud83dx\"", "A half and a letter."),
        ("high-surrogate-twice", "\"x\"", "\"\\ud83d\\ud83d\\ude00\"", "A half before a whole pair."),
        ("lone-surrogate-in-name", "\"name\"", "\"n\\ud83d\"", "In a name."),
    ] {
        let edit = g.change("plain", M, old, new);
        g.reject(name, "plain", [edit], &rows::RECORD_FORM, why).read_as("A-048/no-lone-surrogates");
    }
}

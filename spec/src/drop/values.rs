//! What the rows of the drop reject in place of a valid value, and what they accept besides ordinary values.

use super::zip::forms;
use crate::value::{ValueKind, has, strings};

/// `source` of the listed characters, at most 64. The first value has all that can be together.
pub const SOURCES: &[ValueKind] = &[
    strings!(one "64-characters", "assay: AZaz09 _.:/@- /a-source.of@sixty_four/characters:in-all-0"),
    has!("one-character", "a", |sent| sent.len() == 1),
    has!("empty", "", str::is_empty),
    has!("space", " ", |sent| sent.contains(' ')),
    has!("digits", "0123456789", |sent| "0123456789".chars().any(|digit| sent.contains(digit))),
    has!("upper-case", "ASSAY", |sent| sent.contains(char::is_uppercase)),
    has!("symbols", "_.:/@-", |sent| "_.:/@-".chars().all(|sign| sent.contains(sign))),
];

/// `source` that is too long or has other characters: it is ignored. The first value has all of it.
pub const IGNORED: &[ValueKind] = &[
    strings!(one "mixed", format!("<script>\"caf\u{e9}\",\t{}", "x".repeat(300))),
    has!("65-characters", "x".repeat(65), |sent| sent.chars().count() > 64),
    has!("angle-brackets", "<script>", |sent| sent.contains('<')),
    has!("non-ascii", "caf\u{e9}", |sent| !sent.is_ascii()),
    has!("comma", "a,b", |sent| sent.contains(',')),
    has!("tab", "a\tb", |sent| sent.contains('\t')),
    has!("quotes", "\"a\"", |sent| sent.contains('"')),
    has!("300-characters", "x".repeat(300), |sent| sent.chars().count() >= 300),
];

/// A form.
macro_rules! form {
    ($name:expr) => {
        strings!(one $name, $name).beyond_quick()
    };
}

/// Forms of a zip, and of the part that holds it, as ordinary programs write them.
pub const FORMS: &[ValueKind] = &[
    form!(forms::DESCRIPTORS),
    form!(forms::UNSIGNED_DESCRIPTORS),
    form!(forms::FOLDERS),
    form!(forms::COMMENT),
    form!(forms::DOS),
    form!(forms::NO_ATTRIBUTES),
    form!(forms::EXTRA_FIELDS),
    form!(forms::WINDOWS_TYPE),
    form!(forms::NO_TYPE),
    form!(forms::SOURCE_FIRST),
    form!(forms::FILE_NAME),
];

/// Why a server may reject a name with a blank at an end.
const BLANK_AT_AN_END: &str = "some file systems have no such names, and `unsafe` is not defined";
/// Why a server may reject two names that differ by letter case.
const SAME_LETTERS: &str = "some file systems have one file for both, and `unsafe` is not defined";
/// Why a server may reject a long path.
const LONG_PATH: &str = "some file systems have no such paths, and `unsafe` is not defined";

/// The path of a file. With a reason, a server may reject it.
macro_rules! name {
    ($name:literal, $path:expr $(, $why:expr)?) => {
        strings!(one $name, $path).beyond_quick()$(.may_be_rejected($why))?
    };
}

/// Names of files that a zip can hold and a folder can contain.
pub const NAMES: &[ValueKind] = &[
    name!("combining-mark", "cafe\u{301}.txt"),
    name!("composed", "na\u{ef}ve.txt"),
    name!("emoji", "\u{1f680}.txt"),
    name!("space", "a file.txt"),
    name!("percent", "100%25.txt"),
    name!("upper-case", "README.TXT"),
    name!("symbols", "a+b=c&d;e,f'(g)!~#?.txt"),
    name!("255-bytes", format!("{}.txt", "n".repeat(251))),
    name!("plus-first", "+page.txt"),
    name!("two-dots", "a..b.txt"),
    name!("two-dots-first", "..a-file.txt"),
    name!("space-before", " a-file.txt", BLANK_AT_AN_END),
    name!("space-after", "a-file.txt ", BLANK_AT_AN_END),
    name!("folder-with-space-after", "a-folder /a-file.txt", BLANK_AT_AN_END),
    name!("letter-case", "INDEX.HTML", SAME_LETTERS),
    name!("300-bytes", format!("{}/{}.txt", "d".repeat(200), "n".repeat(95)), LONG_PATH),
];

/// Names of entries that lead out of the root.
pub const OUTSIDE: &[ValueKind] = strings! {
    "parent": "../outside.txt";
    deep
    "through-a-folder": "folder/../../outside.txt",
    "twice": "../../outside.txt",
    "through-the-folder-itself": "./../outside.txt",
};

/// Names of entries that are absolute.
pub const ABSOLUTE: &[ValueKind] = strings! {
    "file": "/absolute.txt";
    deep
    "index": "/index.html",
    "two-slashes": "//host/absolute.txt",
};

/// The name of a page.
macro_rules! page {
    ($name:literal, $path:literal) => {
        strings!(one $name, $path)
    };
}

/// The only page of a zip that has no `index.html` at its root.
pub const PAGES: &[ValueKind] = &[
    page!("in-a-folder", "site/index.html"),
    page!("htm", "index.htm").beyond_quick(),
    page!("html-txt", "index.html.txt").beyond_quick(),
    page!("without-extension", "index").beyond_quick(),
    page!("space-before", " index.html").beyond_quick(),
    page!("hidden", ".index.html").beyond_quick(),
    page!("upper-case", "INDEX.HTML").may_be_accepted(ANY_CASE).beyond_quick(),
];

/// Why a page in upper case may count.
const ANY_CASE: &str = "a server may compare names without regard to case";

/// An artifact that is not a zip.
pub const NOT_ZIPS: &[ValueKind] = strings! {
    "page": "<!doctype html>\n<title>no zip</title>\n";
    deep
    "empty": "",
    "words": "this is not a zip",
    "signature-alone": "PK\u{3}\u{4}",
    "end-without-zip": "PK\u{5}\u{6}",
};

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::value::each_kind;

    #[test]
    fn the_first_value_has_all_properties_that_can_be_together() {
        let lists: [(&[ValueKind], &[&str], bool); 2] =
            [(SOURCES, &["one-character", "empty"], true), (IGNORED, &[], false)];
        for (kinds, alone, is_valid) in lists {
            let names = kinds.iter().map(|kind| kind.name).filter(|name| !alone.contains(name));
            let first = kinds[0].instead_of(&Value::Null);
            assert_eq!(each_kind(kinds, first.as_ref(), None), names.collect::<Vec<_>>());
            for kind in kinds {
                let made = kind.instead_of(&Value::Null);
                assert!(each_kind(kinds, made.as_ref(), None).contains(&kind.name), "{}", kind.name);
                let text = made.as_ref().and_then(Value::as_str).unwrap_or_default();
                assert_eq!(crate::drop::source::is_valid(text), is_valid, "{}", kind.name);
            }
        }
    }
}

//! Names that are ambiguous or invalid.

use assay_spec::drop::requirements::zip::FAITHFUL;

use super::{accepted, content, paths, refused};
use assay_spec::drop::zip::write::{Entry, Zip, extra};

fn site(name: impl AsRef<[u8]>) -> Vec<u8> {
    Zip::site([Entry::stored(name, "")]).bytes()
}

#[test]
fn names_are_not_normalized() {
    for name in ["a", "a b", "a/b:c", "ab:c", "1:", "%2e%2e", "~", "a\u{301}", "\u{e1}", "-", "con", "a."] {
        assert!(accepted(&site(name)).files.contains_key(name), "{name:?}");
    }
    let twice = Zip::site([
        Entry::stored("\u{e1}", "1"),
        Entry::stored("a\u{301}", "2"),
        Entry::stored("\u{c1}", "3"),
    ]);
    assert_eq!(accepted(&twice.bytes()).files.len(), 4);
}

#[test]
fn invalid_segments_are_rejected() {
    for name in ["./x", "a/./x", "a//x", "a/b//", ".", "a/..", "a/../x", "a/b/../"] {
        refused(&FAITHFUL, "an empty, . or .. segment", &site(name));
    }
    refused(&FAITHFUL, "an empty, . or .. segment", &site(""));
    let extracted = refused(&FAITHFUL, "", &site("a/.//b/../c"));
    assert_eq!(paths(&extracted), ["a/c", "index.html"]);
}

#[test]
fn invalid_characters_are_rejected() {
    for name in ["a\0b", "index.html\0.png", "\n", "a\u{7f}", "a\u{85}", "\u{1b}[2J"] {
        refused(&FAITHFUL, "a control character", &site(name));
    }
    for name in ["a\\b", "..\\x", "\\x", "\\\\host\\share"] {
        refused(&FAITHFUL, "a backslash", &site(name));
    }
    for name in ["C:", "c:x", "C:/x", "z:/"] {
        refused(&FAITHFUL, "a drive letter", &site(name));
    }
    for name in [&b"\xff"[..], b"a\x80", b"\xc0\xae\xc0\xae/x", b"\xed\xa0\x80"] {
        refused(&FAITHFUL, "not UTF-8", &site(name));
    }
}

#[test]
fn name_length_is_limited() {
    let long = |segments: usize, last: usize| {
        format!("{}{}", format!("{}/", "s".repeat(255)).repeat(segments), "e".repeat(last))
    };
    accepted(&site("x".repeat(255)));
    refused(&FAITHFUL, "a segment has more than 255 bytes", &site("x".repeat(256)));
    refused(&FAITHFUL, "a segment has more than 255 bytes", &site("\u{e9}".repeat(128)));
    accepted(&site(long(15, 255) + "/"));
    assert_eq!(long(15, 255).len(), 4095);
    let path = |first: &str| format!("{first}/{}s", "s/".repeat(2046));
    assert_eq!(path("ss").len(), 4096);
    accepted(&site(path("ss")));
    refused(&FAITHFUL, "the path has more than 4096 bytes", &site(path("sss")));
    refused(&FAITHFUL, "(65535 bytes): the path has more", &site("a/".repeat(32_767) + "b"));
}

#[test]
fn two_entries_with_one_path_are_rejected() {
    let pairs =
        [("a", "a"), ("a/", "a"), ("a", "a/"), ("a", "a/b"), ("a/b", "a"), ("a/b/", "a"), ("a", "a/b/")];
    for (first, second) in pairs {
        let both = Zip::site([Entry::stored(first, ""), Entry::stored(second, "")]);
        refused(&FAITHFUL, "another entry", &both.bytes());
    }
    refused(
        &FAITHFUL,
        "has the same path",
        &Zip::site([Entry::stored("a/", ""), Entry::stored("a/", "")]).bytes(),
    );
    let extracted = refused(&FAITHFUL, "", &Zip::site([Entry::stored("index.html", "evil")]).bytes());
    assert_eq!(content(&extracted, "index.html"), b"hello");
    accepted(
        &Zip::site([Entry::stored("a/b/", ""), Entry::stored("a/b/c", ""), Entry::stored("a/", "")]).bytes(),
    );
}

#[test]
fn second_name_must_equal_the_first() {
    let named = |second: &[u8]| {
        let field = extra(0x7075, &[&[1, 0, 0, 0, 0], second].concat());
        Zip::site([Entry::stored("a", "").both(|header| header.extra.clone_from(&field))]).bytes()
    };
    accepted(&named(b"a"));
    refused(&FAITHFUL, "a second name", &named(b"b"));
    refused(&FAITHFUL, "a second name", &named(b"../a"));
}

//! The rules that the document itself states.

use assay_spec::drop::requirements::zip::{ABSOLUTE, FORM, ROOT_INDEX, TRAVERSAL};

use super::{accepted, content, paths, refused};
use assay_spec::drop::zip::write::{Entry, Zip};

#[test]
fn site_is_extracted_unchanged() {
    let long = b"body { margin: 0 }\n".repeat(9000);
    let zip = Zip::with_entries([
        Entry::stored("css/", ""),
        Entry::deflated("css/site.css", &long),
        Entry::stored("empty/nested/", ""),
        Entry::stored(".well-known/.hidden", "dot"),
        Entry::deflated("index.html", "hello"),
        Entry::deflated("nothing", ""),
        Entry::stored("gr\u{f6}\u{df}e/\u{1f980}.txt", "crab"),
    ]);
    let site = accepted(&zip.bytes());
    let expected =
        [".well-known/.hidden", "css/site.css", "gr\u{f6}\u{df}e/\u{1f980}.txt", "index.html", "nothing"];
    assert_eq!(paths(&site), expected);
    assert_eq!(content(&site, "css/site.css"), long);
    assert_eq!(content(&site, "nothing"), b"");
    assert_eq!(Vec::from_iter(&site.directories), ["css", "empty/nested"]);
    assert_eq!(site.bytes, long.len() as u64 + 5 + 3 + 4);
}

#[test]
fn order_and_compression_do_not_matter() {
    let pairs = [("index.html", "hello"), ("a/b", "b"), ("a/c", "c"), ("d", "ddddddddddddddd")];
    let stored = accepted(&Zip::with_entries(pairs.map(|(name, text)| Entry::stored(name, text))).bytes());
    let mut deflated = Zip::with_entries(pairs.map(|(name, text)| Entry::deflated(name, text)));
    assert_eq!(accepted(&deflated.bytes()), stored);
    deflated.backwards = true;
    assert_eq!(accepted(&deflated.bytes()), stored);
    deflated.entries.reverse();
    assert_eq!(accepted(&deflated.bytes()), stored);
}

#[test]
fn bytes_that_are_not_a_zip_are_rejected() {
    let zip = Zip::site([]).bytes();
    let no_zips: [&[u8]; 6] =
        [b"", b"PK", b"<html></html>", &zip[..zip.len() - 1], &zip[..zip.len() / 2], &vec![0; 100_000]];
    for bytes in no_zips {
        let extracted = refused(&FORM, "no end-of-central-directory record", bytes);
        assert_eq!(content(&extracted, "index.html"), bytes);
    }
}

#[test]
fn zip_with_a_malformed_directory_is_rejected() {
    let zip = Zip::site([Entry::stored("a", "a")]);
    let mut bytes = zip.bytes();
    let second = bytes.windows(4).rposition(|window| window == b"PK\x01\x02").expect("a header");
    bytes[second] = b'Q';
    let extracted = refused(&FORM, "truncated at entry 1", &bytes);
    assert_eq!(content(&extracted, "index.html"), bytes);
}

#[test]
fn path_out_of_the_root_is_rejected() {
    for name in ["../x", "../../x", "a/../../x", "a/b/../../../x", "./../x", "..//x", "../x\\y"] {
        refused(&TRAVERSAL, "out of the root", &Zip::site([Entry::stored(name, "x")]).bytes());
    }
    let extracted = refused(&TRAVERSAL, "\"../x\"", &Zip::site([Entry::stored("../x", "x")]).bytes());
    assert_eq!(paths(&extracted), ["__/x", "index.html"]);
    let extracted = refused(&TRAVERSAL, "", &Zip::site([Entry::stored("a/../../b/c", "x")]).bytes());
    assert_eq!(paths(&extracted), ["a/__/__/b/c", "index.html"]);
    for fine in ["..x", "x..", "...", "a/..b/c"] {
        accepted(&Zip::site([Entry::stored(fine, "x")]).bytes());
    }
}

#[test]
fn violated_traversal_keeps_existing_entries() {
    let extracted = refused(&TRAVERSAL, "", &Zip::site([Entry::stored("../index.html", "evil")]).bytes());
    assert_eq!(content(&extracted, "index.html"), b"hello");
    refused(&TRAVERSAL, "", &Zip::site([Entry::stored("../index.html/x", "evil")]).bytes());
    refused(&TRAVERSAL, "", &Zip::site([Entry::stored("../", "")]).bytes());
    refused(&TRAVERSAL, "", &Zip::site([Entry::stored("..", "")]).bytes());
}

#[test]
fn absolute_path_is_rejected() {
    for name in ["/x", "//x", "/"] {
        refused(&ABSOLUTE, "the path is absolute", &Zip::site([Entry::stored(name, "")]).bytes());
    }
    let extracted = refused(&ABSOLUTE, "\"/etc/x\"", &Zip::site([Entry::stored("/etc/x", "x")]).bytes());
    assert_eq!(paths(&extracted), ["_/etc/x", "index.html"]);
}

#[test]
fn index_html_must_be_at_the_root() {
    for entry in [
        Entry::stored("site/index.html", "x"),
        Entry::stored("INDEX.HTML", "x"),
        Entry::stored("index.htm", "x"),
        Entry::stored("index.html/", ""),
    ] {
        refused(&ROOT_INDEX, "no index.html at the root", &Zip::with_entries([entry]).bytes());
    }
    refused(&ROOT_INDEX, "", &Zip::default().bytes());
    accepted(&Zip::with_entries([Entry::stored("index.html", "")]).bytes());
}

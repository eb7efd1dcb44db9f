//! The live site: what its URL serves.

use crate::common::drop::{Dropped, header};
use crate::common::{Driver, zip};

/// A site with every kind of file and directory.
pub(crate) fn folder() -> Vec<u8> {
    zip::from_files(&[
        ("index.html", b"<p>root</p>"),
        (".well-known/dot.txt", b"dot"),
        (".dotfile", b"a dotfile"),
        ("docs/index.html", b"<p>docs</p>"),
        ("docs/deep/er/index.html", b"<p>deeper</p>"),
        ("docs/deep/page.html", b"<p>page</p>"),
        ("bare/only.txt", b"no page here"),
        ("a b/caf\u{e9} 100%.txt", b"named"),
        ("caf\u{e9}/cafe\u{301}.txt", b"decomposed"),
        ("what?.txt", b"question"),
        ("a#b.txt", b"hash"),
        ("a+b&c=d;e.txt", b"marks"),
        ("empty.txt", b""),
        ("bytes.bin", &[0, 255, 10, 13, 254]),
    ])
}

pub(crate) fn live() -> (Driver, Dropped) {
    let mut driver = Driver::new(1);
    let dropped = driver.drop_zip(&folder());
    (driver, dropped)
}

#[test]
fn every_file_is_served_at_its_path_byte_for_byte() {
    let (mut driver, dropped) = live();
    for (path, content) in [
        ("", &b"<p>root</p>"[..]),
        ("index.html", b"<p>root</p>"),
        (".well-known/dot.txt", b"dot"),
        (".dotfile", b"a dotfile"),
        ("docs/", b"<p>docs</p>"),
        ("docs/index.html", b"<p>docs</p>"),
        ("docs/deep/er/", b"<p>deeper</p>"),
        ("docs/deep/page.html", b"<p>page</p>"),
        ("bare/only.txt", b"no page here"),
        ("empty.txt", b""),
        ("bytes.bin", &[0, 255, 10, 13, 254]),
    ] {
        let reply = driver.look(&dropped.below(path));
        assert_eq!((reply.status, &reply.body[..]), (200, content), "{path:?}");
    }
}

#[test]
fn paths_may_be_percent_encoded_in_every_way() {
    let (mut driver, dropped) = live();
    for (path, content) in [
        ("%69ndex.html", "<p>root</p>"),
        ("docs%2Findex.html", "<p>docs</p>"),
        ("docs%2f", "<p>docs</p>"),
        ("%2edotfile", "a dotfile"),
        ("a%20b/caf%C3%A9%20100%25.txt", "named"),
        ("a%20b/caf%c3%a9%20100%25.txt", "named"),
        ("caf%C3%A9/cafe%CC%81.txt", "decomposed"),
        ("what%3F.txt", "question"),
        ("a%23b.txt", "hash"),
        ("a+b&c=d;e.txt", "marks"),
        ("a%2Bb%26c%3Dd%3Be.txt", "marks"),
    ] {
        let reply = driver.look(&dropped.below(path));
        assert_eq!((reply.status, &reply.body[..]), (200, content.as_bytes()), "{path:?}");
    }
    // Encoded once, decoded once; a plus is a plus; names are not normalised.
    for path in [
        "%2569ndex.html",
        "a+b/caf%C3%A9%20100%25.txt",
        "a%20b&c=d;e.txt",
        "caf%C3%A9/caf%C3%A9.txt",
        "cafe%CC%81/cafe%CC%81.txt",
    ] {
        assert_eq!(driver.look(&dropped.below(path)).status, 404, "{path:?}");
    }
}

#[test]
fn query_is_ignored() {
    let (mut driver, dropped) = live();
    for path in ["?", "?a=b", "index.html?v=1/../x", "docs/?claim=x", "what%3F.txt?"] {
        assert_eq!(driver.look(&dropped.below(path)).status, 200, "{path:?}");
    }
    assert_eq!(driver.look(&dropped.below("what?.txt")).status, 404, "a bare question mark begins a query");
}

#[test]
fn directory_without_a_slash_redirects() {
    let (mut driver, dropped) = live();
    let bare = dropped.path().trim_end_matches('/').to_owned();
    for (target, location) in [
        (bare.clone(), dropped.path().to_owned()),
        (format!("{bare}?q"), dropped.path().to_owned()),
        (dropped.below("docs"), dropped.below("docs/")),
        (dropped.below("docs/deep"), dropped.below("docs/deep/")),
        (dropped.below("bare"), dropped.below("bare/")),
        (dropped.below("a%20b"), dropped.below("a%20b/")),
        (dropped.below(".well-known?x=/"), dropped.below(".well-known/")),
    ] {
        let reply = driver.look(&target);
        assert_eq!((reply.status, header(&reply, "location")), (301, location.as_str()), "{target}");
        assert!(reply.body.is_empty());
    }
    let mut redirecting = Driver::new(1);
    redirecting.world.set_variations(&["drop.redirect".to_owned()]).expect("a known variation");
    let dropped = redirecting.drop_zip(&folder());
    assert!(!dropped.url.ends_with('/'));
    let reply = redirecting.look(dropped.path());
    assert_eq!((reply.status, header(&reply, "location")), (301, dropped.below("/").as_str()));
    assert_eq!(redirecting.look(&dropped.below("/docs/")).body, "<p>docs</p>");
}

#[test]
fn content_types_follow_file_names() {
    let types = [
        ("index.html", "text/html; charset=utf-8"),
        ("a.htm", "text/html; charset=utf-8"),
        ("a.css", "text/css; charset=utf-8"),
        ("a.js", "text/javascript; charset=utf-8"),
        ("a.mjs", "application/javascript"),
        ("a.txt", "text/plain; charset=utf-8"),
        ("a.PNG", "image/png"),
        ("a.png", "image/png"),
        ("a.jpeg", "image/jpeg"),
        ("a.svg", "image/svg+xml"),
        ("a.json", "application/json"),
        ("a.wasm", "application/wasm"),
        ("a.woff2", "font/woff2"),
        ("a.tar.gz", "application/gzip"),
        ("a.unknown", "application/octet-stream"),
        ("plain", "application/octet-stream"),
        (".html", "application/octet-stream"),
    ];
    let files: Vec<(&str, &[u8])> = types.iter().map(|(name, _)| (*name, &b"<p>"[..])).collect();
    let mut driver = Driver::new(1);
    let dropped = driver.drop_zip(&zip::from_files(&files));
    for (name, content_type) in types {
        let reply = driver.look(&dropped.below(name));
        assert_eq!(reply.headers["content-type"], content_type, "{name}");
    }
    assert_eq!(driver.look(dropped.path()).headers["content-type"], "text/html; charset=utf-8");
}

#[test]
fn removed_site_has_no_paths_and_the_next_site_is_unchanged() {
    let (mut driver, first) = live();
    driver.advance(1);
    let second = driver.drop_zip(&folder());
    driver.advance(4 * 3_600_000 - 1);
    let statuses = |driver: &mut Driver, dropped: &Dropped| {
        ["", "index.html", "docs", "docs/", "nothing"].map(|path| driver.look(&dropped.below(path)).status)
    };
    assert_eq!(statuses(&mut driver, &first), [404; 5]);
    assert_eq!(statuses(&mut driver, &second), [200, 200, 301, 200, 404]);
}

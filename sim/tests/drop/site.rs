//! The live site: what stands at its URL, and what does not.

use assay_sim::Reply;

use crate::common::drop::{Dropped, get, header, page, post, upload};
use crate::common::zip::{self, Entry};
use crate::common::{Call, Driver};

/// A site with everything that a site has.
fn folder() -> Vec<u8> {
    zip::of(&[
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

fn live() -> (Driver, Dropped) {
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
fn a_path_may_be_percent_encoded_in_every_way() {
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
fn a_query_changes_nothing() {
    let (mut driver, dropped) = live();
    for path in ["?", "?a=b", "index.html?v=1/../x", "docs/?claim=x", "what%3F.txt?"] {
        assert_eq!(driver.look(&dropped.below(path)).status, 200, "{path:?}");
    }
    assert_eq!(driver.look(&dropped.below("what?.txt")).status, 404, "a bare question mark begins a query");
}

#[test]
fn a_folder_without_its_slash_redirects_to_the_one_with_it() {
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
    redirecting.world.set_liberties(&["drop.redirect".to_owned()]).expect("a known liberty");
    let dropped = redirecting.drop_zip(&folder());
    assert!(!dropped.url.ends_with('/'));
    let reply = redirecting.look(dropped.path());
    assert_eq!((reply.status, header(&reply, "location")), (301, dropped.below("/").as_str()));
    assert_eq!(redirecting.look(&dropped.below("/docs/")).body, "<p>docs</p>");
}

#[test]
fn what_was_not_uploaded_is_not_found() {
    let (mut driver, dropped) = live();
    for path in [
        "nothing",
        "Index.html",
        "INDEX.HTML",
        "index",
        "index.html/",
        "index.html/x",
        "bare/",
        "docs/deep/",
        "doc",
        "docs//",
        "//",
        "/index.html",
        "docs//index.html",
        ".",
        "./",
        "./index.html",
        "docs/./index.html",
        "%00",
        "index.html%00",
        "%ff",
        "caf%E9/x",
        "%",
        "%4",
        "%zz",
        "index.html%",
        "bytes.bin%20",
        " ",
        "*",
    ] {
        let reply = driver.look(&dropped.below(path));
        assert_eq!(reply.status, 404, "{path:?}");
    }
    for target in [
        "/",
        "",
        "*",
        "/live",
        "/live/",
        "/live//",
        "/live/x",
        "/live/x/",
        "/api",
        "/api/",
        "/api/drop/",
        "/claim",
        "/favicon.ico",
    ] {
        assert_eq!(driver.look(target).status, 404, "{target:?}");
    }
}

#[test]
fn no_path_leads_out_of_a_site() {
    let mut driver = Driver::new(1);
    let mine = driver.drop_zip(&folder());
    let other = driver.drop_zip(&zip::of(&[("index.html", b"other"), ("secret.txt", b"other")]));
    let name = other.path().trim_end_matches('/').rsplit('/').next().expect("a name").to_owned();
    let ups =
        ["..", "%2e%2e", "%2E%2E", ".%2e", "%2e.", "..%00", "%252e%252e", "..;", "%c0%ae%c0%ae", "\u{2025}"];
    let slashes = ["/", "%2f", "%2F", "%5c", "//", "%252f", "/./"];
    for up in ups {
        for slash in slashes {
            for prefix in ["", "docs/", "docs/deep/"] {
                for climbs in 1..4 {
                    let up = [up, slash].concat().repeat(climbs);
                    let target = mine.below(&format!("{prefix}{up}{name}{slash}secret.txt"));
                    let reply = driver.look(&target);
                    assert!(reply.status == 404 && reply.body != "other", "{target}");
                }
            }
        }
    }
    for target in [
        format!("/live/../live/{name}/secret.txt"),
        format!("/%6cive/{name}/secret.txt"),
        format!("//live/{name}/secret.txt"),
        format!("/live//{name}/secret.txt"),
        format!("/live/{name}%2fsecret.txt"),
        format!("/live%2f{name}/secret.txt"),
        format!("live/{name}/secret.txt"),
    ] {
        assert_eq!(driver.look(&target).status, 404, "{target}");
    }
    assert_eq!(driver.look(&other.below("secret.txt")).body, "other", "the way that there is");
}

#[test]
fn a_redirect_leads_nowhere_but_to_its_own_folder() {
    let mut driver = Driver::new(1);
    let entries = [Entry::stored("index.html", b""), Entry::stored("a.example/x/y", b"")];
    let dropped = driver.drop_zip(&zip::write(&entries));
    for path in ["/a.example", "//a.example/x", "a.example%0d%0aset-cookie:x", "a.example/x%0d"] {
        assert_eq!(driver.look(&dropped.below(path)).status, 404, "{path}");
    }
    let reply = driver.look(&dropped.below("a.example/x"));
    assert_eq!(reply.headers["location"], dropped.below("a.example/x/").as_str());
}

#[test]
fn a_head_is_answered_like_a_get_and_nothing_else_is_allowed() {
    let (mut driver, dropped) = live();
    let before = driver.drops();
    let head = driver.ask(&Call { method: "HEAD".to_owned(), ..get(dropped.path()) });
    let page = driver.look(dropped.path());
    assert_eq!((head.status, &head.headers, &head.body), (200, &page.headers, &page.body));
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"] {
        for path in ["", "docs", "nothing"] {
            let reply = driver.ask(&Call { method: method.to_owned(), ..get(&dropped.below(path)) });
            assert_eq!((reply.status, header(&reply, "allow")), (405, "GET, HEAD"), "{method} {path:?}");
        }
    }
    for method in ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "BREW", "post"] {
        for target in ["/api/drop", "/api/drop?x"] {
            let reply = driver.ask(&Call { method: method.to_owned(), ..get(target) });
            assert_eq!((reply.status, header(&reply, "allow")), (405, "POST"), "{method} {target}");
            assert!(!reply.headers.contains_key("access-control-allow-origin"));
        }
    }
    assert_eq!(driver.drops(), before);
}

#[test]
fn content_types_are_those_of_the_names() {
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
    let dropped = driver.drop_zip(&zip::of(&files));
    for (name, content_type) in types {
        let reply = driver.look(&dropped.below(name));
        assert_eq!(reply.headers["content-type"], content_type, "{name}");
    }
    assert_eq!(driver.look(dropped.path()).headers["content-type"], "text/html; charset=utf-8");
}

#[test]
fn the_urls_have_the_host_by_which_the_caller_came() {
    for (host, base) in [
        (Some(&b"drop.example"[..]), "http://drop.example/"),
        (Some(b"drop.example:8080"), "http://drop.example:8080/"),
        (Some(b"127.0.0.1:1"), "http://127.0.0.1:1/"),
        (Some(b"[::1]:8080"), "http://[::1]:8080/"),
        (None, "http://drop.sim/"),
        (Some(b""), "http://drop.sim/"),
        (Some(b"a b"), "http://drop.sim/"),
        (Some(b"a/b"), "http://drop.sim/"),
        (Some(b"a?b"), "http://drop.sim/"),
        (Some(b"a#claim=x"), "http://drop.sim/"),
        (Some(b"user@drop.example"), "http://drop.sim/"),
        (Some(b"user:secret@drop.example:80"), "http://drop.sim/"),
        (Some(b"http://drop.example"), "http://drop.sim/"),
        (Some(b"drop.example:80:90"), "http://drop.sim/"),
        (Some(b"drop.example:port"), "http://drop.sim/"),
        (Some(b"drop.example:99999"), "http://drop.sim/"),
        (Some(b"\xff"), "http://drop.sim/"),
    ] {
        let mut driver = Driver::new(1);
        let mut call = upload(&folder());
        call.headers.extend(host.map(|host| ("host", host.to_vec())));
        let dropped = driver.drop_form(&call);
        let shown = String::from_utf8_lossy(host.unwrap_or(b"none")).into_owned();
        assert!(dropped.url.starts_with(&format!("{base}live/")), "{shown}: {}", dropped.url);
        assert!(dropped.claim_url.starts_with(&format!("{base}claim#")), "{shown}: {}", dropped.claim_url);
        // Sites stand at paths: whoever asks under another name finds them too.
        assert_eq!(driver.look(dropped.path()).status, 200);
    }
}

#[test]
fn a_removed_site_is_gone_with_all_its_paths_and_the_next_one_is_not_touched() {
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

#[test]
fn answers_have_their_forms_byte_for_byte() {
    let mut driver = Driver::new(1);
    let form = |driver: &mut Driver, call: &Call, status, body: &str| {
        let reply: Reply = driver.ask(call);
        let mut names: Vec<&str> = reply.headers.keys().map(http::HeaderName::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["content-type", "date"]);
        assert_eq!(reply.headers["date"], "Thu, 01 Jan 2026 00:00:00 GMT");
        assert_eq!(reply.headers["content-type"], "application/json");
        assert_eq!((reply.status, String::from_utf8_lossy(&reply.body).as_ref()), (status, body));
    };
    let missing = post("text/plain", Vec::new());
    form(&mut driver, &missing, 400, r#"{"error":"artifact is missing"}"#);
    form(&mut driver, &upload(b"PK"), 400, r#"{"error":"unsafe zip"}"#);
    form(&mut driver, &upload(&zip::of(&[("a", b"")])), 400, r#"{"error":"no index.html at the root"}"#);
    form(&mut driver, &upload(&zip::of_length(10_000_001)), 413, r#"{"error":"zip too large"}"#);
    form(&mut driver, &get("/"), 404, r#"{"error":"not found"}"#);
    let dropped = concat!(
        r#"{"dropId":"drop_9wxK21SE_i39CQBHKg4kj5","#,
        r#""claimToken":"jDsXbKXgDd4GlQCzpKLgq_jAzua4izqcyTQX5naBXts","#,
        r#""url":"http://drop.sim/live/1c95e927b354c2fe9233/","#,
        r#""cid":"bafybeifqpht72ksjvqug6vchezspsybhefogw2om74to7igslddbh5jkn4","#,
        r#""expiresAt":1767240000000,"#,
        r#""claimUrl":"http://drop.sim/claim#claim=jDsXbKXgDd4GlQCzpKLgq_jAzua4izqcyTQX5naBXts&exp=1767240000000"}"#,
    );
    form(&mut driver, &upload(&page("<p>")), 200, dropped);
    driver.open(&upload(b""));
    form(&mut driver, &upload(b""), 429, r#"{"error":"an upload is on its way"}"#);
}

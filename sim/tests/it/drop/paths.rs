//! Paths that are not found: missing files, other drops, other methods.

use assay_spec::drop::zip::write::Entry;

use crate::common::drop::{get, header};
use crate::common::zip;
use crate::common::{Call, Driver};
use crate::drop::site::{folder, live};

#[test]
fn missing_files_are_not_found() {
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
fn no_path_escapes_a_site() {
    let mut driver = Driver::new(1);
    let mine = driver.drop_zip(&folder());
    let other = driver.drop_zip(&zip::from_files(&[("index.html", b"other"), ("secret.txt", b"other")]));
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
    assert_eq!(driver.look(&other.below("secret.txt")).body, "other", "the correct path");
}

#[test]
fn redirects_lead_only_to_their_own_directory() {
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
fn only_get_and_head_are_allowed() {
    let (mut driver, dropped) = live();
    let before = driver.drops();
    let head = driver.exchange(&Call { method: "HEAD".to_owned(), ..get(dropped.path()) });
    let page = driver.look(dropped.path());
    assert_eq!((head.status, &head.headers, &head.body), (200, &page.headers, &page.body));
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"] {
        for path in ["", "docs", "nothing"] {
            let reply = driver.exchange(&Call { method: method.to_owned(), ..get(&dropped.below(path)) });
            assert_eq!((reply.status, header(&reply, "allow")), (405, "GET, HEAD"), "{method} {path:?}");
        }
    }
    for method in ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "BREW", "post"] {
        for target in ["/api/drop", "/api/drop?x"] {
            let reply = driver.exchange(&Call { method: method.to_owned(), ..get(target) });
            assert_eq!((reply.status, header(&reply, "allow")), (405, "POST"), "{method} {target}");
            assert!(!reply.headers.contains_key("access-control-allow-origin"));
        }
    }
    assert_eq!(driver.drops(), before);
}

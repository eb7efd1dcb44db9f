//! The exact bytes of responses, and the URLs in them.

use assay_sim::Reply;

use crate::common::drop::{get, page, post, upload};
use crate::common::{Call, Driver, zip};

#[test]
fn urls_have_the_host_that_the_caller_used() {
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
        let mut call = upload(&page(""));
        call.headers.extend(host.map(|host| ("host", host.to_vec())));
        let dropped = driver.drop_form(&call);
        let shown = String::from_utf8_lossy(host.unwrap_or(b"none")).into_owned();
        assert!(dropped.url.starts_with(&format!("{base}live/")), "{shown}: {}", dropped.url);
        assert!(dropped.claim_url.starts_with(&format!("{base}claim#")), "{shown}: {}", dropped.claim_url);
        // Sites are at paths, so a caller under another host name finds them too.
        assert_eq!(driver.look(dropped.path()).status, 200);
    }
}

#[test]
fn urls_have_the_public_host_where_one_is_set() {
    for (listens, base) in [
        ("http://0.0.0.0:4118", "http://drop.example:4118/"),
        ("https://[::]:4118", "https://drop.example:4118/"),
    ] {
        let mut driver = Driver::new(1);
        driver.world.set_public_host(Some("Drop.Example".parse().expect("a host")));
        driver.world.set_site_urls([("drop", listens)].into_iter());
        let mut call = upload(&page(""));
        call.headers.push(("host", b"drop:80".to_vec()));
        let dropped = driver.drop_form(&call);
        assert!(dropped.url.starts_with(&format!("{base}live/")), "{}", dropped.url);
        assert!(dropped.claim_url.starts_with(&format!("{base}claim#")), "{}", dropped.claim_url);
    }
}

#[test]
fn responses_have_their_exact_bytes() {
    let mut driver = Driver::new(1);
    let form = |driver: &mut Driver, call: &Call, status, body: &str| {
        let reply: Reply = driver.exchange(call);
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
    form(
        &mut driver,
        &upload(&zip::from_files(&[("a", b"")])),
        400,
        r#"{"error":"no index.html at the root"}"#,
    );
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
    form(&mut driver, &upload(b""), 429, r#"{"error":"another upload is in progress"}"#);
}

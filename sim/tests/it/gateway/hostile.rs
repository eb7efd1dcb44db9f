//! Hostile input: every path, method and body gets an answer in the documented form, and never a 500.

use assay_sim::gateway::{ENCLAVE, GATEWAY, SERVERS};
use proptest::prelude::*;
use serde_json::json;

use crate::common::{Call, Driver, show};
use crate::gateway::model::{detail, families, get, post, post_bytes};

#[test]
fn odd_paths_are_not_found() {
    let mut driver = Driver::new(1);
    for site in [GATEWAY, SERVERS[0], ENCLAVE] {
        for path in [
            "/",
            "//",
            "/v1",
            "/v1/",
            "/v1/chat/completions/",
            "//v1/chat/completions",
            "/v1//chat/completions",
            "/v1/chat%2Fcompletions",
            "/v1/%63hat/completions",
            "/v1/chat/completions%00",
            "/%2e%2e/v1/models",
            "/v1/../v1/models",
            "/svc",
            "/svc/models/",
            "/V1/models",
            "/v1/models;x",
            "*",
            "/stand-in/v1/resolve",
        ] {
            for method in ["GET", "POST", "DELETE", "BREW"] {
                let reply = driver.ask_at(site, &Call::new(method, path, Vec::new(), Vec::new()));
                assert_eq!(reply.status, 404, "{method} {path}: {}", show(&reply));
                assert!(!detail(&reply).is_empty());
            }
        }
    }
}

#[test]
fn other_methods_get_the_allowed_method() {
    let mut driver = Driver::new(1);
    for (path, allowed) in [
        ("/v1/chat/completions", "POST"),
        ("/v1/models", "GET"),
        ("/svc/models", "GET"),
        ("/svc/auth/check", "GET"),
    ] {
        for method in ["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"] {
            let reply = driver.request(&Call::new(method, path, Vec::new(), Vec::new()));
            if method == allowed {
                assert_ne!(reply.status, 405);
            } else {
                assert_eq!(
                    (reply.status, &reply.headers["allow"]),
                    (405, &allowed.parse().expect("a value"))
                );
                assert!(!detail(&reply).is_empty());
            }
        }
    }
}

#[test]
fn query_is_not_part_of_a_path() {
    let mut driver = Driver::new(1);
    assert_eq!(driver.request(&get("/v1/models?limit=1&x=%00", None)).status, 200);
}

#[test]
fn body_is_accepted_up_to_its_limit() {
    let mut driver = Driver::new(1);
    let key = driver.key("valid");
    let (path, body) = families("assay-chat")[0].clone();
    let mut text = body.to_string();
    driver.set_gateway_limits(&json!({ "body_bytes": text.len() }));
    assert_eq!(driver.request(&post_bytes(path, Some(&key), text.clone().into_bytes())).status, 200);
    text.push(' ');
    let reply = driver.request(&post_bytes(path, Some(&key), text.clone().into_bytes()));
    assert_eq!(reply.status, 413);
    assert!(!detail(&reply).is_empty());
    assert_eq!(driver.request(&post_bytes(path, None, text.into_bytes())).status, 401, "the key comes first");
}

#[test]
fn malformed_bodies_are_rejected() {
    let mut driver = Driver::new(1);
    let key = driver.key("valid");
    let deep = "[".repeat(100_000);
    let deep_inside = format!("{{\"model\":\"assay-chat\",\"messages\":{deep}");
    let bad: [&[u8]; 9] = [
        b"",
        b"null",
        b"7",
        b"[]",
        b"{",
        b"\xff\xfe{}",
        b"{\"model\":\"\xc3\x28\"}",
        deep.as_bytes(),
        deep_inside.as_bytes(),
    ];
    for (path, _) in families("assay-chat") {
        for body in bad {
            let reply = driver.request(&post_bytes(path, Some(&key), body.to_vec()));
            assert_eq!(reply.status, 422, "{path} {:.40}", String::from_utf8_lossy(body));
            assert!(detail(&reply).len() < 1_000);
        }
    }
}

#[test]
fn quotes_in_errors_are_cut() {
    let mut driver = Driver::new(1);
    let key = driver.key("valid");
    let mut body = families("assay-chat")[0].1.clone();
    body["model"] = json!("\u{1F980}".repeat(1_000_000));
    let reply = driver.request(&post("/v1/chat/completions", Some(&key), &body));
    assert_eq!(reply.status, 404);
    assert!(reply.body.len() < 4_000);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    /// A body with one arbitrary member, at any position.
    #[test]
    fn no_body_causes_an_internal_error(
        family in 0..5_usize,
        at in 0..6_usize,
        value in "\\PC{0,40}|null|-?[0-9]{1,400}|[0-9]e[0-9]{1,4}|\\[\\[\\{\\}\\]\\]|\\{\"a\":\\[true\\]\\}",
    ) {
        let mut driver = Driver::new(1);
        let key = driver.key("valid");
        let (path, body) = families("assay-chat")[family].clone();
        let text = body.to_string();
        let colons: Vec<usize> = text.match_indices(':').map(|(at, _)| at + 1).collect();
        let place = colons[at % colons.len()];
        let end = text[place..].find([',', '}']).map_or(text.len(), |end| place + end);
        let body = format!("{}{value}{}", &text[..place], &text[end..]);
        let reply = driver.request(&post_bytes(path, Some(&key), body.into_bytes()));
        prop_assert!([200, 404, 422].contains(&reply.status), "{}", show(&reply));
    }
}

//! Hostile input: every response is documented, nothing is stored, and the server does not fail.

use assay_sim::network::sites::ALL;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::common::drop::{FORM, Form, get};
use crate::common::net::{FLAT, MESSAGES, STORAGE, Wallet, message, message_at, post, refused};
use crate::common::{Call, Driver};

/// Values of every shape.
fn shapes() -> Vec<Value> {
    vec![
        Value::Null,
        json!(true),
        json!(-1),
        json!(u64::MAX),
        json!(1e300),
        json!(1.5),
        json!(""),
        json!("x"),
        json!([]),
        json!([null]),
        json!({}),
        json!({ "x": {} }),
    ]
}

/// Asserts that the body is rejected with 400 and that nothing is stored.
fn bad(driver: &mut Driver, path: &str, body: impl Into<Vec<u8>>) {
    let body = body.into();
    let shown = String::from_utf8_lossy(&body[..body.len().min(200)]).into_owned();
    let headers = vec![("content-type", b"application/json".to_vec())];
    let reply = driver.net(&Call::new("POST", path, headers, body));
    assert!((400..404).contains(&refused(&reply)), "{}: {shown}", reply.status);
    assert_eq!(driver.network()["messages"], 0, "{shown}");
}

#[test]
fn every_member_of_an_envelope_rejects_values_of_other_types() {
    let (mut driver, wallet) = (Driver::unhurried(1), Wallet::new(1));
    let good = message(&driver, "POST", &json!({ "n": 1 }));
    // The members, and the values that are valid there.
    let allowed = |path: &str, shape: &Value| match path {
        "/message/channel" => shape.is_string(),
        "/message/content" => shape.is_object(),
        _ => false,
    };
    for path in [
        "",
        "/message",
        "/message/chain",
        "/message/channel",
        "/message/type",
        "/message/timestamp",
        "/message/content",
        "/address",
        "/signature",
    ] {
        for shape in shapes() {
            let mut envelope = wallet.envelope(&good);
            *envelope.pointer_mut(path).expect("a place") = shape.clone();
            let signed = path.starts_with("/message/").then(|| wallet.envelope(&envelope["message"]));
            if allowed(path, &shape) {
                let mut copy = Driver::unhurried(1);
                assert_eq!(
                    copy.net(&post(MESSAGES, &signed.unwrap_or(envelope))).status,
                    200,
                    "{path} {shape}"
                );
            } else if path == "/message/chain" && shape == "x" {
                // Any string is a valid chain.
            } else {
                bad(&mut driver, MESSAGES, signed.unwrap_or(envelope).to_string());
            }
        }
    }
}

#[test]
fn body_that_is_not_json_is_rejected() {
    let mut driver = Driver::unhurried(1);
    let deep = "{\"message\":".repeat(50_000);
    let arrays = "[".repeat(500_000);
    for body in [&b""[..], b"x", b"{", b"{}x", b"\xff\xfe", b"\0", b"nul", deep.as_bytes(), arrays.as_bytes()]
    {
        bad(&mut driver, MESSAGES, body);
    }
}

#[test]
fn unknown_types_and_invalid_times_are_rejected() {
    let (mut driver, wallet) = (Driver::unhurried(1), Wallet::new(1));
    let now = driver.now().seconds();
    for kind in ["post", "POSTS", "", "DROP TABLE", "STORE\0", "\u{202e}POST", &"X".repeat(100_000)] {
        let envelope = wallet.envelope(&message_at(now, kind, &json!({})));
        bad(&mut driver, MESSAGES, envelope.to_string());
    }
    for time in [0, -1, i64::MIN, i64::MAX, now * 1000, now + 10 * 366 * 86_400, now - 10 * 366 * 86_400] {
        let envelope = wallet.envelope(&message_at(time, "POST", &json!({})));
        bad(&mut driver, MESSAGES, envelope.to_string());
    }
    for number in ["1e999", "99999999999999999999999999", "-0.0", "1.0", "0x10", "\"1\""] {
        let text = wallet.envelope(&message_at(now, "POST", &json!({}))).to_string();
        bad(&mut driver, MESSAGES, text.replace(&now.to_string(), number));
    }
}

#[test]
fn forgets_without_valid_hashes_are_rejected() {
    let (mut driver, wallet) = (Driver::unhurried(1), Wallet::new(1));
    for shape in shapes().into_iter().chain([json!(["a", 1]), json!([["a"]])]) {
        let content = json!({ "address": wallet.address, "hashes": shape, "time": 1 });
        let envelope = wallet.envelope(&message(&driver, "FORGET", &content));
        bad(&mut driver, MESSAGES, envelope.to_string());
    }
    let bare = wallet.envelope(&message(&driver, "FORGET", &json!({})));
    bad(&mut driver, MESSAGES, bare.to_string());
}

#[test]
fn a_forget_may_contain_many_hashes() {
    let (mut driver, wallet) = (Driver::unhurried(1), Wallet::new(1));
    let hashes: Vec<String> = (0..14_000).map(|n| format!("{n:064x}")).collect();
    let refs: Vec<&str> = hashes.iter().map(String::as_str).collect();
    let forget = driver.forget(&wallet, &refs);
    assert_eq!(driver.status_of(&forget), "pending");
}

#[test]
fn messages_of_more_than_one_megabyte_are_rejected() {
    let (mut driver, wallet) = (Driver::unhurried(1), Wallet::new(1));
    let of = |driver: &Driver, bytes: usize| {
        let empty = wallet.create(&message(driver, "POST", &json!({ "x": "" }))).body.len();
        wallet.create(&message(driver, "POST", &json!({ "x": "y".repeat(bytes - empty) })))
    };
    let (largest, larger) = (of(&driver, 1024 * 1024), of(&driver, 1024 * 1024 + 1));
    assert_eq!(refused(&driver.net(&larger)), 400);
    assert_eq!(driver.network()["messages"], 0);
    assert_eq!(driver.net(&largest).status, 200);
}

#[test]
fn an_endless_body_is_cut_off() {
    let mut driver = Driver::unhurried(1);
    let site = assay_sim::network::sites::PRIMARY;
    for (path, limit) in
        [(MESSAGES, 1024 * 1024), ("/api/v0/nowhere", 1024 * 1024), (STORAGE, 101 * 1024 * 1024)]
    {
        let call = Call::new("POST", path, vec![("content-type", FORM.as_bytes().to_vec())], Vec::new());
        let exchange = driver.begin(site, &call);
        let chunk = bytes::Bytes::from(vec![b'x'; 1024 * 1024]);
        let mut sent = 0;
        let reply = loop {
            driver.input(assay_sim::Input::Body(exchange, chunk.clone()));
            sent += chunk.len();
            if let Some(reply) = driver.reply(exchange) {
                break reply;
            }
            assert!(sent <= limit + 2 * chunk.len(), "{path} reads more than its limit");
        };
        assert!((400..405).contains(&refused(&reply)), "{path}");
    }
}

#[test]
fn broken_forms_store_nothing() {
    let (mut driver, wallet) = (Driver::unhurried(1), Wallet::new(1));
    let good = wallet.form(b"file", "text/plain");
    let cut = |at: usize| good.bytes()[..at].to_vec();
    let send = |driver: &mut Driver, content_type: &str, body: Vec<u8>| {
        let reply = driver.net(&Call::new(
            "POST",
            STORAGE,
            vec![("content-type", content_type.as_bytes().to_vec())],
            body,
        ));
        assert!((400..404).contains(&refused(&reply)), "{content_type}");
        assert_eq!((&driver.network()["messages"], &driver.network()["files"]), (&json!(0), &json!(0)));
    };
    for content_type in [
        "",
        "application/json",
        "multipart/form-data",
        "multipart/form-data; boundary=",
        "multipart/form-data; boundary=other",
        "multipart/form-data; boundary=\"",
        "text/plain",
    ] {
        send(&mut driver, content_type, good.bytes());
    }
    for at in (0..good.bytes().len() - 5).step_by(7) {
        send(&mut driver, FORM, cut(at));
    }
    send(&mut driver, FORM, Form::default().bytes());
    send(&mut driver, FORM, Form::default().field("file", b"x").bytes());
    send(&mut driver, FORM, Form::default().field("address", wallet.address.as_bytes()).bytes());
    send(&mut driver, FORM, wallet.form(b"x", "a/b").bytes().replace_all(b"name=\"file\"", b"name=\"fil\""));
    let many = (0..1001).fold(Form::default(), |form, _| form.field("x", b""));
    send(&mut driver, FORM, many.bytes());
    assert_eq!(driver.net(&good.call_to(STORAGE)).status, 200);
}

trait ReplaceAll {
    fn replace_all(&self, from: &[u8], to: &[u8]) -> Vec<u8>;
}

impl ReplaceAll for Vec<u8> {
    fn replace_all(&self, from: &[u8], to: &[u8]) -> Vec<u8> {
        let at = self.windows(from.len()).position(|part| part == from).expect("the pattern occurs");
        [&self[..at], to, &self[at + from.len()..]].concat()
    }
}

#[test]
fn unusual_targets_return_a_response() {
    let mut driver = Driver::unhurried(1);
    let targets = [
        "/api/v0/messages/..%2f..%2f..%2fetc%2fpasswd",
        "/api/v0/messages/%00",
        "/api/v0/messages/%ff%fe",
        "/api/v0/messages//",
        "/api/v0//messages",
        "/api/v0/./messages",
        "/api/v0/storage/../messages",
        "/api/v0/storage/raw/%2e%2e%2f",
        "/api/v0/storage/raw/",
        "/api/v0/messages?%ff=%zz&&&=&page",
        "/api/v0/messages?hashes=,,,,&addresses=%00&content.keys=....&tags=%2c",
        "/api/v0/messages.json?startDate=-9223372036854775808&endDate=9223372036854775807",
        "*",
        "",
        "//",
        "http://elsewhere/api/v0/messages",
    ];
    let many = format!("{MESSAGES}?hashes={}", "x,".repeat(50_000));
    let long = format!("{MESSAGES}/{}", "a".repeat(100_000));
    let keys = format!("{MESSAGES}?content.keys={}", "a.".repeat(50_000));
    for site in ALL {
        for target in
            targets.iter().map(ToString::to_string).chain([many.clone(), long.clone(), keys.clone()])
        {
            let reply = driver.net_at(*site, &get(&target));
            assert!([200, 400, 404].contains(&reply.status), "{} {target:.60}: {}", site.name, reply.status);
        }
    }
}

#[test]
fn every_method_returns_a_response() {
    let mut driver = Driver::unhurried(1);
    for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "X-ODD"] {
        for path in
            [MESSAGES, FLAT, STORAGE, "/api/v0/messages/x", "/api/v0/storage/x", "/api/v0/storage/raw/x"]
        {
            let reply = driver.net(&Call::new(method, path, Vec::new(), Vec::new()));
            assert!([200, 400, 404].contains(&reply.status), "{method} {path}: {}", reply.status);
        }
    }
    assert_eq!(driver.network()["messages"], 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn random_bytes_never_return_an_internal_error(
        body in proptest::collection::vec(any::<u8>(), 0..300),
        query in "[ -~]{0,60}",
        form in any::<bool>(),
    ) {
        let mut driver = Driver::unhurried(1);
        let content_type = if form { FORM } else { "application/json" };
        let headers = vec![("content-type", content_type.as_bytes().to_vec())];
        for path in [MESSAGES, STORAGE] {
            let reply = driver.net(&Call::new("POST", path, headers.clone(), body.clone()));
            prop_assert_eq!(refused(&reply), 400);
        }
        for path in [MESSAGES, FLAT] {
            let reply = driver.net(&get(&format!("{path}?{query}")));
            prop_assert!([200, 400].contains(&reply.status), "{}", reply.status);
        }
        prop_assert_eq!(&driver.network()["messages"], 0);
    }

    #[test]
    fn one_changed_byte_never_returns_an_internal_error(at in any::<usize>(), byte in any::<u8>(), upload in any::<bool>()) {
        let (mut driver, wallet) = (Driver::unhurried(1), Wallet::new(1));
        let mut call = if upload {
            wallet.upload(b"file", "text/plain")
        } else {
            wallet.create(&message(&driver, "POST", &json!({ "type": "t", "n": [1, 2] })))
        };
        let at = at % call.body.len();
        call.body[at] = byte;
        let reply = driver.net(&call);
        prop_assert!([200, 400, 401, 403].contains(&reply.status), "{}", reply.status);
        let stored = driver.network()["messages"].as_u64().expect("a count");
        prop_assert_eq!(stored, u64::from(reply.status == 200));
    }
}

//! Hostile requests: the documented response, no state change, and the next valid request succeeds.

use crate::common::{Call, Client, Driver, PREPARE, SUBMIT, bound, show, wire};
use assay_sim::clock::EPOCH;
use assay_sim::publish::SITES;
use assay_sim::serve::{ClockMode, Handle};
use assay_sim::{Input, Reply};
use assay_spec::crypto::{ed25519, text};
use assay_spec::publish::envelope::seal;
use assay_spec::{Dialect, Service};
use bytes::Bytes;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

#[test]
fn malformed_headers_get_the_blanket_404() {
    let alice = Client::new(1, "a.example");
    let good = alice.publish(EPOCH).headers[0].1.clone();
    let text = String::from_utf8(good.clone()).expect("ASCII");
    let parts: Vec<&str> = text.split([' ', '.']).collect();
    let headers: Vec<(&str, Vec<u8>)> = vec![
        ("empty", Vec::new()),
        ("scheme alone", b"VfKey".to_vec()),
        ("two spaces", text.replace(' ', "  ").into_bytes()),
        ("tab", text.replace(' ', "\t").into_bytes()),
        ("another scheme", text.replace("VfKey", "Bearer").into_bytes()),
        ("lower case", text.replace("VfKey", "vfkey").into_bytes()),
        ("one part", format!("VfKey {}", parts[1]).into_bytes()),
        ("three parts", format!("{text}.{}", parts[2]).into_bytes()),
        ("dots alone", b"VfKey ..".to_vec()),
        ("padding", format!("{text}=").into_bytes()),
        ("not base64", b"VfKey !!!.???".to_vec()),
        ("one character", b"VfKey A.A".to_vec()),
        ("bytes beyond ASCII", [&good[..], &[0xff, 0xfe]].concat()),
        ("comma", format!("{text}, {text}").into_bytes()),
        ("66 bytes of signature", format!("{text}AA").into_bytes()),
        ("half a signature", text.as_bytes()[..text.len() - 40].to_vec()),
        ("a megabyte", [b"VfKey ", &vec![b'A'; 1 << 20][..]].concat()),
    ];
    for (name, header) in headers {
        let mut call = alice.publish(EPOCH);
        call.headers[0].1 = header;
        expect(name, &call, 404);
    }
    let mut without = alice.publish(EPOCH);
    without.headers.remove(0);
    expect("no header", &without, 404);
    let mut twice = alice.publish(EPOCH);
    twice.headers.push(("authorization", good));
    expect("two headers", &twice, 404);
}

#[test]
fn malformed_signed_claims_get_the_blanket_404() {
    let body = alice_body();
    let hash = text::sha256_hex(body.as_bytes());
    let good = format!(
        r#"{{"v":1,"m":"POST","p":"{PREPARE}","d":"a.example","t":"2026-01-01T00:00:00.000Z","h":"{hash}"}}"#
    );
    let sealed = |bytes: &[u8]| sealed(&[b"svc-vf:1:auth:", bytes].concat());
    assert_eq!(bound().0.send(&sealed(good.as_bytes())).status, 200, "the valid counterpart");
    let last = good.replace("\"v\":1,", "").replace('}', ",\"v\":1}");
    assert_eq!(bound().0.send(&sealed(last.as_bytes())).status, 200, "keys in another order");
    let swap = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        good.replace(from, to)
    };
    let texts = [
        ("duplicate key", swap("{\"v\":1", "{\"v\":1,\"v\":1")),
        ("v as string", swap("\"v\":1", "\"v\":\"1\"")),
        ("v 2", swap("\"v\":1", "\"v\":2")),
        ("a seventh key", swap("\"v\":1", "\"v\":1,\"x\":1")),
        ("five keys", swap("\"v\":1,", "")),
        ("t as number", swap("\"2026-01-01T00:00:00.000Z\"", "1767225600000")),
        ("t without offset", swap("00.000Z", "00.000")),
        ("d as list", swap("\"a.example\"", "[\"a.example\"]")),
        ("d in capitals", swap("a.example", "A.EXAMPLE")),
        ("d with a dot", swap("a.example", "a.example.")),
        ("d with a lone surrogate", swap("a.example", "a.example\\ud800")),
        ("h in capitals", swap(&hash, &hash.to_uppercase())),
        ("m in small letters", swap("POST", "post")),
        ("another path", swap("/prepare", "/submit")),
        ("list", format!("[{good}]")),
        ("text after it", format!("{good}x")),
        ("nothing", String::new()),
        ("brackets", "[".repeat(100_000)),
        ("braces", "{\"v\":".repeat(100_000)),
    ];
    for (name, text) in texts {
        expect(name, &sealed(text.as_bytes()), 404);
    }
    expect("invalid UTF-8", &sealed(&[good.as_bytes(), &[0xc3, 0x28]].concat()), 404);
    expect("a byte-order mark", &self::sealed(format!("\u{feff}svc-vf:1:auth:{good}").as_bytes()), 404);
    expect("a record's prefix", &self::sealed(format!("svc-vf:1:pub:{good}").as_bytes()), 404);
}

#[test]
fn invalid_bodies_are_malformed() {
    let deep = |open: &str, n: usize| format!(r#"{{"domain":"a.example","cid":"c","x":{}"#, open.repeat(n));
    let bodies: Vec<(&str, Vec<u8>)> = vec![
        ("empty", Vec::new()),
        ("text", b"hello".to_vec()),
        ("null", b"null".to_vec()),
        ("list", b"[\"accept\"]".to_vec()),
        ("number", b"1e999".to_vec()),
        ("cut short", b"{\"domain\":\"a.example\",\"cid\":\"ba".to_vec()),
        ("text after it", b"{\"domain\":\"a.example\",\"cid\":\"c\"}}".to_vec()),
        ("byte-order mark", b"\xef\xbb\xbf{\"domain\":\"a.example\",\"cid\":\"c\"}".to_vec()),
        ("invalid UTF-8", b"{\"domain\":\"a.example\",\"cid\":\"\xc3\x28\"}".to_vec()),
        ("lone surrogate", br#"{"domain":"a.example","cid":"\ud800"}"#.to_vec()),
        ("surrogates in reverse", br#"{"domain":"a.example","cid":"\udc00\ud800"}"#.to_vec()),
        ("brackets", deep("[", 60_000).into_bytes()),
        ("braces", deep("{\"x\":", 10_000).into_bytes()),
        ("no domain", br#"{"cid":"c"}"#.to_vec()),
        ("domain as number", br#"{"domain":7,"cid":"c"}"#.to_vec()),
        ("no cid", br#"{"domain":"a.example"}"#.to_vec()),
        ("cid as number", br#"{"domain":"a.example","cid":7}"#.to_vec()),
        ("cid as null", br#"{"domain":"a.example","cid":null}"#.to_vec()),
        ("empty cid", br#"{"domain":"a.example","cid":""}"#.to_vec()),
        ("version as number", br#"{"domain":"a.example","cid":"c","version":7}"#.to_vec()),
        ("op as number", br#"{"domain":"a.example","cid":"c","op":7}"#.to_vec()),
        ("op as list", br#"{"domain":"a.example","cid":"c","op":["pub"]}"#.to_vec()),
        ("op unknown", br#"{"domain":"a.example","cid":"c","op":"PUB"}"#.to_vec()),
        ("authority missing", br#"{"domain":"a.example","op":"transfer"}"#.to_vec()),
        ("authority as number", br#"{"domain":"a.example","op":"transfer","newAuthority":7}"#.to_vec()),
        ("key too short", br#"{"domain":"a.example","op":"transfer","newAuthority":"chain:1"}"#.to_vec()),
    ];
    let alice = Client::new(1, "a.example");
    for (name, body) in bodies {
        expect(name, &alice.call(PREPARE, &body, EPOCH), 400);
    }
    for (name, body) in [
        ("nothing in it", json!({})),
        ("prepareId as number", json!({ "prepareId": 7, "signature": "AA==" })),
        ("signature as number", json!({ "prepareId": "x", "signature": 7 })),
        ("empty prepareId", json!({ "prepareId": "", "signature": "AA==" })),
    ] {
        expect(name, &alice.call(SUBMIT, body.to_string().as_bytes(), EPOCH), 400);
    }
    expect("another domain", &alice.call(PREPARE, br#"{"domain":"b.example","cid":"c"}"#, EPOCH), 404);
}

#[test]
fn duplicate_op_admits_no_other_key() {
    // The bound key may not accept, whichever member a second reader of the body uses.
    let alice = Client::new(1, "a.example");
    let twice = br#"{"domain":"a.example","op":"accept","op":"accept"}"#;
    expect("accept twice", &alice.call(PREPARE, twice, EPOCH), 404);
    let hidden = br#"{"domain":"a.example","cid":"c","op":"pub","op":"accept"}"#;
    expect("accept behind pub", &alice.call(PREPARE, hidden, EPOCH), 404);
}

#[test]
fn body_over_the_limit_is_rejected_from_any_caller() {
    let alice = Client::new(1, "a.example");
    let mut long = vec![b'['; 100_000];
    expect("signed", &alice.call(PREPARE, &long, EPOCH), 413);
    long.truncate(65_537);
    expect("not signed", &Call::new("POST", SUBMIT, Vec::new(), long), 413);
}

#[test]
fn unrouted_paths_and_methods_are_not_found() {
    let alice = Client::new(1, "a.example");
    for method in ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW"] {
        let mut call = alice.publish(EPOCH);
        call.method = method.to_owned();
        expect(method, &call, 404);
    }
    let slash = format!("{PREPARE}/");
    let doubled = PREPARE.replace("/publish", "//publish");
    let escaped = PREPARE.replace("prepare", "prepar%65");
    for target in ["/", "", "*", "/api", "/api/vf-cli/publish", "/../etc/passwd", &slash, &doubled, &escaped]
    {
        expect(target, &alice.call(target, alice_body().as_bytes(), EPOCH), 404);
    }
}

#[test]
fn content_type_and_unknown_members_are_ignored() {
    let (driver, alice) = bound();
    let body = br#"{"domain":" a.example\n","cid":"c","toString":{"constructor":[]},"__proto__":null}"#;
    for content_type in [&b"text/plain"[..], b"multipart/form-data", b"", b"\xff"] {
        let mut call = alice.call(PREPARE, body, EPOCH);
        call.headers[1].1 = content_type.to_vec();
        call.target = format!("{PREPARE}?x=%00&y=../..");
        assert_eq!(driver.clone().send(&call).status, 200);
    }
}

#[test]
fn aborted_request_changes_nothing() {
    let (mut driver, alice) = bound();
    let before = driver.view();
    let call = alice.publish(EPOCH);
    let exchange = driver.begin(SITES[0], &call);
    driver.input(Input::Body(exchange, Bytes::from(call.body.clone())));
    driver.input(Input::Abort(exchange));
    for late in [Input::Body(exchange, Bytes::new()), Input::End(exchange), Input::Abort(exchange)] {
        driver.input(late);
    }
    for never in [Input::Body(99, Bytes::new()), Input::End(99), Input::Abort(99)] {
        driver.input(never);
    }
    assert!(driver.reply(exchange).is_none());
    assert_eq!((driver.world.receiving(), driver.world.waiting()), (0, 0));
    assert_eq!(driver.view(), before);
    driver.prepare(&alice);
}

#[test]
fn body_may_arrive_byte_by_byte() {
    let (mut driver, alice) = bound();
    let call = alice.publish(EPOCH);
    let exchange = driver.begin(SITES[0], &call);
    for byte in &call.body {
        driver.input(Input::Body(exchange, Bytes::copy_from_slice(&[*byte])));
    }
    driver.input(Input::End(exchange));
    assert_eq!(driver.reply(exchange).map(|reply| reply.status), Some(200));
}

#[test]
fn false_declared_length_reserves_no_memory() {
    let (mut driver, alice) = bound();
    let large = 1_u64 << 62;
    driver.world.set_limits(Service::Publish, &json!({ "body_bytes": large })).expect("a limit");
    let mut call = alice.publish(EPOCH);
    call.headers.push(("content-length", large.to_string().into_bytes()));
    let exchange = driver.begin(SITES[0], &call);
    let (first, second) = call.body.split_at(call.body.len() / 2);
    for piece in [first, second] {
        driver.input(Input::Body(exchange, Bytes::copy_from_slice(piece)));
    }
    driver.input(Input::End(exchange));
    assert_eq!(driver.reply(exchange).map(|reply| reply.status), Some(200));
}

#[tokio::test]
async fn header_of_a_megabyte_gets_404_over_a_connection() {
    let (handle, alice, before) = served();
    let mut call = alice.publish(EPOCH);
    call.headers[0].1 = [b"VfKey ", &vec![b'A'; 1 << 20][..]].concat();
    let answer = wire::exchange(&handle, &call).await;
    assert!(answer.starts_with("HTTP/1.1 404 Not Found\r\n"), "{answer}");
    assert!(answer.ends_with("\r\n\r\n404 Not Found"), "{answer}");
    still_serves(&handle, &alice, &before).await;
}

#[tokio::test]
async fn garbage_is_handled_by_the_transport() {
    let (handle, alice, before) = served();
    for garbage in [&b"\x16\x03\x01\x02\x00\r\n\r\n"[..], b"POST\r\n\r\n", b"POST / HTTP/9.9\r\n\r\n"] {
        let answer = wire::read(wire::send(&handle, garbage).await).await;
        assert_eq!(wire::status(&answer), 400, "{answer}");
    }
    assert_eq!(handle.read(assay_sim::World::next_exchange), 1, "it never reached the world");
    still_serves(&handle, &alice, &before).await;
}

#[tokio::test]
async fn body_cut_off_on_its_connection_changes_nothing() {
    let (handle, alice, before) = served();
    let bytes = wire::bytes(&alice.publish(EPOCH));
    let mut io = wire::send(&handle, &bytes[..bytes.len() - 5]).await;
    io.shutdown().await.expect("the connection is open");
    wire::read(io).await;
    assert_eq!(handle.read(|world| (world.receiving(), world.waiting())), (0, 0));
    still_serves(&handle, &alice, &before).await;
}

fn alice_body() -> String {
    json!({ "domain": "a.example", "cid": "bafy" }).to_string()
}

/// A prepare whose envelope message is these bytes, signed by the bound key.
fn sealed(message: &[u8]) -> Call {
    let alice = Client::new(1, "a.example");
    let signature = ed25519::sign(&alice.key, message);
    let header = seal(&Dialect::default(), message, &signature).into_bytes();
    Call::new("POST", PREPARE, vec![("authorization", header)], alice_body().into_bytes())
}

/// Asserts this status and its documented form, no change, and that a valid prepare still works.
fn expect(name: &str, call: &Call, status: u16) {
    let (mut driver, alice): (Driver, Client) = bound();
    let before = driver.view();
    let reply: Reply = driver.send(call);
    assert_eq!(reply.status, status, "{name}: {}", show(&reply));
    match status {
        404 => assert_eq!(reply.body, "404 Not Found", "{name}"),
        413 => assert_eq!(reply.body, "Payload Too Large", "{name}"),
        _ => assert!(crate::common::body_of(&reply)["error"].is_string(), "{name}"),
    }
    assert_eq!(driver.view(), before, "{name} changed something");
    driver.prepare(&alice);
}

fn served() -> (Handle, Client, Value) {
    let (driver, alice) = bound();
    let before = driver.view();
    (Handle::new(driver.world, ClockMode::Auto), alice, before)
}

async fn still_serves(handle: &Handle, alice: &Client, before: &Value) {
    assert_eq!(&handle.read(|world| world.view(Service::Publish)), before);
    let answer = wire::exchange(handle, &alice.publish(EPOCH)).await;
    assert_eq!(wire::status(&answer), 200, "{answer}");
}

//! Exact times and sizes: the last that is accepted, the first that is rejected.

use crate::common::{Call, Client, Driver, PREPARE, Prepared, body_of, bound, show};
use assay_sim::Reply;
use assay_sim::clock::EPOCH;
use assay_spec::crypto::{ed25519, text};
use serde_json::{Value, json};

#[test]
fn envelope_time_may_be_ten_minutes_off() {
    for (skew, status) in [(-600_001, 404), (-600_000, 200), (0, 200), (600_000, 200), (600_001, 404)] {
        let (mut driver, alice) = bound();
        let reply = driver.send(&alice.publish(driver.now() + skew));
        assert_eq!(reply.status, status, "{skew} ms off: {}", show(&reply));
    }
}

#[test]
fn prepare_can_be_submitted_until_one_millisecond_before_its_end() {
    for (wait, status) in [(59_999, 200), (60_000, 410), (60_001, 410)] {
        let (mut driver, alice) = bound();
        let prepared = driver.prepare(&alice);
        assert_eq!(prepared.expires_at, driver.now() + 60_000);
        driver.advance(wait);
        let reply = driver.submit(&alice, &prepared, None);
        assert_eq!(reply.status, status, "after {wait} ms: {}", show(&reply));
        assert_eq!(driver.landed(), u64::from(status == 200));
    }
}

#[test]
fn bad_signature_neither_ends_nor_extends_a_prepare() {
    let (mut driver, alice) = bound();
    let prepared = driver.prepare(&alice);
    driver.advance(59_999);
    let mallory = Client::new(9, "a.example");
    let signature = mallory.submit(&prepared, None, driver.now());
    let bad = alice.call(&signature.target, &signature.body, driver.now());
    assert_eq!(driver.send(&bad).status, 400);
    let mut late = driver.clone();
    assert_eq!(driver.submit(&alice, &prepared, None).status, 200);
    late.advance(1);
    assert_eq!(late.submit(&alice, &prepared, None).status, 410);
}

#[test]
fn lock_is_free_exactly_when_its_prepare_expires() {
    let (mut driver, alice) = bound();
    driver.prepare(&alice);
    driver.advance(59_999);
    assert_eq!(driver.send(&alice.publish(driver.now())).status, 409);
    driver.advance(1);
    driver.prepare(&alice);
}

#[test]
fn body_may_have_65536_bytes() {
    for (length, status) in [(65_536, 200), (65_537, 413)] {
        let (mut driver, alice) = bound();
        let frame = json!({ "domain": "a.example", "cid": "bafy", "pad": "" }).to_string();
        let pad = "x".repeat(length - frame.len());
        let body = json!({ "domain": "a.example", "cid": "bafy", "pad": pad }).to_string();
        assert_eq!(body.len(), length);
        let reply = driver.send(&alice.call(PREPARE, body.as_bytes(), driver.now()));
        assert_eq!(reply.status, status, "{length} bytes: {}", show(&reply));
    }
}

#[test]
fn record_may_have_965_bytes_and_a_longer_one_changes_nothing() {
    let (mut driver, alice) = bound();
    let frame = r#"svc-vf:1:pub:{"d":"a.example","c":"","v":"0","t":"2026-01-01T00:00:00.000Z"}"#;
    let of = |length: usize| json!({ "cid": "x".repeat(length - frame.len()) });
    let before = driver.view();
    let reply = driver.send(&alice.prepare(&of(966), driver.now()));
    assert_eq!(reply.status, 400, "{}", show(&reply));
    assert_eq!(driver.view(), before, "neither lock nor count");
    let prepared = driver.prepare_of(&alice, &of(965));
    assert_eq!(prepared.whole["payload"].as_str().map(str::len), Some(965));
    // Two signatures, their count and the message fill a packet of exactly 1232 bytes.
    assert_eq!(1 + 2 * 64 + prepared.message.len(), 1232);
}

#[test]
fn request_31_of_a_minute_gets_an_exact_retry_after() {
    let (mut driver, _) = bound();
    let call = Call::new("POST", PREPARE, Vec::new(), Vec::new());
    assert_eq!(driver.send(&call).status, 404);
    driver.advance(5_000);
    for _ in 1..30 {
        assert_eq!(driver.send(&call).status, 404);
    }
    assert_eq!(retry_after(&driver.send(&call)), Some("55"));
    let mut elsewhere = driver.clone();
    elsewhere.peer = "10.0.0.1".parse().expect("an address");
    assert_eq!(elsewhere.send(&call).status, 404, "limits are per address");

    driver.advance(54_999);
    assert_eq!(retry_after(&driver.send(&call)), Some("1"), "a partial second is rounded up");
    driver.advance(1);
    assert_eq!(driver.send(&call).status, 404, "the first has left the minute");
    assert_eq!(retry_after(&driver.send(&call)), Some("5"), "rejected requests do not count");
}

#[test]
fn prepare_31_of_a_rolling_day_waits_for_the_first_to_leave() {
    let (mut driver, alice) = bound();
    let first = driver.now();
    for _ in 0..30 {
        driver.prepare(&alice);
        driver.advance(60_000);
    }
    assert_eq!(driver.send(&alice.publish(driver.now())).status, 429);
    driver.advance(first + 86_400_000 - driver.now() - 1);
    assert_eq!(driver.send(&alice.publish(driver.now())).status, 429);
    driver.advance(1);
    driver.prepare(&alice);
    // The second left the day within the minute that this prepare took.
    driver.advance(59_999);
    assert_eq!(driver.send(&alice.publish(driver.now())).status, 409);
    driver.advance(1);
    driver.prepare(&alice);
}

#[test]
fn confirmed_submit_can_be_repeated_for_a_minute() {
    let (mut driver, alice) = bound();
    let prepared = driver.prepare(&alice);
    let sent = alice.submit(&prepared, None, driver.now());
    let exchange = driver.start(&sent);
    let first = driver.wait(exchange);
    assert_eq!(first.status, 200);
    for wait in [0, 59_999] {
        driver.advance(wait);
        for again in [sent.clone(), alice.submit(&prepared, None, driver.now())] {
            assert_eq!(driver.send(&again).body, first.body, "after {wait} ms");
        }
    }
    driver.advance(1);
    assert_eq!(driver.send(&sent).status, 410);
    assert_eq!(driver.landed(), 1);
}

#[test]
fn blockhash_is_valid_until_the_end_of_its_last_block() {
    let (mut driver, alice) = bound();
    driver.set_faults(&json!([{ "fault": "publish.transaction-lost" }]));
    let prepared = driver.prepare(&alice);
    let hash = bs58::encode(&prepared.message[4 + 3 * 32..][..32]).into_string();
    let valid = |driver: &mut Driver| driver.rpc("isBlockhashValid", &json!([hash]))["value"].clone();
    let exchange = driver.start(&alice.submit(&prepared, None, driver.now()));
    // 150 blocks of 400 ms after the one of the prepare.
    driver.advance(151 * 400 - 1);
    assert_eq!(driver.rpc("getBlockHeight", &json!([])), prepared.last_valid_block_height);
    assert_eq!(valid(&mut driver), true);
    assert!(driver.reply(exchange).is_none(), "it may still land");
    assert_eq!(driver.send(&alice.publish(driver.now())).status, 409);
    driver.advance(1);
    assert_eq!(valid(&mut driver), false);
    assert_eq!(driver.reply(exchange).expect("an answer when the blockhash expires").status, 410);
    driver.prepare(&alice);
    assert_eq!(driver.landed(), 0);
}

#[test]
fn nothing_lands_after_the_last_valid_block_height() {
    // The later in its slot a prepare is made, the less time a late submit has.
    for (offset, status) in [(0, 200), (1, 410), (399, 410)] {
        let (mut driver, alice) = bound();
        driver.advance(offset);
        let prepared = driver.prepare(&alice);
        driver.advance(59_999);
        let reply = driver.submit(&alice, &prepared, None);
        assert_eq!(reply.status, status, "prepared {offset} ms into a slot: {}", show(&reply));
        assert_eq!(driver.landed(), u64::from(status == 200));
        if status == 200 {
            let ahead = height_ahead(&mut driver);
            let found = driver.rpc("getTransaction", &json!([body_of(&reply)["signature"]]));
            let slot = found["slot"].as_u64().expect("a slot");
            assert_eq!(slot - ahead, prepared.last_valid_block_height);
        }
    }
}

#[test]
fn safety_ceiling_is_at_three_minutes_and_the_lock_outlives_it() {
    let (mut driver, alice) = bound();
    driver.set_faults(&json!([{ "fault": "publish.chain-slow", "times": 1 }]));
    let prepared = driver.prepare(&alice);
    let exchange = driver.start(&alice.submit(&prepared, None, driver.now()));
    driver.advance(179_999);
    assert!(driver.reply(exchange).is_none());
    driver.advance(1);
    let reply = driver.reply(exchange).expect("an answer at the ceiling");
    let message = "stopped waiting at the safety ceiling; the transaction may still land";
    assert_eq!((reply.status, body_of(&reply)), (410, json!({ "error": message })));
    assert_eq!(driver.landed(), 0);
    assert_eq!(driver.send(&alice.publish(driver.now())).status, 409, "the first can still land");
    let again = driver.send(&alice.submit(&prepared, None, driver.now()));
    assert_eq!((again.status, body_of(&again)), (410, json!({ "error": message })));
    while driver.landed() == 0 {
        driver.advance_to_next();
    }
    driver.prepare(&alice);
}

#[test]
fn responses_have_their_documented_bytes() {
    let (mut driver, alice) = bound();
    let long = alice.call(PREPARE, &b" ".repeat(65_537), EPOCH);
    let plain = "text/plain";
    let form = |driver: &mut Driver, call: &Call, status, content_type, body: &str| {
        let reply = driver.send(call);
        let mut names: Vec<&str> = reply.headers.keys().map(http::HeaderName::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["content-type", "date"]);
        assert_eq!(reply.headers["date"], "Thu, 01 Jan 2026 00:00:00 GMT");
        assert_eq!(reply.headers["content-type"], content_type);
        assert_eq!(show(&reply), format!("{status} {body}"));
    };
    let nothing = Call::new("POST", PREPARE, Vec::new(), Vec::new());
    form(&mut driver, &nothing, 404, plain, "404 Not Found");
    form(&mut driver, &long, 413, plain, "Payload Too Large");
    form(&mut driver, &Client::new(1, "b.example").publish(EPOCH), 404, plain, "404 Not Found");
    let json = "application/json";
    let empty = alice.prepare(&json!({}), EPOCH);
    form(&mut driver, &empty, 400, json, r#"{"error":"malformed request"}"#);
    let gone = alice.submit_signed("x", "y", None, EPOCH);
    form(&mut driver, &gone, 410, json, r#"{"error":"unknown prepareId"}"#);
    driver.prepare(&alice);
    let second = alice.publish(EPOCH);
    let locked = r#"{"error":"another publish for this domain is in flight"}"#;
    form(&mut driver, &second, 409, json, locked);
    driver.set_faults(&json!([{ "fault": "publish.standby" }]));
    let standby = r#"{"error":"not-primary","reason":"another node is the primary"}"#;
    form(&mut driver, &nothing, 503, json, standby);
    driver.set_faults(&json!([{ "fault": "publish.passive" }]));
    form(&mut driver, &nothing, 503, json, r#"{"error":"backend is passive"}"#);
}

#[test]
fn disabled_feature_is_hidden_and_unpublishable_binding_is_reported() {
    for (off, said) in [
        ("feature", "404 404 Not Found"),
        ("publishable", r#"409 {"error":"the binding is not publishable"}"#),
    ] {
        let (mut driver, alice) = bound();
        let mut binding = json!({ "domain": alice.domain, "key": alice.address() });
        binding[off] = json!(false);
        driver.perform("publish.bind", &binding);
        assert_eq!(show(&driver.send(&alice.publish(EPOCH))), said);
    }
}

#[test]
fn signature_is_standard_base64_of_64_bytes() {
    let (mut driver, alice) = bound();
    let prepared = driver.prepare(&alice);
    let good = ed25519::sign(&alice.key, &prepared.message).to_vec();
    let text = text::base64(&good);
    let url_safe = text.replace('+', "-").replace('/', "_");
    assert_ne!(url_safe, text, "this signature shows the alphabet");
    let longer = text::base64(&[&good[..], &[0]].concat());
    for bad in [&url_safe, text.trim_end_matches('='), &text::base64(&good[..63]), &longer, ""] {
        let reply = driver.send(&alice.submit_signed(&prepared.id, bad, None, EPOCH));
        assert_eq!(reply.status, 400, "{bad}: {}", show(&reply));
    }
    assert_eq!(driver.submit(&alice, &prepared, None).status, 200);
}

#[test]
fn frozen_key_gets_the_cause() {
    let (mut driver, alice) = bound();
    let bob = Client::new(2, "a.example");
    let prepared = Prepared::read(&driver.send(&alice.transfer(&bob, EPOCH)));
    assert_eq!(driver.submit(&alice, &prepared, None).status, 200);
    let reply = driver.send(&alice.publish(driver.now()));
    let body = r#"{"error":"this key is frozen by a pending transfer","cause":"transfer-frozen"}"#;
    assert_eq!(show(&reply), format!("409 {body}"));
}

fn retry_after(reply: &Reply) -> Option<&str> {
    assert_eq!((reply.status, body_of(reply)), (429, json!({ "error": "too many requests" })));
    reply.headers.get("retry-after").map(|value| value.to_str().expect("ASCII"))
}

/// How many slots are ahead of block heights.
fn height_ahead(driver: &mut Driver) -> u64 {
    let [slot, height] = ["getSlot", "getBlockHeight"].map(|method| {
        let answer: Value = driver.rpc(method, &json!([]));
        answer.as_u64().expect("a number")
    });
    slot - height
}

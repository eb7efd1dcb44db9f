//! One message: what is accepted, what is returned, and who may sign.

use assay_spec::network::signing::{sign_record, sign_request};
use assay_spec::{Strict, crypto::secp256k1::key_from_secret};
use serde_json::{Value, json};

use crate::common::drop::get;
use crate::common::net::{FLAT, MESSAGES, Wallet, message, message_at, post, refused};
use crate::common::{Driver, body_of};

fn nested_content() -> Value {
    json!({ "z": 1, "type": "note", "a": { "y": [1, { "x": "\u{e9}\"" }], "b": null } })
}

#[test]
fn a_message_is_returned_as_it_was_sent() {
    let (mut driver, wallet) = (Driver::new(1), Wallet::new(1));
    let sent = message(&driver, "POST", &nested_content());
    let hash = driver.take_message(&wallet, &sent);
    let answer = driver.wrapper(&hash);
    assert_eq!((&answer["status"], &answer["item_hash"]), (&json!("processed"), &json!(hash)));
    let record = &answer["message"];
    assert_eq!(record["sender"], wallet.address);
    assert_eq!(record["signature"], wallet.envelope(&sent)["signature"]);
    for member in ["chain", "channel", "type", "timestamp", "content"] {
        assert_eq!(record[member], sent[member], "{member}");
    }
    assert_eq!(record["content"].to_string(), nested_content().to_string(), "members keep their order");
    assert_eq!(record["confirmations"], json!([]));
    let list = driver.read(&format!("{MESSAGES}?addresses={}", wallet.address));
    assert_eq!(list["messages"], json!([record]));
    let flat = driver.read(&format!("{FLAT}?addresses={}", wallet.address));
    assert_eq!(flat["messages"], json!([record]));
}

#[test]
fn a_message_is_confirmed_after_a_minute() {
    let (mut driver, wallet) = (Driver::new(1), Wallet::new(1));
    let sent = message(&driver, "POST", &nested_content());
    let hash = driver.take_message(&wallet, &sent);
    driver.advance(59_999);
    assert_eq!(driver.wrapper(&hash)["message"]["confirmations"], json!([]));
    driver.advance(1);
    let blocks = driver.wrapper(&hash)["message"]["confirmations"].clone();
    assert_eq!(blocks.as_array().map(Vec::len), Some(1));
    assert!(blocks[0]["height"].is_u64() && blocks[0]["hash"].is_string() && blocks[0]["chain"].is_string());
}

#[test]
fn a_message_without_a_channel_is_on_the_default_one() {
    let (mut driver, wallet) = (Driver::new(1), Wallet::new(1));
    let mut sent = message(&driver, "POST", &nested_content());
    sent.as_object_mut().expect("an object").shift_remove("channel");
    let hash = driver.take_message(&wallet, &sent);
    assert_eq!(driver.wrapper(&hash)["message"]["channel"], "SVC");
}

#[test]
fn the_same_message_sent_again_is_the_same_message() {
    let (mut driver, wallet) = (Driver::new(1), Wallet::new(1));
    let sent = message(&driver, "POST", &nested_content());
    let first = driver.take_message(&wallet, &sent);
    driver.advance(1000);
    let mut again = sent.clone();
    // A nonce of the request is not part of the message.
    again["nonce"] = json!("n");
    assert_eq!(driver.take_message(&wallet, &again), first);
    assert_eq!(driver.hashes_of(MESSAGES, 20), std::slice::from_ref(&first));
    let other = driver.take_message(&Wallet::new(2), &sent);
    assert_ne!(other, first, "another sender's message is another message");
}

#[test]
fn unknown_hashes_and_paths_are_not_found() {
    let mut driver = Driver::new(1);
    for hash in [&"0".repeat(64), "x", "%2e%2e%2f%2e%2e", "..", "\u{e9}", &"Q".repeat(5000)] {
        let target: String = format!("{MESSAGES}/{hash}");
        let target: String = target.chars().map(|c| if c.is_ascii() { c } else { '%' }).collect();
        assert_eq!(refused(&driver.net(&get(&target))), 404, "{hash:.20}");
    }
    for (method, path) in
        [("DELETE", MESSAGES), ("GET", "/api/v1/messages"), ("GET", "/"), ("PUT", "/api/v0/storage/store")]
    {
        let call = crate::common::Call::new(method, path, Vec::new(), Vec::new());
        assert_eq!(refused(&driver.net(&call)), 404, "{method} {path}");
    }
}

#[test]
fn both_signature_schemes_are_accepted_and_another_key_is_rejected() {
    let (mut driver, wallet) = (Driver::new(1), Wallet::new(1));
    let content = json!({ "address": wallet.address, "key": "k", "content": { "b": 1, "a": 2 }, "time": 1 });
    let text = message(&driver, "AGGREGATE", &content).to_string();
    let key = key_from_secret(&std::array::from_fn(|at| [0, 1][at % 2])).expect("the key of wallet 1");
    let record = sign_record(&key, &text, &mut Strict).expect("a record");
    let other = key_from_secret(&[9; 32]).expect("a key");
    let cases = [
        (sign_request(&key, &text), 200),
        (record, 200),
        (sign_request(&other, &text), 403),
        (sign_request(&key, "another text"), 403),
        ("0x00".to_owned(), 403),
        (String::new(), 401),
    ];
    for (signature, status) in cases {
        let mut envelope = wallet.envelope(&serde_json::from_str(&text).expect("JSON"));
        envelope["signature"] = json!(signature);
        let reply = driver.net(&post(MESSAGES, &envelope));
        assert_eq!(reply.status, status, "{signature}");
        if status != 200 {
            refused(&reply);
        }
    }
    let mut unsigned = wallet.envelope(&message(&driver, "POST", &nested_content()));
    unsigned.as_object_mut().expect("an object").shift_remove("signature");
    assert_eq!(refused(&driver.net(&post(MESSAGES, &unsigned))), 401);
    for (variation, missing, wrong) in
        [("network.signature-400", 400, 400), ("network.signature-401", 401, 401)]
    {
        driver.apply_variations(&[variation]);
        assert_eq!(refused(&driver.net(&post(MESSAGES, &unsigned))), missing);
        let mut forged = unsigned.clone();
        forged["signature"] = json!(sign_request(&other, &text));
        assert_eq!(refused(&driver.net(&post(MESSAGES, &forged))), wrong);
    }
}

#[test]
fn a_timestamp_may_be_a_day_ahead_or_a_year_behind() {
    let (mut driver, wallet) = (Driver::new(1), Wallet::new(1));
    let now = driver.now().seconds();
    let (day, year) = (86_400, 366 * 86_400);
    for (timestamp, status) in
        [(now + day, 200), (now + day + 1, 400), (now - year, 200), (now - year - 1, 400)]
    {
        let sent = message_at(timestamp, "POST", &json!({ "n": timestamp }));
        assert_eq!(driver.net(&wallet.create(&sent)).status, status, "{timestamp}");
    }
}

#[test]
fn hashes_of_another_form_work_everywhere() {
    let (mut driver, wallet) = (Driver::new(1), Wallet::new(1));
    driver.apply_variations(&["network.hash-base58", "network.file-hash-hex", "network.status-201"]);
    let reply = driver.net(&wallet.upload(b"bytes", "text/plain"));
    assert_eq!(reply.status, 201);
    let hash = body_of(&reply)["item_hash"].as_str().expect("a hash").to_owned();
    assert!(hash.starts_with("Qm"));
    let answer = driver.wrapper(&hash);
    assert_eq!((&answer["item_hash"], &answer["message"]["item_hash"]), (&json!(hash), &json!(hash)));
    assert_eq!(answer["message"]["content"]["item_hash"].as_str().map(str::len), Some(64));
    let list = driver.read(&format!("{MESSAGES}?hashes=x,{hash}"));
    assert_eq!(list["messages"][0]["item_hash"], hash);
    let time = driver.now().seconds();
    let content = json!({ "address": wallet.address, "hashes": [hash], "time": time });
    let forget = message(&driver, "FORGET", &content);
    assert_eq!(driver.net(&wallet.create(&forget)).status, 201);
    assert_eq!(driver.status_of(&hash), "forgotten");
}

#[test]
fn a_failing_node_returns_500() {
    let mut driver = Driver::new(1);
    driver.set_faults(
        &json!([{ "fault": "network.internal", "where": { "endpoint": "messages" }, "nth": 2, "times": 1 }]),
    );
    let statuses: Vec<u16> = (0..3).map(|_| driver.net(&get(MESSAGES)).status).collect();
    assert_eq!(statuses, [200, 500, 200]);
    driver.set_faults(&json!([{ "fault": "network.internal" }]));
    assert_eq!(refused(&driver.net(&get(FLAT))), 500);
}

#[test]
fn a_full_network_accepts_no_more_messages() {
    let (mut driver, wallet) = (Driver::new(1), Wallet::new(1));
    driver.set_network_limits(&json!({ "messages": 1 }));
    let first = message(&driver, "POST", &json!({ "n": 1 }));
    let hash = driver.take_message(&wallet, &first);
    let second = wallet.create(&message(&driver, "POST", &json!({ "n": 2 })));
    assert_eq!(refused(&driver.net(&second)), 400);
    assert_eq!(refused(&driver.net(&wallet.upload(b"f", "text/plain"))), 400);
    assert_eq!(driver.network()["files"], 0, "a file without a message is not kept");
    assert_eq!(driver.take_message(&wallet, &first), hash, "a known message needs no space");
}

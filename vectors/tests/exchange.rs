//! The exchanges written by hand agree with the reference's operations.

use assay_spec::Strict;
use assay_spec::crypto::ed25519::{parse_address, verifies};
use assay_spec::crypto::text::{hex, parse_base64};
use assay_vectors::exchange::{Exchange, exchanges};
use assay_vectors::op::{Answer, answer};
use serde_json::{Value, json};

fn exchange(endpoint: &str) -> Exchange {
    exchanges().into_iter().find(|exchange| exchange.endpoint == endpoint).expect("it stands")
}

fn body(exchange: &Exchange) -> Value {
    serde_json::from_str(&exchange.response.body).expect("JSON")
}

/// The message that the prepare's answer holds.
fn message() -> Vec<u8> {
    let body = body(&exchange("prepare"));
    parse_base64(body["message"].as_str().expect("a text")).expect("standard base64")
}

#[test]
fn both_headers_verify() {
    for exchange in exchanges() {
        let [method, path, _] = exchange.request.head[0].split(' ').collect::<Vec<_>>()[..] else {
            panic!("three words")
        };
        let input = json!({
            "authorization": exchange.request.header("Authorization"),
            "method": method,
            "path": path,
            "body": {"utf8": exchange.request.body},
            "now": exchange.clock,
            "bindings": [{"domain": "site.example", "key": exchange.keys.client, "incoming_key": null}],
        });
        let ok = json!({"domain": "site.example", "key": exchange.keys.client, "frozen": false});
        assert_eq!(answer("vfkey.verify", &input, &mut Strict), Answer::Ok(ok), "{}", exchange.endpoint);
    }
}

#[test]
fn lengths_are_those_of_the_bodies() {
    for exchange in exchanges() {
        let length = exchange.request.header("Content-Length").map(str::to_owned);
        assert_eq!(length, Some(exchange.request.body.len().to_string()));
        let line = format!("Content-Length: {}", exchange.response.body.len());
        assert!(exchange.response.head.contains(&line), "{line}");
        assert!(exchange.request.bytes().ends_with(exchange.request.body.as_bytes()));
        assert!(exchange.response.bytes().starts_with(b"HTTP/1.1 200 OK\r\n"));
    }
}

#[test]
fn the_prepared_message_passes_the_thirteen_checks() {
    let prepare = exchange("prepare");
    let asked: Value = serde_json::from_str(&prepare.request.body).expect("JSON");
    let input = json!({
        "message": {"hex": hex(&message())},
        "client": prepare.keys.client,
        "request": {"op": "pub", "domain": asked["domain"], "cid": asked["cid"], "version": asked["version"]},
        "now": prepare.clock,
    });
    let Answer::Ok(ok) = answer("publish.check_message", &input, &mut Strict) else { panic!("refused") };
    let body = body(&prepare);
    assert_eq!(ok["record"]["hex"], hex(body["payload"].as_str().expect("a text").as_bytes()));
    assert_eq!(body["feePayer"], prepare.keys.fee_payer);
    let input = json!({"message": {"hex": hex(&message())}});
    let Answer::Ok(parts) = answer("transaction.decode", &input, &mut Strict) else { panic!("refused") };
    assert_eq!(parts["accounts"][0], body["feePayer"]);
}

#[test]
fn the_submitted_and_the_answered_signature_cover_the_message() {
    let submit = exchange("submit");
    let sent: Value = serde_json::from_str(&submit.request.body).expect("JSON");
    let signature = parse_base64(sent["signature"].as_str().expect("a text")).expect("standard base64");
    let answered = bs58::decode(body(&submit)["signature"].as_str().expect("a text")).into_vec();
    for (key, signature) in
        [(&submit.keys.client, signature), (&submit.keys.fee_payer, answered.expect("base58"))]
    {
        let key = parse_address(key).expect("a key");
        let signature = signature.as_slice().try_into().expect("64 bytes");
        assert!(verifies(&key, &message(), signature));
    }
    assert_eq!(sent["prepareId"], body(&exchange("prepare"))["prepareId"]);
}

#[test]
fn free_members_stand_in_the_answers() {
    for exchange in exchanges() {
        let body = body(&exchange);
        for pointer in exchange.response.free.keys() {
            assert!(body.pointer(pointer).is_some(), "{pointer}");
        }
        let members = body.as_object().expect("an object").len();
        assert_eq!(members, exchange.response.free.len());
    }
}

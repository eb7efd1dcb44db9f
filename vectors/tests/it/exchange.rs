//! The exchanges written by hand agree with the reference's operations.

use assay_spec::Strict;
use assay_spec::crypto::ed25519::{parse_address, verifies};
use assay_spec::crypto::text::{hex, parse_base64};
use assay_vectors::exchange::{Exchange, exchanges};
use assay_vectors::op::{Answer, answer};
use serde_json::{Value, json};

fn exchange(endpoint: &str) -> Exchange {
    let both = ["network", "publish"].into_iter().flat_map(exchanges);
    both.into_iter().find(|exchange| exchange.endpoint == endpoint).expect("it exists")
}

fn body(exchange: &Exchange) -> Value {
    assert!(is_json(exchange), "{}", exchange.endpoint);
    serde_json::from_str(&exchange.response.body).expect("JSON")
}

fn is_json(exchange: &Exchange) -> bool {
    exchange.response.head.iter().any(|line| line == "Content-Type: application/json")
}

/// The message in the prepare's response.
fn message() -> Vec<u8> {
    let body = body(&exchange("prepare"));
    parse_base64(body["message"].as_str().expect("a string")).expect("standard base64")
}

#[test]
fn both_authorization_headers_verify() {
    for exchange in exchanges("publish") {
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
fn content_lengths_match_the_bodies() {
    for exchange in ["metadata", "network", "publish"].into_iter().flat_map(exchanges) {
        let length = exchange.request.body.len();
        let written = exchange.request.header("Content-Length").map(str::to_owned);
        assert_eq!(written, (length > 0).then(|| length.to_string()));
        let line = format!("Content-Length: {}", exchange.response.body.len());
        assert!(exchange.response.head.contains(&line), "{line}");
        assert!(exchange.request.bytes().ends_with(exchange.request.body.as_bytes()));
        assert!(exchange.response.bytes().starts_with(b"HTTP/1.1 200 OK\r\n"));
    }
}

#[test]
fn every_token_metadata_path_returns_its_document() {
    let exchanges = exchanges("metadata");
    let asked: Vec<&str> = exchanges.iter().map(|exchange| exchange.endpoint.as_str()).collect();
    let listed: Vec<&str> = assay_spec::metadata::ENDPOINTS.iter().map(|endpoint| endpoint.name).collect();
    assert_eq!(asked, listed);
    for (exchange, endpoint) in exchanges.iter().zip(assay_spec::metadata::ENDPOINTS) {
        let path = exchange.request.head[0].split(' ').nth(1).expect("a path");
        let Answer::Ok(found) = answer("metadata.route", &json!({"raw_path": {"utf8": path}}), &mut Strict)
        else {
            panic!("{path}")
        };
        assert_eq!(found["path"], endpoint.path);
        let kind = endpoint.name.split('-').next().unwrap_or_default();
        if matches!(kind, "contract" | "token") {
            let input = json!({"kind": kind, "document": body(exchange)});
            assert_eq!(answer("metadata.record", &input, &mut Strict), Answer::Ok(json!({})), "{path}");
        }
    }
}

/// An envelope's `message` as sent, and the whole envelope.
fn envelope(exchange: &Exchange) -> (String, Value) {
    let sent = &exchange.request.body;
    let begin = sent.find("{\"chain\"").expect("a message begins with its chain");
    let end = sent.find(",\"signature\"").expect("the signature follows it");
    (sent[begin..end].to_owned(), serde_json::from_str(sent).expect("JSON"))
}

#[test]
fn messages_are_signed_as_text_and_one_by_its_canonical_json() {
    for exchange in exchanges("network").into_iter().filter(|one| one.request.body.contains("{\"chain\"")) {
        let endpoint = exchange.endpoint.as_str();
        let (op, signer) = match endpoint {
            "create-aggregate" => ("record.verify", "sender"),
            _ => ("request.verify", "address"),
        };
        let (message, envelope) = envelope(&exchange);
        assert_eq!(envelope["address"], exchange.keys.client);
        let mut input = json!({"message_json": message, "signature": envelope["signature"]});
        input[signer] = envelope["address"].clone();
        let ok = json!({"address": exchange.keys.client});
        assert_eq!(answer(op, &input, &mut Strict), Answer::Ok(ok), "{endpoint}");
        let key = json!({"private_key": {"hex": exchange.keys.client_secret}, "message": {"utf8": ""}});
        let Answer::Ok(signed) = answer("eip191.sign", &key, &mut Strict) else { panic!("no key") };
        assert_eq!(signed["address"], exchange.keys.client);
    }
}

#[test]
fn sent_values_are_read_back() {
    let read = body(&exchange("message"));
    let (_, sent) = envelope(&exchange("create-message"));
    for name in ["chain", "channel", "type", "timestamp", "content"] {
        assert_eq!(read["message"][name], sent["message"][name], "{name}");
    }
    assert_eq!(read["message"]["signature"], sent["signature"]);
    assert_eq!(read["message"]["sender"], sent["address"]);
    assert_eq!(read["item_hash"], body(&exchange("create-message"))["item_hash"]);
    assert_eq!(body(&exchange("messages"))["messages"][0], read["message"]);
    let (_, sent) = envelope(&exchange("create-aggregate"));
    for name in ["key", "address", "content", "time"] {
        assert_eq!(body(&exchange("aggregate"))[name], sent["message"]["content"][name], "{name}");
    }
}

#[test]
fn prepared_message_passes_the_thirteen_checks() {
    let prepare = exchange("prepare");
    let asked: Value = serde_json::from_str(&prepare.request.body).expect("JSON");
    let input = json!({
        "message": {"hex": hex(&message())},
        "client": prepare.keys.client,
        "request": {"op": "pub", "domain": asked["domain"], "cid": asked["cid"], "version": asked["version"]},
        "now": prepare.clock,
    });
    let Answer::Ok(ok) = answer("publish.check_message", &input, &mut Strict) else { panic!("rejected") };
    let body = body(&prepare);
    assert_eq!(ok["record"]["hex"], hex(body["payload"].as_str().expect("a string").as_bytes()));
    assert_eq!(body["feePayer"].as_str(), prepare.keys.fee_payer.as_deref());
    let input = json!({"message": {"hex": hex(&message())}});
    let Answer::Ok(parts) = answer("transaction.decode", &input, &mut Strict) else { panic!("rejected") };
    assert_eq!(parts["accounts"][0], body["feePayer"]);
}

#[test]
fn submitted_and_returned_signatures_cover_the_message() {
    let submit = exchange("submit");
    let sent: Value = serde_json::from_str(&submit.request.body).expect("JSON");
    let signature = parse_base64(sent["signature"].as_str().expect("a string")).expect("standard base64");
    let answered = bs58::decode(body(&submit)["signature"].as_str().expect("a string")).into_vec();
    let fee_payer = submit.keys.fee_payer.as_ref().expect("there is one");
    for (key, signature) in [(&submit.keys.client, signature), (fee_payer, answered.expect("base58"))] {
        let key = parse_address(key).expect("a key");
        let signature = signature.as_slice().try_into().expect("64 bytes");
        assert!(verifies(&key, &message(), signature));
    }
    assert_eq!(sent["prepareId"], body(&exchange("prepare"))["prepareId"]);
}

#[test]
fn free_members_exist_in_the_responses() {
    for exchange in ["network", "publish"].into_iter().flat_map(exchanges).filter(is_json) {
        let body = body(&exchange);
        for pointer in exchange.response.free.keys() {
            assert!(body.pointer(pointer).is_some(), "{pointer}");
        }
    }
    for exchange in exchanges("publish") {
        let members = body(&exchange).as_object().expect("an object").len();
        assert_eq!(members, exchange.response.free.len());
    }
}

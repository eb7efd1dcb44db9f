//! Hostile input: contents with other types at every level, and unusual paths.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{AGGREGATES, INSTANCES, PIN, PROGRAMS, WEBHOOKS, put};
use crate::common::drop::get;
use crate::common::net::{Wallet, message, post, refused};
use crate::common::{Call, Driver};

/// The endpoints with their own message type, each with a valid content.
fn endpoints(address: &str) -> Vec<(&'static str, &'static str, Value)> {
    let firewall = json!({ "allowedPorts": [22] });
    let instance = json!({
        "name": "n", "description": "d", "cpu": 1, "memory": 1, "disk": 1, "image": "i", "ssh_key": "k", "firewall": firewall,
    });
    vec![
        (AGGREGATES, "AGGREGATE", json!({ "key": "k", "address": address, "content": { "a": 1 } })),
        (
            PROGRAMS,
            "PROGRAM",
            json!({ "name": "n", "description": "d", "code": "c", "runtime": "r", "memory": 1, "timeout": 1 }),
        ),
        (INSTANCES, "INSTANCE", instance),
        (PIN, "IPFS_PIN", json!({ "hash": "h" })),
        (
            WEBHOOKS,
            "WEBHOOK",
            json!({ "url": "http://127.0.0.1:9/", "events": ["message.new"], "secret": "s" }),
        ),
    ]
}

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
        json!([[]]),
        json!({}),
        json!({ "x": {} }),
    ]
}

/// Every member of a value, as JSON pointers.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    let children: Vec<(String, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(n, value)| (n.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    for (name, value) in children {
        places(value, &format!("{at}/{name}"), found);
    }
}

#[test]
fn no_type_at_any_member_of_a_content_makes_the_server_fail() {
    let wallet = Wallet::new(1);
    let mut driver = Driver::unhurried(1);
    for (path, kind, good) in endpoints(&wallet.address) {
        let mut found = Vec::new();
        places(&good, "", &mut found);
        for place in found {
            for shape in shapes() {
                let mut content = good.clone();
                *content.pointer_mut(&place).expect("a place") = shape.clone();
                let envelope = wallet.envelope(&message(&driver, kind, &content));
                let reply = driver.net(&post(path, &envelope));
                if reply.status != 200 {
                    assert!(
                        [400, 403].contains(&refused(&reply)),
                        "{path} {place} {shape}: {}",
                        reply.status
                    );
                }
            }
        }
        let mut copy = driver.clone();
        let reply = copy.net(&post(path, &wallet.envelope(&message(&driver, kind, &good))));
        assert_eq!(reply.status, 200, "{path}");
    }
}

#[test]
fn an_endpoint_accepts_only_its_own_type() {
    let wallet = Wallet::new(1);
    let mut driver = Driver::unhurried(1);
    for (path, kind, content) in endpoints(&wallet.address) {
        for other in ["POST", "STORE", "FORGET", "AGGREGATE", "PROGRAM", "INSTANCE", "IPFS_PIN", "WEBHOOK"] {
            if other != kind {
                let envelope = wallet.envelope(&message(&driver, other, &content));
                assert_eq!(refused(&driver.net(&post(path, &envelope))), 400, "{other} at {path}");
            }
        }
        let unsigned = json!({ "message": message(&driver, kind, &content), "address": wallet.address });
        assert_eq!(refused(&driver.net(&post(path, &unsigned))), 401, "{path}");
        let mut foreign = wallet.envelope(&message(&driver, kind, &content));
        foreign["address"] = json!(Wallet::new(2).address);
        assert_eq!(refused(&driver.net(&post(path, &foreign))), 403, "{path}");
        for body in ["", "x", "[]", "{", "null", &"[".repeat(300_000)] {
            let reply = driver.net(&Call::new("POST", path, Vec::new(), body.as_bytes().to_vec()));
            assert_eq!(refused(&reply), 400, "{path} {body:.10}");
        }
    }
    assert_eq!(driver.network()["messages"], 0);
}

#[test]
fn unusual_paths_and_parameters_are_not_found_or_rejected() {
    let mut driver = Driver::unhurried(1);
    let odd = [
        "..%2F..%2F",
        "%00",
        "%2e%2e",
        "%E2%80%AE",
        "%F0%9F%92%A9",
        "a%20b",
        "'%22%3B--",
        &"9".repeat(20_000),
    ];
    for odd in odd {
        for path in [
            format!("{AGGREGATES}/{odd}/{odd}"),
            format!("{AGGREGATES}/{odd}.json"),
            format!("{INSTANCES}/{odd}"),
            format!("/api/v0/ipfs/{odd}"),
            format!("/api/v0/indexer/{odd}/events"),
        ] {
            assert_eq!(refused(&driver.net(&get(&path))), 404, "{path:.60}");
        }
        for path in [
            format!("{AGGREGATES}?address={odd}&key={odd}&keys={odd},{odd}&content.fields={odd}"),
            format!("{INSTANCES}?address={odd}&status={odd}"),
            format!("/api/v0/indexer/base/events?contract={odd}&event_name={odd}"),
            format!("/api/v0/indexer/base/transactions?address={odd}&from={odd}&to={odd}"),
        ] {
            assert_eq!(driver.net(&get(&path)).status, 200, "{path:.60}");
        }
        for path in
            [AGGREGATES, INSTANCES, "/api/v0/indexer/base/events", "/api/v0/indexer/base/transactions"]
        {
            for name in ["page", "limit"] {
                assert_eq!(
                    refused(&driver.net(&get(&format!("{path}?{name}={odd}")))),
                    400,
                    "{path} {name}={odd:.20}"
                );
            }
        }
    }
    let wrong = [
        put(AGGREGATES, &json!({})),
        put(PROGRAMS, &json!({})),
        post("/api/v0/indexer/base/events", &json!({})),
    ];
    for call in wrong {
        assert_eq!(refused(&driver.net(&call)), 404, "{}", call.target);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_body_makes_an_endpoint_fail(
        path in prop::sample::select(vec![
            AGGREGATES, PROGRAMS, INSTANCES, PIN, WEBHOOKS, "/api/v0/vrf/generate", "/api/v0/vrf/verify",
            "/api/v0/instances/i/control", "/api/v0/run/h",
        ]),
        body in proptest::collection::vec(any::<u8>(), 0..200),
    ) {
        let mut driver = Driver::unhurried(1);
        let reply = driver.net(&Call::new("POST", path, Vec::new(), body));
        prop_assert!([400, 404].contains(&refused(&reply)));
        prop_assert_eq!(&driver.network()["messages"], 0);
    }
}

//! Webhooks in a world without sockets: what is sent, what the inbox contains, and the retries.

use assay_sim::outgoing::{Failure, Target};
use assay_sim::{Input, Outcome, Reply};
use assay_spec::network::webhook::sign;
use serde_json::{Value, json};

use super::{PROGRAMS, WEBHOOKS, send, take};
use crate::common::Driver;
use crate::common::net::{Wallet, message, post, refused};

const URL: &str = "http://127.0.0.1:9/hook?x=1";

fn register(driver: &mut Driver, url: &str, events: &Value) -> String {
    let content = json!({ "url": url, "events": events, "secret": "geheim" });
    let body = take(driver, &Wallet::new(9), WEBHOOKS, "WEBHOOK", &content);
    assert!(body.get("item_hash").is_none());
    body["webhook_id"].as_str().expect("an identifier").to_owned()
}

fn inbox(driver: &mut Driver) -> Vec<Value> {
    let (inbox, _) = driver.world.perform("network.webhook-inbox", &json!({})).expect("a known action");
    inbox.as_array().expect("an array").clone()
}

fn note(driver: &mut Driver, n: i64) -> String {
    let content = json!({ "n": n });
    let message = message(driver, "POST", &content);
    driver.take_message(&Wallet::new(1), &message)
}

/// Settles the current request with this outcome.
fn settle(driver: &mut Driver, outcome: Outcome) {
    let (id, _) = driver.left.remove(0);
    driver.input(Input::Incoming(id, outcome));
}

fn status(status: u16) -> Reply {
    Reply::new(status, "text/plain", "thanks")
}

#[test]
fn a_message_is_delivered_with_a_signature() {
    let mut driver = Driver::unhurried(1);
    let id = register(&mut driver, URL, &json!(["message.new"]));
    assert!(driver.left.is_empty(), "a registration is not delivered to itself");
    let hash = note(&mut driver, 1);
    let (_, request) = driver.left[0].clone();
    assert_eq!((&request.to, request.method.as_str()), (&Target::Url(URL.to_owned()), "POST"));
    assert_eq!(request.headers["webhook-signature"], sign("geheim", &request.body).as_str());
    let body: Value = serde_json::from_slice(&request.body).expect("JSON");
    assert_eq!((&body["event"], &body["webhook_id"]), (&json!("message.new"), &json!(id)));
    assert_eq!(body["data"]["item_hash"], hash.as_str());
    assert_eq!(inbox(&mut driver)[0]["state"], "pending");
    settle(&mut driver, Ok(status(204)));
    let delivered = inbox(&mut driver);
    assert_eq!(
        (&delivered[0]["state"], &delivered[0]["tries"][0]["status"]),
        (&json!("delivered"), &json!(204))
    );
    assert_eq!(delivered[0]["body"].as_str().map(str::as_bytes), Some(&request.body[..]));
    driver.advance(3_600_000);
    assert!(driver.left.is_empty());
    // A second outcome of the same request is ignored.
    driver.input(Input::Incoming(1, Ok(status(500))));
    assert_eq!(inbox(&mut driver), delivered);
}

#[test]
fn a_run_is_delivered_and_other_events_are_not() {
    let mut driver = Driver::unhurried(1);
    register(&mut driver, URL, &json!(["program.executed", "something.else"]));
    register(&mut driver, URL, &json!([]));
    let program = json!({ "code": "{{x}}", "runtime": "r", "memory": 1, "timeout": 1 });
    let program = take(&mut driver, &Wallet::new(1), PROGRAMS, "PROGRAM", &program);
    let path = format!("/api/v0/run/{}", program["item_hash"].as_str().expect("a hash"));
    assert_eq!(refused(&driver.net(&post(&path, &json!({ "variables": {} })))), 400);
    assert!(driver.left.is_empty(), "nothing was executed");
    assert_eq!(driver.net(&post(&path, &json!({ "variables": { "x": "y" } }))).status, 200);
    assert_eq!(driver.left.len(), 1);
    let body: Value = serde_json::from_slice(&driver.left[0].1.body).expect("JSON");
    assert_eq!((&body["event"], &body["data"]["result"]), (&json!("program.executed"), &json!("y")));
}

#[test]
fn failed_deliveries_are_retried_with_growing_delays_and_a_bound() {
    let mut driver = Driver::unhurried(1);
    register(&mut driver, URL, &json!(["message.new"]));
    note(&mut driver, 1);
    let outcomes = [
        Ok(status(500)),
        Err(Failure::Timeout),
        Ok(status(302)),
        Err(Failure::Unreachable),
        Ok(status(404)),
        Ok(status(199)),
    ];
    for (wait_s, outcome) in [10, 20, 40, 80, 160, 0].into_iter().zip(outcomes) {
        settle(&mut driver, outcome);
        if wait_s > 0 {
            driver.advance(wait_s * 1_000 - 1);
            assert!(driver.left.is_empty(), "not before {wait_s} s");
            driver.advance(1);
            assert_eq!(driver.left.len(), 1, "after {wait_s} s");
        }
    }
    driver.advance(366 * 24 * 3_600_000);
    assert!(driver.left.is_empty());
    let given_up = inbox(&mut driver);
    assert_eq!(
        (&given_up[0]["state"], given_up[0]["tries"].as_array().map(Vec::len)),
        (&json!("given-up"), Some(6))
    );
    assert_eq!(given_up[0]["tries"][1]["failure"], "timeout");
    assert_eq!(driver.network()["webhooks"]["given_up"], 1);
}

#[test]
fn the_fault_makes_a_receiver_unreachable() {
    let mut driver = Driver::unhurried(1);
    register(&mut driver, URL, &json!(["message.new"]));
    driver.set_faults(&json!([{ "fault": "network.webhook-down", "where": { "url": URL }, "times": 2 }]));
    note(&mut driver, 1);
    assert!(driver.left.is_empty());
    driver.advance(10_000);
    assert!(driver.left.is_empty());
    driver.advance(20_000);
    settle(&mut driver, Ok(status(200)));
    let states: Vec<Value> = inbox(&mut driver).iter().map(|one| one["state"].clone()).collect();
    assert_eq!(states, ["delivered"]);
}

#[test]
fn hostile_registrations_do_no_harm() {
    let mut driver = Driver::unhurried(1);
    let long = format!("http://{}", "h".repeat(100_000));
    for url in [
        "ftp://127.0.0.1/",
        "https://127.0.0.1/",
        "x",
        "//127.0.0.1/",
        "http://",
        "http://u:p@127.0.0.1/",
        "http://a\r\nb/",
        "http://127.0.0.1:99999/",
        "file:///etc/passwd",
        "http://\u{202e}/",
        &long,
    ] {
        register(&mut driver, url, &json!(["message.new"]));
    }
    note(&mut driver, 1);
    assert!(driver.left.is_empty(), "{:?}", driver.left);
    assert!(inbox(&mut driver).iter().all(|one| one["tries"][0]["failure"] == "url"));
    driver.advance(3_600_000);
    assert!(inbox(&mut driver).iter().all(|one| one["state"] == "given-up"));
}

#[test]
fn registrations_and_deliveries_are_bounded() {
    let mut driver = Driver::unhurried(1);
    driver.set_network_limits(&json!({ "webhooks": 3 }));
    for n in 0..3 {
        register(&mut driver, &format!("http://127.0.0.1:{}/", 10 + n), &json!(["message.new"]));
    }
    let content = json!({ "url": URL, "events": [], "secret": "" });
    assert_eq!(refused(&send(&mut driver, &Wallet::new(1), WEBHOOKS, "WEBHOOK", &content)), 400);
    // The registrations were themselves delivered to earlier ones.
    let sent_before = driver.left.len() as i64;
    for n in 0..500 {
        note(&mut driver, n);
    }
    assert_eq!(driver.left.len(), assay_sim::outgoing::AT_ONCE, "the maximum at once");
    let view = driver.network()["webhooks"].clone();
    assert_eq!((&view["pending"], &view["dropped"]), (&json!(1_000), &json!(500 * 3 + sent_before - 1_000)));
    // When one request finishes, the next one is sent.
    settle(&mut driver, Ok(status(200)));
    assert_eq!(driver.left.len(), assay_sim::outgoing::AT_ONCE);
}

#[test]
fn variations_add_the_hash_and_change_the_payload() {
    let mut driver = Driver::unhurried(1);
    driver.apply_variations(&["network.webhook-item-hash", "network.webhook-payload"]);
    let content = json!({ "url": URL, "events": ["message.new"], "secret": "" });
    let body = take(&mut driver, &Wallet::new(1), WEBHOOKS, "WEBHOOK", &content);
    assert!(body["item_hash"].is_string() && body["webhook_id"].is_string());
    note(&mut driver, 1);
    let body: Value = serde_json::from_slice(&driver.left[0].1.body).expect("JSON");
    assert_eq!(body["type"], "message.new");
}

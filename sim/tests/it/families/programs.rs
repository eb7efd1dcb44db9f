//! Programs: stored, run with variables, and runs that are rejected.

use serde_json::{Value, json};

use super::{PROGRAMS, send, take};
use crate::common::net::{Wallet, post, refused};
use crate::common::{Call, Driver};

fn program(code: &str) -> Value {
    json!({ "name": "n", "description": "d", "code": code, "runtime": "text", "memory": 128, "timeout": 30 })
}

fn stored(driver: &mut Driver, code: &str) -> String {
    let body = take(driver, &Wallet::new(1), PROGRAMS, "PROGRAM", &program(code));
    format!("/api/v0/run/{}", body["item_hash"].as_str().expect("a hash"))
}

#[test]
fn an_accepted_program_runs() {
    let mut driver = Driver::unhurried(1);
    let path = stored(&mut driver, "Hello {{name|upper}}, {{ name | reverse | repeat:2 }}!");
    let reply = driver.net(&post(&path, &json!({ "variables": { "name": "Ada" } })));
    assert_eq!((reply.status, &reply.body[..]), (200, &b"Hello ADA, adAadA!"[..]));
    driver.apply_variations(&["network.run-json"]);
    let reply = driver.net(&post(&path, &json!({ "variables": { "name": "Ada" } })));
    let body: Value = serde_json::from_slice(&reply.body).expect("JSON");
    assert_eq!(body["result"], "Hello ADA, adAadA!");
}

#[test]
fn invalid_runs_are_rejected() {
    let mut driver = Driver::unhurried(1);
    let path = stored(&mut driver, "{{a|repeat:9999}}");
    let long = "x".repeat(1000);
    for body in [json!({}), json!({ "variables": { "b": "" } }), json!({ "variables": { "a": long } })] {
        assert_eq!(refused(&driver.net(&post(&path, &body))), 400, "{body}");
    }
    let open = stored(&mut driver, "{{a");
    assert_eq!(refused(&driver.net(&post(&open, &json!({ "variables": { "a": "" } })))), 400);
    // The hash of another message does not name a program.
    let note =
        driver.take_message(&Wallet::new(1), &crate::common::net::message(&driver, "POST", &json!({})));
    for unknown in [note, "0".repeat(64), "..%2F".to_owned(), "%00".to_owned()] {
        let reply = driver.net(&post(&format!("/api/v0/run/{unknown}"), &json!({ "variables": {} })));
        assert_eq!(refused(&reply), 404, "{unknown}");
    }
}

#[test]
fn the_fault_makes_a_program_fail() {
    let mut driver = Driver::unhurried(1);
    let path = stored(&mut driver, "x");
    let hash = path.rsplit('/').next().expect("a hash").to_owned();
    driver
        .set_faults(&json!([{ "fault": "network.program-fails", "where": { "program": hash }, "times": 1 }]));
    assert_eq!(refused(&driver.net(&post(&path, &json!({})))), 500);
    assert_eq!(driver.net(&post(&path, &json!({}))).status, 200);
    assert_eq!(
        driver.net(&Call::new("POST", &path, Vec::new(), Vec::new())).status,
        200,
        "no body, no variables"
    );
}

#[test]
fn runs_have_their_own_rate_limit() {
    let mut driver = Driver::new(1);
    let path = stored(&mut driver, "x");
    let mut statuses: Vec<u16> = (0..11).map(|_| driver.net(&post(&path, &json!({}))).status).collect();
    assert_eq!((statuses.pop(), statuses), (Some(429), vec![200; 10]));
}

#[test]
fn programs_without_required_members_are_rejected() {
    let (mut driver, wallet) = (Driver::unhurried(1), Wallet::new(1));
    for name in ["runtime", "memory", "timeout"] {
        let mut content = program("x");
        content.as_object_mut().expect("an object").shift_remove(name);
        assert_eq!(refused(&send(&mut driver, &wallet, PROGRAMS, "PROGRAM", &content)), 400, "{name}");
    }
    assert_eq!(driver.network()["messages"], 0);
}

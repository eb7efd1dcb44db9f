//! A long history; a seed reproduces it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::common::body_of;
use crate::common::drop::get;
use crate::hosting::actor::{Actor, path_of, text};

#[test]
fn every_kind_of_artifact_occurs() {
    let mut actor = Actor::new(1);
    let answer = actor.perform("history", &json!({ "deployments": 120 }));
    actor.assert_settled();
    let records = actor.records();
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    for one in records["deployments"].as_array().expect("a list") {
        let kind = match (one["legacy"] == true, one["store_ref"].as_str()) {
            (true, _) => "legacy".to_owned(),
            (_, None) => text(&one["state"]),
            (_, Some(hash)) => {
                let reply = actor.driver.net(&get(&path_of(hash)));
                if reply.status == 404 { "absent".to_owned() } else { text(&body_of(&reply)["status"]) }
            }
        };
        *found.entry(kind).or_default() += 1;
    }
    let counts: BTreeMap<String, u64> = serde_json::from_value(answer["counts"].clone()).expect("counts");
    assert_eq!(found, counts);
    assert!(counts.len() == 7 && counts.values().all(|count| *count > 0), "{counts:?}");
    assert_eq!(counts.values().sum::<u64>(), 120);
}

#[test]
fn a_history_of_one_deployment_works() {
    let mut actor = Actor::new(1);
    actor.perform("history", &json!({ "deployments": 1 }));
    actor.assert_settled();
    assert_eq!(actor.records()["deployments"].as_array().map(Vec::len), Some(1));
    actor.perform("project", &json!({}));
    actor.assert_settled();
    let last = actor.shown("projects").pop().expect("a map")["content"]["time"].as_i64();
    assert_eq!(last, Some(actor.driver.now().seconds()), "records are written at the current time again");
}

fn run(seed: u64) -> (Value, Vec<Value>) {
    let mut actor = Actor::new(seed);
    actor.perform("seed-history", &json!({}));
    actor.perform("history", &json!({ "deployments": 20 }));
    let records = actor.records();
    let hashes: Vec<String> = records["hashes"].as_array().expect("a list").iter().map(text).collect();
    let bodies = hashes.iter().map(|hash| body_of(&actor.driver.net(&get(&path_of(hash))))).collect();
    (records, bodies)
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_does_not() {
    let (first, again, other) = (run(7), run(7), run(8));
    assert_eq!(first, again);
    assert_ne!(first.0["hashes"], other.0["hashes"]);
    let hashes = |run: &(Value, Vec<Value>)| run.0["hashes"].as_array().cloned().unwrap_or_default();
    assert!(hashes(&first).iter().all(|hash| !hashes(&other).contains(hash)));
}

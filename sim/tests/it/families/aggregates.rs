//! Aggregates: merged by time in any order of arrival, one per owner and key.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{AGGREGATES, send, take};
use crate::common::Driver;
use crate::common::drop::get;
use crate::common::net::{Wallet, message, refused};

fn write(key: &str, time: i64, content: &Value) -> Value {
    json!({ "key": key, "content": content, "time": time })
}

fn aggregate(driver: &mut Driver, wallet: &Wallet, key: &str) -> Value {
    driver.read(&format!("{AGGREGATES}/{}/{key}", wallet.address))
}

#[test]
fn a_later_write_replaces_members_and_a_late_earlier_one_does_not() {
    let (mut driver, wallet) = (Driver::unhurried(1), Wallet::new(1));
    let now = driver.now().seconds();
    let mut hashes = Vec::new();
    let writes =
        [(json!({"a": {"x": 1}, "b": 1}), 10), (json!({"a": 2, "c": 3}), 20), (json!({"b": 0, "d": 4}), 5)];
    for (content, time) in writes {
        let content = write("k", now + time, &content);
        let body = take(&mut driver, &wallet, AGGREGATES, "AGGREGATE", &content);
        hashes.push(body["item_hash"].as_str().expect("a hash").to_owned());
    }
    let read = aggregate(&mut driver, &wallet, "k");
    assert_eq!(read["content"], json!({"a": 2, "b": 1, "c": 3, "d": 4}));
    assert_eq!(read["key"], "k");
    assert_eq!(read["address"], wallet.address.as_str());
    assert_eq!(read["time"], now + 20);
    assert_eq!(read["item_hash"], hashes[1].as_str());
    // The same message again changes nothing.
    let again = write("k", now + 10, &json!({"a": {"x": 1}, "b": 1}));
    take(&mut driver, &wallet, AGGREGATES, "AGGREGATE", &again);
    assert_eq!(aggregate(&mut driver, &wallet, "k"), read);
}

#[test]
fn each_owner_has_its_own_aggregate_per_key() {
    let mut driver = Driver::unhurried(1);
    let now = driver.now().seconds();
    for n in 1..=3 {
        take(&mut driver, &Wallet::new(n), AGGREGATES, "AGGREGATE", &write("k", now, &json!({ "n": n })));
    }
    for n in 1..=3 {
        assert_eq!(aggregate(&mut driver, &Wallet::new(n), "k")["content"], json!({ "n": n }));
    }
    let lower = Wallet::new(2).address.to_lowercase();
    assert_eq!(driver.read(&format!("{AGGREGATES}/{lower}/k"))["content"], json!({ "n": 2 }));
    assert_eq!(refused(&driver.net(&get(&format!("{AGGREGATES}/{lower}/K")))), 404);
    assert_eq!(refused(&driver.net(&get(&format!("{AGGREGATES}/0x/k")))), 404);
}

#[test]
fn only_the_owner_and_authorized_signers_may_write() {
    let (mut driver, owner, other) = (Driver::unhurried(1), Wallet::new(1), Wallet::new(2));
    let now = driver.now().seconds();
    let foreign = json!({ "key": "projects", "address": owner.address, "content": {"a": 1}, "time": now });
    assert_eq!(refused(&send(&mut driver, &other, AGGREGATES, "AGGREGATE", &foreign)), 403);
    assert_eq!(driver.network()["messages"], 0);
    let entry = json!({ "address": other.address, "types": ["AGGREGATE"], "aggregate_keys": ["projects"] });
    let security = write("security", now, &json!({ "authorizations": [entry] }));
    take(&mut driver, &owner, AGGREGATES, "AGGREGATE", &security);
    take(&mut driver, &other, AGGREGATES, "AGGREGATE", &foreign);
    assert_eq!(aggregate(&mut driver, &owner, "projects")["content"], json!({"a": 1}));
    let mut elsewhere = foreign;
    elsewhere["key"] = json!("builds");
    assert_eq!(refused(&send(&mut driver, &other, AGGREGATES, "AGGREGATE", &elsewhere)), 403);
    // An entry without lists allows everything except changing the authorizations.
    let entry = json!({ "address": other.address });
    let security = write("security", now + 1, &json!({ "authorizations": [entry] }));
    take(&mut driver, &owner, AGGREGATES, "AGGREGATE", &security);
    take(&mut driver, &other, AGGREGATES, "AGGREGATE", &elsewhere);
    elsewhere["key"] = json!("security");
    assert_eq!(refused(&send(&mut driver, &other, AGGREGATES, "AGGREGATE", &elsewhere)), 403);
}

#[test]
fn lists_filter_and_page() {
    let mut driver = Driver::unhurried(1);
    let now = driver.now().seconds();
    for n in 0..12_i64 {
        let (wallet, key) = (Wallet::new(1 + n as u16 % 3), format!("k{}", n / 3));
        let content = write(&key, now + n, &json!({ "n": n, "m": -n }));
        take(&mut driver, &wallet, AGGREGATES, "AGGREGATE", &content);
    }
    let mut list = |query: &str| {
        let list = driver.read(&format!("{AGGREGATES}?{query}"));
        let items = list["aggregates"].as_array().expect("an array").clone();
        (
            items.iter().map(|one| one["content"]["n"].clone()).collect::<Value>(),
            list["pagination"]["total"].clone(),
        )
    };
    let address = Wallet::new(2).address.to_lowercase();
    assert_eq!(list(""), (json!([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]), json!(12)));
    assert_eq!(list("limit=5&page=3"), (json!([1, 0]), json!(12)));
    assert_eq!(list(&format!("address={address}")), (json!([10, 7, 4, 1]), json!(4)));
    assert_eq!(list("key=k1"), (json!([5, 4, 3]), json!(3)));
    assert_eq!(list(&format!("address={address}&keys=k3,k0&limit=1&page=2")), (json!([1]), json!(2)));
    assert_eq!(list("key=k1&keys=k2"), (json!([]), json!(0)));
    assert_eq!(list("key=k1&content.fields=m").0, json!([null, null, null]));

    let of = |driver: &mut Driver, query: &str| {
        driver.read(&format!("{AGGREGATES}/{address}.json{query}"))["data"].clone()
    };
    assert_eq!(of(&mut driver, "?keys=k0,k2"), json!({"k2": {"n": 7, "m": -7}, "k0": {"n": 1, "m": -1}}));
    assert_eq!(of(&mut driver, "?limit=1"), json!({"k3": {"n": 10, "m": -10}}));
    assert_eq!(of(&mut driver, "?limit=0"), json!({}));
    assert_eq!(of(&mut driver, "").as_object().expect("an object").len(), 4);
    assert_eq!(refused(&driver.net(&get(&format!("{AGGREGATES}/0x9.json")))), 404);
}

#[test]
fn variations_change_aggregates() {
    let (mut driver, wallet) = (Driver::unhurried(1), Wallet::new(1));
    let now = driver.now().seconds();
    driver.apply_variations(&[
        "network.aggregate-replaced",
        "network.aggregate-empty",
        "network.aggregates-empty",
    ]);
    for (content, time) in [(json!({"a": 1, "b": 1}), 10), (json!({"a": 2}), 20), (json!({"b": 3}), 15)] {
        take(&mut driver, &wallet, AGGREGATES, "AGGREGATE", &write("k", now + time, &content));
    }
    assert_eq!(aggregate(&mut driver, &wallet, "k")["content"], json!({"a": 2}));
    assert_eq!(aggregate(&mut driver, &wallet, "other")["content"], json!({}));
    assert_eq!(driver.read(&format!("{AGGREGATES}/0x9.json"))["data"], json!({}));
    driver.apply_variations(&["network.aggregates-list"]);
    let list = driver.read(&format!("{AGGREGATES}/{}.json", wallet.address));
    assert_eq!(list["aggregates"][0]["key"], "k");
}

#[test]
fn an_aggregate_has_a_maximum_size() {
    let (mut driver, wallet) = (Driver::unhurried(1), Wallet::new(1));
    let now = driver.now().seconds();
    let large = |n: i64, member: &str| {
        write("k", now + n, &json!({ member: format!("{n}{}", "x".repeat(1_000_000)) }))
    };
    // Writing the same member repeatedly does not add up.
    for n in 0..8 {
        take(&mut driver, &wallet, AGGREGATES, "AGGREGATE", &large(n, "same"));
    }
    let statuses: Vec<u16> = (0..5)
        .map(|n| send(&mut driver, &wallet, AGGREGATES, "AGGREGATE", &large(n, &format!("m{n}"))).status)
        .collect();
    assert_eq!(statuses[0], 200);
    assert_eq!(statuses[4], 400);
}

#[test]
fn the_mirror_lags_in_aggregates_as_well() {
    let (mut driver, wallet) = (Driver::unhurried(1), Wallet::new(1));
    let now = driver.now().seconds();
    driver.perform("network.lag", &json!({ "ms": 1_000 }));
    take(&mut driver, &wallet, AGGREGATES, "AGGREGATE", &write("k", now, &json!({"a": 1})));
    let call = get(&format!("{AGGREGATES}/{}/k", wallet.address));
    let at_mirror = |driver: &mut Driver| driver.net_at(assay_sim::network::sites::MIRROR, &call).status;
    assert_eq!(at_mirror(&mut driver), 404);
    driver.advance(999);
    assert_eq!(at_mirror(&mut driver), 404);
    driver.advance(1);
    assert_eq!(at_mirror(&mut driver), 200);
}

#[test]
fn an_aggregate_sent_to_any_endpoint_applies_once_processed() {
    let (mut driver, wallet) = (Driver::unhurried(1), Wallet::new(1));
    let now = driver.now().seconds();
    driver.set_faults(&json!([{ "fault": "network.processing-held" }]));
    let message = message(&driver, "AGGREGATE", &write("k", now, &json!({"a": 1})));
    driver.take_message(&wallet, &message);
    let call = get(&format!("{AGGREGATES}/{}/k", wallet.address));
    assert_eq!(refused(&driver.net(&call)), 404);
    driver.set_faults(&json!([]));
    assert_eq!(driver.net(&call).status, 200);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// If two writes of a member have the same time, the greater hash wins; the model takes it from the
    /// response.
    #[test]
    fn the_result_equals_the_model_in_any_order(
        writes in proptest::collection::vec((proptest::collection::btree_map("[a-d]", 0..9_i64, 1..4), 0..6_i64), 1..8),
        order in Just((0..8_usize).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let (mut driver, wallet) = (Driver::unhurried(1), Wallet::new(1));
        let now = driver.now().seconds();
        let mut written: Vec<(i64, String, Map<String, Value>)> = Vec::new();
        for at in order.into_iter().filter(|at| *at < writes.len()) {
            let (content, time) = &writes[at];
            let content = json!(content);
            let body = take(&mut driver, &wallet, AGGREGATES, "AGGREGATE", &write("k", now + time, &content));
            let hash = body["item_hash"].as_str().expect("a hash").to_owned();
            written.push((now + time, hash, content.as_object().expect("an object").clone()));
        }
        written.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        let mut model = Map::new();
        for (_, _, content) in &written {
            model.extend(content.clone());
        }
        let read = aggregate(&mut driver, &wallet, "k");
        prop_assert_eq!(&read["content"], &Value::Object(model));
        let (time, hash, _) = written.last().expect("at least one");
        prop_assert_eq!(&read["time"], time);
        prop_assert_eq!(&read["item_hash"], hash);
    }
}

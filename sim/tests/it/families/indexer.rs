//! Indexed chains: the same for the same seed, with filters that select what a model selects.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::common::Driver;
use crate::common::drop::get;
use crate::common::net::refused;

const EVENTS: &str = "/api/v0/indexer/ethereum/events";
const TRANSACTIONS: &str = "/api/v0/indexer/ethereum/transactions";

/// Every element of a list, over all pages.
fn all(driver: &mut Driver, path: &str, name: &str, query: &str) -> Vec<Value> {
    let mut found = Vec::new();
    for page in 1.. {
        let list = driver.read(&format!("{path}?limit=100&page={page}&{query}"));
        let items = list[name].as_array().expect("an array");
        if items.is_empty() {
            assert_eq!(list["pagination"]["total"], found.len());
            return found;
        }
        found.extend(items.iter().cloned());
    }
    unreachable!("pages end")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

#[test]
fn records_have_the_documented_members() {
    let mut driver = Driver::unhurried(1);
    let events = all(&mut driver, EVENTS, "events", "");
    let transactions = all(&mut driver, TRANSACTIONS, "transactions", "");
    assert!(events.len() > 200 && transactions.len() > 200, "{} {}", events.len(), transactions.len());
    for event in &events {
        assert!(
            ["transaction_hash", "contract", "event_name"].iter().all(|name| event[*name].is_string()),
            "{event}"
        );
        assert!(
            ["block_number", "log_index", "timestamp"].iter().all(|name| event[*name].is_i64()),
            "{event}"
        );
        let args = event["args"].as_object().expect("an object");
        assert!(
            args.values().any(|value| value.as_str().is_some_and(|text| text.parse::<u128>().is_ok())),
            "{event}"
        );
        assert!(transactions.iter().any(|one| one["hash"] == event["transaction_hash"]));
    }
    for one in &transactions {
        assert!(
            ["hash", "from", "to", "value", "gas_price"].iter().all(|name| one[*name].is_string()),
            "{one}"
        );
        assert!(["block_number", "gas", "timestamp"].iter().all(|name| one[*name].is_i64()), "{one}");
        assert!(
            one["timestamp"].as_i64() < Some(driver.now().seconds()),
            "the chain ends before the world begins"
        );
    }
}

#[test]
fn chains_depend_only_on_seed_and_network() {
    let first = |seed: u64, path: &str| Driver::unhurried(seed).read(path).to_string();
    let ethereum = first(1, EVENTS);
    assert_eq!(ethereum, first(1, EVENTS));
    assert_ne!(ethereum, first(2, EVENTS));
    assert_ne!(ethereum, first(1, "/api/v0/indexer/base/events"));
    let mut driver = Driver::unhurried(1);
    driver.advance(3_600_000);
    assert_eq!(driver.read(EVENTS).to_string(), ethereum, "time does not change the chain");
}

#[test]
fn unknown_networks_and_invalid_bounds_are_rejected() {
    let mut driver = Driver::unhurried(1);
    for path in [
        "/api/v0/indexer/nowhere/events",
        "/api/v0/indexer/Ethereum/transactions",
        "/api/v0/indexer/..%2F/events",
    ] {
        assert_eq!(refused(&driver.net(&get(path))), 404, "{path}");
    }
    for query in [
        "from_block=x",
        "to_block=1.5",
        "from_timestamp=1e3",
        "to_timestamp=99999999999999999999",
        "from_block=%20",
        "to_block=0x10",
        "from_timestamp=\u{221e}",
    ] {
        for path in [EVENTS, TRANSACTIONS] {
            assert_eq!(refused(&driver.net(&get(&format!("{path}?{query}")))), 400, "{path}?{query}");
        }
    }
    for args in ["x", "[]", "1", "%7B", "null%20"] {
        let status = driver.net(&get(&format!("{EVENTS}?args={args}"))).status;
        assert!([200, 400].contains(&status), "{args}: {status}");
    }
    driver.apply_variations(&["network.indexer-empty"]);
    assert_eq!(driver.read("/api/v0/indexer/nowhere/events")["events"], json!([]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn events_equal_the_model(
        contract in proptest::option::of(any::<prop::sample::Index>()),
        named in proptest::option::of(any::<prop::sample::Index>()),
        blocks in [proptest::option::of(0..420_i64), proptest::option::of(0..420_i64)],
        times in [proptest::option::of(0..4900_i64), proptest::option::of(0..4900_i64)],
        by_args in any::<bool>(),
    ) {
        let mut driver = Driver::unhurried(1);
        let events = all(&mut driver, EVENTS, "events", "");
        let sample = |index: Option<prop::sample::Index>, name: &str| {
            index.map(|index| text(&index.get(&events)[name]).to_owned())
        };
        let (contract, event_name) = (sample(contract, "contract"), sample(named, "event_name"));
        let args = by_args.then(|| events[0]["args"].clone());
        let last = events[0]["block_number"].as_i64().expect("a block");
        let now = driver.now().seconds();
        let blocks = blocks.map(|back| back.map(|back| last - back));
        let times = times.map(|back| back.map(|back| now - back));
        let mut query = form(&[("from_block", blocks[0]), ("to_block", blocks[1]), ("from_timestamp", times[0]), ("to_timestamp", times[1])]);
        for (name, value) in [("contract", contract.as_ref().map(|text| text.to_lowercase())), ("event_name", event_name.clone())] {
            query.extend(value.map(|value| format!("{name}={value}")));
        }
        if let Some(args) = &args {
            let encoded = percent_encoding::utf8_percent_encode(&args.to_string(), percent_encoding::NON_ALPHANUMERIC).to_string();
            query.push(format!("args={encoded}"));
        }
        let model: Vec<Value> = events.iter().filter(|event| {
            within(&event["block_number"], blocks) && within(&event["timestamp"], times)
                && contract.as_ref().is_none_or(|contract| event["contract"] == *contract)
                && event_name.as_ref().is_none_or(|name| event["event_name"] == *name)
                && args.as_ref().is_none_or(|args| event["args"] == *args)
        }).cloned().collect();
        prop_assert_eq!(all(&mut driver, EVENTS, "events", &query.join("&")), model);
    }

    #[test]
    fn transactions_equal_the_model(
        who in [any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<prop::sample::Index>()],
        with in any::<[bool; 3]>(),
        blocks in [proptest::option::of(0..420_i64), proptest::option::of(0..420_i64)],
    ) {
        let mut driver = Driver::unhurried(1);
        let transactions = all(&mut driver, TRANSACTIONS, "transactions", "");
        let last = transactions[0]["block_number"].as_i64().expect("a block");
        let blocks = blocks.map(|back| back.map(|back| last - back));
        let mut query = form(&[("from_block", blocks[0]), ("to_block", blocks[1])]);
        let mut wanted = [None, None, None];
        for (at, name) in ["address", "from", "to"].into_iter().enumerate() {
            if with[at] {
                let value = text(&who[at].get(&transactions)[if name == "to" { "to" } else { "from" }]).to_owned();
                query.push(format!("{name}={}", value.to_uppercase().replacen("0X", "0x", 1)));
                wanted[at] = Some(value);
            }
        }
        let is = |wanted: &Option<String>, given: &Value| wanted.as_ref().is_none_or(|wanted| given == wanted);
        let model: Vec<Value> = transactions.iter().filter(|one| {
            within(&one["block_number"], blocks)
                && (is(&wanted[0], &one["from"]) || is(&wanted[0], &one["to"]))
                && is(&wanted[1], &one["from"]) && is(&wanted[2], &one["to"])
        }).cloned().collect();
        prop_assert_eq!(all(&mut driver, TRANSACTIONS, "transactions", &query.join("&")), model);
    }
}

fn within(value: &Value, [from, to]: [Option<i64>; 2]) -> bool {
    let value = value.as_i64().expect("an integer");
    from.is_none_or(|from| from <= value) && to.is_none_or(|to| value <= to)
}

fn form(bounds: &[(&str, Option<i64>)]) -> Vec<String> {
    bounds.iter().filter_map(|(name, value)| value.map(|value| format!("{name}={value}"))).collect()
}

//! Hours of the measurement program: one message each, the order of the nodes, and two weeks of records.

use std::collections::BTreeSet;

use assay_sim::network::sites::ALTERNATIVE;
use assay_spec::Strict;
use assay_spec::instant::{DAY, HOUR, MINUTE};
use assay_spec::network::envelope::message_text;
use assay_spec::network::signing::verify;
use serde_json::{Value, json};

use crate::common::Driver;
use crate::common::drop::get;
use crate::common::net::FLAT;

/// The sites of the world's nodes, and whether they are core nodes.
pub(crate) const NODES: [(&str, bool); 5] = [
    ("network", true),
    ("network-alt", true),
    ("network-mirror", true),
    ("compute-1", false),
    ("compute-2", false),
];

/// A world in which nodes are measured.
pub(crate) fn measured(seed: u64) -> Driver {
    let mut driver = Driver::unhurried(seed);
    driver.measure(true);
    driver
}

impl Driver {
    /// Switches the program on or off; returns its view.
    pub(crate) fn measure(&mut self, on: bool) -> Value {
        let (answer, _) =
            self.world.perform("network.measure", &json!({ "on": on })).expect("a known action");
        answer
    }

    pub(crate) fn publisher(&self) -> String {
        self.network()["measurement"]["publisher"].as_str().expect("an address").to_owned()
    }

    /// The messages of all hours, oldest first.
    pub(crate) fn published(&mut self) -> Vec<Value> {
        let target = format!("{FLAT}?addresses={}&content_types=svc-scoring-metrics", self.publisher());
        let mut all = Vec::new();
        for page in 1.. {
            let list = self.read(&format!("{target}&limit=100&page={page}"));
            let messages = list["messages"].as_array().expect("an array").clone();
            if messages.is_empty() {
                break;
            }
            all.extend(messages);
        }
        all.reverse();
        all
    }

    /// A member of a node's view.
    pub(crate) fn node(&self, site: &str) -> Value {
        let nodes = self.network()["nodes"].as_array().expect("nodes").clone();
        nodes.into_iter().find(|node| node["site"] == site).expect("a known node")
    }

    /// The records of the node at a site.
    pub(crate) fn records(&mut self, site: &str) -> Vec<Value> {
        let node = self.node(site);
        let kind = node["kind"].as_str().expect("a kind");
        let target = format!("/api/v0/{kind}/{}/metrics", node["node_id"].as_str().expect("a hash"));
        self.read(&target).as_array().expect("an array").clone()
    }

    /// The nodes in the order in which an hour measured them.
    fn order(message: &Value) -> Vec<String> {
        let metrics = &message["content"]["content"]["metrics"];
        let records = ["ccn", "crn"].into_iter().flat_map(|kind| metrics[kind].as_array().expect("records"));
        let mut records: Vec<&Value> = records.collect();
        records.sort_by(|a, b| {
            a["measured_at"].as_f64().partial_cmp(&b["measured_at"].as_f64()).expect("numbers")
        });
        records.iter().map(|record| record["node_id"].as_str().expect("a hash").to_owned()).collect()
    }
}

#[test]
fn nothing_is_measured_while_the_program_is_off() {
    let mut driver = Driver::unhurried(1);
    driver.advance(3 * HOUR);
    assert_eq!(driver.world.core.clock.next_due(), None, "no timer for an hour is set");
    assert_eq!(driver.published().len(), 0);
    assert_eq!(driver.records("network").len(), 0);
}

#[test]
fn an_hour_ends_with_exactly_one_message() {
    let mut driver = measured(1);
    driver.advance(HOUR - 1);
    assert_eq!(driver.published().len(), 0);
    assert_eq!(driver.records("compute-1").len(), 0);
    driver.advance(1);
    assert_eq!(driver.published().len(), 1);
    assert_eq!(driver.records("compute-1").len(), 1);
    driver.advance(HOUR - 1);
    assert_eq!(driver.published().len(), 1);
    driver.advance(1);
    assert_eq!(driver.published().len(), 2);

    // Switching it on again has no effect.
    driver.advance(30 * MINUTE);
    driver.measure(true);
    driver.advance(30 * MINUTE);
    assert_eq!(driver.published().len(), 3);
}

#[test]
fn a_message_is_a_post_of_the_publisher_with_every_record() {
    let mut driver = measured(1);
    driver.advance(HOUR);
    let message = driver.published().remove(0);
    let publisher = driver.publisher();
    assert_eq!(message["type"], "POST");
    assert_eq!(message["channel"], "svc-scoring");
    assert_eq!(message["sender"], publisher.as_str());
    assert_eq!(message["timestamp"], driver.now().seconds());
    assert_eq!(message["content"]["type"], "svc-scoring-metrics");
    assert_eq!(message["content"]["address"], publisher.as_str());
    let metrics = &message["content"]["content"]["metrics"];
    assert_eq!(metrics["ccn"].as_array().map(Vec::len), Some(3));
    assert_eq!(metrics["crn"].as_array().map(Vec::len), Some(2));
    for (site, core) in NODES {
        let records = driver.records(site);
        let [record] = &records[..] else { panic!("one record of {site}: {records:?}") };
        let all = metrics[if core { "ccn" } else { "crn" }].as_array().expect("records");
        assert!(all.contains(record), "{record} is not in {all:?}");
    }

    // The signature can be verified from the record alone.
    let text =
        message_text("ETH", Some("svc-scoring"), "POST", driver.now().seconds(), &message["content"], None);
    let signature = message["signature"].as_str().expect("a signature");
    assert!(verify(text.as_bytes(), signature, &publisher, &mut Strict).is_ok());
    let hash = message["item_hash"].as_str().expect("a hash").to_owned();
    assert_eq!(driver.status_of(&hash), "processed");
}

#[test]
fn both_content_types_select_the_messages() {
    let mut driver = measured(1);
    driver.advance(2 * HOUR);
    let publisher = driver.publisher();
    let mut found = |kind: &str| {
        let target = format!("{FLAT}?addresses={publisher}&channels=svc-scoring&content_types={kind}");
        driver.read(&target)["messages"].as_array().map(Vec::len)
    };
    assert_eq!(found("svc-scoring-metrics"), Some(2));
    assert_eq!(found("svc-network-metrics"), Some(2));
    assert_eq!(found("svc-scoring"), Some(0));

    driver.apply_variations(&["network.scoring-exact"]);
    let mut found = |kind: &str| {
        let target = format!("{FLAT}?addresses={publisher}&channels=svc-scoring&content_types={kind}");
        driver.read(&target)["messages"].as_array().map(Vec::len)
    };
    assert_eq!((found("svc-scoring-metrics"), found("svc-network-metrics")), (Some(2), Some(0)));
}

#[test]
fn every_node_is_measured_once_an_hour_in_seeded_order() {
    let orders = |seed| {
        let mut driver = measured(seed);
        driver.advance(12 * HOUR);
        let messages = driver.published();
        let orders: Vec<Vec<String>> = messages.iter().map(Driver::order).collect();
        for order in &orders {
            assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), NODES.len(), "each node once: {order:?}");
        }
        (orders, messages, driver.world.core.journal.fingerprint())
    };
    let first = orders(7);
    assert_eq!(first, orders(7), "the same seed gives the same order and the same bytes");
    assert_ne!(first.0, orders(8).0, "another seed gives another order");
    assert!(first.0.iter().collect::<BTreeSet<_>>().len() > 6, "each hour has its own order");
}

#[test]
fn probes_are_spread_over_the_hour() {
    let mut driver = measured(3);
    let began = driver.now();
    driver.advance(HOUR);
    let message = driver.published().remove(0);
    let metrics = &message["content"]["content"]["metrics"];
    let records = ["ccn", "crn"].into_iter().flat_map(|kind| metrics[kind].as_array().expect("records"));
    let mut turns: Vec<i64> = records
        .map(|record| {
            let at = record["measured_at"].as_f64().expect("a number");
            ((at * 1000.0).round() as i64 - began.0) / (12 * MINUTE)
        })
        .collect();
    turns.sort_unstable();
    assert_eq!(turns, [0, 1, 2, 3, 4], "one node in every fifth of the hour");
}

#[test]
fn records_older_than_two_weeks_are_dropped() {
    let mut driver = measured(1);
    driver.advance(14 * DAY);
    assert_eq!(driver.published().len(), 336, "one message an hour");
    for (site, _) in NODES {
        assert_eq!(driver.records(site).len(), 336, "{site}");
    }
    // The first record is served for exactly two weeks, to the millisecond.
    let first = driver.records("compute-2")[0]["measured_at"].clone();
    let first_ms = (first.as_f64().expect("a number") * 1000.0).round() as i64;
    let due = first_ms + 14 * DAY - driver.now().0;
    assert!((0..=HOUR).contains(&due));
    driver.advance(due);
    assert_eq!(driver.records("compute-2")[0]["measured_at"], first);
    driver.advance(1);
    assert_ne!(driver.records("compute-2")[0]["measured_at"], first);

    driver.advance(DAY);
    for (site, _) in NODES {
        let records = driver.records(site);
        assert!(records.len() == 335 || records.len() == 336, "{site}: {}", records.len());
        let oldest = records[0]["measured_at"].as_f64().expect("a number");
        assert!(oldest * 1000.0 >= (driver.now().0 - 14 * DAY) as f64);
    }
    driver.advance(14 * DAY);
    let kept = driver.network()["measurement"]["records"].as_u64().expect("a count");
    assert!(kept <= 2 * 5 * 338, "records that are not served are not kept for long: {kept}");
    // The messages are kept.
    assert!(driver.published().len() > 336);
}

#[test]
fn an_hour_that_is_switched_off_is_not_published() {
    let mut driver = measured(1);
    driver.advance(HOUR + 30 * MINUTE);
    driver.measure(false);
    driver.advance(5 * HOUR);
    assert_eq!(driver.published().len(), 1);
    assert_eq!(driver.records("network").len(), 1, "what was published is still served");
    driver.measure(true);
    driver.advance(HOUR);
    assert_eq!(driver.published().len(), 2);
    driver.advance(15 * DAY);
    driver.measure(false);
    driver.advance(15 * DAY);
    assert_eq!(driver.records("network").len(), 0, "records are dropped while the program is off, too");
    driver.advance(14 * DAY);
    assert_eq!(driver.network()["measurement"]["records"], 0);
}

#[test]
fn an_hour_can_be_shorter() {
    let mut driver = Driver::unhurried(1);
    driver.set_network_limits(&json!({ "measurement_ms": 1000 }));
    driver.measure(true);
    driver.advance(10_000);
    assert_eq!(driver.published().len(), 10);
    assert!(!driver.records("network").is_empty());
    // Even without any length an hour ends.
    driver.set_network_limits(&json!({ "measurement_ms": 0 }));
    driver.advance(1100);
    assert!(driver.published().len() > 11);
}

#[test]
fn deviations_of_the_program_change_its_messages() {
    let first = |deviation: &str, content_type: &str| {
        let mut driver = Driver::unhurried(1);
        driver.deviate(deviation);
        driver.measure(true);
        driver.advance(4 * HOUR);
        let target = format!(
            "{FLAT}?addresses={}&channels=svc-scoring&content_types={content_type}",
            driver.publisher()
        );
        driver.read(&target)["messages"].as_array().expect("an array").clone()
    };
    assert_eq!(first("network.measurement.hourly", "svc-scoring-metrics").len(), 2);
    assert_eq!(first("network.measurement.hourly/twice", "svc-scoring-metrics").len(), 8);
    assert_eq!(first("network.measurement.content-type", "svc-scoring-metrics").len(), 0);
    assert_eq!(first("network.measurement.content-type", "measurements").len(), 4);
    let aggregates = first("network.measurement.published", "svc-scoring-metrics");
    assert_eq!((aggregates.len(), &aggregates[0]["type"]), (4, &json!("AGGREGATE")));
    let texts = first("network.measurement.results", "svc-scoring-metrics");
    assert!(texts.len() == 4 && texts[0]["content"]["content"].is_string());
}

#[test]
fn the_program_follows_its_table() {
    let mut driver = measured(1);
    driver.advance(15 * DAY);
    let moves: BTreeSet<String> = driver
        .world
        .core
        .transitions()
        .filter(|transition| transition.machine == "measurement")
        .map(ToString::to_string)
        .collect();
    assert_eq!(moves.len(), 4, "{moves:?}");
}

#[test]
fn a_copy_of_a_world_measures_the_same() {
    let mut driver = measured(5);
    driver.advance(30 * MINUTE);
    let mut copy = driver.clone();
    driver.advance(3 * HOUR);
    copy.advance(3 * HOUR);
    assert_eq!(driver.published(), copy.published());
    assert_eq!(driver.world.core.journal.fingerprint(), copy.world.core.journal.fingerprint());
    let reply = driver.net_at(ALTERNATIVE, &get("/api/v0/info/public.json"));
    assert_eq!(reply.status, 200);
}

#[test]
fn probes_work_with_other_forms_of_hashes() {
    for variation in [
        "network.files-by-message",
        "network.files-by-content",
        "network.file-hash-hex",
        "network.hash-base58",
    ] {
        let mut driver = Driver::unhurried(1);
        driver.apply_variations(&[variation]);
        driver.measure(true);
        driver.advance(HOUR);
        let record = driver.records("network").remove(0);
        assert!(record["file_download_latency"].is_f64(), "{variation}: {record}");
    }
}

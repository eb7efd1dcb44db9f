//! Failing nodes: each failure changes exactly its own fields in the records.

use assay_spec::instant::HOUR;
use serde_json::{Value, json};

use super::hours::{NODES, measured};
use crate::common::Driver;

const CORE: [&str; 7] = [
    "base_latency",
    "metrics_latency",
    "aggregate_latency",
    "file_download_latency",
    "txs_total",
    "pending_messages",
    "eth_height_remaining",
];
const COMPUTE: [&str; 6] = [
    "base_latency",
    "base_latency_ipv4",
    "diagnostic_vm_latency",
    "full_check_latency",
    "diagnostic_vm_ping_latency",
    "features",
];
const COMMON: [&str; 6] = ["measured_at", "node_id", "url", "asn", "as_name", "version"];

impl Driver {
    pub(crate) fn set_node(&mut self, site: &str, change: &Value) -> Value {
        let mut change = change.clone();
        change["site"] = json!(site);
        self.world.perform("network.node", &change).expect("a valid change").0
    }

    fn slow_nodes(&mut self, slow_ms: i64) {
        for (site, _) in NODES {
            self.set_node(site, &json!({ "slow_ms": slow_ms }));
        }
    }

    /// The record of the hour that starts now.
    fn next_record(&mut self, site: &str) -> Value {
        self.advance(HOUR);
        self.records(site).pop().expect("a record of this hour")
    }
}

/// The documented fields that a record lacks. It must have no other fields.
fn missing(record: &Value) -> Vec<&'static str> {
    let members = record.as_object().expect("an object");
    let own: &[&str] =
        if members["url"].as_str().expect("a URL").contains("compute") { &COMPUTE } else { &CORE };
    let known = || COMMON.iter().chain(own);
    for (name, value) in members {
        assert!(known().any(|field| field == name), "{name} is not a field of {record}");
        assert!(!value.is_null(), "{name} of {record}");
    }
    known().copied().filter(|field| !members.contains_key(*field)).collect()
}

fn seconds(record: &Value, field: &str) -> f64 {
    record[field].as_f64().unwrap_or_else(|| panic!("{field} of {record}"))
}

#[test]
fn healthy_nodes_have_every_field() {
    let mut driver = measured(1);
    driver.advance(3 * HOUR);
    for (site, core) in NODES {
        let node = driver.node(site);
        for record in driver.records(site) {
            assert_eq!(missing(&record), [""; 0], "{record}");
            assert_eq!(record["node_id"], node["node_id"]);
            assert_eq!(record["asn"], node["asn"]);
            assert_eq!(record["version"], node["version"]);
            let latencies = if core { &CORE[..4] } else { &COMPUTE[..5] };
            for field in latencies {
                let latency = seconds(&record, field);
                assert!((0.004..0.08).contains(&latency), "{field} of {record}");
            }
            if core {
                assert!(CORE[4..].iter().all(|count| record[*count].is_u64()), "{record}");
            }
        }
    }
    assert_eq!(driver.records("compute-1")[0]["features"], json!(["sev", "sev_es"]));
    assert_eq!(driver.records("compute-2")[0]["features"], json!(["sev"]));
}

#[test]
fn a_record_of_a_node_that_is_down_has_no_results() {
    let mut driver = measured(1);
    for site in ["network-alt", "compute-1"] {
        driver.set_node(site, &json!({ "up": false }));
    }
    let core = driver.next_record("network-alt");
    assert_eq!(missing(&core), [&["version"][..], &CORE].concat(), "{core}");
    let compute = driver.records("compute-1").pop().expect("a record");
    assert_eq!(missing(&compute), [&["version"][..], &COMPUTE].concat(), "{compute}");
    for site in ["network", "network-mirror", "compute-2"] {
        let record = driver.records(site).pop().expect("a record");
        assert_eq!(missing(&record), [""; 0], "other nodes are not affected");
    }
    driver.set_node("compute-1", &json!({ "up": true }));
    assert_eq!(missing(&driver.next_record("compute-1")), [""; 0], "it recovers");
}

#[test]
fn a_record_without_ipv6_has_only_the_ipv4_fields() {
    let mut driver = measured(1);
    driver.set_node("compute-2", &json!({ "ipv6": false }));
    driver.set_node("network", &json!({ "ipv6": false }));
    let record = driver.next_record("compute-2");
    let lost = [
        "base_latency",
        "diagnostic_vm_latency",
        "full_check_latency",
        "diagnostic_vm_ping_latency",
        "features",
    ];
    assert_eq!(missing(&record), lost, "{record}");
    assert_eq!(record["version"], driver.node("compute-2")["version"]);
    let core = driver.records("network").pop().expect("a record");
    assert_eq!(missing(&core), [""; 0], "core nodes are probed over IPv4");
}

#[test]
fn a_machine_that_does_not_run_is_not_measured() {
    let mut driver = measured(1);
    driver.set_node("compute-1", &json!({ "machine": false }));
    let record = driver.next_record("compute-1");
    assert_eq!(missing(&record), ["diagnostic_vm_latency", "diagnostic_vm_ping_latency"], "{record}");
}

#[test]
fn a_slow_node_has_longer_durations() {
    let mut driver = measured(1);
    driver.slow_nodes(1500);
    driver.advance(HOUR);
    driver.slow_nodes(0);
    for (site, core) in NODES {
        let record = driver.records(site).pop().expect("a record");
        assert_eq!(missing(&record), [""; 0]);
        // A ping goes to the machine, not to the node.
        let latencies = if core { &CORE[..4] } else { &COMPUTE[..4] };
        for field in latencies {
            let latency = seconds(&record, field);
            assert!((1.504..1.58).contains(&latency), "{field} of {record}");
        }
    }
}

#[test]
fn a_node_that_is_too_slow_does_not_answer() {
    let mut driver = measured(1);
    driver.set_node("compute-1", &json!({ "slow_ms": 9_999 }));
    assert_eq!(missing(&driver.next_record("compute-1")), [""; 0], "just in time");
    driver.set_node("compute-1", &json!({ "slow_ms": 10_001 }));
    let record = driver.next_record("compute-1");
    assert_eq!(missing(&record), [&["version"][..], &COMPUTE[..4], &["features"]].concat(), "{record}");
}

#[test]
fn the_record_contains_the_version_of_the_node() {
    let mut driver = measured(1);
    let current = driver.node("network")["version"].clone();
    for (site, _) in NODES {
        let node = driver.set_node(site, &json!({ "version": "old" }));
        assert_ne!(node["version"], current);
        assert_eq!(driver.node(site), node);
    }
    driver.advance(HOUR);
    for (site, _) in NODES {
        let record = driver.records(site).pop().expect("a record");
        assert_eq!(missing(&record), [""; 0]);
        assert_eq!(record["version"], driver.node(site)["version"]);
    }
    driver.set_node("network", &json!({ "version": "0.0.1-rc" }));
    assert_eq!(driver.next_record("network")["version"], "0.0.1-rc");
    driver.set_node("network", &json!({ "version": "current" }));
    assert_eq!(driver.next_record("network")["version"], current);
}

#[test]
fn a_failed_probe_leaves_no_field() {
    let cases: [(&str, &str, &[&str]); 8] = [
        ("network", "info", &["version", "base_latency"]),
        (
            "network",
            "node-metrics",
            &["metrics_latency", "txs_total", "pending_messages", "eth_height_remaining"],
        ),
        ("network", "aggregates-of", &["aggregate_latency"]),
        ("network", "raw-file", &["file_download_latency"]),
        ("compute-1", "login", &["version", "base_latency", "base_latency_ipv4"]),
        ("compute-1", "vm", &["diagnostic_vm_latency"]),
        ("compute-1", "status-check", &["full_check_latency", "features"]),
        ("compute-2", "vm", &["diagnostic_vm_latency"]),
    ];
    for (site, endpoint, lost) in cases {
        let mut driver = measured(1);
        driver.set_faults(
            &json!([{ "fault": "network.internal", "where": { "endpoint": endpoint, "site": site } }]),
        );
        let record = driver.next_record(site);
        assert_eq!(missing(&record), lost, "{endpoint}: {record}");
        let other = if site == "compute-2" { "compute-1" } else { "compute-2" };
        assert_eq!(missing(&driver.records(other)[0]), [""; 0]);
    }
}

#[test]
fn a_lagging_mirror_reports_missing_blocks() {
    let mut driver = measured(1);
    driver.advance(HOUR);
    assert_eq!(driver.records("network-mirror")[0]["txs_total"], 0);
    driver.world.perform("network.lag", &json!({ "ms": 2 * HOUR })).expect("a known action");
    driver.advance(2 * HOUR);
    let records = driver.records("network-mirror");
    let behind = records.last().expect("a record");
    assert!(
        behind["txs_total"].as_u64() > Some(0) && behind["eth_height_remaining"].as_u64() > Some(3),
        "{behind}"
    );
    assert_eq!(driver.records("network").last().expect("a record")["txs_total"], 0);
}

#[test]
fn waiting_messages_are_counted_as_pending() {
    let held = |driver: &mut Driver| {
        driver.set_faults(&json!([{ "fault": "network.processing-held", "where": { "type": "POST" } }]));
    };
    let slow = |driver: &mut Driver| driver.set_network_limits(&json!({ "processing_ms": 24 * HOUR }));
    for make_wait in [held as fn(&mut Driver), slow] {
        let mut driver = measured(1);
        make_wait(&mut driver);
        driver.advance(3 * HOUR);
        let pending: Vec<u64> =
            driver.records("network").iter().filter_map(|one| one["pending_messages"].as_u64()).collect();
        assert_eq!(pending, [0, 1, 2], "the message of each hour waits");
    }
}

#[test]
fn an_hour_that_ends_during_a_probe_omits_its_remaining_fields() {
    let mut driver = Driver::unhurried(1);
    // A slot is a fifth of this hour; a node that needs three seconds per response cannot finish its tests.
    driver.set_network_limits(&json!({ "measurement_ms": 10_000 }));
    driver.measure(true);
    driver.slow_nodes(3_000);
    driver.advance(10_000);
    driver.slow_nodes(0);
    let mut short = 0;
    for (site, _) in NODES {
        let record = driver.records(site).pop().expect("a record, even if incomplete");
        short += usize::from(!missing(&record).is_empty());
    }
    assert!(short > 1, "{short} records are incomplete");
    assert_eq!(driver.published().len(), 1);
    driver.slow_nodes(3_000);
    driver.advance(60_000);
    driver.slow_nodes(0);
    assert_eq!(driver.published().len(), 7);
}

#[test]
fn an_invalid_change_of_a_node_is_rejected_and_changes_nothing() {
    let mut driver = Driver::unhurried(1);
    let before = driver.network()["nodes"].clone();
    for (change, word) in [
        (json!({ "site": "network-9", "up": false }), "network-9"),
        (json!({ "site": "scheduler", "up": false }), "scheduler"),
        (json!({ "up": false }), "site"),
        (json!({ "site": "network", "up": "no" }), "string"),
        (json!({ "site": "network", "wings": 2 }), "wings"),
        (json!({ "site": "network", "slow_ms": -1 }), "slow_ms"),
        (json!({ "site": "network", "slow_ms": i64::MAX }), "slow_ms"),
        (json!({ "site": "network", "asn": -1 }), "asn"),
        (json!({ "site": "network", "machine": false }), "core node"),
        (json!({ "site": "compute-1", "up": false, "features": ["sev", "tdx"] }), "tdx"),
        (json!({ "site": "compute-1", "version": "v".repeat(2000) }), "version"),
        (json!([]), "arguments"),
    ] {
        let refused = driver.world.perform("network.node", &change).expect_err("the change is invalid");
        assert!(refused.contains(word), "{change}: {refused}");
    }
    for switch in [json!({}), json!({ "on": 1 }), json!({ "on": true, "now": true }), json!(null)] {
        assert!(driver.world.perform("network.measure", &switch).is_err(), "{switch}");
    }
    assert_eq!(driver.network()["nodes"], before);
}

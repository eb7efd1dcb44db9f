//! Node metrics as served: their form, variations, unknown nodes, and the effect of each deviation.

use assay_sim::Reply;
use assay_sim::network::sites::{ALTERNATIVE, COMPUTE_2, MIRROR, PRIMARY};
use assay_spec::Id;
use assay_spec::instant::{DAY, HOUR};
use assay_spec::network::requirements::{info, measurement, metrics, probes};
use assay_spec::requirement::Evidence;
use serde_json::{Value, json};

use super::hours::measured;
use crate::common::drop::get;
use crate::common::net::refused;
use crate::common::{Driver, body_of};

impl Driver {
    fn metrics_path(&self, site: &str) -> String {
        let node = self.node(site);
        let text = |name: &str| node[name].as_str().expect("a string").to_owned();
        format!("/api/v0/{}/{}/metrics", text("kind"), text("node_id"))
    }

    fn metrics_of(&mut self, site: &str) -> Reply {
        let path = self.metrics_path(site);
        self.net(&get(&path))
    }
}

/// A world with a deviation, after some hours.
fn deviating(deviation: &str, hours: i64) -> Driver {
    let mut driver = measured(1);
    driver.advance(hours * HOUR);
    driver.deviate(deviation);
    driver
}

#[test]
fn every_address_serves_the_same_metrics() {
    let mut driver = measured(1);
    driver.advance(2 * HOUR);
    for site in ["network", "compute-2"] {
        let path = driver.metrics_path(site);
        let answers = [PRIMARY, ALTERNATIVE, MIRROR].map(|at| body_of(&driver.net_at(at, &get(&path))));
        assert!(answers[0].as_array().is_some_and(|records| records.len() == 2));
        assert!(answers.iter().all(|answer| *answer == answers[0]));
    }
}

#[test]
fn an_unknown_node_is_not_found() {
    let mut driver = measured(1);
    driver.advance(HOUR);
    let core = driver.node("network")["node_id"].as_str().expect("a hash").to_owned();
    let compute = driver.node("compute-1")["node_id"].as_str().expect("a hash").to_owned();
    let unknown = "0".repeat(64);
    let paths = [
        format!("core/{unknown}"),
        format!("compute/{unknown}"),
        format!("core/{compute}"),
        format!("compute/{core}"),
        format!("core/{core}0"),
        "core/..%2f..%2fetc".to_owned(),
        "compute/%00".to_owned(),
        format!("core/{}", "a".repeat(10_000)),
    ];
    for path in paths {
        let reply = driver.net(&get(&format!("/api/v0/{path}/metrics")));
        assert_eq!(refused(&reply), 404, "{path:.90}");
    }
    let upper = format!("/api/v0/core/{}/metrics", core.to_uppercase());
    assert_eq!(driver.read(&upper).as_array().map(Vec::len), Some(1), "hex digits in either case");
}

#[test]
fn variations_change_the_container_of_records() {
    let mut driver = measured(1);
    driver.advance(3 * HOUR);
    let conforming = driver.records("network");
    driver.apply_variations(&["network.metrics-object"]);
    assert_eq!(body_of(&driver.metrics_of("network")), json!({ "metrics": conforming }));
    driver.apply_variations(&["network.metrics-newest-first"]);
    let mut turned = driver.records("network");
    turned.reverse();
    assert_eq!(turned, conforming);
    driver.apply_variations(&["network.metrics-unknown-empty"]);
    assert_eq!(driver.read("/api/v0/core/00/metrics"), json!([]));

    driver.apply_variations(&["network.results-flat", "network.scoring-as-metrics", "network.info-list"]);
    driver.advance(HOUR);
    let message = driver.published().pop().expect("a message");
    assert_eq!(message["content"]["type"], "svc-network-metrics");
    assert_eq!(message["content"]["content"]["results"].as_array().map(Vec::len), Some(5));
    let record = driver.records("network").pop().expect("a record");
    assert!(record["version"].is_string(), "the version is read from a list, too: {record}");
}

/// The first record of a node, without and with a deviation.
fn changed(deviation: &str, site: &str) -> (Value, Value) {
    let mut driver = measured(1);
    driver.advance(HOUR);
    let conforming = driver.records(site).remove(0);
    driver.deviate(deviation);
    (conforming, driver.records(site).remove(0))
}

/// A condition on a value.
type Holds<'a> = &'a dyn Fn(&Value) -> bool;

#[test]
fn each_deviation_changes_only_its_own_fields() {
    let latencies = ["base_latency", "metrics_latency", "aggregate_latency", "file_download_latency"];
    let counts = ["txs_total", "pending_messages", "eth_height_remaining"];
    let compute = [
        "base_latency",
        "base_latency_ipv4",
        "diagnostic_vm_latency",
        "full_check_latency",
        "diagnostic_vm_ping_latency",
    ];
    let number = |value: &Value| value.is_number();
    let negative = |value: &Value| value.as_f64().is_some_and(|value| value < 0.0);
    let cases: [(&str, &str, &[&str], Holds<'_>); 14] = [
        ("measured-at", "network", &["measured_at"], &|at| at.as_f64().is_some_and(|at| at > 1e11)),
        ("measured-at/text", "compute-1", &["measured_at"], &Value::is_string),
        ("node-id", "network", &["node_id"], &|id| id.as_str().is_some_and(|id| id.contains('-'))),
        ("url", "network", &["url"], &Value::is_null),
        ("asn", "compute-1", &["asn"], &Value::is_string),
        ("as-name", "network", &["as_name"], &Value::is_array),
        ("version", "network", &["version"], &Value::is_object),
        ("core-latencies", "network", &latencies, &Value::is_string),
        ("core-latencies/negative", "network", &latencies, &negative),
        ("core-counts", "network", &counts, &Value::is_string),
        ("core-counts/fraction", "network", &counts, &|count| number(count) && !count.is_u64()),
        ("compute-latencies", "compute-1", &compute, &Value::is_string),
        ("compute-latencies/negative", "compute-1", &compute, &negative),
        ("features", "compute-1", &["features"], &Value::is_string),
    ];
    for (deviation, site, fields, holds) in cases {
        let (conforming, changed) = changed(&format!("network.metrics.{deviation}"), site);
        for (name, value) in changed.as_object().expect("an object") {
            if fields.contains(&name.as_str()) {
                assert!(holds(value) && !holds(&conforming[name]), "{deviation}: {name} is {value}");
            } else {
                assert_eq!(*value, conforming[name], "{deviation} leaves {name} alone");
            }
        }
        assert!(
            fields.iter().all(|field| !changed[*field].is_null() || deviation == "url"),
            "{deviation}: {changed}"
        );
    }
}

#[test]
fn a_401_that_counts_as_failure_leaves_no_base_latency() {
    let (conforming, changed) = changed("network.metrics.expected-status", "compute-1");
    assert!(conforming["base_latency"].is_f64());
    assert_eq!((changed.get("base_latency"), changed.get("base_latency_ipv4")), (None, None));
    assert!(changed["full_check_latency"].is_f64());
}

#[test]
fn deviations_return_the_metrics_of_another_node() {
    for (row, site, other) in [("core", "network", "network-alt"), ("compute", "compute-2", "compute-1")] {
        let mut driver = deviating(&format!("network.metrics.{row}"), 1);
        assert_eq!(driver.records(site)[0]["node_id"], driver.node(other)["node_id"]);
    }
    let mut driver = deviating("network.metrics.unknown", 1);
    assert_eq!(driver.read("/api/v0/core/00/metrics").as_array().map(Vec::len), Some(1));
    let mut driver = deviating("network.metrics.alternative", 1);
    let path = driver.metrics_path("network");
    assert_eq!(driver.net_at(ALTERNATIVE, &get(&path)).status, 404);
    assert_eq!(driver.net_at(PRIMARY, &get(&path)).status, 200);
}

#[test]
fn deviations_about_failed_tests_change_the_record() {
    let record = |deviation: &str, site: &str, change: &Value, faults: &Value| {
        let mut driver = measured(1);
        driver.set_node(site, change);
        driver.set_faults(faults);
        driver.deviate(deviation);
        driver.advance(HOUR);
        driver.records(site).remove(0)
    };
    let well = json!({});
    let failing = json!([{ "fault": "network.internal", "where": { "endpoint": "vm" } }]);
    let one = record("network.metrics.failed-status", "compute-1", &well, &failing);
    assert!(one["diagnostic_vm_latency"].is_f64(), "{one}");

    let none = json!([]);
    let one = record("network.metrics.failed-absent", "compute-1", &json!({ "up": false }), &none);
    assert_eq!(one.get("base_latency"), Some(&Value::Null), "{one}");
    let one = record("network.metrics.failed-absent", "compute-1", &json!({ "ipv6": false }), &none);
    assert_eq!(one.get("diagnostic_vm_ping_latency"), None, "a ping without IPv6 has its own row: {one}");
    let one = record("network.metrics.failed-absent", "compute-1", &well, &failing);
    assert_eq!(one.get("diagnostic_vm_latency"), None, "a failure with a response has its own row");

    let one = record("network.metrics.no-ipv6", "compute-1", &json!({ "ipv6": false }), &none);
    assert!(one["diagnostic_vm_ping_latency"].is_f64() && one.get("base_latency").is_none(), "{one}");
    let one = record("network.metrics.no-ipv6", "compute-1", &json!({ "up": false }), &none);
    assert_eq!(one.get("diagnostic_vm_ping_latency"), None, "a node that is down has another row: {one}");
}

#[test]
fn deviations_about_retention_change_the_oldest_record() {
    let oldest = |deviation: Option<&str>| {
        let mut driver = measured(1);
        if let Some(deviation) = deviation {
            driver.deviate(deviation);
        }
        driver.advance(16 * DAY);
        let first = driver.records("network")[0]["measured_at"].as_f64().expect("a number");
        (driver.now().0 - (first * 1000.0) as i64) / HOUR
    };
    assert!((335..=336).contains(&oldest(None)));
    assert!(oldest(Some("network.metrics.retention")) > 380);
    assert!(oldest(Some("network.metrics.retained")) < 169);
}

#[test]
fn every_row_about_nodes_is_consulted_and_can_be_violated() {
    let mut driver = measured(1);
    driver.set_node("compute-1", &json!({ "ipv6": false }));
    driver.set_node("network-mirror", &json!({ "up": false }));
    driver.set_faults(
        &json!([{ "fault": "network.internal", "where": { "endpoint": "vm", "site": "compute-2" } }]),
    );
    driver.advance(HOUR);
    for site in ["network", "network-mirror", "compute-1", "compute-2"] {
        driver.records(site);
    }
    driver.set_faults(&json!([]));
    let machine = format!("/vm/{}", driver.node("compute-2")["machine_id"].as_str().expect("a hash"));
    let metrics = driver.metrics_path("network");
    for (site, target) in [
        (PRIMARY, "/api/v0/core/00/metrics"),
        (PRIMARY, "/metrics.json"),
        (PRIMARY, "/api/v0/info/public.json"),
        (ALTERNATIVE, metrics.as_str()),
        (COMPUTE_2, "/about/login"),
        (COMPUTE_2, machine.as_str()),
        (COMPUTE_2, "/status/check/full"),
        (ALTERNATIVE, "/api/v0/messages"),
    ] {
        driver.net_at(site, &get(target));
    }
    let asked: Vec<Id> = driver.world.core.consulted().collect();
    let deviations = assay_sim::world::deviations();
    let rows = [info::ALL, metrics::ALL, measurement::ALL, probes::ALL].concat();
    for row in rows.into_iter().filter(|row| row.evidence == Evidence::Check) {
        assert!(asked.contains(&row), "{row} was not consulted");
        assert!(deviations.iter().any(|deviation| deviation.requirement == row), "{row} cannot be violated");
    }
}

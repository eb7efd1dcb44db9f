//! The responses of nodes to probes, in every condition.

use assay_sim::network::sites::{ALTERNATIVE, COMPUTE_1, COMPUTE_2, MIRROR, PRIMARY};
use assay_sim::serve::{ClockMode, Handle};
use assay_sim::{Reply, Site};
use assay_spec::instant::HOUR;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use super::hours::measured;
use crate::common::drop::get;
use crate::common::net::refused;
use crate::common::wire::{bytes, connect_to, read, status};
use crate::common::{Driver, body_of};

const CORES: [Site; 3] = [PRIMARY, ALTERNATIVE, MIRROR];
const COMPUTES: [Site; 2] = [COMPUTE_1, COMPUTE_2];

impl Driver {
    fn probe(&mut self, site: Site, target: &str) -> Reply {
        self.net_at(site, &get(target))
    }

    fn machine_path(&self, site: Site) -> String {
        format!("/vm/{}", self.node(site.name)["machine_id"].as_str().expect("a hash"))
    }
}

#[test]
fn core_nodes_return_their_information() {
    let mut driver = Driver::unhurried(1);
    for site in CORES {
        let info = body_of(&driver.probe(site, "/api/v0/info/public.json"));
        assert_eq!(info["node_id"], driver.node(site.name)["node_id"]);
        assert_eq!(info["version"], driver.node(site.name)["version"]);
        let metrics = body_of(&driver.probe(site, "/metrics.json"));
        for count in ["txs_total", "pending_messages", "eth_height_remaining"] {
            assert!(metrics[count].is_u64(), "{metrics}");
        }
        for elsewhere in
            ["/about/login", "/vm/00", "/status/check/full", "/metrics", "/info/public.json", "/"]
        {
            assert_eq!(refused(&driver.probe(site, elsewhere)), 404, "{elsewhere}");
        }
    }
}

#[test]
fn compute_nodes_respond_to_probes() {
    let mut driver = Driver::unhurried(1);
    for site in COMPUTES {
        let login = driver.probe(site, "/about/login");
        assert_eq!(refused(&login), 401);
        assert!(login.headers.contains_key("www-authenticate"));
        let path = driver.machine_path(site);
        assert_eq!(driver.probe(site, &path).status, 200);
        assert_eq!(driver.probe(site, "/status/check/full").status, 200);
        for elsewhere in
            ["/vm/00", "/vm/", "/status/check/x", "/status/check/", "/metrics.json", "/api/v0/messages"]
        {
            assert_eq!(refused(&driver.probe(site, elsewhere)), 404, "{elsewhere}");
        }
    }
    let other = driver.machine_path(COMPUTE_2);
    assert_eq!(driver.probe(COMPUTE_1, &other).status, 404, "a machine is only on its own node");
}

#[test]
fn identifiers_are_hex_and_depend_on_the_seed() {
    let ids = |seed| {
        let driver = Driver::new(seed);
        let nodes = driver.network()["nodes"].as_array().expect("nodes").clone();
        nodes.iter().map(|node| node["node_id"].as_str().expect("a string").to_owned()).collect::<Vec<_>>()
    };
    assert!(ids(1).iter().all(|id| id.len() == 64 && id.bytes().all(|byte| byte.is_ascii_hexdigit())));
    assert_eq!(ids(1), ids(1));
    assert_ne!(ids(1), ids(2));
}

#[test]
fn a_node_that_is_down_returns_503() {
    let mut driver = Driver::unhurried(1);
    for site in [PRIMARY, COMPUTE_1] {
        driver.set_node(site.name, &json!({ "up": false }));
    }
    for target in ["/api/v0/info/public.json", "/api/v0/messages", "/metrics.json", "/nowhere"] {
        assert_eq!(driver.probe(PRIMARY, target).status, 503, "{target}");
        assert_ne!(driver.probe(ALTERNATIVE, target).status, 503, "{target}");
    }
    assert_eq!(driver.probe(COMPUTE_1, "/about/login").status, 503);
    assert_eq!(driver.probe(COMPUTE_2, "/about/login").status, 401);
    driver.set_node("network", &json!({ "up": true }));
    assert_eq!(driver.probe(PRIMARY, "/api/v0/messages").status, 200);
}

#[test]
fn a_node_without_ipv6_is_reachable_only_over_ipv4() {
    let mut driver = Driver::unhurried(1);
    driver.set_node("compute-1", &json!({ "ipv6": false }));
    for (peer, status) in [("203.0.113.9", 401), ("2001:db8::9", 503), ("::1", 503)] {
        driver.at(peer);
        assert_eq!(driver.probe(COMPUTE_1, "/about/login").status, status, "{peer}");
        assert_eq!(driver.probe(COMPUTE_2, "/about/login").status, 401, "{peer}");
    }
}

#[test]
fn a_slow_node_responds_later() {
    let mut driver = Driver::unhurried(1);
    driver.set_node("network", &json!({ "slow_ms": 250 }));
    let exchange = driver.start_at(PRIMARY, &get("/api/v0/info/public.json"));
    driver.advance(249);
    assert!(driver.reply(exchange).is_none());
    driver.advance(1);
    assert_eq!(driver.reply(exchange).expect("an answer").status, 200);
    // A client that disconnects gets no response.
    let exchange = driver.start_at(PRIMARY, &get("/api/v0/messages"));
    driver.input(assay_sim::Input::Abort(exchange));
    driver.advance(1000);
    assert!(driver.reply(exchange).is_none());
}

#[test]
fn a_machine_that_does_not_run_is_a_failure() {
    let mut driver = Driver::unhurried(1);
    driver.set_node("compute-1", &json!({ "machine": false }));
    let path = driver.machine_path(COMPUTE_1);
    assert_eq!(driver.probe(COMPUTE_1, &path).status, 503);
}

#[test]
fn the_measurement_program_does_not_see_deviations() {
    let machine = Driver::new(1).machine_path(COMPUTE_1);
    let cases = [
        ("login", COMPUTE_1, "/about/login", 200),
        ("vm", COMPUTE_1, machine.as_str(), 404),
        ("status-check", COMPUTE_1, "/status/check/full", 404),
        ("metrics", PRIMARY, "/metrics.json", 404),
    ];
    for (row, site, target, status) in cases {
        let mut driver = measured(1);
        driver.deviate(&format!("network.probes.{row}"));
        assert_eq!(driver.probe(site, target).status, status, "{row}");
        for (other, at, elsewhere, _) in cases.iter().filter(|case| case.0 != row) {
            let conforming = if *other == "login" { 401 } else { 200 };
            assert_eq!(driver.probe(*at, elsewhere).status, conforming, "{other} under {row}");
        }
        driver.advance(HOUR);
        let record = driver.records(site.name).remove(0);
        assert!(record["base_latency"].is_f64(), "{row}: {record}");
        let complete = if site == PRIMARY { "metrics_latency" } else { "full_check_latency" };
        assert!(record[complete].is_f64(), "{row}: {record}");
    }
}

#[test]
fn information_can_be_html_or_a_list() {
    let mut driver = Driver::unhurried(1);
    driver.apply_variations(&["network.info-list"]);
    assert!(body_of(&driver.probe(PRIMARY, "/api/v0/info/public.json")).is_array());
    driver.apply_variations(&[]);
    driver.deviate("network.info.public");
    let reply = driver.probe(PRIMARY, "/api/v0/info/public.json");
    assert_eq!(reply.status, 200);
    assert!(serde_json::from_slice::<Value>(&reply.body).is_err());
}

#[test]
fn probes_are_in_the_journal_like_other_requests() {
    let mut driver = measured(1);
    let mut lines = Vec::new();
    for _ in 0..60 {
        driver.advance(HOUR / 60);
        for (_, entry) in driver.world.core.journal.entries() {
            if let assay_sim::journal::Event::Head(line, _) = &entry.event {
                lines.push(line.clone());
            }
        }
    }
    lines.sort();
    lines.dedup();
    let asked =
        |site: &str, target: &str| lines.iter().any(|line| line.starts_with(site) && line.ends_with(target));
    for site in CORES {
        assert!(asked(site.name, " GET /api/v0/info/public.json") && asked(site.name, " GET /metrics.json"));
    }
    for site in COMPUTES {
        let login: Vec<&String> = lines
            .iter()
            .filter(|line| line.starts_with(site.name) && line.ends_with("GET /about/login"))
            .collect();
        assert_eq!(login.len(), 2, "over IPv6 and over IPv4: {login:?}");
        assert_eq!(login.iter().filter(|line| line.contains("2001:db8:")).count(), 1);
    }
}

#[tokio::test]
async fn nodes_and_their_metrics_are_served_over_connections() {
    let mut driver = Driver::unhurried(1);
    driver.measure(true);
    driver.set_node("compute-1", &json!({ "slow_ms": 250 }));
    let began = driver.now();
    let metrics =
        format!("/api/v0/compute/{}/metrics", driver.node("compute-1")["node_id"].as_str().expect("a hash"));
    let handle = Handle::new(driver.world, ClockMode::Auto);
    let ask = async |site: Site, target: &str| {
        let mut io = connect_to(&handle, site);
        io.write_all(&bytes(&get(target))).await.expect("the server reads");
        read(io).await
    };
    assert_eq!(status(&ask(COMPUTE_1, "/about/login").await), 401);
    assert!(handle.read(|world| world.core.now() >= began + 250), "the clock moves until the node responds");
    handle.advance(2 * HOUR);
    let answer = ask(ALTERNATIVE, &metrics).await;
    assert_eq!(status(&answer), 200);
    assert_eq!(answer.matches("measured_at").count(), 2, "{answer}");
}

//! The services beside the network. Their responses are the simulator's choice, but they are consistent.

use assay_sim::Site;
use assay_sim::network::sites::{CREDIT, SCHEDULER, STATUS};
use serde_json::{Value, json};

use crate::common::drop::get;
use crate::common::net::{Wallet, message, refused};
use crate::common::{Driver, body_of, show};

impl Driver {
    fn neighbour(&mut self, site: Site, target: &str) -> Value {
        let reply = self.net_at(site, &get(target));
        assert_eq!(reply.status, 200, "{target}: {}", show(&reply));
        body_of(&reply)
    }

    fn purchase(&mut self, address: &str, tokens: u64) -> Value {
        let bought = self.world.perform("network.purchase", &json!({ "address": address, "tokens": tokens }));
        bought.expect("a purchase").0
    }
}

#[test]
fn the_scheduler_lists_nodes_and_their_machines() {
    let mut driver = Driver::unhurried(1);
    let nodes = driver.neighbour(SCHEDULER, "/api/v0/nodes")["nodes"].as_array().expect("nodes").clone();
    let ids: Vec<Value> = nodes.iter().map(|node| node["node_id"].clone()).collect();
    assert_eq!(ids, ["compute-1", "compute-2"].map(|site| driver.node(site)["node_id"].clone()));

    let wallet = Wallet::new(1);
    let wanted = json!({
        "name": "a", "description": "", "cpu": 1, "memory": 1, "disk": 1, "image": "i", "ssh_key": "k",
        "firewall": { "allowedPorts": [22] },
    });
    let hashes: Vec<String> = (0..12)
        .map(|n| {
            let mut wanted = wanted.clone();
            wanted["name"] = json!(n.to_string());
            let instance = message(&driver, "INSTANCE", &wanted);
            driver.take_message(&wallet, &instance)
        })
        .collect();
    let plan = driver.neighbour(SCHEDULER, "/api/v0/plan")["plan"].clone();
    let on = |place: &Value, hash: &str| {
        place["machines"].as_array().expect("machines").iter().any(|machine| machine == hash)
    };
    for hash in &hashes {
        let allocation = driver.neighbour(SCHEDULER, &format!("/api/v0/allocation/{hash}"));
        let places: Vec<&Value> =
            plan.as_array().expect("a plan").iter().filter(|place| on(place, hash)).collect();
        assert_eq!(places.len(), 1, "{hash} is on one node");
        assert_eq!(places[0]["node_id"], allocation["node_id"]);
    }
    let counts =
        plan.as_array().expect("a plan").iter().map(|place| place["machines"].as_array().map(Vec::len));
    assert!(counts.clone().all(|count| count > Some(0)), "both nodes have machines");

    let post = message(&driver, "POST", &json!({}));
    let post = driver.take_message(&wallet, &post);
    for unknown in [post.as_str(), "00", "..%2f"] {
        let reply = driver.net_at(SCHEDULER, &get(&format!("/api/v0/allocation/{unknown}")));
        assert_eq!(refused(&reply), 404, "{unknown}");
    }
}

#[test]
fn the_status_service_reports_which_node_is_down() {
    let mut driver = Driver::unhurried(1);
    let status = |driver: &mut Driver| {
        let services =
            driver.neighbour(STATUS, "/api/services")["services"].as_array().expect("services").clone();
        let of = |name: &str| {
            let found = services.iter().find(|service| service["name"] == name).expect("a known service");
            found["status"].as_str().expect("a status").to_owned()
        };
        ["network", "compute-1", "compute-2", "scheduler", "credit"].map(of)
    };
    assert_eq!(status(&mut driver), ["up"; 5]);
    driver.set_node("network", &json!({ "slow_ms": 5 }));
    driver.set_node("compute-1", &json!({ "up": false }));
    assert_eq!(status(&mut driver), ["slow", "down", "up", "up", "up"]);
}

#[test]
fn purchases_are_paged() {
    let mut driver = Driver::unhurried(1);
    for n in 1..=45_u64 {
        driver.advance(1000);
        driver.purchase(if n % 3 == 0 { "0xAA" } else { "0xbb" }, n);
    }
    let first = driver.neighbour(CREDIT, "/api/v0/payment");
    assert_eq!(first["pagination"], json!({ "total": 45, "page": 1, "per_page": 20, "total_pages": 3 }));
    assert_eq!(first["payments"][0]["tokens"], "45", "newest first");
    let third = driver.neighbour(CREDIT, "/api/v0/payment?page=3");
    assert_eq!(third["payments"].as_array().map(Vec::len), Some(5));
    let of = driver.neighbour(CREDIT, "/api/v0/payment?address=0xaa&limit=100");
    assert_eq!(of["pagination"]["total"], 15);
    assert!(of["payments"].as_array().expect("payments").iter().all(|one| one["address"] == "0xAA"));
    assert_eq!(driver.neighbour(CREDIT, "/api/v0/payment?page=9")["payments"], json!([]));
    for odd in ["page=0", "limit=-1", "limit=x"] {
        assert_eq!(refused(&driver.net_at(CREDIT, &get(&format!("/api/v0/payment?{odd}")))), 400, "{odd}");
    }
}

#[test]
fn a_purchase_gives_the_estimated_credits() {
    let mut driver = Driver::unhurried(1);
    let estimate = driver.neighbour(CREDIT, "/api/v0/estimation/token-to-credit?tokens=7");
    let bought = driver.purchase("0xAA", 7);
    assert_eq!(bought["credits"], estimate["credits"]);
    assert_eq!(driver.neighbour(CREDIT, "/api/v0/payment")["payments"][0]["credits"], estimate["credits"]);
    driver.set_network_limits(&json!({ "credits_per_token": 3 }));
    assert_eq!(driver.neighbour(CREDIT, "/api/v0/estimation/token-to-credit?tokens=7")["credits"], 21);
    for odd in ["", "?tokens=", "?tokens=-1", "?tokens=1.5", "?tokens=99999999999999999999", "?tokens=x"] {
        let reply = driver.net_at(CREDIT, &get(&format!("/api/v0/estimation/token-to-credit{odd}")));
        assert_eq!(refused(&reply), 400, "{odd}");
    }
    for odd in
        [json!({ "address": "0xAA" }), json!({ "address": "0xAA", "tokens": 0 }), json!({ "tokens": 1 })]
    {
        assert!(driver.world.perform("network.purchase", &odd).is_err(), "{odd}");
    }
}

#[test]
fn a_purchase_keeps_files_that_were_not_paid_for() {
    let mut driver = Driver::unhurried(1);
    let wallet = Wallet::new(1);
    let file = driver.store_file(&wallet, b"a file");
    driver.perform("network.balance", &json!({ "address": wallet.address, "credits": 0 }));
    driver.perform("network.bill", &json!({}));
    assert_eq!(driver.status_of(&file.hash), "removing");
    driver.purchase(&wallet.address, 1);
    assert_eq!(driver.status_of(&file.hash), "processed");
    let balances = driver.network()["balances"].clone();
    assert_eq!(balances[wallet.address.to_lowercase()], 100);
}

#[test]
fn lists_can_be_bare() {
    let mut driver = Driver::unhurried(1);
    driver.purchase("0xAA", 1);
    driver.apply_variations(&["network.neighbours-bare"]);
    for (site, target) in [
        (SCHEDULER, "/api/v0/plan"),
        (SCHEDULER, "/api/v0/nodes"),
        (STATUS, "/api/services"),
        (CREDIT, "/api/v0/payment"),
    ] {
        assert!(driver.neighbour(site, target).as_array().is_some_and(|items| !items.is_empty()), "{target}");
    }
}

#[test]
fn neighbours_have_no_other_paths() {
    let mut driver = Driver::unhurried(1);
    for site in [SCHEDULER, STATUS, CREDIT] {
        for target in ["/", "/api/v0/messages", "/api/v0/info/public.json", "/api/v0/plan/x"] {
            assert_eq!(refused(&driver.net_at(site, &get(target))), 404, "{} {target}", site.name);
        }
    }
}

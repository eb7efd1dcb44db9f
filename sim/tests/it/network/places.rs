//! Where the rows of the node API apply.

use assay_sim::Site;
use assay_sim::network::sites::{ALTERNATIVE, COMPUTE_1, MIRROR, PRIMARY};
use assay_spec::instant::HOUR;
use assay_spec::network::places::{CORE, LOGIN, MEASUREMENT, PROCESSING, REMOVAL, STATUS_CHECK, VM};
use assay_spec::{Place, Service};
use serde_json::{Value, json};

use crate::common::drop::get;
use crate::common::net::{MESSAGES, Wallet, message, post};
use crate::common::places::edits_act_where_declared;
use crate::common::{Call, Driver, show};
use crate::{families, network};

/// Sends calls and records what comes back.
struct Client<'a> {
    driver: &'a mut Driver,
    seen: Vec<String>,
}

impl Client<'_> {
    fn at(&mut self, site: Site, call: &Call) -> Value {
        let reply = self.driver.net_at(site, call);
        self.seen.push(format!("{} {}: {} {:?}", call.method, call.target, show(&reply), reply.headers));
        serde_json::from_slice(&reply.body).unwrap_or_default()
    }

    /// Sends envelopes of every kind to an endpoint: valid ones, and ones with an invalid part.
    fn envelopes(&mut self, method: &str, path: &str, kind: &str, content: &Value) -> Value {
        let (wallet, stranger) = (Wallet::new(1), Wallet::new(2));
        let send = |client: &mut Self, body: Vec<u8>| {
            let call = Call { method: method.to_owned(), body, ..post(path, &Value::Null) };
            client.at(PRIMARY, &call)
        };
        let good = message(self.driver, kind, content);
        let made = send(self, wallet.envelope(&good).to_string().into_bytes());
        send(self, wallet.envelope(&good).to_string().into_bytes());
        for (member, value) in [
            ("chain", json!(1)),
            ("channel", json!(1)),
            ("type", json!(1)),
            ("type", json!("OTHER")),
            ("type", json!("POST")),
            ("timestamp", json!("now")),
            ("content", json!(1)),
            ("nonce", json!("n")),
            ("channel", Value::Null),
        ] {
            let mut bad = good.clone();
            bad[member] = value;
            if (member, &bad[member]) == ("channel", &Value::Null) {
                bad.as_object_mut().expect("an object").shift_remove(member);
            }
            send(self, wallet.envelope(&bad).to_string().into_bytes());
        }
        for (member, value) in
            [("message", json!(1)), ("signature", json!(1)), ("address", json!(stranger.address))]
        {
            let mut bad = wallet.envelope(&good);
            bad[member] = value;
            send(self, bad.to_string().into_bytes());
        }
        for name in content.as_object().expect("an object").keys() {
            let mut bad = content.clone();
            bad[name] = json!(1.5);
            send(self, wallet.envelope(&message(self.driver, kind, &bad)).to_string().into_bytes());
        }
        send(self, b"[]".to_vec());
        send(self, vec![b'x'; 300_000]);
        made
    }

    fn creations(&mut self) {
        let firewall = json!({ "allowedPorts": [22] });
        let instance = json!({
            "name": "n", "description": "d", "cpu": 1, "memory": 1, "disk": 1, "image": "i", "ssh_key": "k",
            "firewall": firewall,
        });
        let made = self.envelopes("POST", "/api/v0/instances", "INSTANCE", &instance);
        let id = made["instance_id"].as_str().unwrap_or("none").to_owned();
        let unknown = "inst-0".to_owned();
        for (method, path, kind, content) in [
            (
                "POST",
                "/api/v0/aggregates".to_owned(),
                "AGGREGATE",
                json!({ "key": "k", "address": Wallet::new(1).address, "content": { "a": 1 } }),
            ),
            (
                "POST",
                "/api/v0/programs".to_owned(),
                "PROGRAM",
                json!({ "code": "c", "runtime": "r", "memory": 1, "timeout": 1 }),
            ),
            ("POST", "/api/v0/ipfs/pin".to_owned(), "IPFS_PIN", json!({ "hash": "h" })),
            (
                "POST",
                "/api/v0/webhooks".to_owned(),
                "WEBHOOK",
                json!({ "url": "http://127.0.0.1:9/", "events": ["message.new"], "secret": "s" }),
            ),
            (
                "PUT",
                format!("/api/v0/instances/{id}"),
                "INSTANCE_UPDATE",
                json!({ "instance_id": id, "name": "m", "description": "e" }),
            ),
            (
                "POST",
                format!("/api/v0/instances/{id}/control"),
                "INSTANCE_CONTROL",
                json!({ "instance_id": id, "action": "stop" }),
            ),
            (
                "PUT",
                format!("/api/v0/instances/{unknown}"),
                "INSTANCE_UPDATE",
                json!({ "instance_id": unknown, "name": "m" }),
            ),
            (
                "POST",
                format!("/api/v0/instances/{unknown}/control"),
                "INSTANCE_CONTROL",
                json!({ "instance_id": unknown, "action": "stop" }),
            ),
        ] {
            self.envelopes(method, &path, kind, &content);
            self.envelopes("POST", MESSAGES, kind, &content);
        }
        self.envelopes("POST", MESSAGES, "INSTANCE", &instance);
        self.envelopes("POST", MESSAGES, "FORGET", &json!({ "hashes": ["0"] }));
    }

    /// Reads each endpoint, each with a valid and an invalid query, at the three addresses of the API.
    fn readings(&mut self) {
        let address = Wallet::new(1).address;
        let cid = self.driver.store_file(&Wallet::new(1), b"hello").cid;
        for site in [PRIMARY, ALTERNATIVE, MIRROR] {
            for path in ["messages", "messages.json", "aggregates", "instances", "indexer/base/events"] {
                for query in ["", "?page=x", "?limit=3", "?%ff=%fe"] {
                    self.at(site, &get(&format!("/api/v0/{path}{query}")));
                }
            }
            for path in [
                "indexer/base/transactions?page=0",
                "indexer/none/transactions",
                "info/public.json",
                &format!("aggregates/{address}/k"),
                &format!("aggregates/{address}.json"),
                &format!("storage/{cid}"),
                &format!("storage/raw/{cid}"),
                &format!("ipfs/{cid}"),
                "core/none/metrics",
                "compute/none/metrics",
            ] {
                self.at(site, &get(&format!("/api/v0/{path}")));
            }
            self.at(site, &get("/metrics.json"));
        }
        for path in ["/about/login", "/vm/none", "/status/check/full", "/status/check/none"] {
            self.at(COMPUTE_1, &get(path));
        }
        self.driver.set_faults(&json!([{ "fault": "network.internal" }]));
        self.at(PRIMARY, &get("/api/v0/info/public.json"));
        self.at(PRIMARY, &post("/api/v0/vrf/verify", &json!({})));
        self.driver.set_faults(&json!([]));
    }

    /// Reads the records of some hours of measurements, of which the first are too old.
    fn measurements(&mut self) {
        self.driver.set_network_limits(&json!({ "metrics_retention_ms": 2 * HOUR }));
        self.driver.measure(true);
        self.driver.advance(4 * HOUR + 1);
        for site in ["network", "compute-1"] {
            let node = self.driver.node(site);
            let text = |name: &str| node[name].as_str().unwrap_or("none").to_owned();
            let (kind, id) = (text("kind"), text("node_id"));
            for site in [PRIMARY, ALTERNATIVE] {
                self.at(site, &get(&format!("/api/v0/{kind}/{id}/metrics")));
            }
            if kind == "compute" {
                self.at(COMPUTE_1, &get(&format!("/vm/{}", text("machine_id"))));
            }
        }
        let publisher = self.driver.publisher();
        self.at(PRIMARY, &get(&format!("{MESSAGES}?addresses={publisher}")));
        self.driver.measure(false);
    }
}

/// What a client meets who makes requests of every kind at every endpoint.
fn day(driver: &mut Driver) -> Vec<String> {
    let mut client = Client { driver, seen: Vec::new() };
    client.creations();
    client.readings();
    client.measurements();
    let mut seen = client.seen;
    seen.extend(families::deviations::play_with(driver));
    seen.extend(network::deviations::play(driver));
    seen
}

#[test]
fn rows_decide_where_they_declare_it() {
    let mut driver = Driver::unhurried(1);
    driver.world.core.watch_places();
    day(&mut driver);
    driver.rows_are_at_their_places().expect("declared places");
    assert!(driver.world.core.visits().count() > 150);
}

#[test]
fn edits_act_where_their_rows_declare_it() {
    let places: Vec<Place> = [CORE, LOGIN, VM, STATUS_CHECK, PROCESSING, REMOVAL, MEASUREMENT].concat();
    edits_act_where_declared(Service::Network, &places, |deviations| {
        let mut driver = Driver::unhurried(1);
        driver.world.set_deviations(deviations).expect("known deviations");
        day(&mut driver)
    });
}

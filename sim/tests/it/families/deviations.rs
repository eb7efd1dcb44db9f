//! Every deviation of these families changes the responses.

use assay_sim::world;
use serde_json::{Value, json};

use super::{AGGREGATES, INSTANCES, PIN, PROGRAMS, WEBHOOKS, put};
use crate::common::drop::get;
use crate::common::net::{Wallet, message, post};
use crate::common::{Call, Driver};

/// A file of more than one chunk.
const LONG: &[u8] = &[b'x'; 262_145];

const GROUPS: [&str; 7] = ["aggregates", "programs", "instances", "pins", "indexer", "vrf", "webhooks"];

#[test]
fn every_deviation_changes_a_response() {
    let conforming = play(None);
    assert_eq!(conforming, play(None));
    let mine: Vec<String> =
        world::deviations().iter().map(ToString::to_string).filter(|name| is_mine(name)).collect();
    assert!(mine.len() > 100, "{}", mine.len());
    let silent: Vec<&String> = mine.iter().filter(|name| play(Some(name)) == conforming).collect();
    assert!(silent.is_empty(), "{silent:?}");
}

#[test]
fn every_row_with_a_check_has_a_deviation() {
    let names: Vec<String> = world::deviations().iter().map(|one| one.requirement.to_string()).collect();
    let rows = assay_spec::catalogue::requirements();
    let checked = rows
        .filter(|row| row.evidence == assay_spec::requirement::Evidence::Check && is_mine(&row.to_string()));
    let bare: Vec<String> = checked.map(ToString::to_string).filter(|id| !names.contains(id)).collect();
    assert!(bare.is_empty(), "{bare:?}");
}

fn is_mine(name: &str) -> bool {
    let mut words = name.split('.');
    words.next() == Some("network") && words.next().is_some_and(|group| GROUPS.contains(&group))
}

fn play(deviation: Option<&str>) -> Vec<String> {
    let mut driver = Driver::unhurried(1);
    if let Some(name) = deviation {
        driver.deviate(name);
    }
    play_with(&mut driver)
}

/// The statuses and bodies of a script that consults every rule of these families.
pub(crate) fn play_with(driver: &mut Driver) -> Vec<String> {
    let mut stage = Stage { driver: driver.clone(), seen: Vec::new() };
    stage.aggregates();
    stage.delegates();
    stage.programs();
    stage.instances();
    stage.pins();
    stage.indexer();
    stage.pairs();
    stage.vrf();
    stage.webhooks();
    *driver = stage.driver;
    stage.seen
}

struct Stage {
    driver: Driver,
    seen: Vec<String>,
}

impl Stage {
    fn call(&mut self, call: &Call) -> Value {
        let reply = self.driver.net(call);
        let body = String::from_utf8_lossy(&reply.body).into_owned();
        let content_type =
            reply.headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
        self.seen.push(format!("{} {} {} {content_type} {body}", call.method, call.target, reply.status));
        serde_json::from_str(&body).unwrap_or_default()
    }

    fn look(&mut self, targets: &[&str]) {
        for target in targets {
            self.call(&get(target));
        }
    }

    /// Sends a message one second after the previous one.
    fn send(&mut self, wallet: u16, path: &str, kind: &str, content: &Value) -> Value {
        self.driver.advance(1_000);
        let wallet = Wallet::new(wallet);
        let envelope = wallet.envelope(&message(&self.driver, kind, content));
        self.call(&if kind == "INSTANCE_UPDATE" { put(path, &envelope) } else { post(path, &envelope) })
    }

    /// Sends a valid content, then variants without each member, and with another type there.
    fn shapes(&mut self, path: &str, kind: &str, good: &Value) -> Value {
        let answer = self.send(1, path, kind, good);
        for name in good.as_object().expect("an object").keys() {
            let mut bad = good.clone();
            bad[name] = json!(1.5);
            self.send(1, path, kind, &bad);
        }
        answer
    }

    fn aggregates(&mut self) {
        let [one, two] = [1, 2].map(|n| Wallet::new(n).address);
        let whole = json!({ "a": { "x": 1, "y": 2 }, "b": 1 });
        self.shapes(AGGREGATES, "AGGREGATE", &json!({ "key": "k", "address": one, "content": whole }));
        self.send(2, AGGREGATES, "AGGREGATE", &json!({ "key": "k", "content": { "z": 1 } }));
        self.look(&[&format!("{AGGREGATES}/{one}/k"), &format!("{AGGREGATES}/{two}/k")]);
        self.send(2, AGGREGATES, "AGGREGATE", &json!({ "key": "k", "address": one, "content": { "s": 1 } }));
        self.send(1, AGGREGATES, "AGGREGATE", &json!({ "key": "k", "content": { "a": 2, "b": 2 } }));
        self.look(&[&format!("{AGGREGATES}/{one}/k")]);
        self.send(1, AGGREGATES, "AGGREGATE", &json!({ "key": "k", "content": { "b": 3 } }));
        self.send(1, AGGREGATES, "AGGREGATE", &json!({ "key": "l", "content": { "b": 3 } }));
        self.look(&[
            &format!("{AGGREGATES}/{one}/k"),
            &format!("{AGGREGATES}/{one}/unknown"),
            AGGREGATES,
            &format!("{AGGREGATES}?address={one}"),
            &format!("{AGGREGATES}?key=l"),
            &format!("{AGGREGATES}?keys=l,m"),
            &format!("{AGGREGATES}?content.fields=a"),
            &format!("{AGGREGATES}/{one}.json"),
            &format!("{AGGREGATES}/{one}.json?keys=l"),
            &format!("{AGGREGATES}/{one}.json?limit=1"),
            &format!("{AGGREGATES}/0x9.json"),
        ]);
        for n in 0..6 {
            let key = format!("of three {n}");
            self.send(3, AGGREGATES, "AGGREGATE", &json!({ "key": key, "content": { "n": n } }));
        }
        let three = Wallet::new(3).address;
        self.look(&[&format!("{AGGREGATES}/{three}.json"), &format!("{AGGREGATES}/{three}/of%20three%201")]);
    }

    /// The owner lists a signer for one key, and later no signer.
    fn delegates(&mut self) {
        let [one, two] = [1, 2].map(|n| Wallet::new(n).address);
        let security = |authorizations: Value| json!({ "key": "security", "content": { "authorizations": authorizations } });
        let write = |key: &str, n: u8| json!({ "key": key, "address": one, "content": { "n": n } });
        let listed = json!([{ "address": two, "aggregate_keys": ["k"] }]);
        self.send(1, AGGREGATES, "AGGREGATE", &security(listed));
        self.send(2, AGGREGATES, "AGGREGATE", &write("k", 1));
        self.send(2, AGGREGATES, "AGGREGATE", &write("kk", 2));
        self.send(1, AGGREGATES, "AGGREGATE", &security(json!([])));
        self.send(2, AGGREGATES, "AGGREGATE", &write("k", 3));
    }

    /// Pairs of filters of indexed data that no element satisfies, though some satisfy each.
    fn pairs(&mut self) {
        const INDEXER: &str = "/api/v0/indexer/ethereum";
        let first =
            |stage: &mut Stage, name: &str| stage.call(&get(&format!("{INDEXER}/{name}")))[name][0].clone();
        let sender = first(self, "transactions")["from"].as_str().unwrap_or_default().to_owned();
        let contract = first(self, "events")["contract"].as_str().unwrap_or_default().to_owned();
        self.look(&[
            &format!("{INDEXER}/transactions?from={sender}&to={sender}"),
            &format!("{INDEXER}/transactions?from_block=1&to_timestamp=1"),
            &format!("{INDEXER}/events?contract={contract}&event_name=none"),
        ]);
    }

    fn programs(&mut self) {
        let good = json!({ "code": "{{x}}", "runtime": "r", "memory": 1, "timeout": 1 });
        let answer = self.shapes(PROGRAMS, "PROGRAM", &good);
        let hash = answer["item_hash"].as_str().unwrap_or_default().to_owned();
        for (hash, body) in [
            (hash.clone(), json!({ "variables": { "x": "y" } })),
            (hash, json!({ "variables": { "x": 1 } })),
            ("0".repeat(64), json!({})),
        ] {
            self.call(&post(&format!("/api/v0/run/{hash}"), &body));
        }
    }

    fn instances(&mut self) {
        let good = json!({
            "name": "n", "description": "d", "cpu": 1, "memory": 1, "disk": 1, "image": "i", "ssh_key": "k",
            "firewall": { "allowedPorts": [22] },
        });
        let id =
            self.shapes(INSTANCES, "INSTANCE", &good)["instance_id"].as_str().unwrap_or_default().to_owned();
        let other =
            self.send(2, INSTANCES, "INSTANCE", &good)["instance_id"].as_str().unwrap_or_default().to_owned();
        let path = format!("{INSTANCES}/{id}");
        self.look(&[&path, &format!("{INSTANCES}/{other}"), &format!("{INSTANCES}/inst-0")]);
        let update = json!({ "instance_id": id, "name": "m", "description": "e" });
        self.send(1, &path, "INSTANCE_UPDATE", &update);
        self.send(
            1,
            &format!("{INSTANCES}/inst-0"),
            "INSTANCE_UPDATE",
            &json!({ "instance_id": "inst-0", "name": "m" }),
        );
        self.look(&[&path]);
        self.send(1, &path, "INSTANCE_UPDATE", &json!({ "instance_id": id, "name": "o" }));
        self.look(&[&path]);
        for action in ["start", "stop", "restart", "erase"] {
            let content = json!({ "instance_id": id, "action": action });
            self.send(1, &format!("{path}/control"), "INSTANCE_CONTROL", &content);
        }
        let unknown = json!({ "instance_id": "inst-0", "action": "stop" });
        self.send(1, &format!("{INSTANCES}/inst-0/control"), "INSTANCE_CONTROL", &unknown);
        let stop = json!({ "instance_id": other, "action": "stop" });
        self.send(2, &format!("{INSTANCES}/{other}/control"), "INSTANCE_CONTROL", &stop);
        let address = Wallet::new(1).address;
        self.look(&[
            INSTANCES,
            &format!("{INSTANCES}?address={address}"),
            &format!("{INSTANCES}?status=stopped"),
            &format!("{INSTANCES}?address={address}&status=stopped"),
        ]);
    }

    fn pins(&mut self) {
        let wallet = Wallet::new(1);
        let cid = self.driver.store_file(&wallet, b"hello").cid;
        self.shapes(PIN, "IPFS_PIN", &json!({ "hash": cid }));
        self.look(&[&format!("/api/v0/ipfs/{cid}"), "/api/v0/ipfs/unknown"]);
        let cid = self.driver.store_file(&wallet, LONG).cid;
        self.send(1, PIN, "IPFS_PIN", &json!({ "hash": cid }));
        self.look(&[&format!("/api/v0/ipfs/{cid}")]);
    }

    fn indexer(&mut self) {
        let base = "/api/v0/indexer/base";
        let events = self.call(&get(&format!("{base}/events")));
        let transactions = self.call(&get(&format!("{base}/transactions")));
        let (event, one) = (&events["events"][9], &transactions["transactions"][9]);
        let text = |value: &Value| value.to_string().replace('"', "");
        let mut targets = vec![
            format!("{base}/events?contract={}", text(&event["contract"])),
            format!("{base}/events?event_name={}", text(&event["event_name"])),
            "/api/v0/indexer/unknown/events".to_owned(),
        ];
        for name in ["address", "from", "to"] {
            let member = if name == "to" { "to" } else { "from" };
            targets.push(format!("{base}/transactions?{name}={}", text(&one[member])));
        }
        for (list, record) in [("events", event), ("transactions", one)] {
            for name in ["block", "timestamp"] {
                let value = text(&record[if name == "block" { "block_number" } else { name }]);
                targets.push(format!("{base}/{list}?from_{name}={value}"));
                targets.push(format!("{base}/{list}?to_{name}={value}"));
                targets.push(format!("{base}/{list}?from_{name}={value}&to_{name}={value}"));
                targets.push(format!("{base}/{list}?from_{name}=x"));
            }
        }
        let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
        self.look(&targets);
    }

    fn vrf(&mut self) {
        let (generate, verify) = ("/api/v0/vrf/generate", "/api/v0/vrf/verify");
        let wanted = json!({ "seed": "Seed", "min": 1, "max": 1_000_000, "count": 1 });
        let drawn = self.call(&post(generate, &wanted));
        for (name, value) in
            [("count", json!(3)), ("seed", json!(1)), ("min", json!("1")), ("max", Value::Null)]
        {
            let mut other = wanted.clone();
            other[name] = value;
            self.call(&post(generate, &other));
        }
        let good = json!({ "seed": "Seed", "value": drawn["value"], "proof": drawn["proof"] });
        self.call(&post(verify, &good));
        let changes = [
            ("seed", json!(["Seed"])),
            ("seed", json!("t")),
            ("value", json!(-1)),
            ("proof", json!("00")),
            ("seed", json!(1)),
        ];
        for (name, value) in changes {
            let mut other = good.clone();
            other[name] = value;
            self.call(&post(verify, &other));
        }
    }

    fn webhooks(&mut self) {
        let good = json!({ "url": "http://127.0.0.1:9/", "events": ["message.new", "program.executed"], "secret": "s" });
        self.shapes(WEBHOOKS, "WEBHOOK", &good);
    }
}

//! Every checked requirement can be switched off, and each deviation changes the responses.

use std::collections::BTreeSet;

use assay_sim::network::sites::{ALTERNATIVE, MIRROR, PRIMARY};
use assay_sim::{Site, world};
use assay_spec::instant::{DAY, HOUR, MINUTE};
use assay_spec::network::requirements::{
    envelope, errors, flat, forget, info, limits, listing, messages, paging, signing, storage, store,
};
use assay_spec::network::signing::sign_record;
use assay_spec::requirement::Evidence;
use assay_spec::{Id, Service, Strict, catalogue, crypto::secp256k1::key_from_secret};
use serde_json::{Value, json};

use crate::common::drop::{FORM, Form, get};
use crate::common::net::{FLAT, MESSAGES, STORAGE, Wallet, message, message_at, post};
use crate::common::{Call, Driver, show};

#[test]
fn every_checked_requirement_has_a_deviation() {
    let deviations: BTreeSet<Id> =
        world::deviations().iter().map(|deviation| deviation.requirement).collect();
    let rows = catalogue::requirements().filter(|row| row.service == Service::Network);
    let bare: Vec<String> = rows
        .filter(|row| row.evidence == Evidence::Check && !deviations.contains(row))
        .map(ToString::to_string)
        .collect();
    assert_eq!(bare, [] as [String; 0]);
}

/// A script of calls. It records what a world returns.
struct Script {
    driver: Driver,
    heard: Vec<String>,
}

impl Script {
    fn hear(&mut self, site: Site, call: &Call) -> Value {
        let reply = self.driver.net_at(site, call);
        let retry = reply.headers.get("retry-after");
        let content_type = &reply.headers["content-type"];
        self.heard.push(format!(
            "{} {} {content_type:?} {retry:?} {} bytes {}",
            call.method,
            call.target,
            reply.body.len(),
            show(&reply)
        ));
        serde_json::from_slice(&reply.body).unwrap_or_default()
    }

    fn get(&mut self, target: &str) -> Value {
        self.hear(PRIMARY, &get(target))
    }

    fn create(&mut self, wallet: &Wallet, message: &Value) -> String {
        let answer = self.hear(PRIMARY, &wallet.create(message));
        answer["item_hash"].as_str().unwrap_or("none").to_owned()
    }

    /// Uploads a file; returns the hashes of the message and of the file.
    fn upload(&mut self, wallet: &Wallet, file: &str) -> (String, String) {
        let answer = self.hear(PRIMARY, &wallet.upload(file.as_bytes(), "text/x"));
        let hash = answer["item_hash"].as_str().unwrap_or("none").to_owned();
        let record = self.get(&format!("{MESSAGES}/{hash}"));
        let cid = record["message"]["content"]["item_hash"].as_str().unwrap_or("none").to_owned();
        (hash, cid)
    }

    fn forget(&mut self, wallet: &Wallet, hashes: &Value) -> String {
        let time = self.driver.now().seconds();
        let content = json!({ "address": wallet.address, "hashes": hashes, "time": time });
        let sent = message(&self.driver, "FORGET", &content);
        self.create(wallet, &sent)
    }

    fn perform(&mut self, name: &str, arguments: &Value) {
        // Under a deviation there may be nothing to act on.
        let _ = self.driver.world.perform(name, arguments);
    }

    fn envelopes(&mut self) {
        let wallet = Wallet::new(1);
        let content = json!({
            "b": 1, "a": 2, "blanks": " cafe\u{301} ", "none": "", "dotted.name": 1, "part": 1.5, "long": "x".repeat(2_000),
            "null": "a\0b",
        });
        let good = message(&self.driver, "POST", &content);
        let hash = self.create(&wallet, &good);
        self.create(&wallet, &good);
        let mut spaced = post(MESSAGES, &wallet.envelope(&good));
        spaced.body.splice(0..1, *b"{ ");
        self.hear(PRIMARY, &spaced);
        self.driver.advance(HOUR);
        self.get(&format!("{MESSAGES}/{hash}"));
        let mut nonce = good.clone();
        nonce["nonce"] = json!("n");
        nonce["timestamp"] = json!(self.driver.now().seconds());
        self.create(&wallet, &nonce);
        let mut bare = good.clone();
        bare.as_object_mut().expect("an object").shift_remove("channel");
        let bare = self.create(&Wallet::new(2), &bare);
        self.get(&format!("{MESSAGES}/{bare}"));
        for (place, value) in [
            ("/message", json!(1)),
            ("/signature", json!(1)),
            ("/address", json!("")),
            ("/message/chain", json!("")),
            ("/message/channel", json!(1)),
            ("/message/type", json!(1)),
            ("/message/type", json!("OTHER")),
            ("/message/timestamp", json!("1")),
            ("/message/content", json!([])),
        ] {
            let mut body = wallet.envelope(&good);
            *body.pointer_mut(place).expect("a place") = value;
            if place.starts_with("/message/") {
                body = wallet.envelope(&body["message"]);
            }
            self.hear(PRIMARY, &post(MESSAGES, &body));
            self.get(&format!("{MESSAGES}?addresses={}", wallet.address));
        }
        self.hear(PRIMARY, &Call::new("POST", MESSAGES, Vec::new(), b"[]".to_vec()));
        let program = json!({
            "name": "p", "description": "d", "code": "c", "runtime": "r", "memory": 1, "timeout": 1,
        });
        let program = message(&self.driver, "POST", &program);
        self.hear(PRIMARY, &post("/api/v0/programs", &wallet.envelope(&program)));
        let mut forged = wallet.envelope(&program);
        forged["address"] = json!(Wallet::new(3).address);
        self.hear(PRIMARY, &post(MESSAGES, &forged));
        let content = json!({ "address": wallet.address, "key": "k", "content": {}, "time": 1 });
        let text = message(&self.driver, "AGGREGATE", &content);
        let key = key_from_secret(&std::array::from_fn(|at| [0, 1][at % 2])).expect("the key of wallet 1");
        let mut record = wallet.envelope(&text);
        record["signature"] = json!(sign_record(&key, &text.to_string(), &mut Strict).expect("a record"));
        self.hear(PRIMARY, &post(MESSAGES, &record));
        for target in ["none", "%2e%2e"] {
            self.get(&format!("{MESSAGES}/{target}"));
        }
        self.hear(MIRROR, &get(MESSAGES));
    }

    fn lists(&mut self) {
        let now = self.driver.now().seconds();
        let mut hash = String::new();
        for n in 0..50_i64 {
            let wallet = Wallet::new(if n == 0 { 5 } else { 4 });
            let kind = if n % 5 == 0 { "STORE" } else { "POST" };
            let mut sent =
                message_at(now - n, kind, &json!({ "type": format!("t{}", n % 2), "tags": ["x"], "n": n }));
            sent["channel"] = json!(format!("C{}", n % 3));
            hash = self.create(&wallet, &sent);
        }
        let mut sent = message_at(now, "POST", &json!({ "type": "t0" }));
        sent["channel"] = json!("C+1");
        self.create(&Wallet::new(9), &sent);
        for at in [now - 1, now] {
            self.create(&Wallet::new(14), &message_at(at, "POST", &json!({ "type": "t0", "duplicate": 1 })));
        }
        let pin = self.create(&Wallet::new(13), &message_at(now, "IPFS_PIN", &json!({ "hash": "none" })));
        self.get(&format!("{MESSAGES}/{pin}"));
        let [many, one] = [4, 5].map(|n| Wallet::new(n).address);
        for query in [
            "?".to_owned(),
            "?limit=7&page=2".to_owned(),
            "?limit=7&page=2".to_owned(),
            "?limit=101".to_owned(),
            "?page=9".to_owned(),
            "?page=0".to_owned(),
            "?limit=0".to_owned(),
            "?tags=x".to_owned(),
            "?content.keys=n".to_owned(),
            "?hashes=none".to_owned(),
            format!("?hashes={hash}&channels=none"),
            "?channels=C1".to_owned(),
            "?channels=C%2B1".to_owned(),
            "?types=STORE,POST".to_owned(),
            "?types=IPFS_PIN".to_owned(),
            format!("?addresses={many},{one}"),
            format!("?addresses={one}"),
            format!("?addresses={many}&channels=C0&types=STORE"),
            format!("?addresses={}", Wallet::new(14).address),
            "?content_types=t1%20x".to_owned(),
            format!("?content_types=t1&startDate={}&endDate={}", now - 20, now - 10),
            format!("?startDate={}", now - 20),
            format!("?endDate={}", now - 20),
            "?startDate=x".to_owned(),
            format!("?channels=C0&content_types=t1&startDate={}", now - 20),
            format!("?addresses={one}&endDate={}", now - 20),
        ] {
            self.get(&format!("{MESSAGES}{query}"));
            self.get(&format!("{FLAT}{query}"));
        }
        let amend = json!({ "type": "amend", "ref": hash, "n": 1 });
        self.create(&Wallet::new(8), &message_at(now, "POST", &amend));
        self.get(&format!("{MESSAGES}/{hash}"));
        self.get(&format!("{FLAT}?addresses={}&content_types=amend", Wallet::new(8).address));
        self.driver.perform("network.fill", &json!({ "messages": 120 }));
        self.get(&format!("{MESSAGES}?limit=101"));
        self.driver.advance(HOUR);
        for path in [MESSAGES, FLAT] {
            self.get(&format!("{path}?addresses={}", Wallet::new(9).address));
        }
    }

    fn files(&mut self) {
        let wallet = Wallet::new(6);
        let (hash, cid) = self.upload(&wallet, "a file ");
        for path in [&hash, &cid, "none"] {
            self.get(&format!("/api/v0/storage/{path}"));
            self.get(&format!("/api/v0/storage/raw/{path}"));
        }
        // A picture of more than one chunk, which is not UTF-8.
        let picture = vec![0xff; 262_145];
        let answer = self.hear(PRIMARY, &wallet.upload(&picture, "image/png"));
        let record = self.get(&format!("{MESSAGES}/{}", answer["item_hash"].as_str().unwrap_or("none")));
        let cid = record["message"]["content"]["item_hash"].as_str().unwrap_or("none").to_owned();
        for path in ["storage", "storage/raw"] {
            self.get(&format!("/api/v0/{path}/{cid}"));
        }
        let form = wallet.form(b"x", "a/b");
        let tagged = form.clone().field("channel", b"MINE").field("tags", b"x").call_to(STORAGE);
        let answer = self.hear(PRIMARY, &tagged);
        let channel = form.clone().field("channel", b"MINE").call_to(STORAGE);
        let other = self.hear(PRIMARY, &channel);
        for hash in [answer, other] {
            self.get(&format!("{MESSAGES}/{}", hash["item_hash"].as_str().unwrap_or("none")));
        }
        let fields_first = Form::default().field("tags", b"x").then(&wallet.form(b"late", "a/b"));
        self.hear(PRIMARY, &fields_first.call_to(STORAGE));
        let mut forged = wallet.upload(b"forged", "a/b");
        let at = forged.body.windows(6).position(|part| part == b"forged").expect("the file");
        forged.body[at] = b'F';
        self.hear(PRIMARY, &forged);
        let text = Call::new("POST", STORAGE, vec![("content-type", b"text/plain".to_vec())], b"x".to_vec());
        self.hear(PRIMARY, &text);
        self.hear(
            PRIMARY,
            &Form::default().field("address", b"0x1").field("signature", b"0x").call_to(STORAGE),
        );
        self.hear(PRIMARY, &Form::default().field("file", b"x").field("signature", b"0x").call_to(STORAGE));
        let broken =
            Call::new("POST", STORAGE, vec![("content-type", FORM.as_bytes().to_vec())], b"--".to_vec());
        self.hear(PRIMARY, &broken);
    }

    fn lives(&mut self) {
        let wallet = Wallet::new(7);
        let files: Vec<(String, String)> =
            (0..7).map(|n| self.upload(&wallet, &format!("life {n}"))).collect();
        let look = |script: &mut Script| {
            for (hash, cid) in &files {
                script.get(&format!("{MESSAGES}/{hash}"));
                script.get(&format!("/api/v0/storage/raw/{cid}"));
            }
        };
        // The first and the last file once more, by another owner.
        let other = Wallet::new(12);
        let equal = ["life 0", "life 6"].map(|file| self.upload(&other, file));
        let note = message(&self.driver, "POST", &json!({ "storeRef": files[0].0 }));
        let note = self.create(&wallet, &note);
        let amend = message(&self.driver, "POST", &json!({ "type": "amend", "ref": note }));
        self.create(&wallet, &amend);
        for removed in &files[5..] {
            self.perform("network.reclaim", &json!({ "hash": removed.0 }));
        }
        look(self);
        self.driver.advance(DAY);
        look(self);
        self.forget(&wallet, &json!([files[0].0, files[1].0]));
        look(self);
        self.get(&format!("{MESSAGES}/{note}"));
        self.perform("network.reclaim", &json!({ "hash": files[2].0 }));
        self.forget(&wallet, &json!([files[2].0]));
        look(self);
        let rejected = message(&self.driver, "STORE", &json!({ "item_hash": "none" }));
        let rejected = self.create(&wallet, &rejected);
        self.driver
            .set_faults(&json!([{ "fault": "network.processing-held", "where": { "type": "STORE" } }]));
        let (held, _) = self.upload(&wallet, "held");
        let unknown = "0".repeat(64);
        let mut sent = Vec::new();
        for bad in [&unknown, &files[5].0, &rejected] {
            sent.push(self.forget(&wallet, &json!([files[3].0, bad])));
            look(self);
        }
        self.forget(&wallet, &json!([files[4].0, held]));
        look(self);
        self.driver.set_faults(&json!([]));
        self.driver.advance(10 * MINUTE);
        look(self);
        self.driver.advance(HOUR);
        for hash in &sent {
            self.get(&format!("{MESSAGES}/{hash}"));
        }
        self.forget(&wallet, &json!("x"));
        self.driver.set_faults(&json!([{ "fault": "network.internal" }]));
        self.get("/api/v0/info/public.json");
        self.driver.set_faults(&json!([]));
        self.driver.advance(2 * DAY);
        look(self);
        for (hash, cid) in &equal {
            self.get(&format!("{MESSAGES}/{hash}"));
            self.get(&format!("/api/v0/storage/raw/{cid}"));
        }
        self.driver.advance(6 * DAY);
        self.get(&format!("{MESSAGES}/{note}"));
        self.perform("network.lag", &json!({ "ms": 1000 }));
        let (late, _) = self.upload(&wallet, "late");
        for site in [MIRROR, ALTERNATIVE] {
            self.hear(site, &get(&format!("{MESSAGES}/{late}")));
        }
    }

    fn rates(&mut self) {
        self.driver.set_network_limits(&json!({
            "general_per_window": 20, "authenticated_per_window": 30, "heavy_per_window": 10,
            "rate_window_ms": MINUTE,
        }));
        self.driver.advance(HOUR);
        let run = post(&format!("/api/v0/run/{}", "0".repeat(64)), &json!({ "variables": {} }));
        for (call, limit) in [(get(FLAT), 20), (post(MESSAGES, &json!({})), 30), (run, 10)] {
            for _ in 0..=limit {
                self.hear(PRIMARY, &call);
            }
        }
        self.driver.at("127.0.0.9");
        self.get(MESSAGES);
        self.driver.at("127.0.0.1");
        self.driver.advance(MINUTE);
        self.get(MESSAGES);
    }

    fn play(deviation: Option<&str>) -> Vec<String> {
        let mut driver = Driver::unhurried(1);
        if let Some(name) = deviation {
            driver.deviate(name);
        }
        play(&mut driver)
    }
}

/// Makes the calls of the script. Returns what a client receives.
pub(crate) fn play(driver: &mut Driver) -> Vec<String> {
    let mut script = Script { driver: driver.clone(), heard: Vec::new() };
    script.get("/api/v0/messages?");
    script.envelopes();
    script.lists();
    script.files();
    script.lives();
    script.rates();
    *driver = script.driver;
    script.heard
}

#[test]
fn every_deviation_changes_the_script() {
    let conforming = Script::play(None);
    assert_eq!(conforming, Script::play(None), "the script is repeatable");
    let groups = [
        messages::ALL,
        envelope::ALL,
        listing::ALL,
        flat::ALL,
        paging::ALL,
        storage::ALL,
        store::ALL,
        forget::ALL,
        signing::ALL,
        errors::ALL,
        limits::ALL,
        info::ALL,
    ];
    let mut quiet = Vec::new();
    for deviation in world::deviations() {
        let mine = groups.iter().any(|group| group.contains(&deviation.requirement));
        // Deviations of another family are tested elsewhere.
        let elsewhere = deviation.requirement == &info::PUBLIC;
        if mine && !elsewhere && Script::play(Some(&deviation.to_string())) == conforming {
            quiet.push(deviation.to_string());
        }
    }
    assert_eq!(quiet, [] as [String; 0]);
}

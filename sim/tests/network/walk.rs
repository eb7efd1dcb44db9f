//! A random walk of creations, FORGETs, expiries and reads, beside a model that is written down anew.

use std::collections::BTreeSet;

use assay_sim::network::sites::{ALTERNATIVE, MIRROR, PRIMARY};
use assay_spec::instant::{HOUR, MINUTE};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::common::net::{MESSAGES, Wallet, message};
use crate::common::{Driver, show};

/// What somebody does. Numbers choose among what there is.
#[derive(Clone, Debug)]
enum Step {
    Upload { wallet: u16, file: u8 },
    Post { wallet: u16, n: u8 },
    Again(usize),
    Forget { wallet: u16, targets: Vec<usize>, unknown: bool },
    Reclaim(usize),
    Broke(u16),
    Rich(u16),
    Bill,
    Hold,
    Release,
    Advance(u32),
    Lag(u16),
}

fn step() -> impl Strategy<Value = Step> {
    let wallet = || 1..4_u16;
    prop_oneof![
        6 => (wallet(), 0..6_u8).prop_map(|(wallet, file)| Step::Upload { wallet, file }),
        3 => (wallet(), 0..9_u8).prop_map(|(wallet, n)| Step::Post { wallet, n }),
        2 => any::<usize>().prop_map(Step::Again),
        6 => (wallet(), proptest::collection::vec(any::<usize>(), 1..4), proptest::bool::weighted(0.15))
            .prop_map(|(wallet, targets, unknown)| Step::Forget { wallet, targets, unknown }),
        3 => any::<usize>().prop_map(Step::Reclaim),
        1 => wallet().prop_map(Step::Broke),
        1 => wallet().prop_map(Step::Rich),
        1 => Just(Step::Bill),
        1 => Just(Step::Hold),
        2 => Just(Step::Release),
        6 => prop_oneof![0..1000_u32, 0..3_600_000_u32, 0..90_000_000_u32].prop_map(Step::Advance),
        1 => (0..2000_u16).prop_map(Step::Lag),
    ]
}

/// What a message of the model is.
#[derive(Clone)]
struct Known {
    hash: String,
    call: crate::common::Call,
    wallet: u16,
    kind: Kind,
    status: &'static str,
    /// Since when it is `removing`.
    removing: Option<i64>,
}

#[derive(Clone, Debug)]
enum Kind {
    Post,
    File(String),
    Forget { targets: Vec<String>, next: i64, left: u32 },
}

/// The network as the documents describe it, in the plainest words.
#[derive(Default)]
struct Model {
    all: Vec<Known>,
    broke: BTreeSet<u16>,
    bill: Option<i64>,
    held: bool,
}

impl Model {
    fn of(&self, hash: &str) -> Option<usize> {
        self.all.iter().position(|one| one.hash == hash)
    }

    /// Time passes, from event to event.
    fn pass(&mut self, until: i64) {
        loop {
            let mut due: Vec<(i64, u8, usize)> = Vec::new();
            due.extend(self.bill.map(|at| (at, 0, 0)));
            for (n, one) in self.all.iter().enumerate() {
                due.extend(one.removing.map(|since| (since + 24 * HOUR, 1, n)));
                if let (Kind::Forget { next, .. }, "pending") = (&one.kind, one.status) {
                    due.push((*next, 2, n));
                }
            }
            // Retries of held FORGETs do not stand in the list of their times.
            due.retain(|(at, ..)| *at <= until);
            let Some((at, what, n)) = due.into_iter().min() else { return };
            match what {
                0 => self.charge(at),
                1 => {
                    self.all[n].status = "removed";
                    self.all[n].removing = None;
                }
                _ => self.retry(n, at),
            }
        }
    }

    fn charge(&mut self, now: i64) {
        for wallet in self.broke.iter().copied() {
            for one in self.all.iter_mut().filter(|one| one.wallet == wallet) {
                if matches!(one.kind, Kind::File(_)) && one.status == "processed" {
                    (one.status, one.removing) = ("removing", Some(now));
                }
            }
        }
        self.bill = (!self.broke.is_empty()).then_some(now + HOUR);
    }

    /// Whether a batch applies: yes, no for ever, or not now.
    fn judge(&self, wallet: u16, targets: &[String]) -> Option<bool> {
        let found: Vec<Option<&Known>> =
            targets.iter().map(|hash| self.of(hash).map(|n| &self.all[n])).collect();
        let foreign = |one: &&Known| one.wallet != wallet || !matches!(one.kind, Kind::File(_));
        if found.iter().flatten().any(foreign) {
            return Some(false);
        }
        let good = |one: Option<&Known>| {
            one.is_some_and(|one| ["processed", "removing", "forgotten"].contains(&one.status))
        };
        found.into_iter().all(good).then_some(true)
    }

    fn apply(&mut self, targets: &[String]) {
        for hash in targets {
            let n = self.of(hash).expect("a good target");
            (self.all[n].status, self.all[n].removing) = ("forgotten", None);
        }
    }

    fn receive(&mut self, n: usize, now: i64) {
        let Kind::Forget { targets, .. } = self.all[n].kind.clone() else { return };
        match self.judge(self.all[n].wallet, &targets) {
            Some(true) => {
                self.apply(&targets);
                self.all[n].status = "processed";
            }
            Some(false) => self.all[n].status = "rejected",
            None => self.all[n].kind = Kind::Forget { targets, next: now + 10 * MINUTE, left: 5 },
        }
    }

    fn retry(&mut self, n: usize, now: i64) {
        let Kind::Forget { targets, left, .. } = self.all[n].kind.clone() else { return };
        match self.judge(self.all[n].wallet, &targets) {
            Some(true) => {
                self.apply(&targets);
                self.all[n].status = "processed";
            }
            _ if left == 1 => self.all[n].status = "rejected",
            _ => self.all[n].kind = Kind::Forget { targets, next: now + 10 * MINUTE, left: left - 1 },
        }
    }

    /// What was held up is validated, in the order in which it came.
    fn release(&mut self, now: i64) {
        self.held = false;
        for n in 0..self.all.len() {
            let held = self.all[n].status == "pending"
                && !matches!(&self.all[n].kind, Kind::Forget { next, .. } if *next != i64::MAX);
            if held {
                self.settle(n, now);
            }
        }
    }

    fn settle(&mut self, n: usize, now: i64) {
        match self.all[n].kind {
            Kind::Forget { .. } => self.receive(n, now),
            _ => self.all[n].status = "processed",
        }
    }

    fn add(&mut self, known: Known, now: i64) {
        if let Some(n) = self.of(&known.hash) {
            assert_eq!(known.call.body, self.all[n].call.body, "another message has this hash");
            return;
        }
        self.all.push(known);
        if !self.held {
            self.settle(self.all.len() - 1, now);
        }
    }
}

struct Walk {
    driver: Driver,
    model: Model,
}

impl Walk {
    fn now(&self) -> i64 {
        self.driver.now().0
    }

    fn send(&mut self, wallet: u16, call: crate::common::Call, kind: Kind) {
        let reply = self.driver.net(&call);
        assert_eq!(reply.status, 200, "{}", show(&reply));
        let hash = crate::common::body_of(&reply)["item_hash"].as_str().expect("a hash").to_owned();
        let kind = match kind {
            Kind::File(_) => {
                let file =
                    self.driver.wrapper(&hash)["message"]["content"]["item_hash"].as_str().map(str::to_owned);
                Kind::File(file.unwrap_or_default())
            }
            kind => kind,
        };
        let now = self.now();
        self.model.add(Known { hash, call, wallet, kind, status: "pending", removing: None }, now);
    }

    fn take(&mut self, step: Step) {
        let now = self.now();
        match step {
            Step::Upload { wallet, file } => {
                let call = Wallet::new(wallet).upload(format!("file {file}").as_bytes(), "text/plain");
                self.send(wallet, call, Kind::File(String::new()));
            }
            Step::Post { wallet, n } => {
                let sent = message(&self.driver, "POST", &json!({ "n": n }));
                self.send(wallet, Wallet::new(wallet).create(&sent), Kind::Post);
            }
            Step::Again(n) => {
                let known = self.model.all.get(n % self.model.all.len().max(1)).cloned();
                // An upload sent later is another message, since it is made at another time.
                if let Some(known) = known.filter(|known| !matches!(known.kind, Kind::File(_))) {
                    let before = self.model.all.len();
                    let old = serde_json::from_slice::<Value>(&known.call.body).expect("JSON");
                    self.send(known.wallet, known.call, known.kind);
                    assert_eq!(self.model.all.len(), before, "{old}");
                }
            }
            Step::Forget { wallet, targets, unknown } => {
                let mut hashes: Vec<String> = Vec::new();
                for target in targets {
                    let files = self.model.all.iter().filter(|one| target % 8 == 0 || one.wallet == wallet);
                    let files: Vec<&Known> =
                        files.filter(|one| target % 8 == 1 || matches!(one.kind, Kind::File(_))).collect();
                    hashes.extend(files.get((target / 8) % files.len().max(1)).map(|one| one.hash.clone()));
                }
                hashes.extend(unknown.then(|| "0".repeat(64)));
                if hashes.is_empty() {
                    return;
                }
                let owner = Wallet::new(wallet);
                let content = json!({ "address": owner.address, "hashes": hashes, "time": now / 1000 });
                let sent = message(&self.driver, "FORGET", &content);
                self.send(
                    wallet,
                    owner.create(&sent),
                    Kind::Forget { targets: hashes, next: i64::MAX, left: 0 },
                );
            }
            Step::Reclaim(n) => {
                let files = self.model.all.iter_mut().filter(|one| matches!(one.kind, Kind::File(_)));
                let mut files: Vec<&mut Known> = files.filter(|one| one.status == "processed").collect();
                let count = files.len().max(1);
                if let Some(one) = files.get_mut(n % count) {
                    (one.status, one.removing) = ("removing", Some(now));
                    self.driver.act("network.reclaim", &json!({ "hash": one.hash }));
                }
            }
            Step::Broke(wallet) => {
                self.driver
                    .act("network.balance", &json!({ "address": Wallet::new(wallet).address, "credits": 0 }));
                self.model.broke.insert(wallet);
                self.model.bill.get_or_insert(now + HOUR);
            }
            Step::Rich(wallet) => {
                let address = Wallet::new(wallet).address;
                self.driver.act("network.balance", &json!({ "address": address, "credits": null }));
                self.model.broke.remove(&wallet);
                for one in
                    self.model.all.iter_mut().filter(|one| one.wallet == wallet && one.status == "removing")
                {
                    (one.status, one.removing) = ("processed", None);
                }
            }
            // A bill now is one more, beside the one that the hour brings.
            Step::Bill => {
                let next = self.model.bill;
                self.driver.act("network.bill", &json!({}));
                self.model.charge(now);
                self.model.bill = next.or(self.model.bill);
            }
            Step::Hold => {
                self.driver.set_faults(&json!([{ "fault": "network.processing-held" }]));
                self.model.held = true;
            }
            Step::Release => {
                self.driver.set_faults(&json!([]));
                self.driver.read(MESSAGES);
                self.model.release(now);
            }
            Step::Advance(ms) => {
                self.driver.advance(i64::from(ms));
                self.model.pass(self.now());
            }
            Step::Lag(ms) => self.driver.act("network.lag", &json!({ "ms": ms })),
        }
    }

    /// The world is what the model is.
    fn compare(&mut self) {
        for one in self.model.all.clone() {
            let answer = self.driver.wrapper(&one.hash);
            assert_eq!(answer["status"], one.status, "{} {:?}", one.hash, one.kind);
            let Kind::File(cid) = &one.kind else { continue };
            let complete = answer["message"]["content"]["item_hash"] == *cid;
            assert_eq!(complete, !["forgotten", "removed"].contains(&one.status), "{answer}");
            if ["processed", "removing"].contains(&one.status) {
                for site in [PRIMARY, ALTERNATIVE] {
                    assert_eq!(self.driver.file_status(site, cid), 200, "a live file is served");
                }
            }
        }
        let mut listed = self.driver.hashes_of(MESSAGES, 100);
        let mut known: Vec<String> = self.model.all.iter().map(|one| one.hash.clone()).collect();
        listed.sort();
        known.sort();
        assert_eq!(listed, known, "nothing is lost, and nothing stands twice");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_walk_stays_with_its_model(steps in proptest::collection::vec(step(), 1..60)) {
        let mut walk = Walk { driver: Driver::unhurried(1), model: Model::default() };
        for step in steps {
            walk.take(step);
            walk.compare();
        }
        // In the end nothing is held up, the mirror has caught up, and files without a message are gone.
        walk.take(Step::Release);
        walk.take(Step::Advance(3_000));
        walk.compare();
        for one in walk.model.all.clone() {
            let read = |driver: &mut Driver, site| {
                driver.net_at(site, &crate::common::drop::get(&format!("{MESSAGES}/{}", one.hash))).body
            };
            prop_assert_eq!(read(&mut walk.driver, MIRROR), read(&mut walk.driver, PRIMARY));
        }
        walk.take(Step::Advance(50 * 3_600_000));
        let live = walk.model.all.iter().filter_map(|one| match &one.kind {
            Kind::File(cid) if ["processed", "removing"].contains(&one.status) => Some(cid),
            _ => None,
        });
        let live: BTreeSet<&String> = live.collect();
        prop_assert_eq!(&walk.driver.network()["files"], live.len());
    }
}

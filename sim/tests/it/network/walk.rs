//! A random walk of creations, FORGETs, expiries and reads, compared with an independent model.

use std::collections::BTreeSet;

use assay_sim::network::sites::{ALTERNATIVE, MIRROR, PRIMARY};
use assay_spec::Id;
use assay_spec::instant::HOUR;
use assay_spec::network::requirements::{forget, info, messages, store};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};

use crate::common::drop::get;
use crate::common::net::{MESSAGES, Wallet, message};
use crate::common::{Call, Driver, body_of, show};
use crate::network::model::{Known, MessageKind, Model};

/// One step. Numbers choose among the existing items.
#[derive(Clone, Debug)]
enum Step {
    Upload { wallet: u16, file: u8 },
    Post { wallet: u16, n: u8 },
    Hollow { wallet: u16, n: u8 },
    Again(usize),
    Forget { wallet: u16, targets: Vec<usize>, unknown: bool },
    Reclaim(usize),
    Broke(u16),
    Rich(u16),
    Bill,
    Hold { all: bool },
    Release,
    Advance(u32),
    Lag(u16),
}

fn step() -> impl Strategy<Value = Step> {
    let wallet = || 1..4_u16;
    prop_oneof![
        6 => (wallet(), 0..6_u8).prop_map(|(wallet, file)| Step::Upload { wallet, file }),
        3 => (wallet(), 0..9_u8).prop_map(|(wallet, n)| Step::Post { wallet, n }),
        1 => (wallet(), 0..3_u8).prop_map(|(wallet, n)| Step::Hollow { wallet, n }),
        2 => any::<usize>().prop_map(Step::Again),
        6 => (wallet(), proptest::collection::vec(any::<usize>(), 1..4), proptest::bool::weighted(0.15))
            .prop_map(|(wallet, targets, unknown)| Step::Forget { wallet, targets, unknown }),
        3 => any::<usize>().prop_map(Step::Reclaim),
        1 => wallet().prop_map(Step::Broke),
        1 => wallet().prop_map(Step::Rich),
        1 => Just(Step::Bill),
        1 => any::<bool>().prop_map(|all| Step::Hold { all }),
        2 => Just(Step::Release),
        6 => prop_oneof![0..1000_u32, 0..3_600_000_u32, 0..90_000_000_u32].prop_map(Step::Advance),
        1 => (0..2000_u16).prop_map(Step::Lag),
    ]
}

struct Walk {
    driver: Driver,
    model: Model,
}

impl Walk {
    fn now(&self) -> i64 {
        self.driver.now().0
    }

    fn send(&mut self, wallet: u16, call: Call, kind: MessageKind) {
        let reply = self.driver.net(&call);
        assert_eq!(reply.status, 200, "{}", show(&reply));
        let hash = body_of(&reply)["item_hash"].as_str().expect("a hash").to_owned();
        let kind = match kind {
            MessageKind::File(_) => {
                let file =
                    self.driver.wrapper(&hash)["message"]["content"]["item_hash"].as_str().map(str::to_owned);
                MessageKind::File(file.unwrap_or_default())
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
                self.send(wallet, call, MessageKind::File(String::new()));
            }
            Step::Post { wallet, n } => {
                let sent = message(&self.driver, "POST", &json!({ "n": n }));
                self.send(wallet, Wallet::new(wallet).create(&sent), MessageKind::Post);
            }
            Step::Hollow { wallet, n } => {
                let sent = message(&self.driver, "STORE", &json!({ "item_hash": format!("none{n}") }));
                self.send(wallet, Wallet::new(wallet).create(&sent), MessageKind::Hollow);
            }
            Step::Again(n) => {
                let known = self.model.all.get(n % self.model.all.len().max(1)).cloned();
                // An upload sent later is another message, since its time differs.
                if let Some(known) = known.filter(|known| !matches!(known.kind, MessageKind::File(_))) {
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
                    let files: Vec<&Known> = files.filter(|one| target % 8 == 1 || one.is_store()).collect();
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
                    MessageKind::Forget { targets: hashes, next: i64::MAX, left: 0 },
                );
            }
            Step::Reclaim(n) => {
                let files = self.model.all.iter_mut().filter(|one| matches!(one.kind, MessageKind::File(_)));
                let mut files: Vec<&mut Known> = files.filter(|one| one.status == "processed").collect();
                let count = files.len().max(1);
                if let Some(one) = files.get_mut(n % count) {
                    (one.status, one.removing) = ("removing", Some(now));
                    self.driver.perform("network.reclaim", &json!({ "hash": one.hash }));
                }
            }
            Step::Broke(wallet) => {
                self.driver.perform(
                    "network.balance",
                    &json!({ "address": Wallet::new(wallet).address, "credits": 0 }),
                );
                self.model.broke.insert(wallet);
                self.model.bill.get_or_insert(now + HOUR);
            }
            Step::Rich(wallet) => {
                let address = Wallet::new(wallet).address;
                self.driver.perform("network.balance", &json!({ "address": address, "credits": null }));
                self.model.broke.remove(&wallet);
                for one in
                    self.model.all.iter_mut().filter(|one| one.wallet == wallet && one.status == "removing")
                {
                    (one.status, one.removing) = ("processed", None);
                }
            }
            // This bill is in addition to the hourly one.
            Step::Bill => {
                let next = self.model.bill;
                self.driver.perform("network.bill", &json!({}));
                self.model.charge(now);
                self.model.bill = next.or(self.model.bill);
            }
            Step::Hold { all } => {
                // A FORGET may name a STORE that is still pending.
                let held = if all { json!({}) } else { json!({ "type": "STORE" }) };
                if self.model.held.is_none() {
                    self.driver.set_faults(&json!([{ "fault": "network.processing-held", "where": held }]));
                    self.model.held = Some(all);
                }
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
            Step::Lag(ms) => self.driver.perform("network.lag", &json!({ "ms": ms })),
        }
    }

    /// Compares the world with the model.
    fn compare(&mut self) {
        for one in self.model.all.clone() {
            let answer = self.driver.wrapper(&one.hash);
            assert_eq!(answer["status"], one.status, "{} {:?}", one.hash, one.kind);
            let MessageKind::File(cid) = &one.kind else { continue };
            let complete = answer["message"]["content"]["item_hash"] == *cid;
            assert_eq!(complete, !["forgotten", "removed"].contains(&one.status), "{answer}");
            if one.is_live() {
                for site in [PRIMARY, ALTERNATIVE] {
                    assert_eq!(self.driver.file_status(site, cid), 200, "a live file is served");
                }
            }
        }
        let mut listed = self.driver.hashes_of(MESSAGES, 100);
        let mut known: Vec<String> = self.model.all.iter().map(|one| one.hash.clone()).collect();
        listed.sort();
        known.sort();
        assert_eq!(listed, known, "no message is lost or listed twice");
    }

    /// The mirror has caught up and shows the same as the primary.
    fn compare_mirror(&mut self) {
        let mut targets = vec![format!("{MESSAGES}?limit=100"), format!("{MESSAGES}.json?limit=100")];
        for one in &self.model.all {
            targets.push(format!("{MESSAGES}/{}", one.hash));
            if let MessageKind::File(cid) = &one.kind
                && one.is_live()
            {
                targets.push(format!("/api/v0/storage/{cid}"));
            }
        }
        for target in targets {
            let [mirror, primary] = [MIRROR, PRIMARY].map(|site| self.driver.net_at(site, &get(&target)));
            assert_eq!((mirror.status, mirror.body), (primary.status, primary.body), "{target}");
        }
    }
}

/// Walks, and compares the world with the model after every step and at the end.
fn walk(steps: Vec<Step>, violated: Option<Id>) {
    let mut walk = Walk { driver: Driver::unhurried(1), model: Model::default() };
    if let Some(rule) = violated {
        walk.driver.deviate(&rule.to_string());
    }
    for step in steps {
        walk.take(step);
        walk.compare();
    }
    // At the end nothing is held, the mirror has caught up, and files without a message are gone.
    walk.take(Step::Release);
    walk.take(Step::Advance(3_000));
    walk.compare();
    // A message may have changed in this very moment.
    while walk.driver.network()["mirror_lags"] == true {
        walk.take(Step::Advance(2_000));
    }
    walk.compare_mirror();
    walk.take(Step::Advance(50 * 3_600_000));
    let live = walk.model.all.iter().filter_map(|one| match &one.kind {
        MessageKind::File(cid) if one.is_live() => Some(cid),
        _ => None,
    });
    let live: BTreeSet<&String> = live.collect();
    assert_eq!(walk.driver.network()["files"], live.len());
}

fn walks() -> impl Strategy<Value = Vec<Step>> {
    proptest::collection::vec(step(), 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_walk_agrees_with_its_model(steps in walks()) {
        walk(steps, None);
    }
}

/// A FORGET is finally rejected in the moment in which the mirror is compared.
#[test]
fn a_walk_may_end_as_a_message_changes() {
    let forget = Step::Forget { wallet: 1, targets: vec![0], unknown: true };
    walk(vec![forget, Step::Advance(2_997_000), Step::Lag(1)], None);
}

/// Without this test, a walk that never fails would prove nothing.
#[test]
fn a_walk_with_a_violated_rule_contradicts_its_model() {
    let rules: [Id; 14] = [
        &forget::APPLIES,
        &forget::ALL_OR_NOTHING,
        &forget::REMOVING_TARGET,
        &forget::REMOVED_FAILS,
        &forget::PENDING_FAILS,
        &forget::REJECTED_FAILS,
        &forget::RETRIED,
        &forget::FINALLY_REJECTED,
        &store::REMOVING,
        &store::REMOVED_BYTES,
        &store::FORGOTTEN_BYTES,
        &store::STRIPPED,
        &messages::SAME_TWICE,
        &info::MIRRORS,
    ];
    let config = || ProptestConfig {
        cases: 400,
        max_shrink_iters: 0,
        failure_persistence: None,
        ..Default::default()
    };
    std::thread::scope(|scope| {
        for rule in rules {
            scope.spawn(move || {
                // An unknown rule name would fail for another reason.
                Driver::new(1).deviate(&rule.to_string());
                let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
                let met = TestRunner::new_with_rng(config(), rng).run(&walks(), |steps| {
                    walk(steps, Some(rule));
                    Ok(())
                });
                assert!(met.is_err(), "{rule}");
            });
        }
    });
}

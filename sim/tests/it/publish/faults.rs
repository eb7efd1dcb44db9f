//! Faults apply exactly when they are set to, and leave receipts.

use crate::common::{Call, Client, Driver, PREPARE, SUBMIT, body_of, bound};
use assay_sim::clock::EPOCH;
use assay_sim::world;
use serde_json::{Value, json};

const T: i64 = EPOCH.0;

#[test]
fn standby_rejects_only_the_second_and_third_prepare() {
    let (mut driver, _) = bound();
    let place = json!({ "endpoint": "prepare" });
    driver.set_faults(&json!([{ "fault": "publish.standby", "where": place, "nth": 2, "times": 2 }]));
    let paths = [PREPARE, SUBMIT, PREPARE, SUBMIT, PREPARE, PREPARE];
    assert_eq!(knock(&mut driver, &paths), [404, 404, 503, 404, 503, 404]);
    assert_eq!(receipts(&driver, 0), [T + 20, T + 40]);
    assert_eq!(driver.world.core.faults.list()[0].matched, 4);
}

#[test]
fn passive_backend_rejects_from_one_time_until_another() {
    let (mut driver, _) = bound();
    driver.set_faults(&json!([{ "fault": "publish.passive", "from": T + 10, "until": T + 30 }]));
    assert_eq!(knock(&mut driver, &[PREPARE, SUBMIT, PREPARE, SUBMIT]), [404, 503, 503, 404]);
    assert_eq!(receipts(&driver, 0), [T + 10, T + 20]);
    driver.set_faults(&json!([{ "fault": "publish.passive", "from": T + 41, "until": T + 51 }]));
    assert_eq!(knock(&mut driver, &[PREPARE, PREPARE, PREPARE]), [404, 503, 404], "to the millisecond");
    assert_eq!(receipts(&driver, 0), [T + 50]);
}

#[test]
fn every_fault_that_matches_counts_the_occasion() {
    let (mut driver, _) = bound();
    let nth = |nth: u64| json!({ "fault": "publish.standby", "nth": nth, "times": 1 });
    driver.set_faults(&json!([nth(1), nth(3)]));
    assert_eq!(knock(&mut driver, &[PREPARE, PREPARE, PREPARE, PREPARE]), [503, 404, 503, 404]);
    assert_eq!((receipts(&driver, 0), receipts(&driver, 1)), (vec![T], vec![T + 20]));
}

#[test]
fn unknown_fault_is_rejected_and_active_faults_stay() {
    let (mut driver, _) = bound();
    driver.set_faults(&json!([{ "fault": "publish.passive" }]));
    let strange = serde_json::from_value(json!([{ "fault": "publish.pasive" }])).expect("faults");
    let refused = driver.world.set_faults(strange).expect_err("a misspelt name");
    assert!(refused.contains("publish.pasive"), "{refused}");
    assert_eq!(knock(&mut driver, &[PREPARE]), [503]);
    assert!(serde_json::from_value::<assay_sim::fault::Fault>(json!({ "fault": "hold", "nht": 1 })).is_err());
}

#[test]
fn txt_record_of_one_domain_is_not_observed() {
    let (mut driver, alice) = bound();
    let bob = Client::new(2, "b.example");
    driver.bind(&bob);
    driver.set_faults(&json!([{ "fault": "publish.txt-missing", "where": { "domain": "b.example" } }]));
    assert_eq!(driver.prepare(&alice).whole["txtObserved"]["vault"], alice.address());
    assert_eq!(driver.prepare(&bob).whole["txtObserved"], Value::Null);
    assert_eq!(receipts(&driver, 0), [T]);
}

#[test]
fn txt_record_disagrees_once() {
    let (mut driver, alice) = bound();
    driver.set_faults(&json!([{ "fault": "publish.txt-disagrees", "nth": 2, "times": 1 }]));
    let vaults: Vec<bool> = (0..3)
        .map(|_| {
            let prepared = driver.prepare(&alice);
            driver.advance(60_000);
            prepared.whole["txtObserved"]["vault"] == alice.address()
        })
        .collect();
    assert_eq!(vaults, [true, false, true]);
    assert_eq!(receipts(&driver, 0), [T + 60_000]);
}

#[test]
fn lost_transaction_returns_410_and_the_next_one_lands() {
    let (mut driver, alice) = bound();
    driver.set_faults(&json!([{ "fault": "publish.transaction-lost", "nth": 2, "times": 1 }]));
    assert_eq!(publish_thrice(&mut driver, &alice), [200, 410, 200]);
    assert_eq!(driver.landed(), 2);
    assert_eq!(receipts(&driver, 0).len(), 1);
}

#[test]
fn rejected_transaction_returns_502_and_frees_the_lock() {
    let (mut driver, alice) = bound();
    let place = json!({ "endpoint": "submit", "domain": "a.example" });
    driver.set_faults(&json!([{ "fault": "publish.transaction-rejected", "where": place, "times": 1 }]));
    let prepared = driver.prepare(&alice);
    let reply = driver.submit(&alice, &prepared, None);
    assert_eq!(reply.status, 502);
    assert_eq!(body_of(&reply), json!({ "error": "the chain rejected the transaction" }));
    assert_eq!((driver.landed(), receipts(&driver, 0)), (0, vec![T]));
    assert_eq!(publish_thrice(&mut driver, &alice), [200; 3]);
}

#[test]
fn slow_chain_lands_a_record_after_the_ceiling_and_recovers() {
    let (mut driver, alice) = bound();
    driver.set_faults(&json!([{ "fault": "publish.chain-slow", "times": 1 }]));
    let prepared = driver.prepare(&alice);
    assert_eq!(driver.submit(&alice, &prepared, None).status, 410);
    assert_eq!((driver.now(), driver.landed()), (EPOCH + 180_000, 0));
    driver.advance(59_999);
    assert_eq!(driver.landed(), 0);
    driver.advance(1);
    assert_eq!((driver.landed(), &driver.view()["chain"]["slot_ms"]), (1, &json!(400)));
    assert_eq!(publish_thrice(&mut driver, &alice), [200; 3]);
    assert_eq!(receipts(&driver, 0), [T]);
}

#[test]
fn slow_transaction_lands_before_its_blockhash_expires_when_others_land() {
    let (mut driver, alice) = bound();
    let bob = Client::new(2, "b.example");
    driver.bind(&bob);
    driver.set_faults(&json!([{ "fault": "publish.chain-slow", "where": { "domain": "a.example" } }]));
    let prepared = driver.prepare(&alice);
    let exchange = driver.start(&alice.submit(&prepared, None, driver.now()));
    let fast = driver.prepare(&bob);
    assert_eq!(driver.submit(&bob, &fast, None).status, 200);
    assert_eq!(driver.view()["chain"]["slot_ms"], 4_000, "slow while the slow transaction is in flight");
    assert_eq!(driver.wait(exchange).status, 410);
    driver.advance(60_000);
    assert_eq!(driver.landed(), 2);
    let height = driver.view()["chain"]["block_height"].as_u64();
    assert!(height <= Some(prepared.last_valid_block_height), "its blockhash was still valid when it landed");
}

#[test]
fn compute_budget_rejects_only_long_records() {
    let (mut driver, alice) = bound();
    driver.set_faults(&json!([{ "fault": "publish.compute-budget", "times": 1 }]));
    assert_eq!(publish_thrice(&mut driver, &alice), [200; 3]);
    assert_eq!(receipts(&driver, 0), [0; 0], "it did not apply");
    for status in [502, 200] {
        let long = driver.prepare_of(&alice, &json!({ "cid": "x".repeat(600) }));
        assert_eq!(driver.submit(&alice, &long, None).status, status);
    }
    assert_eq!(receipts(&driver, 0).len(), 1);
}

#[test]
fn log_is_truncated_once() {
    let (mut driver, alice) = bound();
    driver.set_faults(&json!([{ "fault": "publish.log-truncated", "nth": 2, "times": 1 }]));
    let truncated: Vec<bool> = (0..3)
        .map(|_| {
            let prepared = driver.prepare(&alice);
            let reply = driver.submit(&alice, &prepared, None);
            let found = driver.rpc("getTransaction", &json!([body_of(&reply)["signature"]]));
            let logs = found["meta"]["logMessages"].as_array().expect("lines").clone();
            logs.last() == Some(&json!("Log truncated"))
        })
        .collect();
    assert_eq!(truncated, [false, true, false]);
    assert_eq!(receipts(&driver, 0).len(), 1);
}

#[test]
fn every_fault_is_tested_in_these_files() {
    let met = [
        include_str!("faults.rs"),
        include_str!("concurrency.rs"),
        include_str!("../drop/pauses.rs"),
        include_str!("../families/programs.rs"),
        include_str!("../families/webhooks.rs"),
        include_str!("../gateway/enclave.rs"),
        include_str!("../gateway/keys.rs"),
        include_str!("../gateway/pool.rs"),
        include_str!("../gateway/servers.rs"),
        include_str!("../gateway/streams.rs"),
        include_str!("../hosting/faults.rs"),
        include_str!("../network/life.rs"),
        include_str!("../network/messages.rs"),
        include_str!("../network/mirror.rs"),
    ]
    .concat();
    for kind in world::faults() {
        assert!(met.contains(&format!("\"{}\"", kind.name)), "{} is not tested", kind.name);
    }
}

/// Sends an unsigned call to each path, ten milliseconds apart.
fn knock(driver: &mut Driver, paths: &[&str]) -> Vec<u16> {
    let mut statuses = Vec::new();
    for path in paths {
        statuses.push(driver.send(&Call::new("POST", path, Vec::new(), Vec::new())).status);
        driver.advance(10);
    }
    statuses
}

fn publish_thrice(driver: &mut Driver, client: &Client) -> [u16; 3] {
    [(); 3].map(|()| {
        let prepared = driver.prepare(client);
        driver.submit(client, &prepared, None).status
    })
}

fn receipts(driver: &Driver, at: usize) -> Vec<i64> {
    driver.world.core.faults.list()[at].receipts.iter().map(|moment| moment.0).collect()
}

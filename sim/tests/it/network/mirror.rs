//! The mirror: it shows an earlier state of the primary, and in the end the same state.

use assay_sim::network::sites::{ALTERNATIVE, MIRROR, PRIMARY};
use assay_sim::{Site, World};
use serde_json::{Value, json};

use crate::common::drop::get;
use crate::common::net::{MESSAGES, Wallet, message, refused};
use crate::common::{Driver, body_of};

fn status_at(driver: &mut Driver, site: Site, hash: &str) -> u16 {
    driver.net_at(site, &get(&format!("{MESSAGES}/{hash}"))).status
}

fn everything(driver: &mut Driver, site: Site) -> Value {
    body_of(&driver.net_at(site, &get(&format!("{MESSAGES}?limit=100"))))["messages"].take()
}

fn note(driver: &mut Driver, n: usize) -> String {
    let sent = message(driver, "POST", &json!({ "n": n }));
    driver.take_message(&Wallet::new(1), &sent)
}

#[test]
fn without_a_lag_every_address_returns_the_same() {
    let mut driver = Driver::unhurried(1);
    let sent = message(&driver, "POST", &json!({ "n": 1 }));
    let call = Wallet::new(1).create(&sent);
    for (at, site) in [MIRROR, ALTERNATIVE, PRIMARY].into_iter().enumerate() {
        let reply = driver.net_at(site, &call);
        let hash = body_of(&reply)["item_hash"].as_str().expect("a hash").to_owned();
        for other in [PRIMARY, ALTERNATIVE, MIRROR] {
            assert_eq!(status_at(&mut driver, other, &hash), 200, "write {at}");
        }
    }
}

#[test]
fn a_mirror_lags_to_the_millisecond_and_catches_up() {
    let mut driver = Driver::unhurried(1);
    let before = note(&mut driver, 0);
    driver.perform("network.lag", &json!({ "ms": 5000 }));
    let first = note(&mut driver, 1);
    driver.advance(2000);
    let file = driver.store_file(&Wallet::new(1), b"file");
    for (hash, status) in [(&before, 200), (&first, 404), (&file.hash, 404)] {
        assert_eq!(status_at(&mut driver, MIRROR, hash), status);
        assert_eq!(status_at(&mut driver, ALTERNATIVE, hash), 200);
    }
    assert_eq!(driver.file_status(MIRROR, &file.cid), 404);
    assert_eq!(refused(&driver.net_at(MIRROR, &get(&format!("{MESSAGES}/{first}")))), 404);
    driver.advance(2999);
    assert_eq!(status_at(&mut driver, MIRROR, &first), 404);
    driver.advance(1);
    assert_eq!(
        (status_at(&mut driver, MIRROR, &first), status_at(&mut driver, MIRROR, &file.hash)),
        (200, 404)
    );
    driver.advance(2000);
    assert_eq!(
        (status_at(&mut driver, MIRROR, &file.hash), driver.file_status(MIRROR, &file.cid)),
        (200, 200)
    );
    assert_eq!(driver.network()["mirror_lags"], false);
    assert_eq!(everything(&mut driver, MIRROR), everything(&mut driver, PRIMARY));
}

#[test]
fn nodes_behind_the_public_address_lag_each_in_its_turn_and_catch_up() {
    const LAG_MS: i64 = 4000;
    let mut driver = Driver::unhurried(1);
    driver.set_network_limits(&json!({ "node_lag_ms": LAG_MS }));
    let (mut late, mut early) = (0, 0);
    for n in 0..40 {
        let hash = note(&mut driver, n);
        assert_eq!(
            status_at(&mut driver, ALTERNATIVE, &hash),
            200,
            "only the public address is load-balanced"
        );
        match status_at(&mut driver, PRIMARY, &hash) {
            200 => early += 1,
            status => late += u32::from(status == 404),
        }
        driver.advance(LAG_MS);
        assert_eq!(status_at(&mut driver, PRIMARY, &hash), 200, "write {n}");
        driver.advance(1000);
    }
    assert_eq!(early + late, 40);
    assert!(early > 0 && late > 0, "{early} reads show the write at once, {late} do not");
    assert_eq!(everything(&mut driver, PRIMARY), everything(&mut driver, MIRROR));
}

#[test]
fn a_shorter_lag_does_not_restore_an_older_state() {
    let mut driver = Driver::unhurried(1);
    driver.perform("network.lag", &json!({ "ms": 10_000 }));
    let old = note(&mut driver, 1);
    driver.perform("network.lag", &json!({ "ms": 1000 }));
    let new = note(&mut driver, 2);
    driver.advance(1000);
    assert_eq!((status_at(&mut driver, MIRROR, &old), status_at(&mut driver, MIRROR, &new)), (200, 200));
    driver.perform("network.lag", &json!({ "ms": 0 }));
    let last = note(&mut driver, 3);
    driver.advance(20_000);
    for hash in [&old, &new, &last] {
        assert_eq!(status_at(&mut driver, MIRROR, hash), 200);
    }
}

#[test]
fn a_mirror_that_receives_nothing_catches_up_after_the_fault() {
    let mut driver = Driver::unhurried(1);
    let before = note(&mut driver, 0);
    driver.set_faults(&json!([{ "fault": "network.lagging" }]));
    let missed: Vec<String> = (1..4).map(|n| note(&mut driver, n)).collect();
    driver.advance(3_600_000);
    assert_eq!(status_at(&mut driver, MIRROR, &before), 200);
    assert!(missed.iter().all(|hash| status_at(&mut driver, MIRROR, hash) == 404));
    driver.set_faults(&json!([]));
    assert!(missed.iter().all(|hash| status_at(&mut driver, MIRROR, hash) == 200));
    // A change that was on its way when the fault began arrives late, and only once.
    driver.perform("network.lag", &json!({ "ms": 1000 }));
    let on_its_way = note(&mut driver, 5);
    driver.set_faults(&json!([{ "fault": "network.lagging" }]));
    driver.advance(1000);
    assert_eq!(status_at(&mut driver, MIRROR, &on_its_way), 404);
    driver.set_faults(&json!([]));
    assert_eq!(status_at(&mut driver, MIRROR, &on_its_way), 404, "it receives again, and lags");
    driver.advance(1000);
    assert_eq!(status_at(&mut driver, MIRROR, &on_its_way), 200);
}

/// A copy of the world with another lag shows the same once both mirrors have caught up.
#[test]
fn replicas_converge_with_any_lag() {
    let (mut quick, wallet) = (Driver::unhurried(1), Wallet::new(1));
    quick.perform("network.lag", &json!({ "ms": 100 }));
    let mut slow = quick.clone();
    slow.perform("network.lag", &json!({ "ms": 50_000 }));
    for driver in [&mut quick, &mut slow] {
        let mut files = Vec::new();
        for n in 0..30 {
            let hash = note(driver, n);
            assert_eq!(status_at(driver, MIRROR, &hash), 404, "it lags");
            files.push(driver.store_file(&wallet, format!("{n}").as_bytes()).hash);
            if n % 7 == 3 {
                driver.forget(&wallet, &[&files[n - 2], &files[n - 1]]);
            }
            driver.advance(777);
        }
        driver.advance(120_000);
        assert_eq!(everything(driver, MIRROR), everything(driver, PRIMARY));
        for hash in &files {
            let target = get(&format!("{MESSAGES}/{hash}"));
            assert_eq!(driver.net_at(MIRROR, &target).body, driver.net_at(PRIMARY, &target).body);
        }
    }
    assert_eq!(everything(&mut quick, MIRROR), everything(&mut slow, MIRROR));
}

#[test]
fn a_snapshot_contains_changes_on_their_way() {
    let mut driver = Driver::unhurried(1);
    driver.perform("network.lag", &json!({ "ms": 1000 }));
    let hash = note(&mut driver, 1);
    let snapshot: World = driver.world.clone();
    driver.advance(1000);
    assert_eq!(status_at(&mut driver, MIRROR, &hash), 200);
    driver.world = snapshot;
    assert_eq!(status_at(&mut driver, MIRROR, &hash), 404);
    driver.advance(1000);
    assert_eq!(status_at(&mut driver, MIRROR, &hash), 200);
}

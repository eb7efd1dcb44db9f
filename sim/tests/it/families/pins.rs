//! Pins: content that is kept on request and served by its hash.

use serde_json::json;

use super::{PIN, send, take};
use crate::common::Driver;
use crate::common::drop::get;
use crate::common::net::{Wallet, refused};

const DAY: i64 = 24 * 3_600_000;

fn content(hash: &str) -> String {
    format!("/api/v0/ipfs/{hash}")
}

#[test]
fn pinned_content_is_served_with_its_content_type() {
    let (mut driver, wallet) = (Driver::unhurried(1), Wallet::new(1));
    let file = driver.store_file(&wallet, b"hello");
    take(&mut driver, &wallet, PIN, "IPFS_PIN", &json!({ "hash": file.cid }));
    let reply = driver.net(&get(&content(&file.cid)));
    assert_eq!((reply.status, &reply.body[..]), (200, &b"hello"[..]));
    assert_eq!(reply.headers["content-type"], "text/plain");
}

#[test]
fn content_from_elsewhere_is_served_once_it_is_pinned() {
    let (mut driver, wallet) = (Driver::unhurried(1), Wallet::new(1));
    let arguments = json!({ "text": "<p>", "content_type": "text/html" });
    let (put, _) = driver.world.perform("network.content", &arguments).expect("a known action");
    let hash = put["hash"].as_str().expect("a hash").to_owned();
    assert_eq!(refused(&driver.net(&get(&content(&hash)))), 404);
    take(&mut driver, &wallet, PIN, "IPFS_PIN", &json!({ "hash": hash }));
    let reply = driver.net(&get(&content(&hash)));
    assert_eq!(
        (reply.status, &reply.body[..], &reply.headers["content-type"]),
        (200, &b"<p>"[..], &"text/html".parse().expect("a value"))
    );
    // Content that no node has is not found, pinned or not.
    take(&mut driver, &wallet, PIN, "IPFS_PIN", &json!({ "hash": "bafkreinobody" }));
    assert_eq!(refused(&driver.net(&get(&content("bafkreinobody")))), 404);
}

#[test]
fn pinned_content_stays_after_its_store_is_removed() {
    let (mut driver, wallet) = (Driver::unhurried(1), Wallet::new(1));
    let (kept, gone) = (driver.store_file(&wallet, b"kept"), driver.store_file(&wallet, b"gone"));
    take(&mut driver, &wallet, PIN, "IPFS_PIN", &json!({ "hash": kept.cid }));
    driver.forget(&wallet, &[&kept.hash, &gone.hash]);
    driver.advance(2 * DAY);
    assert_eq!(driver.net(&get(&content(&kept.cid))).status, 200);
    assert_eq!(refused(&driver.net(&get(&content(&gone.cid)))), 404);
}

#[test]
fn content_that_is_not_pinned_may_be_served_or_not() {
    let (mut driver, wallet) = (Driver::unhurried(1), Wallet::new(1));
    let file = driver.store_file(&wallet, b"hello");
    assert_eq!(driver.net(&get(&content(&file.cid))).status, 200);
    driver.apply_variations(&["network.pinned-alone"]);
    assert_eq!(refused(&driver.net(&get(&content(&file.cid)))), 404);
    take(&mut driver, &wallet, PIN, "IPFS_PIN", &json!({ "hash": file.cid }));
    assert_eq!(driver.net(&get(&content(&file.cid))).status, 200);
}

#[test]
fn pins_without_a_hash_are_rejected() {
    let (mut driver, wallet) = (Driver::unhurried(1), Wallet::new(1));
    for bad in [json!({}), json!({ "hash": 1 }), json!({ "hash": "" }), json!({ "hash": ["a"] })] {
        assert_eq!(refused(&send(&mut driver, &wallet, PIN, "IPFS_PIN", &bad)), 400, "{bad}");
    }
    for odd in ["..%2F..%2Fetc%2Fpasswd", "%00", "%E2%80%AE", &"a".repeat(10_000)] {
        assert_eq!(refused(&driver.net(&get(&content(odd)))), 404, "{odd:.20}");
    }
    assert_eq!(driver.network()["messages"], 0);
}

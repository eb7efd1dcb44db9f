//! Rate limits: the last accepted request, the first rejected one, and `Retry-After`.

use assay_sim::Reply;
use assay_sim::network::sites::{ALTERNATIVE, MIRROR};
use serde_json::json;

use crate::common::drop::get;
use crate::common::net::{MESSAGES, STORAGE, Wallet, message, post, refused};
use crate::common::{Call, Driver};

fn retry_after(reply: &Reply) -> i64 {
    assert_eq!(refused(reply), 429);
    reply.headers["retry-after"].to_str().expect("text").parse().expect("whole seconds")
}

fn run() -> Call {
    post(&format!("/api/v0/run/{}", "0".repeat(64)), &json!({ "variables": {} }))
}

/// One endpoint of each class, and its limit per minute.
fn classes() -> [(Call, usize); 3] {
    [(get(MESSAGES), 100), (post(MESSAGES, &json!({})), 300), (run(), 10)]
}

#[test]
fn each_class_has_its_own_limit_and_counter() {
    let mut driver = Driver::new(1);
    for (call, limit) in classes() {
        for n in 0..limit {
            assert_ne!(driver.net(&call).status, 429, "request {n} of {limit}");
        }
        assert_eq!(retry_after(&driver.net(&call)), 60, "{limit}");
    }
    // All sites of the API share one count.
    assert_eq!(driver.net_at(ALTERNATIVE, &get(MESSAGES)).status, 429);
    assert_eq!(driver.net_at(MIRROR, &get("/nowhere")).status, 429);
    driver.at("127.0.0.2");
    assert_eq!(driver.net(&get(MESSAGES)).status, 200, "another address has its own count");
    driver.at("::ffff:127.0.0.2");
    for _ in 1..100 {
        driver.net(&get(MESSAGES));
    }
    assert_eq!(driver.net(&get(MESSAGES)).status, 429, "an IPv4 address is the same in its IPv6 form");
}

#[test]
fn a_request_leaves_the_window_after_a_minute() {
    let mut driver = Driver::new(1);
    for _ in 0..100 {
        driver.net(&get(MESSAGES));
        driver.advance(100);
    }
    assert_eq!(retry_after(&driver.net(&get(MESSAGES))), 50);
    driver.advance(49_999);
    assert_eq!(retry_after(&driver.net(&get(MESSAGES))), 1);
    driver.advance(1);
    assert_eq!(driver.net(&get(MESSAGES)).status, 200, "the first has left");
    assert_eq!(retry_after(&driver.net(&get(MESSAGES))), 1, "the second leaves in a tenth of a second");
    driver.advance(60_000);
    for _ in 0..100 {
        assert_eq!(driver.net(&get(MESSAGES)).status, 200);
    }
}

#[test]
fn a_create_call_over_the_rate_limit_stores_nothing() {
    let (mut driver, wallet) = (Driver::new(1), Wallet::new(1));
    driver.set_network_limits(&json!({ "authenticated_per_window": 1 }));
    let first = message(&driver, "POST", &json!({ "n": 1 }));
    driver.take_message(&wallet, &first);
    let call = wallet.create(&message(&driver, "POST", &json!({ "n": 2 })));
    assert_eq!(driver.net(&call).status, 429);
    assert_eq!(driver.net(&wallet.upload(b"f", "text/plain")).status, 429);
    assert_eq!(driver.network()["messages"], 1);
}

#[test]
fn a_declared_length_over_the_limit_is_rejected_before_the_body() {
    let mut driver = Driver::new(1);
    let announce = |path: &str, length: usize| {
        Call::new("POST", path, vec![("content-length", length.to_string().into_bytes())], Vec::new())
    };
    for (path, limit) in [(MESSAGES, 1024 * 1024), (STORAGE, 100 * 1024 * 1024 + 64 * 1024)] {
        let exchange = driver.begin(assay_sim::network::sites::PRIMARY, &announce(path, limit + 1));
        assert_eq!(refused(&driver.reply(exchange).expect("an early answer")), 400);
        let exchange = driver.begin(assay_sim::network::sites::PRIMARY, &announce(path, limit));
        assert!(driver.reply(exchange).is_none(), "the body is awaited");
    }
}

#[test]
fn variations_change_rate_limits() {
    let mut driver = Driver::new(1);
    driver.apply_variations(&["network.rates-bucket"]);
    for _ in 0..100 {
        assert_eq!(driver.net(&get(MESSAGES)).status, 200);
    }
    assert_eq!(retry_after(&driver.net(&get(MESSAGES))), 1, "one more fits after 0.6 s");
    driver.advance(600);
    assert_eq!(driver.net(&get(MESSAGES)).status, 200);
    assert_eq!(driver.net(&get(MESSAGES)).status, 429);

    let mut driver = Driver::new(1);
    driver.apply_variations(&["network.rates-fixed"]);
    driver.advance(59_000);
    for _ in 0..100 {
        assert_eq!(driver.net(&get(MESSAGES)).status, 200);
    }
    assert_eq!(retry_after(&driver.net(&get(MESSAGES))), 1, "the clock minute is nearly over");
    driver.advance(1000);
    assert_eq!(driver.net(&get(MESSAGES)).status, 200);

    let mut driver = Driver::new(1);
    driver.apply_variations(&["network.rates-shared"]);
    let (general, create) = (get(MESSAGES), post(MESSAGES, &json!({})));
    for _ in 0..100 {
        assert_eq!(driver.net(&create).status, 400);
    }
    assert_eq!(driver.net(&general).status, 429, "create calls count as well");
    assert_eq!(driver.net(&create).status, 400, "the larger limit is not reached");
    assert_ne!(driver.net(&run()).status, 429, "runs have their own count");
}

#[test]
fn the_counters_are_dropped_in_the_end() {
    let mut driver = Driver::new(1);
    for n in 1..200 {
        driver.at(&format!("10.0.0.{n}"));
        driver.net(&get(MESSAGES));
    }
    assert_eq!(driver.network()["rates"], 199);
    driver.advance(20 * 60_000);
    assert_eq!(driver.network()["rates"], 0);
    assert_eq!(driver.world.core.clock.next_due(), None, "no timer is set");
}

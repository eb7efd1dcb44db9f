//! The pool: a request fails only when every server of its model has failed, whatever fails and in which order.

use assay_sim::gateway::SERVERS;
use proptest::prelude::*;
use serde_json::json;

use crate::common::Driver;
use crate::gateway::model::{chat, detail, events, post, said, text_of};

const NAMES: [&str; 3] = [SERVERS[0].name, SERVERS[1].name, SERVERS[2].name];
/// The servers of each model.
const MODELS: [(&str, &[&str]); 4] = [
    ("assay-chat", &NAMES),
    ("assay-text", &["server-a", "server-b"]),
    ("assay-draw", &["server-c"]),
    ("assay-sealed", &["enclave"]),
];
/// The ways a server can fail before the first byte.
const FAILURES: [&str; 3] = ["gateway.server-down", "gateway.server-wrong-answer", "gateway.server-dies"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Requests to any model, while any servers fail in any way, and time passes in between.
    #[test]
    fn request_fails_only_when_every_server_has(
        steps in proptest::collection::vec((0..4_usize, 0..16_u8, 0..3_usize, 0..20_000_i64), 1..12)
    ) {
        let mut driver = Driver::new(3);
        let all = [&NAMES[..], &["enclave"]].concat();
        for (model, failing, way, pause) in steps {
            let (model, servers) = MODELS[model];
            let fails = |name: &&str| all.iter().position(|one| one == name).is_some_and(|n| failing >> n & 1 == 1);
            let faults = all.iter().filter(|name| fails(name))
                .map(|name| json!({ "fault": FAILURES[way], "where": { "server": name } }));
            driver.set_faults(&faults.collect());
            let expected = if servers.iter().all(fails) { 503 } else { 200 };
            let reply = driver.chat(model);
            prop_assert_eq!(reply.status, expected, "{} with {:04b} failing by {}", model, failing, FAILURES[way]);
            if expected == 503 {
                prop_assert!(!detail(&reply).is_empty());
            }
            driver.advance(pause);
        }
    }
}

#[test]
fn every_server_is_tried_once_before_a_request_fails() {
    let mut driver = Driver::new(1);
    driver.set_faults(&json!([{ "fault": "gateway.server-down" }]));
    for n in 1..=3_u64 {
        assert_eq!(driver.chat("assay-chat").status, 503);
        let faults = driver.world.core.faults.list();
        assert_eq!(faults[0].matched, 3 * n, "each server is tried exactly once");
    }
    driver.set_faults(&json!([]));
    assert_eq!(driver.chat("assay-chat").status, 200, "recovery needs no health check");
}

#[test]
fn unhealthy_server_is_tried_last_until_it_recovers() {
    let mut driver = Driver::new(1);
    let tried = |driver: &mut Driver| {
        let before = driver.world.core.faults.list()[0].matched;
        assert_eq!(driver.chat("assay-chat").status, 200);
        driver.world.core.faults.list()[0].matched - before
    };
    driver.down(&["server-a"]);
    let first: u64 = (0..3).map(|_| tried(&mut driver)).sum();
    assert_eq!(first, 1, "its failure is noticed once");
    let later: u64 = (0..9).map(|_| tried(&mut driver)).sum();
    assert_eq!(later, 0, "an unhealthy server is not tried");
    driver.set_faults(&json!([]));
    driver.advance(5_000);
    let well = |driver: &Driver| driver.gateway()["servers"][0]["well"].clone();
    assert_eq!(well(&driver), json!(true), "the next health check notices it");
}

#[test]
fn health_checks_end_in_a_world_where_nothing_happens() {
    let mut driver = Driver::new(1);
    driver.down(&["server-a", "server-b", "server-c"]);
    assert_eq!(driver.chat("assay-chat").status, 503);
    let day = 86_400_000;
    let until = driver.now() + day;
    let (fired, _) = driver.world.advance_to(until);
    assert_eq!(fired, 12, "exactly this many checks");
    assert_eq!(driver.world.core.clock.next_due(), None);
}

#[test]
fn slow_server_is_waited_for_until_the_timeout() {
    for (slow_ms, expected_ms) in [(10_000, 10_000), (10_001, 10_000)] {
        let mut driver = Driver::new(1);
        driver.set_gateway_limits(&json!({ "slow_ms": slow_ms, "health_checks": 0 }));
        driver.set_faults(&json!([{ "fault": "gateway.server-slow", "times": 1 }]));
        let begun = driver.now();
        assert_eq!(driver.chat("assay-chat").status, 200);
        assert_eq!(driver.now() - begun, expected_ms);
        let ill = driver.gateway()["servers"]
            .as_array()
            .expect("servers")
            .iter()
            .filter(|s| s["well"] == false)
            .count();
        assert_eq!(ill, usize::from(slow_ms > 10_000), "a server that is too slow has failed");
    }
    let mut driver = Driver::new(1);
    driver.set_gateway_limits(&json!({ "slow_ms": 10_001 }));
    driver.set_faults(&json!([{ "fault": "gateway.server-slow" }]));
    let begun = driver.now();
    assert_eq!(driver.chat("assay-text").status, 503);
    assert_eq!(driver.now() - begun, 20_000, "one after another");
}

#[test]
fn sticky_cookie_keeps_the_server_until_it_fails() {
    let mut driver = Driver::new(1);
    let key = driver.key("valid");
    let mut call = post("/v1/chat/completions", Some(&key), &chat("assay-chat"));
    let first = driver.request(&call);
    let cookie = first.headers["set-cookie"].to_str().expect("text").to_owned();
    let (pair, _) = cookie.split_once(';').expect("attributes");
    assert!(pair.starts_with("svc-session="));
    call.headers.push(("cookie", format!("other=1; {pair}").into_bytes()));
    let busy = |driver: &Driver| -> Vec<u64> {
        let servers = driver.gateway()["servers"].as_array().expect("servers").clone();
        servers.iter().map(|server| server["answered"].as_u64().expect("a number")).collect()
    };
    for _ in 0..6 {
        let reply = driver.request(&call);
        assert!(reply.headers.get("set-cookie").is_none(), "it has the cookie");
    }
    let mut answered = busy(&driver);
    answered.sort_unstable();
    assert_eq!(answered, [0, 0, 7]);
    let server = busy(&driver).iter().position(|n| *n == 7).expect("a server");
    driver.down(&[NAMES[server]]);
    let moved = driver.request(&call);
    assert_eq!(moved.status, 200);
    assert!(moved.headers.contains_key("set-cookie"), "it has another server now");
    for strange in ["svc-session=", "svc-session=nobody", "=", ";;;", "svc-session"] {
        call.headers.last_mut().expect("the cookie").1 = strange.as_bytes().to_vec();
        assert_eq!(driver.request(&call).status, 200, "{strange}");
    }
}

#[test]
fn without_a_cookie_servers_take_turns() {
    let mut driver = Driver::new(1);
    for _ in 0..9 {
        driver.chat("assay-chat");
    }
    let servers = driver.gateway()["servers"].clone();
    assert_eq!([0, 1, 2].map(|n| servers[n]["answered"].as_u64()), [Some(3); 3]);
}

#[test]
fn stream_that_fails_before_the_first_byte_goes_to_the_next_server() {
    let mut driver = Driver::new(1);
    let whole = text_of(&driver.chat("assay-chat"));
    driver.down(&["server-a", "server-b"]);
    for _ in 0..3 {
        let exchange = driver.stream(assay_sim::gateway::GATEWAY, "assay-chat");
        let reply = driver.wait(exchange);
        assert_eq!((reply.status, said(&reply.body)), (200, whole.clone()));
        assert_eq!(events(&reply.body).last().map(String::as_str), Some("[DONE]"));
    }
}

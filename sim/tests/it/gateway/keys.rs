//! Keys: which are accepted where, and in which order a request is checked.

use assay_sim::gateway::{GATEWAY, SERVERS};
use serde_json::json;

use crate::common::{Call, Driver};
use crate::gateway::model::{chat, detail, families, get, post, post_bytes};

#[test]
fn every_endpoint_accepts_a_valid_key_and_rejects_all_others() {
    let mut driver = Driver::new(1);
    let [valid, revoked] = ["valid", "revoked"].map(|state| driver.key(state));
    for site in [GATEWAY, SERVERS[0]] {
        for (path, body) in families("assay-chat") {
            let mut status = |key: Option<&str>| driver.ask_at(site, &post(path, key, &body)).status;
            assert_eq!(status(Some(&valid)), 200, "{path} at {}", site.name);
            for key in [None, Some(revoked.as_str()), Some("svc-nobody"), Some("")] {
                assert_eq!(status(key), 401, "{path} at {} with {key:?}", site.name);
            }
        }
    }
}

#[test]
fn key_check_distinguishes_keys_and_is_free() {
    let mut driver = Driver::new(1);
    let [valid, revoked, exhausted] = ["valid", "revoked", "exhausted"].map(|state| driver.key(state));
    let before = driver.gateway()["accounts"].clone();
    for (key, expected) in [
        (Some(valid.as_str()), 200),
        (Some(&revoked), 401),
        (Some(&exhausted), 200),
        (Some("x"), 401),
        (None, 401),
    ] {
        let reply = driver.request(&get("/svc/auth/check", key));
        assert_eq!(reply.status, expected, "{key:?}");
        if expected == 401 {
            assert!(!detail(&reply).is_empty());
        }
    }
    assert_eq!(driver.gateway()["accounts"], before);
}

#[test]
fn header_without_a_bearer_key_is_rejected() {
    let mut driver = Driver::new(1);
    let key = driver.key("valid");
    let mut status = |values: &[String]| {
        let headers = values.iter().map(|value| ("authorization", value.clone().into_bytes())).collect();
        driver.request(&Call::new("GET", "/svc/auth/check", headers, Vec::new())).status
    };
    for good in [format!("Bearer {key}"), format!("bearer  {key} ")] {
        assert_eq!(status(&[good]), 200);
    }
    for bad in [
        key.clone(),
        format!("Basic {key}"),
        format!("Bearer{key}"),
        "Bearer".into(),
        format!("Bearer {key}x"),
    ] {
        assert_eq!(status(std::slice::from_ref(&bad)), 401, "{bad}");
    }
    assert_eq!(status(&[format!("Bearer {key}"), format!("Bearer {key}")]), 401, "two headers are malformed");
}

#[test]
fn key_is_checked_before_body_and_body_before_model() {
    let mut driver = Driver::new(1);
    let key = driver.key("valid");
    let mut status = |key: Option<&str>, body: &[u8]| {
        driver.request(&post_bytes("/v1/chat/completions", key, body.to_vec())).status
    };
    let unknown_and_bad = br#"{"model": "nobody", "messages": 7}"#;
    let unknown = br#"{"model": "nobody", "messages": [{"role": "user", "content": "x"}]}"#;
    assert_eq!(status(None, unknown_and_bad), 401);
    assert_eq!(status(Some(&key), unknown_and_bad), 422);
    assert_eq!(status(Some(&key), unknown), 404);
}

#[test]
fn usage_is_billed_to_the_subscription_then_to_the_credits() {
    let mut driver = Driver::new(1);
    driver.set_gateway_limits(&json!({ "subscription_tokens": 10, "credits": 1_000_000 }));
    let (made, _) = driver.world.perform("gateway.key", &json!({ "state": "valid" })).expect("an action");
    let key = made["key"].as_str().expect("a key").to_owned();
    let account = |driver: &Driver| driver.gateway()["accounts"][&key].clone();
    let call = post("/v1/chat/completions", Some(&key), &chat("assay-chat"));
    assert_eq!(driver.request(&call).status, 200);
    let after = account(&driver);
    assert_eq!(after["subscription_tokens"], 0);
    assert!(after["spent_tokens"].as_u64() > Some(10) && after["credits"].as_u64() < Some(1_000_000));

    driver.perform("gateway.key", &json!({ "state": "exhausted", "key": key }));
    let refused = driver.request(&call);
    assert_eq!(refused.status, 402);
    assert!(!detail(&refused).is_empty());
    driver.perform("gateway.key", &json!({ "state": "revoked", "key": key }));
    assert_eq!(driver.request(&call).status, 401);
    driver.perform("gateway.key", &json!({ "state": "valid", "key": key }));
    assert_eq!(driver.request(&call).status, 200);
}

#[test]
fn subscription_used_up_by_a_fault_leaves_the_credits() {
    let mut driver = Driver::new(1);
    let key = driver.key("valid");
    let left = |driver: &Driver| {
        let account = driver.gateway()["accounts"][&key].clone();
        ["subscription_tokens", "credits"].map(|name| account[name].as_u64().expect("a number"))
    };
    let [subscription, credits] = left(&driver);
    assert_eq!(driver.chat("assay-text").status, 200);
    let [subscription_after, credits_after] = left(&driver);
    assert!(subscription_after < subscription && credits_after == credits);
    driver.set_faults(&json!([{ "fault": "gateway.subscription-used-up" }]));
    assert_eq!(driver.chat("assay-text").status, 200);
    let [last, credits_last] = left(&driver);
    assert!(last == subscription_after && credits_last < credits);
}

//! Claims: until when, by whom, how often, and that the token stays secret.

use std::collections::BTreeMap;
use std::sync::Arc;

use assay_sim::control::{Hub, PREFIX, router};
use assay_sim::serve::{ClockMode, Handle};
use axum::body::Body;
use http::Request;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::common::drop::{Form, page};
use crate::common::{Client, Driver};

const HOUR: i64 = 3_600_000;

#[test]
fn claim_works_until_one_millisecond_before_the_deadline() {
    for (wait, works) in [(0, true), (4 * HOUR - 1, true), (4 * HOUR, false), (4 * HOUR + 1, false)] {
        let mut driver = Driver::new(1);
        let dropped = driver.drop_page();
        driver.advance(wait);
        let claimed = driver.claim(&dropped.token);
        let owned = json!({ "dropId": dropped.id, "state": "owned-project" });
        let expected =
            if works { Ok(owned) } else { Err("the deadline of this claim has passed".to_owned()) };
        assert_eq!(claimed, expected, "after {wait} ms");
        let state = if works { "owned-project" } else { "removed" };
        assert_eq!(driver.drops()["drops"][&dropped.id]["state"], state);
    }
}

#[test]
fn claimed_drop_stays_live() {
    let mut driver = Driver::new(1);
    let claimed = driver.drop_page();
    let other = driver.drop_page();
    driver.advance(4 * HOUR - 1);
    driver.claim(&claimed.token).expect("in time");
    for wait in [0, 1, HOUR, 24 * HOUR, 365 * 24 * HOUR] {
        driver.advance(wait);
        assert_eq!(driver.look(claimed.path()).body, "<p>", "{wait} ms later");
    }
    assert_eq!(driver.look(other.path()).status, 404, "the unclaimed one is removed");
    assert_eq!(driver.drops()["stored_bytes"], 3);
}

#[test]
fn drop_can_be_claimed_once() {
    let mut driver = Driver::new(1);
    let dropped = driver.drop_page();
    driver.claim(&dropped.token).expect("the first");
    for wait in [0, 4 * HOUR, 48 * HOUR] {
        driver.advance(wait);
        assert_eq!(driver.claim(&dropped.token), Err("this drop has been claimed".to_owned()));
    }
}

#[test]
fn no_other_token_claims_anything() {
    let mut driver = Driver::new(1);
    let dropped = driver.drop_page();
    let before = driver.drops();
    let token = &dropped.token;
    let cut = &token[..token.len() - 1];
    let turned: String = token.chars().rev().collect();
    for wrong in
        ["", " ", "x", cut, &turned, &format!("{token} "), &dropped.id, &dropped.cid, &token.to_lowercase()]
    {
        let refused = driver.claim(wrong).expect_err(wrong);
        assert_eq!(refused, "no drop has this claim token");
    }
    assert_eq!(driver.drops(), before);
    driver.claim(token).expect("the token itself");
}

#[test]
fn malformed_claims_are_rejected_without_an_echo() {
    let mut driver = Driver::new(1);
    let dropped = driver.drop_page();
    let token = &dropped.token;
    for arguments in [
        Value::Null,
        json!([]),
        json!({}),
        json!(token),
        json!([token, token]),
        json!({ "claim": token }),
        json!({ "token": [token] }),
        json!({ "token": token, "claim": token }),
    ] {
        let refused = driver.world.perform("drop.claim", &arguments).expect_err("a rejected claim");
        assert!(!refused.contains(token.as_str()) && !refused.is_empty(), "{arguments}: {refused}");
    }
    for action in ["drop.steal", "drop.", "drop.claim "] {
        driver.world.perform(action, &json!({ "token": token })).expect_err(action);
    }
    assert_eq!(driver.drops()["drops"][&dropped.id]["state"], "published");
}

#[test]
fn token_does_not_outlive_its_drop() {
    let mut driver = Driver::new(1);
    let dropped = driver.drop_page();
    driver.advance(28 * HOUR);
    assert_eq!(driver.claim(&dropped.token), Err("no drop has this claim token".to_owned()));
}

#[test]
fn claim_url_has_token_and_deadline_only_in_its_fragment() {
    for variations in [&[][..], &["drop.claim-elsewhere"], &["drop.claim-elsewhere", "drop.token-encoded"]] {
        let mut driver = Driver::new(1);
        let names: Vec<String> = variations.iter().map(ToString::to_string).collect();
        driver.world.set_variations(&names).expect("known variations");
        let dropped = driver.drop_page();
        let (before, fragment) = dropped.claim_url.split_once('#').expect("a fragment");
        let encoded = dropped.token.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
        assert_eq!(fragment, format!("claim={encoded}&exp={}", dropped.expires_at.0));
        assert!(!before.contains(&dropped.token) && !before.contains(&encoded));
        assert!(!dropped.url.contains(&dropped.token));
        assert!(dropped.token.len() >= 43, "as many bits as a key: {}", dropped.token);
    }
}

#[tokio::test]
async fn control_api_shows_no_token() {
    for variations in [&[][..], &["drop.token-encoded"], &["wire.chunks"]] {
        let mut driver = Driver::new(1);
        let names: Vec<String> = variations.iter().map(ToString::to_string).collect();
        driver.world.set_variations(&names).expect("known variations");
        let zip = page("<p>seen</p>");
        let kept = driver.drop_form(&Form::default().field("source", b"here").artifact(&zip).call());
        let dropped = driver.drop_form(&Form::default().artifact(&zip).call());
        driver.claim(&dropped.token).expect("in time");
        driver.claim(&dropped.token).expect_err("twice");
        driver.post_zip(b"no zip");
        let client = Client::new(1, "a.example");
        driver.bind(&client);
        let handle = Handle::new(driver.world, ClockMode::Manual);
        let hub = Arc::new(Hub::new(handle, BTreeMap::new()));

        let mut all = String::new();
        for path in [
            "info",
            "clock",
            "faults",
            "deviations",
            "variations",
            "limits",
            "state",
            "log",
            "coverage",
            "journal",
        ] {
            let request = Request::get(format!("{PREFIX}/{path}"))
                .header("host", "localhost")
                .body(Body::empty())
                .expect("a request");
            let response = router(hub.clone()).oneshot(request).await.expect("infallible");
            assert_eq!(response.status(), 200, "{path}");
            let body = response.into_body().collect().await.expect("a body").to_bytes();
            all.push_str(std::str::from_utf8(&body).expect("JSON"));
        }
        for drop in [&kept, &dropped] {
            assert!(all.contains(&drop.id) && all.contains(&drop.cid), "the drops are shown");
            let fragments = drop.claim_url.split_once('#').expect("a fragment").1.to_owned();
            let in_pieces = drop.token.as_bytes().chunks(7).skip(1);
            let pieces = in_pieces
                .filter(|piece| piece.len() > 5)
                .map(|piece| String::from_utf8_lossy(piece).into_owned());
            for secret in pieces.chain([drop.token.clone(), fragments]) {
                assert!(!all.contains(&secret), "{secret} under {variations:?}");
            }
        }
        assert!(all.contains("secret_bytes") && all.contains("drop.zip.form"), "refusals are shown");
        assert!(all.contains("action drop.claim") && all.contains(&client.address()), "actions are shown");
    }
}

#[test]
fn hidden_arguments_are_still_fingerprinted() {
    let run = |token: &str| {
        let mut driver = Driver::new(1);
        driver.drop_page();
        driver.claim(token).expect_err("an unknown token");
        driver.world.core.journal.fingerprint()
    };
    assert_eq!(run("a"), run("a"));
    assert_ne!(run("a"), run("b"));
}

//! The requests that a world has received, the stream of its changes, and the page that shows both.

use std::sync::Arc;

use assay_sim::control::{Hub, router};
use assay_sim::network;
use assay_sim::serve::{ClockMode, Handle};
use axum::body::{Body, BodyDataStream};
use axum::http::{Method, Request};
use futures_util::StreamExt;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;

use super::{LOOPBACK, json, response};
use crate::common::drop::{page, upload};
use crate::common::{PREPARE, bound};

/// A hub and the world that it serves.
fn served() -> (Arc<Hub>, Handle) {
    let handle = Handle::new(bound().0.world, ClockMode::Manual);
    let hub = Hub::new(handle.clone(), std::collections::BTreeMap::new()).with_forks(LOOPBACK);
    (Arc::new(hub), handle)
}

async fn answer_to(hub: &Arc<Hub>, path: &str) -> (u16, Value) {
    let response = response(hub, Method::GET, path, &[("host", "localhost")], "").await;
    (response.status().as_u16(), json(response).await)
}

async fn send(handle: &Handle, site: assay_sim::Site, method: Method, target: &str, body: &[u8]) {
    let request = Request::builder().method(method).uri(target).header("x-mark", "a");
    let request = request.body(Body::from(body.to_vec())).expect("a request");
    let answer = handle.site(site, LOOPBACK).oneshot(request).await.expect("infallible");
    answer.into_body().collect().await.expect("a whole body");
}

#[tokio::test]
async fn received_requests_are_listed_with_responses_and_reasons() {
    let (hub, handle) = served();
    assert_eq!(answer_to(&hub, "requests").await.1, json!({ "count": 0, "kept": 0, "requests": [] }));
    let (network, publish) = (network::sites::PRIMARY, assay_sim::publish::SITES[0]);
    send(&handle, network, Method::GET, "/api/v0/messages?limit=1", b"").await;
    send(&handle, network, Method::GET, "/nowhere", b"").await;
    send(&handle, publish, Method::POST, PREPARE, b"{\"n\":1}").await;

    let (status, all) = answer_to(&hub, "requests").await;
    assert_eq!((status, &all["count"], &all["kept"]), (200, &json!(3), &json!(3)));
    let first = &all["requests"][0];
    assert_eq!((&first["site"], &first["method"]), (&json!("network"), &json!("GET")));
    assert_eq!((&first["target"], &first["status"]), (&json!("/api/v0/messages?limit=1"), &json!(200)));
    assert_eq!((&first["peer"], &first["ended"]), (&json!("127.0.0.1"), &json!("whole")));
    let listed = first["response"]["body"]["text"].as_str().expect("a body");
    assert!(serde_json::from_str::<Value>(listed).expect("JSON")["messages"].is_array());
    let last = &all["requests"][2];
    assert!(last["request"]["headers"].as_array().expect("headers").contains(&json!(["x-mark", "a"])));
    assert_eq!(last["request"]["body"], json!({ "bytes": 7, "text": "{\"n\":1}" }));
    let rule = last["why"][0]["requirement"].as_str().expect("a rule");
    assert!(rule.starts_with("publish.envelope."), "{rule}");

    let after = first["exchange"].as_u64().expect("a number");
    for (query, count) in [
        ("site=network".to_owned(), 2),
        ("site=drop".to_owned(), 0),
        ("method=post".to_owned(), 1),
        ("path=/nowhere".to_owned(), 1),
        ("path=/api/v0/messages".to_owned(), 1),
        ("path=/api/*".to_owned(), 2),
        ("path=/api".to_owned(), 0),
        ("status=404".to_owned(), 2),
        ("status=4xx&site=network".to_owned(), 1),
        ("status=5xx".to_owned(), 0),
        ("rule=publish.".to_owned(), 1),
        (format!("rule={rule}"), 1),
        ("rule=drop.".to_owned(), 0),
        (format!("after={after}"), 2),
    ] {
        assert_eq!(answer_to(&hub, &format!("requests?{query}")).await.1["count"], json!(count), "{query}");
    }
    let (_, one) = answer_to(&hub, "requests?limit=1").await;
    assert_eq!((&one["count"], one["requests"].as_array().map(Vec::len)), (&json!(3), Some(1)));
    assert_eq!(one["requests"][0], *last);
    for invalid in ["site=nowhere", "status=ok", "status=40", "status=xx4", "limit=-1", "paths=/", "after=x"]
    {
        let (status, refusal) = answer_to(&hub, &format!("requests?{invalid}")).await;
        assert!(status == 400 && refusal["error"].is_string(), "{invalid}: {status} {refusal}");
    }
}

#[tokio::test]
async fn long_bodies_are_cut_and_binary_ones_are_hex() {
    let (hub, handle) = served();
    let site = network::sites::PRIMARY;
    // The limit is inside of a character.
    let long = format!("x{}", "\u{e9}".repeat(40_000));
    for body in [long.as_bytes(), &[0xff, 0x00], &vec![0xff; 100_000]] {
        send(&handle, site, Method::POST, "/api/v0/messages", body).await;
    }
    let (_, all) = answer_to(&hub, "requests").await;
    let body = |n: usize| &all["requests"][n]["request"]["body"];
    let shown = body(0)["text"].as_str().expect("a string");
    assert_eq!(
        (body(0)["bytes"].as_u64(), shown.len(), &body(0)["cut"]),
        (Some(80_001), 65_535, &json!(true))
    );
    assert!(long.starts_with(shown));
    assert_eq!(*body(1), json!({ "bytes": 2, "hex": "ff00" }));
    assert_eq!(
        (body(2)["bytes"].as_u64(), body(2)["hex"].as_str().map(str::len)),
        (Some(100_000), Some(131_072))
    );
}

/// The number in the next event.
async fn event(events: &mut BodyDataStream) -> Option<u64> {
    let bytes = events.next().await?.expect("an event");
    let data = std::str::from_utf8(&bytes).ok()?.strip_prefix("data: ")?.strip_suffix("\n\n")?.to_owned();
    serde_json::from_str::<Value>(&data).expect("JSON")["count"].as_u64()
}

#[tokio::test]
async fn changes_are_streamed_until_the_world_ends() {
    let (hub, handle) = served();
    let host = [("host", "localhost")];
    let fork = response(&hub, Method::POST, "fork", &host, "").await;
    let path = json(fork).await["path"].as_str().expect("a path").to_owned();
    let stream = async |path: &str| {
        let response = response(&hub, Method::GET, &format!("{path}changes"), &host, "").await;
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        response.into_body().into_data_stream()
    };
    let (mut here, mut there) = (stream("").await, stream(&format!("{path}/")).await);
    let first = event(&mut here).await.expect("the number at first");
    assert!(event(&mut there).await.is_some());
    send(&handle, network::sites::PRIMARY, Method::GET, "/nowhere", b"").await;
    let second = event(&mut here).await.expect("a change");
    assert!(second > first, "{first} {second}");
    // Changes that were not read yet are one event, which has the last number.
    handle.advance(1_000);
    send(&handle, network::sites::PRIMARY, Method::GET, "/nowhere", b"").await;
    let count = handle.read(|world| world.core.journal.count());
    assert_eq!(event(&mut here).await, Some(count));

    response(&hub, Method::DELETE, &path, &host, "").await;
    assert_eq!(event(&mut there).await, None);
}

#[tokio::test]
async fn machines_show_which_transitions_were_made() {
    let (hub, handle) = served();
    let made = async || -> Vec<Value> {
        let (_, machines) = answer_to(&hub, "machines").await;
        let lists = machines.as_object().expect("machines").values();
        let all: Vec<&Value> = lists.flat_map(|list| list.as_array().expect("a list")).collect();
        assert_eq!(
            all.len(),
            assay_spec::catalogue::machines().flat_map(|machine| machine.transitions).count()
        );
        all.into_iter().filter(|transition| transition["made"] == true).cloned().collect()
    };
    assert_eq!(made().await, [] as [Value; 0]);
    let call = upload(&page("a"));
    let mut request = Request::builder().method(call.method.as_str()).uri(&call.target);
    for (name, value) in &call.headers {
        request = request.header(*name, value.as_slice());
    }
    let request = request.body(Body::from(call.body)).expect("a request");
    let answer = handle.site(assay_sim::drop::SITE, LOOPBACK).oneshot(request).await.expect("infallible");
    assert_eq!(answer.status(), 200);
    let events: Vec<Value> = made().await.iter().map(|transition| transition["event"].clone()).collect();
    assert!(events.contains(&json!("post")) && events.contains(&json!("publish")), "{events:?}");
    assert!(!events.contains(&json!("claim")), "{events:?}");
}

#[tokio::test]
async fn the_page_needs_no_token_and_loads_nothing_from_elsewhere() {
    let handle = Handle::new(bound().0.world, ClockMode::Manual);
    let hub = Hub::new(handle, std::collections::BTreeMap::new()).with_token(Some("secret".to_owned()));
    let hub = Arc::new(hub);
    let get = async |path: &str| {
        let request = Request::get(path).header("host", "localhost").body(Body::empty()).expect("a request");
        let response = router(hub.clone()).oneshot(request).await.expect("infallible");
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.expect("a body").to_bytes();
        (parts.status, parts.headers, String::from_utf8(bytes.to_vec()).expect("UTF-8"))
    };
    for (path, media_type) in [
        ("/", "text/html; charset=utf-8"),
        ("/page.css", "text/css; charset=utf-8"),
        ("/page.js", "text/javascript; charset=utf-8"),
    ] {
        let (status, headers, content) = get(path).await;
        assert_eq!(status, 200);
        assert_eq!(headers["content-type"], media_type);
        let policy = headers["content-security-policy"].to_str().expect("a policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'"), "{policy}");
        assert!(!content.contains("http://") && !content.contains("https://"), "{path}");
        assert!(
            !content.contains("innerHTML") && !content.contains("style=") && !content.contains("onclick")
        );
    }
    assert_eq!(get("/_sim/v1/requests").await.0, 401);
    assert_eq!(get("/_sim/v1/changes").await.0, 401);
}

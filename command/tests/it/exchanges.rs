//! Hand-written exchanges against the simulator, so that a wrong shape cannot hide in shared encodings.

use std::collections::BTreeSet;

use assay_sim::network::sites::PRIMARY;
use assay_sim::{Input, Output, RequestHead, Site, World, drop, metadata, publish};
use assay_spec::{Dialect, Instant, Service};
use assay_vectors::exchange::{Exchange, Request, exchanges};
use serde_json::{Value, json};

/// A world at the time of an exchange.
fn world(exchange: &Exchange) -> World {
    World::new(1, clock(exchange), Dialect::default())
}

fn clock(exchange: &Exchange) -> Instant {
    Instant::parse_exact(&exchange.clock).expect("a time")
}

/// Status and body of the simulator's response to the hand-written publish request, at the hand-written time.
fn answer(exchange: &Exchange) -> (u16, Value) {
    let mut world = world(exchange);
    world
        .perform("publish.bind", &json!({ "domain": "site.example", "key": exchange.keys.client }))
        .expect("bound");
    let (status, body) = replay(&mut world, publish::SITES[0], &exchange.request);
    (status, json(&body))
}

/// A body as JSON; null if it is none.
fn json(body: &[u8]) -> Value {
    serde_json::from_slice(body).unwrap_or_default()
}

/// Status and body of a world's response to a request.
fn replay(world: &mut World, site: Site, request: &Request) -> (u16, Vec<u8>) {
    let mut lines = request.head.iter();
    let mut words = lines.next().expect("a request line").split(' ');
    let (method, target) = (words.next().expect("a method"), words.next().expect("a target"));
    let headers = lines
        .map(|line| {
            let (name, value) = line.split_once(": ").expect("a header line");
            (name.parse().expect("a name"), value.parse().expect("a value"))
        })
        .collect();
    let head = RequestHead {
        site,
        peer: std::net::Ipv4Addr::LOCALHOST.into(),
        method: method.parse().expect("a method"),
        target: target.to_owned(),
        headers,
    };
    let number = world.next_exchange();
    world.input(Input::Head(Box::new(head)));
    if !request.body.is_empty() {
        world.input(Input::Body(number, request.body.clone().into()));
    }
    let (mut status, mut body) = (0, Vec::new());
    for output in world.input(Input::End(number)) {
        match output {
            Output::Head { status: got, .. } => status = got,
            Output::Frame { bytes, .. } => body.extend_from_slice(&bytes),
            Output::End { .. } | Output::Cut { .. } | Output::Outgoing { .. } => {}
        }
    }
    (status, body)
}

fn named(endpoint: &str) -> Exchange {
    let mut exchanges = exchanges("publish").into_iter();
    exchanges.find(|exchange| exchange.endpoint == endpoint).expect("written by hand")
}

/// Replaces every free member by `null` and returns the old values.
fn without_free(exchange: &Exchange, body: &mut Value) -> Vec<Value> {
    let mut take = |pointer: &String| body.pointer_mut(pointer).map(Value::take).unwrap_or_default();
    exchange.response.free.keys().map(&mut take).collect()
}

#[test]
fn simulator_returns_the_hand_written_responses_of_the_network() {
    let exchanges = exchanges("network");
    let mut world = world(exchanges.first().expect("written by hand"));
    // The hand-written names of what was created, with the simulator's.
    let mut names: Vec<(String, String)> = Vec::new();
    for exchange in &exchanges {
        world.input(Input::Tick(clock(exchange)));
        let mut request = exchange.request.clone();
        for (by_hand, here) in &names {
            request.head[0] = request.head[0].replace(by_hand, here);
        }
        let (status, bytes) = replay(&mut world, PRIMARY, &request);
        assert_eq!(status, 200, "{}: {}", exchange.endpoint, String::from_utf8_lossy(&bytes));
        let Ok(mut by_hand) = serde_json::from_str::<Value>(&exchange.response.body) else {
            assert_eq!(bytes, exchange.response.body.as_bytes(), "{}", exchange.endpoint);
            continue;
        };
        let mut body = json(&bytes);
        for member in ["item_hash", "instance_id", "webhook_id"] {
            let text = |body: &Value| body[member].as_str().map(str::to_owned);
            names.extend(text(&by_hand).zip(text(&body)));
        }
        let free = without_free(exchange, &mut by_hand).into_iter().zip(without_free(exchange, &mut body));
        for (by_hand, here) in free {
            let same_type = std::mem::discriminant(&by_hand) == std::mem::discriminant(&here);
            assert!(same_type, "{}: {by_hand} by hand, {here} here", exchange.endpoint);
            let known = names.iter().find(|(name, _)| by_hand == *name);
            assert!(known.is_none_or(|(_, name)| here == *name), "{here}");
        }
        assert_eq!(body, by_hand, "{}", exchange.endpoint);
        let order = |value: &Value| value.to_string();
        assert_eq!(order(&body), order(&by_hand), "{}: members in the document's order", exchange.endpoint);
    }
}

#[test]
fn simulator_returns_the_hand_written_responses_of_token_metadata() {
    // The hand-written addresses of the first contract; the simulator's addresses replace them.
    const CID: &str = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy";
    const URI: &str = "https://tokens.example:8443/collections/first";
    for exchange in exchanges("metadata") {
        let mut world = world(&exchange);
        let view = world.view(Service::Metadata);
        let contract = |member: &str| view["contracts"][0][member].as_str().expect("a string").to_owned();
        let mut request = exchange.request.clone();
        request.head[0] = request.head[0].replace(CID, &contract("cid")).replace(URI, &contract("path"));
        let (status, body) = replay(&mut world, metadata::SITE, &request);
        let mut body = json(&body);
        assert_eq!(status, 200, "{}: {body}", exchange.endpoint);
        let Ok(mut by_hand) = serde_json::from_str::<Value>(&exchange.response.body) else {
            assert!(body.is_null(), "the hand-written body is not JSON, but the simulator's is");
            continue;
        };
        let free = without_free(&exchange, &mut by_hand).into_iter().zip(without_free(&exchange, &mut body));
        for (by_hand, here) in free {
            let same_type = std::mem::discriminant(&by_hand) == std::mem::discriminant(&here);
            assert!(same_type, "{}: {by_hand} by hand, {here} here", exchange.endpoint);
        }
        assert_eq!(body.to_string(), by_hand.to_string(), "{}", exchange.endpoint);
    }
}

#[test]
fn simulator_returns_the_hand_written_response_of_the_drop() {
    let exchange = exchanges("drop").into_iter().next().expect("written by hand");
    let (status, body) = replay(&mut world(&exchange), drop::SITE, &exchange.request);
    let mut body = json(&body);
    assert_eq!(status, 200, "{body}");
    let mut by_hand: Value = serde_json::from_str(&exchange.response.body).expect("JSON");
    let free = without_free(&exchange, &mut by_hand).into_iter().zip(without_free(&exchange, &mut body));
    assert!(free.into_iter().all(|(by_hand, here)| by_hand.is_string() && here.is_string()), "free members");
    assert_eq!(body, by_hand, "the content identifier and the deadline are those of the document");
}

#[test]
fn simulator_answers_the_prepare_in_the_hand_written_shape() {
    let exchange = named("prepare");
    let (status, body) = answer(&exchange);
    assert_eq!(status, 200, "{body}");
    let by_hand: Value = serde_json::from_str(&exchange.response.body).expect("JSON");
    let members = |value: &Value| -> BTreeSet<String> {
        value.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect()
    };
    assert_eq!(members(&body), members(&by_hand));
    assert_eq!(body["payload"], by_hand["payload"], "same request, same time: the same record");
    assert_eq!(body["expiresAt"], by_hand["expiresAt"]);
    for (name, value) in by_hand.as_object().into_iter().flatten().filter(|(name, _)| *name != "txtObserved")
    {
        let same_type = std::mem::discriminant(value) == std::mem::discriminant(&body[name]);
        assert!(same_type, "{name}: {value} by hand, {} here", body[name]);
    }
}

#[test]
fn envelope_of_the_hand_written_submit_is_accepted() {
    // Another service issued its prepare: here the id is unknown, and nothing else is wrong.
    let (status, body) = answer(&named("submit"));
    assert_eq!(status, 410, "{body}");
}

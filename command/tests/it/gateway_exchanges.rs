//! Hand-written exchanges of the gateway against the simulator: each response has the hand-written members with the
//! same types, and the same values where they are not free.

use assay_sim::gateway::GATEWAY;
use assay_sim::{Input, Output, RequestHead, World};
use assay_spec::{Dialect, Instant, Service};
use assay_vectors::exchange::{Exchange, exchanges};
use serde_json::Value;

/// Long enough for the slowest response, in milliseconds.
const PATIENCE_MS: i64 = 600_000;

fn named(endpoint: &str) -> Exchange {
    exchanges("gateway").into_iter().find(|exchange| exchange.endpoint == endpoint).expect("written by hand")
}

/// Status, content type and body of the simulator's response to the hand-written request, with the simulator's key.
fn replay(exchange: &Exchange) -> (u16, String, Vec<u8>) {
    let now = Instant::parse_exact(&exchange.clock).expect("a time");
    let mut world = World::new(1, now, Dialect::default());
    let view = world.view(Service::Gateway);
    let key = view["keys"]["valid"].as_str().expect("a valid key").to_owned();
    let mut lines = exchange.request.head.iter();
    let mut words = lines.next().expect("a request line").split(' ');
    let (method, target) = (words.next().expect("a method"), words.next().expect("a target"));
    let headers = lines
        .map(|line| {
            let (name, value) = line.split_once(": ").expect("a header line");
            let value = value.replace(&exchange.keys.client_secret, &key);
            (name.parse().expect("a name"), value.parse().expect("a value"))
        })
        .collect();
    let head = RequestHead {
        site: GATEWAY,
        peer: std::net::Ipv4Addr::LOCALHOST.into(),
        method: method.parse().expect("a method"),
        target: target.to_owned(),
        headers,
    };
    let number = world.next_exchange();
    let mut outputs = world.input(Input::Head(Box::new(head)));
    if !exchange.request.body.is_empty() {
        outputs.extend(world.input(Input::Body(number, exchange.request.body.clone().into())));
    }
    outputs.extend(world.input(Input::End(number)));
    outputs.extend(world.input(Input::Tick(now + PATIENCE_MS)));
    let (mut status, mut kind, mut body, mut ended) = (0, String::new(), Vec::new(), false);
    for output in outputs {
        match output {
            Output::Head { exchange, status: got, headers, .. } if exchange == number => {
                status = got;
                let found = headers.get("content-type").and_then(|value| value.to_str().ok());
                found.unwrap_or_default().clone_into(&mut kind);
            }
            Output::Frame { exchange, bytes, .. } if exchange == number => body.extend_from_slice(&bytes),
            Output::End { exchange, .. } if exchange == number => ended = true,
            _ => {}
        }
    }
    assert!(ended, "{}: the response is not complete", exchange.endpoint);
    (status, kind, body)
}

/// The members of `by_hand` that are missing in `here`, have another type, or another value although not free.
fn differences(by_hand: &Value, here: Option<&Value>, at: &str, free: &dyn Fn(&str) -> bool) -> Vec<String> {
    let Some(here) = here else { return vec![format!("{at} is missing")] };
    let inside = |name: String, value: &Value, found: Option<&Value>| {
        differences(value, found, &format!("{at}/{name}"), free)
    };
    match (by_hand, here) {
        (Value::Object(members), Value::Object(_)) => {
            members.iter().flat_map(|(name, value)| inside(name.clone(), value, here.get(name))).collect()
        }
        (Value::Array(items), Value::Array(_)) if !free(at) => items
            .iter()
            .enumerate()
            .flat_map(|(n, value)| inside(n.to_string(), value, here.get(n)))
            .collect(),
        _ if std::mem::discriminant(by_hand) != std::mem::discriminant(here) => {
            vec![format!("{at} is {by_hand} by hand, {here} here")]
        }
        _ if !free(at) && by_hand != here => vec![format!("{at} is {by_hand} by hand, {here} here")],
        _ => Vec::new(),
    }
}

#[test]
fn simulator_returns_the_hand_written_responses() {
    for exchange in exchanges("gateway").iter().filter(|exchange| exchange.endpoint != "chat-stream") {
        let (status, kind, body) = replay(exchange);
        assert_eq!(status, 200, "{}: {}", exchange.endpoint, String::from_utf8_lossy(&body));
        assert!(kind.starts_with("application/json"), "{}: {kind}", exchange.endpoint);
        let here: Value = serde_json::from_slice(&body).expect("JSON");
        let by_hand: Value = serde_json::from_str(&exchange.response.body).expect("JSON");
        let free = |at: &str| exchange.response.free.contains_key(at);
        // The list of servers may have any length.
        let listed = |at: &str| free(at) || at.ends_with("/servers");
        let found = differences(&by_hand, Some(&here), "", &listed);
        assert!(found.is_empty(), "{}: {found:?} in {here}", exchange.endpoint);
    }
}

#[test]
fn simulator_streams_chunks_in_the_hand_written_shape() {
    let exchange = named("chat-stream");
    let (status, kind, body) = replay(&exchange);
    assert_eq!((status, kind.split(';').next()), (200, Some("text/event-stream")));
    let data = |body: &str| -> Vec<String> {
        body.lines().filter_map(|line| line.strip_prefix("data: ")).map(str::to_owned).collect()
    };
    let (by_hand, here) =
        (data(&exchange.response.body), data(&String::from_utf8(body).expect("streams are UTF-8")));
    assert_eq!(here.last(), by_hand.last(), "the end mark");
    let first: Value = serde_json::from_str(&by_hand[0]).expect("JSON");
    let free = |at: &str| exchange.response.free.contains_key(at) || at.ends_with("/finish_reason");
    let mut text = String::new();
    for chunk in &here[..here.len() - 1] {
        let chunk: Value = serde_json::from_str(chunk).expect("JSON");
        let mut shape = first.clone();
        // The members of `delta` differ between chunks.
        shape["choices"][0]["delta"] = Value::Object(serde_json::Map::new());
        shape["choices"][0]["finish_reason"] = chunk["choices"][0]["finish_reason"].clone();
        let found = differences(&shape, Some(&chunk), "", &free);
        assert!(found.is_empty(), "{found:?} in {chunk}");
        text.push_str(chunk["choices"][0]["delta"]["content"].as_str().unwrap_or_default());
    }
    assert!(!text.is_empty());
}

#[test]
fn inference_without_the_key_returns_401() {
    for mut exchange in exchanges("gateway") {
        exchange.request.head.retain(|line| !line.starts_with("Authorization"));
        let (status, ..) = replay(&exchange);
        // In the simulator, discovery and the model list need no key.
        let open = matches!(exchange.endpoint.as_str(), "models" | "discovery");
        assert_eq!(status, if open { 200 } else { 401 }, "{}", exchange.endpoint);
    }
}

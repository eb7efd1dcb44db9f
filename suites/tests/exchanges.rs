//! The exchanges written out by hand, against the simulator: a wrong shape cannot hide in shared encodings.

use std::collections::BTreeSet;

use assay_sim::publish::SITES;
use assay_sim::{Input, Output, RequestHead, World};
use assay_spec::{Dialect, Instant};
use assay_vectors::exchange::{Exchange, exchanges};
use serde_json::{Value, json};

/// The simulator's answer to the hand-written request, at the hand-written time: status and body.
fn answer(exchange: &Exchange) -> (u16, Value) {
    let clock = Instant::parse_exact(&exchange.clock).expect("a time");
    let mut world = World::new(1, clock, Dialect::default());
    world
        .act("publish.bind", &json!({ "domain": "site.example", "key": exchange.keys.client }))
        .expect("bound");
    let mut lines = exchange.request.head.iter();
    let mut words = lines.next().expect("a request line").split(' ');
    let (method, target) = (words.next().expect("a method"), words.next().expect("a target"));
    let headers = lines
        .map(|line| {
            let (name, value) = line.split_once(": ").expect("a header line");
            (name.parse().expect("a name"), value.parse().expect("a value"))
        })
        .collect();
    let head = RequestHead {
        site: SITES[0],
        peer: std::net::Ipv4Addr::LOCALHOST.into(),
        method: method.parse().expect("a method"),
        target: target.to_owned(),
        headers,
    };
    let number = world.next_exchange();
    world.input(Input::Head(Box::new(head)));
    world.input(Input::Body(number, exchange.request.body.clone().into()));
    let (mut status, mut body) = (0, Vec::new());
    for output in world.input(Input::End(number)) {
        match output {
            Output::Head { status: got, .. } => status = got,
            Output::Frame { bytes, .. } => body.extend_from_slice(&bytes),
            Output::End { .. } | Output::Outgoing { .. } => {}
        }
    }
    (status, serde_json::from_slice(&body).unwrap_or_default())
}

fn named(endpoint: &str) -> Exchange {
    exchanges().into_iter().find(|exchange| exchange.endpoint == endpoint).expect("written by hand")
}

#[test]
fn the_simulator_answers_the_hand_written_prepare_in_the_hand_written_shape() {
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
fn the_hand_written_submit_is_past_the_envelope() {
    // Its prepare was another service's: here it is gone, and that is all that is wrong with it.
    let (status, body) = answer(&named("submit"));
    assert_eq!(status, 410, "{body}");
}

//! The gateway's exchanges written by hand: the requests are valid, and the responses have the documented members.

use assay_spec::Strict;
use assay_spec::gateway::discovery::{Entry, Server};
use assay_spec::gateway::{ENDPOINTS, auth, completions, responses};
use assay_vectors::exchange::{Exchange, exchanges};
use assay_vectors::op::{Answer, answer};
use serde_json::{Value, json};

fn exchange(endpoint: &str) -> Exchange {
    exchanges("gateway").into_iter().find(|exchange| exchange.endpoint == endpoint).expect("it exists")
}

fn body(exchange: &Exchange) -> Value {
    serde_json::from_str(&exchange.response.body).expect("JSON")
}

/// The data of a response's events.
fn events(exchange: &Exchange) -> Vec<&str> {
    let events = exchange.response.body.split_terminator("\n\n");
    events.map(|event| event.strip_prefix("data: ").expect("one line of data")).collect()
}

#[test]
fn every_endpoint_has_an_exchange() {
    for endpoint in ENDPOINTS {
        let line = format!("{} {} HTTP/1.1", endpoint.method, endpoint.path);
        assert_eq!(exchange(endpoint.name).request.head[0], line);
    }
    assert_eq!(exchanges("gateway").len(), ENDPOINTS.len() + 1, "and one for the chat stream");
}

#[test]
fn content_lengths_match_the_bodies_and_keys_are_the_clients() {
    for exchange in exchanges("gateway") {
        let length = exchange.request.body.len();
        let written = exchange.request.header("Content-Length").map(str::to_owned);
        assert_eq!(written, (length > 0).then(|| length.to_string()), "{}", exchange.endpoint);
        let key = exchange.request.header("Authorization").and_then(auth::bearer);
        assert_eq!(key, Some(exchange.keys.client_secret.as_str()));
        if exchange.endpoint != "chat-stream" {
            let line = format!("Content-Length: {}", exchange.response.body.len());
            assert!(exchange.response.head.contains(&line), "{line}");
        }
    }
}

#[test]
fn requests_are_valid() {
    let facts = |endpoint: &str, of: &str| {
        let input = json!({"endpoint": endpoint, "body": {"utf8": exchange(of).request.body}});
        match answer("gateway.validate", &input, &mut Strict) {
            Answer::Ok(facts) => facts,
            other => panic!("{of}: {other}"),
        }
    };
    let chat = |stream: bool| json!({"model": "assay-chat", "stream": stream, "messages": 1, "images": 0, "tools": []});
    assert_eq!(facts("chat", "chat"), chat(false));
    assert_eq!(facts("chat", "chat-stream"), chat(true));
    assert_eq!(
        facts("messages", "messages"),
        json!({"model": "assay-chat", "max_tokens": 64, "messages": 1})
    );
    for of in ["completions", "native-completions"] {
        assert!(completions::parse(exchange(of).request.body.as_bytes(), &mut Strict).is_ok());
    }
    assert!(responses::parse(exchange("responses").request.body.as_bytes(), &mut Strict).is_ok());
}

#[test]
fn responses_have_the_documented_members() {
    assert!(body(&exchange("chat")).pointer("/choices/0/message").is_some_and(Value::is_object));
    let discovery: std::collections::BTreeMap<String, Entry> =
        serde_json::from_value(body(&exchange("discovery"))).expect("an entry for each model");
    let dialect = assay_spec::Dialect::default();
    for server in discovery.values().flat_map(|entry| &entry.servers) {
        assert!(Server::parse(&dialect, server).is_some(), "{server}");
    }
    for exchange in exchanges("gateway").iter().filter(|exchange| exchange.endpoint != "chat-stream") {
        let body = body(exchange);
        assert!(body.is_object());
        for pointer in exchange.response.free.keys() {
            assert!(body.pointer(pointer).is_some(), "{}: {pointer}", exchange.endpoint);
        }
    }
}

#[test]
fn stream_is_the_response_in_chunks() {
    let exchange = exchange("chat-stream");
    let events = events(&exchange);
    let (end, chunks) = events.split_last().expect("some events");
    assert_eq!(*end, "[DONE]");
    let mut text = String::new();
    for chunk in chunks {
        let chunk: Value = serde_json::from_str(chunk).expect("JSON");
        text.push_str(chunk["choices"][0]["delta"]["content"].as_str().unwrap_or_default());
        for pointer in exchange.response.free.keys() {
            assert!(chunk.pointer(pointer).is_some(), "{pointer}");
        }
    }
    let whole = body(&self::exchange("chat"));
    assert_eq!(whole["choices"][0]["message"]["content"], text);
}

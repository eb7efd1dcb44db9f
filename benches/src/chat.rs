//! Chats with the gateway.

use assay_sim::{Output, RequestHead, World, gateway};
use assay_spec::Service;
use assay_spec::gateway::chat;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, header};
use serde_json::{Value, json};

use crate::{Post, advance, input};

/// The text of one turn.
const TURN: &str = "Tell me about lighthouses on cliffs, and how far their light is seen in fog and rain.";
/// How far time is advanced while waiting for a response, and how often.
const STEP_MS: i64 = 1_000;
const STEPS: usize = 60;

/// A request with this many turns, to the first text model.
pub fn post(world: &World, turns: usize, stream: bool) -> Post {
    let view = world.view(Service::Gateway);
    let models = view["models"].as_array().expect("the view has models");
    let writes = |model: &&Value| model["kind"] == "text" && model["confidential"] != true;
    let model = models.iter().find(writes).expect("a text model");
    let said = |n| json!({ "role": if n % 2 == 0 { "user" } else { "assistant" }, "content": TURN });
    let messages: Vec<Value> = (0..turns).map(said).collect();
    let body = json!({ "model": model["id"], "messages": messages, "stream": stream }).to_string();
    let key = view["keys"]["valid"].as_str().expect("the view has a key");
    let mut headers = HeaderMap::new();
    headers.insert(header::HOST, HeaderValue::from_static("gateway.sim"));
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let bearer = HeaderValue::try_from(format!("Bearer {key}")).expect("a key is a header value");
    headers.insert(header::AUTHORIZATION, bearer);
    let head = RequestHead {
        site: gateway::GATEWAY,
        peer: std::net::Ipv4Addr::LOCALHOST.into(),
        method: Method::POST,
        target: chat::ENDPOINT.path.to_owned(),
        headers,
    };
    Post { head, body: Bytes::from(body) }
}

/// The frames of the response, which must be 200 and complete.
pub fn frames(world: &mut World, post: Post) -> Vec<Bytes> {
    let mut outputs = input(world, post);
    let is_over = |outputs: &[Output]| outputs.iter().any(|output| matches!(output, Output::End { .. }));
    for _ in 0..STEPS {
        if is_over(&outputs) {
            break;
        }
        outputs.extend(advance(world, STEP_MS));
    }
    assert!(is_over(&outputs), "the response is complete");
    assert!(outputs.iter().any(|output| matches!(output, Output::Head { status: 200, .. })), "{outputs:?}");
    let frame = |output| match output {
        Output::Frame { bytes, .. } => Some(bytes),
        _ => None,
    };
    outputs.into_iter().filter_map(frame).collect()
}

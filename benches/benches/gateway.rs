//! A chat request in process, compared with parsing the same body and writing the same response; and the
//! frames of a stream, compared with writing the same frames to memory.

use std::hint::black_box;

use assay_benches::{Post, advance, criterion, input};
use assay_sim::clock::EPOCH;
use assay_sim::{Output, RequestHead, World, gateway};
use assay_spec::gateway::chat;
use assay_spec::{Dialect, Service};
use bytes::Bytes;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use http::{HeaderMap, HeaderValue, Method, header};
use serde_json::{Value, json};

/// The text of one turn.
const TURN: &str = "Tell me about lighthouses on cliffs, and how far their light is seen in fog and rain.";
/// How far time is advanced while waiting for a response, and how often.
const STEP_MS: i64 = 1_000;
const STEPS: usize = 60;

fn world() -> World {
    World::new(1, EPOCH, Dialect::default())
}

/// A request with this many turns, to the first text model.
fn post(world: &World, turns: usize, stream: bool) -> Post {
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
fn frames(world: &mut World, post: Post) -> Vec<Bytes> {
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

fn routed(c: &mut Criterion) {
    let mut group = c.benchmark_group("gateway_chat");
    for (name, turns) in [("one_turn", 1), ("hundred_turns", 100)] {
        let mut world = world();
        let post = post(&world, turns, false);
        let reply = frames(&mut world, post.clone()).concat();
        let reply: Value = serde_json::from_slice(&reply).expect("the response is JSON");
        group.throughput(Throughput::Bytes(post.body.len() as u64));
        group.bench_function(name, |b| b.iter(|| frames(&mut world, post.clone())));
        group.bench_function(format!("limit_{name}_parsed_and_reply_written"), |b| {
            b.iter(|| {
                let body: Value = serde_json::from_slice(black_box(&post.body)).expect("written above");
                (body, serde_json::to_vec(black_box(&reply)))
            });
        });
    }
    group.finish();
}

fn streamed(c: &mut Criterion) {
    let mut world = world();
    let post = post(&world, 1, true);
    let written = frames(&mut world, post.clone());
    let chunk = |frame: &Bytes| {
        let text = std::str::from_utf8(frame).ok()?.strip_prefix("data: ")?;
        serde_json::from_str::<Value>(text.trim_end()).ok()
    };
    let chunks: Vec<Value> = written.iter().filter_map(chunk).collect();
    assert!(chunks.len() > 20 && chunks.len() + 2 > written.len(), "a chunk is a frame");
    let mut group = c.benchmark_group("gateway_stream");
    group.throughput(Throughput::Elements(written.len() as u64));
    group.bench_function("frames", |b| b.iter(|| frames(&mut world, post.clone())));
    group.bench_function("limit_same_frames_written", |b| {
        b.iter(|| {
            let mut buffer = Vec::new();
            for chunk in &chunks {
                buffer.extend_from_slice(b"data: ");
                serde_json::to_writer(&mut buffer, black_box(chunk)).expect("writing to memory succeeds");
                buffer.extend_from_slice(b"\n\n");
            }
            buffer
        });
    });
    group.finish();
}

criterion_group! { name = benches; config = criterion(); targets = routed, streamed }
criterion_main!(benches);

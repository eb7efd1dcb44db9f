//! A chat request in process, compared with parsing the same body and writing the same response; and the
//! frames of a stream, compared with writing the same frames to memory.

use std::hint::black_box;

use assay_benches::chat::{frames, post};
use assay_benches::criterion;
use assay_sim::World;
use assay_sim::clock::EPOCH;
use assay_spec::Dialect;
use bytes::Bytes;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde_json::Value;

fn world() -> World {
    World::new(1, EPOCH, Dialect::default())
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

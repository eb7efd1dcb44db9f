//! The served simulator over loopback, compared with a minimal axum server and with hyper alone: the same client in the same
//! process.

use std::cell::RefCell;
use std::time::Duration;

use assay_sim::World;
use assay_sim::clock::EPOCH;
use assay_sim::serve::ClockMode;
use assay_spec::{Dialect, Service};
use bytes::Bytes;
use serde_json::json;

use super::{Effort, compare, print_head, print_row, seconds_each, show};
use crate::serving::{
    Clients, Framing, GET, HASHED, HEALTH, Signed, bytes, hyper_alone, json_post, minimal_axum, rpc_call,
    simulator,
};
use crate::{CHAIN, EXCHANGE, Publisher, chat, lift_limits};

/// The number of client connections of a throughput.
const CONNECTIONS: usize = 16;
/// The requests of one round.
const BATCH: u64 = 4_000;
/// The numbers of connections at which latencies are measured.
const LATENCIES: [usize; 3] = [1, 16, 256];
/// The prepares of one round.
const PREPARES: u64 = 1_000;
/// Domains for prepares. Each is prepared once: then it is locked.
const DOMAINS: usize = 40_000;

/// Prints the throughputs, the latencies and the frames of streams.
pub fn print(effort: Effort) {
    println!("\nLoopback: {CONNECTIONS} connections, one server thread, one client thread\n");
    print_head();
    throughputs(effort);
    streams(effort);
    println!("\nLatency, and the ratio to the minimal axum server\n");
    println!("| connections | server | p50 | p99 | p50 ratio | p99 ratio |");
    println!("|---|---|---|---|---|---|");
    for connections in LATENCIES {
        latencies(effort, connections);
    }
}

fn world() -> World {
    World::new(1, EPOCH, Dialect::default())
}

/// The seconds of one request, in a round of `count`.
fn round(clients: &RefCell<Clients>, count: u64) -> f64 {
    clients.borrow_mut().run(count).as_secs_f64() / count as f64
}

fn throughputs(effort: Effort) {
    let open =
        |address, request: &[u8]| RefCell::new(Clients::open(address, CONNECTIONS, request, Framing::Same));
    let address = minimal_axum(Vec::new());
    let axum = open(address, GET);
    let hyper = open(hyper_alone(), GET);
    let pages = ("axum: hash", &open(address, HASHED));
    let calls = ("axum: JSON, hash", &open(address, &rpc_call("/call")));
    let cases = [
        ("GET /health of the chain", CHAIN, HEALTH.to_vec(), pages),
        ("GET of no endpoint", EXCHANGE, GET.to_vec(), pages),
        ("RPC call getHealth", CHAIN, rpc_call("/"), calls),
    ];
    for (name, site, request, (work, peer)) in cases {
        let ours = open(simulator(world(), site, ClockMode::Real), &request);
        let [to_axum, to_hyper, to_peer] = compare(
            effort.rounds(),
            &mut || round(&ours, BATCH),
            [&mut || round(&axum, BATCH), &mut || round(&hyper, BATCH), &mut || round(peer, BATCH)],
        );
        print_row(name, "minimal axum", &to_axum);
        print_row(name, "hyper alone", &to_hyper);
        print_row(name, work, &to_peer);
    }
    let body = Publisher::prepare_body(&Publisher::domain(0));
    prepares(effort, &axum, &open(address, &json_post("/signed", &body)));
}

/// Signed prepares, each of a domain of its own, against the minimal axum server, against its requests with a signature, and
/// against the signature alone.
fn prepares(effort: Effort, axum: &RefCell<Clients>, signed: &RefCell<Clients>) {
    let count = ((effort.rounds() as u64 + 1) * PREPARES) as usize;
    assert!(count <= DOMAINS, "each domain is prepared once");
    let publisher = Publisher::default();
    let mut world = publisher.world(count);
    lift_limits(&mut world);
    world
        .set_limits(
            Service::Publish,
            &json!({ "envelope_future_ms": 3_600_000, "envelope_past_ms": 3_600_000 }),
        )
        .expect("these limits have names");
    let requests = (0..count).map(|n| bytes(&publisher.prepare(&Publisher::domain(n), EPOCH))).collect();
    let address = simulator(world, EXCHANGE, ClockMode::Real);
    let ours = RefCell::new(Clients::with(address, CONNECTIONS, requests, Framing::Length));
    let crypto = Signed::default();
    let mut verify = || assert!(crypto.verifies());
    let [to_axum, to_signed, to_crypto] = compare(
        effort.rounds(),
        &mut || round(&ours, PREPARES),
        [&mut || round(axum, BATCH), &mut || round(signed, PREPARES), &mut || {
            seconds_each(PREPARES as u32, &mut verify)
        }],
    );
    print_row("prepare", "minimal axum", &to_axum);
    print_row("prepare", "axum: JSON, hash, signature", &to_signed);
    print_row("prepare", "its signature alone", &to_crypto);
}

/// The frames of a streamed chat, against a server that sends the same frames.
fn streams(effort: Effort) {
    let streams = 200;
    let mut sample = world();
    let post = chat::post(&sample, 1, true);
    let frames: Vec<Bytes> = chat::frames(&mut sample, post.clone());
    let each = frames.len() as f64;
    let ours = simulator(world(), post.head.site, ClockMode::Auto);
    let axum = minimal_axum(frames);
    let ask = b"POST /stream HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n";
    let open = |address, request: &[u8]| {
        RefCell::new(Clients::open(address, CONNECTIONS, request, Framing::Chunked))
    };
    let (ours, axum) = (open(ours, &bytes(&post)), open(axum, ask));
    // A chunk has a line with its length and a line end after it; the last chunk has three.
    let frame = |clients: &RefCell<Clients>| {
        let before = clients.borrow().lines();
        let spent = clients.borrow_mut().run(streams);
        let sent = clients.borrow().lines() - before;
        assert!(sent as f64 > streams as f64 * each, "whole streams");
        spent.as_secs_f64() / (streams as f64 * each)
    };
    let [ratio] = compare(effort.rounds(), &mut || frame(&ours), [&mut || frame(&axum)]);
    print_row("one frame of a stream", "axum, the same frames", &ratio);
}

fn latencies(effort: Effort, connections: usize) {
    let open = |address, request: &[u8]| Clients::open(address, connections, request, Framing::Same);
    let mut servers = [
        ("minimal axum", open(minimal_axum(Vec::new()), GET)),
        ("hyper alone", open(hyper_alone(), GET)),
        ("simulator, GET /health", open(simulator(world(), CHAIN, ClockMode::Real), HEALTH)),
        ("simulator, RPC call", open(simulator(world(), CHAIN, ClockMode::Real), &rpc_call("/"))),
    ];
    let each = effort.rounds() * 4_000 / connections / 2;
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); servers.len()];
    // In turn, so that other load on the machine meets all of them.
    for _ in 0..4 {
        for ((_, clients), times) in servers.iter_mut().zip(&mut times) {
            times.extend(clients.latencies(each.div_ceil(2)));
        }
    }
    let figures = times.iter_mut().map(|times| {
        times.sort_unstable();
        [0.5, 0.99].map(|part| times[((times.len() - 1) as f64 * part) as usize].as_secs_f64())
    });
    let figures: Vec<[f64; 2]> = figures.collect();
    for ((name, _), [middle, high]) in servers.iter().zip(&figures) {
        let [axum_middle, axum_high] = figures[0];
        println!(
            "| {connections} | {name} | {} | {} | {:.2} | {:.2} |",
            show(*middle),
            show(*high),
            axum_middle / middle,
            axum_high / high
        );
    }
}

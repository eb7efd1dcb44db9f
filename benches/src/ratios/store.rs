//! The node API's store with a thousand to a million messages: memory per message, time per query by hash and by address,
//! and the cost of a snapshot. A query is a whole request, from its head to the last byte of its response.

use std::hint::black_box;
use std::time::{Duration, Instant};

use assay_sim::clock::EPOCH;
use assay_sim::network::sites::PRIMARY;
use assay_sim::{RequestHead, World};
use assay_spec::{Dialect, Service};
use bytes::Bytes;
use http::{HeaderMap, Method};
use serde_json::{Value, json};

use super::slope;
use crate::{Post, advance, answer, input};

/// Messages per sender: one page of a list.
const OF_SENDER: u32 = 20;
/// The most messages of one action.
const AT_ONCE: u32 = 1_000_000;
/// The number of different queries of each kind at each size, and of their repetitions.
const QUERIES: usize = 2_000;
const ROUNDS: usize = 5;

/// What is measured.
pub struct Figures {
    /// The slope of the cost of each kind of query.
    pub slopes: Vec<(&'static str, f64)>,
    /// The slope of the time to store one message.
    pub fill: f64,
    /// The slowest snapshot.
    pub snapshot: Duration,
}

/// Prints the figures at each size, and the slopes.
pub fn print(sizes: &[u32]) -> Figures {
    let mut world = World::new(1, EPOCH, Dialect::default());
    let many = 1_000_000;
    let limits = json!({
        "general_per_window": many, "authenticated_per_window": many, "rate_window_ms": 1,
        "messages": 100 * many, "stored_bytes": 1_u64 << 40,
    });
    world.set_limits(Service::Network, &limits).expect("these limits have names");
    let empty = resident();
    let mut figures: Vec<[f64; 5]> = Vec::new();
    let mut samples = Samples::default();
    let mut slowest = Duration::ZERO;
    println!(
        "| messages | fill µs | bytes each | hash µs | sender µs | channel µs | newest µs | snapshot µs | then µs |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for size in sizes {
        let missing = size - samples.messages;
        let begun = Instant::now();
        samples.fill(&mut world, missing);
        let fill = micros(begun.elapsed() / missing);
        let each = (resident() - empty) / f64::from(*size);

        let by_hash = median(&mut world, |n| format!("/api/v0/messages/{}", samples.hash(n)));
        let by_sender = median(&mut world, |n| format!("/api/v0/messages?addresses={}", samples.sender(n)));
        let by_channel = median(&mut world, |n| format!("/api/v0/messages?channels=CHANNEL{}", n % 20));
        let newest = median(&mut world, |n| format!("/api/v0/messages.json?page={}", 1 + n % 40));
        let (snapshot, then) = snapshot(&world);
        slowest = slowest.max(snapshot);
        println!(
            "| {size} | {fill:.2} | {each:.0} | {by_hash:.2} | {by_sender:.2} | {by_channel:.2} | {newest:.2} | {:.2} | {:.2} |",
            micros(snapshot),
            micros(then)
        );
        figures.push([by_hash, by_sender, by_channel, newest, fill]);
    }
    let slope_at = |at: usize| {
        let points = sizes.iter().zip(&figures).map(|(size, row)| (f64::from(*size), row[at]));
        slope(&points.collect::<Vec<_>>())
    };
    let names = ["by hash", "by sender", "by channel", "newest"];
    let slopes = names.into_iter().enumerate().map(|(at, name)| (name, slope_at(at))).collect();
    Figures { slopes, fill: slope_at(4), snapshot: slowest }
}

/// Hashes and senders of the stored messages.
#[derive(Default)]
struct Samples {
    messages: u32,
    /// The first message and the number of senders of each fill.
    fillings: Vec<(u32, u32)>,
    hashes: Vec<String>,
}

impl Samples {
    fn fill(&mut self, world: &mut World, mut messages: u32) {
        while messages > 0 {
            let part = messages.min(AT_ONCE);
            self.add(world, part);
            messages -= part;
        }
    }

    fn add(&mut self, world: &mut World, messages: u32) {
        let senders = messages / OF_SENDER;
        let arguments = json!({ "messages": messages, "addresses": senders });
        world.perform("network.fill", &arguments).expect("there is space for these messages");
        self.fillings.push((self.messages, senders));
        self.messages += messages;
        // Hashes from many senders.
        for n in 0..500 {
            let list = get(world, &format!("/api/v0/messages?addresses={}", self.sender(n * 7919)));
            let list: Value = serde_json::from_slice(&list).expect("a list is JSON");
            let hash = list["messages"][n % 20]["item_hash"].as_str().expect("20 messages of each");
            self.hashes.push(hash.to_owned());
        }
    }

    /// A sender of the last fill, chosen by `n`.
    fn sender(&self, n: usize) -> String {
        let (begin, senders) = self.fillings[self.fillings.len() - 1];
        format!("0x{begin:020x}{:020x}", n * 104_729 % senders as usize)
    }

    fn hash(&self, n: usize) -> &str {
        &self.hashes[n * 7919 % self.hashes.len()]
    }
}

/// The median time of single queries in microseconds. Other load on the machine does not matter if it affects
/// less than half of them.
fn median(world: &mut World, target: impl Fn(usize) -> String) -> f64 {
    let targets: Vec<String> = (0..QUERIES).map(target).collect();
    let mut times = Vec::with_capacity(QUERIES * ROUNDS);
    for _ in 0..ROUNDS {
        advance(world, 1000);
        for target in &targets {
            let begun = Instant::now();
            black_box(get(world, target));
            times.push(begun.elapsed());
        }
    }
    times.sort_unstable();
    micros(times[times.len() / 2])
}

/// The duration of a snapshot, and of storing the first message after it.
fn snapshot(world: &World) -> (Duration, Duration) {
    let begun = Instant::now();
    let mut copy = black_box(world.clone());
    let snapshot = begun.elapsed();
    let begun = Instant::now();
    copy.perform("network.fill", &json!({ "messages": 1 })).expect("there is space for one");
    (snapshot, begun.elapsed())
}

fn get(world: &mut World, target: &str) -> Bytes {
    let peer = std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
    let head = RequestHead {
        site: PRIMARY,
        peer,
        method: Method::GET,
        target: target.to_owned(),
        headers: HeaderMap::new(),
    };
    let (status, body) = answer(&input(world, Post { head, body: Bytes::new() }));
    assert_eq!(status, 200, "{target}: {}", String::from_utf8_lossy(&body));
    body
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// The resident memory of this process in bytes. Pages have 4 KiB on systems with `/proc`.
fn resident() -> f64 {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("this bench needs /proc");
    let pages: f64 = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("resident pages");
    pages * 4096.0
}

//! Memory over a million requests at the documented limits: rejected requests, prepares, and submits that
//! land.
//!
//! Prints the resident memory after each hundred thousand requests. Fails if it still grows after the third.

use std::net::{IpAddr, Ipv4Addr};

use assay_benches::{Post, Publisher, advance, answer, input, unsigned};
use assay_sim::World;
use assay_spec::publish::prepare;
use bytes::Bytes;
use serde_json::Value;

const REQUESTS: usize = 1_000_000;
const SAMPLE: usize = 100_000;
/// One request in this many starts a publish; its submit follows halfway to the next publish.
const PUBLISH_EVERY: usize = 20;
/// Each domain publishes about once in 5,000 seconds; 30 publishes a day are allowed.
const DOMAINS: usize = 2_500;
/// Ten requests per second, from enough addresses that each stays below 30 per minute.
const STEP_MS: i64 = 100;
const ADDRESSES: usize = 64;
/// After this many samples every bounded list is full: journal, log, rejected requests and the chain's
/// transactions.
const WARM: usize = 3;
/// How much the resident memory may grow after that, in MiB.
const TOLERANCE_MIB: f64 = 4.0;

fn main() {
    // `cargo test --benches` starts every bench; nothing is measured then.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let publisher = Publisher::default();
    let mut world = publisher.world(DOMAINS);
    let mut counts = [0usize; 3];
    let mut open: Option<(String, Value)> = None;
    let mut samples = vec![resident_mib()];
    println!("requests   resident MiB   (at the start {:.1})", samples[0]);
    for n in 0..REQUESTS {
        advance(&mut world, STEP_MS);
        let (domain, now) = (Publisher::domain(n / PUBLISH_EVERY % DOMAINS), world.core.now());
        let mut post = match n % PUBLISH_EVERY {
            0 => publisher.prepare(&domain, now),
            10 => match open.take() {
                Some((domain, prepared)) => publisher.submit(&domain, now, &prepared),
                None => refused(n),
            },
            _ => refused(n),
        };
        post.head.peer = IpAddr::V4(Ipv4Addr::from_bits(0x0a00_0000 + (n % ADDRESSES) as u32));
        let status = send(&mut world, post, &mut counts);
        if let Some(body) = status {
            open = Some((domain, serde_json::from_slice(&body).expect("a prepare returns JSON")));
        }
        if (n + 1) % SAMPLE == 0 {
            samples.push(resident_mib());
            println!("{:>8}   {:>12.1}", n + 1, samples[samples.len() - 1]);
        }
    }
    let [accepted, refused, waited] = counts;
    println!("{accepted} prepared, {waited} submitted, {refused} rejected");
    let grown = samples[samples.len() - 1] - samples[WARM];
    println!("growth since request {}: {grown:+.1} MiB", WARM * SAMPLE);
    assert!(accepted == waited && accepted == REQUESTS / PUBLISH_EVERY, "every publish was accepted");
    assert!(grown <= TOLERANCE_MIB, "memory grows");
}

/// Sends a request and counts its outcome; returns the body of an accepted prepare.
fn send(world: &mut World, post: Post, [accepted, refused, waited]: &mut [usize; 3]) -> Option<Bytes> {
    let outputs = input(world, post);
    if outputs.is_empty() {
        *waited += 1;
        return None;
    }
    let (status, body) = answer(&outputs);
    *if status == 200 { accepted } else { refused } += 1;
    (status == 200).then_some(body)
}

/// A request that is rejected: without an envelope, with an invalid one, too large, or at an unknown path.
fn refused(n: usize) -> Post {
    let path = prepare::ENDPOINT.path;
    let mut post = match n % 4 {
        0 => unsigned("/nowhere", Bytes::new()),
        1 => unsigned(path, vec![b' '; 70_000]),
        _ => unsigned(path, format!("{{\"n\":{n}}}")),
    };
    if n % 4 == 3 {
        let value = http::HeaderValue::try_from(format!("VfKey {n}.{n}")).expect("a header value");
        post.head.headers.insert(http::header::AUTHORIZATION, value);
    }
    post
}

/// The resident memory of this process. Pages have 4 KiB on systems with `/proc`.
fn resident_mib() -> f64 {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("this bench needs /proc");
    let pages: f64 = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("resident pages");
    pages * 4.0 / 1024.0
}

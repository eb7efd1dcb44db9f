//! A prepare in process with an already verified header: state machine and encodings, compared with the
//! encodings alone.

use std::hint::black_box;
use std::time::{Duration, Instant};

use assay_benches::{CID, Publisher, criterion};
use assay_sim::clock::EPOCH;
use assay_sim::publish::{Caller, State, prepare};
use assay_sim::services::{SimService, Timer};
use assay_sim::{Core, World};
use assay_spec::crypto::{ed25519, text};
use assay_spec::publish::message::Message;
use assay_spec::publish::record::Record;
use assay_spec::{Dialect, Strict};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde_json::json;

/// Each domain is used again after its lock has expired.
const DOMAINS: usize = 1_000;
const STEP_MS: i64 = 100;

/// The exchange alone, and the clock for its timers.
struct Exchange {
    state: State,
    core: Core,
}

impl Exchange {
    fn new(publisher: &Publisher) -> Exchange {
        let mut core = World::new(1, EPOCH, Dialect::default()).core;
        let mut state = State::new(&core);
        state.set_limits(&json!({ "publish_window_ms": 1 })).expect("the limit has this name");
        for n in 0..DOMAINS {
            let binding = json!({ "domain": Publisher::domain(n), "key": publisher.address() });
            state.perform(&mut core, "bind", &binding).expect("the action takes a domain and a key");
        }
        Exchange { state, core }
    }

    /// Moves time forward: locks and prepares expire and are dropped.
    fn advance(&mut self, until: assay_spec::Instant) {
        while let Some(Timer::Publish(timer)) = self.core.clock.next_until(until) {
            self.state.fire(&mut self.core, timer);
        }
    }
}

fn in_process(c: &mut Criterion) {
    let publisher = Publisher::default();
    let mut exchange = Exchange::new(&publisher);
    let calls: Vec<(Caller, String)> = (0..DOMAINS)
        .map(|n| {
            let domain = Publisher::domain(n);
            let body = Publisher::prepare_body(&domain);
            (Caller { domain, key: publisher.address(), frozen: false, envelope: [0; 64] }, body)
        })
        .collect();
    let mut turn = calls.iter().cycle();

    let mut group = c.benchmark_group("prepare");
    group.throughput(Throughput::Elements(1));
    group.bench_function("in_process", |b| {
        b.iter_custom(|count| {
            let mut spent = Duration::ZERO;
            for _ in 0..count {
                let (caller, body) = turn.next().expect("a cycle has no end");
                // Earlier prepares must not expire within this measurement.
                exchange.advance(exchange.core.now() + STEP_MS);
                let begun = Instant::now();
                let reply = prepare::run(&mut exchange.core, &mut exchange.state, caller, body.as_bytes());
                spent += begun.elapsed();
                black_box(reply.expect("prepared"));
            }
            spent
        });
    });
    group.bench_function("with_the_expiry_of_another", |b| {
        b.iter(|| {
            let (caller, body) = turn.next().expect("a cycle has no end");
            exchange.advance(exchange.core.now() + STEP_MS);
            prepare::run(&mut exchange.core, &mut exchange.state, caller, body.as_bytes()).expect("prepared")
        });
    });
    group.bench_function("limit_encodings", |b| b.iter(|| encodings(black_box(&calls[0]))));
    group.finish();
}

/// What every prepare reads and writes without state: body, record, message and response.
fn encodings((caller, body): &(Caller, String)) -> Vec<u8> {
    let dialect = Dialect::default();
    let body = assay_spec::publish::prepare::parse_body(body.as_bytes(), &mut Strict).expect("an object");
    let record = Record::publish(&caller.domain, CID, "1.2.3", EPOCH).encode(&dialect);
    let key = ed25519::parse_address(&caller.key).expect("an address");
    let message = Message::publishing([1; 32], key, [3; 32], [4; 32], record.clone()).encode();
    let answer = assay_spec::publish::prepare::Reply {
        prepare_id: body.len().to_string(),
        message: text::base64(&message),
        fee_payer: caller.key.clone(),
        last_valid_block_height: 0,
        payload: String::from_utf8_lossy(&record).into_owned(),
        expires_at: EPOCH,
        txt_observed: None,
    };
    serde_json::to_vec(&answer).expect("the response is JSON")
}

criterion_group! { name = benches; config = criterion(); targets = in_process }
criterion_main!(benches);

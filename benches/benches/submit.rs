//! A submit in process, from its request to the chain's confirmation; and a thousand submits waiting at once.

use std::hint::black_box;
use std::time::{Duration, Instant};

use assay_benches::{
    CHAIN, CONFIRMATION_MS, EXCHANGE, Post, Publisher, accepted, advance, criterion, input, lift_limits,
    prepared,
};
use assay_sim::World;
use assay_sim::fault::{Fault, HOLD};
use assay_sim::serve::{ClockMode, Handle, IN_MEMORY};
use assay_spec::crypto::ed25519;
use bytes::Bytes;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use http_body_util::{BodyExt, Full};
use serde_json::json;
use tokio::task::JoinSet;
use tower::ServiceExt;

/// The number of submits that wait at once.
const WAITING: usize = 1_000;
/// The number of prepares made in advance; all are submitted before the first expires.
const AHEAD: usize = 40;

fn submit(c: &mut Criterion) {
    let mut group = c.benchmark_group("submit");
    group.throughput(Throughput::Elements(1));
    let publisher = Publisher::default();
    let mut world = publisher.world(AHEAD);
    lift_limits(&mut world);
    group.bench_function("to_confirmation", |b| {
        b.iter_custom(|iterations| {
            let (mut left, mut spent) = (iterations as usize, Duration::ZERO);
            while left > 0 {
                let submits = submits(&mut world, &publisher, left.min(AHEAD));
                left -= submits.len();
                let start = Instant::now();
                for submit in submits {
                    assert!(input(&mut world, submit).is_empty(), "a submit waits for the chain");
                    let outputs = advance(&mut world, CONFIRMATION_MS);
                    assert_eq!(accepted(&outputs).count(), 1);
                }
                spent += start.elapsed();
                // Drops what has expired.
                advance(&mut world, assay_spec::instant::MINUTE);
            }
            spent
        });
    });

    // The unavoidable parts of it.
    let key = ed25519::key_from_seed([9; 32]);
    let message = [5; 313];
    let signature = ed25519::sign(&key, &message);
    let public = key.verifying_key().to_bytes();
    group.bench_function("part_fee_payer_signs", |b| b.iter(|| ed25519::sign(&key, black_box(&message))));
    group.bench_function("part_header_and_record_verified", |b| {
        b.iter(|| {
            assert!(ed25519::verifies(&public, black_box(&message), &signature));
            assert!(ed25519::verifies(&public, black_box(&message), &signature));
        });
    });
    group.finish();
}

/// Signed submits for this many new prepares.
fn submits(world: &mut World, publisher: &Publisher, count: usize) -> Vec<Post> {
    let submit = |n| {
        let domain = Publisher::domain(n);
        let prepared = prepared(world, publisher, &domain);
        publisher.submit(&domain, world.core.now(), &prepared)
    };
    (0..count).map(submit).collect()
}

fn waiting(c: &mut Criterion) {
    let mut group = c.benchmark_group("waiting");
    group.sample_size(10).throughput(Throughput::Elements(WAITING as u64));
    let publisher = Publisher::default();
    let mut world = publisher.world(WAITING);
    lift_limits(&mut world);
    group.bench_function("thousand_in_a_world", |b| {
        b.iter_custom(|iterations| {
            let mut spent = Duration::ZERO;
            for _ in 0..iterations {
                let submits = submits(&mut world, &publisher, WAITING);
                let start = Instant::now();
                for submit in submits {
                    input(&mut world, submit);
                }
                assert_eq!(world.waiting(), WAITING);
                let outputs = advance(&mut world, CONFIRMATION_MS);
                assert_eq!(accepted(&outputs).count(), WAITING);
                spent += start.elapsed();
                advance(&mut world, assay_spec::instant::MINUTE);
            }
            spent
        });
    });

    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    group.bench_function("thousand_through_a_site", |b| {
        b.iter_custom(|iterations| {
            let mut spent = Duration::ZERO;
            for _ in 0..iterations {
                let submits = submits(&mut world, &publisher, WAITING);
                let handle = held(world.clone());
                let start = Instant::now();
                runtime.block_on(async {
                    let mut clients = begin(&handle, submits).await;
                    release(&handle);
                    while let Some(status) = clients.join_next().await {
                        assert_eq!(status.expect("a client ends"), 200);
                    }
                });
                spent += start.elapsed();
                advance(&mut world, 2 * assay_spec::instant::MINUTE);
            }
            spent
        });
    });
    group.finish();

    let mut group = c.benchmark_group("waiting_others");
    group.throughput(Throughput::Elements(1));
    for count in [0, WAITING] {
        let submits = submits(&mut world, &publisher, count);
        let handle = held(world.clone());
        let clients = runtime.block_on(begin(&handle, submits));
        let site = handle.site(CHAIN, IN_MEMORY);
        group.bench_function(format!("health_while_{count}_wait"), |b| {
            b.iter(|| {
                let request = http::Request::get("/health").body(Full::<Bytes>::default());
                let request = request.expect("a request");
                runtime.block_on(site.clone().oneshot(request)).expect("infallible").status()
            });
        });
        drop(clients);
    }
    group.finish();
}

/// Serves a world in which requests wait until they are released.
fn held(mut world: World) -> Handle {
    let hold: Fault = serde_json::from_value(json!({ "fault": HOLD.name })).expect("a fault");
    world.set_faults(vec![hold]).expect("the fault is valid");
    Handle::new(world, ClockMode::Auto)
}

fn release(handle: &Handle) {
    handle.change(|world| (world.set_faults(Vec::new()), Vec::new())).expect("removing faults succeeds");
}

/// Separate clients that send these requests; all of them wait.
async fn begin(handle: &Handle, posts: Vec<Post>) -> JoinSet<u16> {
    let mut clients = JoinSet::new();
    let count = posts.len();
    for Post { head, body } in posts {
        let site = handle.site(EXCHANGE, IN_MEMORY);
        let mut request = http::Request::new(Full::new(body));
        *request.method_mut() = head.method;
        *request.uri_mut() = head.target.parse().expect("a path");
        *request.headers_mut() = head.headers;
        clients.spawn(async move {
            let response = site.oneshot(request).await.expect("infallible");
            let status = response.status().as_u16();
            let _ = response.into_body().collect().await;
            status
        });
    }
    handle.waiting(count).await;
    clients
}

criterion_group! { name = benches; config = criterion(); targets = submit, waiting }
criterion_main!(benches);

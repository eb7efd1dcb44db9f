//! Verifying the header of a request with all its rules, compared with the two unavoidable operations.

use std::hint::black_box;

use assay_benches::{Publisher, criterion};
use assay_sim::clock::EPOCH;
use assay_spec::Dialect;
use assay_spec::crypto::text::parse_base64url;
use assay_spec::publish::envelope::{Binding, Request, verify_strict};
use assay_spec::publish::prepare;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ed25519_dalek::{Signature, VerifyingKey};
use sha2::{Digest, Sha256};

fn envelope(c: &mut Criterion) {
    let (dialect, publisher) = (Dialect::default(), Publisher::default());
    let domain = Publisher::domain(0);
    let body = Publisher::prepare_body(&domain);
    let header = publisher.authorization(prepare::ENDPOINT.path, &domain, EPOCH, body.as_bytes());
    let request = Request {
        authorization: Some(&header),
        method: "POST",
        target: prepare::ENDPOINT.path,
        body: body.as_bytes(),
        op: Some("pub"),
    };
    let bindings = [Binding { domain: domain.clone(), key: publisher.address(), incoming_key: None }];

    // The parts of the header, decoded in advance.
    let (message, signature) =
        header.rsplit(' ').next().and_then(|sealed| sealed.split_once('.')).expect("two parts");
    let message = parse_base64url(message).expect("base64url");
    let signature: [u8; 64] =
        parse_base64url(signature).and_then(|bytes| bytes.try_into().ok()).expect("a signature");
    let key = assay_spec::crypto::ed25519::parse_address(&publisher.address()).expect("an address");

    let mut group = c.benchmark_group("envelope");
    group.throughput(Throughput::Elements(1));
    group.bench_function("header_verified", |b| {
        b.iter(|| verify_strict(&dialect, black_box(&request), EPOCH, &bindings).expect("admitted"));
    });
    group.bench_function("limit_ed25519_and_sha256", |b| {
        b.iter(|| {
            let key = VerifyingKey::from_bytes(black_box(&key)).expect("a point");
            let signature = Signature::from_bytes(black_box(&signature));
            key.verify_strict(black_box(&message), &signature).expect("signed");
            Sha256::digest(black_box(&body))
        });
    });
    group.finish();
}

criterion_group! { name = benches; config = criterion(); targets = envelope }
criterion_main!(benches);

//! The transaction message: strict decoding, which also encodes again, compared with copying and hashing the
//! same bytes.

use std::hint::black_box;

use assay_benches::{CID, criterion};
use assay_sim::clock::EPOCH;
use assay_spec::publish::message::Message;
use assay_spec::publish::record::Record;
use assay_spec::{Dialect, Strict};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sha2::{Digest, Sha256};

fn message(c: &mut Criterion) {
    let record = Record::publish("d0.assay.example", CID, "1.2.3", EPOCH).encode(&Dialect::default());
    let message = Message::publishing([1; 32], [2; 32], [3; 32], [4; 32], record);
    let bytes = message.encode();

    let mut group = c.benchmark_group("message");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("decode_strict", |b| {
        b.iter(|| Message::decode(black_box(&bytes), &mut Strict).expect("a legacy message"));
    });
    group.bench_function("encode", |b| b.iter(|| black_box(&message).encode()));
    group.bench_function("limit_copy_and_sha256", |b| {
        b.iter(|| {
            let copy = black_box(&bytes).clone();
            (Sha256::digest(&copy), copy)
        });
    });
    group.finish();
}

criterion_group! { name = benches; config = criterion(); targets = message }
criterion_main!(benches);

//! Verifying the header of a request with all its rules, compared with the two unavoidable operations.

use assay_benches::criterion;
use assay_benches::ratios::envelope::Header;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn envelope(c: &mut Criterion) {
    let header = Header::default();
    let mut group = c.benchmark_group("envelope");
    group.throughput(Throughput::Elements(1));
    group.bench_function("header_verified", |b| b.iter(|| header.verify()));
    group.bench_function("limit_ed25519_and_sha256", |b| b.iter(|| header.verify_bare()));
    group.finish();
}

criterion_group! { name = benches; config = criterion(); targets = envelope }
criterion_main!(benches);

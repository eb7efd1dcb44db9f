//! Recovering an owner's history of ten thousand deployments with two signed messages each, compared with the
//! signatures alone.

use std::hint::black_box;

use assay_benches::criterion;
use assay_benches::ratios::recovery::{history, recover, recover_signers, wallet};
use assay_spec::hosting::envelope::Keys;
use criterion::{Criterion, criterion_group, criterion_main};

const DEPLOYMENTS: u64 = 10_000;

fn recovery(c: &mut Criterion) {
    let messages = history(DEPLOYMENTS);
    let wallet = wallet();
    let recovered = recover(&messages, &wallet);
    let found =
        recovered.deployments.iter().filter(|one| one.cid.is_some() && one.plaintext.is_some()).count();
    assert_eq!((found as u64, recovered.ignored.len(), recovered.warnings.len()), (DEPLOYMENTS, 0, 0));

    let mut group = c.benchmark_group("hosting_recovery");
    group.sample_size(10);
    group.bench_function("ten_thousand_deployments", |b| b.iter(|| recover(black_box(&messages), &wallet)));
    group.bench_function("ten_thousand_without_a_key", |b| {
        b.iter(|| recover(black_box(&messages), &Keys::default()));
    });
    group.bench_function("limit_signatures_alone", |b| b.iter(|| recover_signers(messages.len())));
    group.finish();
}

criterion_group! { name = benches; config = criterion(); targets = recovery }
criterion_main!(benches);

//! Content identifiers of a large file, a folder of pages and a folder of tiny files, compared with the minimum that any
//! builder must do, on the same number of threads.
//!
//! With the feature `peers`, two published builders are also measured and must give the same result: `cargo
//! bench -p assay-benches --features peers --bench cid`. Files are on disk and in the page cache.

use std::path::Path;
use std::time::Duration;

use assay_benches::criterion;
use assay_benches::ratios::cid::{Builder, Content, assay, names};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn cid(c: &mut Criterion) {
    // `cargo test --benches` runs each bench once; small content is enough for that.
    let small = !std::env::args().any(|argument| argument == "--bench");
    for (name, path, limit) in &Content::new(small).subjects {
        compare(c, name, path, *limit);
    }
}

fn compare(c: &mut Criterion, name: &str, path: &Path, limit: Builder) {
    let bytes = if path.is_dir() {
        names(path).iter().map(|name| path.join(name).metadata().expect("a file").len()).sum()
    } else {
        path.metadata().expect("a file").len()
    };
    let mut group = c.benchmark_group(name);
    group.throughput(Throughput::Bytes(bytes)).sample_size(15).measurement_time(Duration::from_secs(3));
    group.bench_function("assay", |b| b.iter(|| assay(path)));
    #[cfg(feature = "peers")]
    for (peer, builder) in assay_benches::peers::ALL {
        assert_eq!(builder(path), assay(path), "{peer}");
        group.bench_function(peer, |b| b.iter(|| builder(path)));
    }
    group.bench_function("limit", |b| b.iter(|| limit(path)));
    group.finish();
}

criterion_group! { name = benches; config = criterion(); targets = cid }
criterion_main!(benches);

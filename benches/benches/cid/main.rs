//! Content identifiers of a large file, a folder of pages and a folder of tiny files, compared with the
//! minimum that any builder must do: read and hash every byte, on the same number of threads.
//!
//! With the feature `peers`, two published builders are also measured and must give the same result: `cargo
//! bench -p assay-benches --features peers --bench cid`. Files are on disk and in the page cache.

#[cfg(feature = "peers")]
mod peers;

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use assay_benches::criterion;
use assay_spec::Strict;
use assay_spec::cid::{Discard, Layout};
use assay_suites::support::disk::of_path;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sha2::{Digest, Sha256};

const CHUNK_BYTES: usize = 262_144;

fn cid(c: &mut Criterion) {
    // `cargo test --benches` runs each bench once; small content is enough for that.
    let small = !std::env::args().any(|argument| argument == "--bench");
    let place = tempfile::tempdir().expect("a folder for the files");
    let file = place.path().join("large");
    let (pages, tiny) = (place.path().join("pages"), place.path().join("tiny"));
    fs::write(&file, noise(0, if small { 1 << 20 } else { 256 << 20 })).expect("space for the file");
    fill(&pages, if small { 10 } else { 1000 }, |n| noise(n, 10_000));
    fill(&tiny, if small { 10 } else { 20_000 }, |n| n.to_string().into_bytes());

    compare(c, "large_file", &file, limit_file);
    compare(c, "thousand_pages", &pages, limit_folder);
    compare(c, "twenty_thousand_tiny_files", &tiny, limit_folder);
}

fn compare(c: &mut Criterion, name: &str, path: &Path, limit: fn(&Path) -> String) {
    let bytes = if path.is_dir() {
        names(path).iter().map(|name| path.join(name).metadata().expect("a file").len()).sum()
    } else {
        path.metadata().expect("a file").len()
    };
    let mut group = c.benchmark_group(name);
    group.throughput(Throughput::Bytes(bytes)).sample_size(15).measurement_time(Duration::from_secs(3));
    group.bench_function("assay", |b| b.iter(|| assay(path)));
    #[cfg(feature = "peers")]
    for (peer, builder) in peers::ALL {
        assert_eq!(builder(path), assay(path), "{peer}");
        group.bench_function(peer, |b| b.iter(|| builder(path)));
    }
    group.bench_function("limit", |b| b.iter(|| limit(path)));
    group.finish();
}

fn assay(path: &Path) -> String {
    let summary = of_path(path, &Layout::default(), &mut Strict, &Discard, &AtomicU64::new(0));
    summary.expect("content").cid.to_string()
}

fn limit_file(path: &Path) -> String {
    let file = File::open(path).expect("a file");
    let chunks = (file.metadata().expect("a file").len() as usize).div_ceil(CHUNK_BYTES);
    on_all_cores(chunks, |n, buffer| {
        let count = file.read_at(buffer, (n * CHUNK_BYTES) as u64).expect("bytes");
        Sha256::digest(&buffer[..count])[0]
    })
}

fn limit_folder(path: &Path) -> String {
    let names = names(path);
    on_all_cores(names.len(), |n, buffer| {
        let count = File::open(path.join(&names[n])).and_then(|mut file| file.read(buffer)).expect("bytes");
        Sha256::digest(&buffer[..count])[0]
    })
}

/// Runs `count` jobs on as many threads as this project uses. The sum prevents the compiler from removing
/// them.
fn on_all_cores(count: usize, job: impl Fn(usize, &mut [u8]) -> u8 + Sync) -> String {
    let next = AtomicUsize::new(0);
    let work = || {
        let (mut buffer, mut sum) = (vec![0; CHUNK_BYTES], 0u64);
        loop {
            match next.fetch_add(1, Ordering::Relaxed) {
                n if n < count => sum += u64::from(job(n, &mut buffer)),
                _ => return sum,
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().expect("a sum")).sum::<u64>().to_string()
    })
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect()
}

fn fill(folder: &PathBuf, count: usize, content: impl Fn(usize) -> Vec<u8>) {
    fs::create_dir(folder).expect("a new folder");
    for n in 0..count {
        fs::write(folder.join(format!("file-{n:05}.txt")), content(n)).expect("space for a file");
    }
}

/// Bytes without repetition.
fn noise(seed: usize, count: usize) -> Vec<u8> {
    let mut state = seed as u64 + 1;
    let word = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.rotate_left(20).to_le_bytes()
    };
    let mut bytes: Vec<u8> = std::iter::repeat_with(word).take(count.div_ceil(8)).flatten().collect();
    bytes.truncate(count);
    bytes
}

criterion_group! { name = benches; config = criterion(); targets = cid }
criterion_main!(benches);

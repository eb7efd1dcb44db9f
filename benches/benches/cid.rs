//! Content identifiers of a large file, of a folder of pages and of a folder of crumbs: this project, its peers, and
//! the limit that nobody can leave out: read every byte and hash it, on as many threads.
//!
//! Files lie on disk and in the page cache. All contenders but the limit must agree.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use aleph_cid::folder_hash::hash_folder_root;
use aleph_cid::verify::Hasher;
use aleph_cid::{UploadFolderOptions, collect_folder_files};
use assay_benches::criterion;
use assay_spec::Strict;
use assay_spec::cid::{Discard, Layout};
use assay_suites::disk::of_path;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rust_unixfs::dir::builder::BufferingTreeBuilder;
use rust_unixfs::file::adder::FileAdder;
use sha2::{Digest, Sha256};

const CHUNK_BYTES: usize = 262_144;

fn cid(c: &mut Criterion) {
    // `cargo test --benches` runs each once: small content is enough then.
    let small = !std::env::args().any(|argument| argument == "--bench");
    let place = tempfile::tempdir().expect("a folder for the files");
    let file = place.path().join("large");
    let (pages, crumbs) = (place.path().join("pages"), place.path().join("crumbs"));
    fs::write(&file, noise(0, if small { 1 << 20 } else { 256 << 20 })).expect("room for the file");
    fill(&pages, if small { 10 } else { 1000 }, |n| noise(n, 10_000));
    fill(&crumbs, if small { 10 } else { 20_000 }, |n| n.to_string().into_bytes());

    compare(c, "large_file", &file, [aleph_file, unixfs_file, limit_file]);
    compare(c, "thousand_pages", &pages, [aleph_folder, unixfs_folder, limit_folder]);
    compare(c, "twenty_thousand_crumbs", &crumbs, [aleph_folder, unixfs_folder, limit_folder]);
}

fn compare(c: &mut Criterion, name: &str, path: &Path, [aleph, unixfs, limit]: [fn(&Path) -> String; 3]) {
    let wanted = assay(path);
    assert_eq!(aleph(path), wanted, "aleph-cid");
    assert_eq!(unixfs(path), wanted, "rust-unixfs");
    let bytes = if path.is_dir() {
        names(path).iter().map(|name| path.join(name).metadata().expect("a file").len()).sum()
    } else {
        path.metadata().expect("a file").len()
    };
    let mut group = c.benchmark_group(name);
    group.throughput(Throughput::Bytes(bytes)).sample_size(15).measurement_time(Duration::from_secs(3));
    group.bench_function("assay", |b| b.iter(|| assay(path)));
    group.bench_function("aleph_cid", |b| b.iter(|| aleph(path)));
    group.bench_function("rust_unixfs", |b| b.iter(|| unixfs(path)));
    group.bench_function("limit", |b| b.iter(|| limit(path)));
    group.finish();
}

fn assay(path: &Path) -> String {
    let summary = of_path(path, &Layout::default(), &mut Strict, &Discard, &AtomicU64::new(0));
    summary.expect("content").cid.to_string()
}

fn aleph_file(path: &Path) -> String {
    let (mut file, mut buffer) = (File::open(path).expect("a file"), vec![0; CHUNK_BYTES]);
    let mut hasher = Hasher::for_ipfs_v1_raw_leaves();
    loop {
        match file.read(&mut buffer).expect("bytes") {
            0 => return hasher.finalize().to_string(),
            count => hasher.update(&buffer[..count]),
        }
    }
}

fn aleph_folder(path: &Path) -> String {
    let entries = collect_folder_files(path, true).expect("files");
    hash_folder_root(&entries, &UploadFolderOptions::default()).expect("content").to_string()
}

fn unixfs_file(path: &Path) -> String {
    unixfs_content(path, &mut vec![0; CHUNK_BYTES]).0.to_string()
}

fn unixfs_folder(path: &Path) -> String {
    let (mut tree, mut buffer) = (BufferingTreeBuilder::default(), vec![0; CHUNK_BYTES]);
    for name in names(path) {
        let (cid, total) = unixfs_content(&path.join(&name), &mut buffer);
        tree.put_link(&format!("root/{name}"), cid, total).expect("another path");
    }
    let (mut nodes, mut root) = (tree.build(), String::new());
    while let Some(node) = nodes.next_borrowed() {
        root = node.expect("a node").cid.to_string();
    }
    root
}

/// Identifier and cumulative size; what is more than one block is not asked for its size.
fn unixfs_content(path: &Path, buffer: &mut [u8]) -> (cid::Cid, u64) {
    let mut file = File::open(path).expect("a file");
    let mut adder = FileAdder::default();
    let mut filled = 0;
    loop {
        let count = file.read(&mut buffer[filled..]).expect("bytes");
        filled += count;
        if filled == buffer.len() || count == 0 {
            let mut rest = &buffer[..filled];
            while !rest.is_empty() {
                let (blocks, taken) = adder.push(rest);
                drop(blocks);
                rest = &rest[taken..];
            }
            if count == 0 {
                break;
            }
            filled = 0;
        }
    }
    let (cid, block) = adder.finish().last().expect("a root");
    (cid, block.len() as u64)
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

/// Does `count` jobs on as many threads as this project has; the sum keeps them from being left out.
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
        fs::write(folder.join(format!("file-{n:05}.txt")), content(n)).expect("room for a file");
    }
}

/// Bytes that no two places share.
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

//! The anonymous drop in process: uploading a site compared with its lower limit, serving a page, and
//! rejecting hostile zips.
//!
//! Every response is checked; the cost of each hostile upload is also given in milliseconds of processor time
//! of all threads.

use std::hint::black_box;
use std::time::{Duration, Instant};

use assay_benches::{Post, advance, answer, criterion, input, lift_drop_limits, page_of, upload};
use assay_sim::World;
use assay_sim::clock::EPOCH;
use assay_spec::Dialect;
use assay_spec::drop::zip::write::Entry;
use assay_spec::instant::DAY;
use bytes::Bytes;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use serde_json::Value;
use sha2::{Digest, Sha256};

#[allow(dead_code, reason = "the simulator's tests write more kinds of zips")]
#[path = "../../sim/tests/it/common/zip.rs"]
mod zip;

/// A site of a megabyte: 50 files of 20,000 bytes.
const FILES: usize = 50;
const FILE_BYTES: usize = 20_000;
/// The size of the served page.
const PAGE_BYTES: usize = 10_000;
/// The maximum cost of a hostile upload in milliseconds of processor time, and the number of uploads
/// measured.
const HOSTILE_MS: f64 = 1000.0;
const RUNS: u32 = 20;

type Group<'a> = BenchmarkGroup<'a, criterion::measurement::WallTime>;

fn world() -> World {
    let mut world = World::new(1, EPOCH, Dialect::default());
    lift_drop_limits(&mut world);
    world
}

/// A typical site: text that compresses to a third.
fn site() -> Vec<Entry> {
    let file = |n: usize| {
        let name = if n == 0 { "index.html".to_owned() } else { format!("assets/{}/page-{n}.html", n % 5) };
        let mut text = String::new();
        for line in 0.. {
            text.push_str(&format!(
                "<li class=\"item\">{:x}</li>\n",
                (n * 1000 + line) * 2_654_435_761 % 0xffff_ffff
            ));
            if text.len() >= FILE_BYTES {
                break;
            }
        }
        Entry::deflated(&name, &text.as_bytes()[..FILE_BYTES])
    };
    (0..FILES).map(file).collect()
}

/// Uploads and checks the response. Returns the time without preparation and cleanup.
fn timed(world: &mut World, post: &Post, status: u16) -> Duration {
    // The sites of the day before have expired, so every upload meets the same state.
    advance(world, 2 * DAY);
    let post = post.clone();
    let begun = Instant::now();
    let outputs = input(world, post);
    let spent = begun.elapsed();
    let (answered, body) = answer(&outputs);
    assert_eq!(answered, status, "{}", String::from_utf8_lossy(&body));
    spent
}

fn bench_upload(group: &mut Group<'_>, name: &str, post: &Post, status: u16) {
    let mut world = world();
    group.bench_function(name, |b| {
        b.iter_custom(|count| (0..count).map(|_| timed(&mut world, post, status)).sum());
    });
}

fn uploaded(c: &mut Criterion) {
    let entries = site();
    let mut group = c.benchmark_group("drop_upload");
    group.throughput(Throughput::Bytes((FILES * FILE_BYTES) as u64));
    bench_upload(&mut group, "site_of_50_files", &upload(&zip::write(&entries)), 200);
    // The unavoidable work: inflating the files and hashing every byte once.
    group.bench_function("limit_inflate_and_sha256", |b| {
        b.iter(|| {
            for entry in &entries {
                let content =
                    miniz_oxide::inflate::decompress_to_vec(black_box(&entry.data)).expect("deflated above");
                black_box(Sha256::digest(&content));
            }
        });
    });
    group.finish();
}

fn served(c: &mut Criterion) {
    let mut world = world();
    let zip = zip::from_files(&[("index.html", b""), ("page.html", &[b'x'; PAGE_BYTES])]);
    let (_, body) = answer(&input(&mut world, upload(&zip)));
    let dropped: Value = serde_json::from_slice(&body).expect("an upload returns JSON");
    let get = page_of(dropped["url"].as_str().expect("a URL"), "page.html");
    let mut group = c.benchmark_group("drop_page");
    group.throughput(Throughput::Elements(1));
    group.bench_function("file_of_10_kB", |b| {
        b.iter(|| {
            let (status, body) = answer(&input(&mut world, get.clone()));
            assert_eq!((status, body.len()), (200, PAGE_BYTES));
        });
    });
    group.finish();
}

fn hostile(c: &mut Criterion) {
    let bomb = Entry::deflated("index.html", vec![0; 42_000_000]);
    let allowed = upload(&zip::write(&[Entry::deflated("index.html", vec![0; 40_000_000])]));
    let declared = |size| upload(&zip::write(&[bomb.clone().both(|header| header.size = size)]));
    let crowd = |of: fn(&str) -> Entry| {
        let entries: Vec<Entry> = (0..100_000).map(|n| of(&format!("{n:05}"))).collect();
        upload(&zip::write(&entries))
    };
    let cases = [
        ("bomb_of_42_kB", declared(42_000_000), 413),
        ("bomb_of_42_kB_declared_as_allowed", declared(40_000_000), 413),
        ("bomb_of_42_kB_declared_as_small", declared(100), 413),
        ("bomb_of_42_kB_that_is_allowed", allowed, 200),
        ("links_that_multiply", upload(&links()), 413),
        ("files_100_000", crowd(|name| Entry::stored(name, b"")), 413),
        ("directories_100_000", crowd(Entry::directory), 400),
        ("zip_of_10_MB_and_1_byte", upload(&zip::of_length(10_000_001)), 413),
        ("noise_of_10_MB", upload(&noise(10_000_000)), 400),
        ("empty_blocks_of_10_MB", upload(&zip::write(&[empty_blocks(9_900_000)])), 400),
        ("fields_of_20_MB", fields(20_000_000), 400),
    ];
    let mut group = c.benchmark_group("drop_hostile");
    for (name, post, status) in &cases {
        let mut world = world();
        let before = processor_ms();
        for _ in 0..RUNS {
            timed(&mut world, post, *status);
        }
        let each = (processor_ms() - before) / f64::from(RUNS);
        // `cargo test --benches` starts every bench; nothing is measured then.
        if std::env::args().any(|argument| argument == "--bench") {
            println!("{name}: {each:.0} ms of processor time, {} bytes", post.body.len());
            assert!(each < HOSTILE_MS, "{name} costs {each} ms");
        }
        bench_upload(&mut group, name, post, *status);
    }
    group.finish();
}

/// Random bytes, the same on every run.
fn noise(length: usize) -> Vec<u8> {
    let blocks = (0u64..).flat_map(|n| Sha256::digest(n.to_be_bytes()).to_vec());
    blocks.take(length).collect()
}

/// A file of as many empty deflate blocks as fit: ten bits each, and the decoder builds new tables for each.
fn empty_blocks(length: usize) -> Entry {
    // Fixed codes, not the last block, end of block: bits 0, 10, 0000000. Four blocks are five bytes.
    let data = [0b0000_0010, 0b0000_1000, 0b0010_0000, 0b1000_0000, 0].repeat(length / 5);
    Entry::inflating("index.html", b"", data)
}

/// Folders that each contain two links to the next folder, so the number of paths doubles at each level.
fn links() -> Vec<u8> {
    let mut entries = vec![Entry::stored("index.html", b"")];
    for n in 0..40 {
        let links = ["a", "b"].map(|name| Entry::link(format!("d{n}/{name}"), format!("../d{}", n + 1)));
        entries.extend(links);
    }
    entries.push(Entry::stored("d40/x", b"x"));
    zip::write(&entries)
}

/// A form with as many fields as fit.
fn fields(length: usize) -> Post {
    let field = b"--assay\r\n\r\n\r\n\r\n";
    let mut post = upload(b"");
    post.body = Bytes::from(field.repeat(length / field.len()));
    post
}

/// The processor time of this process in milliseconds. One tick is 10 ms on systems with `/proc`.
fn processor_ms() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("this bench needs /proc");
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let ticks: f64 = fields[11..=12].iter().filter_map(|ticks| ticks.parse::<f64>().ok()).sum();
    ticks * 10.0
}

criterion_group! { name = benches; config = criterion(); targets = uploaded, served, hostile }
criterion_main!(benches);

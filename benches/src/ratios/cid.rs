//! Content identifiers of a large file, a folder of pages and a folder of tiny files, compared with the minimum that any
//! builder must do: read and hash every byte, on the same number of threads. With the feature `peers` also with two published
//! builders, which must give the same result. Files are on disk and in the page cache.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use assay_spec::Strict;
use assay_spec::cid::{Discard, Layout};
use assay_suites::support::disk::of_path;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::{Effort, compare, print_head, print_row, seconds_each};

/// The size of a block of a file.
pub const CHUNK_BYTES: usize = 262_144;

/// A way to read and hash content, or a builder of identifiers.
pub type Builder = fn(&Path) -> String;

/// The content on disk.
pub struct Content {
    /// Name, place, and the lower limit of each subject.
    pub subjects: [(&'static str, PathBuf, Builder); 3],
    _place: TempDir,
}

impl Content {
    /// Writes the content; `small`: enough to see that everything works.
    pub fn new(small: bool) -> Content {
        let place = tempfile::tempdir().expect("a folder for the files");
        let [file, pages, tiny] = ["large", "pages", "tiny"].map(|name| place.path().join(name));
        fs::write(&file, noise(0, if small { 1 << 20 } else { 256 << 20 })).expect("space for the file");
        fill(&pages, if small { 10 } else { 1000 }, |n| noise(n, 10_000));
        fill(&tiny, if small { 10 } else { 20_000 }, |n| n.to_string().into_bytes());
        let subjects = [
            ("large_file", file, limit_file as Builder),
            ("thousand_pages", pages, limit_folder),
            ("twenty_thousand_tiny_files", tiny, limit_folder),
        ];
        Content { subjects, _place: place }
    }
}

/// Prints the ratios.
pub fn print(effort: Effort) {
    println!("\nContent identifiers, on all cores: 256 MiB; 1,000 files of 10 kB; 20,000 tiny files\n");
    print_head();
    for (name, path, limit) in &Content::new(false).subjects {
        let name = name.replace('_', " ");
        let others: Vec<(&str, Builder)> = vec![("reading and hashing every byte", *limit)];
        #[cfg(feature = "peers")]
        let others = [others, crate::peers::ALL.to_vec()].concat();
        for (other, builder) in others {
            let rounds = effort.rounds().min(9);
            let side = |builder: Builder| move || seconds_each(1, || drop(builder(path)));
            let [ratio] = compare(rounds, &mut side(assay), [&mut side(builder)]);
            print_row(&name, other, &ratio);
        }
    }
}

/// This project.
pub fn assay(path: &Path) -> String {
    let summary = of_path(path, &Layout::default(), &mut Strict, &Discard, &AtomicU64::new(0));
    summary.expect("content").cid.to_string()
}

/// Reads and hashes every byte of a file, on all cores.
pub fn limit_file(path: &Path) -> String {
    let file = File::open(path).expect("a file");
    let chunks = (file.metadata().expect("a file").len() as usize).div_ceil(CHUNK_BYTES);
    on_all_cores(chunks, |n, buffer| {
        let count = file.read_at(buffer, (n * CHUNK_BYTES) as u64).expect("bytes");
        Sha256::digest(&buffer[..count])[0]
    })
}

/// The same for the files of a folder.
pub fn limit_folder(path: &Path) -> String {
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

/// The names of a folder's files.
pub fn names(folder: &Path) -> Vec<String> {
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

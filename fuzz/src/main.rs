//! The fuzzer: `fuzz/run` builds and starts it. `ASSAY_FUZZ_TARGET` names the target, the first argument is its corpus.
#![no_main]

mod targets;

use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use sha2::{Digest, Sha256};
use targets::{TARGETS, Target};

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("ASSAY_FUZZ_TARGET").unwrap_or_default();
    let names = TARGETS.each_ref().map(|target| target.name).join(", ");
    TARGETS.iter().find(|target| target.name == name).unwrap_or_else(|| {
        panic!("ASSAY_FUZZ_TARGET is {name:?}; the targets are {names}");
    })
});

/// Writes the seeds into the corpus, under the hashes of their bytes as the fuzzer does.
fn seed() {
    let corpus = PathBuf::from(std::env::args_os().nth(1).expect("the corpus is the first argument"));
    std::fs::create_dir_all(&corpus).expect("the corpus can be written");
    for seed in (TARGET.seeds)() {
        let name = assay_spec::crypto::text::hex(&Sha256::digest(&seed));
        std::fs::write(corpus.join(name), seed).expect("the corpus can be written");
    }
}

fuzz_target!(init: seed(), |data: &[u8]| (TARGET.run)(data));

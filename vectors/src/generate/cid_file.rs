//! `cid.file`: both sides of a chunk's length, of a node's width and of a level.

use assay_spec::crypto::text::hex;
use serde_json::json;

use super::group::Group;
use super::keys::SEED;
use crate::bytes::prng;
use crate::case::Case;

const CHUNK: usize = 262_144;
const WIDTH: usize = 174;

pub(super) fn cases() -> Vec<Case> {
    let mut g = Group::new("drop/cid-file", "cid.file", "src/generate/cid_file.rs", &[]);
    let noise = |length: usize| json!({"prng": [SEED, length]});
    // As many bytes as chunks, so that no two chunks are the same; faster to make than noise.
    let rows = |chunks: usize| json!({"repeat": [hex(&prng(SEED, chunks)), CHUNK]});
    for (name, content, why) in [
        ("empty", json!({"hex": ""}), "No byte is one chunk, which is empty."),
        ("byte", json!({"utf8": "a"}), "One byte."),
        (
            "page",
            json!({"utf8": "<!doctype html>\n<title>A page</title>\n"}),
            "One chunk is a raw block as it is.",
        ),
        ("chunk-less-1", noise(CHUNK - 1), "One byte less than a chunk."),
        ("chunk", noise(CHUNK), "A whole chunk still has no node above it."),
        ("chunk-and-1", noise(CHUNK + 1), "The first file of two chunks, the second of one byte."),
        ("chunks-2-less-1", noise(2 * CHUNK - 1), "The second chunk lacks one byte."),
        ("chunks-2", noise(2 * CHUNK), "Two whole chunks; there is no empty third one."),
        ("chunks-2-and-1", noise(2 * CHUNK + 1), "A third of one byte."),
        (
            "same-chunks",
            json!({"repeat": ["00", 3 * CHUNK]}),
            "Chunks that are the same are linked each for itself.",
        ),
        ("mebibyte", noise(1 << 20), "Four chunks; other profiles would make it one."),
        ("chunks-174-less-1", noise(WIDTH * CHUNK - 1), "A full node, whose last chunk lacks one byte."),
        ("chunks-174", noise(WIDTH * CHUNK), "A full node: as many chunks as it may have children."),
        (
            "chunks-175",
            noise(WIDTH * CHUNK + 1),
            "One byte more: a second level, whose second node has one child, since all leaves are equally deep.",
        ),
        ("chunks-348", rows(2 * WIDTH), "Two full nodes under one root."),
        ("chunks-349", rows(2 * WIDTH + 1), "Two full nodes and a third with one child under one root."),
    ] {
        g.accept(name, json!({"content": content}), why);
    }
    g.cases
}

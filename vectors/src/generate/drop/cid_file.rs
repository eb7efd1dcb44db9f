//! `cid.file`: both sides of the chunk size, the node width and the number of levels.

use assay_spec::crypto::text::hex;
use serde_json::json;

use crate::bytes::prng;
use crate::case::Case;
use crate::generate::group::Group;
use crate::generate::keys::SEED;

const CHUNK: usize = 262_144;
const WIDTH: usize = 174;

pub(in crate::generate) fn cases() -> Vec<Case> {
    let mut g = Group::new("drop/cid-file", "cid.file", "src/generate/drop/cid_file.rs", &[]);
    let noise = |length: usize| json!({"prng": [SEED, length]});
    // One byte per chunk in each repetition, so that no two chunks are equal. Faster than random bytes.
    let rows = |chunks: usize| json!({"repeat": [hex(&prng(SEED, chunks)), CHUNK]});
    for (name, content, why) in [
        ("empty", json!({"hex": ""}), "An empty file is one empty chunk."),
        ("byte", json!({"utf8": "a"}), "A file of one byte."),
        (
            "page",
            json!({"utf8": "<!doctype html>\n<title>A page</title>\n"}),
            "A file of one chunk is a single raw block.",
        ),
        ("chunk-less-1", noise(CHUNK - 1), "A file one byte shorter than a chunk."),
        ("chunk", noise(CHUNK), "A file of exactly one chunk has no node above it."),
        ("chunk-and-1", noise(CHUNK + 1), "The smallest file of two chunks: the second has one byte."),
        ("chunks-2-less-1", noise(2 * CHUNK - 1), "The second chunk is one byte short."),
        ("chunks-2", noise(2 * CHUNK), "Two full chunks. No empty third chunk follows."),
        ("chunks-2-and-1", noise(2 * CHUNK + 1), "Two full chunks and a third of one byte."),
        ("same-chunks", json!({"repeat": ["00", 3 * CHUNK]}), "Equal chunks each get their own link."),
        ("mebibyte", noise(1 << 20), "Four chunks. Other import profiles would make one chunk of 1 MiB."),
        ("chunks-174-less-1", noise(WIDTH * CHUNK - 1), "A full node whose last chunk is one byte short."),
        ("chunks-174", noise(WIDTH * CHUNK), "A full node: 174 chunks are the most that one node links."),
        (
            "chunks-175",
            noise(WIDTH * CHUNK + 1),
            "One byte more needs a second level. All leaves are equally deep, so its second node has one child.",
        ),
        ("chunks-348", rows(2 * WIDTH), "Two full nodes under one root."),
        ("chunks-349", rows(2 * WIDTH + 1), "Two full nodes and a third node with one child under one root."),
    ] {
        g.accept(name, json!({"content": content}), why);
    }
    g.cases
}

//! `keccak256`: lengths around the sponge's block, and inputs whose digests are well known.

use serde_json::json;

use crate::case::Case;
use crate::generate::group::Group;
use crate::generate::keys::SEED;

pub(in crate::generate) fn cases() -> Vec<Case> {
    let mut g = Group::new("network/keccak256", "keccak256", "src/generate/network/keccak.rs", &[]);
    let noise = |length: usize| json!({"prng": [SEED, length]});
    for (name, data, why) in [
        ("nothing", json!({"utf8": ""}), "The digest of nothing is the padding's alone."),
        ("abc", json!({"utf8": "abc"}), "The padding begins with 01; SHA3-256 begins it with 06."),
        ("em-dash", json!({"utf8": "\u{2014}"}), "Text is hashed as UTF-8."),
        ("thirty-two", noise(32), "A digest may be hashed again."),
        ("block-less-one", noise(135), "The padding is one byte, 81."),
        ("block", noise(136), "A whole block of data is followed by a block of padding."),
        ("block-and-one", noise(137), "One byte into the second block."),
        ("two-blocks", noise(272), "Two whole blocks."),
        ("zeros", json!({"repeat": ["00", 200]}), "Zeros of another number have another digest."),
        ("long", noise(100_000), "Many blocks."),
    ] {
        g.accept(name, json!({"data": data}), why);
    }
    g.cases
}

//! `keccak256`: lengths around the block size, and inputs with well-known digests.

use serde_json::json;

use crate::case::Case;
use crate::generate::group::Group;
use crate::generate::keys::SEED;

pub(in crate::generate) fn cases() -> Vec<Case> {
    let mut g = Group::new("network/keccak256", "keccak256", "src/generate/network/keccak.rs", &[]);
    let noise = |length: usize| json!({"prng": [SEED, length]});
    for (name, data, why) in [
        ("nothing", json!({"utf8": ""}), "For empty data only the padding is hashed."),
        (
            "abc",
            json!({"utf8": "abc"}),
            "The padding begins with 01, unlike SHA3-256, where it begins with 06.",
        ),
        ("em-dash", json!({"utf8": "\u{2014}"}), "A string is hashed as UTF-8."),
        ("thirty-two", noise(32), "Data of 32 bytes, like a digest that is hashed again."),
        ("block-less-one", noise(135), "135 bytes leave one byte of padding, 81."),
        ("block", noise(136), "A full block of data is followed by a block of padding."),
        ("block-and-one", noise(137), "The data is one byte longer than a block."),
        ("two-blocks", noise(272), "The data fills two blocks."),
        ("zeros", json!({"repeat": ["00", 200]}), "The digest depends on the number of zero bytes."),
        ("long", noise(100_000), "The data fills many blocks."),
    ] {
        g.accept(name, json!({"data": data}), why);
    }
    g.cases
}

//! Directories around the sharding limit, and shards below shards.

use serde_json::{Value, json};

use super::{file, input, link};
use crate::generate::group::Group;
use crate::steps::{block_bytes, links_bytes};

/// Readings of how the size of a directory is measured. The document leaves it open.
const LINKS: &str = "A-104/links";
const BLOCK: &str = "A-104/block";

/// The largest size of a directory that is not sharded.
const LIMIT: usize = 262_144;

/// Pairs of names whose murmur3 hashes begin with the same six, six and four bytes.
const SIX: [&str; 2] = ["page-4836671.html", "page-12565726.html"];
const SIX_MORE: [&str; 2] = ["page-4588220.html", "page-19204126.html"];
const FOUR: [&str; 2] = ["page-98806.html", "page-156828.html"];

pub(super) fn cases(g: &mut Group) {
    let by_block = |bytes| filled(bytes, block_bytes);
    let by_links = |bytes| filled(bytes, links_bytes);
    g.accept("flat", by_block(LIMIT - 1), "A directory below the limit, whichever way its size is measured.");
    g.accept(
        "sharded",
        by_links(LIMIT + 1),
        "A directory above the limit, whichever way its size is measured.",
    );

    let estimates = [("links", LINKS, by_links as fn(usize) -> Value), ("block", BLOCK, by_block)];
    for (estimate, reading, at) in estimates {
        let with = |mut input: Value| {
            input["hamt_size"] = estimate.into();
            input
        };
        let same = "The names and identifiers of this folder are below the limit, its block is above it.";
        g.accept(&format!("between-by-{estimate}"), with(between()), same).read_as(reading);
        g.accept(
            &format!("below-limit-by-{estimate}"),
            with(at(LIMIT - 1)),
            "The size is one byte below the limit.",
        )
        .read_as(reading);
        g.accept(
            &format!("limit-by-{estimate}"),
            with(at(LIMIT)),
            "A size exactly at the limit does not exceed it.",
        )
        .read_as(reading);
        g.accept(
            &format!("above-limit-by-{estimate}"),
            with(at(LIMIT + 1)),
            "The size is one byte above the limit.",
        )
        .read_as(reading);
    }

    g.accept(
        "entries-5000",
        input([json!({"numbered": ["a-rather-long-name-", 5000], "content": {"utf8": "x"}})]),
        "Five thousand files: two levels of shards.",
    );
    chains(g);
    let below = |name: &str| filler(&format!("{name}/{}", "n".repeat(200)), 1200);
    g.accept(
        "sharded-below",
        input([file("index.html", "page"), below("a/b"), file("a/c", "1")]),
        "A sharded directory below two unsharded ones.",
    );
    g.accept(
        "sharded-around",
        input([filler(&"n".repeat(200), 1200), file("a/b", "1"), file("a/c/d", "2"), link("e", "a")]),
        "Folders and links in a sharded directory.",
    );
}

/// One shard with a single child for every byte that the hashes share.
fn chains(g: &mut Group) {
    let named = |names: &[&str]| names.iter().map(|name| file(name, name)).collect::<Vec<_>>();
    let full = || filler(&"n".repeat(200), 1200);
    for (name, names, why) in [
        (
            "chain-4",
            named(&FOUR),
            "The hashes of two names begin with the same four bytes, so the names are in the fifth level of shards.",
        ),
        (
            "chain-6",
            named(&SIX),
            "The hashes of two names begin with the same six bytes, so the names are in the seventh level of shards.",
        ),
        (
            "chains",
            [named(&SIX), named(&SIX_MORE), named(&FOUR)].concat(),
            "Three chains of shards in one directory.",
        ),
    ] {
        g.accept(name, input(names.into_iter().chain([full()])), why);
    }
}

/// A folder that is above the limit by one measure and below it by the other.
fn between() -> Value {
    input([filler(&"n".repeat(200), 1080)])
}

fn filler(prefix: &str, count: usize) -> Value {
    json!({"numbered": [prefix, count], "content": {"utf8": "x"}})
}

/// A folder of exactly `bytes`, by `measure`.
fn filled(bytes: usize, measure: fn(&Value) -> usize) -> Value {
    const LAST: usize = 128;
    let of =
        |count: usize, last: usize| input([filler(&"n".repeat(60), count), file(&"l".repeat(last), "last")]);
    let size = |count: usize| measure(&of(count, LAST));
    // From the thousandth entry on, all entries have the same size.
    let each = size(1001) - size(1000);
    let count = 1000 + (bytes - size(1000)) / each;
    let found = of(count, LAST + bytes - size(count));
    assert_eq!(measure(&found), bytes, "no length of the last name gives the wanted size");
    found
}

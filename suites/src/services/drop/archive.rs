//! Entries of the checks' zips, as Unix tools write them.

use assay_spec::drop::zip::write::{Entry, UTF8, Zip};
use miniz_oxide::deflate::compress_to_vec;

const FILE: u32 = 0o100_644;
const DIRECTORY: u32 = 0o040_755;
/// Fast, and good enough for repetitive content.
const LEVEL: u8 = 1;

/// A stored (uncompressed) file.
pub(crate) fn file(name: &str, content: impl AsRef<[u8]>) -> Entry {
    named(Entry::stored(name, content), FILE)
}

/// A compressed file.
pub(crate) fn compressed(name: &str, content: impl AsRef<[u8]>) -> Entry {
    let content = content.as_ref();
    named(Entry::inflating(name, content, compress_to_vec(content, LEVEL)), FILE)
}

/// A symbolic link: its content is the target.
pub(crate) fn link(name: &str, target: &str) -> Entry {
    Entry::link(name, target).both(|header| header.flags = UTF8)
}

/// A directory; `name` has no trailing slash.
pub(crate) fn directory(name: &str) -> Entry {
    named(Entry::directory(name), DIRECTORY)
}

/// A zip of these entries in this order.
pub(crate) fn zip(entries: &[Entry]) -> Vec<u8> {
    Zip::with_entries(entries.iter().cloned()).bytes()
}

fn named(entry: Entry, mode: u32) -> Entry {
    entry.mode(mode).both(|header| header.flags = UTF8)
}

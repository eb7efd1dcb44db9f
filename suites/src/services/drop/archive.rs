//! Entries of the checks' zips, as Unix tools write them.

use std::io::Write;

use assay_spec::drop::zip::write::{Entry, UTF8, Zip};
use flate2::Compression;
use flate2::write::DeflateEncoder;

const FILE: u32 = 0o100_644;
const DIRECTORY: u32 = 0o040_755;
/// Fast, and good enough for repetitive content.
const LEVEL: u32 = 1;

/// A stored (uncompressed) file.
pub(crate) fn file(name: &str, content: impl AsRef<[u8]>) -> Entry {
    named(Entry::stored(name, content), FILE)
}

/// A compressed file.
pub(crate) fn compressed(name: &str, content: impl AsRef<[u8]>) -> Entry {
    const FITS: &str = "memory takes all bytes";
    let content = content.as_ref();
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(LEVEL));
    encoder.write_all(content).expect(FITS);
    named(Entry::inflating(name, content, encoder.finish().expect(FITS)), FILE)
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

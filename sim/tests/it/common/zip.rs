//! Zips of the drop's tests. Their names have the UTF-8 flag.

use assay_spec::drop::zip::write::{Entry, UTF8, Zip};

/// The zip of these files, stored.
pub(crate) fn from_files(files: &[(&str, &[u8])]) -> Vec<u8> {
    bytes(files.iter().map(|(name, content)| Entry::stored(name, content)))
}

/// The zip of these entries, in this order.
pub(crate) fn write(entries: &[Entry]) -> Vec<u8> {
    bytes(entries.iter().cloned())
}

/// The zip of these entries, all over the data of the first one: each begins where the first does.
pub(crate) fn overlapping(entries: &[Entry]) -> Vec<u8> {
    let others = entries.iter().skip(1).map(|entry| {
        let entry = Entry { local: None, data: Vec::new(), ..entry.clone() };
        entry.central(|header| {
            header.offset = Some(0);
            header.flags |= UTF8;
        })
    });
    let first = entries.iter().take(1).cloned().map(named);
    Zip::with_entries(first.chain(others)).bytes()
}

/// A zip of `index.html` with exactly this many bytes; a second file fills the rest.
pub(crate) fn of_length(length: usize) -> Vec<u8> {
    let frame = from_files(&[("index.html", b"<p>"), ("pad.bin", b"")]).len();
    let zip = from_files(&[("index.html", b"<p>"), ("pad.bin", &vec![b'x'; length - frame])]);
    assert_eq!(zip.len(), length);
    zip
}

fn bytes(entries: impl Iterator<Item = Entry>) -> Vec<u8> {
    Zip::with_entries(entries.map(named)).bytes()
}

fn named(entry: Entry) -> Entry {
    entry.both(|header| header.flags |= UTF8)
}

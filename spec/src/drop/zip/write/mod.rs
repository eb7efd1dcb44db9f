//! Writes zips, for checks, golden vectors and tests: conforming by default, with a place for every fault.
//!
//! An entry has both headers as values, so that a test can change one number and keep the rest:
//! `Entry::stored("a", b"x").central(|header| header.crc += 1)`. The end records are built from the written entries and
//! can be changed before they are written: [`Zip::bytes_with`].

mod end;
mod entry;
mod numbers;
mod shape;

use std::borrow::Cow;

pub use end::{End, WideEnd};
pub use entry::{DESCRIPTOR, Entry, FULL, Header, UTF8, extra};
pub use shape::shaped;

/// A zip: its entries in the order of the directory.
#[derive(Clone, Debug, Default)]
pub struct Zip {
    /// The entries.
    pub entries: Vec<Entry>,
    /// Whether the entries are written in the reverse order of the directory.
    pub backwards: bool,
    /// Bytes between the last entry and the directory.
    pub gap: Vec<u8>,
}

impl Zip {
    /// A zip of these entries, in this order.
    pub fn with_entries(entries: impl IntoIterator<Item = Entry>) -> Self {
        Self { entries: entries.into_iter().collect(), ..Self::default() }
    }

    /// A site. Its first entry is `index.html`.
    pub fn site(entries: impl IntoIterator<Item = Entry>) -> Self {
        Self::with_entries(std::iter::once(Entry::stored("index.html", "hello")).chain(entries))
    }

    /// The zip's bytes.
    pub fn bytes(&self) -> Vec<u8> {
        self.bytes_with(|_| {})
    }

    /// The zip's bytes, with the end records changed.
    pub fn bytes_with(&self, change: impl FnOnce(&mut End)) -> Vec<u8> {
        self.parts_with(change).concat()
    }

    /// What the zip's bytes consist of, in order: for each entry the gap, header, data and data descriptor; then the
    /// gap before the directory, each of its headers, and the end records. Some are empty.
    pub fn parts(&self) -> Vec<Cow<'_, [u8]>> {
        self.parts_with(|_| {})
    }

    fn parts_with<'a>(&'a self, change: impl FnOnce(&mut End)) -> Vec<Cow<'a, [u8]>> {
        let (mut parts, mut length) = (Vec::new(), 0);
        let mut put = |part: Cow<'a, [u8]>| {
            length += part.len();
            parts.push(part);
            length
        };
        let count = self.entries.len();
        let mut offsets = vec![0; count];
        for at in 0..count {
            let at = if self.backwards { count - 1 - at } else { at };
            let entry = &self.entries[at];
            offsets[at] = put((&entry.gap).into());
            put(entry.local.as_ref().map(|local| local.bytes(None)).unwrap_or_default().into());
            put((&entry.data).into());
            put((&entry.descriptor).into());
        }
        let start = put((&self.gap).into());
        let mut end = start;
        let listed =
            self.entries.iter().zip(offsets).filter_map(|(entry, at)| Some((entry.central.as_ref()?, at)));
        let mut entries = 0;
        for (header, offset) in listed {
            end = put(header.bytes(Some(offset)).into());
            entries += 1;
        }
        let mut record = End::conforming(entries, start, end);
        change(&mut record);
        put(record.bytes().into());
        parts
    }
}

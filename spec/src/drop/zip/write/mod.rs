//! Writes zips, for checks and tests: conforming by default, with a place for every fault.
//!
//! An entry has both headers as values, so that a test can change one number and keep the rest:
//! `Entry::stored("a", b"x").central(|header| header.crc += 1)`. The end records are built from the written entries and
//! can be changed before they are written: [`Zip::bytes_with`].

mod end;
mod entry;
mod numbers;

pub use end::{End, WideEnd};
pub use entry::{DESCRIPTOR, Entry, FULL, Header, UTF8, extra};

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
        let mut out = Vec::new();
        let mut offsets = vec![0; self.entries.len()];
        let count = self.entries.len();
        for at in 0..count {
            let at = if self.backwards { count - 1 - at } else { at };
            let entry = &self.entries[at];
            out.extend(&entry.gap);
            offsets[at] = out.len();
            if let Some(local) = &entry.local {
                local.write(&mut out, None);
            }
            out.extend(&entry.data);
            out.extend(&entry.descriptor);
        }
        out.extend(&self.gap);

        let start = out.len();
        let mut entries = 0_usize;
        for (entry, offset) in self.entries.iter().zip(offsets) {
            if let Some(central) = &entry.central {
                central.write(&mut out, Some(offset));
                entries += 1;
            }
        }
        let mut end = End::conforming(entries, start, out.len());
        change(&mut end);
        end.write(&mut out);
        out
    }
}

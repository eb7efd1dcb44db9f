//! A writer of zips for these tests: conforming unless told, with a place for every deviation.
//!
//! An entry has both its headers as values, so that a test changes one number and leaves the rest as it was:
//! `Entry::stored("a", b"x").central(|header| header.crc += 1)`. The end records are made from what was written and
//! can be changed just before they are: [`Zip::bytes_with`].

mod end;
mod entry;
mod numbers;

pub(crate) use end::{End, WideEnd};
pub(crate) use entry::{DESCRIPTOR, Entry, FULL, Header, extra};

/// A zip: its entries in the order of the directory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Zip {
    pub(crate) entries: Vec<Entry>,
    /// Writes the entries in the reverse order of the directory.
    pub(crate) backwards: bool,
    /// Bytes between the last entry and the directory.
    pub(crate) gap: Vec<u8>,
}

impl Zip {
    pub(crate) fn of(entries: impl IntoIterator<Item = Entry>) -> Self {
        Self { entries: entries.into_iter().collect(), ..Self::default() }
    }

    /// A site whose first entry is its page.
    pub(crate) fn site(entries: impl IntoIterator<Item = Entry>) -> Self {
        Self::of(std::iter::once(Entry::stored("index.html", "hello")).chain(entries))
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.bytes_with(|_| {})
    }

    /// The zip's bytes, with the end records changed.
    pub(crate) fn bytes_with(&self, change: impl FnOnce(&mut End)) -> Vec<u8> {
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

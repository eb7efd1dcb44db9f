//! Entries of zips whose headers a test changes.

use assay_spec::drop::zip::write::{self, UTF8, Zip};

/// An entry, as in its headers. Any field may be wrong.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) name: Vec<u8>,
    /// The name in the zip.
    pub(crate) data: Vec<u8>,
    /// 0 is stored, 8 is deflated.
    pub(crate) method: u16,
    pub(crate) flags: u16,
    pub(crate) crc: u32,
    /// The size in the headers.
    pub(crate) size: u32,
    /// The Unix mode; 0 if the zip is from another system.
    pub(crate) mode: u32,
}

impl Entry {
    /// A stored file.
    pub(crate) fn stored(name: &str, content: &[u8]) -> Entry {
        Entry {
            name: name.as_bytes().to_vec(),
            data: content.to_vec(),
            method: 0,
            flags: UTF8,
            crc: crc32fast::hash(content),
            size: content.len() as u32,
            mode: 0,
        }
    }

    /// A deflated file.
    pub(crate) fn deflated(name: &str, content: &[u8]) -> Entry {
        let data = miniz_oxide::deflate::compress_to_vec(content, 9);
        Entry { data, method: 8, ..Entry::stored(name, content) }
    }

    /// A symbolic link.
    pub(crate) fn link(name: &str, target: &str) -> Entry {
        Entry { mode: 0o120_777, ..Entry::stored(name, target.as_bytes()) }
    }

    fn written(&self) -> write::Entry {
        let (size, crc, flags, method) = (self.size, self.crc, self.flags, self.method);
        let entry = write::Entry::stored(&self.name, &self.data).mode(self.mode);
        entry.both(|header| {
            (header.size, header.crc, header.flags, header.method) = (size, crc, flags, method);
        })
    }

    /// A directory; its name ends in a slash.
    pub(crate) fn directory(name: &str) -> Entry {
        Entry::stored(&format!("{name}/"), b"")
    }
}

/// The zip of these files, stored.
pub(crate) fn from_files(files: &[(&str, &[u8])]) -> Vec<u8> {
    let entries: Vec<Entry> = files.iter().map(|(name, content)| Entry::stored(name, content)).collect();
    write(&entries)
}

/// The zip of these entries, in this order.
pub(crate) fn write(entries: &[Entry]) -> Vec<u8> {
    Zip::with_entries(entries.iter().map(Entry::written)).bytes()
}

/// The zip of these entries, all over the data of the first one: each begins where the first does.
pub(crate) fn overlapping(entries: &[Entry]) -> Vec<u8> {
    let first = entries.iter().take(1).map(Entry::written);
    let others = entries.iter().skip(1).map(|entry| {
        let entry = write::Entry { local: None, data: Vec::new(), ..entry.written() };
        entry.central(|header| header.offset = Some(0))
    });
    Zip::with_entries(first.chain(others)).bytes()
}

/// A zip of `index.html` with exactly this many bytes; a second file fills the rest.
pub(crate) fn of_length(length: usize) -> Vec<u8> {
    let frame = from_files(&[("index.html", b"<p>"), ("pad.bin", b"")]).len();
    let zip = from_files(&[("index.html", b"<p>"), ("pad.bin", &vec![b'x'; length - frame])]);
    assert_eq!(zip.len(), length);
    zip
}

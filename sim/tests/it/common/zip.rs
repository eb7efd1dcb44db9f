//! A raw zip writer: a test controls every byte.

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
            flags: UTF8_NAMES,
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
    let mut out = Vec::new();
    let places: Vec<usize> = entries
        .iter()
        .map(|entry| {
            let place = out.len();
            local(&mut out, entry);
            place
        })
        .collect();
    finish(out, entries, &places)
}

/// The zip of these entries, all over the data of the first one: each begins where the first does.
pub(crate) fn overlapping(entries: &[Entry]) -> Vec<u8> {
    let mut out = Vec::new();
    local(&mut out, &entries[0]);
    finish(out, entries, &vec![0; entries.len()])
}

/// A zip of `index.html` with exactly this many bytes; a second file fills the rest.
pub(crate) fn of_length(length: usize) -> Vec<u8> {
    let frame = from_files(&[("index.html", b"<p>"), ("pad.bin", b"")]).len();
    let zip = from_files(&[("index.html", b"<p>"), ("pad.bin", &vec![b'x'; length - frame])]);
    assert_eq!(zip.len(), length);
    zip
}

/// Names are UTF-8.
const UTF8_NAMES: u16 = 1 << 11;
/// The version needed to extract an entry, and the one for 64-bit records.
const VERSION: u16 = 20;
const WIDE_VERSION: u16 = 45;
/// Midnight, 1 January 1980: the beginning of the format's time.
const TIME_AND_DATE: u32 = 0x0021_0000;

fn local(out: &mut Vec<u8>, entry: &Entry) {
    out.extend_from_slice(b"PK\x03\x04");
    shared(out, entry);
    out.extend_from_slice(&entry.name);
    out.extend_from_slice(&entry.data);
}

/// The fields that both headers of an entry share, in the same order.
fn shared(out: &mut Vec<u8>, entry: &Entry) {
    shorts(out, &[VERSION, entry.flags, entry.method]);
    longs(out, &[TIME_AND_DATE, entry.crc, entry.data.len() as u32, entry.size]);
    shorts(out, &[entry.name.len() as u16, 0]);
}

/// Adds the central directory and its end record, in the 64-bit form if the other is too small.
fn finish(mut out: Vec<u8>, entries: &[Entry], places: &[usize]) -> Vec<u8> {
    let start = out.len();
    for (entry, place) in entries.iter().zip(places) {
        out.extend_from_slice(b"PK\x01\x02");
        // Made on Unix: the upper half of the attributes is the mode.
        shorts(&mut out, &[3 << 8 | VERSION]);
        shared(&mut out, entry);
        shorts(&mut out, &[0, 0, 0]);
        longs(&mut out, &[entry.mode << 16, *place as u32]);
        out.extend_from_slice(&entry.name);
    }
    let (size, count) = (out.len() - start, entries.len());
    let narrow = u16::try_from(count).unwrap_or(u16::MAX);
    if narrow == u16::MAX {
        let wide = out.len() as u64;
        out.extend_from_slice(b"PK\x06\x06");
        wides(&mut out, &[44]);
        shorts(&mut out, &[WIDE_VERSION, WIDE_VERSION]);
        longs(&mut out, &[0, 0]);
        wides(&mut out, &[count as u64, count as u64, size as u64, start as u64]);
        out.extend_from_slice(b"PK\x06\x07");
        longs(&mut out, &[0]);
        wides(&mut out, &[wide]);
        longs(&mut out, &[1]);
    }
    out.extend_from_slice(b"PK\x05\x06");
    shorts(&mut out, &[0, 0, narrow, narrow]);
    longs(&mut out, &[size as u32, start as u32]);
    shorts(&mut out, &[0]);
    out
}

fn shorts(out: &mut Vec<u8>, numbers: &[u16]) {
    out.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
}

fn longs(out: &mut Vec<u8>, numbers: &[u32]) {
    out.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
}

fn wides(out: &mut Vec<u8>, numbers: &[u64]) {
    out.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
}

//! A minimal zip writer that can also write unsafe and false entries.

/// One entry of a zip.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    name: String,
    content: Vec<u8>,
    mode: u32,
    is_deflated: bool,
    claimed_bytes: Option<u32>,
}

const FILE: u32 = 0o100_644;
const LINK: u32 = 0o120_777;
const DIRECTORY: u32 = 0o040_755;

impl Entry {
    /// A stored (uncompressed) file.
    pub(crate) fn file(name: &str, content: impl Into<Vec<u8>>) -> Entry {
        Entry {
            name: name.to_owned(),
            content: content.into(),
            mode: FILE,
            is_deflated: false,
            claimed_bytes: None,
        }
    }

    /// A symbolic link as Unix tools write it: its content is the target.
    pub(crate) fn link(name: &str, target: &str) -> Entry {
        Entry { mode: LINK, ..Entry::file(name, target) }
    }

    /// A directory; `name` has no trailing slash.
    pub(crate) fn directory(name: &str) -> Entry {
        Entry { mode: DIRECTORY, ..Entry::file(&format!("{name}/"), "") }
    }

    /// The same entry, compressed.
    #[must_use]
    pub(crate) fn deflated(mut self) -> Entry {
        self.is_deflated = true;
        self
    }

    /// The same entry with a false uncompressed size in its headers.
    #[must_use]
    pub(crate) fn claiming(mut self, bytes: u32) -> Entry {
        self.claimed_bytes = Some(bytes);
        self
    }
}

/// Writes a zip of these entries in this order. All sizes fit in 32 bits (no ZIP64).
pub(crate) fn zip(entries: &[Entry]) -> Vec<u8> {
    let (mut out, mut central) = (Vec::new(), Vec::new());
    for entry in entries {
        let offset = out.len() as u32;
        let common = put_local(&mut out, entry);
        central.extend_from_slice(b"PK\x01\x02");
        // Made on Unix: the upper half of the attributes is the mode.
        put_u16s(&mut central, &[3 << 8 | VERSION]);
        central.extend_from_slice(&common);
        // No comment, the first disk, no internal attributes.
        put_u16s(&mut central, &[0, 0, 0]);
        put_u32(&mut central, entry.mode << 16);
        put_u32(&mut central, offset);
        central.extend_from_slice(entry.name.as_bytes());
    }
    let (offset, length) = (out.len() as u32, central.len() as u32);
    out.append(&mut central);
    out.extend_from_slice(b"PK\x05\x06");
    let count = entries.len() as u16;
    put_u16s(&mut out, &[0, 0, count, count]);
    put_u32(&mut out, length);
    put_u32(&mut out, offset);
    put_u16s(&mut out, &[0]);
    out
}

/// The zip version needed to extract the entries.
const VERSION: u16 = 20;
/// Names are UTF-8.
const FLAGS: u16 = 1 << 11;
/// 1 January 1980, 00:00: the start of the format's time.
const TIME_AND_DATE: u32 = 0x0021_0000;

/// Writes an entry's local header and content. Returns the fields that its central header repeats.
fn put_local(out: &mut Vec<u8>, entry: &Entry) -> Vec<u8> {
    let stored;
    let deflated;
    let (method, data): (u16, &[u8]) = if entry.is_deflated {
        deflated = miniz_oxide::deflate::compress_to_vec(&entry.content, LEVEL);
        (8, &deflated)
    } else {
        stored = &entry.content;
        (0, stored)
    };
    let mut common = Vec::new();
    put_u16s(&mut common, &[VERSION, FLAGS, method]);
    put_u32(&mut common, TIME_AND_DATE);
    put_u32(&mut common, crc32fast::hash(&entry.content));
    put_u32(&mut common, data.len() as u32);
    put_u32(&mut common, entry.claimed_bytes.unwrap_or(entry.content.len() as u32));
    put_u16s(&mut common, &[entry.name.len() as u16, 0]);
    out.extend_from_slice(b"PK\x03\x04");
    out.extend_from_slice(&common);
    out.extend_from_slice(entry.name.as_bytes());
    out.extend_from_slice(data);
    common
}

/// Fast, and good enough for repetitive content.
const LEVEL: u8 = 1;

fn put_u16s(out: &mut Vec<u8>, numbers: &[u16]) {
    for n in numbers {
        out.extend_from_slice(&n.to_le_bytes());
    }
}

fn put_u32(out: &mut Vec<u8>, n: u32) {
    out.extend_from_slice(&n.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use assay_spec::crypto::text;

    use super::*;

    /// Written by hand from the format's specification.
    #[test]
    fn one_stored_file() {
        let bytes = zip(&[Entry::file("a", "abc")]);
        let common = "1400 0008 0000 0000 2100 c2412435 03000000 03000000 0100 0000";
        let local = format!("504b0304 {common} 61 616263");
        let central = format!("504b0102 1403 {common} 0000 0000 0000 0000a481 00000000 61");
        let end = "504b0506 0000 0000 0100 0100 2f000000 22000000 0000";
        assert_eq!(text::hex(&bytes), [local, central, end.to_owned()].concat().replace(' ', ""));
    }

    #[test]
    fn both_headers_contain_mode_size_and_method() {
        let part = |entry: Entry, at: usize, length: usize| zip(&[entry])[at..at + length].to_vec();
        let central = |name: usize, data: usize| 30 + name + data;
        let mode = |entry: Entry, at| u32::from_le_bytes(part(entry, at + 38, 4).try_into().unwrap()) >> 16;
        assert_eq!(mode(Entry::link("l", "abc"), central(1, 3)), 0o120_777);
        assert_eq!(mode(Entry::directory("d"), central(2, 0)), 0o040_755);
        let false_size = || Entry::file("a", "abc").claiming(7);
        assert_eq!(part(false_size(), 22, 4), [7, 0, 0, 0]);
        assert_eq!(part(false_size(), central(1, 3) + 24, 4), [7, 0, 0, 0]);
        let entry = Entry::file("a", "a".repeat(1000)).deflated();
        assert_eq!(part(entry.clone(), 8, 2), [8, 0]);
        let bytes = zip(&[entry]);
        let length = u32::from_le_bytes(bytes[18..22].try_into().unwrap()) as usize;
        let content = miniz_oxide::inflate::decompress_to_vec(&bytes[31..31 + length]).unwrap();
        assert_eq!(content, "a".repeat(1000).into_bytes());
    }
}

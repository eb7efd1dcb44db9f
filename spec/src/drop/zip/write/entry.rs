//! An entry with its local and central headers.

use miniz_oxide::deflate::compress_to_vec;

use super::numbers::{put16, put32};

/// The flag for a data descriptor.
pub const DESCRIPTOR: u16 = 1 << 3;
/// The flag for a UTF-8 name.
pub const UTF8: u16 = 1 << 11;
/// A number that is in the 64-bit extra field.
pub const FULL: u32 = u32::MAX;

/// The type bits of a symbolic link, with all permissions.
const LINK: u32 = 0o120_777;

/// A header of an entry, local or central. Fields of only one kind are not written in the other.
#[derive(Clone, Debug)]
pub struct Header {
    /// Central: the writer's system in the upper half, its version in the lower.
    pub made: u16,
    /// The version that a reader needs.
    pub version: u16,
    /// Bit flags.
    pub flags: u16,
    /// 0 for stored, 8 for deflated.
    pub method: u16,
    /// The time and the date of the last change, as in DOS.
    pub modified: [u16; 2],
    /// CRC-32 of the content.
    pub crc: u32,
    /// The length of the data.
    pub compressed: u32,
    /// The length of the content.
    pub size: u32,
    /// The name.
    pub name: Vec<u8>,
    /// The extra fields.
    pub extra: Vec<u8>,
    /// Central: the comment.
    pub comment: Vec<u8>,
    /// Central: the disk.
    pub disk: u16,
    /// Central: Unix mode in the upper half, DOS attributes in the lower.
    pub attributes: u32,
    /// Central: the offset of the local header; `None` for the real one.
    pub offset: Option<u32>,
}

/// An entry: local header, data, data descriptor, and the header in the directory.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Bytes before the local header, which belong to no entry.
    pub gap: Vec<u8>,
    /// `None`: only the header in the directory is written.
    pub local: Option<Header>,
    /// The data, after its compression.
    pub data: Vec<u8>,
    /// The data descriptor; empty if there is none.
    pub descriptor: Vec<u8>,
    /// `None`: the entry is not in the directory.
    pub central: Option<Header>,
}

impl Entry {
    /// A file, not compressed; a directory if the name ends in a slash.
    pub fn stored(name: impl AsRef<[u8]>, content: impl AsRef<[u8]>) -> Self {
        Self::new(name.as_ref(), content.as_ref(), 0, content.as_ref().to_vec())
    }

    /// A file, deflated.
    pub fn deflated(name: impl AsRef<[u8]>, content: impl AsRef<[u8]>) -> Self {
        Self::new(name.as_ref(), content.as_ref(), 8, compress_to_vec(content.as_ref(), 6))
    }

    /// A file with a given deflate stream.
    pub fn inflating(name: impl AsRef<[u8]>, content: &[u8], stream: Vec<u8>) -> Self {
        Self::new(name.as_ref(), content, 8, stream)
    }

    /// A directory; `name` has no trailing slash.
    pub fn directory(name: &str) -> Self {
        Self::stored(format!("{name}/"), "")
    }

    /// A symbolic link.
    pub fn link(name: impl AsRef<[u8]>, target: impl AsRef<[u8]>) -> Self {
        Self::stored(name, target).mode(LINK)
    }

    fn new(name: &[u8], content: &[u8], method: u16, data: Vec<u8>) -> Self {
        let header = Header {
            // Unix, 3.0; a reader needs 2.0. The file is from 2026-09-01 12:00.
            made: 0x031e,
            version: 20,
            flags: 0,
            method,
            modified: [0x6000, 0x5d21],
            crc: crc32fast::hash(content),
            compressed: data.len() as u32,
            size: content.len() as u32,
            name: name.to_vec(),
            extra: Vec::new(),
            comment: Vec::new(),
            disk: 0,
            attributes: 0,
            offset: None,
        };
        let (local, central) = (Some(header.clone()), Some(header));
        Self { gap: Vec::new(), local, data, descriptor: Vec::new(), central }
    }

    /// Changes the header in the directory.
    #[must_use]
    pub fn central(mut self, change: impl FnOnce(&mut Header)) -> Self {
        change(self.central.as_mut().expect("it has a central header"));
        self
    }

    /// Changes the local header.
    #[must_use]
    pub fn local(mut self, change: impl FnOnce(&mut Header)) -> Self {
        change(self.local.as_mut().expect("it has a local header"));
        self
    }

    /// Changes both headers.
    #[must_use]
    pub fn both(self, change: impl Fn(&mut Header)) -> Self {
        self.central(&change).local(change)
    }

    /// With this Unix mode.
    #[must_use]
    pub fn mode(self, mode: u32) -> Self {
        self.central(|header| header.attributes = mode << 16)
    }

    /// Like a streaming writer: sizes and CRC-32 follow the data. `wide`: 64-bit sizes.
    #[must_use]
    pub fn streamed(self, signed: bool, wide: bool) -> Self {
        let conforming = self.central.clone().expect("it has a central header");
        let mut entry = self.both(|header| header.flags |= DESCRIPTOR).local(|header| {
            (header.crc, header.compressed, header.size) = (0, 0, 0);
        });
        entry.descriptor = if signed { b"PK\x07\x08".to_vec() } else { Vec::new() };
        entry.descriptor.extend(conforming.crc.to_le_bytes());
        for size in [conforming.compressed, conforming.size] {
            let bytes = u64::from(size).to_le_bytes();
            entry.descriptor.extend(if wide { &bytes[..] } else { &bytes[..4] });
        }
        entry
    }
}

impl Header {
    /// Moves the sizes (and in the directory the offset, if present) to a 64-bit extra field.
    pub fn widen(&mut self) {
        let mut numbers = vec![self.size, self.compressed];
        (self.size, self.compressed) = (FULL, FULL);
        if let Some(offset) = &mut self.offset {
            numbers.push(*offset);
            *offset = FULL;
        }
        let field: Vec<u8> = numbers.iter().flat_map(|number| u64::from(*number).to_le_bytes()).collect();
        self.extra.extend(extra(1, &field));
    }

    /// The local header; with the offset of the local header, the one in the directory.
    pub(super) fn bytes(&self, central: Option<usize>) -> Vec<u8> {
        let mut out = Vec::new();
        if central.is_some() {
            out.extend(b"PK\x01\x02");
            put16(&mut out, &[self.made]);
        } else {
            out.extend(b"PK\x03\x04");
        }
        put16(&mut out, &[self.version, self.flags, self.method, self.modified[0], self.modified[1]]);
        put32(&mut out, &[self.crc, self.compressed, self.size]);
        put16(&mut out, &[self.name.len() as u16, self.extra.len() as u16]);
        if let Some(written_at) = central {
            put16(&mut out, &[self.comment.len() as u16, self.disk, 0]);
            put32(&mut out, &[self.attributes, self.offset.unwrap_or(written_at as u32)]);
        }
        out.extend(&self.name);
        out.extend(&self.extra);
        if central.is_some() {
            out.extend(&self.comment);
        }
        out
    }
}

/// An extra field.
pub fn extra(id: u16, field: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    put16(&mut out, &[id, field.len() as u16]);
    out.extend(field);
    out
}

//! The records at the end of a zip.

use super::entry::FULL;
use super::numbers::{put16, put32, put64};

/// The end records, before they are written.
#[derive(Clone, Debug)]
pub struct End {
    /// The number of this disk.
    pub disk: u16,
    /// The disk on which the directory begins.
    pub directory_disk: u16,
    /// The number of entries on this disk.
    pub entries_here: u16,
    /// The number of entries.
    pub entries: u16,
    /// The size of the directory.
    pub size: u32,
    /// The offset of the directory.
    pub offset: u32,
    /// The comment.
    pub comment: Vec<u8>,
    /// The comment length to write; `None` for the real one.
    pub comment_length: Option<u16>,
    /// The 64-bit end record, if there is one.
    pub wide: Option<WideEnd>,
    /// Bytes after the end record.
    pub after: Vec<u8>,
}

/// The 64-bit end record and its locator.
#[derive(Clone, Debug)]
pub struct WideEnd {
    /// The size of the record without its first 12 bytes.
    pub record_size: u64,
    /// The number of this disk.
    pub disk: u32,
    /// The disk on which the directory begins.
    pub directory_disk: u32,
    /// The number of entries on this disk.
    pub entries_here: u64,
    /// The number of entries.
    pub entries: u64,
    /// The size of the directory.
    pub size: u64,
    /// The offset of the directory.
    pub offset: u64,
    /// The disk of the record, in its locator.
    pub locator_disk: u32,
    /// The offset of the record, in its locator.
    pub record_offset: u64,
    /// The number of disks, in its locator.
    pub disks: u32,
}

impl End {
    /// The conforming record of a directory with `entries` entries between these positions.
    pub(super) fn conforming(entries: usize, start: usize, end: usize) -> Self {
        let count = u16::try_from(entries).unwrap_or_default();
        let mut record = Self {
            disk: 0,
            directory_disk: 0,
            entries_here: count,
            entries: count,
            size: (end - start) as u32,
            offset: start as u32,
            comment: Vec::new(),
            comment_length: None,
            wide: None,
            after: Vec::new(),
        };
        if entries > usize::from(u16::MAX) {
            record.widen_with(|wide| (wide.entries_here, wide.entries) = (entries as u64, entries as u64));
        }
        record
    }

    /// Adds a conforming 64-bit record. The short record then refers to it.
    pub fn widen(&mut self) {
        self.wide = Some(WideEnd {
            record_size: 44,
            disk: 0,
            directory_disk: 0,
            entries_here: self.entries_here.into(),
            entries: self.entries.into(),
            size: self.size.into(),
            offset: self.offset.into(),
            locator_disk: 0,
            record_offset: u64::from(self.offset) + u64::from(self.size),
            disks: 1,
        });
        (self.entries_here, self.entries, self.size, self.offset) = (u16::MAX, u16::MAX, FULL, FULL);
    }

    /// Adds a conforming 64-bit record and changes it.
    pub fn widen_with(&mut self, change: impl FnOnce(&mut WideEnd)) {
        self.widen();
        change(self.wide.as_mut().expect("just added"));
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        if let Some(wide) = &self.wide {
            out.extend(b"PK\x06\x06");
            put64(&mut out, &[wide.record_size]);
            put16(&mut out, &[45, 45]);
            put32(&mut out, &[wide.disk, wide.directory_disk]);
            put64(&mut out, &[wide.entries_here, wide.entries, wide.size, wide.offset]);
            out.extend(b"PK\x06\x07");
            put32(&mut out, &[wide.locator_disk]);
            put64(&mut out, &[wide.record_offset]);
            put32(&mut out, &[wide.disks]);
        }
        out.extend(b"PK\x05\x06");
        put16(&mut out, &[self.disk, self.directory_disk, self.entries_here, self.entries]);
        put32(&mut out, &[self.size, self.offset]);
        put16(&mut out, &[self.comment_length.unwrap_or(self.comment.len() as u16)]);
        out.extend(&self.comment);
        out.extend(&self.after);
        out
    }
}

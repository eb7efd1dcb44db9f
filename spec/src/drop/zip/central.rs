//! One header of the central directory, and its entry.

use super::fields::{extra_field, shown, slice_at, u16_at, u32_at, u64_at};
use super::path;
use crate::drop::requirements::zip::FAITHFUL;
use crate::{Refused, Rules};

const SIGNATURE: u32 = 0x0201_4b50;
const SIZE: usize = 46;
/// The extra field with the 64-bit sizes.
pub(super) const WIDE_FIELD: u16 = 0x0001;
/// The extra field with a second, UTF-8 name: version, CRC-32 of the first name, name.
const NAME_FIELD: u16 = 0x7075;
const NAME_FIELD_LEAD: usize = 5;

/// Flag: a descriptor with sizes and CRC-32 follows the data.
pub(super) const DESCRIPTOR: u16 = 1 << 3;
/// The flags that are accepted: the two for the compression level, the descriptor, and UTF-8 names. The others mean
/// encryption, patches, masked headers, or are reserved.
const HARMLESS: u16 = 0b110 | DESCRIPTOR | 1 << 11;

/// Compression method: none.
pub(super) const STORED: u16 = 0;
/// Compression method: deflate.
pub(super) const DEFLATED: u16 = 8;

/// A header of the central directory, as written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header<'a> {
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) crc: u32,
    pub(super) compressed: u64,
    pub(super) size: u64,
    pub(super) offset: u64,
    pub(super) name: &'a [u8],
    pub(super) extra: &'a [u8],
    /// The system of the writer in the upper half.
    pub(super) made: u16,
    disk: u16,
    pub(super) attributes: u32,
}

/// An entry: a header with a known name and kind.
#[derive(Clone, Debug)]
pub(super) struct Entry<'a> {
    pub(super) header: Header<'a>,
    pub(super) path: String,
    pub(super) kind: EntryKind,
}

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryKind {
    File,
    Directory,
    Link,
}

impl<'a> Header<'a> {
    /// Reads the header at the beginning of `bytes`, and returns its length.
    pub(super) fn read(bytes: &'a [u8]) -> Option<(Self, usize)> {
        if u32_at(bytes, 0)? != SIGNATURE {
            return None;
        }
        let (name, extra) = (usize::from(u16_at(bytes, 28)?), usize::from(u16_at(bytes, 30)?));
        let length = SIZE + name + extra + usize::from(u16_at(bytes, 32)?);
        let header = Self {
            made: u16_at(bytes, 4)?,
            flags: u16_at(bytes, 8)?,
            method: u16_at(bytes, 10)?,
            crc: u32_at(bytes, 16)?,
            compressed: u32_at(bytes, 20)?.into(),
            size: u32_at(bytes, 24)?.into(),
            disk: u16_at(bytes, 34)?,
            attributes: u32_at(bytes, 38)?,
            offset: u32_at(bytes, 42)?.into(),
            name: slice_at(bytes, SIZE, name)?,
            extra: slice_at(bytes, SIZE + name, extra)?,
        };
        (bytes.len() >= length).then_some((header, length))
    }

    /// Takes the sizes and the offset from the 64-bit field, if the header refers to it.
    fn widen(&mut self) -> Result<(), String> {
        let (field, sound) = extra_field(self.extra, WIDE_FIELD);
        if !sound {
            return Err("the extra fields are malformed".to_owned());
        }
        let wanted = [&mut self.size, &mut self.compressed, &mut self.offset];
        widen(wanted, field.unwrap_or_default())
    }

    /// Why this entry is ambiguous or unsupported, if it is.
    fn fault(&self) -> Option<String> {
        if self.disk != 0 {
            return Some(format!("the entry is on disk {}", self.disk));
        }
        if self.flags & !HARMLESS != 0 {
            return Some(format!("unsupported flags {:#06x} (encryption or reserved)", self.flags));
        }
        if ![STORED, DEFLATED].contains(&self.method) {
            return Some(format!("unsupported compression method {}", self.method));
        }
        let (second_name, sound) = extra_field(self.extra, NAME_FIELD);
        let same = second_name.is_none_or(|field| field.get(NAME_FIELD_LEAD..) == Some(self.name));
        (!sound || !same).then(|| "the entry has a second name".to_owned())
    }

    /// File, directory or link, by the name's last byte and the Unix mode. Both must agree.
    fn kind(&self) -> Result<EntryKind, (EntryKind, String)> {
        const DOS_DIRECTORY: u32 = 0x10;
        let by_name = if self.name.ends_with(b"/") { EntryKind::Directory } else { EntryKind::File };
        let by_mode = match self.attributes >> 28 {
            0 if by_name == EntryKind::File && self.attributes & DOS_DIRECTORY != 0 => EntryKind::Directory,
            0 => by_name,
            0o04 => EntryKind::Directory,
            0o10 => EntryKind::File,
            0o12 => EntryKind::Link,
            other => return Err((by_name, format!("a special file of type {other:#o}"))),
        };
        match (by_name, by_mode) {
            (EntryKind::File, EntryKind::Link) => Ok(EntryKind::Link),
            _ if by_name == by_mode => Ok(by_name),
            _ => Err((by_name, format!("its mode says {by_mode:?}, its name says {by_name:?}"))),
        }
    }
}

impl<'a> Entry<'a> {
    /// Checks a header's name, kind and flags.
    pub(super) fn judge(mut header: Header<'a>, rules: &mut dyn Rules) -> Result<Self, Refused> {
        let path = path::judge(header.name, rules)?;
        let fault = header.widen().err().or_else(|| header.fault());
        let kind = header.kind();
        let wrong = fault.as_ref().or(kind.as_ref().err().map(|(_, wrong)| wrong));
        rules.require(&FAITHFUL, wrong.is_none(), || {
            format!("{}: {}", shown(header.name), wrong.cloned().unwrap_or_default())
        })?;
        let kind = kind.unwrap_or_else(|(kind, _)| kind);
        Ok(Self { header, path, kind })
    }

    /// The reason of a rejection, prefixed with this entry's name.
    pub(super) fn why(&self, what: &str) -> String {
        format!("{}: {what}", shown(self.header.name))
    }
}

/// Replaces each number that has the escape value with the next number of the 64-bit field.
pub(super) fn widen<const N: usize>(numbers: [&mut u64; N], field: &[u8]) -> Result<(), String> {
    let mut at = 0;
    for number in numbers {
        if *number == u64::from(u32::MAX) {
            *number = u64_at(field, at).ok_or("a 64-bit number is missing")?;
            at += 8;
        }
    }
    Ok(())
}

//! Zip files for the cases, written field by field, so that each field can be given a wrong value.

mod deflate;
mod edits;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::bytes::hex;

pub(in crate::generate) use edits::edits;

/// Compression methods.
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
/// 2026-01-01 00:00 in DOS format.
const DATE: u16 = (2026 - 1980) << 9 | 1 << 5 | 1;
/// The flag for a data descriptor.
const DESCRIPTOR: u16 = 1 << 3;
/// The flag for a UTF-8 name.
const UTF8: u16 = 1 << 11;

/// An entry and its headers' values.
#[derive(Clone)]
pub(in crate::generate) struct Entry {
    pub(in crate::generate) name: String,
    crc: u32,
    /// The size in both headers.
    declared: u32,
    method: u16,
    data: Data,
    form: Form,
}

/// Where the sizes are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Plain,
    /// In a data descriptor after the data.
    Descriptor,
    /// In the 64-bit extra fields.
    Wide,
}

/// Data as written in the zip.
#[derive(Clone)]
enum Data {
    Bytes(Vec<u8>),
    /// One byte repeated, with other bytes around it.
    Run {
        before: Vec<u8>,
        byte: u8,
        count: usize,
        after: Vec<u8>,
    },
}

impl Entry {
    /// A stored file.
    pub(in crate::generate) fn stored(name: &str, bytes: &[u8]) -> Entry {
        Entry::new(name, crc32fast::hash(bytes), bytes.len(), STORED, Data::Bytes(bytes.to_vec()))
    }

    /// A stored file of one byte repeated.
    pub(in crate::generate) fn stored_run(name: &str, byte: u8, count: usize) -> Entry {
        let data = Data::Run { before: Vec::new(), byte, count, after: Vec::new() };
        Entry::new(name, crc32fast::hash(&vec![byte; count]), count, STORED, data)
    }

    /// A deflated file of zero bytes.
    pub(in crate::generate) fn zeros(name: &str, count: usize) -> Entry {
        Entry::new(name, crc32fast::hash(&vec![0; count]), count, DEFLATED, deflate::zeros(count))
    }

    /// A file with given deflated data.
    pub(in crate::generate) fn deflated(name: &str, bytes: &[u8], deflated: Vec<u8>) -> Entry {
        Entry::new(name, crc32fast::hash(bytes), bytes.len(), DEFLATED, Data::Bytes(deflated))
    }

    /// The same data under the header values of `other`.
    pub(in crate::generate) fn declared_as(self, other: &Entry) -> Entry {
        Entry { declared: other.declared, crc: other.crc, ..self }
    }

    /// Writes the sizes in a data descriptor after the data.
    pub(in crate::generate) fn described(self) -> Entry {
        Entry { form: Form::Descriptor, ..self }
    }

    /// Writes the sizes in the 64-bit extra fields.
    pub(in crate::generate) fn wide(self) -> Entry {
        Entry { form: Form::Wide, ..self }
    }

    fn new(name: &str, crc: u32, size: usize, method: u16, data: Data) -> Entry {
        Entry { name: name.to_owned(), crc, declared: size as u32, method, data, form: Form::Plain }
    }

    fn version(&self) -> u16 {
        match (self.form, self.method) {
            (Form::Wide, _) => 45,
            (_, DEFLATED) => 20,
            _ => 10,
        }
    }

    fn flags(&self) -> u16 {
        let utf8 = if self.name.is_ascii() { 0 } else { UTF8 };
        if self.form == Form::Descriptor { utf8 | DESCRIPTOR } else { utf8 }
    }

    /// The fields common to both headers, from the version needed to the length of the extra field.
    fn shared(&self, sizes: [u32; 3], extra: usize) -> Vec<u8> {
        let mut out = Vec::new();
        for field in [self.version(), self.flags(), self.method, 0, DATE] {
            out.extend(field.to_le_bytes());
        }
        for field in sizes {
            out.extend(field.to_le_bytes());
        }
        out.extend((self.name.len() as u16).to_le_bytes());
        out.extend((extra as u16).to_le_bytes());
        out
    }

    fn wide_field(&self) -> Vec<u8> {
        if self.form != Form::Wide {
            return Vec::new();
        }
        let sizes = [u64::from(self.declared), self.data.len() as u64];
        [&[1, 0, 16, 0][..], &sizes.map(u64::to_le_bytes).concat()].concat()
    }

    fn local(&self) -> Vec<Piece> {
        let sizes = match self.form {
            Form::Plain => [self.crc, self.data.len() as u32, self.declared],
            Form::Descriptor => [0; 3],
            Form::Wide => [self.crc, u32::MAX, u32::MAX],
        };
        let extra = self.wide_field();
        let shared = self.shared(sizes, extra.len());
        let mut pieces =
            vec![Piece::Bytes([b"PK\x03\x04", &shared[..], self.name.as_bytes(), &extra].concat())];
        match &self.data {
            Data::Bytes(bytes) => pieces.push(Piece::Bytes(bytes.clone())),
            Data::Run { before, byte, count, after } => pieces.extend([
                Piece::Bytes(before.clone()),
                Piece::Run(*byte, *count),
                Piece::Bytes(after.clone()),
            ]),
        }
        if self.form == Form::Descriptor {
            let fields = [self.crc, self.data.len() as u32, self.declared].map(u32::to_le_bytes).concat();
            pieces.push(Piece::Bytes([b"PK\x07\x08", &fields[..]].concat()));
        }
        pieces
    }

    fn central(&self, offset: usize) -> Piece {
        let sizes = match self.form {
            Form::Wide => [self.crc, u32::MAX, u32::MAX],
            _ => [self.crc, self.data.len() as u32, self.declared],
        };
        let extra = self.wide_field();
        // Made by MS-DOS: no attributes, no comment, first disk.
        let mut out = [b"PK\x01\x02", &self.version().to_le_bytes()[..]].concat();
        out.extend(self.shared(sizes, extra.len()));
        out.extend([0; 10]);
        out.extend((offset as u32).to_le_bytes());
        out.extend(self.name.as_bytes());
        out.extend(extra);
        Piece::Bytes(out)
    }
}

impl Data {
    fn len(&self) -> usize {
        match self {
            Data::Bytes(bytes) => bytes.len(),
            Data::Run { before, count, after, .. } => before.len() + count + after.len(),
        }
    }
}

/// A header, some data, or the end record.
#[derive(Clone, PartialEq, Eq)]
pub(in crate::generate) enum Piece {
    Bytes(Vec<u8>),
    Run(u8, usize),
}

/// A zip of these entries in this order.
pub(in crate::generate) fn archive(entries: &[Entry]) -> Vec<Piece> {
    let (mut pieces, mut directory, mut at) = (Vec::new(), Vec::new(), 0);
    for entry in entries {
        directory.push(entry.central(at));
        let local = entry.local();
        at += local.iter().map(Piece::len).sum::<usize>();
        pieces.extend(local);
    }
    let size: usize = directory.iter().map(Piece::len).sum();
    pieces.extend(directory);
    let count = (entries.len() as u16).to_le_bytes();
    let place = [(size as u32).to_le_bytes(), (at as u32).to_le_bytes()].concat();
    pieces.push(Piece::Bytes([b"PK\x05\x06\0\0\0\0", &count[..], &count, &place, &[0, 0]].concat()));
    pieces.retain(|piece| piece.len() > 0);
    pieces
}

impl Piece {
    /// The length in bytes.
    pub(in crate::generate) fn len(&self) -> usize {
        match self {
            Piece::Bytes(bytes) => bytes.len(),
            Piece::Run(_, count) => *count,
        }
    }
}

/// The pieces in a member's notation: hex, base64 if long, or `concat` if there are runs among them.
pub(in crate::generate) fn recipe(pieces: &[Piece]) -> Value {
    let mut parts: Vec<Value> = Vec::new();
    let mut bytes = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Bytes(more) => bytes.extend(more),
            Piece::Run(byte, count) => {
                parts.push(hex(&std::mem::take(&mut bytes)));
                parts.push(json!({"repeat": [format!("{byte:02x}"), count]}));
            }
        }
    }
    parts.push(if bytes.len() > 4096 { json!({"b64": STANDARD.encode(bytes)}) } else { hex(&bytes) });
    if parts.len() == 1 { parts.remove(0) } else { json!({"concat": parts}) }
}

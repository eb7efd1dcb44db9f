//! Zips of the cases, and how a case notes their bytes.

mod deflate;
mod edits;

use assay_spec::drop::zip::write::{Entry, Header, UTF8, Zip};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::bytes::hex;

pub(in crate::generate) use edits::edits;

/// 2026-01-01 00:00 in DOS format.
const MODIFIED: [u16; 2] = [0, (2026 - 1980) << 9 | 1 << 5 | 1];
/// At least so many equal bytes are noted as a run.
const RUN: usize = 256;

/// A stored file.
pub(in crate::generate) fn stored(name: &str, bytes: impl AsRef<[u8]>) -> Entry {
    dos(Entry::stored(name, bytes), 10)
}

/// A file with given deflated data.
pub(in crate::generate) fn deflated(name: &str, bytes: &[u8], deflated: Vec<u8>) -> Entry {
    dos(Entry::inflating(name, bytes, deflated), 20)
}

/// A deflated file of zero bytes.
pub(in crate::generate) fn zeros(name: &str, count: usize) -> Entry {
    deflated(name, &vec![0; count], deflate::zeros(count))
}

/// Writes the sizes in the 64-bit extra fields.
pub(in crate::generate) fn wide(entry: Entry) -> Entry {
    dos(entry.both(Header::widen), 45)
}

/// An entry as MS-DOS writes it, for readers of this version.
fn dos(entry: Entry, version: u16) -> Entry {
    entry.both(|header| {
        (header.made, header.version, header.modified) = (version, version, MODIFIED);
        header.flags = if header.name.is_ascii() { 0 } else { UTF8 };
    })
}

/// A part of a zip: a header, some data, the end record, or a run of one byte within one of them.
#[derive(Clone, PartialEq, Eq)]
pub(in crate::generate) enum Piece {
    Bytes(Vec<u8>),
    Run(u8, usize),
}

/// A zip of these entries in this order.
pub(in crate::generate) fn archive(entries: &[Entry]) -> Vec<Piece> {
    let zip = Zip::with_entries(entries.iter().cloned());
    zip.parts().iter().flat_map(|part| pieces(part)).collect()
}

fn pieces(part: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for equal in part.chunk_by(u8::eq) {
        match pieces.last_mut() {
            _ if equal.len() >= RUN => pieces.push(Piece::Run(equal[0], equal.len())),
            Some(Piece::Bytes(bytes)) => bytes.extend(equal),
            _ => pieces.push(Piece::Bytes(equal.to_vec())),
        }
    }
    pieces
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

//! The edits that turn one zip into another.

use std::ops::Range;

use assay_spec::crypto::text::hex;
use serde_json::json;

use super::Piece;
use crate::case::Edit;
use crate::generate::group::{set, splice};

/// The edits that turn `before` into `after`, both in the notation of [`recipe`](super::recipe). The two may differ
/// inside pieces, in the length of runs, or by inserted pieces.
pub(in crate::generate) fn edits(before: &[Piece], after: &[Piece]) -> Vec<Edit> {
    let in_parts = before.iter().any(|piece| matches!(piece, Piece::Run(..)));
    let path = |part: usize| if in_parts { format!("/in/zip/concat/{part}") } else { "/in/zip".to_owned() };
    let (mut edits, mut part, mut at, mut n) = (Vec::new(), 0, 0, 0);
    for (m, new) in after.iter().enumerate() {
        let put_in = before.len() - n < after.len() - m && before[n] != *new;
        match (&before[n], new) {
            (_, Piece::Bytes(new)) if put_in => {
                edits.push(splice(&path(part), at, "", hex(new)));
                at += new.len();
                continue;
            }
            (Piece::Bytes(was), Piece::Bytes(is)) => {
                for (range, bytes) in differences(was, is) {
                    edits.push(splice(&path(part), at + range.start, hex(&was[range]), hex(&bytes)));
                }
                at += is.len();
            }
            (Piece::Run(byte, was), Piece::Run(_, is)) => {
                let run = |count: &usize| json!([format!("{byte:02x}"), count]);
                if was != is {
                    edits.push(set(&format!("{}/repeat", path(part + 1)), run(was), run(is)));
                }
                (part, at) = (part + 2, 0);
            }
            _ => panic!("the zips have different kinds of pieces"),
        }
        n += 1;
    }
    edits
}

/// The differing ranges of two pieces of equal length, or one range if the lengths differ.
fn differences(old: &[u8], new: &[u8]) -> Vec<(Range<usize>, Vec<u8>)> {
    if old.len() != new.len() {
        let front = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let shorter = old.len().min(new.len()) - front;
        let back = old.iter().rev().zip(new.iter().rev()).take(shorter).take_while(|(a, b)| a == b).count();
        return vec![(front..old.len() - back, new[front..new.len() - back].to_vec())];
    }
    let mut found: Vec<Range<usize>> = Vec::new();
    for at in (0..old.len()).filter(|at| old[*at] != new[*at]) {
        match found.last_mut() {
            Some(range) if range.end == at => range.end += 1,
            _ => found.push(at..at + 1),
        }
    }
    found.into_iter().map(|range| (range.clone(), new[range].to_vec())).collect()
}

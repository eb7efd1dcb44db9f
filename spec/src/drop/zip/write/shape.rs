//! Zips in the forms of ordinary programs.

use std::collections::BTreeSet;

use super::{Entry, Zip, extra};
use crate::drop::zip::forms;

/// The extra field with the times of a file, as Info-ZIP writes it.
const TIMES: u16 = 0x5455;

/// Forms that an entry has only one of.
const EITHER: [[&str; 2]; 2] =
    [[forms::DESCRIPTORS, forms::UNSIGNED_DESCRIPTORS], [forms::DOS, forms::NO_ATTRIBUTES]];

/// A zip of these entries in all of these forms; the entries take turns with forms that exclude each other. Forms of the part of
/// the form change nothing.
pub fn shaped(entries: &[Entry], wanted: &[&str]) -> Vec<u8> {
    let mut entries = entries.to_vec();
    if wanted.contains(&forms::FOLDERS) {
        let folders: BTreeSet<String> = entries.iter().flat_map(folders).collect();
        entries.splice(0..0, folders.iter().map(|folder| Entry::directory(folder).mode(0o040_755)));
    }
    let has = |n: usize, form: &str| {
        let excludes =
            |pair: &&[&str; 2]| pair.contains(&form) && pair.iter().all(|form| wanted.contains(form));
        EITHER.iter().find(excludes).is_none_or(|pair| pair[n % 2] == form)
    };
    for form in wanted {
        let shape = |(n, entry)| if has(n, form) { in_form(entry, form) } else { entry };
        entries = entries.into_iter().enumerate().map(shape).collect();
    }
    Zip::with_entries(entries).bytes_with(|end| {
        if wanted.contains(&forms::COMMENT) {
            end.comment = b"a comment of the archiver".to_vec();
        }
        if wanted.contains(&forms::ZIP64) {
            end.widen();
        }
    })
}

/// The folders that a file is in, without those that have an entry.
fn folders(entry: &Entry) -> Vec<String> {
    let name = entry.central.as_ref().map(|header| header.name.clone()).unwrap_or_default();
    let name = String::from_utf8(name).unwrap_or_default();
    name.match_indices('/')
        .map(|(at, _)| name[..at].to_owned())
        .filter(|path| format!("{path}/") != name)
        .collect()
}

fn in_form(entry: Entry, form: &str) -> Entry {
    let is_folder = entry.central.as_ref().is_some_and(|header| header.name.ends_with(b"/"));
    match form {
        forms::DESCRIPTORS if !is_folder => entry.streamed(true, false),
        forms::UNSIGNED_DESCRIPTORS if !is_folder => entry.streamed(false, false),
        // MS-DOS, 2.0; the archive bit, or that of a folder.
        forms::DOS => entry.central(|header| {
            (header.made, header.attributes) = (0x0014, if is_folder { 0x10 } else { 0x20 });
        }),
        forms::ZIP64 => entry.both(|header| {
            header.version = 45;
            header.widen();
        }),
        forms::NO_ATTRIBUTES => entry.central(|header| header.attributes = 0),
        forms::EXTRA_FIELDS => entry.both(|header| header.extra = extra(TIMES, &[1, 0x80, 0x3a, 0xb5, 0x6a])),
        _ => entry,
    }
}

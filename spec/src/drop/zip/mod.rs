//! The zip of a drop, read without trusting a byte of it.
//!
//! The order of judgement: the size of the zip; its end record and central directory; the name, kind and flags of
//! each entry; how many there are; where their data lies; clashes between paths; then the contents in the
//! directory's order, counted while they are inflated; links; and the page at the root.
//!
//! What the document calls unsafe in so many words has a row of its own. Everything else falls under `FAITHFUL`,
//! and the policy is the same throughout: one reading of the bytes, or none. The zip fills its bytes without gaps,
//! nothing stands before or behind it, both headers of an entry agree with each other and with the contents, and
//! no path is normalised. While `FAITHFUL` is violated, each of these is passed over the way a careless reader would.
//!
//! The work is bounded by the input's size and by constants: [`MOST_NODES`], [`MOST_BLOCKS`], [`MOST_STEPS`]. The
//! memory is bounded by the files kept and a few megabytes of bookkeeping.

mod central;
mod contents;
mod end;
mod fields;
mod inflate;
mod layout;
mod links;
mod path;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::limits as document;
use super::requirements::zip::{EXTRACTED_SIZE, FAITHFUL, FILES, FORM, ROOT_INDEX, SIZE};
use crate::{Id, Refused, Rules};

use central::{Entry, EntryKind};
use contents::Contents;
use end::Directory;
use tree::Tree;

/// The most files, links and directories a zip may name, counting directories that are named by a path alone.
pub const MOST_NODES: usize = 20_000;
/// The most deflate blocks of all entries together. An empty block takes ten bits and has its tables built anew.
pub const MOST_BLOCKS: u32 = 65_536;
/// The most steps from directory to directory while links are followed.
pub const MOST_STEPS: u32 = 262_144;

/// What a zip may have; exactly at a limit is accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// The largest zip, in bytes.
    pub zip_bytes: usize,
    /// The most that its files may have together, in bytes.
    pub extracted_bytes: u64,
    /// The most files.
    pub files: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            zip_bytes: document::ZIP_BYTES,
            extracted_bytes: document::EXTRACTED_BYTES,
            files: document::FILES,
        }
    }
}

/// What came out of a zip.
///
/// Paths are relative and separated by `/`; no segment is empty, `.` or `..`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extracted {
    /// The files by path, those behind links under the links' paths.
    pub files: BTreeMap<String, Arc<[u8]>>,
    /// The directories that have an entry of their own.
    pub directories: BTreeSet<String>,
    /// The sizes of all files together.
    pub bytes: u64,
    /// The links that were met, followed or not.
    pub links: usize,
}

/// The files of a zip, or the rule that refuses it.
///
/// A zip is refused by the first rule it breaks in the order above. While `FORM` is violated, bytes that are no zip are
/// taken for a site whose `index.html` they are. While one of the limits is violated, it is halved (`early`) or four
/// times as high (any other variant), so that memory stays bounded.
pub fn inspect(zip: &[u8], limits: &Limits, rules: &mut impl Rules) -> Result<Extracted, Refused> {
    let most = limit(&SIZE, limits.zip_bytes as u64, rules);
    refuse_over(&SIZE, zip.len() as u64, most, "bytes")?;

    let found = rules.parse(&FORM, || Directory::find(zip).map(Some), || Ok(Directory::find(zip).ok()))?;
    let Some(directory) = found else { return Ok(bare(zip)) };
    let fault = directory.fault.as_ref();
    rules.require(&FAITHFUL, fault.is_none(), || fault.cloned().unwrap_or_default())?;

    let (entries, files, all) = read_entries(&directory, rules)?;
    let most_files = limit(&FILES, limits.files as u64, rules);
    refuse_over(&FILES, files, most_files, "files")?;
    rules.require(&FAITHFUL, all <= MOST_NODES, || format!("{all} entries, more than {MOST_NODES}"))?;

    let data = layout::locate(zip, &directory, &entries, rules)?;
    let mut tree = Tree::grow(&entries, rules)?;

    let most_bytes = limit(&EXTRACTED_SIZE, limits.extracted_bytes, rules);
    let declared = entries
        .iter()
        .filter(|entry| entry.kind == EntryKind::File)
        .fold(0, |sum: u64, entry| sum.saturating_add(entry.header.size));
    refuse_over(&EXTRACTED_SIZE, declared, most_bytes, "bytes of files")?;
    let mut contents = Contents::new(limits.extracted_bytes.max(declared));
    for (index, (entry, data)) in entries.iter().zip(data).enumerate() {
        tree.fill(index, contents.of(entry, data, rules)?);
    }

    let out = links::follow(&tree, most_files, most_bytes, rules)?;
    let has_index = out.files.contains_key("index.html");
    rules.require(&ROOT_INDEX, has_index, || "no index.html at the root".to_owned())?;
    Ok(out)
}

/// The entries that are looked at, how many of all are files, and how many there are.
fn read_entries<'a>(
    directory: &Directory<'a>,
    rules: &mut impl Rules,
) -> Result<(Vec<Entry<'a>>, u64, usize), Refused> {
    let (mut entries, mut files, mut all) = (Vec::new(), 0, 0);
    for header in directory.headers() {
        let entry = Entry::judge(header, rules)?;
        files += u64::from(entry.kind == EntryKind::File);
        all += 1;
        if entries.len() < MOST_NODES {
            entries.push(entry);
        }
    }
    Ok((entries, files, all))
}

/// A limit, or what it is while its rule is violated.
fn limit(rule: Id, limit: u64, rules: &mut impl Rules) -> u64 {
    rules.effect(rule, limit, |limit, variant| match variant {
        "early" => limit / 2,
        _ => limit.saturating_mul(4),
    })
}

fn refuse_over(rule: Id, count: u64, most: u64, of: &str) -> Result<(), Refused> {
    if count <= most { Ok(()) } else { Err(Refused { rule, why: format!("{count} {of}, at most {most}") }) }
}

/// Bytes that are no zip, as a site of one page.
fn bare(bytes: &[u8]) -> Extracted {
    Extracted {
        files: BTreeMap::from([("index.html".to_owned(), Arc::from(bytes))]),
        directories: BTreeSet::new(),
        bytes: bytes.len() as u64,
        links: 0,
    }
}

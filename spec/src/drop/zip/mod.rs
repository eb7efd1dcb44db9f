//! Reads the zip of a drop, which is untrusted.
//!
//! The order of the checks: the size of the zip; its end record and central directory; the name, kind and flags of each
//! entry; the number of entries; the position of their data; conflicts between paths; then the contents in the
//! directory's order, counted while they are inflated; links; and `index.html` at the root.
//!
//! What the document names as unsafe has its own row. Everything else falls under `FAITHFUL`. Its policy: the bytes
//! have one reading, or the zip is rejected. The zip has no gaps and nothing before or after it, both headers of an
//! entry agree with each other and with the contents, and no path is normalized.
//!
//! The work is bounded by the input's size and by constants: [`MOST_NODES`], [`MOST_BLOCKS`], [`MOST_STEPS`]. The
//! memory is bounded by the files kept and a few megabytes of bookkeeping.

mod central;
mod contents;
mod end;
mod fields;
pub mod forms;
mod inflate;
mod layout;
mod links;
pub(super) mod path;
mod tree;
pub mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::convert::identity;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::limits as document;
use serde_json::json;

use super::mistakes::zip::{EXTRACTED_SIZE, FILES, FORM, SIZE};
use super::requirements::zip::{FAITHFUL, ROOT_INDEX};
use crate::{Id, Refused, Rules};

use central::{Entry, EntryKind};
use contents::Contents;
use end::Directory;
use tree::Tree;

/// The maximum number of files, links and directories, including directories that appear only in a path.
pub const MOST_NODES: usize = 20_000;
/// The maximum number of deflate blocks of all entries together. An empty block has ten bits and rebuilds its tables.
pub const MOST_BLOCKS: u32 = 65_536;
/// The maximum number of steps from directory to directory while links are followed.
pub const MOST_STEPS: u32 = 262_144;

/// The limits of a zip. A value exactly at a limit is accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// The maximum size of the zip, in bytes.
    pub zip_bytes: usize,
    /// The maximum total size of its files, in bytes.
    pub extracted_bytes: u64,
    /// The maximum number of files.
    pub files: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            zip_bytes: document::ZIP.usize(),
            extracted_bytes: document::EXTRACTED.u64(),
            files: document::FILES.usize(),
        }
    }
}

/// The contents of a zip.
///
/// Paths are relative and separated by `/`; no segment is empty, `.` or `..`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extracted {
    /// The files by path. Files behind links are under the links' paths.
    pub files: BTreeMap<String, Arc<[u8]>>,
    /// The directories that have their own entry.
    pub directories: BTreeSet<String>,
    /// The total size of all files.
    pub bytes: u64,
    /// The number of links, followed or not.
    pub links: usize,
}

/// The files of a zip, or the rule that rejects it.
///
/// The first broken rule in the order above rejects the zip.
pub fn inspect(zip: &[u8], limits: &Limits, rules: &mut dyn Rules) -> Result<Extracted, Refused> {
    let most = rules.derive(&SIZE, limits.zip_bytes as u64, identity);
    refuse_over(&SIZE, zip.len() as u64, most, "bytes")?;

    let directory = match Directory::find(zip) {
        Ok(directory) => directory,
        Err(why) => {
            // What is not a zip may have any length; no kind of it is long.
            let begin = || json!(String::from_utf8_lossy(&zip[..zip.len().min(64)]));
            return rules.read_value(&FORM, zip, || (Some(begin()), None), |_| Err(why));
        }
    };
    let fault = directory.fault.as_ref();
    rules.require(&FAITHFUL, fault.is_none(), || fault.cloned().unwrap_or_default())?;

    let (entries, files, all) = read_entries(&directory, rules)?;
    let most_files = rules.derive(&FILES, limits.files as u64, identity);
    refuse_over(&FILES, files, most_files, "files")?;
    rules.require(&FAITHFUL, all <= MOST_NODES, || format!("{all} entries, more than {MOST_NODES}"))?;

    let data = layout::locate(zip, &directory, &entries, rules)?;
    let mut tree = Tree::grow(&entries, rules)?;

    let most_bytes = rules.derive(&EXTRACTED_SIZE, limits.extracted_bytes, identity);
    let declared = entries
        .iter()
        .filter(|entry| entry.kind == EntryKind::File)
        .fold(0, |sum: u64, entry| sum.saturating_add(entry.header.size));
    refuse_over(&EXTRACTED_SIZE, declared, most_bytes, "bytes of files")?;
    let mut contents = Contents::new(limits.extracted_bytes.max(declared));
    for (index, (entry, data)) in entries.iter().zip(data).enumerate() {
        tree.fill(index, contents.read(entry, data, rules)?);
    }

    let out = links::follow(&tree, most_files, most_bytes, rules)?;
    let has_index = out.files.contains_key("index.html");
    let first = json!(out.files.keys().find(|path| path.contains("index") || path.contains("INDEX")));
    rules.require_value(&ROOT_INDEX, Some(&first), None, has_index, || {
        "no index.html at the root".to_owned()
    })?;
    Ok(out)
}

/// The entries to look at, the number of files, and the number of all entries.
fn read_entries<'a>(
    directory: &Directory<'a>,
    rules: &mut dyn Rules,
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

fn refuse_over(rule: Id, count: u64, most: u64, of: &str) -> Result<(), Refused> {
    if count <= most { Ok(()) } else { Err(Refused { rule, why: format!("{count} {of}, at most {most}") }) }
}

//! `cid.file` and `cid.directory`.

use std::collections::BTreeMap;
use std::sync::Arc;

use assay_spec::cid::{CidError, Discard, Entry, Estimate, Layout, of_entries, of_file};
use assay_spec::{Dialect, Rules};
use serde_json::{Value, json};

use crate::bytes::LIMIT;
use crate::op::{Members, OpError};
use crate::wire;

/// The identifier of a file. Its bytes are generated while they are hashed.
pub(in crate::op) fn file(_: &Dialect, input: &Members<'_>, rules: &mut dyn Rules) -> Result<Value, OpError> {
    let content = input.recipe("content")?;
    let layout = Layout::with_rules(estimate(input)?, rules);
    let summary = of_file(&content, &layout, &Discard).map_err(staged)?;
    Ok(json!({"cid": summary.cid.to_string()}))
}

/// The identifier of a folder.
pub(in crate::op) fn directory(
    _: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    let folder = Folder::read(input)?;
    let layout = Layout::with_rules(estimate(input)?, rules);
    let summary = of_entries(&folder.entries(), &layout, rules, &Discard).map_err(staged)?;
    Ok(json!({"cid": summary.cid.to_string()}))
}

/// The entries of a request.
pub(crate) struct Folder<'a>(BTreeMap<String, Arc<What<'a>>>);

/// The kind of an entry.
enum What<'a> {
    File(Vec<u8>),
    Link(&'a str),
    Directory,
}

impl<'a> Folder<'a> {
    /// Reads `entries`. Invalid entries make the request malformed.
    pub(crate) fn read(input: &Members<'a>) -> Result<Folder<'a>, OpError> {
        let (mut entries, mut left) = (BTreeMap::new(), LIMIT as u64);
        // An empty folder is allowed, but the array must be present.
        input.value("entries").ok_or_else(|| bad("entries: an array is missing"))?;
        for entry in input.list("entries")? {
            let (paths, what) = read(entry, &mut left)?;
            for path in paths {
                if entries.contains_key(&path) {
                    return Err(bad(&format!("entries: {path:?} appears twice")));
                }
                entries.insert(path, Arc::clone(&what));
            }
        }
        Ok(Folder(entries))
    }

    /// The entries by path.
    pub(crate) fn entries(&self) -> BTreeMap<String, Entry<'_>> {
        self.0.iter().map(|(path, what)| (path.clone(), what.entry())).collect()
    }
}

impl What<'_> {
    fn entry(&self) -> Entry<'_> {
        match self {
            What::File(bytes) => Entry::File(bytes),
            What::Link(target) => Entry::Link(target),
            What::Directory => Entry::Directory,
        }
    }
}

/// Reads one entry, or a numbered one that expands to many: its paths and their content. Subtracts the bytes from
/// `left`.
fn read<'a>(entry: &'a Value, left: &mut u64) -> Result<(Vec<String>, Arc<What<'a>>), OpError> {
    let members = Members::within(entry, "entries")?;
    let (path, link) = (members.optional_text("path")?, members.optional_text("link")?);
    let directory = members.optional_text("directory")?;
    let (numbered, has_content) = (members.value("numbered"), members.value("content").is_some());
    let (paths, what) = match (path, numbered, has_content, link, directory) {
        (Some(path), None, false, Some(link), None) => (vec![path.to_owned()], What::Link(link)),
        (None, None, false, None, Some(directory)) => (vec![directory.to_owned()], What::Directory),
        (Some(_), None, true, None, None) | (None, Some(_), true, None, None) => {
            let paths = match path {
                Some(path) => vec![path.to_owned()],
                None => wire::numbered(entry)
                    .ok_or_else(|| bad("entries: numbered is [string, count]"))?
                    .collect(),
            };
            let content = members.recipe("content")?;
            let bytes = content.size().checked_mul(paths.len() as u64);
            let rest = bytes.and_then(|bytes| left.checked_sub(bytes));
            *left = rest.ok_or_else(|| bad("entries: longer than 1 GiB"))?;
            (paths, What::File(content.to_bytes()))
        }
        _ => return Err(bad("entries: path with content, path with link, or directory is missing")),
    };
    Ok((paths, Arc::new(what)))
}

/// How the size of a folder's node is estimated.
pub(crate) fn estimate(input: &Members<'_>) -> Result<Estimate, OpError> {
    match input.optional_text("hamt_size")? {
        None | Some("links") => Ok(Estimate::Links),
        Some("block") => Ok(Estimate::Block),
        Some(other) => Err(bad(&format!("hamt_size: {other:?} is not links or block"))),
    }
}

fn staged(error: CidError) -> OpError {
    match error {
        CidError::Refused(refused) => (refused, "check").into(),
        other => bad(&format!("entries: {other}")),
    }
}

fn bad(why: &str) -> OpError {
    OpError::BadRequest(why.to_owned())
}

#[cfg(test)]
mod tests {
    use assay_spec::Strict;

    use super::*;
    use crate::op::{Answer, answer};

    #[test]
    fn errors_name_the_member() {
        let file = json!({"path": "a", "content": {"hex": ""}});
        for (op, input, word) in [
            ("cid.file", json!({}), "content"),
            ("cid.file", json!({"content": {"hex": ""}, "hamt_size": "blocks"}), "hamt_size"),
            ("cid.directory", json!({"entries": {}}), "entries"),
            ("cid.directory", json!({"entries": ["a"]}), "entries"),
            ("cid.directory", json!({"entries": [{"path": "a"}]}), "entries"),
            (
                "cid.directory",
                json!({"entries": [{"path": "a", "content": {"hex": ""}, "link": "b"}]}),
                "entries",
            ),
            (
                "cid.directory",
                json!({"entries": [{"path": "../a", "content": {"hex": ""}}]}),
                "entries: ../a",
            ),
            ("cid.directory", json!({"entries": [file, file]}), "twice"),
            ("cid.directory", json!({"entries": [{"numbered": ["a"], "content": {"hex": ""}}]}), "numbered"),
            (
                "cid.directory",
                json!({"entries": [{"numbered": ["a", 17], "content": {"prng": ["s", LIMIT / 16]}}]}),
                "1 GiB",
            ),
        ] {
            let Answer::Error(why) = answer(op, &input, &mut Strict) else { panic!("{input} gets no error") };
            assert!(why.contains(word), "{why}");
        }
    }

    #[test]
    fn numbered_entries_equal_the_spelled_out_ones() {
        let short = json!({"entries": [{"numbered": ["a/", 3], "content": {"utf8": "x"}}]});
        let long = wire::spell_out(&short);
        assert_ne!(short, long);
        assert_eq!(answer("cid.directory", &short, &mut Strict), answer("cid.directory", &long, &mut Strict));
    }
}

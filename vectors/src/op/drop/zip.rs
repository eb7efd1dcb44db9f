//! `drop.inspect_zip`.

use std::collections::BTreeMap;

use assay_spec::cid::{CidError, Discard, Entry, Estimate, Layout, of_entries};
use assay_spec::drop::requirements::zip as rows;
use assay_spec::drop::zip::{self, Limits};
use assay_spec::{Dialect, Id, Refused, Rules};
use serde_json::{Value, json};

use crate::op::{Members, OpError};

/// Inspects an accepted zip: the number of its files, their total size, and the identifier.
pub(in crate::op) fn inspect(
    _: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    let extracted = zip::inspect(&input.bytes("zip")?, &Limits::default(), rules).map_err(staged)?;
    let files = extracted.files.iter().map(|(path, bytes)| (path.clone(), Entry::File(bytes)));
    let directories = extracted.directories.iter().map(|path| (path.clone(), Entry::Directory));
    let entries: BTreeMap<String, Entry<'_>> = files.chain(directories).collect();
    let layout = Layout::with_rules(Estimate::default(), rules);
    let summary = of_entries(&entries, &layout, rules, &Discard).map_err(|error| match error {
        CidError::Refused(refused) => staged(refused),
        other => OpError::BadRequest(format!("zip: {other}")),
    })?;
    Ok(json!({
        "files": extracted.files.len(),
        "bytes": extracted.bytes,
        "cid": summary.cid.to_string(),
    }))
}

fn staged(refused: Refused) -> OpError {
    let stage = stage(refused.rule);
    (refused, stage).into()
}

/// The form is read first; all other rules check what was read.
fn stage(row: Id) -> &'static str {
    if row == &rows::FORM { "parse" } else { "check" }
}

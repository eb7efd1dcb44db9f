//! The manifest: every file of the data by its hash, and the cases counted.

use std::collections::BTreeMap;

use assay_spec::crypto::text::sha256_hex;

use super::sheet::Sheet;
use super::{Finding, Lint};
use crate::collection::DATA;
use crate::manifest::Count;

/// The manifest cannot hold itself, and the record of witnesses is written after it.
const OUTSIDE: &[&str] = &["manifest.json", "witnesses.json"];

pub(super) fn lint(sheet: &Sheet) -> Vec<Finding> {
    let Some(manifest) = &sheet.manifest else { return Vec::new() };
    let mut findings = Vec::new();
    let mut left = manifest.files.clone();
    for (path, bytes) in sheet.collection.files() {
        let Some(path) = path.strip_prefix(DATA).filter(|path| !OUTSIDE.contains(path)) else { continue };
        match left.remove(path) {
            Some(hash) if hash == sha256_hex(bytes) => {}
            Some(_) => findings.push(Lint::Manifest.at(path, "the manifest has another hash")),
            None => findings.push(Lint::Manifest.at(path, "the manifest has no hash")),
        }
    }
    findings
        .extend(left.into_keys().map(|path| Lint::Manifest.at(path, "the manifest has a hash of no file")));
    let mut held: BTreeMap<&str, Count> = BTreeMap::new();
    for case in sheet.values.values().flat_map(|value| value.as_array().into_iter().flatten()) {
        let count = held.entry(case["op"].as_str().unwrap_or_default()).or_default();
        let is_reject = case["expect"]["verdict"] == "reject";
        *(if is_reject { &mut count.reject } else { &mut count.accept }) += 1;
    }
    for (op, count) in &manifest.operations {
        if held.remove(op.as_str()) != Some(*count) {
            findings.push(Lint::Manifest.at(op, "the manifest counts other cases"));
        }
    }
    findings.extend(
        held.into_keys().map(|op| Lint::Manifest.at(op, "the manifest does not count the operation")),
    );
    if manifest.version != crate::manifest::VERSION {
        findings.push(Lint::Manifest.at("version", format!("{} is another form", manifest.version)));
    }
    findings
}

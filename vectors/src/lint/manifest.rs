//! The manifest: the hash of every data file, and the case counts.

use std::collections::BTreeMap;

use assay_spec::crypto::text::sha256_hex;

use super::sheet::Sheet;
use super::{Finding, Lint};
use crate::collection::DATA;
use crate::manifest::Count;

/// The manifest cannot contain its own hash, and the record of witnesses is written after it.
const OUTSIDE: &[&str] = &["manifest.json", "witnesses.json"];

pub(super) fn lint(sheet: &Sheet) -> Vec<Finding> {
    let Some(manifest) = &sheet.manifest else { return Vec::new() };
    let mut findings = Vec::new();
    let mut left = manifest.files.clone();
    for (path, bytes) in sheet.collection.files() {
        let Some(path) = path.strip_prefix(DATA).filter(|path| !OUTSIDE.contains(path)) else { continue };
        match left.remove(path) {
            Some(hash) if hash == sha256_hex(bytes) => {}
            Some(_) => findings.push(Lint::Manifest.at(path, "the hash in the manifest differs")),
            None => findings.push(Lint::Manifest.at(path, "its hash is missing from the manifest")),
        }
    }
    findings.extend(
        left.into_keys()
            .map(|path| Lint::Manifest.at(path, "the manifest has its hash, but the file does not exist")),
    );
    let mut held: BTreeMap<&str, Count> = BTreeMap::new();
    for case in sheet.values.values().flat_map(|value| value.as_array().into_iter().flatten()) {
        let count = held.entry(case["op"].as_str().unwrap_or_default()).or_default();
        let is_reject = case["expect"]["verdict"] == "reject";
        *(if is_reject { &mut count.reject } else { &mut count.accept }) += 1;
    }
    for (op, count) in &manifest.operations {
        if held.remove(op.as_str()) != Some(*count) {
            findings.push(Lint::Manifest.at(op, "the manifest has other case counts"));
        }
    }
    findings.extend(
        held.into_keys().map(|op| Lint::Manifest.at(op, "the operation is missing from the manifest")),
    );
    if manifest.version != crate::manifest::VERSION {
        findings.push(Lint::Manifest.at("version", format!("version {} is not supported", manifest.version)));
    }
    findings
}

//! Files and ids: canonical text, the manifest, unique ids at their places, no input twice.

use std::collections::{BTreeMap, BTreeSet};

use assay_spec::crypto::text::sha256_hex;

use super::Finding;
use crate::case::{canonical, parse};
use crate::{Case, data, manifest};

pub(super) fn lint(cases: &[Case]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in data::FILES {
        match parse(text) {
            Ok(cases) => {
                if canonical(&cases) != **text {
                    findings.push(Finding::new(path, "the text is not canonical"));
                }
                let place = path.trim_end_matches(".json");
                let strays = cases.iter().filter(|case| case.place() != place);
                findings.extend(strays.map(|case| Finding::new(&case.id, format!("stands in {path}"))));
            }
            Err(e) => findings.push(Finding::new(path, e.to_string())),
        }
    }
    findings.extend(hashes(cases));
    findings.extend(twice(cases));
    findings
}

fn hashes(cases: &[Case]) -> Vec<Finding> {
    let manifest = manifest();
    let files = data::FILES.iter().chain(data::EXCHANGES);
    let mut left = manifest.files.clone();
    let mut findings = Vec::new();
    for (path, text) in files {
        match left.remove(*path) {
            Some(hash) if hash == sha256_hex(text.as_bytes()) => {}
            Some(_) => findings.push(Finding::new(path, "the manifest has another hash")),
            None => findings.push(Finding::new(path, "the manifest has no hash")),
        }
    }
    findings.extend(left.into_keys().map(|path| Finding::new(path, "the manifest has a hash of no file")));
    for (op, count) in &manifest.operations {
        let held = cases.iter().filter(|case| case.op == *op);
        let rejects = held.clone().filter(|case| case.is_reject()).count();
        if (held.count() - rejects, rejects) != (count.accept, count.reject) {
            findings.push(Finding::new(op, "the manifest counts other cases"));
        }
    }
    let uncounted = cases.iter().filter(|case| !manifest.operations.contains_key(&case.op));
    findings
        .extend(uncounted.map(|case| Finding::new(&case.id, "the manifest does not count its operation")));
    findings
}

/// One id, one case; one input, one expectation.
fn twice(cases: &[Case]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (mut ids, mut inputs) = (BTreeSet::new(), BTreeMap::new());
    for case in cases {
        if !ids.insert(&case.id) {
            findings.push(Finding::new(&case.id, "the id stands twice"));
        }
        if let Some(other) = inputs.insert((&case.op, case.input.to_string()), case) {
            let contrary = if other.expect == case.expect { "" } else { ", with another expectation" };
            findings.push(Finding::new(&case.id, format!("the same input as {}{contrary}", other.id)));
        }
    }
    findings
}

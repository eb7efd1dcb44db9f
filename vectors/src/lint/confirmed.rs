//! Witnesses: two for the current state of each file, and two for each case.

use assay_spec::crypto::text::sha256_hex;

use super::sheet::Sheet;
use super::{Finding, Lint};
use crate::reading::OPEN;
use crate::witness::Witness;

/// Whether no sentence decides the case: then the witnesses do as their libraries do, and that is recorded.
fn is_observed(case: &serde_json::Value) -> bool {
    case["reading"].as_str().is_some_and(|reading| OPEN.contains(&reading))
}

pub(super) fn lint(sheet: &Sheet) -> Vec<Finding> {
    let at = |place: &str, what: String| Lint::Witness.at(place, what);
    let mut findings = Vec::new();
    for (path, value) in &sheet.values {
        let file = path.trim_start_matches(crate::collection::DATA);
        let hash = sha256_hex(sheet.collection.file(path).unwrap_or_default());
        let on_file = sheet.witnesses.iter().filter(|each| each.file == file);
        let current: Vec<&Witness> = on_file.filter(|each| each.sha256 == hash).collect();
        if current.len() < 2 {
            findings.push(at(file, "fewer than two witnesses confirmed its current state".to_owned()));
            continue;
        }
        let own = value.as_array().map_or(&[][..], Vec::as_slice);
        for id in own.iter().filter(|case| !is_observed(case)).filter_map(|case| case["id"].as_str()) {
            let count = current.iter().filter(|each| !each.skips(id)).count();
            if count < 2 {
                findings.push(at(id, format!("{count} of two witnesses confirmed it")));
            }
        }
        let short =
            current.iter().filter(|each| each.accepts + each.rejects + each.skipped.len() != own.len());
        findings.extend(short.map(|each| at(file, format!("{} has other case counts", each.witness))));
        let mute =
            current.iter().flat_map(|each| &each.skipped).filter(|(_, reason)| reason.trim().is_empty());
        findings.extend(mute.map(|(id, _)| at(id, "it is skipped without a reason".to_owned())));
    }
    let gone = sheet
        .witnesses
        .iter()
        .filter(|each| !sheet.values.contains_key(format!("data/{}", each.file).as_str()));
    findings.extend(
        gone.map(|each| at(&each.file, format!("{} confirmed a file that does not exist", each.witness))),
    );
    findings
}

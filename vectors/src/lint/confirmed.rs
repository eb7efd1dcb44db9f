//! Witnesses: two for each file as it stands, and two for each case.

use assay_spec::crypto::text::sha256_hex;

use super::sheet::Sheet;
use super::{Finding, Lint};
use crate::witness::Witness;

/// Cases that one witness confirms, because the libraries of the others do not express them.
const ALONE: &[(&str, &str)] = &[
    ("publish/transaction-decode/many", "web3.js writes no message that is longer than a packet"),
    ("publish/transaction-encode/record-16383", "web3.js writes no message that is longer than a packet"),
    ("publish/transaction-encode/record-16384", "web3.js writes no message that is longer than a packet"),
];

pub(super) fn lint(sheet: &Sheet) -> Vec<Finding> {
    let at = |place: &str, what: String| Lint::Witness.at(place, what);
    let mut findings = Vec::new();
    for (path, value) in &sheet.values {
        let file = path.trim_start_matches(crate::collection::DATA);
        let hash = sha256_hex(sheet.collection.file(path).unwrap_or_default());
        let on_file = sheet.witnesses.iter().filter(|each| each.file == file);
        let current: Vec<&Witness> = on_file.filter(|each| each.sha256 == hash).collect();
        if current.len() < 2 {
            findings.push(at(file, "fewer than two witnesses confirmed it as it stands".to_owned()));
            continue;
        }
        let own = value.as_array().map_or(&[][..], Vec::as_slice);
        for id in own.iter().filter_map(|case| case["id"].as_str()) {
            let count = current.iter().filter(|each| !each.skips(id)).count();
            let is_alone = ALONE.iter().any(|(alone, _)| *alone == id);
            if count == 0 || count == 1 && !is_alone {
                findings.push(at(id, format!("{count} of two witnesses confirmed it")));
            }
            if count > 1 && is_alone {
                findings.push(at(id, "it is excused for one witness, and has more".to_owned()));
            }
        }
        let short =
            current.iter().filter(|each| each.accepts + each.rejects + each.skipped.len() != own.len());
        findings.extend(short.map(|each| at(file, format!("{} counts other cases", each.witness))));
    }
    let gone = sheet
        .witnesses
        .iter()
        .filter(|each| !sheet.values.contains_key(format!("data/{}", each.file).as_str()));
    findings.extend(
        gone.map(|each| at(&each.file, format!("{} confirmed a file that is not there", each.witness))),
    );
    findings
}

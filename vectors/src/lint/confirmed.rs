//! Witnesses: two for each file as it stands, and two for each case.

use super::sheet::Sheet;
use super::{Finding, Lint};
use crate::case::Case;
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
    for path in sheet.values.keys() {
        let file = path.trim_start_matches(crate::collection::DATA);
        let hash = sheet.manifest.as_ref().and_then(|manifest| manifest.files.get(file));
        let on_file = sheet.witnesses.iter().filter(|each| each.file == file);
        let current: Vec<&Witness> = on_file.filter(|each| Some(&each.sha256) == hash).collect();
        if current.len() < 2 {
            findings.push(at(file, "fewer than two witnesses confirmed it as it stands".to_owned()));
            continue;
        }
        let own: Vec<&Case> =
            sheet.cases.iter().filter(|case| case.place() == file.trim_end_matches(".json")).collect();
        for case in &own {
            let count = current.iter().filter(|each| !each.skips(&case.id)).count();
            let is_alone = ALONE.iter().any(|(id, _)| *id == case.id);
            if count == 0 || count == 1 && !is_alone {
                findings.push(at(&case.id, format!("{count} of two witnesses confirmed it")));
            }
            if count > 1 && is_alone {
                findings.push(at(&case.id, "it is excused for one witness, and has more".to_owned()));
            }
        }
        let short = current.iter().filter(|each| each.accepts + each.rejects + each.skipped.len() != own.len());
        findings.extend(short.map(|each| at(file, format!("{} counts other cases", each.witness))));
    }
    let gone = sheet.witnesses.iter().filter(|each| !sheet.values.contains_key(format!("data/{}", each.file).as_str()));
    findings.extend(gone.map(|each| at(&each.file, format!("{} confirmed a file that is not there", each.witness))));
    findings
}

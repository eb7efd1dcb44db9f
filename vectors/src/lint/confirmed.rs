//! Witnesses: two for each file as it stands, and two for each case.

use super::Finding;
use crate::witness::witnesses;
use crate::{Case, data, manifest};

/// Cases that one witness confirms, because the libraries of the others do not express them.
const ALONE: &[(&str, &str)] = &[
    ("publish/transaction-decode/many", "web3.js writes no message that is longer than a packet"),
    ("publish/transaction-encode/record-16383", "web3.js writes no message that is longer than a packet"),
    ("publish/transaction-encode/record-16384", "web3.js writes no message that is longer than a packet"),
];

pub(super) fn lint(cases: &[Case]) -> Vec<Finding> {
    let (manifest, witnesses) = (manifest(), witnesses());
    let mut findings = Vec::new();
    for (path, _) in data::FILES {
        let hash = manifest.files.get(*path);
        let current: Vec<_> =
            witnesses.iter().filter(|each| each.file == *path && Some(&each.sha256) == hash).collect();
        if current.len() < 2 {
            findings.push(Finding::new(path, "fewer than two witnesses confirmed it as it stands"));
            continue;
        }
        let place = path.trim_end_matches(".json");
        let own = cases.iter().filter(|case| case.place() == place);
        for case in own.clone() {
            let count = current.iter().filter(|each| !each.skipped.contains(&case.id)).count();
            let is_alone = ALONE.iter().any(|(id, _)| *id == case.id);
            if count == 0 || count == 1 && !is_alone {
                findings.push(Finding::new(&case.id, format!("{count} of two witnesses confirmed it")));
            }
            if count > 1 && is_alone {
                findings.push(Finding::new(&case.id, "it is excused for one witness, and has more"));
            }
        }
        let total = own.count();
        let short = current.iter().filter(|each| each.accepts + each.rejects + each.skipped.len() != total);
        findings.extend(short.map(|each| Finding::new(path, format!("{} counts other cases", each.witness))));
    }
    let gone = ALONE.iter().filter(|(id, _)| !cases.iter().any(|case| case.id == *id));
    findings
        .extend(gone.map(|(id, _)| Finding::new(id, "it is excused for one witness, and stands nowhere")));
    findings
}

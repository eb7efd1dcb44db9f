//! Witnesses: two for each file as it stands, one at least for each case.

use super::Finding;
use crate::witness::witnesses;
use crate::{Case, data, manifest};

pub(super) fn lint(cases: &[Case]) -> Vec<Finding> {
    let (manifest, witnesses) = (manifest(), witnesses());
    let mut findings = Vec::new();
    for (path, _) in data::FILES {
        let hash = manifest.files.get(*path);
        let current: Vec<_> =
            witnesses.iter().filter(|each| each.file == *path && Some(&each.sha256) == hash).collect();
        if current.len() < 2 {
            findings.push(Finding::new(path, "fewer than two witnesses confirmed it as it stands"));
        }
        let place = path.trim_end_matches(".json");
        let own = cases.iter().filter(|case| case.place() == place);
        let alone = own.clone().filter(|case| current.iter().all(|each| each.skipped.contains(&case.id)));
        findings.extend(alone.map(|case| Finding::new(&case.id, "no witness confirmed it")));
        let total = own.count();
        let short = current.iter().filter(|each| each.accepts + each.rejects + each.skipped.len() != total);
        findings.extend(short.map(|each| Finding::new(path, format!("{} counts other cases", each.witness))));
    }
    findings
}

//! Divergences: existing cases, real differences, no duplicates, each with a reason.

use std::collections::{BTreeMap, BTreeSet};

use super::sheet::Sheet;
use super::{Finding, Lint};
use crate::case::Case;

pub(super) fn lint(sheet: &Sheet) -> Vec<Finding> {
    let by_id: BTreeMap<&str, &Case> = sheet.cases.iter().map(|case| (case.id.as_str(), case)).collect();
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    for divergence in &sheet.divergences {
        let place = format!("divergences.json: {} of {}", divergence.library, divergence.witness);
        let mut tell = |what: String| findings.push(Lint::Divergence.at(&place, what));
        if !divergence.reason.ends_with('.') || divergence.reason.len() < 3 {
            tell("the reason is not a sentence".to_owned());
        }
        let own = |library: &String| {
            library.strip_prefix(&divergence.library).is_some_and(|rest| rest.trim() == divergence.version)
        };
        let known = sheet.witnesses.iter().any(|witness| {
            witness.witness == divergence.witness
                && witness.op == divergence.operation
                && witness.libraries.iter().any(own)
        });
        if !known {
            tell(format!("no witness of {} uses version {}", divergence.operation, divergence.version));
        }
        if divergence.cases.is_empty() || !divergence.cases.is_sorted() {
            tell("its cases are not sorted, or it has none".to_owned());
        }
        for id in &divergence.cases {
            match by_id.get(id.as_str()) {
                None => tell(format!("{id} is not a case")),
                Some(case) if case.op != divergence.operation || !divergence.says.differs(case) => {
                    tell(format!("{id} expects the same result, or has another operation"));
                }
                Some(_) => {}
            }
            if !seen.insert((&divergence.witness, &divergence.library, id)) {
                tell(format!("{id} is duplicated"));
            }
        }
    }
    findings
}

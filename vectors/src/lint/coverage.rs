//! Rules and rows: nothing dangling, nothing unused.

use assay_spec::catalogue;
use assay_spec::requirement::Evidence;

use super::Finding;
use crate::case::{Case, Expect};

pub(super) fn lint(cases: &[Case]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for case in cases {
        let unknown = case.requirements.iter().filter(|row| catalogue::requirement(row).is_none());
        findings.extend(unknown.map(|row| Finding::new(&case.id, format!("{row} is no requirement"))));
        if let Expect::Reject { rule, .. } = &case.expect
            && catalogue::requirements_of_rule(rule).next().is_none()
        {
            findings.push(Finding::new(&case.id, format!("{rule} is no rule")));
        }
    }
    for row in catalogue::requirements().filter(|row| row.evidence == Evidence::Vector) {
        let name = row.to_string();
        let shown = |reject: bool| {
            cases.iter().any(|case| case.is_reject() == reject && case.requirements.contains(&name))
        };
        if !shown(false) {
            findings.push(Finding::new(row, "no accept shows it"));
        }
        // A row that refuses nothing has no reject; its accepts need it, which is for the minimality to prove.
        if !row.rule.is_empty() && !shown(true) {
            findings.push(Finding::new(row, "no reject names it"));
        }
    }
    findings
}

//! Rules and rows: no unknown references, and nothing without cases.

use std::collections::BTreeSet;

use assay_spec::catalogue;
use assay_spec::requirement::Evidence;

use super::sheet::Sheet;
use super::{Finding, Lint};
use crate::case::{Case, Expect};

pub(super) fn lint(sheet: &Sheet) -> Vec<Finding> {
    let mut findings: Vec<Finding> = sheet.cases.iter().flat_map(dangling).collect();
    let shown = |reject: bool| -> BTreeSet<&str> {
        let cases = sheet.cases.iter().filter(|case| case.is_reject() == reject);
        cases.flat_map(|case| case.requirements.iter().map(String::as_str)).collect()
    };
    let (accepted, rejected) = (shown(false), shown(true));
    for row in catalogue::requirements().filter(|row| row.evidence == Evidence::Vector) {
        let name = row.to_string();
        if !accepted.contains(name.as_str()) {
            findings.push(Lint::Coverage.at(row, "no accepted case covers it"));
        }
        // A row that rejects nothing has no reject; its accepts depend on it, which the minimality lint proves.
        if !row.rule.is_empty() && !rejected.contains(name.as_str()) {
            findings.push(Lint::Coverage.at(row, "no rejected case names it"));
        }
    }
    findings
}

fn dangling(case: &Case) -> Vec<Finding> {
    let at = |what: String| Lint::Rule.at(&case.id, what);
    let unknown = case.requirements.iter().filter(|row| catalogue::requirement(row).is_none());
    let mut findings: Vec<Finding> = unknown.map(|row| at(format!("{row} is not a requirement"))).collect();
    if let Expect::Reject { rule, .. } = &case.expect
        && catalogue::requirements_of_rule(rule).next().is_none()
    {
        findings.push(at(format!("{rule} is not a rule")));
    }
    findings
}

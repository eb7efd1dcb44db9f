//! One case, one reason: with a requirement switched off, its rejects are taken and nothing else changes.

use std::collections::BTreeSet;

use assay_spec::{Id, Strict, Without, catalogue};

use super::Finding;
use crate::Case;
use crate::op::{Answer, answer};

pub(super) fn lint(cases: &[Case]) -> Vec<Finding> {
    let named: BTreeSet<&String> = cases.iter().flat_map(|case| &case.requirements).collect();
    let rows = named.into_iter().filter_map(|name| catalogue::requirement(name));
    let strict: Vec<Answer> = cases.iter().map(|case| answer(&case.op, &case.input, &mut Strict)).collect();
    rows.flat_map(|row| of_row(row, cases, &strict)).collect()
}

/// A row that refuses is shown by its rejects; one that refuses nothing, by the accepts that need it.
fn of_row(row: Id, cases: &[Case], strict: &[Answer]) -> Vec<Finding> {
    let name = row.to_string();
    let mut findings = Vec::new();
    for (case, strict) in cases.iter().zip(strict) {
        let own = case.requirements.contains(&name) && case.is_reject() != row.rule.is_empty();
        let lapsed = answer(&case.op, &case.input, &mut Without(row));
        let flipped =
            matches!((&lapsed, case.is_reject()), (Answer::Ok(_), true) | (Answer::Reject(_), false));
        if own && !flipped {
            findings.push(Finding::new(&case.id, format!("without {row} the reference still {lapsed}")));
        }
        if !own && lapsed != *strict {
            findings.push(Finding::new(
                &case.id,
                format!("without {row} the reference {lapsed}, which the case is not about"),
            ));
        }
    }
    findings
}

//! One case, one reason: with a requirement switched off, its rejects are taken and nothing else changes.

use std::collections::BTreeSet;

use assay_spec::{Id, Without, catalogue};

use super::Finding;
use crate::Case;
use crate::op::{Answer, Met, answer};

pub(super) fn lint(cases: &[Case]) -> Vec<Finding> {
    let named: BTreeSet<&String> = cases.iter().flat_map(|case| &case.requirements).collect();
    let rows: Vec<Id> = named.into_iter().filter_map(|name| catalogue::requirement(name)).collect();
    cases.iter().flat_map(|case| of_case(case, &rows)).collect()
}

/// A row that refuses is shown by its rejects; one that refuses nothing, by the accepts that need it.
fn of_case(case: &Case, rows: &[Id]) -> Vec<Finding> {
    let mut met = Met::default();
    let strict = answer(&case.op, &case.input, &mut met);
    let mut findings = Vec::new();
    for row in rows {
        let refuses_nothing = row.rule.is_empty();
        if case.is_reject() && refuses_nothing {
            // What is refused may well exist by this row alone: without links that are followed, none dangles.
            continue;
        }
        let own = case.requirements.contains(&row.to_string()) && case.is_reject() != refuses_nothing;
        // A rule that was never asked cannot change the answer.
        let lapsed = if met.0.contains(row) {
            answer(&case.op, &case.input, &mut Without(row))
        } else {
            strict.clone()
        };
        let flipped = if case.is_reject() { matches!(lapsed, Answer::Ok(_)) } else { lapsed != strict };
        if own && !flipped {
            findings.push(Finding::new(&case.id, format!("without {row} the reference still {lapsed}")));
        }
        if !own && lapsed != strict {
            let what = format!("without {row} the reference {lapsed}, which the case is not about");
            findings.push(Finding::new(&case.id, what));
        }
    }
    findings
}

//! One case, one reason: with a requirement switched off, its rejects are accepted and nothing else changes.

use std::collections::BTreeSet;
use std::sync::Arc;

use assay_spec::crypto::memo::Memo;
use assay_spec::{Id, Without, catalogue};
use rayon::prelude::*;

use super::sheet::{Sheet, each};
use super::{Finding, Lint};
use crate::case::Case;
use crate::op::{Answer, Met, answer};

pub(super) fn lint(sheet: &Sheet) -> Vec<Finding> {
    let named: BTreeSet<&String> = sheet.cases.iter().flat_map(|case| &case.requirements).collect();
    let rows: Vec<Id> = named.into_iter().filter_map(|name| catalogue::requirement(name)).collect();
    let answered = each(&sheet.cases).zip(&sheet.answers);
    // Without each rule, the same signatures are verified again.
    let of_case = |(case, (strict, met)): (&Case, &(Answer, Met))| {
        Arc::new(Memo::default()).during(|| of_case(case, strict, met, &rows))
    };
    answered.flat_map_iter(of_case).collect()
}

/// A row that rejects is covered by its rejects; a row that rejects nothing, by the accepts that depend on it.
fn of_case(case: &Case, strict: &Answer, met: &Met, rows: &[Id]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for row in rows {
        let refuses_nothing = row.rule.is_empty();
        if case.is_reject() && refuses_nothing {
            // A reject may exist only because of this row: if links are not followed, no link dangles.
            continue;
        }
        let own = case.requirements.contains(&row.to_string()) && case.is_reject() != refuses_nothing;
        // A rule that was never consulted cannot change the result.
        let violated = if met.0.contains(row) {
            answer(&case.op, &case.input, &mut Without(row))
        } else {
            strict.clone()
        };
        let flipped = if case.is_reject() { matches!(violated, Answer::Ok(_)) } else { violated != *strict };
        if own && !flipped {
            let what = format!("without {row} the reference still {violated}");
            findings.push(Lint::Minimality.at(&case.id, what));
        }
        if !own && violated != *strict {
            let what = format!("without {row} the reference {violated}, but the case is not about that rule");
            findings.push(Lint::Minimality.at(&case.id, what));
        }
    }
    findings
}

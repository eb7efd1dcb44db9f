//! One case, one reason: with a requirement switched off, its rejects are accepted and nothing else changes.

use std::collections::BTreeSet;
use std::thread;

use assay_spec::{Id, Without, catalogue};

use super::sheet::Sheet;
use super::{Finding, Lint};
use crate::case::Case;
use crate::op::{Answer, Met, answer};

pub(super) fn lint(sheet: &Sheet) -> Vec<Finding> {
    let named: BTreeSet<&String> = sheet.cases.iter().flat_map(|case| &case.requirements).collect();
    let rows: Vec<Id> = named.into_iter().filter_map(|name| catalogue::requirement(name)).collect();
    let of_cases = |cases: &[Case]| cases.iter().flat_map(|case| of_case(case, &rows)).collect::<Vec<_>>();
    // There are many cases: each core gets a contiguous part, so that the order is kept.
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let share = sheet.cases.len().div_ceil(cores * 4).max(1);
    let mut chunks = sheet.cases.chunks(share).collect::<Vec<_>>().into_iter();
    let mut findings = Vec::new();
    loop {
        let round: Vec<&[Case]> = chunks.by_ref().take(cores).collect();
        if round.is_empty() {
            return findings;
        }
        thread::scope(|scope| {
            let running: Vec<_> = round.into_iter().map(|cases| scope.spawn(|| of_cases(cases))).collect();
            for thread in running {
                findings.extend(thread.join().expect("the reference rejects and never panics"));
            }
        });
    }
}

/// A row that rejects is covered by its rejects; a row that rejects nothing, by the accepts that depend on it.
fn of_case(case: &Case, rows: &[Id]) -> Vec<Finding> {
    let mut met = Met::default();
    let strict = answer(&case.op, &case.input, &mut met);
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
        let flipped = if case.is_reject() { matches!(violated, Answer::Ok(_)) } else { violated != strict };
        if own && !flipped {
            let what = format!("without {row} the reference still {violated}");
            findings.push(Lint::Minimality.at(&case.id, what));
        }
        if !own && violated != strict {
            let what = format!("without {row} the reference {violated}, but the case is not about that rule");
            findings.push(Lint::Minimality.at(&case.id, what));
        }
    }
    findings
}

//! Wrong limits: simulators in which every documented limit is wrong fail every row of a limit.

use std::collections::{BTreeMap, BTreeSet};

use assay_spec::limit::{Limit, Wrong};
use assay_spec::{Id, catalogue};
use assay_suites::check;
use assay_suites::embedded::prove;
use assay_suites::probe::Settings;
use assay_suites::verdict::Verdict;

/// Rows of which a tighter limit hides another: the row, and the limit that hides it.
const HIDDEN_IF_TIGHTER: &[(&str, &str)] = &[
    // The 30th publish is rejected, before the window is tested.
    ("publish.exchange.daily-window", "publish.publishes_per_window"),
    // One run less in each window makes up for the shorter windows.
    ("network.limits.minute-passes", "network.heavy_per_window"),
];
/// As [`HIDDEN_IF_TIGHTER`], where a looser limit hides another.
const HIDDEN_IF_LOOSER: &[(&str, &str)] = &[
    // No record is published in the first hour.
    ("network.metrics.retention", "network.measurement_ms"),
];

/// The wrong value of a limit that is nearest to it, on one side.
fn nearest(limit: &'static Limit, is_tighter: bool) -> Option<Wrong> {
    let mut wrong = limit.wrong();
    wrong.retain(|wrong| wrong.is_tighter() == is_tighter);
    wrong.into_iter().min_by_key(|wrong| wrong.value.abs_diff(limit.value))
}

/// Runs the checks of the rows that break while all limits are tighter or all are looser. Every one must fail.
async fn every_row_fails(is_tighter: bool) {
    let wrong: Vec<Wrong> = catalogue::limits().filter_map(|limit| nearest(limit, is_tighter)).collect();
    assert!(wrong.len() > 15, "{wrong:?}");
    let names: Vec<String> = wrong.iter().map(ToString::to_string).collect();
    let rows: BTreeSet<Id> = wrong.iter().map(Wrong::row).collect();
    let checks: Vec<_> = rows.iter().map(|row| check::for_requirement(row).expect("a check")).collect();
    let settings = Settings { seed: 1, ..Settings::default() };
    let ran = prove::ran(1, &names, &[], &checks, &settings, 4).await.expect("worlds");
    let hidden: BTreeMap<&str, &str> =
        if is_tighter { HIDDEN_IF_TIGHTER } else { HIDDEN_IF_LOOSER }.iter().copied().collect();
    let mut surprises = Vec::new();
    for outcome in ran.into_iter().map(|ran| ran.outcome) {
        let id = outcome.requirement.to_string();
        // Where a prerequisite failed, the reason names it and says what was seen then.
        let is_red = outcome.verdict == Verdict::Fail || outcome.reason.starts_with("its prerequisite ");
        let is_seen = is_red && outcome.reason.contains("the limit is");
        if is_seen == hidden.contains_key(id.as_str()) {
            surprises.push(format!("{id}: {} {}", outcome.verdict.name(), outcome.reason));
        }
    }
    assert!(surprises.is_empty(), "{surprises:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_with_every_limit_tighter_fails_every_row_of_a_limit() {
    every_row_fails(true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_with_every_limit_looser_fails_every_row_of_a_limit() {
    every_row_fails(false).await;
}

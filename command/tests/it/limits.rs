//! Limits: which are tested at their boundary, and simulators in which every documented limit is wrong.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use assay_spec::limit::{Edges, Limit, Stated, Unit, Wrong};
use assay_spec::{Id, catalogue};
use assay_suites::embedded::prove;
use assay_suites::harness::check::Need;
use assay_suites::harness::data::{Outcome, Verdict};
use assay_suites::harness::probe::Settings;
use assay_suites::report::words::reason;
use assay_suites::services;

use crate::sockets;

/// Limits whose checks run without a control API but do not see a wrong value then, and why.
const UNSEEN_WITHOUT_CONTROL: &[(&str, &str)] = &[
    ("network.measurement_ms", "the profile names no publisher of measurements"),
    ("network.metrics_retention_ms", "no record is two weeks old"),
    ("publish.repeat_window_ms", "no run waits ten minutes for a submit to be forgotten"),
];

fn name(limit: &Limit) -> String {
    format!("{}.{}", limit.service, limit.name)
}

/// Whether a check of a limit judges it without a control API, or why not.
fn without_control(limit: &Limit) -> Result<(), String> {
    let rows: BTreeSet<Id> = [limit.below, limit.above].into_iter().flatten().collect();
    for row in rows {
        let check = services::check(row).unwrap_or_else(|| panic!("{row} has no check"));
        let needs =
            |need: &&Need| matches!(need, Need::Clock | Need::Isolation | Need::Faults | Need::Actions);
        if let Some(need) = check.needs.iter().find(needs) {
            return Err(format!("needs {}", need.missing()));
        }
    }
    let listed = UNSEEN_WITHOUT_CONTROL.iter().find(|(listed, _)| *listed == name(limit));
    listed.map_or(Ok(()), |(_, why)| Err((*why).to_owned()))
}

/// Whether a run without a control API can wait in the checks of a limit.
fn waits(limit: &Limit) -> bool {
    let mut checks = [limit.below, limit.above].into_iter().flatten().filter_map(services::check);
    checks.all(|check| check.waits > 0)
}

/// The documented limits, the amounts that checks test, and why some are not tested.
fn table() -> String {
    let mut text = String::new();
    for limit in catalogue::limits().filter(|limit| limit.stated != Stated::Own) {
        let _ = writeln!(text, "{}: {}; counts: {}", name(limit), limit.words(), limit.counts);
        let amount = |number: i64| limit.unit.amount(number);
        let between = |Edges { inside, outside }: Edges| format!("{} / {}", amount(inside), amount(outside));
        let rows = [("smaller", limit.below), ("larger", limit.above)];
        for (side, row) in rows.into_iter().filter_map(|(side, row)| Some((side, row?))) {
            let _ = writeln!(text, "  a {side} value fails {row}");
        }
        if rows.iter().any(|(_, row)| row.is_some()) {
            let _ = writeln!(text, "  tested at {}", between(limit.edges(true)));
            let _ = match without_control(limit) {
                Ok(()) => writeln!(text, "  without a control API at {}", between(limit.edges(false))),
                Err(_) if waits(limit) => {
                    writeln!(
                        text,
                        "  without a control API, with --real-time, at {}",
                        between(limit.edges(false))
                    )
                }
                Err(why) => writeln!(text, "  not without a control API: {why}"),
            };
        }
        if !limit.why.is_empty() {
            let _ = writeln!(text, "  because {}", limit.why);
        }
    }
    text
}

#[test]
fn every_limit_is_tested_at_its_boundary_or_says_why() {
    for limit in catalogue::limits().filter(|limit| limit.stated != Stated::Own) {
        let wrong = limit.wrong();
        let sides = |is_tighter: bool| wrong.iter().any(|wrong| wrong.is_tighter() == is_tighter);
        let needs_both = limit.why.is_empty() && limit.value > 1;
        assert!(!needs_both || sides(true) && sides(false), "{}: {wrong:?}", name(limit));
        let is_exact = (limit.inside, limit.outside) == (limit.value, limit.value + 1);
        assert!(is_exact || !limit.why.is_empty(), "{}: say why n and n + 1 are not tested", name(limit));
    }
    for (listed, _) in UNSEEN_WITHOUT_CONTROL {
        assert!(catalogue::limits().any(|limit| name(limit) == *listed), "{listed} is not a limit");
    }
    insta::assert_snapshot!("limits", table());
}

/// The wrong value of a limit that is nearest to it on one side, of those that a check notices. Where a check does not own
/// the clock, it notices no value of a time within a tenth.
fn nearest(limit: &'static Limit, is_tighter: bool, owns_clock: bool) -> Option<Wrong> {
    let mut wrong = limit.wrong();
    wrong.retain(|wrong| wrong.is_tighter() == is_tighter);
    let distance = |wrong: &Wrong| wrong.value.abs_diff(limit.value);
    if owns_clock || limit.unit != Unit::Millisecond {
        return wrong.into_iter().min_by_key(distance);
    }
    wrong.into_iter().max_by_key(distance)
}

/// The names of wrong limits, and the rows that they break.
fn broken(wrong: &[Wrong]) -> (Vec<String>, BTreeSet<Id>) {
    (wrong.iter().map(ToString::to_string).collect(), wrong.iter().map(Wrong::row).collect())
}

/// Asserts that every row is red, and that its reason names the limit.
fn every_row_is_red(rows: &BTreeSet<Id>, outcomes: &[Outcome]) {
    assert_eq!(outcomes.len(), rows.len());
    let is_red = |outcome: &&Outcome| {
        // Where a prerequisite failed, the reason names it and says what was seen then.
        let fails = outcome.verdict == Verdict::Fail || reason(outcome).starts_with("its prerequisite ");
        fails && reason(outcome).contains("the limit is")
    };
    let show = |outcome: &Outcome| {
        format!("{}: {} {}", outcome.requirement, outcome.verdict.name(), reason(outcome))
    };
    let others: Vec<String> = outcomes.iter().filter(|outcome| !is_red(outcome)).map(show).collect();
    assert!(others.is_empty(), "{others:#?}");
}

/// Runs the checks of the rows that break while all limits are tighter or all are looser. Every one must fail.
async fn every_row_fails(is_tighter: bool) {
    let wrong: Vec<Wrong> =
        catalogue::limits().filter_map(|limit| nearest(limit, is_tighter, true)).collect();
    assert!(wrong.len() > 15, "{wrong:?}");
    let (names, rows) = broken(&wrong);
    let checks: Vec<_> = rows.iter().map(|row| services::check(row).expect("a check")).collect();
    let settings = Settings { seed: 1, ..services::settings() };
    let ran = prove::ran(1, &names, &[], &checks, &settings, 4).await.expect("worlds");
    let outcomes: Vec<Outcome> = ran.into_iter().map(|ran| ran.outcome).collect();
    every_row_is_red(&rows, &outcomes);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_with_every_limit_tighter_fails_every_row_of_a_limit() {
    every_row_fails(true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_with_every_limit_looser_fails_every_row_of_a_limit() {
    every_row_fails(false).await;
}

/// As [`every_row_fails`], at a server without a control API: of the limits that need none.
async fn every_row_fails_without_control(is_tighter: bool) {
    let seen = catalogue::limits().filter(|limit| without_control(limit).is_ok());
    let wrong: Vec<Wrong> = seen.filter_map(|limit| nearest(limit, is_tighter, false)).collect();
    assert!(wrong.len() > 8, "{wrong:?}");
    let (names, rows) = broken(&wrong);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let ids: Vec<String> = rows.iter().map(ToString::to_string).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let served = sockets::served(&names, true).await;
    let mut run = sockets::run(&served, folder.path(), false, &ids).await;
    // A filter may also be the beginning of another id.
    run.outcomes.retain(|outcome| rows.contains(&outcome.requirement));
    every_row_is_red(&rows, &run.outcomes);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_control_a_server_with_tighter_limits_fails_their_rows() {
    every_row_fails_without_control(true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_control_a_server_with_looser_limits_fails_their_rows() {
    every_row_fails_without_control(false).await;
}

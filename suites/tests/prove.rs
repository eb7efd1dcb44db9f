//! The proofs about the checks themselves.

use std::collections::BTreeSet;

use assay_spec::catalogue;
use assay_spec::requirement::Evidence;
use assay_suites::check;
use assay_suites::embedded::prove::{Row, prove, ran};
use assay_suites::exchange::Exchange;
use assay_suites::probe::Settings;
use assay_suites::verdict::Verdict;

fn settings() -> Settings {
    Settings { seed: 1, ..Settings::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_deviation_is_caught_by_its_own_check_alone_and_every_liberty_is_green() {
    let matrix = prove(1, &check::all(), &settings(), 4).await.expect("every deviation is known");
    assert!(matrix.holds(), "{}", matrix.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deviation_that_changes_nothing_survives() {
    let all = check::all();
    let honest = ran(1, &[], &[], &all, &settings(), 4).await.expect("no deviation");
    let red = honest.iter().filter(|ran| ran.outcome.verdict != Verdict::Pass).count();
    assert_eq!(red, 0, "without a deviation nothing is red");
    let own = all.first().map(|check| check.requirement);
    let survivor = Row {
        name: "no-op".to_owned(),
        about: String::new(),
        own,
        ran: honest.len(),
        red: Vec::new(),
        silent: 0,
        why_silent: Vec::new(),
    };
    assert!(!survivor.holds(), "a lie that no check notices is a hole");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_repeatable_to_the_byte() {
    let mut reports = BTreeSet::new();
    for jobs in [1, 4] {
        let all = check::all();
        let settings = settings();
        let target = assay_suites::embedded::Embedded::new(1, settings.dialect.clone())
            .with(
                &["publish.prepare.one-in-flight", "drop.limits.one-upload", "drop.zip.size/late"]
                    .map(str::to_owned),
                &[],
            )
            .expect("a deviation");
        let pace = assay_suites::pace::Pace::default();
        let runner = assay_suites::run::Runner {
            target: &target,
            settings: &settings,
            pace: &pace,
            jobs,
            fail_fast: false,
        };
        let run = runner.run(&assay_suites::plan::plan(&target, &all), |_| {}).await;
        reports.insert(assay_suites::report::json::write(&run).to_string());
    }
    assert_eq!(reports.len(), 1, "the same report whatever runs beside what");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_check_costs_more_than_it_says() {
    let mut costlier = Vec::new();
    for ran in ran(1, &[], &[], &check::all(), &settings(), 4).await.expect("no deviation") {
        let check = check::all().into_iter().find(|check| check.requirement == ran.outcome.requirement);
        let cost = check.expect("the check that ran").cost;
        let sent = ran.outcome.exchanges.len();
        let is_drop = |exchange: &&Exchange| exchange.request.target == "/api/drop";
        let drops = ran.outcome.exchanges.iter().filter(is_drop).count();
        if sent > cost.requests as usize || drops != cost.drops as usize {
            let planned = (cost.requests, cost.drops);
            costlier.push(format!("{}: {:?}, planned {planned:?}", ran.outcome.requirement, (sent, drops)));
        }
    }
    assert!(costlier.is_empty(), "requests and drops: {costlier:#?}");
}

#[test]
fn checks_and_rows_belong_together() {
    let covered: BTreeSet<String> = check::all().iter().map(|check| check.requirement.to_string()).collect();
    assert_eq!(covered.len(), check::all().len(), "one check for each requirement");
    for row in catalogue::requirements() {
        let has = covered.contains(&row.to_string());
        assert_eq!(
            has,
            row.evidence == Evidence::Check,
            "{row}: evidence {:?}, a check: {has}",
            row.evidence
        );
    }
    let switched: BTreeSet<String> =
        assay_sim::world::deviations().iter().map(|deviation| deviation.requirement.to_string()).collect();
    assert_eq!(switched, covered, "every check has a deviation, and every deviation a check");
}

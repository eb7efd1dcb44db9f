//! The proofs about the checks themselves.

use std::collections::{BTreeMap, BTreeSet};

use assay_sim::deviation::split;
use assay_sim::world;
use assay_spec::crypto::text::sha256_hex;
use assay_spec::hosting::requirements::history::FINISHES;
use assay_spec::limit::Limit;
use assay_spec::requirement::Evidence;
use assay_spec::{Id, Service, catalogue};
use assay_suites::embedded::prove::{Breadth, Row, broken, constants, prove, ran, unfounded};
use assay_suites::embedded::{Embedded, cells, constant, mixes};
use assay_suites::harness::data::Verdict;
use assay_suites::harness::pace::Pace;
use assay_suites::harness::probe::Settings;
use assay_suites::harness::run::plan::{plan, select};
use assay_suites::harness::run::{Ran, Runner};
use assay_suites::report::words::reason;
use assay_suites::services;
use tokio::sync::OnceCell;

fn settings() -> Settings {
    Settings { seed: 1, ..services::settings() }
}

/// Every check against the conforming simulator, run once for all tests. The traces say which edits would have changed
/// something.
async fn conforming() -> &'static [Ran] {
    static CONFORMING: OnceCell<Vec<Ran>> = OnceCell::const_new();
    let run = || async {
        let (settings, pace) = (settings(), Pace::default());
        let target = Embedded::new(settings.seed, settings.dialect.clone()).watched();
        let runner = Runner { target: &target, settings: &settings, pace: &pace, jobs: 4 };
        runner.each(&plan(&target, &services::checks())).await
    };
    CONFORMING.get_or_init(run).await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_deviation_is_caught_by_its_own_check_and_every_variation_leaves_some_green() {
    // That no other check catches a deviation, and that every check stays green under a variation, takes ten times as
    // many checks; `assay prove` shows it.
    let matrix =
        prove(1, &services::checks(), &settings(), 4, Breadth::Own).await.expect("every deviation is known");
    assert!(matrix.holds(), "{}", matrix.text(false));
}

/// `assay prove` does not run a deviation against the checks that it would not have changed.
#[tokio::test(flavor = "multi_thread")]
async fn an_edit_that_would_change_nothing_changes_no_byte() {
    const EVERY: usize = 5;
    const MOST: usize = 100;
    let exchanges = |ran: &Ran| -> Vec<_> {
        ran.outcome.exchanges.iter().map(|one| (one.request.clone(), one.response.clone())).collect()
    };
    let conforming = conforming().await;
    let mut tried = 0;
    let edits = world::deviations().into_iter().filter(|deviation| deviation.seam.edit().is_some());
    for (n, deviation) in edits.step_by(EVERY).enumerate() {
        let (name, row) = (deviation.to_string(), deviation.requirement.to_string());
        let is_unchanged = |ran: &&Ran| {
            ran.trace.consulted.contains(&row)
                && !ran.trace.changes.contains(&name)
                && ran.outcome.exchanges.len() < MOST
        };
        let unchanged: Vec<&Ran> = conforming.iter().filter(is_unchanged).collect();
        let Some(before) = unchanged.get(n % unchanged.len().max(1)) else { continue };
        let check = services::check(before.outcome.requirement).expect("the check that ran");
        let after = ran(1, std::slice::from_ref(&name), &[], &[check], &settings(), 1).await;
        let after = after.expect("every deviation is known");
        assert!(exchanges(&after[0]) == exchanges(before), "{name} changes {}", check.requirement);
        tried += 1;
    }
    assert!(tried > 40, "{tried}");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_listed_checks_pass_on_constant_servers() {
    let all = services::checks();
    let passes = constants(1, &all, &settings(), 4, Breadth::Own).await.expect("worlds");
    let holes = constant::holes(&passes, &all);
    assert!(holes.is_empty(), "{holes:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_fails_if_one_endpoint_is_broken() {
    let holes = broken(1, &services::checks(), &settings(), 4).await.expect("worlds");
    assert!(holes.is_empty(), "{holes:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deviation_that_changes_nothing_survives() {
    let (all, conforming) = (services::checks(), conforming().await);
    let red = conforming.iter().filter(|ran| ran.outcome.verdict != Verdict::Pass).count();
    assert_eq!(red, 0, "without a deviation nothing is red");
    let own = all.first().map(|check| check.requirement);
    let survivor = Row {
        name: "no-op".to_owned(),
        about: "",
        own,
        ran: conforming.len(),
        red: Vec::new(),
        blocked: 0,
        why_blocked: Vec::new(),
        is_found: false,
    };
    assert!(!survivor.holds(), "a deviation that no check notices is a hole");
}

#[tokio::test(flavor = "multi_thread")]
async fn all_deviations_at_once_stop_no_check() {
    let settings = settings();
    // A requirement has one deviation at a time: once its first, once its last.
    let (mut first, mut last) = (BTreeMap::new(), BTreeMap::new());
    for deviation in assay_sim::world::deviations() {
        first.entry(deviation.requirement.key).or_insert_with(|| deviation.to_string());
        last.insert(deviation.requirement.key, deviation.to_string());
    }
    for all in [first, last] {
        let all: Vec<String> = all.into_values().collect();
        let target = assay_suites::embedded::Embedded::new(1, settings.dialect.clone())
            .with(&all, &[])
            .expect("deviations");
        let pace = assay_suites::harness::pace::Pace::default();
        let runner =
            assay_suites::harness::run::Runner { target: &target, settings: &settings, pace: &pace, jobs: 4 };
        let run = runner.run(&plan(&target, &services::checks()), |_| {}).await;
        let stopped = run.outcomes.iter().filter(|one| one.verdict == Verdict::Error);
        let stopped: Vec<String> =
            stopped.map(|one| format!("{}: {}", one.requirement, reason(one))).collect();
        assert!(stopped.is_empty(), "{stopped:#?}");
        let failed = run.count(Verdict::Fail);
        assert!(failed > 80, "{failed} checks fail");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_repeatable_to_the_byte() {
    let mut reports = BTreeSet::new();
    // Only the services that deviate here; the command shows that a whole conforming run is repeatable.
    let all = select(services::checks(), &[Service::Publish, Service::Drop], &[]);
    for jobs in [1, 4] {
        let settings = settings();
        let target = assay_suites::embedded::Embedded::new(1, settings.dialect.clone())
            .with(
                &["publish.prepare.one-in-flight", "drop.limits.one-upload", "drop.zip.size"]
                    .map(str::to_owned),
                &[],
            )
            .expect("a deviation");
        let pace = assay_suites::harness::pace::Pace::default();
        let runner =
            assay_suites::harness::run::Runner { target: &target, settings: &settings, pace: &pace, jobs };
        let run = runner.run(&plan(&target, &all), |_| {}).await;
        reports.insert(assay_suites::report::json::write(&run));
    }
    assert_eq!(reports.len(), 1, "the same report whatever runs beside what");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_check_sends_what_was_measured_in_a_world_of_its_own() {
    let mut wrong = Vec::new();
    for ran in conforming().await {
        let check = services::check(ran.outcome.requirement).expect("the check that ran");
        let (sent, cost) = (ran.sent, check.costs().own);
        let counts = [sent.requests, sent.writes, sent.publishes, sent.drops];
        let measured = [cost.requests, cost.writes, cost.publishes, cost.drops].map(u64::from);
        if counts != measured || sent.bytes > cost.most_bytes() {
            wrong.push(format!("{}: {sent:?}; measured: {cost:?}", check.requirement));
        }
    }
    assert!(wrong.is_empty(), "run `assay prove --costs suites/costs.toml`: {wrong:#?}");
}

/// Deviations that have no effect beside another one, by the start of their names.
const MASKED: &[(&str, &str)] = &[
    // If all messages count for one address, no address reaches the limit of messages.
    ("network.limits.", "network.limits.per-address@endpoint=create-message"),
    // Without `security`, the network accepts no map from a delegate.
    ("hosting.projects.", "hosting.history.security-exists@endpoint=security"),
];

/// The rows that the check of a row rests on, directly or not.
fn prerequisites(row: Id) -> BTreeSet<Id> {
    let (mut found, mut next) = (BTreeSet::new(), vec![row]);
    while let Some(row) = next.pop() {
        let after = services::check(row).map_or(&[][..], |check| check.after);
        next.extend(after.iter().filter(|before| found.insert(**before)));
    }
    // Its deviation writes no record at its place, so there is nothing to judge.
    found.insert(&FINISHES);
    found.remove(row);
    found
}

/// Twelve deviations at once, each at one place, for twenty seeds. No check passes at the place where its row is broken: it
/// fails there, or another deviation leaves it without a result, or one that it rests on is broken there. At least `least` fail.
async fn expect_red_among_others(services: &[Service], least: usize) {
    const AT_ONCE: usize = 12;
    let open = cells::listed().expect("suites/holes.toml");
    let mut all = cells::row_cells(services);
    all.retain(|(name, _)| !open.contains(name));
    let (mut missed, mut masked, mut red) = (Vec::new(), Vec::new(), 0);
    for seed in 0..20_u64 {
        // A fixed shuffle: by the hash of seed and name.
        all.sort_by_key(|(name, _)| sha256_hex(format!("{seed} {name}").as_bytes()));
        let active = &all[..AT_ONCE];
        let names: Vec<&String> = active.iter().map(|(name, _)| name).collect();
        let has = |by: &str| names.iter().any(|name| *name == by);
        // What breaks a row at a place is left out there by the checks that rest on that row.
        let place = |name: &str| split(name).expect("a place").1;
        let rests = |name: &str, row: Id| {
            let before = prerequisites(row);
            active.iter().any(|(other, broken)| before.contains(broken) && place(other) == place(name))
        };
        let met = cells::together(1, active, &settings(), 4).await.expect("known deviations");
        for ((name, row), (verdict, reason)) in active.iter().zip(met) {
            match verdict {
                Verdict::Fail | Verdict::Warn => red += 1,
                Verdict::Pass if rests(name, row) => {}
                Verdict::Pass if MASKED.iter().any(|(start, by)| name.starts_with(start) && has(by)) => {}
                Verdict::Pass => missed.push(format!("seed {seed}: {name}, beside {names:?}")),
                _ => masked.push(format!("seed {seed}: {name}: {reason}")),
            }
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
    assert!(red >= least, "{red} are red; without a result: {masked:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_deviation_of_a_signed_exchange_is_missed_among_eleven_others() {
    expect_red_among_others(&[Service::Publish, Service::Drop], 200).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_deviation_of_the_gateway_is_missed_among_eleven_others() {
    expect_red_among_others(&[Service::Gateway, Service::Metadata], 220).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_deviation_of_a_node_is_missed_among_eleven_others() {
    expect_red_among_others(&[Service::Network], 220).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_deviation_of_a_record_is_missed_among_eleven_others() {
    expect_red_among_others(&[Service::Hosting], 180).await;
}

#[test]
fn checks_and_rows_belong_together() {
    let covered: BTreeSet<String> =
        services::checks().iter().map(|check| check.requirement.to_string()).collect();
    assert_eq!(covered.len(), services::checks().len(), "one check for each requirement");
    for row in catalogue::requirements() {
        let has = covered.contains(&row.to_string());
        assert_eq!(
            has,
            row.evidence == Evidence::Check,
            "{row}: evidence {:?}, a check: {has}",
            row.evidence
        );
    }
    let limits = catalogue::limits().flat_map(Limit::wrong).map(|wrong| wrong.row());
    let switched: BTreeSet<String> = assay_sim::world::deviations()
        .iter()
        .map(|deviation| deviation.requirement)
        .chain(limits)
        .map(ToString::to_string)
        .collect();
    assert_eq!(switched, covered, "every check has a deviation, and every deviation a check");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_check_fails_under_sixty_mixes_of_variations() {
    let mixes = mixes::prove_mixes(11, 60, &services::checks(), &settings(), 4).await.expect("worlds");
    assert_eq!(mixes.len(), 60);
    assert!(mixes::hold(&mixes), "{}", mixes::text(&mixes, false));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_check_that_expects_a_rejection_names_its_sentence() {
    let found = unfounded(conforming().await);
    assert!(found.is_empty(), "{found:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn record_must_be_written_as_the_profile_declares() {
    use assay_suites::profile::EscapeProfile::{Any, Ascii, Raw};
    use assay_suites::services::publish;

    let row: Id = &assay_spec::publish::requirements::record::ESCAPING;
    let check = services::check(row).expect("its check");
    let escapes = ["publish.record-ascii".to_owned()];
    for (declared, variations, want) in [
        (Any, &escapes[..], Verdict::Pass),
        (Raw, &escapes[..], Verdict::Fail),
        (Raw, &[], Verdict::Pass),
        (Ascii, &[], Verdict::Fail),
    ] {
        let mut settings = settings();
        settings.fixtures.get_mut::<publish::Fixtures>().escape_profile = declared;
        let ran = ran(1, &[], variations, &[check], &settings, 1).await.expect("a variation");
        assert_eq!(ran[0].outcome.verdict, want, "{declared:?} {variations:?}: {}", reason(&ran[0].outcome));
    }
}

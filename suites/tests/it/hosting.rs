//! An owner's records, judged without a control API: with address and key, or with the address alone.

use std::collections::BTreeSet;
use std::sync::Arc;

use assay_sim::clock::EPOCH;
use assay_sim::serve::ClockMode;
use assay_spec::Service;
use assay_spec::hosting::key_e::Sentences;
use assay_suites::control::Control;
use assay_suites::embedded::sim::{Options, Served, start};
use assay_suites::hosting::Fixtures;
use assay_suites::pace::Pace;
use assay_suites::plan::{plan, select};
use assay_suites::probe::Settings;
use assay_suites::profile::{Hosting, HostingReadings};
use assay_suites::run::Runner;
use assay_suites::target::{Remote, Tcp};
use assay_suites::verdict::{Run, Verdict};
use assay_suites::{check, report};
use serde_json::json;

/// A simulator whose application has written its seed history, with the owner's address and key.
async fn simulated_owner(deviations: &[&str]) -> (Served, String, String) {
    let options = Options {
        clock: ClockMode::Manual,
        epoch: EPOCH,
        limits: vec!["network.general-per-window=1000000".to_owned()],
        deviations: deviations.iter().map(|&name| name.to_owned()).collect(),
        ..Options::new(7)
    };
    let served = start(&options).await.expect("a simulator on any port");
    let control = Control::new(Arc::new(Tcp), &served.control, None);
    let simulated_owner = control.perform("hosting.seed-history", json!({})).await.expect("a seed history");
    let text = |member: &str| simulated_owner[member].as_str().expect(member).to_owned();
    let (owner, key) = (text("owner"), text("wallet_key"));
    (served, owner, key)
}

/// Runs checks of the records of `owner` against the nodes alone.
async fn run(served: &Served, owner: &str, key: Option<&str>, filters: &[&str]) -> Run {
    let sentences = Sentences::default();
    let lines = [sentences.purpose, sentences.assurance].concat();
    let lines: [String; 4] = lines.try_into().expect("two sentences of two lines");
    let hosting = Hosting {
        url: None,
        owner: Some(owner.to_owned()),
        wallet_key: None,
        readings: HostingReadings { derivation_lines: Some(lines), ..HostingReadings::default() },
    };
    let fixtures = Fixtures::new(&hosting, key).expect("the owner's key");
    let settings = Settings { hosting: fixtures, ..Settings::default() };
    let nodes = ["network", "network-alt", "network-mirror"].into_iter();
    let sites = nodes.map(|name| (name.to_owned(), served.sites[name].clone())).collect();
    let target = Remote::new(sites, None).await.expect("the sites are known");
    let pace = Pace::default();
    let runner = Runner { target: &target, settings: &settings, pace: &pace, jobs: 1 };
    let filters: Vec<String> = filters.iter().map(|&filter| filter.to_owned()).collect();
    let checks = select(check::all(), &[Service::Hosting], &filters);
    runner.run(&plan(&target, &checks), |_| {}).await
}

fn with_verdict(run: &Run, verdict: Verdict) -> BTreeSet<String> {
    run.outcomes.iter().filter(|o| o.verdict == verdict).map(|o| o.requirement.to_string()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn records_are_judged_by_address_and_key_without_control() {
    let (served, owner, key) = simulated_owner(&[]).await;
    let run = run(&served, &owner, Some(&key), &[]).await;
    // Deployments that are younger than a day by this machine's clock may still be running.
    let silent = with_verdict(&run, Verdict::NotTestable);
    assert!(silent.iter().all(|id| id == "hosting.history.finishes"), "{silent:?}");
    let odd: Vec<_> = run.outcomes.iter().filter(|o| o.verdict.is_bad()).map(|o| &o.reason).collect();
    assert_eq!(with_verdict(&run, Verdict::Pass).len() + silent.len(), run.outcomes.len(), "{odd:?}");
    let digits = key.trim_start_matches("0x");
    assert!(!report::json::write(&run).contains(digits), "no key in any report");
}

#[tokio::test(flavor = "multi_thread")]
async fn envelopes_are_not_testable_without_a_key() {
    let (served, owner, _) = simulated_owner(&[]).await;
    let run = run(&served, &owner, None, &[]).await;
    let silent = with_verdict(&run, Verdict::NotTestable);
    for id in ["hosting.envelope.wallet-opens", "hosting.projects.plaintext-name", "hosting.bundle.tarball"] {
        assert!(silent.contains(id), "{id}: {silent:?}");
    }
    let needs_key = |o: &&assay_suites::verdict::Outcome| o.reason.contains("wallet_key");
    let needing = run.outcomes.iter().filter(needs_key).count();
    let others: Vec<_> = silent.iter().filter(|id| *id == "hosting.history.finishes").collect();
    assert_eq!(needing + others.len(), silent.len(), "{silent:?}");
    assert_eq!(with_verdict(&run, Verdict::Pass).len() + silent.len(), run.outcomes.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn deviation_fails_with_its_exchange() {
    let (served, owner, key) = simulated_owner(&["hosting.deployments.creation-url"]).await;
    let run = run(&served, &owner, Some(&key), &["hosting.deployments.creation"]).await;
    let failed: Vec<_> = run.outcomes.iter().filter(|o| o.verdict == Verdict::Fail).collect();
    let [failed] = failed[..] else { panic!("{:?}", with_verdict(&run, Verdict::Fail)) };
    assert_eq!(failed.requirement.to_string(), "hosting.deployments.creation-url");
    assert!(failed.repeat.first().is_some_and(|line| line.starts_with("curl ")), "{:?}", failed.repeat);
}

#[tokio::test(flavor = "multi_thread")]
async fn owner_without_records_does_not_pass() {
    let (served, _, _) = simulated_owner(&[]).await;
    let run = run(&served, "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf", None, &[]).await;
    assert_eq!(with_verdict(&run, Verdict::NotTestable).len(), run.outcomes.len());
    assert!(run.outcomes.len() > 100);
}

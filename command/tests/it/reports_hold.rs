//! Reports are complete: parts merge to the whole, every verdict can be recomputed, and a report fits its schema.

use assay_spec::{Dialect, Service};
use assay_suites::embedded::Embedded;
use assay_suites::embedded::sim::{Options, start};
use assay_suites::harness::check::Check;
use assay_suites::harness::data::{Conditions, Outcome, Run, Verdict};
use assay_suites::harness::pace::Pace;
use assay_suites::harness::probe::Settings;
use assay_suites::harness::run::plan::{Wishes, foresee, plan, select};
use assay_suites::harness::run::shard::Shard;
use assay_suites::harness::run::{Halt, Runner};
use assay_suites::harness::setup::{confirm, connect};
use assay_suites::harness::target::Target;
use assay_suites::profile::Profile;
use assay_suites::report::json;
use assay_suites::report::words::reason;
use assay_suites::rerun::judge::judge;
use assay_suites::rerun::merge;
use assay_suites::rerun::replay::replay;
use assay_suites::services;
use assay_suites::services::SUITES;
use serde_json::Value;
use tokio::sync::watch;

const SEED: u64 = 5;

fn target(deviations: &[&str]) -> Embedded {
    let deviations: Vec<String> = deviations.iter().map(|&id| id.to_owned()).collect();
    Embedded::new(SEED, Dialect::default()).with(&deviations, &[]).expect("known deviations")
}

async fn run(target: &Embedded, checks: &[&'static Check]) -> Run {
    let (settings, pace) = (Settings { seed: SEED, ..services::settings() }, Pace::default());
    let runner = Runner { target, settings: &settings, pace: &pace, jobs: 4 };
    runner.run(&plan(target, checks), |_| {}).await
}

fn checks_of(service: Service) -> Vec<&'static Check> {
    services::checks().into_iter().filter(|check| check.requirement.service == service).collect()
}

/// The run after writing and reading its report.
fn reread(run: &Run) -> Run {
    json::read(&json::write(run)).expect("a report")
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_shards_make_the_whole_run_and_every_verdict_is_recomputed() {
    let (target, all) = (target(&[]), services::checks());
    let whole = run(&target, &all).await;
    assert_eq!(whole.count(Verdict::Pass), all.len());
    let mut parts = Vec::new();
    for number in 1..=10 {
        parts.push(reread(&run(&target, &Shard { number, of: 10 }.select(&all)).await));
    }
    let merged = merge::parts(parts).expect("parts of one run");
    let text = json::write(&whole);
    assert!(json::write(&merged) == text, "the same bytes");

    let judged = judge(&reread(&whole), None).await.expect("a report without a profile");
    assert!(judged.holds() && judged.same == all.len(), "{}", judged.text());

    let schema = json::schema();
    let report: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(misfits(&schema, &report), None);
    for (pointer, wrong) in [
        ("/version", Value::from(1)),
        ("/outcomes/0/verdict", Value::from("good")),
        ("/outcomes/0/exchanges/0/request/method", Value::Null),
        ("/bodies", serde_json::json!({ "x": {} })),
        ("/counts", serde_json::json!({})),
        ("/seed", Value::from("x")),
        ("/exit_code", Value::from(2)),
        ("/result", Value::from("good")),
        ("/services/0/minimum", Value::from(101)),
        (
            "/outcomes/0/exchanges/0/request",
            serde_json::json!({ "method": "GET", "target": "/", "headers": [], "x": 1 }),
        ),
        ("/outcomes/0/exchanges/0/request/headers", serde_json::json!([{ "name": "x" }])),
        ("/outcomes/0/level", Value::from("shall")),
    ] {
        let mut altered = report.clone();
        *altered.pointer_mut(pointer).expect(pointer) = wrong;
        assert!(misfits(&schema, &altered).is_some(), "{pointer}");
    }
}

/// Why a value does not fit a schema.
pub(crate) fn misfits(schema: &Value, report: &Value) -> Option<String> {
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    compiler.add_resource("report.json", schema.clone()).expect("a schema");
    let schema = compiler.compile("report.json", &mut schemas).expect("a schema");
    schemas.validate(report, schema).err().map(|e| e.to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_are_judged_again_and_an_altered_report_is_detected() {
    let target = target(&["publish.prepare.one-in-flight"]);
    let report = run(&target, &checks_of(Service::Publish)).await;
    assert!(report.count(Verdict::Fail) > 0);
    let mut report = reread(&report);
    let judged = judge(&report, None).await.expect("a report");
    assert!(judged.holds(), "{}", judged.text());

    let altered =
        report.outcomes.iter_mut().find(|outcome| outcome.verdict == Verdict::Pass).expect("a pass");
    let id = altered.requirement;
    for exchange in &mut altered.exchanges {
        if let Ok(response) = &mut exchange.response {
            response.status = 299;
        }
    }
    let judged = judge(&report, None).await.expect("a report");
    let found: Vec<_> = judged.differs.iter().map(|one| one.requirement).collect();
    // Other rows rest on the same responses.
    assert!(found.contains(&id), "{}", judged.text());

    let cut = report.outcomes.iter_mut().find(|outcome| outcome.exchanges.len() > 1).expect("exchanges");
    let id = cut.requirement;
    cut.exchanges.clear();
    cut.failure = None;
    let judged = judge(&report, None).await.expect("a report");
    assert!(judged.unjudged.iter().any(|(unjudged, _)| *unjudged == id), "{}", judged.text());
}

/// Requests a stop once, after the first outcome.
struct AfterOne(watch::Sender<u32>);

impl Halt for AfterOne {
    fn count(&self) -> watch::Receiver<u32> {
        self.0.subscribe()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_run_can_be_resumed() {
    let (target, checks) = (target(&[]), checks_of(Service::Metadata));
    let (settings, pace) = (Settings { seed: SEED, ..services::settings() }, Pace::default());
    let runner = Runner { target: &target, settings: &settings, pace: &pace, jobs: 2 };
    for stops in [1, 2] {
        let halt = AfterOne(watch::channel(0).0);
        let planned = plan(&target, &checks);
        let partial = runner.run_until(&planned, &halt, |_| halt.0.send_modify(|count| *count = stops)).await;
        assert!(partial.is_partial && partial.exit_code() == 1);
        assert!(!partial.outcomes.is_empty() && partial.outcomes.len() < checks.len());
        let partial = reread(&partial);
        let is_done =
            |check: &&&Check| partial.outcomes.iter().any(|one| one.requirement == check.requirement);
        let left: Vec<_> = checks.iter().filter(|check| !is_done(check)).copied().collect();
        let rest = run(&target, &left).await;
        let whole = merge::parts(vec![Run { is_partial: false, ..partial }, rest]).expect("parts of one run");
        assert_eq!(json::write(&whole), json::write(&run(&target, &checks).await));
    }
}

/// On a shared target, each check's recording contains its share: domains, drops of the hour, uploads.
#[tokio::test(flavor = "multi_thread")]
async fn a_report_of_a_shared_target_is_judged_the_same() {
    let served = start(&Options::new(7)).await.expect("a simulator on any port");
    let folder = tempfile::tempdir().expect("a folder");
    served.write_profile(&folder.path().join("p.toml"), None).expect("a profile");
    let text = std::fs::read_to_string(folder.path().join("p.toml")).expect("its text");
    let text: String =
        text.lines().filter(|line| !line.starts_with("control")).map(|line| format!("{line}\n")).collect();
    std::fs::write(folder.path().join("p.toml"), &text).expect("written");
    let loaded = Profile::load(&folder.path().join("p.toml")).expect("a profile");
    let (target, settings, pace) = connect(SUITES, &loaded, Some(3)).await.expect("a target");
    let pace = pace.with_drops(4);
    assert!(!target.offer().forks);
    let filters = ["drop.", "publish.prepare.prepare", "publish.prepare.cid"].map(str::to_owned);
    let checks = select(services::checks(), &[], &filters);
    let planned = foresee(&target, &settings, &Wishes::default(), &checks).await;
    let runner = Runner { target: &target, settings: &settings, pace: &pace, jobs: 1 };
    let mut run = runner.run(&planned, |_| {}).await;
    run.conditions.profile = loaded.profile.to_toml();
    let is_short = |outcome: &&Outcome| reason(outcome).contains("the quota of drops is used up");
    assert!(
        run.outcomes.iter().any(|outcome| is_short(&outcome)),
        "an hour has room for fewer than all ask for"
    );
    assert!(run.count(Verdict::Pass) > 20, "{}", assay_suites::report::terminal::summary(&run, false));
    let judged = judge(&reread(&run), Some(&loaded)).await.expect("a report");
    assert!(judged.holds(), "{}", judged.text());
}

/// The checks of a run rest on what the target confirmed of the profile; so do those that judge it again.
#[tokio::test(flavor = "multi_thread")]
async fn a_report_of_a_run_without_wrong_fixtures_is_judged_the_same() {
    let served = start(&Options::new(7)).await.expect("a simulator on any port");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("p.toml");
    served.write_profile(&path, None).expect("a profile");
    let text = std::fs::read_to_string(&path).expect("its text");
    let wrong = text
        .replacen("/collections/", "/nothing/", 1)
        .replacen("cid = \"baf", "cid = \"bag", 1)
        .replacen("\"pool-001", "\"unbound-001", 1);
    std::fs::write(&path, wrong).expect("written");
    let loaded = Profile::load(&path).expect("a profile");
    let (mut target, mut settings, pace) = connect(SUITES, &loaded, Some(3)).await.expect("a target");
    let services = [Service::Metadata, Service::Publish];
    confirm(&mut target, &mut settings, &pace, &loaded.source, &services, 1).await.expect("its services");
    let checks =
        select(services::checks(), &services, &["metadata.".to_owned(), "publish.prepare.".to_owned()]);
    let planned = foresee(&target, &settings, &Wishes::default(), &checks).await;
    let runner = Runner { target: &target, settings: &settings, pace: &pace, jobs: 4 };
    let run = runner.run(&planned, |_| {}).await;
    let wrong: Vec<&str> = run.conditions.wrong.keys().map(String::as_str).collect();
    assert_eq!(wrong, ["metadata.contracts[0]", "publish.domains[0]"]);
    assert!(run.count(Verdict::Pass) > 40, "{}", assay_suites::report::terminal::summary(&run, false));
    let conditions = Conditions { profile: loaded.profile.to_toml(), ..run.conditions.clone() };
    let run = Run { conditions, ..run };
    let halves = run.outcomes.chunks(run.outcomes.len() / 2 + 1);
    let halves: Vec<Run> =
        halves.map(|part| reread(&Run { outcomes: part.to_vec(), ..run.clone() })).collect();
    for report in [reread(&run), merge::parts(halves).expect("parts of one run")] {
        let judged = judge(&report, Some(&loaded)).await.expect("a report");
        assert!(judged.holds(), "{}", judged.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn resent_requests_get_the_same_responses() {
    let checks = checks_of(Service::Publish);
    let report = reread(&run(&target(&[]), &checks).await);
    // Parallel requests are resent one after the other: some responses differ then, and one would never come.
    let waits = |outcome: &&Outcome| outcome.requirement.to_string() == "publish.submit.in-flight";
    assert_eq!(report.outcomes.iter().filter(waits).count(), 1);
    for outcome in report.outcomes.iter().filter(|outcome| !waits(outcome)) {
        let steps = replay(&target(&[]), &report, outcome, None).await.expect("a place");
        assert!(!steps.is_empty(), "{}", outcome.requirement);
    }
    let simple =
        report.outcomes.iter().find(|one| one.requirement.to_string() == "publish.prepare.prepare-id");
    let steps = replay(&target(&[]), &report, simple.expect("a check"), None).await.expect("a place");
    assert!(steps.iter().all(|step| step.is_same), "{steps:?}");
}

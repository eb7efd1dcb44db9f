//! Ordinary trouble of a conforming server: at most one check fails, and the others pass or name the trouble.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use assay_sim::serve::ClockMode;
use assay_spec::instant::MINUTE;
use assay_suites::embedded::sim::{Options, start};
use assay_suites::harness::verdict::Verdict;
use serde_json::{Value, json};

/// The verdict and the reason of each check.
struct Judged(BTreeMap<String, (String, String)>);

impl Judged {
    /// The ids of the checks with a verdict.
    fn with(&self, verdict: Verdict) -> BTreeSet<&str> {
        let named = self.0.iter().filter(|(_, (name, _))| name == verdict.name());
        named.map(|(id, _)| id.as_str()).collect()
    }

    /// Every check is testable only with a control API, or inconclusive for the reason `why`.
    fn expect_inconclusive(&self, why: &str) {
        assert!(self.with(Verdict::Fail).is_empty() && self.with(Verdict::Pass).is_empty(), "{:#?}", self.0);
        let inconclusive = self.0.values().filter(|(name, _)| name == Verdict::Inconclusive.name());
        let reasons: Vec<&String> = inconclusive.map(|(_, reason)| reason).collect();
        assert!(!reasons.is_empty(), "{:#?}", self.0);
        assert!(reasons.iter().all(|reason| reason.contains(why)), "{reasons:#?}");
    }
}

impl Judged {
    /// No check fails, and some are skipped for the reason `why`.
    fn expect_skipped(&self, why: &str) {
        assert!(self.with(Verdict::Fail).is_empty(), "{:#?}", self.0);
        let skipped = self.0.values().filter(|(name, _)| name == Verdict::NotTestable.name());
        assert!(skipped.clone().any(|(_, reason)| reason.contains(why)), "{why}: {:#?}", self.0);
    }
}

/// Runs checks by the profile of a simulator without its control API; `edit` changes the profile.
async fn run(options: Options, faults: Value, edit: fn(String) -> String, arguments: &[&str]) -> Judged {
    let folder = tempfile::tempdir().expect("a folder");
    let served = start(&options).await.expect("a simulator on any port");
    let path = folder.path().join("p.toml");
    served.write_profile(&path, None).expect("a profile");
    let text = std::fs::read_to_string(&path).expect("the profile");
    let without: String =
        text.lines().filter(|line| !line.starts_with("control = ")).map(|line| format!("{line}\n")).collect();
    std::fs::write(&path, edit(without)).expect("written");
    let faults = serde_json::from_value(faults).expect("faults");
    served.handle.change(|world| (world.set_faults(faults).expect("known faults"), Vec::new()));
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    command.current_dir(folder.path()).args(["run", "--profile", "p.toml", "--json", "run.json"]);
    command.args(arguments);
    let output = tokio::task::spawn_blocking(move || command.output().expect("it starts")).await;
    let output = output.expect("the command ends");
    let report = std::fs::read_to_string(folder.path().join("run.json"))
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let checks = report["outcomes"].as_array().expect("the outcomes").iter();
    Judged(
        checks.map(|check| (text(&check["id"]), (text(&check["verdict"]), text(&check["reason"])))).collect(),
    )
}

/// A simulator that counts no requests to the exchange.
fn options() -> Options {
    Options { limits: vec!["publish.requests-per-window=100000".to_owned()], ..Options::new(7) }
}

/// Some checks of the exchange, of each kind.
const EXCHANGE: [&str; 3] = ["publish.prepare.", "publish.envelope.scheme", "publish.submit.lands"];

#[tokio::test(flavor = "multi_thread")]
async fn standby_node_is_inconclusive() {
    for fault in ["publish.standby", "publish.passive"] {
        let judged = run(options(), json!([{ "fault": fault }]), |text| text, &EXCHANGE).await;
        judged.expect_inconclusive("503");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn paused_drops_are_inconclusive() {
    let judged = run(options(), json!([{ "fault": "drop.busy" }]), |text| text, &["--service", "drop"]).await;
    judged.expect_inconclusive("503");
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_are_all_down_are_inconclusive() {
    let down = json!([{ "fault": "gateway.server-down" }]);
    let judged =
        run(options(), down, |text| text, &["gateway.chat.", "gateway.stream.", "gateway.tools."]).await;
    judged.expect_inconclusive("503");
}

#[tokio::test(flavor = "multi_thread")]
async fn expired_key_fails_nothing() {
    let expired = |text: String| text.replace("p.gateway-valid.key", "p.gateway-revoked.key");
    let judged = run(options(), json!([]), expired, &["--service", "gateway"]).await;
    judged.expect_skipped("gateway.key is wrong: the gateway rejects the key");
}

#[tokio::test(flavor = "multi_thread")]
async fn unbound_domain_fails_nothing() {
    let unbound = |text: String| text.replace(".assay.example", ".unbound.example");
    let judged = run(options(), json!([]), unbound, &EXCHANGE).await;
    judged.expect_skipped("publish.key is wrong: ");
    assert!(judged.with(Verdict::Pass).is_empty(), "{:#?}", judged.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn clock_five_minutes_off_fails_nothing() {
    let filters = [
        "publish.envelope.time",
        "publish.prepare.expires-at",
        "network.messages.chain",
        "network.messages.timestamp",
    ];
    for ahead_ms in [5 * MINUTE, -5 * MINUTE] {
        let options = options();
        let options = Options { epoch: options.epoch + ahead_ms, clock: ClockMode::Real, ..options };
        let judged = run(options, json!([]), |text| text, &filters).await;
        let bad = [Verdict::Fail, Verdict::Inconclusive, Verdict::Error].map(|verdict| judged.with(verdict));
        assert!(bad.iter().all(BTreeSet::is_empty), "{ahead_ms}: {:#?}", judged.0);
        assert!(!judged.with(Verdict::Pass).is_empty(), "{ahead_ms}: {:#?}", judged.0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn late_answers_fail_nothing() {
    let late = Options { variations: vec!["gateway.answer-late".to_owned()], ..options() };
    let judged = run(late, json!([]), |text| text, &["gateway.chat.", "gateway.completions."]).await;
    assert_eq!(judged.with(Verdict::Pass).len(), judged.0.len(), "{:#?}", judged.0);
}

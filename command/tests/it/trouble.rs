//! Ordinary trouble of a conforming server: at most one check fails, and the others pass or name the trouble.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use assay_sim::serve::ClockMode;
use assay_spec::crypto::ed25519;
use assay_spec::instant::MINUTE;
use assay_spec::publish::requirements::envelope;
use assay_spec::{Dialect, Service};
use assay_suites::embedded::Embedded;
use assay_suites::embedded::sim::{Options, start};
use assay_suites::harness::control::Offer;
use assay_suites::harness::data::{Outcome, Verdict};
use assay_suites::harness::environment::Environment;
use assay_suites::harness::pace::Pace;
use assay_suites::harness::probe::Settings;
use assay_suites::harness::target::Target;
use assay_suites::http::connect::{Connect, Connecting, Stream};
use assay_suites::http::transport::Transport;
use assay_suites::report::words;
use assay_suites::services;
use assay_suites::services::publish::{Fixtures, Pool};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};

use crate::pace::{Shared, outcome, run as run_in_memory, virtual_time};

/// The verdict and the reason of each check.
struct Judged(BTreeMap<String, (String, String)>);

impl Judged {
    /// The verdicts of a JSON report.
    fn read(report: &str) -> Judged {
        let report: Value = serde_json::from_str(report).expect("JSON");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let checks = report["outcomes"].as_array().expect("the outcomes").iter();
        Judged(
            checks
                .map(|check| (text(&check["id"]), (text(&check["verdict"]), text(&check["reason"]))))
                .collect(),
        )
    }

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
    let [judged] = run_at_once(options, faults, edit, [arguments]).await;
    judged
}

/// As [`run`], several times at once.
async fn run_at_once<const N: usize>(
    options: Options,
    faults: Value,
    edit: fn(String) -> String,
    arguments: [&[&str]; N],
) -> [Judged; N] {
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
    let mut number = 0;
    let begun = arguments.map(|arguments| {
        number += 1;
        let report = folder.path().join(format!("run-{number}.json"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
        command.current_dir(folder.path()).args(["run", "--profile", "p.toml", "--json"]).arg(&report);
        command.args(arguments);
        let ended = tokio::task::spawn_blocking(move || command.output().expect("it starts"));
        (report, ended)
    });
    let mut judged = Vec::new();
    for (report, ended) in begun {
        let output = ended.await.expect("the command ends");
        let report = std::fs::read_to_string(report)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        judged.push(Judged::read(&report));
    }
    judged.try_into().unwrap_or_else(|_| unreachable!("one for each run"))
}

impl Judged {
    /// Every check passes, except those with an id that begins with one of `but`, which are not applicable because of `why`.
    fn expect_passed_but(&self, but: &[&str], why: &str) {
        let is_other = |id: &str| but.iter().any(|start| id.starts_with(start));
        for (id, (name, reason)) in &self.0 {
            let is_right = if is_other(id) {
                name == Verdict::NotApplicable.name() && reason.contains(why)
            } else {
                name == Verdict::Pass.name()
            };
            assert!(is_right, "{id}: {name}: {reason}");
        }
        assert!(self.0.keys().any(|id| !is_other(id)), "{:#?}", self.0);
        assert!(but.iter().all(|start| self.0.keys().any(|id| id.starts_with(start))), "{:#?}", self.0);
    }
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

/// Chats, and calls of servers.
const CHATS: [&str; 5] = [
    "gateway.chat.answered",
    "gateway.stream.event-stream",
    "gateway.direct.chat",
    "gateway.direct.completions",
    "gateway.direct.every-server",
];

#[tokio::test(flavor = "multi_thread")]
async fn key_that_was_never_issued_fails_nothing() {
    // The gateway knows no such key.
    let other = |text: String| text.replace("p.gateway-valid.key", "p.key");
    let judged = run(options(), json!([]), other, &["--service", "gateway"]).await;
    judged.expect_skipped("gateway.key is wrong: the gateway rejects the key");
}

#[tokio::test(flavor = "multi_thread")]
async fn confidential_chat_model_is_not_called_directly() {
    let sealed = |text: String| text.replace("chat = \"assay-chat\"", "chat = \"assay-sealed\"");
    let judged = run(options(), json!([]), sealed, &CHATS).await;
    judged.expect_passed_but(
        &["gateway.direct.chat", "gateway.direct.completions"],
        "assay-sealed is confidential",
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn passing_outage_with_retry_after_fails_nothing() {
    let once = json!([{ "fault": "gateway.server-down", "times": 3 }]);
    let options = Options { variations: vec!["gateway.retry-after".to_owned()], ..options() };
    let judged = run(options, once, |text| text, &CHATS[..2]).await;
    judged.expect_passed_but(&[], "");
}

#[tokio::test(flavor = "multi_thread")]
async fn site_that_needs_seconds_until_it_is_live_passes() {
    let variations = vec!["drop.live-later".to_owned()];
    let options = Options { variations, clock: ClockMode::Real, ..options() };
    let sites = ["drop.site.live", "drop.site.nested"];
    run(options, json!([]), |text| text, &sites).await.expect_passed_but(&[], "");
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_that_lag_and_validate_slowly_pass() {
    let variations = ["network.node-lag", "network.processed-later"].map(str::to_owned).to_vec();
    let options = Options { variations, clock: ClockMode::Real, ..options() };
    let filters = ["network.messages.found", "network.listing.finds", "network.store.processed"];
    run(options, json!([]), |text| text, &filters).await.expect_passed_but(&[], "");
}

#[tokio::test(flavor = "multi_thread")]
async fn second_run_at_once_changes_no_verdict() {
    let unlimited =
        ["general", "authenticated", "heavy"].map(|name| format!("network.{name}-per-window=100000"));
    let options = || Options { limits: unlimited.to_vec(), ..options() };
    let filters =
        ["network.messages.", "network.listing.", "network.aggregates.", "gateway.chat.", "metadata."];
    let alone = run(options(), json!([]), |text| text, &filters).await;
    let both = run_at_once(options(), json!([]), |text| text, [&filters; 2]).await;
    for beside in both {
        let changed: Vec<_> = beside.0.iter().filter(|(id, (name, _))| alone.0[*id].0 != **name).collect();
        assert!(changed.is_empty(), "{changed:#?}");
    }
    assert!(alone.with(Verdict::Fail).is_empty() && alone.with(Verdict::Pass).len() > 50, "{:#?}", alone.0);
}

/// An exchange whose second publish meets the lock of another client, if `has_other`.
struct Beside {
    inner: Arc<dyn Connect>,
    has_other: bool,
    publishes: Arc<AtomicUsize>,
}

impl Connect for Beside {
    fn connect<'a>(&'a self, base: &'a str, source: Option<IpAddr>) -> Connecting<'a> {
        Box::pin(async move {
            let mut server = self.inner.connect(base, source).await?;
            let (ours, mut client) = tokio::io::duplex(64 * 1024);
            let (has_other, publishes) = (self.has_other, self.publishes.clone());
            tokio::spawn(async move {
                let mut request = Vec::new();
                while !is_whole(&request) {
                    if client.read_buf(&mut request).await.unwrap_or_default() == 0 {
                        return;
                    }
                }
                let text = String::from_utf8_lossy(&request);
                let is_publish = text.contains("/prepare ") && text.contains("\"cid\"");
                if is_publish && publishes.fetch_add(1, Ordering::Relaxed) == 1 && has_other {
                    let body = r#"{"error": "a publish of the domain is in flight"}"#;
                    let head = format!("HTTP/1.1 409 Conflict\r\nContent-Length: {}\r\n\r\n", body.len());
                    let _ = client.write_all(format!("{head}{body}").as_bytes()).await;
                } else if server.write_all(&request).await.is_ok() {
                    let _ = copy_bidirectional(&mut client, &mut server).await;
                }
            });
            Ok(Box::new(ours) as Box<dyn Stream>)
        })
    }

    fn keeps(&self) -> bool {
        false
    }

    fn transport(&self) -> &Transport {
        self.inner.transport()
    }
}

/// Whether these bytes are a request with all of its body.
fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length =
        head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    body.len() >= length.unwrap_or(0)
}

/// The outcome of the check of the prefix at an exchange with four domains that all checks share.
fn beside(has_other: bool, deviations: &[&str]) -> Outcome {
    virtual_time().block_on(async {
        let deviations: Vec<String> = deviations.iter().map(|&name| name.to_owned()).collect();
        let embedded = Embedded::new(1, Dialect::default()).with(&deviations, &[]).expect("their names");
        let world = embedded.environment(Service::Publish).await.expect("a world");
        let control = world.control.clone().expect("the simulator has one");
        let limits = json!({ "publish": { "requests_per_window": 10_000 } });
        control.call("PUT", "limits", Some(limits)).await.expect("a limit");
        let (seed, domains) = ([7; 32], (0..4).map(|n| format!("d{n}.example")));
        let key = ed25519::address(&ed25519::key_from_seed(seed));
        for domain in domains.clone() {
            control.perform("publish.bind", json!({ "domain": domain, "key": key })).await.expect("bound");
        }
        let inner = world.connector.clone();
        let connector = Arc::new(Beside { inner, has_other, publishes: Arc::default() });
        let environment = Environment { connector, own: false, control: None, ..world };
        let target = Shared { environment, offer: Offer::default() };
        let mut settings = Settings { seed: 7, ..services::settings() };
        let own = settings.fixtures.get_mut::<Fixtures>();
        (own.key, own.pool) = (Some(seed), Arc::new(Pool::new(domains)));
        let run = run_in_memory(&target, &settings, &Pace::default(), &["publish.envelope.prefix"], 1).await;
        outcome(&run, &envelope::PREFIX).clone()
    })
}

#[test]
fn the_lock_of_another_client_is_no_effect_of_a_rejected_prepare() {
    let found = beside(true, &[]);
    assert_eq!(found.verdict, Verdict::Inconclusive, "{}", words::reason(&found));
    assert!(words::reason(&found).contains("another client has locked d"), "{}", words::reason(&found));
    assert_eq!(beside(false, &[]).verdict, Verdict::Pass);
    let locks = beside(false, &["publish.envelope.prefix/takes-effect@endpoint=prepare,op=pub"]);
    assert_eq!(locks.verdict, Verdict::Fail, "{}", words::reason(&locks));
}

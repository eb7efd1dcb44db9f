//! The same checks over real sockets: with a control API, without one, and against a deviating target.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use assay_sim::serve::ClockMode;
use assay_spec::crypto::address::Address;
use assay_spec::crypto::secp256k1::{SigningKey, key_from_secret};
use assay_spec::drop::limits::DROPS_PER_HOUR;
use assay_spec::network::envelope;
use assay_spec::network::signing::sign_text;
use assay_spec::publish::limits::REQUESTS;
use assay_suites::embedded::sim::{Options, Served, start};
use assay_suites::harness::check::{Need, Weight};
use assay_suites::harness::control::Control;
use assay_suites::harness::data::{Run, Verdict};
use assay_suites::harness::pace::Pace;
use assay_suites::harness::probe::{Settings, wall_clock};
use assay_suites::harness::run::Runner;
use assay_suites::harness::run::plan::{Plan, Wishes, foresee, select};
use assay_suites::harness::target::Remote;
use assay_suites::http::client::{Limits, exchange};
use assay_suites::http::connect::Connect;
use assay_suites::http::exchange::Request;
use assay_suites::http::sockets::Tcp;
use assay_suites::profile::{Profile, Secret};
use assay_suites::report::words::reason;
use assay_suites::services;
use assay_suites::services::SUITES;
use assay_suites::services::drop;
use assay_suites::services::metadata;
use assay_suites::services::network;
use assay_suites::services::publish::Fixtures;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A simulator; with `unpaced` it has a high request limit, because the checks share one address and one minute.
pub(crate) async fn served(deviations: &[&str], unpaced: bool) -> Served {
    believing(deviations, unpaced, Some("X-Forwarded-For")).await
}

/// As [`served`]; client addresses are taken from this header.
async fn believing(deviations: &[&str], unpaced: bool, header: Option<&str>) -> Served {
    let generous = ["publish.requests", "network.general", "network.authenticated"]
        .map(|limit| format!("{limit}-per-window=100000"));
    let options = Options {
        forwarded_header: header.map(str::to_owned),
        limits: if unpaced { generous.to_vec() } else { Vec::new() },
        deviations: deviations.iter().map(|&name| name.to_owned()).collect(),
        ..Options::new(7)
    };
    start(&options).await.expect("a simulator on any port")
}

/// Runs the written profile, with or without its control API.
pub(crate) async fn run(served: &Served, folder: &Path, control: bool, filters: &[&str]) -> Run {
    planned_and_run(served, folder, control, filters).await.1
}

/// As [`run`], and also returns the plan. Asserts that no more is sent than planned.
async fn planned_and_run(served: &Served, folder: &Path, control: bool, filters: &[&str]) -> (Plan, Run) {
    let path = folder.join("p.toml");
    served.write_profile(&path, None).expect("a profile");
    let loaded = Profile::load(&path).expect("the profile that was written");
    let trust = loaded.profile.trust(&loaded.folder).expect("the authority beside it");
    let publish = loaded.profile.publish.expect("the exchange");
    let key = publish.key.as_ref().expect("a key").read(&loaded.folder).expect("its file");
    let drop = loaded.profile.drop.expect("the drop");
    let network = loaded.profile.network.expect("the network");
    let metadata = loaded.profile.metadata.expect("the metadata");
    let mut sites = network.sites();
    sites.extend(
        [
            ("publish", publish.url.clone()),
            ("chain", publish.chain_url.clone().expect("a chain")),
            ("drop", drop.url.clone()),
            ("metadata", metadata.url.clone()),
        ]
        .map(|(name, url)| (name.to_owned(), url)),
    );
    let gateway = loaded.profile.gateway.expect("the gateway");
    sites.insert("gateway".to_owned(), gateway.url.clone());
    let token = |key: &Option<Secret>| key.as_ref().and_then(|key| key.read(&loaded.folder).ok());
    let [valid, revoked] = [&gateway.key, &gateway.revoked_key].map(token);
    let control = loaded.profile.control.filter(|_| control).map(|base| (base, None));
    let header = drop.forwarding_header.iter().chain(&network.forwarding_header).next();
    let behind = sites
        .keys()
        .filter(|site| ["drop", "publish"].contains(&site.as_str()) || network.sites().contains_key(*site));
    let forwarding = header.map(|header| behind.map(|site| (site.clone(), header.clone())).collect());
    let target = Remote::trusting(trust, sites, control)
        .await
        .expect("a server listens")
        .prepared_by(SUITES)
        .forwarded_by(forwarding.unwrap_or_default());
    let fixtures = Fixtures::new(&publish, Some(&key), None).expect("a key of 64 digits");
    let settings = Settings {
        // As embedded: the number of pages that a list check reads depends on its random values.
        seed: 1,
        ..services::settings()
    };
    let settings = settings
        .with(assay_suites::services::gateway::Fixtures::new(&gateway, valid, revoked))
        .with(fixtures)
        .with(drop::Fixtures::new(&drop))
        .with(network::Fixtures::new(&network))
        .with(metadata::Fixtures::new(&metadata));
    let pace =
        Pace::default().with_drops(drop.limits.drops_per_hour).with_domains(publish.domains.len(), false);
    let runner = Runner { target: &target, settings: &settings, pace: &pace, jobs: 4 };
    let filters: Vec<String> = filters.iter().map(|&filter| filter.to_owned()).collect();
    let checks = select(services::checks(), &[], &filters);
    let wishes = Wishes { include: [Weight::Heavy, Weight::Destructive].into(), ..Wishes::default() };
    let planned = foresee(&target, &settings, &wishes, &checks).await;
    let plan = Plan::new(SUITES, &target, &pace, &planned, None, 4);
    let run = runner.run(&planned, |_| {}).await;
    let (sum, sent) = (plan.sum(), run.sent);
    // The plan is what was measured; checks that run beside each other share a little less.
    assert!(sent.requests <= sum.requests + sum.requests / 20, "{sent:?}, planned {sum:?}");
    assert!(sent.writes <= sum.writes + sum.writes / 20, "{sent:?}, planned {sum:?}");
    assert!(sent.bytes <= sum.bytes, "{sent:?}, planned {sum:?}");
    (plan, run)
}

fn with_verdict(run: &Run, verdict: Verdict) -> BTreeSet<String> {
    run.outcomes.iter().filter(|o| o.verdict == verdict).map(|o| o.requirement.to_string()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn with_control_every_check_passes_as_embedded() {
    let folder = tempfile::tempdir().expect("a folder");
    let (plan, run) = planned_and_run(&served(&[], false).await, folder.path(), true, &[]).await;
    assert_eq!(with_verdict(&run, Verdict::Pass).len(), services::checks().len(), "{:?}", bad(&run));
    assert!(plan.is_exact && plan.left_out.is_empty(), "{}", plan.text());
    assert_eq!(run.sent.requests, plan.sum().requests, "{}", plan.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn manual_use_of_a_world_does_not_affect_checks_and_forks_end_with_their_checks() {
    let folder = tempfile::tempdir().expect("a folder");
    let served = served(&[], false).await;
    let site =
        Request::new("POST", "/api/drop").header("Content-Type", "multipart/form-data; boundary=b").body(
            [
                &b"--b\r\nContent-Disposition: form-data; name=\"artifact\"\r\n\r\n"[..],
                &zip(),
                b"\r\n--b--\r\n",
            ]
            .concat(),
        );
    let unsigned = Request::new("POST", "/api/vf-cli/publish/submit");
    // As much as one address may do in an hour, and in a minute.
    for (service, limit, request, status) in
        [("drop", &DROPS_PER_HOUR, site, 200), ("publish", &REQUESTS, unsigned, 404)]
    {
        for _ in 0..limit.value {
            assert_eq!(post(&served.sites[service], request.clone()).await, status);
        }
        assert_eq!(post(&served.sites[service], request).await, 429);
    }
    let run = run(&served, folder.path(), true, &["drop.limits", "publish", "hosting.projects"]).await;
    assert_eq!(bad(&run), Vec::<String>::new());
    let control = Control::new(Arc::new(Tcp), &served.control, None);
    let info = control.call("GET", "info", None).await.expect("the control API answers");
    assert_eq!(info["worlds"], serde_json::json!([]), "every fork has ended");
}

async fn post(base: &str, request: Request) -> u16 {
    let stream = Tcp.connect(base, None).await.expect("a server listens");
    exchange(stream, &request, "host", Limits::default()).await.expect("an answer").status
}

/// A page, zipped by Python's zipfile.
fn zip() -> Vec<u8> {
    let hex = concat!(
        "504b0304140000000000000021002c6c8f6a07000000070000000a000000696e6465782e68746d6c62792068616e6450",
        "4b01021403140000000000000021002c6c8f6a07000000070000000a0000000000000000000000800100000000696e64",
        "65782e68746d6c504b05060000000001000100380000002f0000000000",
    );
    base16ct::lower::decode_vec(hex).expect("hex")
}

fn bad(run: &Run) -> Vec<String> {
    let bad = run.outcomes.iter().filter(|o| o.verdict != Verdict::Pass);
    bad.map(|o| format!("{} {}: {}", o.requirement, o.verdict.name(), reason(o))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn without_control_exactly_the_checks_that_need_it_are_not_testable() {
    // Submits wait for a chain in real time; the calls before them do not.
    let groups =
        ["publish.envelope", "publish.prepare", "publish.exchange", "publish.record.k", "publish.message"];
    let folder = tempfile::tempdir().expect("a folder");
    let run = run(&served(&[], true).await, folder.path(), false, &groups).await;
    let need: BTreeSet<String> = services::checks()
        .iter()
        .filter(|check| check.needs.iter().any(|need| *need != Need::Chain))
        .map(|check| check.requirement.to_string())
        .filter(|id| groups.iter().any(|group| id.starts_with(group)))
        .collect();
    assert_eq!(with_verdict(&run, Verdict::NotTestable), need);
    assert_eq!(with_verdict(&run, Verdict::Pass).len() + need.len(), run.outcomes.len(), "{:?}", bad(&run));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deviating_target_fails_its_check_and_the_curl_line_repeats_the_deviation() {
    let folder = tempfile::tempdir().expect("a folder");
    let served = served(&["publish.prepare.one-in-flight"], false).await;
    let run = run(&served, folder.path(), true, &["one-in-flight", "publish.envelope"]).await;
    assert_eq!(run.exit_code(), 1);
    let outcome = run.outcomes.iter().find(|o| o.verdict == Verdict::Fail).expect("the deviation is seen");
    assert_eq!(outcome.requirement.to_string(), "publish.prepare.one-in-flight");
    let failure = outcome.failure.as_ref().expect("want and got");
    assert_eq!((failure.want.as_str(), failure.got.as_str()), ("409", "200"));
    assert!(outcome.why.iter().any(|account| account.is_accepted), "{:?}", outcome.why);

    let line = outcome.repeat.join("\n");
    let output = tokio::process::Command::new("bash").args(["-c", &line]).output().await;
    let Ok(output) = output.as_ref().map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    else {
        return; // no shell to repeat it with
    };
    if !output.is_empty() {
        assert!(output.contains("HTTP/1.1 200"), "{line}\n{output}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_that_accepts_unsafe_zips_accepts_them_again_from_the_repeat_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let served = served(&["drop.zip.traversal", "drop.zip.size"], false).await;
    let run = run(&served, folder.path(), true, &["drop.zip.traversal", "drop.zip.size"]).await;
    assert_eq!(with_verdict(&run, Verdict::Fail).len(), 2, "{:?}", bad(&run));
    let [traversal, size] = &run.outcomes[..] else { panic!("two checks") };
    assert!(traversal.repeat[1].starts_with("printf "), "{:?}", traversal.repeat);
    let line = traversal.repeat.join("\n");
    let output = tokio::process::Command::new("bash").args(["-c", &line]).output().await;
    let output = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    // If there is a shell to repeat it with.
    if let Some(output) = output.ok().filter(|output| !output.is_empty()) {
        assert!(output.contains("HTTP/1.1 200"), "{line}\n{output}");
    }
    let [.., named, again] = &size.repeat[..] else { panic!("{:?}", size.repeat) };
    assert!(named.contains("--data-binary @BODY") && named.contains("# BODY: the 115"), "{named}");
    assert!(again.contains("--seed 1 drop.zip.size"), "{again}");
}

/// The number of uploads to the root world, without its forks.
fn uploads(served: &Served) -> u64 {
    served.handle.read(|world| world.view(assay_spec::Service::Drop))["drops"]
        .as_object()
        .map_or(0, |drops| drops.len() as u64)
}

#[tokio::test(flavor = "multi_thread")]
async fn without_control_a_forwarding_header_gives_every_check_its_own_hour() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = run(&served(&[], false).await, folder.path(), false, &["drop."]).await;
    let need: BTreeSet<String> = services::checks()
        .iter()
        .filter(|check| check.needs.iter().any(|need| *need != Need::Addresses))
        .map(|check| check.requirement.to_string())
        .filter(|id| id.starts_with("drop."))
        .collect();
    assert_eq!(with_verdict(&run, Verdict::NotTestable), need);
    assert_eq!(with_verdict(&run, Verdict::Pass).len() + need.len(), run.outcomes.len(), "{:?}", bad(&run));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_control_and_header_a_run_keeps_within_the_hour_of_its_one_address() {
    let folder = tempfile::tempdir().expect("a folder");
    let served = believing(&[], false, None).await;
    let answers = run(&served, folder.path(), false, &["drop.response", "drop.site.s", "drop.site.l"]).await;
    assert_eq!(with_verdict(&answers, Verdict::Pass).len(), answers.outcomes.len(), "{:?}", bad(&answers));
    assert_eq!(uploads(&served), 2, "checks of responses share the same two drops");

    let all = run(&believing(&[], false, None).await, folder.path(), false, &["drop."]).await;
    let sent = |o: &assay_suites::harness::data::Outcome| {
        o.exchanges.iter().filter(|e| e.request.method == "POST").count()
    };
    let used_up = all.outcomes.iter().filter(|o| reason(o).contains("used up"));
    assert!(used_up.count() > 5, "{:?}", bad(&all));
    let of_answers =
        ["drop.response", "drop.cid.v", "drop.cid.c", "drop.cid.d", "drop.site.l", "drop.site.n"];
    let looked_at = |id: &String| of_answers.iter().any(|group| id.starts_with(group));
    assert_eq!(
        with_verdict(&all, Verdict::Pass).iter().filter(|id| looked_at(id)).count(),
        12,
        "{:?}",
        bad(&all)
    );
    assert!(all.outcomes.iter().map(sent).sum::<usize>() >= 9);
    let passed = with_verdict(&all, Verdict::Pass).len() + with_verdict(&all, Verdict::NotTestable).len();
    assert_eq!(passed, all.outcomes.len(), "no check reached the target's limit: {:?}", bad(&all));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_control_a_node_is_tested_except_for_long_waits() {
    let groups = [
        "messages.",
        "envelope",
        "listing",
        "flat",
        "paging",
        "storage",
        "store.",
        "forget",
        "signing",
        "errors",
    ]
    .map(|group| format!("network.{group}"));
    let groups: Vec<&str> = groups.iter().map(String::as_str).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let run = run(&served(&[], true).await, folder.path(), false, &groups).await;
    let mut need: BTreeSet<String> = services::checks()
        .iter()
        .filter(|check| !check.needs.is_empty())
        .map(|check| check.requirement.to_string())
        .filter(|id| groups.iter().any(|group| id.starts_with(group)))
        .collect();
    // A failed FORGET is retried for an hour.
    need.extend(["all-or-nothing", "finally-rejected"].map(|id| format!("network.forget.{id}")));
    assert_eq!(with_verdict(&run, Verdict::NotTestable), need);
    assert_eq!(with_verdict(&run, Verdict::Pass).len() + need.len(), run.outcomes.len(), "{:?}", bad(&run));
    let of_pages = run.outcomes.iter().filter(|o| o.requirement.to_string().starts_with("network.paging."));
    let posts: usize = of_pages.flat_map(|o| &o.exchanges).filter(|e| e.request.method == "POST").count();
    // Two lists of 23 elements, and one of more than a page.
    assert!(posts < 2 * 23 + 120, "checks of pages share the same elements: {posts} were sent");
}

#[tokio::test]
async fn the_control_api_stays_on_loopback_without_a_token() {
    let options = Options {
        listen: "0.0.0.0:0".parse().expect("an address"),
        clock: ClockMode::Auto,
        ..Options::new(1)
    };
    let refused = start(&options).await.err().expect("refused");
    assert!(refused.contains("token"), "{refused}");
}

/// A served simulator sends webhooks to an external listener.
#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_reaches_a_listener_and_its_delivery_is_reported() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/hook", listener.local_addr().expect("an address"));
    let served = served(&[], true).await;
    let key = key_from_secret(&[7; 32]).expect("a key");
    let content = json!({ "url": url, "events": ["message.new"], "secret": "geheim" });
    let registered = take(&served, &key, "/webhooks", "WEBHOOK", &content).await;
    let posted =
        json!({ "address": Address::from_key(&key).to_string(), "type": "note", "content": {}, "time": 1 });
    let receive = async {
        let (mut io, _) = listener.accept().await.expect("a connection");
        let (head, body) = read_request(&mut io).await;
        io.write_all(b"HTTP/1.1 204 Good\r\n\r\n").await.expect("the sender reads");
        (head, body)
    };
    let (accepted, (head, body)) = tokio::join!(take(&served, &key, "/messages", "POST", &posted), receive);
    assert!(head.starts_with("POST /hook HTTP/1.1\r\n"), "{head}");
    let payload: Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!(
        (&payload["event"], &payload["webhook_id"]),
        (&json!("message.new"), &registered["webhook_id"])
    );
    assert_eq!(payload["data"]["item_hash"], accepted["item_hash"]);
    served.handle.settled().await;
    let control = Control::new(Arc::new(Tcp), &served.control, None);
    let inbox = control.perform("network.webhook-inbox", json!({})).await.expect("the action");
    assert_eq!((&inbox[0]["state"], &inbox[0]["tries"][0]["status"]), (&json!("delivered"), &json!(204)));
}

/// Signs and sends a message; returns the response.
async fn take(served: &Served, key: &SigningKey, path: &str, kind: &str, content: &Value) -> Value {
    let seconds = wall_clock().seconds();
    let message =
        json!({ "chain": "ETH", "channel": "SVC", "type": kind, "timestamp": seconds, "content": content });
    let message = message.to_string();
    let envelope =
        envelope::body(&message, &sign_text(key, message.as_bytes()), &Address::from_key(key).to_string());
    let request = Request::new("POST", &format!("/api/v0{path}"))
        .header("Content-Type", "application/json")
        .body(envelope);
    let stream = Tcp.connect(&served.sites["network"], None).await.expect("a server listens");
    let answer = exchange(stream, &request, "host", Limits::default()).await.expect("an answer");
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json().expect("JSON")
}

/// Reads one request with a length from a connection.
async fn read_request(io: &mut TcpStream) -> (String, Vec<u8>) {
    let mut bytes = Vec::new();
    loop {
        assert!(io.read_buf(&mut bytes).await.expect("a request") > 0, "it ended too early");
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let head = String::from_utf8(bytes[..end + 4].to_vec()).expect("a UTF-8 head");
        let length = head
            .lines()
            .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
        let length: usize = length.expect("a length");
        if bytes.len() >= end + 4 + length {
            return (head, bytes.split_off(end + 4));
        }
    }
}

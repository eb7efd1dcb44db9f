//! `assay recover` as a process: the history of a thousand deployments, mirrors that lag, forge or are gone, and no key
//! in any output.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use assay_sim::clock::EPOCH;
use assay_sim::serve::ClockMode;
use assay_spec::crypto::text::sha256_hex;
use assay_suites::embedded::sim::{Options, Served, start};
use assay_suites::harness::control::Control;
use assay_suites::http::sockets::Tcp;
use serde_json::{Value, json};
use wiremock::matchers::{method, path_regex, query_param, query_param_contains};
use wiremock::{Mock, MockServer, ResponseTemplate};

/// A simulator whose clock is stopped and whose network has no rate limit, and its control API.
async fn served() -> (Served, Control) {
    let options = Options {
        clock: ClockMode::Manual,
        epoch: EPOCH,
        limits: vec!["network.general-per-window=1000000".to_owned()],
        ..Options::new(7)
    };
    let served = start(&options).await.expect("a simulator on any port");
    let control = Control::new(Arc::new(Tcp), &served.control, None);
    (served, control)
}

/// The result of the command.
struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Ran {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {} {}", self.out, self.err))
    }
}

/// Runs `assay recover` without blocking the servers of this process.
async fn recover(arguments: &[&str], key: Option<&str>) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    command.arg("recover").args(arguments).env_remove("ASSAY_WALLET_KEY");
    if let Some(key) = key {
        command.env("ASSAY_WALLET_KEY", key);
    }
    let Output { status, stdout, stderr } =
        tokio::task::spawn_blocking(move || command.output()).await.expect("no panic").expect("it starts");
    let [out, err] = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ran { code: status.code(), out, err }
}

/// An owner with a history.
struct Owner {
    address: String,
    key: String,
}

async fn seed_history(control: &Control, action: &str, arguments: Value) -> (Owner, Value) {
    let answer = control.perform(action, arguments).await.expect("a history");
    let text = |member: &str| answer[member].as_str().expect(member).to_owned();
    (Owner { address: text("owner"), key: text("wallet_key") }, answer)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_deployments_give_exactly_the_expected_json() {
    let (served, control) = served().await;
    let (owner, answer) = seed_history(&control, "hosting.history", json!({ "deployments": 1000 })).await;
    let written = control
        .perform("hosting.records", json!({ "owner": owner.address }))
        .await
        .expect("the written records");
    let (node, mirror) = (&served.sites["network"], &served.sites["network-mirror"]);
    let arguments = ["--network", node, "--network", mirror, "--address", &owner.address, "--json"];
    let ran = recover(&arguments, Some(&owner.key)).await;
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    let recovered = ran.json();

    // Each deployment is what the application reports.
    let of = |value: &Value, member: &str| value[member].as_str().unwrap_or_default().to_owned();
    let found: BTreeMap<String, &Value> = recovered["deployments"]
        .as_array()
        .expect("deployments")
        .iter()
        .map(|one| (of(one, "deploymentId"), one))
        .collect();
    let all = written["deployments"].as_array().expect("the written records");
    assert_eq!((found.len(), all.len()), (1000, 1000));
    for one in all {
        let found = found.get(&of(one, "id")).unwrap_or_else(|| panic!("{one} is lost"));
        assert_eq!(of(found, "projectId"), of(one, "project"), "{one}");
        // A record of an earlier schema is always live.
        let state = if one["legacy"] == true { "live".to_owned() } else { of(one, "state") };
        assert_eq!(of(found, "status"), state, "{one}");
        if one["legacy"] == true {
            assert_eq!(found["cid"], one["cid"], "{one}");
        }
        assert_eq!(of(found, "creation"), of(one, "creation"), "{one}");
        assert!(found["plaintext"].is_object(), "{found}");
    }
    let warned = |name: &str| {
        let warnings = recovered["warnings"].as_array().expect("warnings");
        json!(warnings.iter().filter(|warning| warning["warning"] == name).count())
    };
    let counts = &answer["counts"];
    for (name, kind) in [
        ("LEGACY_SCHEMA", "legacy"),
        ("STORE_FORGOTTEN", "forgotten"),
        ("STORE_REMOVED", "removed"),
        ("STORE_ABSENT", "absent"),
    ] {
        assert_eq!(warned(name), counts[kind], "{name}");
    }
    let resolved = found.values().filter(|one| one["cid"].is_string()).count() as u64;
    let live = ["processed", "removing", "legacy"].map(|kind| counts[kind].as_u64().expect("a count"));
    assert_eq!(resolved, live.iter().sum::<u64>());

    // Every byte is the same as before: the digest covers what the snapshot leaves out.
    let text = ran.out.replace(node.as_str(), "http://node").replace(mirror.as_str(), "http://mirror");
    let shown: Value = serde_json::from_str(&text).expect("JSON");
    let some = |member: &str, count: usize| {
        shown[member].as_array().expect("an array").iter().take(count).cloned().collect::<Vec<_>>()
    };
    let snapshot = json!({
        "sha256": sha256_hex(text.as_bytes()),
        "bytes": text.len(),
        "owner": shown["owner"],
        "role": shown["role"],
        "encryptionKey": shown["encryptionKey"],
        "projects": some("projects", 3),
        "deployments": some("deployments", 3),
        "claims": shown["claims"],
        "warnings": some("warnings", 6),
        "notes": shown["notes"],
        "ignored": shown["ignored"],
        "nodes": shown["nodes"],
        "complete": shown["complete"],
        "counts": counts,
    });
    insta::assert_snapshot!(format!("{snapshot:#}"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mirror_that_lags_loses_nothing_and_is_named() {
    let (served, control) = served().await;
    control.faults(json!([{ "fault": "network.lagging" }])).await.expect("a fault");
    let (owner, _) = seed_history(&control, "hosting.seed-history", json!({})).await;
    let (node, mirror) = (&served.sites["network"], &served.sites["network-mirror"]);
    let one = recover(&["--network", node, "--address", &owner.address], Some(&owner.key)).await;
    let arguments = ["--network", mirror, "--network", node, "--address", &owner.address];
    let both = recover(&arguments, Some(&owner.key)).await;
    assert_eq!((one.code, both.code), (Some(0), Some(0)), "{} {}", one.err, both.err);
    let (one, other) = (one.json(), both.json());
    assert_eq!(one["deployments"], other["deployments"]);
    assert_eq!(one["warnings"], other["warnings"], "nothing that the mirror lacks is lost");
    assert!(both.err.contains(&format!("{mirror}: it lacks ")), "{}", both.err);
    assert!(!both.err.contains(node.as_str()), "{}", both.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_that_are_gone_or_return_nonsense_are_named_and_ignored() {
    let (served, control) = served().await;
    let (owner, _) = seed_history(&control, "hosting.seed-history", json!({})).await;
    let node = &served.sites["network"];
    let conforming = recover(&["--network", node, "--address", &owner.address], Some(&owner.key)).await;
    // A socket that does not listen keeps its port from other programs.
    let port = tokio::net::TcpSocket::new_v4().expect("a socket");
    port.bind(([127, 0, 0, 1], 0).into()).expect("a port");
    let gone = format!("http://{}", port.local_addr().expect("its address"));
    let nonsense = MockServer::start().await;
    let page = ResponseTemplate::new(200).set_body_raw("<html>welcome</html>", "text/html");
    Mock::given(method("GET")).and(path_regex("/messages")).respond_with(page).mount(&nonsense).await;
    let nonsense = nonsense.uri();
    let arguments =
        ["--network", &gone, "--network", &nonsense, "--network", node, "--address", &owner.address];
    let ran = recover(&arguments, Some(&owner.key)).await;
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(ran.json()["deployments"], conforming.json()["deployments"]);
    assert!(ran.err.contains(&format!("{gone}: cannot connect")), "{}", ran.err);
    assert!(ran.err.contains(&format!("{nonsense}: not a list")), "{}", ran.err);

    let ran = recover(&["--network", &gone, "--address", &owner.address], None).await;
    assert_eq!((ran.code, ran.out.as_str()), (Some(3), ""), "{}", ran.err);
    assert!(ran.err.contains("no node answers") && ran.err.contains(&gone), "{}", ran.err);
    let ran = recover(&["--network", &nonsense, "--address", &owner.address], None).await;
    assert_eq!(ran.code, Some(1), "nothing was read, and the exit code says so: {}", ran.err);
    assert_eq!(ran.json()["complete"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn page_0_of_a_node_that_counts_from_0_is_read() {
    let (served, control) = served().await;
    let (owner, _) = seed_history(&control, "hosting.seed-history", json!({})).await;
    let node = &served.sites["network"];
    let conforming =
        recover(&["--network", node, "--address", &owner.address], Some(&owner.key)).await.json();
    // Without a total, an empty page 1 could also be the end of an empty list.
    let from_zero = MockServer::start().await;
    let list = |messages: &Value| ResponseTemplate::new(200).set_body_json(json!({ "messages": messages }));
    for address in [owner.address.clone(), delegate(&control).await] {
        let path = format!("/api/v0/messages?addresses={address}&limit=100");
        let found: Value = serde_json::from_str(&control_get(node, &path).await).expect("a list");
        let first = Mock::given(path_regex("/messages$")).and(query_param("page", "0"));
        let first = first.and(query_param_contains("addresses", address));
        first.respond_with(list(&found["messages"])).mount(&from_zero).await;
    }
    Mock::given(path_regex("/messages$")).respond_with(list(&json!([]))).mount(&from_zero).await;
    let arguments = ["--network", &from_zero.uri(), "--address", &owner.address];
    let ran = recover(&arguments, Some(&owner.key)).await.json();
    assert_eq!(ran["projects"], conforming["projects"]);
    assert_eq!(
        ran["deployments"].as_array().map(Vec::len),
        conforming["deployments"].as_array().map(Vec::len)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forged_record_is_ignored_and_reported() {
    let (served, control) = served().await;
    let (owner, _) = seed_history(&control, "hosting.seed-history", json!({})).await;
    let node = &served.sites["network"];
    let conforming =
        recover(&["--network", node, "--address", &owner.address], Some(&owner.key)).await.json();
    let forger = MockServer::start().await;
    // A real list in which a failed deployment was changed to live.
    let list =
        control_get(node, &format!("/api/v0/messages?addresses={}&limit=100", delegate(&control).await))
            .await;
    let forged = list.replace("\"failed\"", "\"live\"");
    assert_ne!(list, forged);
    let forged = ResponseTemplate::new(200).set_body_raw(forged, "application/json");
    Mock::given(method("GET")).and(path_regex("/api/v0/messages$")).respond_with(forged).mount(&forger).await;
    let forger = forger.uri();
    let arguments = ["--network", &forger, "--network", node, "--address", &owner.address];
    let ran = recover(&arguments, Some(&owner.key)).await;
    let seen = ran.json();
    assert_eq!(seen["deployments"], conforming["deployments"]);
    let ignored = seen["ignored"].as_array().expect("an array");
    assert!(ignored.iter().any(|one| one["rule"] == "hosting.records.signature"), "{ignored:?}");
    assert!(ran.err.contains(&format!("{forger}: nodes disagree about the message ")), "{}", ran.err);
}

async fn delegate(control: &Control) -> String {
    let answer = control.perform("hosting.records", json!({})).await.expect("the written records");
    answer["delegate"].as_str().expect("a delegate").to_owned()
}

/// Sends a GET over a socket. Returns the body as a string.
async fn control_get(base: &str, path: &str) -> String {
    use assay_suites::http::client::{Limits, exchange};
    use assay_suites::http::connect::Connect;
    use assay_suites::http::exchange::Request;

    let stream = Tcp.connect(base, None).await.expect("a server");
    let response =
        exchange(stream, &Request::new("GET", path), "a", Limits::default()).await.expect("an answer");
    response.text()
}

#[tokio::test(flavor = "multi_thread")]
async fn public_parts_are_recovered_without_a_key() {
    let (served, control) = served().await;
    let (owner, _) = seed_history(&control, "hosting.seed-history", json!({})).await;
    let ran = recover(&["--network", &served.sites["network"], "--address", &owner.address], None).await;
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let recovered = ran.json();
    for part in ["projects", "deployments"] {
        let found = recovered[part].as_array().expect("an array");
        assert!(!found.is_empty() && found.iter().all(|one| one["plaintext"].is_null()), "{found:?}");
    }
}

/// A key of 64 digits.
const KEY: &str = "0000000000000000000000000000000000000000000000000000000000000001";
/// Its address.
const ADDRESS: &str = "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf";

#[tokio::test(flavor = "multi_thread")]
async fn a_key_in_a_record_is_redacted() {
    let (served, control) = served().await;
    let (owner, answer) = seed_history(&control, "hosting.seed-history", json!({})).await;
    let project = &answer["projects"][0];
    let digits = owner.key.trim_start_matches("0x").to_owned();
    for name in [digits.clone(), digits.to_uppercase()] {
        let edit = json!({ "project": project, "name": name });
        control.perform("hosting.edit", edit).await.expect("an edit");
        let node = &served.sites["network"];
        let ran = recover(&["--network", node, "--address", &owner.address], Some(&owner.key)).await;
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let shown = format!("{}{}", ran.out, ran.err).to_lowercase();
        assert!(shown.contains("[redacted wallet key]"), "the name is shown without the key");
        assert!(!shown.contains(&digits.to_lowercase()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_keys_and_addresses_end_with_2_and_are_not_repeated() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        mode(&path, 0o600);
        path.display().to_string()
    };
    let secret = "5ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2";
    let open = write("open.key", secret);
    mode(Path::new(&open), 0o644);
    let file = |name: &str, text: &str| write(name, text);
    let cases: [(Vec<String>, Option<&str>, &str); 9] = [
        (vec!["--key-file".into(), folder.path().join("no.key").display().to_string()], None, "no.key"),
        (vec!["--key-file".into(), open], None, "chmod 600"),
        (
            vec!["--key-file".into(), file("short.key", &secret[..62])],
            None,
            "short.key: the key has 62 hex digits",
        ),
        (
            vec!["--key-file".into(), file("long.key", &secret.repeat(100))],
            None,
            "not a key of 64 hex digits",
        ),
        (vec!["--key-file".into(), file("empty.key", "\n")], None, "empty.key: the key is empty"),
        (vec!["--key-file".into(), file("odd.key", &secret.replace('7', "x"))], None, "not hex digits"),
        (vec!["--key-file".into(), file("zero.key", &"0".repeat(64))], None, "not a valid private key"),
        (vec![], Some(secret), "ASSAY_WALLET_KEY: this is the key of 0x"),
        (vec![], Some("5ec2e7"), "ASSAY_WALLET_KEY: the key has 6 hex digits"),
    ];
    for (more, key, named) in cases {
        let mut arguments = vec!["--network", "http://127.0.0.1:1", "--address", ADDRESS];
        arguments.extend(more.iter().map(String::as_str));
        let ran = recover(&arguments, key).await;
        let text = format!("{}{}", ran.out, ran.err);
        assert_eq!(ran.code, Some(2), "{named}: {text}");
        assert!(text.contains(named), "{named}: {text}");
        assert!(!text.contains("5ec2e7") && !text.contains("panicked"), "{text}");
    }
    for (network, address, named) in [
        ("http://127.0.0.1:1", "0x12", "40 hexadecimal digits"),
        ("http://127.0.0.1:1", "0x7e5F4552091A69125d5DfCb7b8C2659029395Bdf", "checksum"),
        ("127.0.0.1:1", ADDRESS, "the scheme is missing"),
        ("ftp://a.example", ADDRESS, "http"),
    ] {
        let ran = recover(&["--network", network, "--address", address], Some(KEY)).await;
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(ran.err.contains(named), "{}", ran.err);
    }
    let answer: BTreeSet<Option<i32>> =
        [recover(&[], None).await.code, recover(&["--key", KEY], None).await.code].into();
    assert_eq!(answer, BTreeSet::from([Some(2)]), "a key is not an argument");
}

fn mode(path: &Path, mode: u32) {
    #[cfg(unix)]
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).expect("its mode");
    #[cfg(not(unix))]
    let _ = (path, mode);
}

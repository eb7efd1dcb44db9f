//! The first screens of a new user: `init`, `doctor` and the head of `run`, for a right and for wrong profiles.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use assay_spec::instant::MINUTE;
use assay_suites::embedded::sim::{Options, Served, start};
use serde_json::json;
use tempfile::TempDir;
use wiremock::matchers::{any, body_partial_json, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::{DEAD_URL, unpaced};

/// A conforming simulator that limits no requests, and a folder with its secrets and its profile `all.toml`.
async fn served(ahead_ms: i64) -> (Served, TempDir) {
    let limits = vec!["publish.requests-per-window=100000".to_owned()];
    let options = Options { limits, ..Options::new(7) };
    let options = Options { epoch: options.epoch + ahead_ms, ..options };
    let served = start(&options).await.expect("a simulator on any port");
    let folder = tempfile::tempdir().expect("a folder");
    served.write_profile(&folder.path().join("all.toml"), None).expect("a profile");
    (served, folder)
}

/// What the command prints: standard output, then standard error.
async fn assay(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    command.args(arguments).current_dir(folder).env_remove("ASSAY_CONTROL_TOKEN");
    if let Ok(key) = std::fs::read_to_string(folder.join("all.gateway-valid.key")) {
        command.env("ASSAY_GATEWAY_KEY", key.trim());
    }
    let output = tokio::task::spawn_blocking(move || command.output()).await.expect("no panic");
    let output = output.expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The text with names instead of URLs.
fn named(served: &Served, others: &[(&str, &str)], text: &str) -> String {
    let sites = served.sites.iter().map(|(site, url)| (*site, url.as_str()));
    let all = sites.chain(others.iter().copied());
    all.fold(text.to_owned(), |text, (name, url)| text.replace(url, &format!("http://{name}")))
}

/// The findings that must be fixed, those about clocks, and the last line. Numbers of checks change as checks are added.
fn findings(text: &str) -> String {
    let (mut out, mut is_kept) = (String::new(), false);
    for line in text.lines() {
        let mark = line.strip_prefix("  ").and_then(|line| line.chars().next());
        match mark {
            Some('x' | '!' | '+') => is_kept = mark == Some('x') || line.contains("clock"),
            Some(_) if line.starts_with("    ") => {}
            Some(_) => is_kept = false,
            None => is_kept = line.starts_with("fix ") || line.starts_with("no server"),
        }
        if is_kept {
            let line = line.split(" [").next().filter(|_| line.ends_with("checks]")).unwrap_or(line);
            // A `Date` has whole seconds.
            let is_clock = line.contains("clock is");
            let line =
                if is_clock { line.replace(|c: char| c.is_ascii_digit(), "#") } else { line.to_owned() };
            let _ = writeln!(out, "{}", line.trim_end());
        }
    }
    out
}

/// What `doctor` finds in a profile, and the head and the reasons of a run of these checks.
async fn screens(
    served: &Served,
    folder: &Path,
    others: &[(&str, &str)],
    profile: &str,
    checks: &[&str],
) -> String {
    std::fs::write(folder.join("p.toml"), unpaced(profile)).expect("written");
    let (code, found, _) = assay(folder, &["doctor", "--profile", "p.toml"]).await;
    let mut text = format!("$ assay doctor (exit code {})\n{}", code.unwrap_or(-1), findings(&found));
    let run = [&["run", "--profile", "p.toml", "--seed", "1"][..], checks].concat();
    let (code, report, head) = assay(folder, &run).await;
    let is_head = |line: &&str| line.starts_with("assay: ") || line.starts_with("  ");
    let head = head.lines().filter(is_head).map(|line| format!("{line}\n"));
    let reasons = report.lines().filter(|line| line.starts_with("not-testable: "));
    let reasons = reasons.map(|line| format!("{line}\n"));
    let _ = writeln!(text, "$ assay run (exit code {})", code.unwrap_or(-1));
    text.extend(head.chain(reasons));
    named(served, others, &text)
}

/// The tables of these services in a right profile without a control API.
fn right(served: &Served) -> String {
    let site = |name: &str| &served.sites[name];
    format!(
        "ca_file = \"all.ca.pem\"\n[gateway]\nurl = \"{}\"\nkey = {{ file = \"all.gateway-valid.key\" }}\n\
         models = {{ chat = \"assay-chat\" }}\n[publish]\nurl = \"{}\"\nchain_url = \"{}\"\n\
         key = {{ file = \"all.key\" }}\ndomains = [\"pool-001.assay.example\", \"pool-002.assay.example\"]\n",
        site("gateway"),
        site("publish"),
        site("chain"),
    )
}

const CHECKS: [&str; 2] = ["gateway.auth.key-check", "publish.envelope.version"];

#[tokio::test(flavor = "multi_thread")]
async fn right_profile_has_no_finding() {
    let (served, folder) = served(0).await;
    let screens = screens(&served, folder.path(), &[], &right(&served), &CHECKS).await;
    insta::assert_snapshot!(screens);
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_key_is_named_once() {
    let (served, folder) = served(0).await;
    std::fs::write(folder.path().join("wrong.key"), "sk-wrong-0123456789").expect("written");
    let profile = right(&served).replace("all.gateway-valid.key", "wrong.key");
    insta::assert_snapshot!(screens(&served, folder.path(), &[], &profile, &CHECKS).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn unbound_domain_is_named_once() {
    let (served, folder) = served(0).await;
    let profile = right(&served).replace("pool-001.assay", "unbound");
    insta::assert_snapshot!(screens(&served, folder.path(), &[], &profile, &CHECKS).await);
    // If the key signs for none, the key is wrong.
    let profile = profile.replace("pool-002.assay", "other");
    insta::assert_snapshot!(screens(&served, folder.path(), &[], &profile, &CHECKS).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn readings_that_the_target_contradicts_are_named_with_their_lines() {
    let (served, folder) = served(0).await;
    let network = &served.sites["network"];
    let readings = format!(
        "[gateway.readings]\nmodels_id_path = \"models[].name\"\n[network]\nurl = \"{network}\"\n[network.readings]\nfirst_page = 0\n"
    );
    std::fs::write(folder.path().join("t.toml"), right(&served) + &readings).expect("written");
    let (_, text, _) = assay(folder.path(), &["doctor", "--profile", "t.toml"]).await;
    for line in
        ["-> [gateway.readings] models_id_path = \"data[].id\"", "-> [network.readings] first_page = 1"]
    {
        assert!(text.contains(line), "{line}: {text}");
    }
    std::fs::write(folder.path().join("t.toml"), right(&served)).expect("written");
    let (_, text, _) = assay(folder.path(), &["doctor", "--profile", "t.toml"]).await;
    assert!(!text.contains("another reading"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_with_a_wrong_root_and_wrong_errors_is_recognized_by_a_document_of_the_profile() {
    let server = MockServer::start().await;
    let json = |status: u16, body| ResponseTemplate::new(status).set_body_json(body);
    Mock::given(path("/bafyone")).respond_with(json(200, json!({ "name": "One" }))).mount(&server).await;
    Mock::given(path("/")).respond_with(json(200, json!("<html>"))).mount(&server).await;
    Mock::given(any()).respond_with(json(422, json!({ "detail": "no" }))).mount(&server).await;
    let folder = tempfile::tempdir().expect("a folder");
    let uri = server.uri();
    let doctor = async |contracts: &str| {
        let profile = format!("[metadata]\nurl = \"{uri}\"\n{contracts}");
        std::fs::write(folder.path().join("t.toml"), profile).expect("written");
        assay(folder.path(), &["doctor", "--profile", "t.toml"]).await.1
    };
    let known = doctor("[[metadata.contracts]]\ncid = \"bafyone\"\n").await;
    assert!(known.contains("  + reached: "), "{known}");
    let unknown = doctor("[[metadata.contracts]]\ncid = \"bafyother\"\n").await;
    assert!(unknown.contains("is not a metadata service"), "{unknown}");
    let constant = MockServer::start().await;
    Mock::given(any()).respond_with(json(200, json!({}))).mount(&constant).await;
    let profile =
        format!("[metadata]\nurl = \"{}\"\n[[metadata.contracts]]\ncid = \"bafyone\"\n", constant.uri());
    std::fs::write(folder.path().join("t.toml"), profile).expect("written");
    let (_, text, _) = assay(folder.path(), &["doctor", "--profile", "t.toml"]).await;
    assert!(text.contains("is not a metadata service"), "{text}");
}

/// A gateway with two models, of which only `words` answers a chat.
async fn two_models() -> MockServer {
    let server = MockServer::start().await;
    let json = |status: u16, body| ResponseTemplate::new(status).set_body_json(body);
    let servers = json!({ "servers": ["https://a.example"] });
    let replies = [
        ("/svc/models", json(200, json!({ "images": servers, "words": servers }))),
        ("/v1/models", json(200, json!({ "data": [{ "id": "images" }, { "id": "words" }] }))),
        ("/svc/auth/check", json(200, json!({ "valid": true }))),
    ];
    for (at, reply) in replies {
        Mock::given(method("GET")).and(path(at)).respond_with(reply).mount(&server).await;
    }
    let reply = json!({ "choices": [{ "message": { "role": "assistant", "content": "Hello." } }] });
    for (model, reply) in [("words", json(200, reply)), ("images", json(422, json!({ "detail": "no chat" })))]
    {
        let chat = Mock::given(method("POST")).and(body_partial_json(json!({ "model": model })));
        chat.respond_with(reply).mount(&server).await;
    }
    server
}

#[tokio::test(flavor = "multi_thread")]
async fn image_model_is_named_once_and_init_writes_another() {
    let ((served, folder), server) = (served(0).await, two_models().await);
    let url = server.uri();
    let others = [("two-models", url.as_str())];
    let profile = format!(
        "[gateway]\nurl = \"{url}\"\nkey = {{ file = \"all.gateway-valid.key\" }}\nmodels = {{ chat = \"images\" }}\n"
    );
    insta::assert_snapshot!(
        screens(&served, folder.path(), &others, &profile, &["gateway.chat.choices"]).await
    );
    let (code, written, said) = assay(folder.path(), &["init", "--gateway-url", &url, "--out", "-"]).await;
    assert_eq!(code, Some(0), "{said}");
    insta::assert_snapshot!(named(&served, &others, &format!("{said}\n{written}")));
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_hashes_are_named_once() {
    let (served, folder) = served(0).await;
    let profile = format!(
        "[metadata]\nurl = \"{}\"\n[[metadata.contracts]]\ncid = \"bafkmissing\"\n[network]\nurl = \"{}\"\n\
         mirror_url = \"{}\"\nfixtures = {{ program = \"00aa\", indexer_network = \"mars\", core_node = \"ff\" }}\n",
        served.sites["metadata"], served.sites["network"], served.sites["drop"],
    );
    let checks = ["metadata.contract.by-cid", "network.programs.run", "network.indexer.events"];
    insta::assert_snapshot!(screens(&served, folder.path(), &[], &profile, &checks).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn swapped_urls_are_named_as_such() {
    let (served, folder) = served(0).await;
    let site = |name: &str| &served.sites[name];
    let profile = format!(
        "[gateway]\nurl = \"{}\"\n[metadata]\nurl = \"{}\"\n[network]\nurl = \"{}\"\n[publish]\nurl = \"{}\"\n[drop]\nurl = \"{}\"\n",
        site("metadata"),
        site("network"),
        site("publish"),
        site("drop"),
        site("gateway"),
    );
    insta::assert_snapshot!(screens(&served, folder.path(), &[], &profile, &[]).await);
    let init = ["init", "--gateway-url", site("metadata"), "--drop-url", site("drop"), "--out", "-"];
    let (code, written, said) = assay(folder.path(), &init).await;
    assert_eq!(code, Some(0), "{said}");
    insta::assert_snapshot!(named(&served, &[], &format!("{said}\n{written}")));
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_service_is_one_line() {
    let (served, folder) = served(0).await;
    let shop = MockServer::start().await;
    let page = ResponseTemplate::new(404).set_body_raw("<h1>Not here</h1>", "text/html");
    Mock::given(any()).respond_with(page).mount(&shop).await;
    let profile = format!("[gateway]\nurl = \"{0}\"\n[network]\nurl = \"{0}\"\n", shop.uri());
    let others = [("shop", shop.uri())];
    let others = others.each_ref().map(|(name, url)| (*name, url.as_str()));
    insta::assert_snapshot!(screens(&served, folder.path(), &others, &profile, &[]).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn unreachable_site_is_named() {
    let (served, folder) = served(0).await;
    let profile = format!("[drop]\nurl = \"{DEAD_URL}\"\n");
    insta::assert_snapshot!(screens(&served, folder.path(), &[("dead", DEAD_URL)], &profile, &[]).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn clock_skew_is_named_and_fails_nothing() {
    let (served, folder) = served(-20 * MINUTE).await;
    insta::assert_snapshot!(screens(&served, folder.path(), &[], &right(&served), &CHECKS).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn init_writes_what_the_target_shows() {
    let (served, folder) = served(0).await;
    let site = |name: &str| &served.sites[name];
    let example = std::fs::read_to_string(folder.path().join("all.toml")).expect("a profile");
    let cid = example.split("cid = \"").nth(1).and_then(|rest| rest.split('"').next()).expect("a contract");
    let example = format!("{}/{cid}/1.json", site("metadata"));
    let init = [
        &[
            "init",
            "--gateway-url",
            site("gateway"),
            "--metadata-url",
            site("metadata"),
            "--example",
            &example,
        ][..],
        &["--network-url", site("network"), "--publish-url", site("publish"), "--out", "-"],
    ];
    let (code, written, said) = assay(folder.path(), &init.concat()).await;
    assert_eq!(code, Some(0), "{said}");
    insta::assert_snapshot!(named(&served, &[], &format!("{said}\n{written}")));
}

//! What a reader sees of a run: one block for each cause, short lists, and again what failed when a file changes.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use assay_suites::embedded::sim::Served;
use assay_suites::harness::control::Control;
use assay_suites::harness::judge::cause::causes;
use assay_suites::http::sockets::Tcp;
use serde_json::{Value, json};

use crate::profiles::{assay, served};
use crate::sockets;

fn control(served: &Served) -> Control {
    Control::new(Arc::new(Tcp), &served.control, None)
}

/// What the command prints on standard output, and its exit code.
async fn printed(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    command.args(arguments).current_dir(folder);
    let output =
        tokio::task::spawn_blocking(move || command.output()).await.expect("no panic").expect("it starts");
    (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_standby_is_one_cause_on_less_than_a_screen() {
    let (served, folder) = (served().await, tempfile::tempdir().expect("a folder"));
    served.write_profile(&folder.path().join("p.toml"), None).expect("a profile");
    control(&served).faults(json!([{ "fault": "publish.standby" }])).await.expect("a fault");
    let run = ["run", "--profile", "p.toml", "--service", "publish", "--json", "out.json"];
    let (code, text) = printed(folder.path(), &run).await;
    assert_eq!(code, Some(1), "{text}");
    assert!(text.lines().count() < 40, "{text}");
    assert!(text.contains("503\n         not-primary: the node is a standby\n"), "{text}");
    let report = std::fs::read_to_string(folder.path().join("out.json")).expect("a report");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let causes = report["causes"].as_array().expect("causes");
    assert_eq!((causes.len(), &causes[0]["row"]), (1, &"publish.exchange.standby".into()), "{causes:#?}");
    assert!(causes[0]["outcomes"].as_array().expect("indexes").len() > 90);
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_this_machine_cannot_reach_are_one_cause_and_no_failure() {
    let (served, folder) = (served().await, tempfile::tempdir().expect("a folder"));
    let path = folder.path().join("p.toml");
    served.write_profile(&path, None).expect("a profile");
    let profile = std::fs::read_to_string(&path).expect("the profile");
    let kept: Vec<&str> = profile.lines().filter(|line| !line.starts_with("control")).collect();
    let unresolvable = "[gateway]\nserver_urls = [\"http://gateway.invalid\"]";
    std::fs::write(&path, kept.join("\n").replace("[gateway]", unresolvable)).expect("written");
    let run = ["run", "--profile", "p.toml", "gateway.direct", "--json", "out.json"];
    let (_, text) = printed(folder.path(), &run).await;
    let report = std::fs::read_to_string(folder.path().join("out.json")).expect("a report");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let outcomes = report["outcomes"].as_array().expect("outcomes").iter();
    let verdicts: Vec<&str> = outcomes.filter_map(|outcome| outcome["verdict"].as_str()).collect();
    assert!(verdicts.contains(&"inconclusive") && !verdicts.contains(&"fail"), "{text}");
    assert_eq!(report["causes"].as_array().map(Vec::len), Some(1), "{text}");
}

/// The rows of the causes of a run against a simulator with these deviations, as a user with a URL sees it.
async fn causes_of(deviations: &[&str], filters: &[&str]) -> Vec<String> {
    let (served, folder) = (sockets::served(deviations, true).await, tempfile::tempdir().expect("a folder"));
    let run = sockets::run(&served, folder.path(), false, filters).await;
    causes(&run).iter().map(|cause| cause.row.to_string()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn two_mistakes_are_two_causes() {
    let rows = causes_of(&["drop.cid.sharded", "drop.cid.dotfiles"], &["drop.cid"]).await;
    assert_eq!(rows, ["drop.cid.sharded", "drop.cid.dotfiles"]);
    // A site that is accepted without its page does not explain what other sites get.
    let rows = causes_of(&["drop.zip.root-index", "drop.cid.dotfiles"], &["drop.zip", "drop.cid"]).await;
    assert_eq!(rows, ["drop.cid.dotfiles", "drop.zip.root-index"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_mistake_at_two_endpoints_is_one_cause() {
    let wrapped = ["metadata.overrides.by-cid/object", "metadata.overrides.by-uri/object"];
    let rows = causes_of(&wrapped, &["metadata"]).await;
    assert_eq!(rows.len(), 1, "{rows:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_route_that_is_read_wrong_comes_before_what_follows_from_it() {
    let rows = causes_of(&["metadata.paths.double-slash"], &["metadata"]).await;
    assert_eq!(rows.first().map(String::as_str), Some("metadata.paths.double-slash"), "{rows:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_green_run_is_short_and_says_more_when_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, text) = printed(folder.path(), &["run", "--service", "metadata", "--service", "drop"]).await;
    assert!(code == Some(0) && text.lines().count() <= 25, "{text}");
    let selected = ["run", "metadata.root"];
    let lines = async |more: &[&str]| {
        let (code, text) = printed(folder.path(), &[&selected[..], more].concat()).await;
        assert_eq!(code, Some(0), "{text}");
        text
    };
    assert!(lines(&["-v"]).await.contains("pass metadata.root.html  root_is_an_html_document\n"));
    assert!(lines(&["-vv"]).await.contains("\n  GET / -> 200\n"));
    let covered = lines(&["--coverage"]).await;
    assert!(covered.contains("metadata.root  2 pass\n") && covered.contains("\nendpoints: "), "{covered}");
    assert!(!lines(&[]).await.contains("endpoints: "));
    assert_eq!(lines(&["-q"]).await.lines().count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_failing_sequence_is_exported_and_signed_again() {
    let (served, folder) = (served().await, tempfile::tempdir().expect("a folder"));
    served.write_profile(&folder.path().join("p.toml"), None).expect("a profile");
    let id = "publish.prepare.one-in-flight";
    let control = control(&served);
    control.call("PUT", "deviations", Some(json!([id]))).await.expect("a deviation");
    let run = ["run", "--profile", "p.toml", id, "--json", "out.json"];
    let (code, text) = printed(folder.path(), &run).await;
    assert!(code == Some(1) && text.contains("3 commands in a row, see -v"), "{text}");
    let export = ["replay", "out.json", id, "--script", "a.sh", "--hurl", "a.hurl", "--har", "a.har"];
    let (code, text) = assay(folder.path(), &[], &export).await;
    assert_eq!(code, Some(0), "{text}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a file");
    assert_eq!(read("a.sh").matches("\ncurl -sS ").count(), 6, "{}", read("a.sh"));
    assert_eq!(read("a.hurl").matches("\nHTTP 200\n").count(), 6, "{}", read("a.hurl"));
    let har: Value = serde_json::from_str(&read("a.har")).expect("JSON");
    assert_eq!(har["log"]["entries"].as_array().expect("entries").len(), 6);
    let anew = ["replay", "out.json", id, "--anew", "--profile", "p.toml"];
    let (code, text) = assay(folder.path(), &[], &anew).await;
    assert!(code == Some(0) && text.contains("6 of 6 responses as recorded"), "{text}");
    control.call("PUT", "deviations", Some(json!([]))).await.expect("no deviation");
    let (code, text) = assay(folder.path(), &[], &anew).await;
    assert!(code == Some(1) && text.contains("now 409"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_says_what_changed_since_an_earlier_report() {
    let (served, folder) = (served().await, tempfile::tempdir().expect("a folder"));
    served.write_profile(&folder.path().join("p.toml"), None).expect("a profile");
    let run = async |deviation: &str, more: &[&str]| {
        control(&served).call("PUT", "deviations", Some(json!([deviation]))).await.expect("a deviation");
        let run =
            [&["run", "--profile", "p.toml", "metadata.root", "metadata.contract.by-cid"], more].concat();
        let (code, text) = assay(folder.path(), &[], &run).await;
        assert_eq!(code, Some(1), "{text}");
    };
    run("metadata.root.html", &["--json", "old.json"]).await;
    run("metadata.contract.by-cid", &["--html", "new.html", "--since", "old.json"]).await;
    let page = std::fs::read_to_string(folder.path().join("new.html")).expect("a page");
    let (_, since) = page.split_once("<h2>Since old.json</h2>").expect("the section");
    let (since, _) = since.split_once("</section>").expect("its end");
    let (worse, better) = since.split_once("<h3>fixes (1)</h3>").expect("what passes now");
    assert!(
        worse.contains("<h3>regressions (1)</h3>") && worse.contains("#metadata.contract.by-cid"),
        "{since}"
    );
    assert!(better.contains("#metadata.root.html") && !since.contains("new checks"), "{since}");
    let old = ["run", "metadata.root", "--html", "a.html", "--since", "no.json"];
    let (code, text) = assay(folder.path(), &[], &old).await;
    assert!(code == Some(2) && text.contains("no.json: "), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_known_failure_is_one_while_the_run_goes_on() {
    let (served, folder) = (served().await, tempfile::tempdir().expect("a folder"));
    served.write_profile(&folder.path().join("p.toml"), None).expect("a profile");
    let known = "[[known]]\nrequirement = \"metadata.root.html\"\nreason = \"a proxy\"\n";
    std::fs::write(folder.path().join("b.toml"), known).expect("written");
    control(&served)
        .call("PUT", "deviations", Some(json!(["metadata.root.html"])))
        .await
        .expect("a deviation");
    let run = ["run", "--profile", "p.toml", "metadata.root", "--baseline", "b.toml"];
    let (code, text) = assay(folder.path(), &[], &run).await;
    assert!(code == Some(0) && text.contains("metadata.root  1 pass, 1 known-failure\n"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_failed_runs_again_when_a_file_changes() {
    let (served, folder) = (served().await, tempfile::tempdir().expect("a folder"));
    served.write_profile(&folder.path().join("p.toml"), None).expect("a profile");
    let server = folder.path().join("server");
    std::fs::write(&server, "1").expect("written");
    let control = control(&served);
    control.call("PUT", "deviations", Some(json!(["metadata.root.html"]))).await.expect("a deviation");
    let mut child = Command::new(env!("CARGO_BIN_EXE_assay"))
        .args(["run", "--profile", "p.toml", "metadata.root", "--rerun-on", "server"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut said = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let said = tokio::task::spawn_blocking(move || {
        let is_waiting = said.any(|line| line.expect("UTF-8") == "assay: waiting for a change of server");
        assert!(is_waiting, "it waits after a failure");
        said
    });
    let said = said.await.expect("it waits");
    control.call("PUT", "deviations", Some(json!([]))).await.expect("no deviation");
    std::fs::write(&server, "12").expect("written");
    let output = tokio::task::spawn_blocking(move || child.wait_with_output())
        .await
        .expect("no panic")
        .expect("it ends");
    std::mem::drop(said);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("\n2 checks: 1 pass, 1 fail - does not conform\n"), "{text}");
    assert!(
        text.ends_with("\n1 check: 1 pass - selected checks passed (1 of 54)\n"),
        "only what failed: {text}"
    );
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_does_nothing_is_one_cause() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["client", "publish", "--json", "c.json", "--junit", "c.xml", "--", "true"];
    let (code, text) = printed(folder.path(), &arguments).await;
    assert_eq!(code, Some(1), "{text}");
    let report = std::fs::read_to_string(folder.path().join("c.json")).expect("a report");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let (causes, outcomes) = (report["causes"].as_array().expect("causes"), report["outcomes"].as_array());
    let bad = outcomes.expect("outcomes").iter().filter(|one| one["verdict"] != "pass").count();
    assert_eq!(
        (causes.len(), &causes[0]["row"]),
        (1, &"publish.client.publishes".into()),
        "{bad} outcomes: {text}"
    );
    assert!(bad == 58 && text.lines().count() <= 16 + 16, "{text}");
    let junit = std::fs::read_to_string(folder.path().join("c.xml")).expect("a report");
    assert!(junit.contains("<property name=\"cause-row\" value=\"publish.client.publishes\"/>"), "{junit}");
}

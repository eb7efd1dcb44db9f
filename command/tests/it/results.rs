//! The result of a run: what conforms, what was tested too little, and what is left of a run that was killed.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::Value;
use tokio::sync::oneshot::{self, Sender};
use wiremock::matchers::{any, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::profiles::{assay, served};
use crate::unpaced;

/// Runs the command; its exit code must be `code`, and its output must contain `words`.
async fn expect(folder: &Path, arguments: &[&str], code: i32, words: &str) -> String {
    let (got, text) = assay(folder, &[], arguments).await;
    assert_eq!(got, Some(code), "{arguments:?}: {text}");
    assert!(text.contains(words), "{arguments:?}: {words:?} is missing: {text}");
    text
}

fn json(folder: &Path, name: &str) -> Value {
    let text = std::fs::read_to_string(folder.join(name)).expect("a report");
    serde_json::from_str(&text).expect("JSON")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bare_url_conforms_only_if_the_core_of_the_service_was_tested() {
    let (served, folder) = (served().await, tempfile::tempdir().expect("a folder"));
    for (services, arguments, code, words) in [
        (&["gateway"][..], &[][..], 1, "not enough tested: nothing was checked"),
        (&["metadata"], &[], 1, "not enough tested: metadata: nothing shows that a document can be read"),
        (&["publish"], &[], 1, "not enough tested: nothing was checked"),
        (&["network"], &["--service", "hosting"], 1, "not enough tested: nothing was checked"),
        (&["network"], &["--read-only"], 0, " - tested part conforms ("),
        (&["network"], &["--read-only", "--min-coverage", "50"], 1, " % tested, the minimum is 50 %"),
        (
            &["gateway", "metadata", "drop"],
            &["--read-only"],
            1,
            "not enough tested: gateway: nothing shows that an inference call succeeds; metadata: nothing shows that a \
             document can be read; drop: nothing shows that a drop is accepted",
        ),
        (&["drop"], &[], 0, " - tested part conforms ("),
    ] {
        let table = |service: &&str| format!("[{service}]\nurl = {:?}\n", served.sites[*service]);
        let profile: String = services.iter().map(table).collect();
        std::fs::write(folder.path().join("p.toml"), unpaced(&profile)).expect("written");
        let run = [&["run", "--profile", "p.toml", "--json", "out.json"], arguments].concat();
        let text = expect(folder.path(), &run, code, words).await;
        assert!(text.contains(" applicable checks, "), "{text}");
    }
    let bare = ["run", "--gateway-url", served.sites["gateway"].as_str()];
    expect(folder.path(), &bare, 1, "not enough tested: nothing was checked").await;
    let report = json(folder.path(), "out.json");
    assert_eq!(report["result"], "tested part conforms");
    let service = &report["services"][0];
    assert_eq!((&service["service"], &service["core"]["is_shown"]), (&"drop".into(), &true.into()));
    let percent = service["percent"].as_u64().expect("a percentage");
    assert!((1..100).contains(&percent), "{service}");
    // The minimum can be raised afterwards.
    let more = (percent + 1).to_string();
    let least = percent.to_string();
    expect(folder.path(), &["merge", "out.json", "--min-coverage", &least], 0, " - tested part conforms (")
        .await;
    let words = format!("not enough tested: drop: {percent} % tested, the minimum is {more} %");
    expect(folder.path(), &["merge", "out.json", "--min-coverage", &more], 1, &words).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_gate_of_a_profile_is_in_the_report_and_invalid_ones_are_rejected() {
    let (served, folder) = (served().await, tempfile::tempdir().expect("a folder"));
    let profile = |gate: &str| {
        let text = format!("[gate]\n{gate}\n[network]\nurl = {:?}\n", served.sites["network"]);
        std::fs::write(folder.path().join("p.toml"), unpaced(&text)).expect("written");
    };
    let run = ["run", "--profile", "p.toml", "--read-only", "--json", "out.json", "--junit", "out.xml"];
    profile("min_coverage = 90\nnetwork = 1");
    expect(folder.path(), &run, 0, " - tested part conforms (").await;
    assert_eq!(
        json(folder.path(), "out.json")["gate"],
        serde_json::json!({ "min_coverage": 90, "network": 1 })
    );
    profile("min_coverage = 90");
    expect(folder.path(), &run, 1, " % tested, the minimum is 90 %").await;
    let junit = std::fs::read_to_string(folder.path().join("out.xml")).expect("a report");
    assert!(junit.contains("the minimum is 90 %") && junit.contains("name=\"tested\""), "{junit}");
    profile("network = 101");
    expect(folder.path(), &run, 2, "p.toml:2:11: gate.network: must be a percentage").await;
    expect(folder.path(), &["run", "--min-coverage", "101"], 2, "must be a percentage").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_whole_run_conforms_and_writes_a_baseline() {
    let folder = tempfile::tempdir().expect("a folder");
    let metadata = ["run", "--service", "metadata"];
    expect(folder.path(), &[&metadata[..], &["--json", "whole.json"]].concat(), 0, " - conforms\n").await;
    let text = expect(folder.path(), &["run", "metadata."], 0, " - selected checks passed (").await;
    assert!(!text.contains("conforms"), "{text}");
    for part in ["1", "2"] {
        let (shard, name) = (format!("{part}/2"), format!("{part}.json"));
        let shard = [&metadata[..], &["--shard", &shard, "--json", &name]].concat();
        expect(folder.path(), &shard, 0, " - selected checks passed (").await;
    }
    expect(folder.path(), &["merge", "1.json"], 1, " - not enough tested: not every check ran\n").await;
    let merge = ["merge", "1.json", "2.json", "--json", "merged.json"];
    expect(folder.path(), &merge, 0, " - conforms\n").await;
    assert_eq!(json(folder.path(), "merged.json"), json(folder.path(), "whole.json"));

    let baseline = ["--write-baseline", "b.toml"];
    for partial in [
        &["run", "metadata.root"][..],
        &["run", "--service", "metadata", "--shard", "1/2"],
        &["merge", "1.json"],
    ] {
        expect(folder.path(), &[partial, &baseline].concat(), 2, "--write-baseline needs a whole run").await;
        assert!(!folder.path().join("b.toml").exists(), "{partial:?}");
    }
    expect(folder.path(), &[&metadata[..], &baseline].concat(), 0, "0 known failures in b.toml").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reading_alone_is_not_enough_where_every_check_writes() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |service| ["run", "--read-only", "--service", service];
    expect(folder.path(), &run("metadata"), 0, "conforms").await;
    let nothing =
        " - not enough tested: nothing was checked: every check writes, and the run is --read-only\n";
    for service in ["publish", "drop"] {
        expect(folder.path(), &run(service), 1, nothing).await;
    }
    let both = [&run("metadata")[..], &["--service", "drop"]].concat();
    expect(folder.path(), &both, 1, " - not enough tested: drop: nothing shows that a drop is accepted\n")
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_says_what_would_let_most_checks_run() {
    let (served, folder) = (served().await, tempfile::tempdir().expect("a folder"));
    let doctor = ["doctor", "--metadata-url", &served.sites["metadata"]];
    let text = expect(folder.path(), &doctor, 0, "what would let most checks run:").await;
    assert!(text.contains(" 51 checks of metadata: declare it in [[metadata.contracts]]"), "{text}");
    let last = text.lines().last().expect("a line");
    assert!(last.contains(" of 54 checks can run (") && !text.contains("every check"), "{text}");
}

#[cfg(debug_assertions)]
#[tokio::test(flavor = "multi_thread")]
async fn a_check_that_panics_costs_one_verdict_and_comes_first_in_the_exit_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let stale = "[[known]]\nrequirement = \"metadata.root.version\"\nreason = \"it was so\"\n";
    std::fs::write(folder.path().join("b.toml"), stale).expect("written");
    let run = ["run", "--service", "metadata", "--baseline", "b.toml", "--json", "out.json", "-v"];
    let (code, text) = assay(folder.path(), &[("ASSAY_PANIC_IN", "metadata.root.html")], &run).await;
    assert_eq!(code, Some(4), "{text}");
    for words in [
        "54 checks: 52 pass, 1 unexpected-pass, 1 error - the harness failed",
        "on purpose at suites/src/harness/run/mod.rs:",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let report = json(folder.path(), "out.json");
    assert_eq!((&report["exit_code"], &report["counts"]["pass"]), (&4.into(), &52.into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_control_api_that_returns_no_object_is_an_error_and_no_panic() {
    let (served, folder) = (served().await, tempfile::tempdir().expect("a folder"));
    for answer in [serde_json::json!([]), serde_json::json!("x")] {
        for has_info in [false, true] {
            let control = MockServer::start().await;
            let info = serde_json::json!({ "time": "T2", "faults": { "f": {} }, "actions": { "a": {} }, "forks": false });
            let info = if has_info { &info } else { &answer };
            let reply = |body: &Value| ResponseTemplate::new(200).set_body_json(body);
            Mock::given(path("/info")).respond_with(reply(info)).with_priority(1).mount(&control).await;
            Mock::given(any()).respond_with(reply(&answer)).mount(&control).await;
            let text =
                format!("control = {:?}\n[metadata]\nurl = {:?}\n", control.uri(), served.sites["metadata"]);
            std::fs::write(folder.path().join("p.toml"), text).expect("written");
            let run = ["run", "--profile", "p.toml", "--coverage"];
            let text = if has_info {
                expect(folder.path(), &run, 1, "`state` is not a JSON object").await
            } else {
                expect(folder.path(), &run, 3, &format!("/info: wanted a JSON object, got {answer}")).await
            };
            assert!(!text.contains("panicked"), "{text}");
        }
    }
}

/// Answers the first request, and all others only if `answers` is set. Counts them, and reports the first it holds.
fn stalling(listener: &TcpListener, answers: &AtomicBool, count: &AtomicUsize, held_one: Sender<()>) {
    let mut held_one = Some(held_one);
    let mut held: Vec<TcpStream> = Vec::new();
    for mut stream in listener.incoming().flatten() {
        let mut request = Vec::new();
        while !request.windows(4).any(|end| end == b"\r\n\r\n") {
            let mut bytes = [0; 1024];
            match stream.read(&mut bytes) {
                Ok(1..) => request.extend(bytes.into_iter().take_while(|byte| *byte != 0)),
                _ => break,
            }
        }
        if request.is_empty() {
            continue;
        }
        if count.fetch_add(1, Ordering::SeqCst) > 0 && !answers.load(Ordering::SeqCst) {
            held.push(stream);
            if let Some(held_one) = held_one.take() {
                held_one.send(()).expect("the test waits");
            }
            continue;
        }
        let request = String::from_utf8_lossy(&request).into_owned();
        // The response repeats a secret.
        let (kind, body) = if request.starts_with("GET /openapi.json") {
            ("application/json", r#"{"openapi":"3.1.0","info":{"title":"sesame-street","version":"0.1.0"}}"#)
        } else {
            ("text/html", "<!doctype html><title>sesame-street</title>")
        };
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close");
        let _ = write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_run_leaves_a_report_that_can_be_judged_merged_and_continued() {
    let folder = tempfile::tempdir().expect("a folder");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    let (answers, count) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let (answering, counting) = (answers.clone(), count.clone());
    let (held_one, holds) = oneshot::channel();
    std::thread::spawn(move || stalling(&listener, &answering, &counting, held_one));
    std::fs::write(folder.path().join("auth"), "sesame-street").expect("written");
    let profile = format!(
        "[headers]\nX-Auth = {{ file = \"auth\" }}\n[metadata]\nurl = {url:?}\n[metadata.readings]\ninterface_path = \"/openapi.json\"\n"
    );
    std::fs::write(folder.path().join("p.toml"), profile).expect("written");
    let run = [
        "run",
        "--no-survey",
        "--jobs",
        "1",
        "--profile",
        "p.toml",
        "--json",
        "out.json",
        "--json-full",
        "metadata.root",
    ];
    let mut child = Command::new(env!("CARGO_BIN_EXE_assay"))
        .args(run)
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let partial = folder.path().join("out.json.partial");
    let read = || std::fs::read_to_string(&partial).unwrap_or_default();
    // The outcome of a check is written before the next check starts.
    holds.await.expect("a second request");
    assert_eq!(read().matches('\n').count(), 2, "{}", read());
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    assert!(!folder.path().join("out.json").exists() && !read().contains("sesame-street"), "{}", read());

    // What the program was writing when it was killed is ignored.
    let mut file = std::fs::OpenOptions::new().append(true).open(&partial).expect("the file");
    file.write_all(b"{\"version\":4,\"assay\":\"0.").expect("written");
    expect(folder.path(), &["judge", "out.json.partial"], 0, "1 verdicts equal, 0 different, 0 not judged")
        .await;
    let merge = ["merge", "out.json.partial", "--json", "merged.json"];
    expect(folder.path(), &merge, 1, "1 check: 1 pass - not enough tested: not every check ran").await;
    assert_eq!(json(folder.path(), "merged.json")["sent"]["requests"], 1);
    let wrong = [&run[..], &["--resume", "out.json"]].concat();
    expect(folder.path(), &wrong, 2, "out.json.partial is the partial report of a killed run").await;

    answers.store(true, Ordering::SeqCst);
    let before = count.load(Ordering::SeqCst);
    let resume = [&run[..], &["--resume", "out.json.partial"]].concat();
    expect(folder.path(), &resume, 0, "2 checks: 2 pass - selected checks passed (2 of ").await;
    assert_eq!(count.load(Ordering::SeqCst), before + 1, "the finished check is not repeated");
    assert!(!partial.exists(), "the whole report replaces it");
    let report = json(folder.path(), "out.json");
    assert_eq!((&report["is_partial"], &report["sent"]["requests"]), (&false.into(), &2.into()));
    expect(folder.path(), &["judge", "out.json"], 0, "2 verdicts equal").await;
}

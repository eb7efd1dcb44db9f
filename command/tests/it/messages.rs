//! What the program says about wrong input: the place, the cause, and what to do.

use std::path::Path;
use std::process::{Command, Stdio};

use assay_suites::embedded::sim::{Options, Served, start};
use serde_json::json;

/// The exit code of the program, and what it printed.
async fn said(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    command.current_dir(folder).args(arguments).env_remove("ASSAY_GATEWAY_KEY").stdin(Stdio::null());
    let output = tokio::task::spawn_blocking(move || command.output().expect("it starts"));
    let output = output.await.expect("no panic");
    let text = [output.stderr, output.stdout].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

fn port(url: &str) -> &str {
    url.split(':').nth(2).and_then(|rest| rest.split('/').next()).expect("a URL with a port")
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_input_is_answered_with_place_cause_and_remedy() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    write("reason.toml", "\n[[known]]\nrequirement = \"publish.prepare.cid\"\n");
    write("id.toml", "[[known]]\nrequirement = \"publish.prepare.replayy\"\nreason = \"x\"\n");
    write(
        "old.toml",
        "[[known]]\nrequirement = \"publish.prepare.replay\"\nreason = \"x\"\nexpires = 2020-01-31\n",
    );
    write("bad.json", "{bad");
    write(
        "big.toml",
        "[network]\nurl = \"http://127.0.0.1:1\"\n[network.limits]\nrequests_per_minute = 99999999999\n",
    );
    write("a-program", "");
    let Served { control, sites, .. } = &start(&Options::new(7)).await.expect("a simulator");
    let beside = format!("http://127.0.0.1:{}", port(control));
    let taken = format!("127.0.0.1:{}", port(control));
    let chat = ["chat", "--url", &sites["gateway"], "--model", "nope", "Hello"];
    let no_api = ["run", "--drop-url", &sites["drop"], "--control-url", &beside, "drop.response"];
    let stranger = ["run", "--publish-url", &sites["drop"]];
    #[rustfmt::skip]
    let cases: &[(&[&str], i32, &str)] = &[
        (&["run", "gatway"], 2, "did you mean gateway?"),
        (&["run", "nosuchcheck"], 2, "assay run --list shows every check"),
        (&["prove", "nosuchcheck"], 2, "assay run --list shows every check"),
        (&["run", "--drop-url", "user:secret@http://a.example"], 2, "the scheme is missing: write http://\u{2026}"),
        (&["run", "--drop-url", "http:/127.0.0.1:80"], 2, "write http://127.0.0.1:80"),
        (&["client", "publish", "--", "./a-program"], 2, "it is not executable"),
        (&["run", "--metadata-url", "127.0.0.1:8080"], 2, "--metadata-url: the scheme is missing: write http://127.0.0.1:8080"),
        (&["run", "--metadata-url", "localhost:8080"], 2, "write http://localhost:8080"),
        (&["run", "--metadata-url", "user:secret@a.example"], 2, "write http://\u{2026}"),
        (&["run", "--metadata-url", "ftp://a.example"], 2, "ftp is not supported; write http:// or https://"),
        (&["run", "--metadata-url", "http://a.example/?k=v"], 2, "a base URL has no query; remove \"?\u{2026}\""),
        (&["init", "--metadata-url", "a.example"], 2, "--metadata-url: the scheme is missing"),
        (&["run", "--drop-url", crate::DEAD_URL], 3, "is the server started?"),
        (&["run", "--profile", "missing.toml"], 2, "missing.toml does not exist; assay init writes a first one"),
        (&["run", "--profile", "big.toml"], 2, "big.toml:4:23: network.limits.requests_per_minute"),
        (&["run", "--profile", "big.toml"], 2, "expected a whole number, at most 4294967295"),
        (&["run", "--seed", "abc"], 2, "write a whole number from 0"),
        (&["run", "--fail-on", "warn"], 2, "unknown level; use must, should or inconclusive"),
        (&["run", "--jobs", "99"], 2, "write a whole number from 1 to 64"),
        (&["run", "--baseline", "reason.toml"], 2, "reason.toml:2: the entry publish.prepare.cid needs a reason"),
        (&["run", "--baseline", "id.toml"], 2, "id.toml:1: no check has the id publish.prepare.replayy; did you mean publish.prepare.replay?"),
        (&["run", "--baseline", "old.toml"], 2, "expired on 2020-01-31; remove the entry or give it another date"),
        (&["judge", "bad.json"], 2, "bad.json: not a report of assay run --json: "),
        (&["diff", "bad.json", "bad.json"], 2, "at line 1 column 2"),
        (&["doctor"], 2, "assay init writes ./assay.toml"),
        (&["help", "inconclusiv"], 2, "did you mean inconclusive?"),
        (&["vectors", "explain", "publish/nosuch"], 2, "assay vectors list publish shows the cases there"),
        (&["vectors", "explain", "nosuch"], 2, "assay vectors list shows every case"),
        (&["vectors", "run", "--", "cat"], 1, "the program returned the request itself"),
        (&["vectors", "run", "--", "./none"], 2, "cannot start \"./none\": no such file"),
        (&["client", "publish", "--", "no-such-program"], 2, "no folder of PATH has it"),
        (&["client", "publish", "--", "a-program"], 2, "for the file in this folder write ./a-program"),
        (&["sim", "--deviate", "publish.prepare.one-in-fligt"], 2, "did you mean publish.prepare.one-in-flight?"),
        (&["sim", "--variation", "drop.status-202"], 2, "did you mean drop.status-201?"),
        (&["sim", "--limit", "publish.requests-per-windw=1"], 2, "did you mean requests_per_window?"),
        (&["sim", "--listen", &taken], 2, "--listen 127.0.0.1:PORT chooses other ports"),
        (&chat, 1, "ASSAY_GATEWAY_KEY is not set"),
        (&no_api, 3, "the simulator's control API is at /_sim/v1"),
        (&stranger, 3, "is not a publish service, it looks like the drop service"),
    ];
    for (arguments, code, words) in cases {
        let (ended, text) = said(folder.path(), arguments).await;
        assert_eq!(ended, Some(*code), "{arguments:?}: {text}");
        assert!(text.contains(words), "{arguments:?}: {text}");
        assert!(!text.contains("panicked") && !text.contains("secret@"), "{arguments:?}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_ends_with_the_next_command_and_doctor_reads_the_new_profile() {
    let folder = tempfile::tempdir().expect("a folder");
    let served = start(&Options::new(7)).await.expect("a simulator");
    let url = &served.sites["drop"];
    let (code, text) = said(folder.path(), &["run", "--drop-url", url, "drop.response.url"]).await;
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains(&format!("assay: next: assay init --drop-url {url} writes a profile")), "{text}");
    let (code, text) = said(folder.path(), &["init", "--drop-url", url]).await;
    assert_eq!(code, Some(0), "{text}");
    let (code, text) = said(folder.path(), &["doctor"]).await;
    assert_eq!(code, Some(0), "{text}");
    assert!(text.starts_with(&format!("drop {url}: ")), "{text}");
    let (_, text) = said(folder.path(), &["run", "--drop-url", url, "drop.response.url"]).await;
    assert!(text.contains("assay: next: assay run --profile assay.toml"), "{text}");
    let given = ["run", "--profile", "assay.toml", "drop.response.url"];
    assert!(!said(folder.path(), &given).await.1.contains("assay: next"));
}

#[tokio::test(flavor = "multi_thread")]
async fn replay_without_a_check_lists_those_of_the_report_failed_ones_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let deviations = vec!["drop.response.expires-at/seconds".to_owned()];
    let served = start(&Options { deviations, ..Options::new(7) }).await.expect("a simulator");
    let run =
        ["run", "--drop-url", &served.sites["drop"], "drop.response", "--json", "out.json", "--json-full"];
    assert_eq!(said(folder.path(), &run).await.0, Some(1));
    let (code, text) = said(folder.path(), &["replay", "out.json"]).await;
    assert_eq!(code, Some(2), "{text}");
    let listed: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(listed[0], "  drop.response.expires-at  fail", "{text}");
    assert!(listed.len() > 3 && listed[1].ends_with("  pass"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_with_an_unknown_condition_is_rejected() {
    let served = start(&Options::new(7)).await.expect("a simulator");
    let set = |faults: serde_json::Value| {
        let faults = serde_json::from_value(faults).expect("faults");
        served.handle.change(|world| (world.set_faults(faults), Vec::new()))
    };
    let wrong = json!([{ "fault": "gateway.server-down", "where": { "nonsense": "1" } }]);
    let known =
        "faults[0].where.nonsense: unknown key of fault gateway.server-down; known: server, model, endpoint";
    assert_eq!(set(wrong), Err(known.to_owned()));
    let none = json!([{ "fault": "drop.busy", "where": { "nonsense": "1" } }]);
    assert!(set(none).is_err_and(|why| why.ends_with("fault drop.busy; it takes none")));
    let misspelt = json!([{ "fault": "drop.bussy" }]);
    assert!(set(misspelt).is_err_and(|why| why.ends_with("did you mean drop.busy?")));
    assert_eq!(set(json!([{ "fault": "gateway.server-down", "where": { "server": "server-a" } }])), Ok(()));
}

/// Each write to this device fails.
#[cfg(target_os = "linux")]
#[test]
fn standard_error_that_cannot_be_written_causes_no_panic() {
    let full = std::fs::File::options().write(true).open("/dev/full").expect("the device");
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    let ended = command.args(["run", "drop.response"]).stderr(full).output().expect("it starts");
    assert_eq!(ended.status.code(), Some(0), "{}", String::from_utf8_lossy(&ended.stdout));
}

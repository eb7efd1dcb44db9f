//! `assay run --events`: the lines of real runs fit their schema, and tell what the report tells.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, pipe};
use std::path::Path;
use std::process::{Command, Stdio};

use assay_suites::report::events;
use serde_json::Value;
use tempfile::{TempDir, tempdir};

use crate::reports_hold::misfits;
use crate::{DEAD_URL, unpaced};

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    command.arg("run").args(arguments).current_dir(folder);
    command
}

/// The exit code, what was printed, and standard error.
fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = command(folder, arguments).output().expect("it starts");
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("UTF-8"));
    (output.status.code(), out, err)
}

/// The lines, each of which fits the schema.
fn lines(text: &str) -> Vec<Value> {
    let schema = events::schema();
    let line = |text: &str| {
        let line: Value = serde_json::from_str(text).expect(text);
        assert_eq!(misfits(&schema, &line), None, "{text}");
        assert!(text.len() < 16 * 1024, "{} bytes", text.len());
        line
    };
    assert!(text.ends_with('\n'), "{text}");
    text.lines().map(line).collect()
}

fn of_kind<'lines>(lines: &'lines [Value], kind: &str) -> Vec<&'lines Value> {
    lines.iter().filter(|line| line["event"] == kind).collect()
}

fn read(folder: &TempDir, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name)).expect(name)
}

/// A baseline that lists a check that passes: the run has something to tell.
fn with_baseline() -> TempDir {
    let folder = tempdir().expect("a folder");
    let known = "[[known]]\nrequirement = \"metadata.root.version\"\nreason = \"it was so\"\n";
    std::fs::write(folder.path().join("b.toml"), known).expect("written");
    folder
}

#[test]
fn the_lines_of_a_run_tell_what_its_report_tells() {
    let folder = with_baseline();
    let (code, out, err) = run(
        folder.path(),
        &["--service", "metadata", "--baseline", "b.toml", "--events", "-", "--json", "r.json"],
    );
    assert_eq!(code, Some(1), "{err}");
    let lines = lines(&out);
    let (started, finished) = (&lines[0], &lines[lines.len() - 1]);
    assert_eq!((&started["event"], &started["schema"]), (&"started".into(), &1.into()));
    let report: Value = serde_json::from_str(&read(&folder, "r.json")).expect("JSON");
    for (event, report) in [
        (&started["seed"], &report["seed"]),
        (&started["target"], &report["target"]),
        (&finished["exit_code"], &report["exit_code"]),
        (&finished["result"]["name"], &report["result"]),
        (&finished["result"]["counts"], &report["counts"]),
        (&finished["result"]["services"], &report["services"]),
        (&finished["error"], &Value::Null),
    ] {
        assert_eq!(event, report);
    }
    let all = report["outcomes"].as_array().expect("a list").len();
    assert_eq!(started["checks"], all);
    let findings = of_kind(&lines, "finding");
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(
        (&findings[0]["verdict"], &findings[0]["stage"]),
        (&"unexpected-pass".into(), &"ended".into())
    );
    // Each group starts before it finishes, and the counts are those of all checks.
    let mut open: BTreeMap<&str, u64> = BTreeMap::new();
    let mut ended = 0;
    for group in of_kind(&lines, "group") {
        let (name, checks) =
            (group["group"].as_str().expect("a name"), group["checks"].as_u64().expect("a number"));
        let counts: u64 =
            group["counts"].as_object().expect("counts").values().filter_map(Value::as_u64).sum();
        if group["phase"] == "started" {
            assert_eq!((open.insert(name, checks), counts), (None, 1), "{name}");
        } else {
            assert_eq!((open.remove(name), counts), (Some(checks), checks), "{name}");
            ended += checks;
        }
    }
    assert!(open.is_empty() && ended == all as u64, "{open:?}");
}

#[test]
fn the_schema_rejects_what_is_not_a_line() {
    let folder = tempdir().expect("a folder");
    let (_, out, _) = run(folder.path(), &["metadata.root", "--events", "-"]);
    let (lines, schema) = (lines(&out), events::schema());
    for (line, member, wrong) in [
        (&lines[0], "schema", Value::from(2)),
        (&lines[0], "seed", Value::from(1)),
        (&lines[0], "services", serde_json::json!({ "nothing": 1 })),
        (&lines[1], "phase", Value::from("ended")),
        (&lines[1], "event", Value::from("other")),
        (&lines[lines.len() - 1], "exit_code", Value::from(-1)),
    ] {
        let mut altered = line.clone();
        altered[member] = wrong;
        assert!(misfits(&schema, &altered).is_some(), "{member}");
    }
}

#[test]
fn rounds_differ_and_the_end_is_written_once() {
    let folder = tempdir().expect("a folder");
    let (code, _, err) = run(folder.path(), &["metadata.root", "--repeat", "3", "--events", "e.jsonl", "-q"]);
    assert_eq!(code, Some(0), "{err}");
    let lines = lines(&read(&folder, "e.jsonl"));
    assert_eq!(lines[0]["rounds"], 3);
    let rounds: Vec<u64> =
        of_kind(&lines, "group").iter().filter_map(|group| group["round"].as_u64()).collect();
    assert_eq!(rounds, [1, 1, 2, 2, 3, 3]);
    assert_eq!(of_kind(&lines, "finished").len(), 1);
}

#[test]
fn a_shard_and_a_resumed_run_say_so() {
    let folder = with_baseline();
    let part = ["metadata.root", "--shard", "1/2", "--events", "e.jsonl", "--json", "r.json"];
    let (code, _, err) = run(folder.path(), &part);
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(lines(&read(&folder, "e.jsonl"))[0]["shard"], "1/2");
    let whole = ["--service", "metadata", "--baseline", "b.toml", "--json", "r.json", "--json-full"];
    assert_eq!(run(folder.path(), &whole).0, Some(1));
    let resumed = [&whole[..], &["--resume", "r.json", "--events", "e.jsonl"]].concat();
    assert_eq!(run(folder.path(), &resumed).0, Some(1));
    let lines = lines(&read(&folder, "e.jsonl"));
    assert_eq!(lines[0]["checks"], 0);
    assert!(lines[0]["resumed"].as_u64() > Some(10), "{}", lines[0]);
    let findings = of_kind(&lines, "finding");
    assert_eq!((findings.len(), &findings[0]["stage"]), (1, &"judged".into()), "{findings:?}");
}

#[test]
fn a_stopped_run_says_so() {
    let folder = tempdir().expect("a folder");
    let mut child = command(folder.path(), &["--events", "-", "--json", "r.json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut reader = BufReader::new(child.stdout.take().expect("its pipe"));
    let mut text = String::new();
    for _ in 0..2 {
        reader.read_line(&mut text).expect("a line");
    }
    let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(sent.expect("kill starts").success());
    reader.read_to_string(&mut text).expect("the other lines");
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
    let lines = lines(&text);
    let finished = &lines[lines.len() - 1];
    assert_eq!((&finished["event"], &finished["exit_code"]), (&"finished".into(), &1.into()));
    assert_eq!(finished["result"]["is_partial"], true, "{finished}");
}

#[test]
fn a_reader_that_leaves_changes_nothing() {
    let folder = tempdir().expect("a folder");
    let (reader, writer) = pipe().expect("a pipe");
    drop(reader);
    let output = command(folder.path(), &["metadata.root", "--events", "-", "--json", "r.json"])
        .stdout(writer)
        .output()
        .expect("it starts");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{err}");
    assert!(!err.contains("panicked") && !err.contains("ipe"), "{err}");
    assert!(read(&folder, "r.json").contains("\"selected checks passed\""));
    // A reader that leaves after the first line.
    let mut child = command(folder.path(), &["metadata", "--events", "-", "-q"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut first = String::new();
    let mut reader = BufReader::new(child.stdout.take().expect("its pipe"));
    reader.read_line(&mut first).expect("a line");
    drop(reader);
    assert_eq!(lines(&first)[0]["event"], "started");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    let folder = tempdir().expect("a folder");
    let (code, _, err) = run(folder.path(), &["metadata.root", "--events", "nowhere/e.jsonl"]);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("nowhere/e.jsonl: cannot be written"), "{err}");
    if cfg!(target_os = "linux") {
        let (code, out, err) = run(folder.path(), &["metadata.root", "--events", "/dev/full"]);
        assert_eq!(code, Some(4), "{err}");
        assert!(err.contains("/dev/full: ") && out.contains("selected checks passed"), "{out}{err}");
    }
}

#[test]
fn what_else_goes_to_standard_output_or_into_the_file_is_rejected() {
    let folder = with_baseline();
    for (arguments, named) in [
        (&["--events", "-", "--annotations"][..], "--events and --annotations both write to standard output"),
        (&["--events", "/dev/stdout", "--coverage"], "--events and --coverage"),
        (&["--events", "-", "-v"], "--events and -v"),
        (&["--events", "-", "--endpoints"], "--events and --endpoints"),
        (&["--events", "-", "--json", "/dev/stdout"], "--events and --json"),
        (&["--events", "b.toml", "--baseline", "b.toml"], "--events and --baseline name the same file"),
        (&["--events", "new", "--html", "new"], "--html and --events name the same file"),
        (&["--events", "-", "--list"], "--list"),
    ] {
        let (code, out, err) = run(folder.path(), &[&["metadata.root"], arguments].concat());
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments:?}: {err}");
        assert!(err.contains(named), "{arguments:?}: {err}");
    }
    assert!(read(&folder, "b.toml").contains("it was so"));
}

#[test]
fn a_run_that_does_not_start_ends_with_its_reason() {
    let folder = tempdir().expect("a folder");
    let (code, out, err) = run(folder.path(), &["--publish-url", DEAD_URL, "--events", "-"]);
    assert_eq!(code, Some(3), "{err}");
    let lines = lines(&out);
    assert_eq!((lines.len(), &lines[0]["event"]), (1, &"finished".into()));
    assert_eq!((&lines[0]["exit_code"], &lines[0]["result"]), (&3.into(), &Value::Null));
    assert!(lines[0]["error"].as_str().is_some_and(|why| why.contains(DEAD_URL)), "{out}");
}

/// A server that repeats the key of each request, and says much.
fn repeating() -> String {
    use std::io::Write;

    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut head = vec![0; 64 * 1024];
            let count = stream.read(&mut head).unwrap_or_default();
            let head = String::from_utf8_lossy(&head[..count]).replace(['\r', '\n', '"'], " ");
            let body = format!("{{\"error\": \"{head} \\u001b[2J{}\"}}", "much ".repeat(200_000));
            let length = body.len();
            let status = "HTTP/1.1 418 No\r\ncontent-type: application/json\r\nconnection: close";
            let _ = write!(stream, "{status}\r\ncontent-length: {length}\r\n\r\n{body}");
        }
    });
    url
}

#[test]
fn lines_are_short_and_show_no_secret() {
    const KEY: &str = "sk-gw_Live/8c1+Q~aa41";
    let (folder, url) = (tempdir().expect("a folder"), repeating());
    std::fs::write(folder.path().join("key"), KEY).expect("written");
    let profile = format!("[gateway]\nurl = \"{url}\"\nkey = {{ file = \"key\" }}\n");
    std::fs::write(folder.path().join("p.toml"), unpaced(&profile)).expect("written");
    let arguments = ["--profile", "p.toml", "--no-survey", "gateway.auth", "gateway.models", "--events", "-"];
    let (code, out, err) = run(folder.path(), &arguments);
    assert_eq!(code, Some(1), "{err}");
    assert!(!out.contains(KEY) && !out.contains("aa41"), "{out}");
    let lines = lines(&out);
    assert_eq!(lines[0]["sites"]["gateway"], url);
    let failed: Vec<_> =
        of_kind(&lines, "finding").into_iter().filter(|one| one["verdict"] == "fail").collect();
    assert!(failed.iter().any(|one| one["where"]["request"].is_string()), "{out}");
}

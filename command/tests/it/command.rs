//! The `assay` command: exit codes, messages that name the place, no secret in any output.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output};

use crate::DEAD_URL;

fn assay(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_assay"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("it starts");
    let text = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (status.code(), text)
}

#[test]
fn bad_arguments_and_profiles_end_with_2_and_name_the_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    write("key.toml", "contrl = \"x\"\n");
    write("secret.toml", "[publish]\nurl = \"http://127.0.0.1:1\"\nkey = { file = \"nobody.key\" }\n");
    write("short.key", "abcdef\n");
    write("short.toml", "[publish]\nurl = \"http://127.0.0.1:1\"\nkey = { file = \"short.key\" }\n");
    write("empty.toml", "");
    write(
        "auth.toml",
        "ca_file = \"no.pem\"\n[headers]\nX-Auth = { env = \"ASSAY_TEST_NO_AUTH\" }\n[drop]\nurl = \"http://127.0.0.1:1\"\n",
    );
    write("rot.toml", "[[known]]\nrequirement = \"publish.no.such\"\nreason = \"\"\n");
    let cases: [(&[&str], &str); 11] = [
        (&["run", "--frob"], "--frob"),
        (&["run", "no-such-check"], "no check matches"),
        (&["run", "--service", "nobody"], "known services"),
        (&["run", "--profile", "missing.toml"], "missing.toml"),
        (&["run", "--profile", "key.toml"], "key.toml:1:1: contrl"),
        (&["run", "--profile", "secret.toml"], "nobody.key"),
        (&["run", "--profile", "short.toml"], "64 hex digits"),
        (&["run", "--profile", "empty.toml"], "no service"),
        (&["run", "--profile", "auth.toml"], "auth.toml:3:18: headers.X-Auth.env"),
        (&["run", "--profile", "auth.toml"], "auth.toml:1:11: ca_file"),
        (&["run", "--baseline", "rot.toml"], "needs a reason"),
    ];
    for (arguments, named) in cases {
        let (code, text) = assay(folder.path(), arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {text}");
        assert!(text.contains(named), "{arguments:?}: {text}");
        assert!(!text.contains("abcdef") && !text.contains("panicked"), "{arguments:?}: {text}");
    }
}

/// Rejects a request with a message that repeats its token and contains terminal control characters.
fn repeat_the_token(stream: &mut TcpStream) -> std::io::Result<()> {
    let mut said = "no token".to_owned();
    for line in BufReader::new(stream.try_clone()?).lines() {
        match line? {
            line if line.is_empty() => break,
            line if line.starts_with("Authorization:") => said = format!("bad token\\u001b[2J\\u0000 {line}"),
            _ => {}
        }
    }
    let body = format!("{{\"error\":\"{said}\"}}");
    let head = "HTTP/1.1 401 Unauthorized\r\nconnection: close\r\ncontent-type: application/json";
    write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

#[test]
fn a_token_that_the_control_api_repeats_is_redacted() {
    let folder = tempfile::tempdir().expect("a folder");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || repeat_the_token(&mut stream));
        }
    });
    let text =
        format!("control = {url:?}\ncontrol_token = {{ file = \"token\" }}\n[metadata]\nurl = {url:?}\n");
    std::fs::write(folder.path().join("p.toml"), text).expect("written");
    std::fs::write(folder.path().join("token"), "supersecrettoken99").expect("written");
    for command in [&["run"][..], &["run", "--plan"], &["doctor"]] {
        let (_, text) = assay(folder.path(), &[command, &["--profile", "p.toml"]].concat());
        assert!(text.contains("[redacted control_token]"), "{command:?}: {text}");
        assert!(!text.contains("supersecrettoken99"), "{command:?}: {text}");
        assert!(!text.contains(['\u{1b}', '\0']), "{command:?}: {text:?}");
    }
}

#[test]
fn an_unreachable_target_ends_with_3_and_names_the_url() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, text) = assay(folder.path(), &["run", "--publish-url", DEAD_URL]);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains(DEAD_URL), "{text}");
}

#[test]
#[cfg(feature = "embedded")]
fn the_embedded_run_conforms_and_writes_the_same_reports_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a report");
    let run = |n: &str| {
        let (json, junit) = (format!("{n}.json"), format!("{n}.xml"));
        assay(folder.path(), &["run", "--json", &json, "--junit", &junit, "--jobs", n])
    };
    let runs = std::thread::scope(|scope| {
        let other = scope.spawn(|| run("2"));
        [run("1"), other.join().expect("no panic")]
    });
    for (code, text) in runs {
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains(" - conforms\n"), "{text}");
        assert!(text.lines().count() <= 30, "a conforming run is short: {text}");
    }
    assert_eq!(read("1.json"), read("2.json"));
    assert_eq!(read("1.xml"), read("2.xml"));
}

#[test]
#[cfg(feature = "embedded")]
fn a_baseline_that_matches_nothing_or_passes_fails_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    for (requirement, wanted, words) in
        [("publish.no.such", 2, "no check has the id"), ("publish.prepare.replay", 1, "unexpected-pass")]
    {
        let text = format!("[[known]]\nrequirement = \"{requirement}\"\nreason = \"it was so once\"\n");
        std::fs::write(folder.path().join("b.toml"), text).expect("written");
        // The other entries do not matter for these two.
        let (code, text) = assay(folder.path(), &["run", "publish.prepare", "--baseline", "b.toml"]);
        assert_eq!(code, Some(wanted), "{text}");
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn lists_and_ledgers_send_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, text) = assay(folder.path(), &["requirements", "--json"]);
    let rows: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(code, Some(0));
    assert!(rows.as_array().is_some_and(|rows| rows.len() > 100));
    let (code, text) = assay(folder.path(), &["requirements", "--against", "nowhere"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("nowhere"), "{text}");
}

#[test]
#[cfg(feature = "embedded")]
fn parts_of_one_selection_make_a_whole_only_together() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| assay(folder.path(), &[&["run", "metadata.root"], arguments].concat());
    for part in ["1", "2"] {
        let (shard, json) = (format!("{part}/2"), format!("{part}.json"));
        let (code, text) = run(&["--shard", &shard, "--json", &json]);
        assert_eq!(code, Some(0), "{text}");
    }
    let (code, text) = assay(folder.path(), &["merge", "1.json", "--junit", "1.xml", "--annotations"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("2 shards in total, missing: 2"), "{text}");
    assert!(text.contains("::error title=objection::not every check ran"), "{text}");
    let junit = std::fs::read_to_string(folder.path().join("1.xml")).expect("a report");
    assert!(junit.contains("failures=\"1\"") && junit.contains("not every check ran"), "{junit}");
    let (code, text) =
        assay(folder.path(), &["merge", "1.json", "2.json", "--json", "whole.json", "--json-full"]);
    assert_eq!(code, Some(0), "{text}");
    let (code, text) = run(&["--json", "at-once.json", "--json-full"]);
    assert_eq!(code, Some(0), "{text}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a report");
    assert_eq!(read("whole.json"), read("at-once.json"));
    for (arguments, why) in [
        (&["run", "metadata.", "--resume", "whole.json"][..], "selection of checks"),
        (&["run", "metadata.root", "--seed", "9", "--resume", "whole.json"], "its seed is 1, not 9"),
        (&["merge", "1.json", "1.json"], "is also in an earlier report"),
        (&["run", "metadata.root", "--write-baseline", "nowhere/b.toml"], "cannot be written"),
    ] {
        let (code, text) = assay(folder.path(), arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {text}");
        assert!(text.contains(why), "{arguments:?}: {text}");
    }
}

#[test]
#[cfg(feature = "embedded")]
fn a_shard_without_checks_is_a_part_of_the_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| assay(folder.path(), &[&["run", "metadata.root"], arguments].concat());
    let mut empty = Vec::new();
    for part in 1..=6 {
        let (shard, json) = (format!("{part}/6"), format!("{part}.json"));
        let (code, text) = run(&["--shard", &shard, "--json", &json]);
        assert_eq!(code, Some(0), "{text}");
        if text.contains("no check belongs to this shard") {
            empty.push(json);
        }
    }
    assert!(empty.len() >= 4, "two checks: {empty:?}");
    let merge = |but: &str| {
        let parts: Vec<String> =
            (1..=6).map(|part| format!("{part}.json")).filter(|part| part != but).collect();
        let mut arguments = vec!["merge", "--json", "whole.json"];
        arguments.extend(parts.iter().map(String::as_str));
        assay(folder.path(), &arguments)
    };
    let (code, text) = merge(&empty[0]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("6 shards in total, missing"), "{text}");
    let (code, text) = merge("");
    assert_eq!(code, Some(0), "{text}");
    let (code, text) = run(&["--json", "at-once.json"]);
    assert_eq!(code, Some(0), "{text}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a report");
    assert_eq!(read("whole.json"), read("at-once.json"));
}

#[test]
#[cfg(feature = "embedded")]
fn every_report_is_tried_and_existing_files_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| assay(folder.path(), &[&["run", "metadata.root"], arguments].concat());
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a report");
    let (code, text) = run(&["--html", "nowhere/out.html"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("nowhere/out.html: cannot be written"), "{text}");
    if cfg!(target_os = "linux") {
        let (code, text) = run(&["--json", "/dev/full", "--junit", "after.xml"]);
        assert_eq!(code, Some(4), "{text}");
        assert!(text.contains("selected checks passed") && text.contains("/dev/full: "), "{text}");
        assert!(read("after.xml").contains("<testsuites"));
    }
    let (code, text) = run(&["--json", "out.json", "--json-full"]);
    assert_eq!(code, Some(0), "{text}");
    let hidden = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.expect("an entry").file_name().to_string_lossy().starts_with('.')
    };
    assert!(!std::fs::read_dir(folder.path()).expect("a folder").any(hidden), "no part is left");
    // The temporary file of the new report cannot be written.
    std::fs::create_dir(folder.path().join(".out.json.part")).expect("made");
    let before = read("out.json");
    let (code, text) = run(&["--json", "out.json", "--resume", "out.json"]);
    assert_eq!(code, Some(4), "{text}");
    assert!(text.contains("out.json: ") && read("out.json") == before, "{text}");
}

#[test]
#[cfg(feature = "embedded")]
fn a_report_without_the_exchanges_of_passes_says_what_it_lacks() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |more: &[&str]| assay(folder.path(), &[&["run", "metadata.root", "--json"], more].concat());
    for file in [&["brief.json"][..], &["full.json", "--json-full"]] {
        let (code, text) = run(file);
        assert_eq!(code, Some(0), "{text}");
    }
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a report");
    assert!(read("brief.json").len() < read("full.json").len());
    for (arguments, code, words) in [
        (
            &["judge", "brief.json"][..],
            2,
            "brief.json: the report leaves out the exchanges of passed checks: run again",
        ),
        (
            &["replay", "brief.json", "metadata.root.html"],
            2,
            "metadata.root.html passed, and the report leaves out",
        ),
        (
            &["run", "metadata.root", "--resume", "brief.json"],
            2,
            "brief.json: the run of this report has finished",
        ),
        (&["merge", "full.json", "brief.json"], 2, "report 2 leaves out"),
        (&["merge", "brief.json", "--json", "again.json"], 0, "selected checks passed"),
        (&["diff", "full.json", "brief.json"], 0, "nothing got worse"),
        (&["judge", "full.json"], 0, "0 different, 0 not judged"),
    ] {
        let (ended, text) = assay(folder.path(), arguments);
        assert_eq!(ended, Some(code), "{arguments:?}: {text}");
        assert!(text.contains(words), "{arguments:?}: {text}");
    }
    assert_eq!(read("again.json"), read("brief.json"));
}

#[test]
fn one_file_under_two_flags_is_rejected_before_anything_is_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = folder.path().join("kept");
    std::fs::write(&kept, "as it was").expect("written");
    let cases: [(&[&str], &str); 8] = [
        (&["--json", "kept", "--junit", "./kept"], "--json and --junit name the same file"),
        (&["--html", "new", "--sarif", "new"], "--html and --sarif"),
        (&["--junit", "new", "--ctrf", "new"], "--junit and --ctrf"),
        (&["--json", "kept", "--write-baseline", "kept"], "--json and --write-baseline"),
        (&["--baseline", "kept", "--html", "kept"], "--html and --baseline"),
        (&["--only-new", "kept", "--markdown", "kept"], "--markdown and --only-new"),
        (&["--profile", "kept", "--json", "kept"], "--json and --profile"),
        (&["--resume", "kept", "--badge", "kept"], "--badge and --resume"),
    ];
    for (arguments, named) in cases {
        let (code, text) = assay(folder.path(), &[&["run", "metadata.root"], arguments].concat());
        assert_eq!(code, Some(2), "{arguments:?}: {text}");
        assert!(text.contains(named) && text.contains(arguments[1]), "{arguments:?}: {text}");
        assert_eq!(std::fs::read_to_string(&kept).expect("a file"), "as it was", "{arguments:?}");
        assert!(!folder.path().join("new").exists());
    }
}

#[test]
#[cfg(feature = "embedded")]
fn a_repeated_run_says_how_often() {
    let folder = tempfile::tempdir().expect("a folder");
    let cases: [(&[&str], &str); 2] =
        [(&[], "the checks ran 2 times"), (&["--until-fail"], "ran 2 times; nothing failed")];
    for (more, wanted_text) in cases {
        let (code, text) = assay(folder.path(), &[&["run", "metadata.root", "--repeat", "2"], more].concat());
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains("selected checks passed") && text.contains(wanted_text), "{text}");
    }
}

#[test]
#[cfg(feature = "embedded")]
fn earlier_reports_and_baselines_apply_to_a_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let check = |arguments: &[&str], wanted: i32, wanted_text: &str| {
        let (code, text) = assay(folder.path(), arguments);
        assert_eq!(code, Some(wanted), "{arguments:?}: {text}");
        assert!(text.contains(wanted_text), "{arguments:?}: {text}");
    };
    let run = |arguments: &[&str], wanted_text: &str| {
        check(&[&["run", "--service", "metadata"], arguments].concat(), 0, wanted_text);
    };
    run(&["--json", "good.json"], "conforms");
    run(&["--json", "good.json", "--only-new", "good.json"], "conforms");
    let text = std::fs::read_to_string(folder.path().join("good.json")).expect("a report");
    let mut report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    report["outcomes"][0]["verdict"] = "fail".into();
    std::fs::write(folder.path().join("bad.json"), report.to_string()).expect("written");
    run(&["--only-new", "bad.json"], "conforms");
    check(&["diff", "good.json", "good.json"], 0, "nothing got worse");
    check(&["diff", "bad.json", "good.json"], 0, "nothing got worse");
    check(&["diff", "good.json", "bad.json"], 1, "something got worse");

    run(&["--write-baseline", "b.toml"], "0 known failures in b.toml");
    run(&["--baseline", "b.toml"], "conforms");
    run(&["--baseline", "b.toml", "--write-baseline", "b.toml"], "0 known failures in b.toml");
    if cfg!(unix) {
        run(&["--json", "/dev/null", "--junit", "/dev/null"], "conforms");
    }
}

#[test]
#[cfg(unix)]
fn a_stopped_repetition_passes_if_nothing_failed() {
    use std::io::{Read, Write};

    const SIXTH: usize = 6;
    let folder = tempfile::tempdir().expect("a folder");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_assay"))
        .args(["run", "--no-survey", "metadata.root.html", "--until-fail", "--metadata-url", &url])
        .current_dir(folder.path())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    let id = child.id().to_string();
    let errors = BufReader::new(child.stderr.take().expect("its pipe"));
    let (says, heard_of_it) = std::sync::mpsc::channel();
    let reading = std::thread::spawn(move || {
        let mut text = String::new();
        for line in errors.lines().map_while(Result::ok) {
            if line.contains("waiting for the running checks") {
                let _ = says.send(());
            }
            text += &line;
        }
        text
    });
    // A conforming server; the run is stopped while the sixth request waits for its response.
    std::thread::spawn(move || {
        let mut heard = 0;
        while let Ok((mut stream, _)) = listener.accept() {
            let mut request = Vec::new();
            let mut bytes = [0; 1024];
            while !request.windows(4).any(|four| four == b"\r\n\r\n") {
                match stream.read(&mut bytes) {
                    Ok(count) if count > 0 => request.extend_from_slice(&bytes[..count]),
                    _ => break,
                }
            }
            heard += usize::from(!request.is_empty());
            if heard == SIXTH {
                let killed = Command::new("kill").args(["-INT", &id]).status();
                assert!(killed.is_ok_and(|status| status.success()), "the signal was sent");
                heard_of_it.recv().expect("the run says that it stops");
            }
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 15\r\n\r\n";
            let _ = stream.write_all(format!("{head}<!doctype html>").as_bytes());
        }
    });
    let Output { status, stdout, .. } = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&stdout).into_owned() + &reading.join().expect("its text");
    assert_eq!(status.code(), Some(0), "{text}");
    assert!(
        text.contains("rounds; nothing failed") && text.contains("waiting for the running checks"),
        "{text}"
    );
    assert!(!text.contains("--resume") && !folder.path().join("assay-interrupted.json").exists());
}

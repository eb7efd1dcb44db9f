//! The command as a person meets it: exit codes, messages that name the place, no secret in any output.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output};

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
        "gate.toml",
        "ca_file = \"no.pem\"\n[headers]\nX-Gate = { env = \"ASSAY_TEST_NO_GATE\" }\n[drop]\nurl = \"http://127.0.0.1:1\"\n",
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
        (&["run", "--profile", "gate.toml"], "gate.toml:3:18: headers.X-Gate.env"),
        (&["run", "--profile", "gate.toml"], "gate.toml:1:11: ca_file"),
        (&["run", "--baseline", "rot.toml"], "no reason"),
    ];
    for (arguments, named) in cases {
        let (code, text) = assay(folder.path(), arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {text}");
        assert!(text.contains(named), "{arguments:?}: {text}");
        assert!(!text.contains("abcdef") && !text.contains("panicked"), "{arguments:?}: {text}");
    }
}

/// Refuses a request by repeating the token that came with it, with what a terminal acts on.
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
fn a_token_that_the_control_api_repeats_is_shown_to_nobody() {
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
fn a_target_out_of_reach_ends_with_3_and_names_the_url() {
    let folder = tempfile::tempdir().expect("a folder");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    drop(listener);
    let (code, text) = assay(folder.path(), &["run", "--publish-url", &url]);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains(&url), "{text}");
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
        assert!(text.contains("conforms"), "{text}");
    }
    assert_eq!(read("1.json"), read("2.json"));
    assert_eq!(read("1.xml"), read("2.xml"));
}

#[test]
#[cfg(feature = "embedded")]
fn a_baseline_that_matches_nothing_or_passes_fails_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    for (requirement, words) in
        [("publish.no.such", "there is no such check"), ("publish.prepare.replay", "unexpected-pass")]
    {
        let text = format!("[[known]]\nrequirement = \"{requirement}\"\nreason = \"it was so once\"\n");
        std::fs::write(folder.path().join("b.toml"), text).expect("written");
        // Whatever else the baseline is applied to changes nothing about these two.
        let (code, text) = assay(folder.path(), &["run", "publish.prepare", "--baseline", "b.toml"]);
        assert_eq!(code, Some(1), "{text}");
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
fn parts_make_a_whole_only_together_and_of_one_choice() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| assay(folder.path(), &[&["run", "metadata.root"], arguments].concat());
    for part in ["1", "2"] {
        let (shard, json) = (format!("{part}/2"), format!("{part}.json"));
        let (code, text) = run(&["--shard", &shard, "--json", &json]);
        assert_eq!(code, Some(0), "{text}");
    }
    let (code, text) = assay(folder.path(), &["merge", "1.json", "--junit", "1.xml", "--annotations"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("of 2 shards these are missing: 2"), "{text}");
    assert!(text.contains("::error title=objection::not every check had its turn"), "{text}");
    let junit = std::fs::read_to_string(folder.path().join("1.xml")).expect("a report");
    assert!(junit.contains("failures=\"1\"") && junit.contains("not every check had its turn"), "{junit}");
    let (code, text) = assay(folder.path(), &["merge", "1.json", "2.json", "--json", "whole.json"]);
    assert_eq!(code, Some(0), "{text}");
    let (code, text) = run(&["--json", "at-once.json"]);
    assert_eq!(code, Some(0), "{text}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a report");
    assert_eq!(read("whole.json"), read("at-once.json"));
    for (arguments, why) in [
        (&["run", "metadata.", "--resume", "whole.json"][..], "chosen otherwise"),
        (&["run", "metadata.root", "--seed", "9", "--resume", "whole.json"], "its seed is 1, not 9"),
        (&["merge", "1.json", "1.json"], "stands in an earlier one too"),
        (&["run", "metadata.root", "--write-baseline", "nowhere/b.toml"], "no file can be written there"),
    ] {
        let (code, text) = assay(folder.path(), arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {text}");
        assert!(text.contains(why), "{arguments:?}: {text}");
    }
}

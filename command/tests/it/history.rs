//! `assay history`: real reports over time, in words, as JSON that fits its schema, and as a page.

use std::path::{Path, PathBuf};
use std::process::Command;

use assay_suites::report::history;
use serde_json::Value;
use tempfile::{TempDir, tempdir};

use crate::reports_hold::misfits;

/// The exit code, what was printed, and standard error.
fn assay(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_assay")).args(arguments).current_dir(folder).output();
    let output = output.expect("it starts");
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("UTF-8"));
    (output.status.code(), out, err)
}

/// A folder with `good.json` and `bad.json`, the reports of two runs that say when they began.
fn reports() -> TempDir {
    let folder = tempdir().expect("a folder");
    let (code, out, err) = assay(folder.path(), &["run", "--service", "metadata", "--json", "good.json"]);
    assert_eq!(code, Some(0), "{out}{err}");
    let text = std::fs::read_to_string(folder.path().join("good.json")).expect("a report");
    let mut report: Value = serde_json::from_str(&text).expect("JSON");
    let mut write = |name: &str, began: &str, verdict: &str| {
        report["began"] = began.into();
        report["outcomes"][0]["verdict"] = verdict.into();
        let text = serde_json::to_string_pretty(&report).expect("JSON");
        std::fs::write(folder.path().join(name), text).expect("written");
    };
    write("good.json", "2026-11-01T00:00:00.000Z", "pass");
    write("bad.json", "2026-11-02T00:00:00.000Z", "fail");
    write("again.json", "2026-11-03T00:00:00.000Z", "pass");
    folder
}

#[test]
fn real_reports_make_a_history() {
    let folder = reports();
    let arguments =
        ["history", "again.json", "bad.json", "good.json", "--json", "h.json", "--html", "h.html"];
    let (code, out, err) = assay(folder.path(), &arguments);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert!(out.contains("flaky (1): changed back and forth") && out.contains("  .F.  metadata."), "{out}");
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
    let text = std::fs::read_to_string(folder.path().join("h.json")).expect("a history");
    let mut read: Value = serde_json::from_str(&text).expect("JSON");
    let schema = history::schema();
    assert_eq!(misfits(&schema, &read), None);
    let files: Vec<&str> =
        read["runs"].as_array().expect("runs").iter().filter_map(|run| run["file"].as_str()).collect();
    assert_eq!(files, ["good.json", "bad.json", "again.json"]);
    read["checks"][0]["verdicts"][0] = "good".into();
    assert!(misfits(&schema, &read).is_some());
    let page = std::fs::read_to_string(folder.path().join("h.html")).expect("a page");
    let left = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("history.html");
    std::fs::write(left, &page).expect("the folder for tests can be written to");
    for foreign in ["http:", "https:", "innerHTML", "eval("] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    assert!(page.contains("Content-Security-Policy"));
}

#[test]
fn a_report_that_is_given_twice_counts_once() {
    let folder = reports();
    std::fs::copy(folder.path().join("bad.json"), folder.path().join("copy.json")).expect("copied");
    let (code, out, err) = assay(folder.path(), &["history", "bad.json", "./bad.json", "copy.json"]);
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(err.matches("it counts once").count(), 2, "{err}");
    assert!(out.starts_with("1 run of "), "{out}");
}

#[test]
fn what_is_not_a_report_is_named_and_nothing_is_overwritten() {
    let folder = reports();
    let text = std::fs::read_to_string(folder.path().join("bad.json")).expect("a report");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    write("later.json", &text.replacen("\"version\": 7", "\"version\": 8", 1));
    write("empty.json", "");
    write("wrong.json", "{\n  \"version\": true}");
    for (arguments, why) in [
        (&[][..], "<REPORT>"),
        (&["missing.json"], "missing.json: "),
        (&["good.json", "later.json"], "later.json: the report has version 8"),
        (&["empty.json"], "empty.json: not a report of assay run --json: the file is empty"),
        (
            &["wrong.json"],
            "wrong.json: not a report of assay run --json: invalid type: boolean `true`, expected u32 at line 2",
        ),
        (&["."], ".: a report must be a regular file"),
        (&["good.json", "--html", "good.json"], "--html and a report name the same file"),
        (&["good.json", "--html", "h", "--json", "./h"], "--html and --json name the same file"),
        (&["good.json", "--html", "nowhere/h.html"], "nowhere/h.html: cannot be written"),
    ] {
        let (code, out, err) = assay(folder.path(), &[&["history"], arguments].concat());
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments:?}: {err}");
        assert!(err.contains(why), "{arguments:?}: {err}");
    }
    if cfg!(target_os = "linux") {
        let (code, _, err) = assay(folder.path(), &["history", "good.json", "--html", "/dev/full"]);
        assert_eq!(code, Some(4), "{err}");
    }
}

//! Selecting checks on the command line, and how much a run prints.

use std::path::Path;
use std::process::{Command, Output};

use assay_spec::requirement::Level;
use assay_suites::services;

/// The exit code, standard output and standard error.
fn assay(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_assay"))
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .expect("it starts");
    let [out, err] = [stdout, stderr].map(|bytes| String::from_utf8(bytes).expect("UTF-8"));
    (status.code(), out, err)
}

/// The ids that `assay run --list` shows.
fn listed(folder: &Path, arguments: &[&str]) -> Vec<String> {
    let (code, out, err) = assay(folder, &[&["run", "--list"], arguments].concat());
    assert_eq!(code, Some(0), "{arguments:?}: {err}");
    let mut lines: Vec<&str> = out.lines().collect();
    let sum = lines.pop().expect("the last line is the sum");
    let plural = if lines.len() == 1 { "" } else { "s" };
    assert!(sum.starts_with(&format!("{} check{plural}, ", lines.len())), "{out}");
    lines.into_iter().map(|line| line.split(' ').next().unwrap_or_default().to_owned()).collect()
}

/// The ids of the checks for which `wanted` is true.
fn ids(wanted: impl Fn(&str, Level) -> bool) -> Vec<String> {
    let all =
        services::checks().into_iter().map(|check| (check.requirement.to_string(), check.requirement.level));
    all.filter(|(id, level)| wanted(id, *level)).map(|(id, _)| id).collect()
}

#[test]
fn filters_select_ids_parts_and_patterns() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = |arguments: &[&str]| listed(folder.path(), arguments);
    // Six ids contain this one.
    assert_eq!(list(&["gateway.chat.part"]), ["gateway.chat.part"]);
    assert_eq!(list(&["gateway.chat.part*"]), ids(|id, _| id.starts_with("gateway.chat.part")));
    assert_eq!(list(&["drop.zip"]), ids(|id, _| id.starts_with("drop.zip.")));
    assert_eq!(
        list(&["drop.*", "--exclude", "drop.zip", "--exclude", "*.limits.*"]),
        ids(|id, _| id.starts_with("drop.") && !id.contains(".zip.") && !id.contains(".limits."))
    );
    let should = ids(|_, level| level == Level::Should);
    assert!(!should.is_empty());
    assert_eq!(list(&["--level", "should"]), should);
    assert_eq!(
        list(&["--level", "must", "--service", "metadata"]),
        ids(|id, level| level == Level::Must && id.starts_with("metadata."))
    );
}

#[test]
fn a_filter_that_matches_nothing_is_rejected_with_a_suggestion() {
    let folder = tempfile::tempdir().expect("a folder");
    for (arguments, expected) in [
        (&["run", "drop.zip", "publish.perpare"][..], "\"publish.perpare\"; did you mean publish.prepare?"),
        (
            &["run", "--exclude", "drop.limit.*"],
            "no check matches \"drop.limit.*\"; did you mean drop.limits",
        ),
        (&["run", "publish.domain.alphabet"], "evidence of this requirement is vector; see assay explain"),
        (&["run", "drop.zip", "--service", "publish"], "no check matches these filters"),
        (&["run", "--level", "may"], "use must or should"),
        (&["prove", "publish.perpare"], "did you mean publish.prepare?"),
        (
            &["client", "publish", "publish.clinet", "--list"],
            "no world matches \"publish.clinet\"; did you mean",
        ),
    ] {
        let (code, out, err) = assay(folder.path(), arguments);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments:?}: {err}");
        assert!(err.contains(expected), "{arguments:?}: {err}");
    }
}

#[test]
fn what_failed_in_a_report_runs_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, out, err) = assay(folder.path(), &["run", "metadata.root", "--json", "good.json"]);
    assert_eq!(code, Some(0), "{out}{err}");
    let (code, _, err) = assay(folder.path(), &["run", "--failed", "good.json"]);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("good.json: no check failed"), "{err}");
    let text = std::fs::read_to_string(folder.path().join("good.json")).expect("a report");
    let mut report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    report["outcomes"][1]["verdict"] = "fail".into();
    let failed = report["outcomes"][1]["id"].as_str().expect("an id").to_owned();
    std::fs::write(folder.path().join("bad.json"), report.to_string()).expect("written");
    assert_eq!(listed(folder.path(), &["--failed", "bad.json"]), [failed]);
    for (arguments, expected) in [
        (
            &["run", "--failed", "bad.json", "--json", "bad.json"][..],
            "--json and --failed name the same file",
        ),
        (&["run", "--failed", "missing.json"], "missing.json"),
        (&["run", "--failed", "bad.json", "drop.zip"], "no check matches these filters"),
    ] {
        let (code, _, err) = assay(folder.path(), arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {err}");
        assert!(err.contains(expected), "{arguments:?}: {err}");
    }
}

#[test]
fn a_quiet_run_prints_its_result_and_colours_follow_the_flag() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| {
        let (code, out, err) = assay(folder.path(), &[&["run", "metadata.root"], arguments].concat());
        let progress =
            if arguments.contains(&"--quiet") { "" } else { "metadata.root  2 pass\n\nassay: next: " };
        assert!(code == Some(0) && err.starts_with(progress), "{err}{out}");
        assert_eq!(progress.is_empty(), err.is_empty(), "{err}");
        out
    };
    let quiet = run(&["--quiet"]);
    assert_eq!(quiet.lines().count(), 2, "{quiet}");
    assert!(
        quiet.starts_with("target ") && quiet.ends_with(" pass - selected checks passed (2 of 54)\n"),
        "{quiet}"
    );
    assert!(run(&[]).ends_with(&quiet));
    let is_coloured = |flag: &str| run(&["--color", flag]).contains("\u{1b}[32m");
    assert_eq!(["auto", "always", "never"].map(is_coloured), [false, true, false]);
}

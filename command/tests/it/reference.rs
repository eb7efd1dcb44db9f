//! What the `assay` command says about itself and about requirements: `explain`, `help`, completions, manual pages.

use std::collections::BTreeSet;
use std::io::pipe;
use std::path::Path;
use std::process::{Command, Output};

use assay_spec::catalogue;
use assay_spec::requirement::Evidence;
use assay_suites::services;
use serde_json::Value;

use crate::reports_hold::misfits;

/// The exit code, standard output and standard error.
fn assay(arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } =
        Command::new(env!("CARGO_BIN_EXE_assay")).args(arguments).output().expect("it starts");
    let [out, err] = [stdout, stderr].map(|bytes| String::from_utf8(bytes).expect("UTF-8"));
    (status.code(), out, err)
}

fn printed(arguments: &[&str]) -> String {
    let (code, out, err) = assay(arguments);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{arguments:?}: {out}");
    out
}

#[test]
fn explain_covers_every_requirement() {
    let ids: Vec<String> = catalogue::requirements().map(ToString::to_string).collect();
    let arguments: Vec<&str> = ["explain"].into_iter().chain(ids.iter().map(String::as_str)).collect();
    let text = printed(&arguments);
    // A page starts with its id, alone in a line. It ends with the page before the next id.
    let starts: Vec<usize> = ids
        .iter()
        .map(|id| {
            if text.starts_with(&format!("{id}\n")) {
                0
            } else {
                2 + text.find(&format!("\n\n{id}\n")).expect(id)
            }
        })
        .collect();
    assert!(starts.is_sorted());
    for (number, row) in catalogue::requirements().enumerate() {
        let id = &ids[number];
        let page = &text[starts[number]..starts.get(number + 1).copied().unwrap_or(text.len())];
        let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
        let statement = row.statement().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(page.starts_with(&format!("{id}\n")), "{id}: {page}");
        assert!(words.contains(&statement), "{id}: {page}");
        assert!(words.contains(&row.source()), "{id}: {page}");
        let expected: Vec<String> = match row.evidence {
            Evidence::Check => {
                let check = services::check(row).expect("the row has a check");
                let doc = check.doc.split_whitespace().collect::<Vec<_>>().join(" ");
                vec![doc, "What a failure usually means".into(), format!("--profile FILE {id}")]
            }
            Evidence::Vector => vec!["Golden cases vectors/data/".into(), "assay vectors explain ".into()],
            Evidence::Client => vec!["assay client ".into(), format!(" {id} -- CLIENT"), "worlds".into()],
            Evidence::NotObservable(why) => vec![why.into()],
            Evidence::Open(why) => vec!["The documents leave it open:".into(), why.into()],
        };
        for part in expected {
            assert!(words.contains(&part), "{id}: {part}: {page}");
        }
    }
}

#[test]
fn one_explanation_of_each_evidence() {
    for id in [
        "publish.prepare.one-in-flight",
        "publish.domain.alphabet",
        "gateway.confidential.resolved",
        "gateway.payment.billing",
        "gateway.auth.other-headers",
    ] {
        let evidence = catalogue::requirement(id).expect("a row").evidence.name();
        insta::assert_snapshot!(format!("explain-{evidence}"), printed(&["explain", id]));
    }
}

#[test]
fn explain_as_json_has_all_of_it_and_fits_its_schema() {
    let ids: Vec<String> = catalogue::requirements().map(ToString::to_string).collect();
    let arguments: Vec<&str> =
        ["explain", "--json"].into_iter().chain(ids.iter().map(String::as_str)).collect();
    let mut json: Value = serde_json::from_str(&printed(&arguments)).expect("JSON");
    let schema: Value = serde_json::from_str(&printed(&["schema", "explain"])).expect("JSON");
    assert_eq!(misfits(&schema, &json), None);
    let all = json["requirements"].as_array().expect("a list");
    let words = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    assert_eq!(all.iter().map(|one| words(&one["id"])).collect::<Vec<_>>(), ids);
    for (known, row) in all.iter().zip(catalogue::requirements()) {
        let (id, page) = (words(&known["id"]), printed_words(&["explain", &words(&known["id"])], row));
        let Some(page) = page else { continue };
        // Every string of the JSON is in the words, besides the names of deviations and what a list leaves out.
        for key in ["statement", "source", "level", "binds", "evidence", "failure_means", "untested"] {
            assert!(page.contains(&spaced(&words(&known[key]))), "{id}: {key}: {page}");
        }
        for line in known["run_alone"].as_array().expect("commands") {
            assert!(page.contains(&spaced(&words(line))), "{id}: {line}: {page}");
        }
        let is_check = row.evidence == Evidence::Check;
        assert_eq!(known["check"].is_object(), is_check, "{id}");
        for part in known["check"]["does"].as_array().into_iter().flatten() {
            assert!(page.contains(&spaced(&words(part))), "{id}: {part}: {page}");
        }
    }
    json["requirements"][0]["id"] = Value::Null;
    assert!(misfits(&schema, &json).is_some());
}

fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The words of a command; only of every 40th requirement, because each is a process.
fn printed_words(arguments: &[&str], row: assay_spec::Id) -> Option<String> {
    row.key.is_multiple_of(40).then(|| spaced(&printed(arguments)))
}

#[test]
fn explain_says_what_other_names_are() {
    for (name, expected) in [
        ("publish", "is a service, not a requirement; assay help publish explains it"),
        ("verdicts", "is a page of the documentation, not a requirement"),
        ("not-testable", "is a word, not a requirement; assay help not-testable explains it"),
    ] {
        for arguments in [&["explain", name][..], &["explain", "--json", name]] {
            let (code, out, err) = assay(arguments);
            assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
            assert!(err.contains(expected), "{err}");
        }
    }
    for output in ["report", "events", "history", "explain"] {
        let schema: Value = serde_json::from_str(&printed(&["schema", output])).expect("JSON");
        assert!(schema["$schema"].is_string(), "{output}");
    }
}

#[test]
fn unknown_ids_are_rejected_with_suggestions() {
    for (id, expected) in [
        ("publish.prepare.one-in-fligth", "did you mean publish.prepare.one-in-flight?"),
        ("one-in-flight", "did you mean publish.prepare.one-in-flight?"),
        ("publish/domain/upper-case", "use assay vectors explain publish/domain/upper-case"),
        ("nothing like an id", "no requirement has the id \"nothing like an id\"\n"),
    ] {
        let (code, out, err) = assay(&["explain", "publish.prepare.replay", id]);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
        assert!(err.contains(expected), "{err}");
    }
    let (code, _, err) = assay(&["vectors", "explain", "publish.domain.alphabet"]);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("use assay explain publish.domain.alphabet"), "{err}");
}

#[test]
fn help_groups_the_commands_in_80_columns() {
    let help = printed(&["--help"]);
    insta::assert_snapshot!("help", help);
    assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
    assert_eq!(printed(&["help"]), help);
    for command in [&["run"][..], &["client", "publish"], &["vectors", "explain"]] {
        assert_eq!(printed(&[&["help"], command].concat()), printed(&[command, &["--help"]].concat()));
    }
    let (code, _, err) = assay(&["help", "verdictss"]);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("did you mean verdicts"), "{err}");
}

#[test]
fn every_topic_of_the_help_is_a_readable_page() {
    let help = printed(&["--help"]);
    let (_, topics) = help.split_once("Topics of assay help:").expect("the topics");
    let topics: Vec<&str> = topics.split([',', ' ', '\n']).filter(|name| !name.is_empty()).collect();
    assert!(topics.len() > 10, "{topics:?}");
    // Lines of code stay as they are.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let pages = |folder: &str| std::fs::read_dir(root.join(folder)).expect("a folder");
    let docs = pages("docs").chain(pages("docs/services")).map(|entry| entry.expect("an entry").path());
    let sources = docs.chain([root.join("README.md")]).filter(|path| path.is_file());
    let sources: String = sources.map(|path| std::fs::read_to_string(path).expect("a page")).collect();
    for topic in &topics {
        let page = printed(&["help", topic]);
        assert!(page.lines().nth(1).is_some_and(|line| line.starts_with("==")), "{topic}: {page}");
        let is_long = |line: &&str| line.chars().count() > 80 && !sources.contains(line.trim());
        let long = page.lines().find(is_long);
        assert_eq!(long, None, "{topic}");
    }
    let page = printed(&["help", "verdicts"]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(page.contains("(assay help troubleshooting)") && !page.contains("]("), "{page}");
}

#[test]
fn completions_and_manual_pages_know_the_commands() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        assert!(printed(&["completions", shell]).contains("verify-publish"), "{shell}");
    }
    assert!(printed(&["man"]).contains("assay\\-run(1)"));
    let folder = tempfile::tempdir().expect("a folder");
    let into = folder.path().join("man1");
    printed(&["man", "--into", into.to_str().expect("a name")]);
    let names = |folder: &Path| -> BTreeSet<String> {
        let entries = std::fs::read_dir(folder).expect("a folder");
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
    };
    let names = names(&into);
    assert!(["assay.1", "assay-run.1", "assay-vectors-explain.1"].iter().all(|page| names.contains(*page)));
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("written");
    let (code, _, err) = assay(&["man", "--into", file.to_str().expect("a name")]);
    assert_eq!(code, Some(4), "{err}");
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    for arguments in [
        &["help", "verdicts"][..],
        &["help"],
        &["explain", "publish.prepare.replay"],
        &["completions", "zsh"],
        &["man"],
    ] {
        let (reader, writer) = pipe().expect("a pipe");
        drop(reader);
        let output = Command::new(env!("CARGO_BIN_EXE_assay")).args(arguments).stdout(writer).output();
        let output = output.expect("it starts");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
    }
}

//! The released data: the lint finds no fault, the generators reproduce it, and the reference returns the expected
//! results.

use std::collections::BTreeMap;
use std::path::Path;

use assay_vectors::{Case, Expect, cases, generate, lint, shim, wire};
use serde_json::{Value, json};

#[test]
fn lint_finds_no_fault() {
    let findings: Vec<String> =
        lint::lint(&assay_vectors::Collection::embedded()).iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{} findings\n{}", findings.len(), findings.join("\n"));
}

#[test]
fn files_match_the_generators() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    for (path, bytes) in generate::files() {
        let file = std::fs::read(data.join(path)).unwrap_or_default();
        assert!(file == bytes, "{path} is stale: cargo run -- vectors generate");
    }
}

#[test]
fn every_case_names_the_file_of_its_generator() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for case in cases() {
        let generator = &case.provenance.generator;
        assert!(root.join(generator).is_file(), "{}: {generator} does not exist", case.id);
    }
}

#[test]
fn shim_returns_the_expected_result_for_every_case() {
    let cases = cases();
    let request =
        |case: &Case| json!({"id": case.id, "op": case.op, "in": wire::spell_out(&case.input)}).to_string();
    let lines = cases.iter().map(request).collect::<Vec<_>>().join("\n");
    let mut output = Vec::new();
    shim::serve(lines.as_bytes(), &mut output).expect("writing to memory does not fail");
    let answers: BTreeMap<String, Value> = String::from_utf8(output)
        .expect("UTF-8")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .map(|answer| (answer["id"].as_str().unwrap_or_default().to_owned(), answer))
        .collect();
    assert_eq!(answers.len(), cases.len());
    for case in cases {
        let answer = &answers[&case.id];
        match case.expect {
            Expect::Accept { ok } => assert_eq!(answer["ok"], ok, "{}", case.id),
            Expect::Reject { rule, stage } => {
                assert_eq!(answer["reject"], json!({"rule": rule, "stage": stage}), "{}", case.id);
            }
        }
    }
}

//! The released data: clean, generated from what stands here, answered by the reference as expected.

use std::collections::BTreeMap;
use std::path::Path;

use assay_vectors::{Case, Expect, cases, generate, lint, shim, wire};
use serde_json::{Value, json};

#[test]
fn the_lint_finds_nothing() {
    let findings: Vec<String> =
        lint::lint(&assay_vectors::Collection::embedded()).iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{} findings\n{}", findings.len(), findings.join("\n"));
}

#[test]
fn the_files_are_what_the_generators_write() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    for (path, bytes) in generate::files() {
        let file = std::fs::read(data.join(path)).unwrap_or_default();
        assert!(file == bytes, "{path} is stale: cargo run -p assay-suites -- vectors generate");
    }
}

#[test]
fn the_shim_answers_every_case_as_expected() {
    let cases = cases();
    let request =
        |case: &Case| json!({"id": case.id, "op": case.op, "in": wire::spell_out(&case.input)}).to_string();
    let lines = cases.iter().map(request).collect::<Vec<_>>().join("\n");
    let mut output = Vec::new();
    shim::serve(lines.as_bytes(), &mut output).expect("memory does not fail");
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

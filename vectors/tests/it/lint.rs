//! Each lint can fail, and finds its own fault: a collection with one alteration.

use std::collections::BTreeSet;

use assay_spec::Strict;
use assay_spec::crypto::text::sha256_hex;
use assay_vectors::lint::{Finding, Lint, lint};
use assay_vectors::op::{Answer, answer};
use assay_vectors::{Case, Collection, case};
use serde_json::{Value, json};

const FILE: &str = "publish/domain.json";
const MANIFEST: &str = "data/manifest.json";
const WITNESSES: &str = "data/witnesses.json";

/// A collection of one file, so that a lint is fast.
fn small() -> Collection {
    let whole = Collection::embedded();
    let mut small = Collection::default();
    for path in ["LICENSE", "README.md", "schema/case.schema.json"] {
        small.put(path, whole.file(path).expect("it exists"));
    }
    small.put(&data(), whole.file(&data()).expect("it exists"));
    small.put(MANIFEST, "{\"version\": 1}");
    small.put("divergences.json", "[]\n");
    let mut witnesses = json_of(&whole, WITNESSES);
    witnesses.as_array_mut().expect("a list").retain(|each| each["file"] == FILE);
    small.put(WITNESSES, case::canonical(&witnesses));
    refresh(&mut small);
    small
}

fn data() -> String {
    format!("data/{FILE}")
}

fn json_of(collection: &Collection, path: &str) -> Value {
    serde_json::from_slice(collection.file(path).expect("it exists")).expect("JSON")
}

/// Rewrites manifest and witnesses for the current cases.
fn refresh(collection: &mut Collection) {
    let hash = sha256_hex(collection.file(&data()).expect("it exists"));
    let cases = json_of(collection, &data());
    let cases = cases.as_array().expect("a list");
    let rejects = cases.iter().filter(|case| case["expect"]["verdict"] == "reject").count();
    let counts = json!({"accept": cases.len() - rejects, "reject": rejects});
    let manifest = json!({"version": 2, "collection": "0.1.0", "files": {FILE: hash}, "operations": {"domain.canonical": counts}});
    collection.put(MANIFEST, case::canonical(&manifest));
    let mut witnesses = json_of(collection, WITNESSES);
    for witness in witnesses.as_array_mut().expect("a list") {
        witness["sha256"] = hash.clone().into();
        witness["accepts"] = (cases.len() - rejects).into();
        witness["rejects"] = rejects.into();
    }
    collection.put(WITNESSES, case::canonical(&witnesses));
}

/// The small collection with altered cases and everything derived from them refreshed.
fn altered(alter: impl FnOnce(&mut Vec<Value>)) -> Collection {
    let mut collection = small();
    let mut cases = json_of(&collection, &data()).as_array().expect("a list").clone();
    alter(&mut cases);
    let text = serde_json::from_value::<Vec<Case>>(cases.clone().into())
        .map_or_else(|_| case::canonical(&cases), |cases| case::canonical(&cases));
    collection.put(&data(), text);
    refresh(&mut collection);
    collection
}

/// A case, by the end of its id.
fn find<'a>(cases: &'a mut [Value], name: &str) -> &'a mut Value {
    let id = format!("publish/domain/{name}");
    cases.iter_mut().find(|case| case["id"] == id).expect("it exists")
}

/// The index of an accept from which no reject is made.
fn unused_base(cases: &[Value]) -> usize {
    let is_base = |case: &Value| cases.iter().any(|other| other["base"] == case["id"]);
    cases
        .iter()
        .rposition(|case| case["expect"]["verdict"] == "accept" && !is_base(case))
        .expect("there is one")
}

fn only_in(findings: &[Finding], more: &[Finding]) -> Vec<Finding> {
    more.iter().filter(|finding| !findings.contains(finding)).cloned().collect()
}

#[test]
fn each_lint_finds_its_own_fault() {
    let before = lint(&small());
    // The rows of other files have no case here.
    assert!(before.iter().all(|finding| finding.lint == Lint::Coverage), "{before:?}");
    let mut tried = BTreeSet::new();
    for (want, collection, words) in faults() {
        let found = only_in(&before, &lint(&collection));
        let lints: BTreeSet<Lint> = found.iter().map(|finding| finding.lint).collect();
        let expected: BTreeSet<Lint> = want.iter().copied().collect();
        assert_eq!(lints, expected, "{words}: {found:#?}");
        assert!(found.iter().any(|finding| finding.to_string().contains(words)), "{words}: {found:#?}");
        tried.extend(want);
    }
    assert_eq!(tried, Lint::ALL.into_iter().collect(), "every lint must fail once");
}

type Fault = (Vec<Lint>, Collection, &'static str);

#[allow(clippy::too_many_lines, reason = "a table with one fault per row")]
fn faults() -> Vec<Fault> {
    let put = |path: &str, alter: &dyn Fn(String) -> String| {
        let mut collection = small();
        let text = String::from_utf8(collection.take(path).expect("it exists")).expect("UTF-8");
        collection.put(path, alter(text));
        collection
    };
    let mut spaced = put(&data(), &|text| text.replacen("  {", "   {", 1));
    refresh(&mut spaced);
    let divergence = |case: &str| {
        let known = json_of(&small(), WITNESSES)[0].clone();
        let library = known["libraries"][0].as_str().expect("a string").to_owned();
        let (library, version) = library.rsplit_once(' ').expect("name and version");
        json!([{"witness": known["witness"], "library": library, "version": version, "operation": known["op"],
            "says": "accept", "reason": "It is so.", "cases": [case]}])
        .to_string()
    };
    let recorded = |case: &'static str| put("divergences.json", &|_| divergence(case));
    assert_eq!(only_in(&lint(&small()), &lint(&recorded("publish/domain/upper-case"))), []);
    vec![
        (vec![Lint::Text], spaced, "domain.json:2: the text is not canonical"),
        (vec![Lint::Text], put("divergences.json", &|_| "[\n{]\n".to_owned()), "divergences.json:2:2: "),
        (
            vec![Lint::Schema],
            altered(|cases| {
                let n = unused_base(cases);
                cases[n]["besides"] = 1.into();
            }),
            "besides",
        ),
        (
            vec![Lint::Schema],
            altered(|cases| {
                let n = unused_base(cases);
                cases[n]["in"]["besides"] = "x".into();
            }),
            "/in: ",
        ),
        (
            vec![Lint::Manifest],
            put(MANIFEST, &|text| text.replacen("json\": \"", "json\": \"0", 1)),
            "the hash in the manifest differs",
        ),
        (
            vec![Lint::Manifest],
            put(MANIFEST, &|text| text.replacen("accept\": ", "accept\": 9", 1)),
            "other case counts",
        ),
        (
            vec![Lint::Id],
            altered(|cases| find(cases, "label-64")["id"] = "publish/domain/upper-case".into()),
            "duplicated",
        ),
        (
            vec![Lint::Id],
            altered(|cases| find(cases, "label-64")["id"] = "publish/other/x".into()),
            "is in the wrong file",
        ),
        (
            vec![Lint::Input],
            altered(|cases| {
                let mut copy = find(cases, "label-63").clone();
                copy["id"] = "publish/domain/copy".into();
                cases.push(copy);
            }),
            "the same input as publish/domain/label-63",
        ),
        // The reference can agree with at most one of the two.
        (
            vec![Lint::Contradiction, Lint::Answer],
            altered(|cases| {
                let mut copy = find(cases, "upper-case").clone();
                copy["id"] = "publish/domain/copy".into();
                copy["expect"]["stage"] = "verify".into();
                cases.push(copy);
            }),
            "with another expectation",
        ),
        (
            vec![Lint::Words],
            altered(|cases| find(cases, "label-64")["why"] = "".into()),
            "why is not a sentence",
        ),
        (
            vec![Lint::Words],
            altered(|cases| find(cases, "label-63")["reading"] = "whim".into()),
            "a reading must be",
        ),
        (vec![Lint::Replay], altered(|cases| find(cases, "label-64")["edit"][0]["old"] = "zz".into()), "zz"),
        (
            vec![Lint::Replay],
            altered(|cases| {
                find(cases, "label-64")["base"] = "publish/domain/upper-case".into();
            }),
            "not an accepted case of its operation",
        ),
        (
            vec![Lint::Replay],
            altered(|cases| {
                find(cases, "label-64")["reseal"] = json!(["/in/message"]);
            }),
            "stale",
        ),
        (
            vec![Lint::Replay],
            altered(|cases| {
                find(cases, "label-64")["edit"][0]["at"] = json!(u64::MAX);
            }),
            "is not at offset",
        ),
        (
            vec![Lint::Answer],
            altered(|cases| find(cases, "label-64")["expect"]["stage"] = "verify".into()),
            "the reference rejects it by",
        ),
        (
            vec![Lint::Rule],
            altered(|cases| {
                let n = unused_base(cases);
                cases[n]["requirements"].as_array_mut().expect("a list").push("publish.domain.colour".into());
            }),
            "publish.domain.colour is not a requirement",
        ),
        (
            vec![Lint::Coverage],
            altered(|cases| {
                cases.retain(|case| case["expect"]["rule"] != "domain.trailing-dot");
            }),
            "no rejected case names it",
        ),
        (
            vec![Lint::Minimality],
            altered(|cases| {
                // Two faults at once: the case is still rejected without the rule that it names.
                let domain = format!("{}.A", "a".repeat(64));
                let Answer::Reject(reject) =
                    answer("domain.canonical", &json!({"domain": domain}), &mut Strict)
                else {
                    panic!("it is rejected")
                };
                let base = find(cases, "label-64")["base"].as_str().expect("a string").to_owned();
                let old = find(cases, base.rsplit('/').next().expect("a name"))["in"]["domain"].clone();
                let case = find(cases, "label-64");
                case["in"]["domain"] = domain.clone().into();
                case["edit"] = json!([{"path": "/in/domain", "old": old, "new": domain}]);
                case["requirements"] = json!([reject.row.to_string()]);
                case["expect"] = json!({"verdict": "reject", "rule": reject.row.rule, "stage": reject.stage});
            }),
            "the reference still",
        ),
        (
            vec![Lint::Witness],
            put(WITNESSES, &|text| text.replacen("\"sha256\": \"", "\"sha256\": \"0", 1)),
            "witnesses",
        ),
        (
            vec![Lint::Witness],
            put(WITNESSES, &|text| text.replacen("\"rejects\": ", "\"rejects\": 9", 1)),
            "other case counts",
        ),
        (vec![Lint::Divergence], recorded("publish/domain/nowhere"), "nowhere is not a case"),
        (vec![Lint::Divergence], recorded("publish/domain/plain"), "expects the same result"),
        (
            vec![Lint::Divergence],
            put("divergences.json", &|_| divergence("publish/domain/upper-case").replace("It is so.", "")),
            "the reason is not a sentence",
        ),
    ]
}

#[test]
fn unreadable_file_is_reported_with_its_line_and_the_rest_is_checked() {
    let mut broken = small();
    broken.put(&data(), "[\n  {\n  \"id\" 1}]");
    let findings = lint(&broken);
    assert!(findings.iter().any(|finding| finding.place == "data/publish/domain.json:3:8"), "{findings:?}");
    let mut less = small();
    less.take(MANIFEST);
    assert!(
        lint(&less)
            .iter()
            .any(|finding| finding.to_string() == "data/manifest.json: the file is missing [text]")
    );
    assert!(!lint(&Collection::default()).is_empty());
}

//! Malformed collections: every fault is reported, and nothing panics.

use std::sync::LazyLock;

use assay_vectors::drift::{Difference, drift};
use assay_vectors::explain::explain;
use assay_vectors::lint::lint;
use assay_vectors::run::Names;
use assay_vectors::{Case, Collection, cases, pack};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

/// Values that may replace others.
fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        Just(json!({})),
        Just(json!([])),
        Just(json!([[[]]])),
        any::<bool>().prop_map(Value::from),
        (0..70_000u64).prop_map(Value::from),
        Just(json!(u64::MAX)),
        Just(json!(-1)),
        Just(json!(1e300)),
        ".{0,12}".prop_map(Value::from),
        "[0-9a-f]{0,70}".prop_map(Value::from),
        "/in(/[a-z0-9]{0,9}){0,3}".prop_map(Value::from),
        "[0-9a-f]{0,12}".prop_map(|hex| json!({"hex": hex})),
        (0..9_000u64).prop_map(|n| json!({"repeat": ["00", n]})),
        (0..9_000u64).prop_map(|n| json!({"prng": ["s", n]})),
        Just(json!({"concat": [{"hex": "0"}]})),
    ]
}

/// Counts the values in a document and replaces the one with the number.
fn replace(document: &mut Value, countdown: &mut usize, by: &Value) -> bool {
    if *countdown == 0 {
        document.clone_from(by);
        return true;
    }
    *countdown -= 1;
    match document {
        Value::Array(values) => values.iter_mut().any(|value| replace(value, countdown, by)),
        Value::Object(members) => members.values_mut().any(|value| replace(value, countdown, by)),
        _ => false,
    }
}

fn size(document: &Value) -> usize {
    1 + match document {
        Value::Array(values) => values.iter().map(size).sum(),
        Value::Object(members) => members.values().map(size).sum(),
        _ => 0,
    }
}

/// Cases that run fast, each with its base if it has one.
static QUICK: LazyLock<Vec<(Case, Option<Case>)>> = LazyLock::new(|| {
    let all = cases();
    let base = |case: &Case| all.iter().find(|other| Some(&other.id) == case.base.as_ref()).cloned();
    let short = |case: &&Case| {
        case.input.to_string().len() < 4000 && case.input.to_string().matches('[').count() < 60
    };
    all.iter().filter(short).map(|case| (case.clone(), base(case))).collect()
});

static EMBEDDED: LazyLock<Collection> = LazyLock::new(Collection::embedded);

fn alter(bytes: &mut Vec<u8>, at: Index, kind: u8, byte: u8) {
    if bytes.is_empty() {
        return;
    }
    let at = at.index(bytes.len());
    match kind % 4 {
        0 => bytes[at] = byte,
        1 => bytes.insert(at, byte),
        2 => drop(bytes.remove(at)),
        _ => bytes.truncate(at),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn altered_case_is_linted_compared_and_explained(
        chosen in any::<Index>(), place in any::<Index>(), by in value(), again in any::<Index>(), more in value(),
    ) {
        let (case, base) = chosen.get(&QUICK);
        let file = format!("data/{}.json", case.place());
        let mut whole = serde_json::to_value(case).expect("JSON");
        for (place, by) in [(place, by), (again, more)] {
            let mut countdown = place.index(size(&whole));
            replace(&mut whole, &mut countdown, &by);
        }
        let mut collection = Collection::default();
        let base = base.as_ref().map(|base| serde_json::to_value(base).expect("JSON"));
        let cases: Vec<&Value> = base.iter().chain([&whole]).collect();
        collection.put(&file, assay_vectors::case::canonical(&cases));
        prop_assert!(!lint(&collection).is_empty(), "the missing manifest is a finding");
        prop_assert!(!drift(&EMBEDDED, &collection).is_empty());
        if let Ok(case) = serde_json::from_value::<Case>(whole) {
            for colour in [false, true] {
                let text = explain(&case, colour);
                prop_assert!(colour || !text.contains('\x1b'));
            }
        }
    }

    #[test]
    fn altered_bytes_of_any_file_are_reported(
        file in any::<Index>(), alterations in prop::collection::vec((any::<Index>(), any::<u8>(), any::<u8>()), 1..5),
    ) {
        const FILES: [&str; 4] =
            ["data/publish/domain.json", "data/manifest.json", "data/witnesses.json", "divergences.json"];
        let whole = &*EMBEDDED;
        let mut collection = Collection::default();
        for path in FILES {
            collection.put(path, whole.file(path).expect("it exists"));
        }
        let path = file.get(&FILES);
        let mut bytes = collection.take(path).expect("it exists");
        for (at, kind, byte) in alterations {
            alter(&mut bytes, at, kind, byte);
        }
        collection.put(path, bytes.clone());
        lint(&collection);
        let is_reported = drift(whole, &collection).iter().any(|each| !matches!(each, Difference::MissingFile(_)));
        prop_assert_eq!(is_reported, collection.file(path) != whole.file(path));
    }

    #[test]
    fn altered_tar_is_a_collection_or_an_error(
        alterations in prop::collection::vec((any::<Index>(), any::<u8>(), any::<u8>()), 1..6),
    ) {
        let mut small = Collection::default();
        small.put("data/publish/domain.json", "[]");
        small.put("data/manifest.json", "{}");
        let mut packed = pack::pack(&small);
        for (at, kind, byte) in alterations {
            alter(&mut packed, at, kind, byte);
        }
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.tar");
        std::fs::write(&path, packed).expect("written");
        match Collection::read(&path) {
            Ok(read) => drop(drift(&small, &read)),
            Err(why) => prop_assert!(why.to_string().contains("x.tar")),
        }
    }

    #[test]
    fn arbitrary_map_is_accepted_or_gives_an_error_with_its_line(text in "(\\[rules\\]\n)?.{0,60}") {
        if let Err(why) = Names::parse("m.toml", &text) {
            prop_assert!(why.starts_with("m.toml:"));
        }
    }
}

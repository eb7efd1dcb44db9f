//! The files of a service say only what the documents say. Wrong readings are in its `mistakes.rs`.

use std::fs;
use std::path::Path;

use assay_spec::{Service, publish};

/// The services that have a `mistakes.rs`. The others still have the other arms of their rules in place.
const SERVICES: [Service; 1] = [Service::Publish];

/// What asks how a rule is violated, takes another arm, or switches a rule off.
const ARMS: [&str; 12] = [
    ".interpret(",
    ".effect(",
    ".forbid(",
    ".admit(",
    ".violated(",
    ".is_off(",
    ".parse_lazily(",
    ".parse_value(",
    "rules.parse(",
    "Without(",
    "impl Rules",
    "enient",
];

/// The lines outside of tests that have such an arm.
fn arms(text: &str) -> Vec<&str> {
    let code = text.split("#[cfg(test)]\n").next().unwrap_or_default();
    code.lines().map(str::trim).filter(|line| ARMS.iter().any(|arm| line.contains(arm))).collect()
}

#[test]
fn only_mistakes_read_wrongly() {
    assert_eq!(arms("let path = rules.interpret(&ROW, path, || target);\n").len(), 1);
    assert!(arms("rules.require(&ROW, holds, why)?;\n#[cfg(test)]\nrules.violated(&ROW)\n").is_empty());
    for service in SERVICES {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(service.name());
        assert!(folder.join("mistakes.rs").is_file(), "{service} has its mistakes");
        for file in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            assert!(file.is_file(), "{}: this test reads no folders", file.display());
            let text = fs::read_to_string(&file).expect("a source file");
            let found = arms(&text);
            let is_table = file.ends_with("mistakes.rs");
            assert!(is_table || found.is_empty(), "{}: {found:#?}", file.display());
        }
    }
}

#[test]
fn every_mistake_says_who_makes_it() {
    assert!(!publish::mistakes::ALL.is_empty());
    for (rule, about) in publish::mistakes::ALL {
        assert_eq!(rule.service, Service::Publish, "{rule}");
        let is_sentence = about.starts_with("A ") && about.ends_with('.') && !about.contains(". ");
        assert!(is_sentence, "{rule}: one sentence says who makes the mistake and why: {about}");
    }
}

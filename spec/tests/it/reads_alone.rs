//! The files of a service say only what the documents say. Wrong readings are in its `mistakes.rs`.

use std::fs;
use std::path::{Path, PathBuf};

use assay_spec::{Id, Service, drop, gateway, metadata, publish};

/// The services that have a `mistakes.rs`, with its entries. The others still have the other arms of their rules in place.
static SERVICES: &[(Service, &[(Id, &str)])] = &[
    (Service::Publish, publish::mistakes::ALL),
    (Service::Metadata, metadata::mistakes::ALL),
    (Service::Drop, drop::mistakes::ALL),
    (Service::Gateway, gateway::mistakes::ALL),
];

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
    for (service, _) in SERVICES {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(service.name());
        assert!(folder.join("mistakes.rs").is_file(), "{service} has its mistakes");
        for file in files(&folder).into_iter().filter(|file| !file.ends_with("mistakes.rs")) {
            let text = fs::read_to_string(&file).expect("a source file");
            let found = arms(&text);
            assert!(found.is_empty(), "{}: {found:#?}", file.display());
        }
    }
}

/// The files in a folder and its folders.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn every_mistake_says_who_makes_it() {
    for (service, entries) in SERVICES {
        assert!(!entries.is_empty(), "{service} has mistakes");
        for (rule, about) in *entries {
            assert_eq!(rule.service, *service, "{rule}");
            let is_sentence = about.starts_with("A ") && about.ends_with('.') && !about.contains(". ");
            assert!(is_sentence, "{rule}: one sentence says who makes the mistake and why: {about}");
        }
    }
}

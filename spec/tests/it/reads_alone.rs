//! The files of a service say only what the documents say. Wrong readings are in its `mistakes.rs`.

use std::fs;
use std::path::{Path, PathBuf};

use assay_spec::{Id, Service, cid, drop, gateway, hosting, metadata, network, publish};

/// The entries of a `mistakes.rs`: the rule, and who makes the mistake.
type Entries = &'static [(Id, &'static str)];

/// The folders that have a `mistakes.rs`: the service whose rows it uses, and its entries.
static FOLDERS: &[(&str, Service, Entries)] = &[
    ("gateway", Service::Gateway, gateway::mistakes::ALL),
    ("metadata", Service::Metadata, metadata::mistakes::ALL),
    ("network", Service::Network, network::mistakes::ALL),
    ("hosting", Service::Hosting, hosting::mistakes::ALL),
    ("publish", Service::Publish, publish::mistakes::ALL),
    ("drop", Service::Drop, drop::mistakes::ALL),
    ("cid", Service::Drop, cid::mistakes::ALL),
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

/// The files in a folder and its folders.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn only_mistakes_read_wrongly() {
    assert_eq!(arms("let path = rules.interpret(&ROW, path, || target);\n").len(), 1);
    assert!(arms("rules.require(&ROW, holds, why)?;\n#[cfg(test)]\nrules.violated(&ROW)\n").is_empty());
    for (name, ..) in FOLDERS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(name);
        assert!(folder.join("mistakes.rs").is_file(), "{name} has its mistakes");
        let says_more = |file: &PathBuf| file.ends_with("mistakes.rs") || file.ends_with("tests.rs");
        for file in files(&folder).into_iter().filter(|file| !says_more(file)) {
            let text = fs::read_to_string(&file).expect("a source file");
            let found = arms(&text);
            assert!(found.is_empty(), "{}: {found:#?}", file.display());
        }
    }
}

/// A reader of the documents needs no other package. Only the rows say what the simulator does where a sentence is open.
#[test]
fn only_rows_name_the_simulator() {
    let sources = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    for file in sources.iter().filter(|file| !file.ends_with("requirements.rs")) {
        let text = fs::read_to_string(file).expect("a source file").to_lowercase();
        assert!(!text.contains("simulat"), "{} names the simulator", file.display());
    }
}

#[test]
fn every_mistake_says_who_makes_it() {
    for (name, service, mistakes) in FOLDERS {
        assert!(!mistakes.is_empty(), "{name} has mistakes");
        for (rule, about) in *mistakes {
            assert_eq!(rule.service, *service, "{rule}");
            let is_sentence = about.starts_with("A ") && about.ends_with('.') && !about.contains(". ");
            assert!(is_sentence, "{rule}: one sentence says who makes the mistake and why: {about}");
        }
    }
}

//! Wrong and optional behaviour is in the tables of a service, not in its handlers.

use std::fs;
use std::path::{Path, PathBuf};

use assay_sim::seam::Seam;
use assay_sim::world;
use assay_spec::Service;

#[test]
fn only_variations_of_the_wire_act_in_the_core() {
    let acts_in_core = |seam: Seam| matches!(seam, Seam::Wire);
    assert!(!world::deviations().iter().any(|one| acts_in_core(one.seam)));
    for one in world::variations() {
        assert_eq!(acts_in_core(one.seam), one.name.starts_with("wire."), "{}", one.name);
    }
}

#[test]
fn no_handler_names_a_deviation_or_a_variation() {
    let mut found = Vec::new();
    for service in Service::ALL {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(service.name());
        for file in rust_files(&folder) {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            if name.ends_with("deviations.rs") || name.ends_with("variations.rs") {
                continue;
            }
            let text = fs::read_to_string(&file).expect("a source file");
            for (at, line) in text.lines().enumerate() {
                let is_table = line.contains("deviations::ALL") || line.contains("variations::ALL");
                let words = ["deviations::", "variations::", ".violated(", ".effect(", ".varies("];
                if !is_table && words.iter().any(|word| line.contains(word)) {
                    found.push(format!("{}:{}: {}", file.display(), at + 1, line.trim()));
                }
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn no_handler_rejects_what_the_document_accepts() {
    for service in Service::ALL {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(service.name());
        for file in rust_files(&folder) {
            let text = fs::read_to_string(&file).expect("a source file");
            let arms = [".forbid(", ".interpret(", ".is_off(", "core.parse("];
            let found = text.lines().find(|line| arms.iter().any(|arm| line.contains(arm)));
            assert_eq!(found, None, "{}", file.display());
        }
    }
}

#[test]
fn the_core_imports_in_one_direction() {
    let modules = ["core", "journal", "log", "outgoing", "world"];
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let imports = |module: &str| {
        let text = fs::read_to_string(source.join(format!("{module}.rs"))).expect("a source file");
        let used = |other: &&&str| **other != module && text.contains(&format!("crate::{other}::"));
        modules.iter().filter(used).copied().collect::<Vec<&str>>()
    };
    let none: Vec<&str> = Vec::new();
    assert_eq!(imports("log"), none);
    assert_eq!(imports("outgoing"), none);
    assert_eq!(imports("journal"), ["outgoing"]);
    assert_eq!(imports("core"), ["journal", "log", "outgoing"]);
    for folder in Service::ALL.iter().map(|service| source.join(service.name())) {
        for file in rust_files(&folder) {
            let text = fs::read_to_string(&file).expect("a source file");
            assert!(!text.contains("crate::world"), "{}: a service does not know the world", file.display());
        }
    }
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = entries.partition(|path| path.is_dir());
    let inside = folders.iter().flat_map(|folder| rust_files(folder));
    inside.chain(files.into_iter().filter(|file| file.extension().is_some_and(|end| end == "rs"))).collect()
}

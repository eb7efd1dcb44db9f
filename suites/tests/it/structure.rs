//! The project keeps its structure: layers, services on every layer, names once.

use assay_suites::services;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use assay_spec::Service;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The layers, and the layers that each may depend on.
const ARROWS: [(&str, &[&str]); 5] = [
    ("spec", &[]),
    ("sim", &["assay-spec"]),
    ("vectors", &["assay-spec"]),
    ("suites", &["assay-spec", "assay-vectors", "assay-sim"]),
    ("benches", &["assay-spec", "assay-sim", "assay-vectors", "assay-suites"]),
];

#[test]
fn manifests_have_no_dependency_but_the_layers() {
    for (layer, allowed) in ARROWS {
        let text = std::fs::read_to_string(root().join(layer).join("Cargo.toml")).expect("a manifest");
        let manifest: toml::Table = toml::from_str(&text).expect("TOML");
        for section in ["dependencies", "dev-dependencies"] {
            let names =
                manifest.get(section).and_then(toml::Value::as_table).into_iter().flat_map(toml::Table::keys);
            for name in names.filter(|name| name.starts_with("assay-")) {
                assert!(allowed.contains(&name.as_str()), "{layer} must not depend on {name}");
            }
        }
    }
}

#[test]
fn only_the_embedded_folder_knows_the_simulator() {
    for file in rust_files(&root().join("suites/src")) {
        let inside = file.components().any(|part| part.as_os_str() == "embedded");
        let command = file.ends_with("main.rs");
        let text = std::fs::read_to_string(&file).expect("a source file");
        let knows = text.contains("assay_sim");
        assert!(inside || command || !knows, "{} knows the simulator", file.display());
    }
}

/// The folders of `suites/src`, the lowest layer first. Each imports only those before it.
const FOLDERS: [&str; 11] = [
    "support",
    "http",
    "profile",
    "documents",
    "harness",
    "services",
    "report",
    "onboarding",
    "rerun",
    "embedded",
    "cli",
];

#[test]
fn folders_of_the_suites_import_downwards() {
    let root = root().join("suites/src");
    let mut upward = Vec::new();
    for (layer, folder) in FOLDERS.iter().enumerate() {
        let files = rust_files(&root.join(folder));
        assert!(!files.is_empty(), "{folder} has files");
        for file in files {
            let text = std::fs::read_to_string(&file).expect("a source file");
            let front =
                std::fs::read_to_string(root.join(folder).join("mod.rs")).expect("a folder has its mod.rs");
            assert!(front.starts_with("//! "), "{folder}/mod.rs says what the folder is");
            for name in imported(without_tests(&text)) {
                let found = FOLDERS.iter().position(|other| *other == name);
                if found.is_some_and(|other| other > layer) {
                    upward.push(format!("{} imports {name}", file.display()));
                }
            }
        }
    }
    assert!(upward.is_empty(), "{upward:#?}");
}

#[test]
fn suites_have_one_folder_for_each_layer() {
    let entries = std::fs::read_dir(root().join("suites/src")).expect("a folder").flatten();
    let names: BTreeSet<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let known: BTreeSet<String> =
        FOLDERS.into_iter().chain(["lib.rs", "main.rs"]).map(str::to_owned).collect();
    assert_eq!(names, known);
}

#[test]
fn only_the_services_match_on_a_service() {
    // What starts a simulator for one kind of client names its service.
    let excepted = "embedded/client/";
    let root = root().join("suites/src");
    let mut found = Vec::new();
    for file in rust_files(&root) {
        let name = file.strip_prefix(&root).expect("below the folder").display().to_string();
        let text = std::fs::read_to_string(&file).expect("a source file");
        let mut variants = without_tests(&text)
            .split("Service::")
            .skip(1)
            .filter(|rest| rest.starts_with(char::is_uppercase));
        let is_matching = variants.any(|rest| !rest.starts_with("ALL"));
        let is_excepted = name.starts_with("services/") || name.starts_with(excepted);
        found.extend((is_matching && !is_excepted).then_some(name));
    }
    assert!(found.is_empty(), "{found:?}");
}

/// The first part of each path that begins at the crate.
fn imported(text: &str) -> impl Iterator<Item = &str> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let paths = code.flat_map(|line| {
        ["crate::", "assay_suites::"].into_iter().flat_map(move |start| line.split(start).skip(1))
    });
    paths.map(|path| path.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default())
}

/// A file without its tests, which may use real services as data.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\n").next().unwrap_or_default()
}

#[test]
fn every_service_is_on_every_layer() {
    for service in Service::ALL {
        for place in ["spec/src", "sim/src", "suites/src/services", "vectors/data"] {
            let folder = root().join(place).join(service.name());
            assert!(folder.is_dir(), "{service} is missing: {}", folder.display());
        }
    }
}

#[test]
fn every_group_of_checked_rows_has_its_file() {
    let mut missing = BTreeSet::new();
    for check in services::checks() {
        let row = check.requirement;
        let folder = root().join("suites/src/services").join(row.service.name());
        let file = folder.join(format!("{}.rs", row.group));
        if !file.is_file() && !folder.join(row.group).join("mod.rs").is_file() {
            missing.insert(file.display().to_string());
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn no_source_file_is_too_long() {
    // Except for tables of rows and generated text.
    const LONGEST: usize = 800;
    let lengths: BTreeMap<String, usize> = ["spec", "sim", "vectors", "suites", "benches"]
        .iter()
        .flat_map(|layer| rust_files(&root().join(layer).join("src")))
        .map(|file| {
            (file.display().to_string(), std::fs::read_to_string(&file).unwrap_or_default().lines().count())
        })
        .filter(|(_, lines)| *lines > LONGEST)
        .collect();
    assert!(lengths.is_empty(), "{lengths:?}");
}

#[test]
fn unsafe_code_is_in_one_file() {
    let word = ["un", "safe"].concat();
    let uses = |text: &str| {
        let code = text.lines().map(str::trim).filter(|line| !line.starts_with("//"));
        code.filter(|line| line.contains(&format!("{word} {{")) || line.contains(&format!("{word} fn")))
            .count()
    };
    let mut found = BTreeMap::new();
    for (layer, _) in ARROWS {
        let manifest = std::fs::read_to_string(root().join(layer).join("Cargo.toml")).expect("a manifest");
        assert!(manifest.contains("[lints]\nworkspace = true"), "{layer} has lints of its own");
        for file in rust_files(&root().join(layer)) {
            let count = uses(&std::fs::read_to_string(&file).expect("a source file"));
            if count > 0 {
                found.insert(file.strip_prefix(root()).expect("a file of the project").to_owned(), count);
            }
        }
    }
    let only = PathBuf::from("spec/multi-sha256/src/x86/mod.rs");
    assert_eq!(found, BTreeMap::from([(only, 3)]));
}

#[test]
fn every_function_is_named_after_what_it_does() {
    const EMPTY: [&str; 3] = ["of", "one", "ask"];
    for file in ARROWS.iter().flat_map(|(layer, _)| rust_files(&root().join(layer))) {
        let text = std::fs::read_to_string(&file).expect("a source file");
        let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let empty = words.windows(2).find(|pair| pair[0] == "fn" && EMPTY.contains(&pair[1]));
        assert_eq!(empty, None, "{}: name the function after what it returns or does", file.display());
    }
}

pub(crate) fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

#[test]
fn no_file_uses_the_old_words() {
    let list = include_str!("../words.txt").to_lowercase();
    let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let (allowed, words): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with("allow "));
    let allowed: Vec<&str> = allowed.iter().filter_map(|line| line.strip_prefix("allow ")).collect();
    let mut found = Vec::new();
    for file in prose_files() {
        let text = std::fs::read_to_string(&file).expect("a file in UTF-8").to_lowercase();
        for (number, line) in text.lines().enumerate() {
            let line = allowed.iter().fold(line.to_owned(), |line, phrase| line.replace(phrase, " "));
            let used = words.iter().filter(|word| line.contains(**word));
            found.extend(used.map(|word| format!("{}:{}: {word:?}", file.display(), number + 1)));
        }
    }
    assert!(found.is_empty(), "reword these lines (suites/tests/words.txt):\n{}", found.join("\n"));
}

/// Every file that people read: code, scripts, pages and settings. Generated data is not among them, nor the changelog,
/// which lists what was renamed.
fn prose_files() -> Vec<PathBuf> {
    const ENDINGS: [&str; 8] = ["rs", "md", "toml", "py", "mjs", "js", "css", "html"];
    // The scripts in `.ci` have no ending.
    let is_prose = |path: &Path| match path.extension() {
        Some(ending) => ENDINGS.iter().any(|one| ending == *one),
        None => path.parent().and_then(Path::file_name).is_some_and(|folder| folder == ".ci"),
    };
    let mut files = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            if path.is_dir() {
                let has_prose = !["target", ".git", "node_modules", "data"].contains(&&*name);
                folders.extend(has_prose.then_some(path));
            } else if name != "CHANGELOG.md" && is_prose(&path) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

#[test]
fn every_path_that_contributors_read_exists() {
    for page in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = std::fs::read_to_string(root().join(page)).expect("a page");
        let layers =
            ["spec/", "sim/", "vectors/", "suites/", "benches/", "docs/", "fuzz/", ".ci/", ".cargo/"];
        let named = text.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
        let paths: Vec<&str> = named
            .filter(|name| layers.iter().any(|layer| name.starts_with(layer)) && !name.contains(' '))
            // What libFuzzer writes.
            .filter(|name| *name != "fuzz/artifacts/")
            .collect();
        assert!(paths.len() > 30, "{page} names {} paths", paths.len());
        for path in paths {
            let exists = |service: &Service| {
                let path = path.replace("<service>", service.name());
                path.contains(['<', '*']) || root().join(path).exists()
            };
            assert!(Service::ALL.iter().any(exists), "{page} names {path}, which does not exist");
        }
    }
}

//! The project keeps its structure: layers, services on every layer, names once.

use assay_suites::services;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use assay_spec::Service;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The layers, and the layers that each may depend on.
const ARROWS: [(&str, &[&str]); 7] = [
    ("spec", &["sha256"]),
    ("sim", &["spec"]),
    ("vectors", &["spec", "sha256"]),
    ("suites/macros", &[]),
    ("suites", &["spec", "vectors", "sim", "suites-macros"]),
    ("command", &["spec", "vectors", "sim", "suites"]),
    ("benches", &["spec", "sim", "vectors", "suites"]),
];

#[test]
fn manifests_have_no_dependency_but_the_layers() {
    for (layer, allowed) in ARROWS {
        let text = std::fs::read_to_string(root().join(layer).join("Cargo.toml")).expect("a manifest");
        let manifest: toml::Table = toml::from_str(&text).expect("TOML");
        for section in ["dependencies", "dev-dependencies"] {
            let names =
                manifest.get(section).and_then(toml::Value::as_table).into_iter().flat_map(toml::Table::keys);
            for name in names.filter_map(|name| name.strip_prefix("assay-conformance-")) {
                assert!(allowed.contains(&name), "{layer} must not depend on {name}");
            }
        }
    }
}

#[test]
fn only_the_embedded_folder_knows_the_simulator() {
    let files = ["suites/src", "command/src"].map(|folder| rust_files(&root().join(folder)));
    for file in files.into_iter().flatten() {
        let inside = file.components().any(|part| part.as_os_str() == "embedded");
        let command = file.ends_with("cli/sim.rs");
        let text = std::fs::read_to_string(&file).expect("a source file");
        let knows = text.contains("assay_sim");
        assert!(inside || command || !knows, "{} knows the simulator", file.display());
    }
}

/// The folders of `suites/src`, the lowest layer first. Each imports only those before it.
const FOLDERS: [&str; 12] = [
    "support",
    "http",
    "profile",
    "documents",
    "harness",
    "services",
    "report",
    "onboarding",
    "rerun",
    "testing",
    "watch",
    "embedded",
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
fn commands_do_not_import_the_program_that_runs_them() {
    for file in rust_files(&root().join("command/src/cli")) {
        let text = std::fs::read_to_string(&file).expect("a source file");
        assert!(!text.contains("use crate::"), "{} imports from main.rs", file.display());
    }
    let main = std::fs::read_to_string(root().join("command/src/main.rs")).expect("a source file");
    assert!(main.lines().count() <= 150, "main.rs only starts the command");
}

#[test]
fn suites_have_one_folder_for_each_layer() {
    let entries = std::fs::read_dir(root().join("suites/src")).expect("a folder").flatten();
    let names: BTreeSet<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let known: BTreeSet<String> = FOLDERS.into_iter().chain(["lib.rs"]).map(str::to_owned).collect();
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

/// The files of the harness that may import each other in a circle: a check takes a probe, which knows the suites.
const CIRCLE: usize = 5;

/// The files below the harness by module path, such as `judge::cause`, with what each imports.
fn imports_of_the_harness() -> BTreeMap<String, BTreeSet<String>> {
    let root = root().join("suites/src/harness");
    let name = |file: &Path| {
        let path = file.strip_prefix(&root).expect("below the folder").with_extension("");
        let parts: Vec<String> = path
            .iter()
            .map(|part| part.to_string_lossy().into_owned())
            .filter(|part| part != "mod")
            .collect();
        parts.join("::")
    };
    let files: Vec<PathBuf> = rust_files(&root);
    let names: BTreeSet<String> = files.iter().map(|file| name(file)).collect();
    let mut all = BTreeMap::new();
    for file in files {
        let own = name(&file);
        let text = std::fs::read_to_string(&file).expect("a source file");
        let code: String = without_tests(&text)
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .flat_map(|line| [line.trim(), " "])
            .collect();
        // `use crate::harness::{a::b, c}` is a path for each element.
        let mut found = BTreeSet::new();
        let folder = own.rsplit_once("::").map_or("", |(folder, _)| folder);
        for (start, base) in [("crate::harness::", ""), ("super::", folder), ("self::", own.as_str())] {
            for rest in code.split(start).skip(1) {
                let end = rest.find([';', '(', '<', ')', ',']).unwrap_or(rest.len());
                let end = if rest[..end].contains('{') { rest.find(';').unwrap_or(end) } else { end };
                for path in elements(&rest[..end]) {
                    let path = if base.is_empty() { path } else { format!("{base}::{path}") };
                    let known = names.iter().filter(|name| {
                        path == **name
                            || path.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with("::"))
                    });
                    found.extend(known.max_by_key(|name| name.len()).filter(|name| **name != own).cloned());
                }
            }
        }
        all.insert(own, found);
    }
    all
}

/// `a::{b, c::{d, e}}` as `a::b`, `a::c::d`, `a::c::e`.
fn elements(path: &str) -> Vec<String> {
    let Some((head, inner)) = path.split_once('{') else { return vec![path.trim().to_owned()] };
    let inner = inner.rsplit_once('}').map_or(inner, |(inner, _)| inner);
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for c in inner.chars() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if c == ',' && depth == 0 {
            parts.push(String::new());
        } else {
            parts.last_mut().expect("one part").push(c);
        }
    }
    let parts = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty());
    parts.flat_map(|part| elements(&format!("{}{part}", head.trim()))).collect()
}

#[test]
fn few_files_of_the_harness_import_each_other_in_a_circle() {
    let imports = imports_of_the_harness();
    assert!(imports["check"].contains("probe") && imports["probe"].contains("suite"), "{imports:#?}");
    let reached = |from: &str| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![from.to_owned()]);
        while let Some(one) = next.pop() {
            next.extend(imports[&one].iter().filter(|other| seen.insert((*other).clone())).cloned());
        }
        seen
    };
    let reaches: BTreeMap<&String, BTreeSet<String>> =
        imports.keys().map(|name| (name, reached(name))).collect();
    for (name, others) in &reaches {
        let circle: Vec<&String> = others.iter().filter(|other| reaches[*other].contains(*name)).collect();
        assert!(circle.len() <= CIRCLE, "{name} is in a circle of {circle:?}");
    }
}

#[test]
fn elements_of_a_path_are_separated() {
    assert_eq!(elements("a::{b, c::{d, e}}"), ["a::b", "a::c::d", "a::c::e"]);
    assert_eq!(elements("a::b"), ["a::b"]);
}

/// Names of values that hold words for readers.
const WORDS: [&str; 9] = ["reason", "said", "why", "words", "title", "note", "remark", "cause", "place"];
/// Methods that compare a string.
const COMPARISONS: [&str; 6] =
    ["starts_with", "ends_with", "contains", "split", "split_once", "strip_prefix"];
/// What reads words to make other words, and decides no verdict: `assay doctor` finds a remedy for the reason of a plan, and a
/// survey names each URL once.
const REMEDIES: [&str; 2] = ["harness/survey.rs", "onboarding/doctor/points.rs"];

/// The lines of code that compare the content of such a value.
fn comparisons_of_words(text: &str) -> Vec<&str> {
    let compares = |line: &&str| {
        COMPARISONS.iter().any(|method| {
            line.match_indices(&format!(".{method}(")).any(|(at, _)| {
                let before = &line[..at];
                let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
                WORDS.contains(&&before[start..])
            })
        })
    };
    let code = without_tests(text).lines().map(str::trim).filter(|line| !line.starts_with("//"));
    code.filter(compares).collect()
}

#[test]
fn no_decision_compares_words() {
    assert_eq!(comparisons_of_words("if outcome.reason.starts_with(X) {\n").len(), 1);
    assert!(comparisons_of_words("if body.starts_with(X) && seen.contains(&reason) {\n").is_empty());
    let root = root().join("suites/src");
    let mut found = Vec::new();
    // `report` makes words; checks read the words of a target; `http` reads bytes.
    for folder in ["harness", "rerun", "onboarding", "embedded", "cli"] {
        for file in rust_files(&root.join(folder)) {
            let name = file.strip_prefix(&root).expect("below the folder").display().to_string();
            let text = std::fs::read_to_string(&file).expect("a source file");
            if REMEDIES.contains(&name.as_str()) {
                continue;
            }
            found.extend(comparisons_of_words(&text).into_iter().map(|line| format!("{name}: {line}")));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
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
    let lengths: BTreeMap<String, usize> = ["spec", "sim", "vectors", "suites", "command", "benches"]
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
    assert!(found.is_empty(), "reword these lines (command/tests/words.txt):\n{}", found.join("\n"));
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
            if path.is_symlink() {
                // A page that a package links to.
                continue;
            }
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
        let layers = [
            "spec/", "sim/", "vectors/", "suites/", "command/", "benches/", "docs/", "fuzz/", ".ci/",
            ".cargo/",
        ];
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

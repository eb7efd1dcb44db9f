//! The README and the pages of `docs/` are true. The info string of a block of code says what a test does with it:
//!
//! | info string | meaning |
//! |---|---|
//! | `sh` | commands; each must end with exit code 0, or with the one in its comment `# exit code N` |
//! | `console` | commands after `$ ` and what each prints |
//! | `text` | what the last command before it printed |
//! | `toml FILE` | a profile, baseline, map of rules, or a scenario with that in its name; it is written to FILE, for the commands below it |
//! | `python`, `js` | examples of the packages; `.ci/installed` runs them |
//! | `rust` | the example on the front page of a library, where it is a test |
//! | `json`, `yaml` | parsed; the pipelines in `yaml` blocks are run by `.ci/interop` |
//! | … `no-run: REASON` | not executed, or not compared |
//! | … `needs PROGRAM` | not executed where PROGRAM is not installed |
//! | … `checkout` | the commands run in a checkout |
//! | … `from PAGE` | the same block is on that page, where it is executed |

mod follow;
mod page;
mod shown;
mod terminal;

use std::collections::BTreeMap;
use std::sync::Mutex;

use assay_sim::scenario::Scenario;
use assay_spec::Service;
use assay_suites::harness::judge::baseline::Baseline;
use assay_suites::onboarding::draft::Draft;
use assay_suites::profile::{self, Key, Profile};
use assay_suites::services;
use assay_suites::services::SUITES;
use page::{Page, root};

/// How many pages are read at the same time.
const READERS: usize = 2;

#[test]
fn every_command_does_what_its_page_shows() {
    let pages = Mutex::new(Page::all());
    let findings = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..READERS {
            scope.spawn(|| {
                loop {
                    let page = pages.lock().expect("no panic").pop();
                    let Some(page) = page else { break };
                    let found = follow::follow(&page);
                    findings.lock().expect("no panic").extend(found);
                }
            });
        }
    });
    let findings = findings.into_inner().expect("no panic");
    assert!(findings.is_empty(), "\n{}", findings.join("\n\n"));
}

#[test]
fn every_block_says_what_it_is_and_every_file_in_it_is_valid() {
    let mut findings = Vec::new();
    for page in Page::all() {
        for block in page.blocks() {
            let text = block.body.join("\n");
            let name = format!("{}:{}", page.name, block.line);
            let is_run = ["sh", "console", "text", "python", "js"].contains(&block.kind);
            let rest = block.rest.trim_start_matches("checkout").trim_start();
            let rest_is_known = match rest.split_once(' ') {
                Some((word, more)) => {
                    is_run && ["no-run:", "from", "needs"].contains(&word) && !more.is_empty()
                }
                None if is_run => rest.is_empty(),
                None => (block.kind == "toml") != rest.is_empty(),
            };
            let parsed = match block.kind {
                "sh" | "console" | "text" | "yaml" | "python" | "js" => Ok(()),
                "rust" if page.name == "docs/style.md" => Ok(()),
                "rust" => is_example(&text).then_some(()).ok_or_else(|| "no library shows this".to_owned()),
                "json" => {
                    serde_json::from_str::<serde_json::Value>(&text).map(drop).map_err(|e| e.to_string())
                }
                "toml" if text.contains("[[known]]") => Baseline::parse(&text, &name).map(drop),
                "toml" if text.contains("[rules]") => {
                    assay_vectors::run::Names::parse(&name, &text).map(drop)
                }
                "toml" if block.rest.contains("scenario") => {
                    Scenario::parse(&name, &text).map(drop).map_err(|wrong| wrong.to_string())
                }
                "toml" => Profile::parse(&text, &name).map(drop).map_err(|e| e.to_string()),
                kind => Err(format!("the kind {kind:?} is unknown")),
            };
            findings.extend(parsed.err().map(|why| format!("{name}: {why}")));
            findings.extend(
                (!rest_is_known).then(|| format!("{name}: the info string is not known: {}", block.rest)),
            );
        }
    }
    assert!(findings.is_empty(), "\n{}", findings.join("\n"));
}

/// Whether the front page of a library has this code.
fn is_example(code: &str) -> bool {
    let read =
        |library| std::fs::read_to_string(root().join(library).join("README.md")).expect("a front page");
    ["sim", "suites", "spec", "vectors"].into_iter().any(|library| read(library).contains(code))
}

#[test]
fn every_page_says_what_it_is_for_and_where_to_go_on() {
    let readme = Page::named("README.md");
    for page in Page::all().into_iter().filter(|page| page.name != "README.md") {
        let name = &page.name;
        let prose = page.prose();
        let mut lines = prose.iter().map(|(_, line)| *line).filter(|line| !line.is_empty());
        assert!(lines.next().is_some_and(|line| line.starts_with("# ")), "{name} begins with its title");
        assert!(
            lines.next().is_some_and(|line| line.starts_with("This page ")),
            "{name}: what is this page for?"
        );
        let last = page.text.split("\n## ").last().unwrap_or_default();
        assert!(
            last.starts_with("Where to go on\n") && last.contains("]("),
            "{name}: where does a reader go on?"
        );
        assert!(readme.text.contains(&format!("({name})")), "the README does not name {name}");
    }
    assert!(readme.text.lines().count() <= 150, "the README is short");
}

/// The tests do not build the program once more, so `.ci/run` executes these commands, with another profile.
#[test]
fn every_cargo_command_of_the_readme_is_a_step_of_ci() {
    let command = |line: &str| -> String {
        let line = line.split(" #").next().unwrap_or_default();
        line.split_whitespace()
            .filter(|word| !["--release", "--debug"].contains(word))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let ci = std::fs::read_to_string(root().join(".ci/run")).expect(".ci/run");
    let steps: Vec<String> = ci.lines().filter_map(|line| line.strip_prefix("step ")).map(command).collect();
    let readme = Page::named("README.md");
    let blocks = readme.blocks();
    let lines = blocks.iter().filter(|block| block.kind == "sh").flat_map(|block| &block.body);
    let commands: Vec<String> =
        lines.filter(|line| line.starts_with("cargo ")).map(|line| command(line)).collect();
    assert_eq!(commands.len(), 3, "{commands:?}");
    for wanted in commands {
        assert!(steps.contains(&wanted), "no step of .ci/run is `{wanted}`");
    }
}

#[test]
fn every_link_leads_to_a_page_and_its_section() {
    for page in Page::all() {
        let folder = root().join(&page.name).parent().expect("a folder").to_owned();
        let targets = page.text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.contains("://")) {
            let (file, section) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() { root().join(&page.name) } else { folder.join(file) };
            let text =
                std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {target}: {e}", page.name));
            let other = Page { name: target.to_owned(), text };
            let is_there = section.is_empty() || other.anchors().iter().any(|anchor| anchor == section);
            assert!(is_there, "{}: {target}: no such section", page.name);
        }
    }
}

#[test]
fn every_service_has_its_page_with_its_groups_and_a_complete_profile() {
    let draft = Draft::default().text();
    for service in Service::ALL {
        let page = Page::named(&format!("docs/services/{service}.md"));
        assert!(page.text.lines().count() <= 165, "{} is short", page.name);
        let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
        for check in services::checks().iter().filter(|check| check.requirement.service == *service) {
            *groups.entry(check.requirement.group).or_default() += 1;
        }
        let rows: BTreeMap<&str, usize> = page.text.lines().filter_map(group).collect();
        assert_eq!(rows, groups, "{}: the table of groups", page.name);
        let blocks = page.blocks();
        let profile = blocks.iter().find(|block| block.kind == "toml").expect("a profile");
        let (on, shown) = (keys(&profile.body, false), keys(&profile.body, true));
        assert!(on.contains(&service.to_string()), "{}: no table of the service", page.name);
        let lines: Vec<&str> = draft.lines().collect();
        let known = keys(&lines, true).into_iter().filter(|key| key.starts_with(&format!("{service}.")));
        let missing: Vec<String> = known.filter(|key| !shown.contains(key)).collect();
        assert!(missing.is_empty(), "{}: its profile does not show {missing:?}", page.name);
    }
}

/// A row of the table of groups: its name and its number of checks.
fn group(line: &str) -> Option<(&str, usize)> {
    let (name, rest) = line.strip_prefix("| `")?.split_once("` | ")?;
    Some((name, rest.split_once(" | ")?.0.parse().ok()?))
}

/// The keys in a profile, such as `drop.limits.drops_per_hour`; with `off` also those that are comments (`#key = …`).
fn keys(lines: &[&str], off: bool) -> Vec<String> {
    let mut table = String::new();
    let mut keys = Vec::new();
    for line in lines {
        let line = if off { line.strip_prefix('#').unwrap_or(line) } else { line };
        if let Some(name) = line.strip_prefix("[[").or_else(|| line.strip_prefix('[')) {
            table = format!("{}.", name.split(']').next().unwrap_or_default());
            keys.push(table.trim_end_matches('.').to_owned());
        } else if let Some((key, _)) = line.split_once(" = ").filter(|(key, _)| !key.contains([' ', '#'])) {
            keys.push(format!("{table}{key}"));
        }
    }
    keys
}

#[test]
fn the_page_of_the_profile_has_a_row_for_each_key() {
    let page = Page::named("docs/profile.md");
    let row = |key: &Key| format!("| `{}` | `{}` | {} |", key.path(), key.example, key.about());
    let expected: Vec<String> = profile::keys().filter(|key| !key.example.is_empty()).map(row).collect();
    let rows: Vec<&str> = page.text.lines().filter(|line| line.starts_with("| `")).collect();
    assert_eq!(rows.join("\n"), expected.join("\n"), "the rows of docs/profile.md");
}

#[test]
fn the_page_of_readings_has_a_row_for_each() {
    let page = Page::named("docs/readings.md");
    let mut expected = Vec::new();
    for reading in SUITES.readings(&[]) {
        let key = reading.key.split_once('.').map_or(reading.key, |(_, key)| key);
        let default = reading.default.map_or("undeclared".to_owned(), |default| format!("`{default}`"));
        let silent = match reading.silent.len() {
            0 => String::new(),
            1 => " By default one check is skipped.".to_owned(),
            n => format!(" By default {n} checks are skipped."),
        };
        let (values, means, source) = (reading.values, reading.means, reading.source());
        expected.push(format!("| `{key}` | {values} | {default} | {means}{silent} | {source} |"));
    }
    let rows: Vec<&str> = page.text.lines().filter(|line| line.starts_with("| `")).collect();
    assert_eq!(rows.join("\n"), expected.join("\n"), "the rows of docs/readings.md");
}

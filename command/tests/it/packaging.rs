//! The image and the toolchain: what no compiler reads.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::structure::rust_files;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn table(path: &str) -> toml::Table {
    toml::from_str(&read(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The instructions of the recipe: name and arguments.
fn instructions(recipe: &str) -> Vec<(&str, Vec<&str>)> {
    let lines = recipe.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .filter_map(|line| line.split_once(' '))
        .map(|(name, rest)| (name, rest.split(' ').collect()))
        .collect()
}

#[test]
fn image_runs_the_built_program_without_root() {
    let recipe = read("Containerfile");
    let instructions = instructions(&recipe);
    let of = |wanted: &str| -> Vec<&[&str]> {
        let all = instructions.iter().filter(|(name, _)| *name == wanted);
        all.map(|(_, arguments)| arguments.as_slice()).collect()
    };

    let mut sources = BTreeSet::new();
    let mut built = None;
    for arguments in of("COPY") {
        match arguments {
            ["--from=build", from, to] => built = Some((*from, *to)),
            [from @ .., _] => sources.extend(from.iter().copied()),
            [] => panic!("COPY without arguments"),
        }
    }
    for source in &sources {
        assert!(root().join(source).exists(), "{source} is missing");
    }
    let workspace = table("Cargo.toml");
    for member in workspace["workspace"]["members"].as_array().expect("members") {
        let member = Path::new(member.as_str().expect("a name"));
        let is_copied = sources.iter().any(|source| member.starts_with(source));
        assert!(is_copied, "{} is not copied", member.display());
    }

    // What the sources include from outside the packages, such as the pages of `assay help`.
    for path in included() {
        let is_copied = sources.iter().any(|source| Path::new(&path).starts_with(source));
        assert!(is_copied, "{path} is included and not copied");
    }

    let (from, to) = built.expect("the program is copied from the first stage");
    let runs = of("RUN");
    let built = runs.iter().find_map(|run| run.windows(2).find(|pair| pair[0] == "--profile"));
    let profile = built.expect("the program is built with a profile")[1];
    assert!(workspace["profile"].get(profile).is_some(), "{profile} is declared");
    assert_eq!(from, format!("/assay/target/{profile}/assay"));
    let entry = format!("[\"{to}\"]");
    assert_eq!(of("ENTRYPOINT"), [[&*entry].as_slice()]);
    let users = of("USER");
    let user = users.last().and_then(|user| user[0].split(':').next()).and_then(|id| id.parse::<u32>().ok());
    assert!(user.is_some_and(|id| id > 0), "a user with a number other than 0: {users:?}");
    for image in of("FROM") {
        let tag = image[0].rsplit_once(':').map_or("", |(_, tag)| tag);
        assert!(
            tag.contains('.') && tag.starts_with(|c: char| c.is_ascii_digit()),
            "{}: pin a version",
            image[0]
        );
    }
}

/// The pages that the program includes: those of `assay help`.
fn included() -> BTreeSet<String> {
    let text = read("command/src/cli/help.rs");
    let is_page = |part: &&str| part.strip_suffix(".md").is_some_and(|stem| !stem.contains(' '));
    let paths: BTreeSet<String> = text.split('"').filter(is_page).map(str::to_owned).collect();
    assert!(paths.len() > 10, "the help includes pages");
    paths
}

#[test]
fn pipelines_name_the_image_of_this_version() {
    let version = table("Cargo.toml")["workspace"]["package"]["version"].to_string();
    let image = format!("assay:{}", version.trim_matches('"'));
    let page = read("docs/ci.md");
    let named: Vec<&str> = page.lines().filter_map(|line| line.trim().strip_prefix("image: ")).collect();
    assert_eq!(named, [&image, &image]);
    assert!(page.contains(&format!("podman build --tag {image} .")));
}

#[test]
fn a_release_is_stripped_and_unwinds() {
    let release = &table("Cargo.toml")["profile"]["release"];
    assert_eq!(release.get("strip").and_then(toml::Value::as_bool), Some(true));
    assert!(release.get("panic").is_none(), "a panic in one request must not end the simulator");
}

/// The crates of a build with their features: one line each.
fn built(package: &[&str], edges: &str) -> BTreeSet<String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([
        "tree",
        "--locked",
        "--offline",
        "--prefix",
        "none",
        "--format",
        "{p} {f}",
        "--edges",
        edges,
    ]);
    let tree = cargo.args(package).current_dir(root()).output().expect("cargo runs");
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let lines = String::from_utf8_lossy(&tree.stdout).into_owned();
    lines.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect()
}

/// Cargo compiles a crate once for each set of its features, and everything that depends on it.
#[test]
fn what_is_tested_has_the_features_of_what_ships() {
    let tested = built(&["--workspace"], "normal,dev");
    for edges in ["normal", "normal,dev"] {
        let ships = built(&["--package", "assay-conformance"], edges);
        let other: Vec<&String> = ships.difference(&tested).collect();
        assert!(
            !ships.is_empty() && other.is_empty(),
            "add the features of the tests to Cargo.toml: {other:#?}"
        );
    }
}

#[test]
fn one_toolchain_is_pinned() {
    let channel =
        table("rust-toolchain.toml")["toolchain"]["channel"].as_str().expect("a channel").to_owned();
    assert_eq!(channel.split('.').count(), 3, "{channel}: pin major, minor and patch");
    let package = &table("Cargo.toml")["workspace"]["package"];
    let least = package["rust-version"].as_str().expect("a version");
    assert!(channel.starts_with(&format!("{least}.")), "{least} is not the version of {channel}");
    assert_eq!(table("fuzz/Cargo.toml")["package"]["rust-version"].as_str(), Some(least));
    assert!(read("Containerfile").contains(&format!("/rust:{channel}-")), "the image has another version");
}

#[test]
fn random_tests_draw_fixed_cases_except_with_the_documented_command() {
    let seed = "PROPTEST_RNG_SEED";
    assert!(table(".cargo/config.toml")["env"][seed].is_str());
    let page = read("CONTRIBUTING.md");
    let mut commands = page.lines().filter(|line| line.starts_with("PROPTEST_CASES="));
    let command = commands.next().expect("the command that draws new cases");
    let (_, config) = command.split_once(" --config '").expect("its configuration");
    let config: toml::Table = toml::from_str(config.trim_end_matches('\'')).expect("TOML");
    assert_eq!(config["target"]["cfg(all())"]["runner"], toml::Value::from(vec!["env", "-u", seed]));
    // A seed of its own would make a test draw the same cases with any command.
    let own = ["rng_", "seed"].concat();
    for layer in ["spec", "sim", "vectors", "suites", "command"] {
        for file in rust_files(&root().join(layer)) {
            let text = std::fs::read_to_string(&file).expect("a source file");
            assert!(!text.contains(&own), "{} has a seed of its own", file.display());
        }
    }
}

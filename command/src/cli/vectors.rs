//! `assay vectors` and `assay shim`: the golden cases, and programs tested against them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use assay_spec::names::did_you_mean;
use assay_spec::requirement::Evidence;
use assay_suites::report;
use assay_suites::support::files;
use assay_suites::support::prose;
use assay_vectors::collection::FILE_LIMIT;
use assay_vectors::reading::{READINGS, Reading};
use assay_vectors::{
    Case, Collection, Expect, cases, drift, explain, generate, lint, manifest, pack, shim, witness,
};
use clap::Subcommand;

use super::{Ending, is_coloured};

mod run;

/// The end of the help of `assay shim`.
pub(crate) const SHIM_HELP: &str = "Example:\n  assay vectors run -- assay shim\n\nExit codes: 0 standard input has ended, 4 standard output cannot be written";

#[derive(Subcommand)]
pub(crate) enum What {
    /// List the cases
    #[command(after_help = "Exit codes: 0 printed, 2 a filter matches no case")]
    List {
        /// Only cases whose id or operation contains one of these strings
        filters: Vec<String>,
    },
    /// Explain one case step by step, or write an HTML page of all cases
    #[command(
        after_help = "Examples:\n  assay vectors explain publish/check-message/trailing-byte\n  assay vectors explain --html vectors.html\n\nDifferences from the base case are red on a terminal (unless NO_COLOR is set) and in brackets elsewhere\n\nExit codes: 0 explained, 2 no such case, or the page cannot be written"
    )]
    Explain {
        /// Id of the case
        #[arg(required_unless_present = "html")]
        id: Option<String>,
        /// Write all cases as one self-contained HTML page
        #[arg(long, value_name = "FILE", conflicts_with = "id")]
        html: Option<PathBuf>,
    },
    /// List the rules that reject cases name, with their requirements
    #[command(after_help = "Exit codes: 0 printed, 2 bad arguments")]
    Rules,
    /// Lint the collection: form, provenance, coverage, and that each reject case breaks only its own rule
    #[command(after_help = "Exit codes: 0 no finding, 1 a finding, 2 the copy cannot be read")]
    Lint {
        /// Lint this copy instead: a folder or a tar
        dir: Option<PathBuf>,
    },
    /// Count cases and witnesses by operation, and compare every file with the manifest
    #[command(after_help = "Exit codes: 0 as the manifest says, 1 a finding, 2 bad arguments")]
    Verify,
    /// Regenerate the generated files
    #[command(
        after_help = "With --only the manifest is left as it is.\n\nExit codes: 0 as generated, 1 stale or unknown files (with --check), 2 the folder cannot be written"
    )]
    Generate {
        /// Write nothing; fail if a file would change
        #[arg(long)]
        check: bool,
        /// Data folder of a checkout
        #[arg(long, value_name = "DIR", default_value = "vectors/data")]
        into: PathBuf,
        /// Only files whose path contains this, such as publish/domain (repeatable)
        #[arg(long, value_name = "TEXT")]
        only: Vec<String>,
    },
    /// Write a release: a reproducible tar and its SHA-256 file
    #[command(after_help = "Exit codes: 0 written, 2 the file cannot be written")]
    Pack {
        /// Output file; the default is the release's name in the current folder
        #[arg(value_name = "OUT")]
        out: Option<PathBuf>,
    },
    /// Compare a vendored copy with this collection, or two releases
    #[command(after_help = "Exit codes: 0 the same, 1 it differs, 2 it cannot be read")]
    Drift {
        /// The copy: a release tar, its unpacked folder, or a data folder
        #[arg(value_name = "DIR")]
        dir: PathBuf,
        /// Compare with this release in place of the collection of this program
        #[arg(value_name = "RELEASE")]
        with: Option<PathBuf>,
    },
    /// List the readings that cases rest on: what each one means, and what else a program may do
    #[command(after_help = "Exit codes: 0 printed, 2 bad arguments")]
    Readings,
    /// Test a program that speaks the JSON-lines protocol
    #[command(after_help = run::HELP)]
    Run(run::RunArgs),
    /// Compare programs in one table, from the files that run --json wrote; the reference is the first column
    #[command(after_help = "Exit codes: 0 printed, 2 a file is not a result, or of another collection")]
    Compare {
        /// Results of run --json
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
}

pub(crate) fn vectors(what: What) -> Result<(), Ending> {
    match what {
        What::List { filters } => list(&filters),
        What::Explain { id: Some(id), .. } => {
            let all = cases();
            let case = all.iter().find(|case| case.id == id).ok_or_else(|| unknown(&all, &id))?;
            say(&explain::explain(case, is_coloured()))
        }
        What::Explain { html, .. } => {
            let path = html.ok_or_else(|| Ending::Bad("no case: give an id, or --html FILE".to_owned()))?;
            let page = report::vectors::write();
            put(&path, page.as_bytes())?;
            say(&format!(
                "{}: {}, {} bytes\n",
                path.display(),
                prose::count(cases().len(), "case"),
                page.len()
            ))
        }
        What::Rules => say(&rules()),
        What::Lint { dir } => {
            let collection = dir.as_deref().map_or_else(|| Ok(Collection::embedded()), read)?;
            let findings = lint::lint(&collection);
            say(&lines(&findings))?;
            say(&format!(
                "{}, {}\n",
                prose::count(collection.files().count(), "file"),
                prose::count(findings.len(), "finding")
            ))?;
            if findings.is_empty() { Ok(()) } else { Err(Ending::Code(1)) }
        }
        What::Verify => verify(),
        What::Generate { check, into, only } => write(check, &into, &only),
        What::Pack { out } => pack(out),
        What::Drift { dir, with } => {
            let copy = read(&dir)?;
            let ours = with.as_deref().map_or_else(|| Ok(Collection::embedded()), read)?;
            let differences = drift::drift(&ours, &copy);
            say(&lines(&differences))?;
            if differences.is_empty() {
                return say(&format!("{}: the same\n", dir.display()));
            }
            say(&format!("{}: {}\n", dir.display(), prose::count(differences.len(), "difference")))?;
            Err(Ending::Code(1))
        }
        What::Readings => say(&readings()),
        What::Run(args) => run::run(args),
        What::Compare { files } => run::compare(&files),
    }
}

/// Prints. A closed pipe (as with `head`) is not an error.
fn say(text: &str) -> Result<(), Ending> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(Ending::Failed(e.to_string())),
        _ => Ok(()),
    }
}

fn lines(items: &[impl ToString]) -> String {
    items.iter().map(|item| item.to_string() + "\n").collect()
}

fn read(path: &Path) -> Result<Collection, Ending> {
    Collection::read(path).map_err(|e| Ending::Bad(e.to_string()))
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), Ending> {
    files::write(path, bytes).map_err(|e| Ending::Bad(format!("{}: {e}", path.display())))
}

fn pack(out: Option<PathBuf>) -> Result<(), Ending> {
    let path = out.unwrap_or_else(|| PathBuf::from(format!("{}.tar", pack::FOLDER)));
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let packed = pack::pack(&Collection::embedded());
    let line = pack::sum_line(&packed, &name);
    put(&path, &packed)?;
    let mut beside = path.into_os_string();
    beside.push(".sha256");
    put(Path::new(&beside), line.as_bytes())?;
    say(&line)
}

/// Runs the reference implementation of the protocol.
pub(crate) fn serve() -> Result<(), Ending> {
    shim::serve(std::io::stdin().lock(), std::io::stdout().lock()).map_err(|e| Ending::Failed(e.to_string()))
}

fn unknown(all: &[Case], id: &str) -> Ending {
    let near = did_you_mean(id, all.iter().map(|case| case.id.as_str()));
    // The cases of the same folder, or of the same service.
    let beside = |text: &str| all.iter().any(|case| case.id.starts_with(text));
    let folder = id.rmatch_indices('/').map(|(at, _)| &id[..at]).find(|folder| beside(folder));
    let near = match (near.as_str(), folder) {
        ("", Some(folder)) => format!("; assay vectors list {folder} shows the cases there"),
        ("", None) => "; assay vectors list shows every case".to_owned(),
        _ => near,
    };
    Ending::Bad(if assay_spec::catalogue::requirement(id).is_some() {
        format!("{id:?} is a requirement, not a case; use assay explain {id}")
    } else {
        format!("no case has the id {id:?}{near}")
    })
}

/// Checks that each filter selects a case; the error suggests folders and ids.
fn each_selects(what: &str, filters: &[String], selects: fn(&Case, &str) -> bool) -> Result<(), Ending> {
    let all = cases();
    let Some(text) = filters.iter().find(|text| !all.iter().any(|case| selects(case, text))) else {
        return Ok(());
    };
    let names = all.iter().map(Case::place).chain(all.iter().map(|case| case.id.as_str()));
    let near = did_you_mean(text, names);
    Err(Ending::Bad(format!("{what} {text:?} matches no case{near}; assay vectors list shows every case")))
}

fn list(filters: &[String]) -> Result<(), Ending> {
    let all = cases();
    let selects = |case: &Case, text: &str| case.id.contains(text) || case.op.contains(text);
    each_selects("the filter", filters, selects)?;
    let wanted = |case: &&Case| filters.is_empty() || filters.iter().any(|text| selects(case, text));
    let chosen: Vec<&Case> = all.iter().filter(wanted).collect();
    let line = |case: &&Case| {
        let verdict = if case.is_reject() { "reject" } else { "accept" };
        format!("{verdict}  {:<28} {}\n", case.op, case.id)
    };
    say(&chosen.iter().map(line).collect::<String>())?;
    say(&format!("{}\n", prose::count(chosen.len(), "case")))
}

fn rules() -> String {
    let all = cases();
    let named: BTreeSet<&str> = all
        .iter()
        .filter_map(|case| match &case.expect {
            Expect::Reject { rule, .. } => Some(rule.as_str()),
            Expect::Accept { .. } => None,
        })
        .collect();
    let mut text = String::new();
    for row in assay_spec::catalogue::requirements().filter(|row| named.contains(row.rule)) {
        text += &format!(
            "{:<28} {:<42} {} ({}, {})\n",
            row.rule,
            row.to_string(),
            row.statement(),
            row.level.name(),
            row.source()
        );
    }
    text
}

fn readings() -> String {
    let all = cases();
    let block = |reading: &Reading| {
        let cases = all.iter().filter(|case| case.reading.as_deref() == Some(reading.name)).count();
        let place = assay_spec::catalogue::requirement(reading.requirement)
            .map_or_else(String::new, |row| format!("{row}, {}", row.source()));
        let lines = [reading.meaning.to_owned(), format!("Otherwise: {}", reading.other), place];
        let lines: String = lines.iter().map(|line| prose::wrap("  ", line)).collect();
        format!("{} ({})\n{lines}\n", reading.name, prose::count(cases, "case"))
    };
    let mut text: String = READINGS.iter().map(block).collect();
    text += &format!("{}\n", prose::count(READINGS.len(), "reading"));
    text
}

fn verify() -> Result<(), Ending> {
    let found = lint::lint(&Collection::embedded());
    for (op, count) in &manifest().operations {
        let witnesses: Vec<String> = witness::witnesses()
            .into_iter()
            .filter(|witness| witness.op == *op)
            .map(|witness| {
                format!(
                    "{} ({}): {} accepts, {} rejects",
                    witness.witness,
                    witness.libraries.join(", "),
                    witness.accepts,
                    witness.rejects
                )
            })
            .collect();
        let confirmed = if witnesses.is_empty() { "no witness".to_owned() } else { witnesses.join("; ") };
        say(&format!("{op:<28} {:>3} accepts {:>3} rejects  {confirmed}\n", count.accept, count.reject))?;
    }
    let rows = || assay_spec::catalogue::requirements().filter(|row| row.evidence == Evidence::Vector);
    let refusing = rows().filter(|row| !row.rule.is_empty()).count();
    let quiet = rows().count() - refusing;
    say(&format!(
        "{refusing} requirements reject input: each has accept and reject cases; {quiet} define a result: each has accept cases that need it\n"
    ))?;
    say(&lines(&found))?;
    if found.is_empty() { Ok(()) } else { Err(Ending::Code(1)) }
}

fn write(check: bool, into: &Path, only: &[String]) -> Result<(), Ending> {
    if !into.is_dir() {
        return Err(Ending::Bad(format!(
            "{}: no such folder; give the data folder of a checkout with --into",
            into.display()
        )));
    }
    let generated: BTreeMap<String, Vec<u8>> =
        generate::files_matching(only).into_iter().map(|(name, bytes)| (name.to_owned(), bytes)).collect();
    if generated.is_empty() {
        return Err(Ending::Bad(format!(
            "--only {}: no generated file has this in its path",
            only.join(", ")
        )));
    }
    let mut stale = 0;
    for (name, bytes) in &generated {
        let path = into.join(name);
        if files::read_limited(&path, "a vector file", FILE_LIMIT).is_ok_and(|old| old == *bytes) {
            continue;
        }
        stale += 1;
        say(&format!("{}{}\n", if check { "stale: " } else { "" }, path.display()))?;
        if !check {
            let failed = |e: std::io::Error| Ending::Bad(format!("{}: {e}", path.display()));
            path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(failed)?;
            put(&path, bytes)?;
        }
    }
    let strays = strays(into, &generated)?;
    for name in &strays {
        say(&format!("not written by any generator: {}\n", into.join(name).display()))?;
    }
    if check && stale > 0 {
        say(&format!("to regenerate: assay vectors generate --into {}\n", into.display()))?;
    }
    let done = if check { "stale" } else { "written" };
    say(&format!("{stale} of {} files {done}\n", generated.len()))?;
    if check && stale + strays.len() > 0 { Err(Ending::Code(1)) } else { Ok(()) }
}

/// Files of the folder that are neither generated nor handwritten cases.
fn strays(into: &Path, generated: &BTreeMap<String, Vec<u8>>) -> Result<Vec<String>, Ending> {
    let (own, found) = (Collection::embedded(), read(into)?);
    let is_stray = |path: &&str| {
        let name = path.trim_start_matches(assay_vectors::collection::DATA);
        !generated.contains_key(name) && own.file(path).is_none()
    };
    let names = found.files().map(|(path, _)| path).filter(is_stray);
    Ok(names.map(|path| path.trim_start_matches(assay_vectors::collection::DATA).to_owned()).collect())
}

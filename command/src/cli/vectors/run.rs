//! `assay vectors run` and `assay vectors compare`: programs under the golden cases.

use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_spec::names::did_you_mean;
use assay_suites::report::vectors::json::RunFile;
use assay_suites::report::vectors::{junit, markdown, terminal};
use assay_suites::support::files::{self, startable};
use assay_vectors::op;
use assay_vectors::run::{Baseline, Names, Options, Report, run as start};
use clap::Args;

use super::super::outputs::{read_report, today};
use super::super::{Ending, whole};
use super::{each_selects, put, say};

pub(super) const HELP: &str = "Examples:
  assay vectors run -- assay shim
  assay vectors run --operation vfkey.verify --json result.json -- ./shim
  assay vectors run --map names.toml -- python3 shim.py

A map (TOML) lists the program's error names and the rules that each one covers:
  [rules]
  InvalidDomain = [\"domain.alphabet\", \"domain.hyphen\"]

A baseline (TOML) lists known failures:
  [[known]]
  case = \"publish/domain/upper-case\"
  reason = \"ticket 12\"

The protocol: assay help vectors-protocol

Exit codes: 0 the answers agree, 1 they differ or no case was judged, 2 bad arguments";

#[derive(Args)]
pub(crate) struct RunArgs {
    /// Timeout for one case, in seconds
    #[arg(long, default_value_t = 10, value_parser = whole::<u64>(1..=3600))]
    limit: u64,
    /// Number of cases in flight
    #[arg(long, default_value_t = 64, value_parser = whole::<u16>(1..=1024))]
    window: u16,
    /// Also judge the rule names that the program returns
    #[arg(long)]
    rules: bool,
    /// The program's names for rules (TOML); the rules in it are judged
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// A reading whose cases are judged, not only observed (repeatable)
    #[arg(long = "reading", value_name = "READING")]
    readings: Vec<String>,
    /// Only cases whose id contains this (repeatable)
    #[arg(long = "only", value_name = "TEXT")]
    filter: Vec<String>,
    /// Only cases of this operation (repeatable)
    #[arg(long = "operation", value_name = "OPERATION")]
    operations: Vec<String>,
    /// The known failures of the program (TOML)
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the result as JSON, with every case
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the result as JUnit XML, one test for each case
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the result as Markdown, for a CI summary
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// The program and its arguments
    #[arg(last = true, required = true)]
    command: Vec<String>,
}

pub(super) fn run(args: RunArgs) -> Result<(), Ending> {
    each_selects("--only", &args.filter, |case, text| case.id.contains(text))?;
    let known = op::operations();
    each_known("--operation", &args.operations, "operation", &known)?;
    let readings = assay_vectors::readings();
    let readings: Vec<&str> = readings.iter().map(String::as_str).collect();
    each_known("--reading", &args.readings, "reading", &readings)?;
    let options = Options {
        limit: Duration::from_secs(args.limit),
        window: args.window.into(),
        readings: args.readings.into_iter().collect(),
        rules: args.rules,
        names: args.map.as_deref().map_or_else(|| Ok(Names::default()), names)?,
        filter: args.filter,
        operations: args.operations,
        baseline: args.baseline.as_deref().map_or_else(|| Ok(Baseline::default()), baseline)?,
        ..Options::default()
    };
    startable(&args.command[0]).map_err(Ending::Bad)?;
    let report = start(&args.command, &options);
    for (path, write) in [
        (&args.json, (|report| RunFile::new(report).write()) as fn(&Report) -> String),
        (&args.junit, junit::write),
        (&args.markdown, markdown::write),
    ] {
        if let Some(path) = path {
            put(path, write(&report).as_bytes())?;
        }
    }
    say(&terminal::write(&report))?;
    if report.agrees() { Ok(()) } else { Err(Ending::Code(1)) }
}

pub(super) fn compare(files: &[PathBuf]) -> Result<(), Ending> {
    let mut runs = vec![RunFile::new(&Report::of_the_reference())];
    for path in files {
        let file = read_report(path, RunFile::read)?;
        let own = &runs[0].collection;
        if file.collection != *own {
            return Err(Ending::Bad(format!(
                "{}: made with collection {} ({:.12}), not with {} ({:.12}); run it again",
                path.display(),
                file.collection.version,
                file.collection.sha256,
                own.version,
                own.sha256
            )));
        }
        runs.push(file);
    }
    say(&markdown::compare(&runs))
}

/// Checks that each name is known; the error suggests others.
fn each_known(flag: &str, names: &[String], what: &str, known: &[&str]) -> Result<(), Ending> {
    let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) else { return Ok(()) };
    let near = did_you_mean(name, known.iter().copied());
    Err(Ending::Bad(format!("{flag} {name:?}: there is no such {what}{near}")))
}

fn text(path: &Path, what: &str) -> Result<(String, String), Ending> {
    let text = files::read_text(path, what, files::CONFIGURATION_BYTES);
    Ok((path.display().to_string(), text.map_err(|e| Ending::Bad(e.to_string()))?))
}

fn names(path: &Path) -> Result<Names, Ending> {
    let (name, text) = text(path, "a list of names")?;
    Names::parse(&name, &text).map_err(Ending::Bad)
}

fn baseline(path: &Path) -> Result<Baseline, Ending> {
    let (name, text) = text(path, "a baseline")?;
    Baseline::parse(&name, &text, today()).map_err(Ending::Bad)
}

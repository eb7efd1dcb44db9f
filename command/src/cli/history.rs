//! `assay history`: many reports of a target over time.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use assay_suites::report::history::{History, Summary, html, terminal};
use clap::Args;

use super::outputs::{Named, can_be_written, check_files, read_text};
use super::{Ending, write};

pub(crate) const HELP: &str = "Examples:
  assay history reports/*.json
  assay history reports/*.json --html history.html

The runs are ordered by when they began. If one of the reports does not say when it began (the embedded simulator's runs are equal, so their reports have no time), all are in the order of the command line. Partial reports and reports of earlier versions are read, too. A report that is given twice counts once.

Exit codes: 0 printed, 2 a file is not a report, 4 a file cannot be written";

#[derive(Args)]
pub(crate) struct HistoryArgs {
    /// Reports (JSON)
    #[arg(required = true, value_name = "REPORT")]
    reports: Vec<PathBuf>,
    /// Write the history as one self-contained HTML page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the history as JSON; assay schema history prints the schema
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

pub(crate) fn history(args: &HistoryArgs) -> Result<(), Ending> {
    let mut files: Vec<Named<'_>> = vec![("--html", args.html.as_deref()), ("--json", args.json.as_deref())];
    let written = files.len();
    files.extend(args.reports.iter().map(|path| ("a report", Some(path.as_path()))));
    check_files(&files[..written], &files)?;
    [&args.html, &args.json].into_iter().flatten().try_for_each(|path| can_be_written(path))?;
    let (mut summaries, mut known): (Vec<Summary>, BTreeSet<PathBuf>) = (Vec::new(), BTreeSet::new());
    for path in &args.reports {
        // Only a summary of each report stays in memory.
        let summary = summary(path)?;
        let is_new = path.canonicalize().map_or(true, |path| known.insert(path));
        if !is_new || summaries.iter().any(|one| one.is_same(&summary)) {
            eprintln!("assay: {}: this report was given twice; it counts once", path.display());
        } else {
            summaries.push(summary);
        }
    }
    let history = History::new(summaries);
    if let Some(path) = &args.html {
        write(path, &html::write(&history))?;
    }
    if let Some(path) = &args.json {
        write(path, &history.json())?;
    }
    print!("{}", terminal::write(&history));
    Ok(())
}

fn summary(path: &Path) -> Result<Summary, Ending> {
    let name = path
        .file_name()
        .map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    let read = Summary::read(&name, &read_text(path)?);
    read.map_err(|why| Ending::Bad(format!("{}: {why}", path.display())))
}

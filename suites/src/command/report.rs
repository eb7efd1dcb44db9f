//! Commands over reports: `diff`, `merge`, `judge`, `schema`.

use std::path::PathBuf;

use assay_suites::diff::{Verdicts, diff};
use assay_suites::report::json;
use assay_suites::{judge, merge};
use clap::Args;

use super::outputs::{Gate, Outputs, read_run};
use crate::{Ending, write};

#[derive(Args)]
pub(crate) struct DiffArgs {
    /// The earlier report (JSON)
    old: PathBuf,
    /// The later report (JSON)
    new: PathBuf,
    /// Write the changes as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct MergeArgs {
    /// Reports of shards, or of an interrupted run and its rest (JSON)
    #[arg(required = true)]
    reports: Vec<PathBuf>,
    #[command(flatten)]
    gate: Gate,
    #[command(flatten)]
    outputs: Outputs,
}

#[derive(Args)]
pub(crate) struct JudgeArgs {
    /// The report (JSON)
    report: PathBuf,
}

/// What got worse, what got better, what is new.
pub(crate) fn compare(args: &DiffArgs) -> Result<(), Ending> {
    let read = |path: &PathBuf| -> Result<Verdicts, Ending> {
        let wrong = |why: String| Ending::Bad(format!("{}: {why}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|e| wrong(e.to_string()))?;
        Verdicts::read(&text).map_err(wrong)
    };
    let changes = diff(&read(&args.old)?, &read(&args.new)?);
    print!("{}", changes.text());
    if let Some(path) = &args.json {
        write(path, &format!("{:#}\n", changes.json()))?;
    }
    if changes.holds() { Ok(()) } else { Err(Ending::Code(1)) }
}

/// One report out of several.
pub(crate) fn merge(args: &MergeArgs) -> Result<(), Ending> {
    let gate = args.gate.load()?;
    args.outputs.can_be_written()?;
    let runs = args.reports.iter().map(|path| read_run(path)).collect::<Result<Vec<_>, _>>()?;
    let run = merge::parts(runs).map_err(Ending::Bad)?;
    args.outputs.finish(run, &gate, true)
}

/// Every verdict once more, from what the report holds.
pub(crate) async fn judge(args: JudgeArgs) -> Result<(), Ending> {
    let report = read_run(&args.report)?;
    let judged = judge::judge(&report).await.map_err(Ending::Bad)?;
    print!("{}", judged.text());
    if judged.holds() { Ok(()) } else { Err(Ending::Code(1)) }
}

/// The JSON Schema of a report.
pub(crate) fn schema() {
    print!("{}", json::SCHEMA);
}

//! What becomes of a run: the gate that it passes or not, and the reports.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use assay_suites::baseline::Baseline;
use assay_suites::diff::{self, Verdicts};
use assay_suites::probe::wall_clock;
use assay_suites::report::{annotations, badge, html, json, junit, markdown, sarif, terminal};
use assay_suites::verdict::{Outcome, Run, Verdict};
use clap::Args;

use crate::{Ending, write};

/// What decides beside the verdicts.
#[derive(Args)]
pub(crate) struct Gate {
    /// Failures that are known, with reasons (TOML)
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the failures of this run as a baseline; what the file says of those that stay is kept
    #[arg(long, value_name = "FILE")]
    write_baseline: Option<PathBuf>,
    /// Fail only for what did not fail in an earlier report (JSON)
    #[arg(long, value_name = "FILE")]
    only_new: Option<PathBuf>,
}

/// What writes a report.
type Report = fn(&Run) -> String;

/// Where reports go.
#[derive(Args)]
pub(crate) struct Outputs {
    /// Write the report as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Write the report as `JUnit` XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the report as one HTML page that needs no network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the report as Markdown, for the summary of a job
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write the report as SARIF 2.1.0, for code scanning
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// Write a badge (SVG)
    #[arg(long, value_name = "FILE")]
    badge: Option<PathBuf>,
    /// Print annotations for GitHub after the report
    #[arg(long)]
    annotations: bool,
}

/// A gate whose files have been read.
pub(crate) struct Loaded {
    baseline: Option<Baseline>,
    renew: Option<(PathBuf, Baseline)>,
    only_new: Option<(String, Verdicts)>,
}

impl Gate {
    /// Reads the files, so that a bad one is told before anything is sent.
    pub(crate) fn load(&self) -> Result<Loaded, Ending> {
        let baseline = self.baseline.as_deref().map(Baseline::load).transpose().map_err(Ending::Bad)?;
        let renew = match &self.write_baseline {
            // What is no baseline is not written over.
            Some(path) if path.exists() => {
                let mut known = Baseline::load(path).map_err(Ending::Bad)?;
                known.add(baseline.iter());
                Some((path.clone(), known))
            }
            Some(path) => {
                can_be_written(path)?;
                Some((path.clone(), baseline.clone().unwrap_or_default()))
            }
            None => None,
        };
        let only_new = match &self.only_new {
            Some(path) => {
                let wrong = |why: String| Ending::Bad(format!("{}: {why}", path.display()));
                let text = std::fs::read_to_string(path).map_err(|e| wrong(e.to_string()))?;
                Some((path.display().to_string(), Verdicts::read(&text).map_err(wrong)?))
            }
            None => None,
        };
        Ok(Loaded { baseline, renew, only_new })
    }
}

impl Loaded {
    /// Calls by their names what is known of a run. It is `whole` where no filter and no shard has left checks out.
    pub(crate) fn apply(&self, run: &mut Run, whole: bool) {
        if let Some((_, known)) = &self.renew {
            known.renewed(run).apply(run, today(), whole);
        } else if let Some(baseline) = &self.baseline {
            baseline.apply(run, today(), whole);
        }
        if let Some((name, old)) = &self.only_new {
            diff::forgive(run, old, name);
        }
    }

    /// Whether an outcome is bad, and not known to be.
    pub(crate) fn minds(&self, outcome: &Outcome) -> bool {
        if !outcome.verdict.is_bad() && outcome.verdict != Verdict::Pass {
            return false;
        }
        let mut run = Run { outcomes: vec![outcome.clone()], ..Run::default() };
        self.apply(&mut run, false);
        run.outcomes[0].verdict.is_bad()
    }
}

impl Outputs {
    fn files(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.json, &self.junit, &self.html, &self.markdown, &self.sarif, &self.badge].into_iter().flatten()
    }

    /// Whether the folder of every report is there, so that a long run does not end without one.
    pub(crate) fn can_be_written(&self) -> Result<(), Ending> {
        self.files().try_for_each(|path| can_be_written(path))
    }

    /// Passes a run through the gate, writes and prints its reports, and ends with its code. It is `whole` where no
    /// filter and no shard has left checks out.
    pub(crate) fn finish(&self, mut run: Run, gate: &Loaded, whole: bool) -> Result<(), Ending> {
        let renewed = gate.renew.as_ref().map(|(path, known)| (path, known.renewed(&run)));
        gate.apply(&mut run, whole);
        if let Some(path) = &self.json {
            write(path, &json::write(&run))?;
        }
        let others: [(&Option<PathBuf>, Report); 5] = [
            (&self.junit, junit::write),
            (&self.html, html::write),
            (&self.markdown, markdown::write),
            (&self.sarif, sarif::write),
            (&self.badge, badge::write),
        ];
        for (path, report) in others {
            if let Some(path) = path {
                write(path, &report(&run))?;
            }
        }
        if let Some((path, renewed)) = renewed {
            write(path, &renewed.to_toml())?;
            eprintln!("assay: {} known failures in {}", renewed.len(), path.display());
        }
        print!("{}", terminal::summary(&run, std::io::stdout().is_terminal()));
        if self.annotations {
            print!("{}", annotations::write(&run));
        }
        match run.exit_code() {
            0 => Ok(()),
            code => Err(Ending::Code(code)),
        }
    }
}

/// Whether the folder of a file is there.
fn can_be_written(path: &Path) -> Result<(), Ending> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) || path.is_dir() {
        return Err(Ending::Bad(format!("{}: no file can be written there", path.display())));
    }
    Ok(())
}

/// Reads a report; an error names the file.
pub(crate) fn read_run(path: &Path) -> Result<Run, Ending> {
    let wrong = |why: String| Ending::Bad(format!("{}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|e| wrong(e.to_string()))?;
    json::read(&text).map_err(wrong)
}

/// The day, in UTC.
fn today() -> toml::value::Date {
    let text = wall_clock().to_string();
    let day =
        text.get(..10).and_then(|day| day.parse::<toml::value::Datetime>().ok()).and_then(|day| day.date);
    day.expect("an instant begins with its day")
}

#[cfg(test)]
mod tests {
    use assay_suites::check;

    use super::*;

    #[test]
    fn a_gate_minds_what_no_baseline_knows() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("b.toml");
        let all = check::all();
        let text = format!("[[known]]\nrequirement = \"{}\"\nreason = \"a proxy\"\n", all[0].requirement);
        std::fs::write(&path, text).expect("written");
        let gate = Gate { baseline: Some(path), write_baseline: None, only_new: None };
        let gate = gate.load().unwrap_or_else(|_| panic!("a good baseline"));
        let outcome =
            |n: usize, verdict| Outcome::new(all[n].requirement, all[n].fact, verdict, "why".to_owned());
        for (n, verdict, minds) in [
            (0, Verdict::Fail, false),
            (0, Verdict::Pass, true),
            (1, Verdict::Fail, true),
            (1, Verdict::Pass, false),
            (0, Verdict::NotTestable, false),
            (1, Verdict::Inconclusive, true),
        ] {
            assert_eq!(gate.minds(&outcome(n, verdict)), minds, "{n} {verdict:?}");
        }
    }
}

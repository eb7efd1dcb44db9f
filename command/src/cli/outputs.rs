//! The results of a run: known failures and reports.

use std::path::{Path, PathBuf};

use assay_suites::documents::catalogue::{self, Sentences};
use assay_suites::harness::data::{Outcome, Run, Verdict};
use assay_suites::harness::judge::baseline::Baseline;
use assay_suites::harness::probe::wall_clock;
use assay_suites::profile::{FailOn, Gate, Percent};
use assay_suites::report::diff::{self, Verdicts};
use assay_suites::report::events::Events;
use assay_suites::report::terminal::{self, View};
use assay_suites::report::words;
use assay_suites::report::{self, annotations, badge, brief, ctrf, html, json, junit, markdown, sarif};
use assay_suites::rerun::partial;
use assay_suites::services::{self, SUITES};
use assay_suites::support::files::{self, is_special};
use assay_suites::support::prose;
use clap::{ArgGroup, Args};

use super::{Ending, is_coloured, write};

/// Options that change the result of a run.
#[derive(Args)]
#[command(next_help_heading = "Known failures")]
pub(crate) struct KnownFailures {
    /// Baseline of known failures, with reasons (TOML)
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the failures of this run as a baseline; existing entries keep their reasons
    #[arg(long, value_name = "FILE")]
    write_baseline: Option<PathBuf>,
    /// Fail only for checks that did not fail in an earlier report (JSON)
    #[arg(long, value_name = "FILE")]
    only_new: Option<PathBuf>,
    /// Minimum percentage of the applicable checks of each service that must give a result; raises lower minimums of the profile
    #[arg(long, value_name = "PERCENT")]
    min_coverage: Option<Percent>,
    /// The least severe verdict that fails the run: must, the default; should, also warnings; inconclusive, also every inconclusive
    /// check
    #[arg(long, value_name = "LEVEL", value_parser = parse_fail_on)]
    fail_on: Option<FailOn>,
}

fn parse_fail_on(name: &str) -> Result<FailOn, String> {
    let found = FailOn::ALL.into_iter().find(|level| level.name() == name);
    found.ok_or_else(|| "unknown level; use must, should or inconclusive".to_owned())
}

/// Why a baseline is not written.
pub(crate) const REFUSED: &str = "--write-baseline needs a whole run: checks that did not run may fail, too; leave out ids, filters and --shard, and let the run finish";

/// A flag and its file.
pub(crate) type Named<'args> = (&'static str, Option<&'args Path>);

/// Pairs of flags that may name the same file: the second is read before the first is written.
const MAY_SHARE: [(&str, &str); 4] = [
    ("--json", "--resume"),
    ("--json", "--only-new"),
    ("--json", "--since"),
    ("--write-baseline", "--baseline"),
];

/// The files that reports are written to.
#[derive(Args)]
#[command(next_help_heading = "Reports")]
#[command(group(ArgGroup::new("comparing").args(["html", "pr_comment"]).multiple(true)))]
pub(crate) struct Outputs {
    /// Write the report as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Keep the exchanges of passed checks in the JSON report, so that `assay judge` can make every verdict again
    #[arg(long, requires = "json")]
    json_full: bool,
    /// Write the report as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the report in the Common Test Report Format (CTRF, JSON)
    #[arg(long, value_name = "FILE")]
    ctrf: Option<PathBuf>,
    /// Write the report as one self-contained HTML page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Keep the exchanges of passed checks in the HTML page
    #[arg(long, requires = "html")]
    html_full: bool,
    /// Quote the sentences of the documents in this folder in the HTML page
    #[arg(long, value_name = "DIR", requires = "html")]
    documents: Option<PathBuf>,
    /// Compare with an earlier report (JSON) in the HTML page and in the comment
    #[arg(long, value_name = "FILE", requires = "comparing")]
    since: Option<PathBuf>,
    /// Write the report as Markdown, for a CI job summary
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write a comment for a pull request (Markdown, at most 10 kB); with --since, it shows what is new
    #[arg(long, value_name = "FILE")]
    pr_comment: Option<PathBuf>,
    /// Write the report as SARIF 2.1.0, for code scanning
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// Write a badge (SVG)
    #[arg(long, value_name = "FILE")]
    badge: Option<PathBuf>,
    /// Print annotations for GitHub after the report
    #[arg(long)]
    annotations: bool,
    #[command(flatten)]
    pub(crate) printed: Printed,
}

/// What reports show besides the run.
struct Beside {
    /// The earlier report of `--since`, and its name.
    since: Option<(String, Verdicts)>,
    /// The sentences of `--documents`.
    sentences: Option<Sentences>,
}

/// What is printed.
#[derive(Args)]
#[command(next_help_heading = "What is printed")]
pub(crate) struct Printed {
    /// Print only the result
    #[arg(short, long, conflicts_with_all = ["verbose", "coverage"])]
    quiet: bool,
    /// Print only the causes and the result, in at most 40 lines
    #[arg(long, conflicts_with_all = ["quiet", "verbose", "coverage"])]
    brief: bool,
    /// Print every check; -vv prints every exchange, too
    #[arg(short, long, action = clap::ArgAction::Count)]
    verbose: u8,
    /// Print the groups, notes, transitions and endpoints of the run
    #[arg(long)]
    coverage: bool,
}

impl Printed {
    /// Whether nothing is printed but the result of the run.
    pub(crate) fn is_short(&self) -> bool {
        self.quiet || self.brief
    }

    /// Prints the report of a run. `written` are the files of its other reports.
    pub(crate) fn print(&self, run: &Run, written: &[&Path]) {
        let view = View {
            colour: is_coloured(),
            width: prose::terminal_width(),
            verbose: self.verbose,
            coverage: self.coverage,
            written,
        };
        let text = match (self.quiet, self.brief) {
            (true, _) => terminal::result(run, view),
            (_, true) => brief::write(run, view),
            _ => terminal::report(run, view),
        };
        print!("{text}");
    }
}

/// Known failures, loaded from their files.
pub(crate) struct Loaded {
    baseline: Option<Baseline>,
    renew: Option<(PathBuf, Baseline)>,
    only_new: Option<(String, Verdicts)>,
}

impl KnownFailures {
    /// Reads the files. An invalid file is reported before any request is sent.
    pub(crate) fn load(&self) -> Result<Loaded, Ending> {
        if let Some(path) = &self.write_baseline {
            can_be_written(path)?;
        }
        let checks = services::checks().iter().map(|check| check.requirement.to_string()).collect();
        let read = |path: &Path| -> Result<Baseline, Ending> {
            let known = Baseline::load(path).map_err(Ending::Bad)?;
            let stale = known.stale(&checks, today());
            if stale.is_empty() { Ok(known) } else { Err(Ending::Bad(stale.join("\nassay: "))) }
        };
        let baseline = self.baseline.as_deref().map(read).transpose()?;
        let renew = match &self.write_baseline {
            // A file that is not a baseline is not overwritten.
            Some(path) if path.is_file() => {
                let mut known = read(path)?;
                known.add(baseline.iter());
                Some((path.clone(), known))
            }
            Some(path) => Some((path.clone(), baseline.clone().unwrap_or_default())),
            None => None,
        };
        let only_new = match &self.only_new {
            Some(path) => Some((path.display().to_string(), read_report(path, Verdicts::read)?)),
            None => None,
        };
        Ok(Loaded { baseline, renew, only_new })
    }

    /// The gate with `--min-coverage` and `--fail-on`.
    pub(crate) fn raised(&self, gate: &Gate) -> Gate {
        gate.at_least(self.min_coverage.unwrap_or_default(), self.fail_on.unwrap_or_default())
    }
}

impl Loaded {
    /// Whether a baseline is written.
    pub(crate) fn renews(&self) -> bool {
        self.renew.is_some()
    }

    /// Marks the known failures of a run. `whole` means that no filter and no shard excluded checks.
    pub(crate) fn apply(&self, run: &mut Run, whole: bool) {
        self.apply_renewed(run, whole, self.renew.as_ref());
    }

    /// As [`Loaded::apply`]; `renew` is the baseline that the run writes, if it writes one.
    fn apply_renewed(&self, run: &mut Run, whole: bool, renew: Option<&(PathBuf, Baseline)>) {
        if let Some((_, known)) = renew {
            known.renewed(run, words::reason).apply(run, whole);
        } else if let Some(baseline) = &self.baseline {
            baseline.apply(run, whole);
        }
        if let Some((name, old)) = &self.only_new {
            diff::forgive(run, old, name);
        }
    }

    /// The verdict of an outcome; known failures are marked.
    pub(crate) fn verdict(&self, outcome: &Outcome) -> Verdict {
        let Outcome { requirement, fact, verdict, .. } = outcome;
        let alone = Outcome::new(requirement, fact, *verdict, String::new());
        let mut run = Run { outcomes: vec![alone], ..Run::new(SUITES) };
        self.apply(&mut run, false);
        run.outcomes[0].verdict
    }

    /// Whether an outcome is bad and not a known failure.
    pub(crate) fn minds(&self, outcome: &Outcome) -> bool {
        self.verdict(outcome).is_bad()
    }
}

impl Outputs {
    /// The files of the requested reports, each with its flag.
    fn files(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let all: [(&'static str, &Option<PathBuf>); 8] = [
            ("--json", &self.json),
            ("--junit", &self.junit),
            ("--ctrf", &self.ctrf),
            ("--html", &self.html),
            ("--markdown", &self.markdown),
            ("--pr-comment", &self.pr_comment),
            ("--sarif", &self.sarif),
            ("--badge", &self.badge),
        ];
        all.into_iter().filter_map(|(flag, path)| Some((flag, path.as_deref()?)))
    }

    /// The report for a flag of [`Outputs::files`].
    fn render(&self, flag: &str, run: &Run, beside: &Beside) -> String {
        let since = beside.since.as_ref().map(|(name, verdicts)| (name.as_str(), verdicts));
        match flag {
            "--junit" => junit::write(run),
            "--ctrf" => ctrf::write(run),
            "--html" => {
                let sentences = beside.sentences.as_ref();
                html::write(run, html::Options { full: self.html_full, since, sentences })
            }
            "--markdown" => markdown::write(run),
            "--pr-comment" => markdown::comment(run, since),
            "--sarif" => sarif::write(run),
            "--badge" => badge::write(run),
            _ if self.json_full || run.is_unfinished() => json::write(run),
            _ => json::brief(run),
        }
    }

    /// Reads what the reports show besides the run.
    fn beside(&self) -> Result<Beside, Ending> {
        let since = self.since.as_deref().map(|path| {
            read_report(path, Verdicts::read).map(|verdicts| (path.display().to_string(), verdicts))
        });
        let sentences =
            self.documents.as_deref().map(|folder| catalogue::sentences(folder).map_err(Ending::Bad));
        Ok(Beside { since: since.transpose()?, sentences: sentences.transpose()? })
    }

    /// Checks that every report can be written, before a long run starts.
    pub(crate) fn can_be_written(&self) -> Result<(), Ending> {
        self.beside()?;
        self.files().try_for_each(|(_, path)| can_be_written(path))
    }

    /// The first flag that prints something on standard output besides the usual report.
    pub(crate) fn printing(&self) -> Option<&'static str> {
        let Printed { verbose, coverage, .. } = self.printed;
        let flags = [(self.annotations, "--annotations"), (verbose > 0, "-v"), (coverage, "--coverage")];
        let files = self.files().map(|(flag, path)| (files::is_output(path), flag));
        flags.into_iter().chain(files).find(|(is_used, _)| *is_used).map(|(_, flag)| flag)
    }

    /// Rejects one file under two flags if one content would be lost: two outputs, or an output and an input.
    /// `written` lists further outputs, and `read` the inputs other than those of the known failures.
    pub(crate) fn check_distinct(
        &self,
        known_failures: &KnownFailures,
        written: &[Named<'_>],
        read: &[Named<'_>],
    ) -> Result<(), Ending> {
        let mut named: Vec<Named<'_>> = self.files().map(|(flag, path)| (flag, Some(path))).collect();
        named.extend(written);
        named.push(("--write-baseline", known_failures.write_baseline.as_deref()));
        let written = named.len();
        named.push(("--baseline", known_failures.baseline.as_deref()));
        named.push(("--only-new", known_failures.only_new.as_deref()));
        named.push(("--since", self.since.as_deref()));
        named.extend(read);
        check_files(&named[..written], &named)
    }

    /// Applies the known failures to a run, writes and prints its reports, and returns its exit code. `whole` means
    /// that no filter and no shard excluded checks. If one report cannot be written, the others still are. The end is
    /// also written to `events`.
    pub(crate) fn finish(
        &self,
        mut run: Run,
        known_failures: &Loaded,
        whole: bool,
        events: Option<&Events>,
    ) -> Result<(), Ending> {
        if self.json_full && run.left_out() > 0 {
            return Err(Ending::Bad(format!("--json-full: the report {}", words::LEFT_OUT)));
        }
        let is_refused = known_failures.renews() && (run.is_partial || !run.is_whole || run.shards.is_some());
        let renew = known_failures.renew.as_ref().filter(|_| !is_refused);
        let renewed = renew.map(|(path, known)| (path, known.renewed(&run, words::reason)));
        known_failures.apply_renewed(&mut run, whole, renew);
        // Read before `--json` overwrites it.
        let beside = self.beside()?;
        // Secrets are searched for once, not for each report.
        report::make_redacted(&mut run);
        let (for_programs, for_readers): (Vec<_>, Vec<_>) =
            self.files().partition(|(flag, _)| *flag == "--json");
        let put = |run: &Run, (flag, path): (&str, &Path)| write(path, &self.render(flag, run, &beside));
        let mut written: Vec<Result<(), Ending>> =
            for_programs.into_iter().map(|file| put(&run, file)).collect();
        report::make_readable(&mut run);
        written.extend(for_readers.into_iter().map(|file| put(&run, file)));
        if let Some((path, renewed)) = renewed {
            let kept = write(path, &renewed.to_toml());
            if kept.is_ok() {
                let (checks, causes) = (renewed.checks(), renewed.len());
                let checks = prose::count(checks, "known failure");
                eprintln!("assay: {checks} in {}, with {}", path.display(), prose::count(causes, "cause"));
            }
            written.push(kept);
        }
        let names: Vec<&Path> = self.files().map(|(_, path)| path).collect();
        if !events.is_some_and(Events::is_output) {
            self.printed.print(&run, &names);
        }
        if self.annotations {
            print!("{}", annotations::write(&run));
        }
        if let Some(events) = events {
            events.judged(&run);
        }
        written.extend(events.and_then(Events::failure).map(|why| Err(Ending::Failed(why))));
        let ended = written.into_iter().collect::<Result<(), Ending>>().and_then(|()| end(&run, is_refused));
        if let Some(events) = events {
            let (code, why) = ended.as_ref().err().map_or((0, ""), Ending::code_and_reason);
            events.finished(Some(&run), code, Some(why));
        }
        ended
    }
}

/// How a command ends whose reports are written. `is_refused`: a baseline was wanted, but not written.
fn end(run: &Run, is_refused: bool) -> Result<(), Ending> {
    match run.exit_code() {
        0 | 1 if is_refused => Err(Ending::Bad(REFUSED.to_owned())),
        0 => Ok(()),
        1 if run.is_unanswered() => Err(Ending::Unreachable(format!("{} answered no request", run.target))),
        code => Err(Ending::Code(code)),
    }
}

/// Rejects one file under two flags if one content would be lost. `all` begins with what is `written`.
pub(crate) fn check_files(written: &[Named<'_>], all: &[Named<'_>]) -> Result<(), Ending> {
    let places: Vec<Option<PathBuf>> = all.iter().map(|(_, path)| path.and_then(place)).collect();
    for (n, (flag, _)) in written.iter().enumerate() {
        let Some(at) = &places[n] else { continue };
        let is_same =
            |other: usize| places[other].as_ref() == Some(at) && !MAY_SHARE.contains(&(*flag, all[other].0));
        if let Some(other) = (n + 1..all.len()).find(|other| is_same(*other)) {
            return Err(Ending::Bad(format!(
                "{flag} and {} name the same file, {}: one would overwrite the other",
                all[other].0,
                at.display()
            )));
        }
    }
    Ok(())
}

/// Checks by trying that a file can be written; changes nothing.
pub(crate) fn can_be_written(path: &Path) -> Result<(), Ending> {
    // Opening and closing a pipe would look like its end to the reader.
    if is_special(path) && !path.is_dir() {
        return Ok(());
    }
    let is_new = path.symlink_metadata().is_err();
    std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .and_then(|_| if is_new { std::fs::remove_file(path) } else { Ok(()) })
        .map_err(|e| Ending::Bad(format!("{}: cannot be written: {e}", path.display())))
}

/// The canonical path of a file; `None` where nothing can be overwritten.
fn place(path: &Path) -> Option<PathBuf> {
    if is_special(path) {
        return None;
    }
    path.canonicalize().ok().or_else(|| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
        Some(folder.join(path.file_name()?))
    })
}

/// Reads a report; an error names the file.
pub(crate) fn read_run(path: &Path) -> Result<Run, Ending> {
    read_report(path, partial::read)
}

/// Reads a report that has every exchange.
pub(crate) fn read_whole(path: &Path) -> Result<Run, Ending> {
    let run = read_run(path)?;
    if run.left_out() > 0 {
        return Err(Ending::Bad(format!("{}: the report {}", path.display(), words::LEFT_OUT)));
    }
    Ok(run)
}

/// Parses the text of a report with `parse`; an error names the file.
pub(crate) fn read_report<T>(path: &Path, parse: fn(&str) -> Result<T, String>) -> Result<T, Ending> {
    let text = read_text(path)?;
    parse(&text).map_err(|why| Ending::Bad(format!("{}: {why}", path.display())))
}

/// Reads the text of a report; an error names the file.
pub(crate) fn read_text(path: &Path) -> Result<String, Ending> {
    files::read_text(path, "a report", files::REPORT_BYTES).map_err(|e| {
        let left = path.with_added_extension(partial::EXTENSION);
        let hint = format!("; {} is the partial report of a killed run", left.display());
        Ending::Bad(format!("{e}{}", if left.exists() { hint.as_str() } else { "" }))
    })
}

/// The day, in UTC.
pub(crate) fn today() -> toml::value::Date {
    let text = wall_clock().to_string();
    let day =
        text.get(..10).and_then(|day| day.parse::<toml::value::Datetime>().ok()).and_then(|day| day.date);
    day.expect("an instant starts with its date")
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn failures_outside_the_baseline_count() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("b.toml");
        let all = services::checks();
        let text = format!("[[known]]\nrequirement = \"{}\"\nreason = \"a proxy\"\n", all[0].requirement);
        std::fs::write(&path, text).expect("written");
        let known_failures = KnownFailures {
            baseline: Some(path),
            write_baseline: None,
            only_new: None,
            min_coverage: None,
            fail_on: None,
        };
        let known_failures = known_failures.load().unwrap_or_else(|_| panic!("a good baseline"));
        let outcome =
            |n: usize, verdict| Outcome::new(all[n].requirement, all[n].fact, verdict, "why".to_owned());
        for (n, verdict, marked, minds) in [
            (0, Verdict::Fail, Verdict::KnownFailure, false),
            (0, Verdict::Pass, Verdict::UnexpectedPass, true),
            (1, Verdict::Fail, Verdict::Fail, true),
            (1, Verdict::Pass, Verdict::Pass, false),
            (0, Verdict::Warn, Verdict::KnownFailure, false),
            (0, Verdict::NotTestable, Verdict::NotTestable, false),
            (1, Verdict::Inconclusive, Verdict::Inconclusive, true),
        ] {
            let outcome = outcome(n, verdict);
            assert_eq!(known_failures.verdict(&outcome), marked, "{n} {verdict:?}");
            assert_eq!(known_failures.minds(&outcome), minds, "{n} {verdict:?}");
        }
    }
}

//! The commands that read reports: `diff`, `merge`, `judge`, `replay`, `schema`.

use std::path::{Path, PathBuf};

use assay_spec::names::did_you_mean;
use assay_suites::harness::data::{Outcome, Run};
use assay_suites::harness::pace::Pace;
use assay_suites::harness::probe::Settings;
use assay_suites::harness::run::Runner;
use assay_suites::harness::setup;
use assay_suites::harness::target::Target;
use assay_suites::profile::Profile;
use assay_suites::report::diff::{Verdicts, diff};
use assay_suites::report::events;
use assay_suites::report::export;
use assay_suites::report::history;
use assay_suites::report::json;
use assay_suites::report::words::{self, LEFT_OUT};
use assay_suites::rerun::judge;
use assay_suites::rerun::merge;
use assay_suites::rerun::replay::{self, Step};
use assay_suites::services;
use assay_suites::services::SUITES;
use assay_suites::support::prose::one_line;
use clap::Args;

use super::outputs::{KnownFailures, Named, Outputs, read_report, read_run, read_whole};
use super::target::TargetArgs;
use super::{Ending, write};

/// The end of the help.
pub(crate) const DIFF_HELP: &str = "Example:\n  assay diff yesterday.json today.json\n\nExit codes: 0 nothing got worse, 1 something got worse, 2 a file is not a report";

/// The end of the help.
pub(crate) const JUDGE_HELP: &str = "Example:\n  assay judge out.json\n\nExit codes: 0 every verdict is the same, 1 a verdict differs or cannot be recomputed, 2 the file is not a report";

/// The end of the help.
pub(crate) const REPLAY_HELP: &str = "Examples:\n  assay replay out.json publish.prepare.one-in-flight\n  assay replay out.json publish.prepare.one-in-flight --anew --profile p.toml    # signs the requests again\n  assay replay out.json publish.prepare.one-in-flight --script again.sh --hurl again.hurl --har again.har\n\nExit codes: 0 every response has the recorded status, 1 a status differs, 2 the file is not a report, 3 target unreachable";

/// The end of the help.
pub(crate) const MERGE_HELP: &str = "Example:\n  assay merge part-*.json --junit out.xml --html out.html\n\nExit codes: 0 conforming, 1 not conforming or not enough tested, 2 a file is not a report or parts do not belong together, 4 the harness failed";

/// The end of the help.
pub(crate) const SCHEMA_HELP: &str = "Examples:\n  assay schema > report.schema.json\n  assay schema events\n\nExit codes: 0 printed, 2 bad arguments";

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
pub(crate) struct SchemaArgs {
    /// Whose schema
    #[arg(default_value = "report", value_name = "OUTPUT")]
    what: Schema,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Schema {
    /// The report of run --json
    Report,
    /// A line of run --events
    Events,
    /// The history of history --json
    History,
    /// The explanations of explain --json
    Explain,
}

#[derive(Args)]
pub(crate) struct MergeArgs {
    /// Reports of shards, or of an interrupted run and its continuation (JSON); also partial reports
    #[arg(required = true)]
    reports: Vec<PathBuf>,
    #[command(flatten)]
    known_failures: KnownFailures,
    #[command(flatten)]
    outputs: Outputs,
}

#[derive(Args)]
pub(crate) struct JudgeArgs {
    /// The report (JSON), or the partial report of a killed run
    report: PathBuf,
    /// Profile (TOML) that names the secrets that checks need
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct ReplayArgs {
    /// The report (JSON)
    report: PathBuf,
    /// Id of the check; without it, the ids that the report has are listed
    check: Option<String>,
    /// Run the check again with the same seed, so that its requests are signed anew
    #[arg(long, conflicts_with_all = ["script", "hurl", "har"])]
    anew: bool,
    /// Write the requests as a bash script, and send nothing
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// Write the requests and the recorded statuses for Hurl, and send nothing
    #[arg(long, value_name = "FILE")]
    hurl: Option<PathBuf>,
    /// Write the exchanges as an HTTP archive (HAR 1.2), and send nothing
    #[arg(long, value_name = "FILE")]
    har: Option<PathBuf>,
    #[command(flatten)]
    target: TargetArgs,
}

/// Prints regressions, fixes and new checks.
pub(crate) fn compare(args: &DiffArgs) -> Result<(), Ending> {
    let read = |path: &Path| read_report(path, Verdicts::read);
    let changes = diff(&read(&args.old)?, &read(&args.new)?);
    print!("{}", changes.text());
    if let Some(path) = &args.json {
        write(path, &format!("{:#}\n", changes.json()))?;
    }
    if changes.holds() { Ok(()) } else { Err(Ending::Code(1)) }
}

/// Merges several reports into one.
pub(crate) fn merge(args: &MergeArgs) -> Result<(), Ending> {
    let read: Vec<Named<'_>> = args.reports.iter().map(|path| ("a part", Some(path.as_path()))).collect();
    args.outputs.check_distinct(&args.known_failures, &[], &read)?;
    let known_failures = args.known_failures.load()?;
    args.outputs.can_be_written()?;
    let runs = args.reports.iter().map(|path| read_run(path)).collect::<Result<Vec<_>, _>>()?;
    let mut run = merge::parts(runs).map_err(Ending::Bad)?;
    merge::require_every_shard(&mut run);
    run.gate = args.known_failures.raised(&run.gate);
    args.outputs.finish(run, &known_failures, true, None)
}

/// Recomputes every verdict from the report.
pub(crate) async fn judge(args: JudgeArgs) -> Result<(), Ending> {
    let report = read_whole(&args.report)?;
    let profile = args.profile.as_deref().map(Profile::load).transpose();
    let profile = profile.map_err(|e| Ending::Bad(e.to_string()))?;
    let judged = judge::judge(&report, profile.as_ref()).await.map_err(Ending::Bad)?;
    print!("{}", judged.text());
    if judged.holds() { Ok(()) } else { Err(Ending::Code(1)) }
}

/// Resends the recorded requests of one check.
pub(crate) async fn replay(args: ReplayArgs) -> Result<(), Ending> {
    let report = read_run(&args.report)?;
    let outcome = args.outcome(&report)?;
    if outcome.left_out > 0 {
        return Err(Ending::Bad(format!("{} passed, and the report {LEFT_OUT}", outcome.requirement)));
    }
    if outcome.exchanges.is_empty() {
        let (id, why) = (outcome.requirement, words::reason(outcome));
        return Err(Ending::Bad(format!("{id} sent no request: {why}")));
    }
    if args.exports(&report, outcome)? {
        return Ok(());
    }
    let (target, settings, pace) = again(&args, &report).await?;
    let steps = if args.anew {
        let runner = Runner { target: target.as_ref(), settings: &settings, pace: &pace, jobs: 1 };
        replay::anew(&runner, outcome).await
    } else {
        replay::replay(target.as_ref(), &report, outcome, settings.gateway().key()).await
    };
    let steps = steps.map_err(Ending::Failed)?;
    for Step { asked, then, now, is_same } in &steps {
        let mark = if *is_same { ' ' } else { '!' };
        let now = match now {
            Ok(now) => format!("now {now}"),
            Err(why) => format!("not sent: {why}"),
        };
        println!("{}", one_line(format!("{mark} {asked}   then {then}   {now}").as_bytes()));
    }
    let same = steps.iter().filter(|step| step.is_same).count();
    println!("{same} of {} responses as recorded", steps.len());
    if same == steps.len() { Ok(()) } else { Err(Ending::Code(1)) }
}

impl ReplayArgs {
    /// The outcome of the check. Without one, the error lists the checks that sent requests, failed ones first.
    fn outcome<'r>(&self, report: &'r Run) -> Result<&'r Outcome, Ending> {
        let file = self.report.display();
        let mut sent: Vec<&Outcome> =
            report.outcomes.iter().filter(|one| !one.exchanges.is_empty()).collect();
        sent.sort_by_key(|outcome| !outcome.is_red());
        let ids: Vec<String> = sent.iter().map(|outcome| outcome.requirement.to_string()).collect();
        let Some(check) = &self.check else {
            let line = |(outcome, id): (&&Outcome, &String)| format!("\n  {id}  {}", outcome.verdict.name());
            let lines: String = sent.iter().zip(&ids).map(line).collect();
            return Err(Ending::Bad(format!("give the id of a check; {file} has requests of{lines}")));
        };
        let found = report.outcomes.iter().find(|outcome| outcome.requirement.to_string() == *check);
        found.ok_or_else(|| {
            let near = did_you_mean(check, ids.iter().map(String::as_str));
            Ending::Bad(format!("{file}: the report has no check {check:?}{near}"))
        })
    }

    /// Writes the requests into files; whether there was one.
    fn exports(&self, report: &Run, outcome: &Outcome) -> Result<bool, Ending> {
        if let Some(path) = &self.script {
            write(path, &export::script(report, outcome))?;
        }
        if let Some(path) = &self.hurl {
            write(path, &export::hurl(report, outcome))?;
        }
        if let Some(path) = &self.har {
            write(path, &format!("{:#}\n", export::har(report, outcome)))?;
        }
        Ok(self.script.is_some() || self.hurl.is_some() || self.har.is_some())
    }
}

/// The target of a report, with the settings of its run.
async fn again(args: &ReplayArgs, report: &Run) -> Result<(Box<dyn Target>, Settings, Pace), Ending> {
    let loaded = match args.target.load()? {
        Some(loaded) => loaded,
        None if report.conditions.is_embedded => {
            let settings = Settings { seed: report.seed, ..services::settings() };
            return Ok((super::run::embedded_target(report.seed)?, settings, Pace::default()));
        }
        None => {
            let text = report.conditions.profile.clone();
            let loaded = Profile::of_text(text, "the report's profile".to_owned(), Path::new("."));
            let loaded = loaded.map_err(|e| Ending::Bad(e.to_string()))?;
            // Otherwise the author of the report would choose which files are opened, and where a secret is sent.
            if let Some(key) = loaded.profile.reads().next() {
                return Err(Ending::Bad(format!(
                    "the report's profile names a secret or a file ({key}), which is not read for the sake of a report: give --profile"
                )));
            }
            loaded
        }
    };
    let (target, settings, pace) = setup::connect(SUITES, &loaded, Some(report.seed)).await?;
    Ok((Box::new(target), settings, pace))
}

/// Prints a JSON Schema.
pub(crate) fn schema(args: &SchemaArgs) {
    let schema = match args.what {
        Schema::Report => json::schema(),
        Schema::Events => events::schema(),
        Schema::History => history::schema(),
        Schema::Explain => super::explain::schema(),
    };
    println!("{schema:#}");
}

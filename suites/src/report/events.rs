//! What happens in a run as JSON lines, for editors, dashboards and agents. [`schema`] describes a line.
//!
//! A line is written and flushed as it happens. A reader that leaves early changes nothing about the run.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::json::{self, ServiceCoverage};
use super::{add_tokens_of, group, objections, shortened};
use crate::harness::data::{Outcome, Run, Verdict};
use crate::harness::judge::conclusion::{Concluded, conclude, tested};
use crate::http::hiding::{Disguise, Hidden};
use crate::report::words;
use crate::support::files;
use crate::support::prose::one_line;

/// The version of the lines.
pub const SCHEMA: u32 = 1;
/// The maximum length of a message, in bytes.
const MESSAGE_BYTES: usize = 2048;
/// The maximum length of a value and of a request line, in bytes.
const VALUE_BYTES: usize = 512;

/// The JSON Schema of a line (draft 2020-12).
pub fn schema() -> Value {
    json::schema_of::<Line>()
}

/// One line.
#[derive(Debug, Serialize, JsonSchema)]
struct Line {
    /// The version of the lines. A new member does not change it.
    #[schemars(extend("const" = SCHEMA))]
    schema: u32,
    #[serde(flatten)]
    event: Event,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Event {
    /// The first line of a run, before its first check.
    Started(Started),
    /// The first or the last check of a group ended.
    Group(GroupStep),
    /// A check ended with a verdict that is not a pass.
    Finding(Box<Finding>),
    /// The last line of a run, once its reports are written.
    Finished(Finished),
}

#[derive(Debug, Serialize, JsonSchema)]
struct Started {
    /// The version of the program.
    assay: String,
    target: String,
    /// The base URLs by site; those of the embedded simulator exist only in its process.
    sites: BTreeMap<String, String>,
    /// The seed of all random values of the checks.
    #[schemars(regex(pattern = json::schema::DECIMAL))]
    seed: String,
    /// When the run began, in UTC; null for the embedded simulator.
    began: Option<String>,
    /// The number of checks that will run, once each round.
    checks: usize,
    /// The same by service.
    #[schemars(schema_with = "json::schema::by_service")]
    services: BTreeMap<String, usize>,
    /// The outcomes that a resumed report holds already.
    resumed: usize,
    /// How often the checks run at most (`--repeat`).
    #[schemars(range(min = 1))]
    rounds: u32,
    /// The part of the checks that runs, such as `2/4`; null if all of them do.
    shard: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct GroupStep {
    /// The service and the group, such as `publish.prepare`.
    group: String,
    phase: Phase,
    /// The round, from 1.
    #[schemars(range(min = 1))]
    round: u32,
    /// The number of its checks in this run.
    checks: usize,
    /// The number of its checks that ended with each verdict.
    #[schemars(schema_with = "json::schema::some_counts")]
    counts: BTreeMap<String, usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Phase {
    /// The first check has ended.
    Started,
    /// The last check has ended.
    Finished,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Finding {
    /// The requirement that the check tests.
    id: String,
    /// The fact that it shows.
    fact: String,
    #[schemars(schema_with = "json::schema::level")]
    level: String,
    #[schemars(schema_with = "json::schema::verdict")]
    verdict: String,
    stage: Stage,
    /// The round, from 1. With the stage `judged`, the last one.
    #[schemars(range(min = 1))]
    round: u32,
    /// Why the verdict is not a pass; empty for a pass.
    message: String,
    /// What was expected and what came; null if no value deviates.
    r#where: Option<Where>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Stage {
    /// The check has ended.
    Ended,
    /// The whole run was judged, and the verdict is not the last one that a line said: a response to another check decides,
    /// rounds differ, or a resumed report holds the outcome. Only such a finding can be a pass.
    Judged,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Where {
    /// The place in the response, such as `status` or `/expiresAt`.
    place: String,
    want: String,
    got: String,
    /// The request, such as `POST /prepare`; null if none is to blame.
    request: Option<String>,
    /// Index into the exchanges of the check in the JSON report.
    exchange: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Finished {
    /// The exit code of the command.
    exit_code: u8,
    /// What ended the command besides the verdicts, such as a report that cannot be written; null if nothing did.
    error: Option<String>,
    /// The result of the run; null if it ended before its first check.
    result: Option<Ended>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Ended {
    #[schemars(schema_with = "json::schema::result")]
    name: String,
    /// The result in words, with what it rests on.
    words: String,
    /// Reasons other than verdicts why the run does not conform.
    objections: Vec<String>,
    /// The run was stopped, or a part of it is missing.
    is_partial: bool,
    #[schemars(schema_with = "json::schema::counts")]
    counts: BTreeMap<String, usize>,
    /// How much of each service was tested.
    services: Vec<ServiceCoverage>,
    /// The number of causes of what did not pass.
    causes: usize,
}

/// The lines of a run that is going on.
#[derive(Debug)]
pub struct Events {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Closed once a line could not be written.
    sink: Sink,
    /// What could not be written.
    failure: Option<io::Error>,
    /// The tokens of the run so far.
    hidden: Hidden,
    /// The last verdict of each check that a line said, by requirement and fact.
    said: BTreeMap<(u32, &'static str), Verdict>,
    round: u32,
    /// The last line was written.
    is_over: bool,
}

#[derive(Debug)]
enum Sink {
    Output,
    File(File),
    Closed,
}

/// Whether a path is standard output: `-` or its device.
pub fn is_output(path: &Path) -> bool {
    path == Path::new("-") || files::is_output(path)
}

impl Events {
    /// Opens the file, which is emptied, or standard output.
    pub fn open(path: &Path) -> io::Result<Events> {
        let sink = if is_output(path) {
            Sink::Output
        } else {
            let is_file = !files::is_special(path);
            let mut options = OpenOptions::new();
            options.write(true).create(is_file).truncate(is_file).append(!is_file);
            Sink::File(options.open(path)?)
        };
        let (hidden, said) = (Hidden::default(), BTreeMap::new());
        let state = State { sink, failure: None, hidden, said, round: 0, is_over: false };
        Ok(Events { path: path.to_owned(), state: Mutex::new(state) })
    }

    /// Makes ready for a run, or for a further one.
    pub fn begin(&self) {
        let mut state = self.state();
        (state.said, state.round, state.is_over) = (BTreeMap::new(), 0, false);
    }

    /// Whether standard output belongs to the lines.
    pub fn is_output(&self) -> bool {
        is_output(&self.path)
    }

    /// Says that a run starts: `run` is without outcomes, `checks` are the rows of its checks.
    pub fn started(&self, run: &Run, checks: &[assay_spec::Id], resumed: usize, rounds: u32) {
        let mut services: BTreeMap<String, usize> = BTreeMap::new();
        for row in checks {
            *services.entry(row.service.name().to_owned()).or_default() += 1;
        }
        let numbers = |present: &std::collections::BTreeSet<usize>| {
            present.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
        };
        self.state().write(Event::Started(Started {
            assay: env!("CARGO_PKG_VERSION").to_owned(),
            target: one_line(run.target.as_bytes()),
            sites: run.conditions.sites.clone(),
            seed: run.seed.to_string(),
            began: run.began.clone(),
            checks: checks.len(),
            services,
            resumed,
            rounds,
            shard: run.shards.as_ref().map(|shards| format!("{}/{}", numbers(&shards.present), shards.of)),
        }));
    }

    /// Says that a round begins.
    pub(super) fn begin_round(&self) {
        self.state().round += 1;
    }

    /// Says that a check ended with this verdict. `left` is how many checks of its group have not ended, and `verdicts` are
    /// those of the others.
    pub(super) fn checked(
        &self,
        outcome: &Outcome,
        verdict: Verdict,
        left: usize,
        verdicts: &BTreeMap<Verdict, usize>,
    ) {
        let mut state = self.state();
        let ended: usize = verdicts.values().sum();
        let of_group = |phase, round| {
            let counts = verdicts.iter().map(|(verdict, count)| (verdict.name().to_owned(), *count));
            let (group, counts) = (group(outcome.requirement), counts.collect());
            Event::Group(GroupStep { group, phase, round, checks: left + ended, counts })
        };
        let round = state.round;
        if ended == 1 {
            state.write(of_group(Phase::Started, round));
        }
        add_tokens_of(outcome, &mut state.hidden);
        state.find(outcome, verdict, Stage::Ended);
        if left == 0 {
            state.write(of_group(Phase::Finished, round));
        }
    }

    /// Says what changed once the run was judged as a whole.
    pub fn judged(&self, run: &Run) {
        let mut state = self.state();
        for outcome in &run.outcomes {
            add_tokens_of(outcome, &mut state.hidden);
        }
        for outcome in &run.outcomes {
            state.find(outcome, outcome.verdict, Stage::Judged);
        }
    }

    /// Says how the command ends, unless that was said: its exit code, and what ended it besides the verdicts. `run` is `None`
    /// if it ended before its first check.
    pub fn finished(&self, run: Option<&Run>, exit_code: u8, error: Option<&str>) {
        let ended = |run: &Run| {
            let Concluded { conclusion, .. } = conclude(run);
            let objections = objections(run).iter().map(|text| one_line(text.as_bytes())).collect();
            Ended {
                name: conclusion.name().to_owned(),
                words: words::result(run),
                objections,
                is_partial: run.is_partial,
                counts: json::counts(run),
                services: tested(run).iter().map(json::of_service).collect(),
                causes: crate::harness::judge::cause::causes(run).len(),
            }
        };
        let error = error.filter(|why| !why.is_empty()).map(|why| one_line(why.as_bytes()));
        let error = error.map(|why| shortened(why, MESSAGE_BYTES));
        let mut state = self.state();
        if !std::mem::replace(&mut state.is_over, true) {
            state.write(Event::Finished(Finished { exit_code, error, result: run.map(ended) }));
        }
    }

    /// Why lines are missing, unless a reader left.
    pub fn failure(&self) -> Option<String> {
        self.state().failure.as_ref().map(|why| format!("{}: {why}", self.path.display()))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Says the verdict of an outcome, unless it is a pass or was said before.
    fn find(&mut self, outcome: &Outcome, verdict: Verdict, stage: Stage) {
        let key = (outcome.requirement.key, outcome.fact);
        let before = self.said.insert(key, verdict).unwrap_or_default();
        let is_new = match stage {
            Stage::Ended => verdict != Verdict::Pass,
            Stage::Judged => verdict != before,
        };
        if is_new {
            let finding = self.finding(outcome, verdict, stage);
            self.write(Event::Finding(Box::new(finding)));
        }
    }

    fn finding(&self, outcome: &Outcome, verdict: Verdict, stage: Stage) -> Finding {
        let mut own = Hidden::default();
        for Disguise { name, value } in &outcome.disguises {
            own.add(name, value);
        }
        // Redact before cutting: a part of a secret would not be found.
        let text = |text: String, most: usize| {
            let mut text = text;
            self.hidden.redact_text(&mut text);
            own.redact_text(&mut text);
            shortened(one_line(text.as_bytes()), most)
        };
        let r#where = outcome.failure.as_ref().map(|failure| {
            let exchange = failure.exchange.and_then(|n| outcome.exchanges.get(n));
            let request = exchange.map(|one| format!("{} {}", one.request.method, one.request.target));
            Where {
                place: text(words::place(failure), VALUE_BYTES),
                want: text(failure.want.clone(), VALUE_BYTES),
                got: text(failure.got.clone(), VALUE_BYTES),
                request: request.map(|request| text(request, VALUE_BYTES)),
                exchange: failure.exchange,
            }
        });
        Finding {
            id: outcome.requirement.to_string(),
            fact: outcome.fact.to_owned(),
            level: outcome.requirement.level.name().to_owned(),
            verdict: verdict.name().to_owned(),
            stage,
            round: self.round.max(1),
            message: text(words::reason(outcome), MESSAGE_BYTES),
            r#where,
        }
    }

    fn write(&mut self, event: Event) {
        let line = Line { schema: SCHEMA, event };
        let mut line = serde_json::to_vec(&line).expect("strings, numbers and maps can be written as JSON");
        line.push(b'\n');
        let written = match &mut self.sink {
            Sink::Output => {
                let mut out = io::stdout().lock();
                out.write_all(&line).and_then(|()| out.flush())
            }
            Sink::File(file) => file.write_all(&line),
            Sink::Closed => return,
        };
        if let Err(e) = written {
            self.sink = Sink::Closed;
            self.failure = (e.kind() != ErrorKind::BrokenPipe).then_some(e);
        }
    }
}

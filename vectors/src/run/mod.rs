//! Drives any implementation of the JSON-lines protocol through the cases.

mod judge;
mod process;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};

use crate::case::Case;
use crate::shim::PROTOCOL;
use crate::{cases, manifest};
use process::{Event, Program};

/// How to drive it.
#[derive(Clone, Debug)]
pub struct Options {
    /// How long one case may take.
    pub limit: Duration,
    /// How many cases are sent ahead of their answers.
    pub window: usize,
    /// Readings to judge besides those that the program declares in its hello.
    pub readings: BTreeSet<String>,
    /// Whether the rule's name is judged too.
    pub rules: bool,
    /// Only cases whose id holds one of these texts; all, if empty.
    pub filter: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            limit: Duration::from_secs(10),
            window: 64,
            readings: BTreeSet::new(),
            rules: false,
            filter: Vec::new(),
        }
    }
}

/// What became of it.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The program's own name and version.
    pub program: String,
    /// The operations that it claims.
    pub operations: Vec<String>,
    /// One result for each case that was chosen, in the cases' order.
    pub results: Vec<CaseResult>,
    /// What went wrong besides: no hello, lines that are no answer, an end that no case explains.
    pub incidents: Vec<String>,
    /// Claimed operations of which fewer cases were judged than the manifest holds.
    pub missing: Vec<String>,
}

/// The result of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseResult {
    /// The case.
    pub id: String,
    /// Its operation.
    pub op: String,
    /// The result.
    pub outcome: Outcome,
    /// Why, unless it passed.
    pub text: String,
}

/// The result of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// As expected.
    Pass,
    /// Another answer.
    Fail,
    /// The program ended.
    Crash,
    /// No answer in time.
    Hang,
    /// The program does not claim the operation.
    Unsupported,
    /// The case rests on a reading that the program does not declare.
    OtherReading,
}

impl Outcome {
    /// The outcome's name.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Pass => "pass",
            Outcome::Fail => "fail",
            Outcome::Crash => "crash",
            Outcome::Hang => "hang",
            Outcome::Unsupported => "unsupported",
            Outcome::OtherReading => "other-reading",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Report {
    /// Whether every judged case passed, at least one was, and none is missing.
    pub fn conforms(&self) -> bool {
        let judged =
            |result: &&CaseResult| !matches!(result.outcome, Outcome::Unsupported | Outcome::OtherReading);
        let mut judged = self.results.iter().filter(judged).peekable();
        self.incidents.is_empty()
            && self.missing.is_empty()
            && judged.peek().is_some()
            && judged.all(|result| result.outcome == Outcome::Pass)
    }

    /// How many results there are of each outcome.
    pub fn counts(&self) -> BTreeMap<Outcome, usize> {
        let mut counts = BTreeMap::new();
        for result in &self.results {
            *counts.entry(result.outcome).or_default() += 1;
        }
        counts
    }
}

/// Starts `command` (program and arguments) and runs the cases through it.
pub fn run(command: &[String], options: &Options) -> Report {
    let chosen = cases()
        .into_iter()
        .filter(|case| options.filter.is_empty() || options.filter.iter().any(|text| case.id.contains(text)))
        .collect();
    let mut runner = Runner { command, options, program: None, report: Report::default() };
    runner.run(chosen);
    runner.report
}

struct Runner<'a> {
    command: &'a [String],
    options: &'a Options,
    program: Option<Program>,
    report: Report,
}

/// How a conversation over several cases ended.
enum Stop {
    Done,
    Ended(String),
    Silent,
}

impl Runner<'_> {
    fn run(&mut self, cases: Vec<Case>) {
        let hello = match self.start() {
            Ok(hello) => hello,
            Err(why) => {
                self.report.incidents.push(why);
                return;
            }
        };
        let texts = |member: &str| {
            hello[member].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned)
        };
        self.report.program =
            ["name", "version"].map(|member| hello[member].as_str().unwrap_or("?")).join(" ");
        self.report.operations = texts("operations").collect();
        let readings: BTreeSet<String> =
            texts("readings").chain(self.options.readings.iter().cloned()).collect();

        let mut results: BTreeMap<String, CaseResult> = BTreeMap::new();
        let mut todo = VecDeque::new();
        for case in &cases {
            let skipped = if !self.report.operations.contains(&case.op) {
                Some((Outcome::Unsupported, "the operation is not claimed".to_owned()))
            } else if let Some(reading) = case.reading.as_ref().filter(|reading| !readings.contains(*reading))
            {
                Some((Outcome::OtherReading, format!("it rests on {reading}, which is not declared")))
            } else {
                None
            };
            match skipped {
                Some((outcome, text)) => note(&mut results, case, outcome, text),
                None => todo.push_back(case),
            }
        }
        self.converse(todo, &mut results);
        self.report.results = cases.iter().filter_map(|case| results.remove(&case.id)).collect();
        self.count();
    }

    /// Sends cases ahead; when the program ends or falls silent, its open cases go again one by one, so that the
    /// verdict is the case's own.
    fn converse(&mut self, mut todo: VecDeque<&Case>, results: &mut BTreeMap<String, CaseResult>) {
        while !todo.is_empty() {
            let mut open = BTreeMap::new();
            let stop = self.exchange(&mut todo, &mut open, self.options.window.max(1), results);
            let why = match stop {
                Stop::Done => return,
                Stop::Ended(why) => format!("the program ended: {why}"),
                Stop::Silent => format!("no answer in {:?}", self.options.limit),
            };
            self.program = None;
            let suspects: Vec<&Case> = open.into_values().collect();
            let many = suspects.len();
            let mut explained = false;
            for case in suspects {
                let stop = self.exchange(&mut VecDeque::from([case]), &mut BTreeMap::new(), 1, results);
                let (outcome, text) = match stop {
                    Stop::Done => continue,
                    Stop::Ended(why) => (Outcome::Crash, why),
                    Stop::Silent => (Outcome::Hang, format!("no answer in {:?}", self.options.limit)),
                };
                self.program = None;
                explained = true;
                note(results, case, outcome, text);
            }
            if !explained {
                self.report
                    .incidents
                    .push(format!("{why}, with {many} cases open, none of which repeats it alone"));
                if many == 0 {
                    return;
                }
            }
        }
    }

    /// Sends cases, `window` of them ahead, and judges the answers until all are answered.
    fn exchange<'c>(
        &mut self,
        todo: &mut VecDeque<&'c Case>,
        open: &mut BTreeMap<String, &'c Case>,
        window: usize,
        results: &mut BTreeMap<String, CaseResult>,
    ) -> Stop {
        if self.program.is_none()
            && let Err(why) = self.start()
        {
            open.extend(todo.drain(..).map(|case| (case.id.clone(), case)));
            return Stop::Ended(why);
        }
        loop {
            let Some(program) = &mut self.program else { return Stop::Ended("it is not running".to_owned()) };
            while open.len() < window
                && let Some(case) = todo.pop_front()
            {
                program.send(&json!({"id": case.id, "op": case.op, "in": case.input}));
                open.insert(case.id.clone(), case);
            }
            if open.is_empty() {
                return Stop::Done;
            }
            match program.next(self.options.limit) {
                Event::Silent => return Stop::Silent,
                Event::Ended(why) => return Stop::Ended(why),
                Event::Line(line) => {
                    let answer: Value = serde_json::from_slice(&line).unwrap_or_default();
                    match answer["id"].as_str().and_then(|id| open.remove(id)) {
                        Some(case) => {
                            let (outcome, text) = judge::judge(case, &answer, self.options.rules);
                            note(results, case, outcome, text);
                        }
                        None => self.stray(&line),
                    }
                }
            }
        }
    }

    /// A line that answers nothing; the first few are told.
    fn stray(&mut self, line: &[u8]) {
        if self.report.incidents.len() < 10 {
            let line: String = String::from_utf8_lossy(line).chars().take(200).collect();
            self.report.incidents.push(format!("a line that answers no open case: {line}"));
        }
    }

    fn start(&mut self) -> Result<Value, String> {
        let mut program = Program::start(self.command)?;
        program.send(&json!({"id": "hello", "op": "hello", "in": {"protocol": PROTOCOL}}));
        let line = match program.next(self.options.limit) {
            Event::Line(line) => line,
            Event::Ended(why) => return Err(format!("it ended before its hello: {why}")),
            Event::Silent => return Err(format!("no hello in {:?}", self.options.limit)),
        };
        let answer: Value = serde_json::from_slice(&line).unwrap_or_default();
        if answer["id"] != "hello" || !answer["ok"]["operations"].is_array() {
            let line: String = String::from_utf8_lossy(&line).chars().take(200).collect();
            return Err(format!("its hello names no operations: {line}"));
        }
        self.program = Some(program);
        Ok(answer["ok"].clone())
    }

    fn count(&mut self) {
        if !self.options.filter.is_empty() {
            return;
        }
        for (op, count) in manifest().operations {
            let results = self.report.results.iter().filter(|result| result.op == op);
            let judged = results.filter(|result| result.outcome != Outcome::Unsupported).count();
            if self.report.operations.contains(&op) && judged < count.total() {
                self.report.missing.push(format!("{op}: {judged} of {} cases", count.total()));
            }
        }
    }
}

fn note(results: &mut BTreeMap<String, CaseResult>, case: &Case, outcome: Outcome, text: String) {
    let result = CaseResult { id: case.id.clone(), op: case.op.clone(), outcome, text };
    results.insert(case.id.clone(), result);
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A program in shell: `hello` and then, for each line, what `body` does with `$id`.
    fn shell(body: &str) -> Report {
        let script = format!(
            r#"read -r _; echo '{{"id":"hello","ok":{{"name":"sh","version":"1","operations":["domain.canonical"]}}}}'
while read -r line; do id=${{line#'{{"id":"'}}; id=${{id%%'"'*}}; {body}; done"#
        );
        let command: Vec<String> = ["sh", "-c", &script].map(str::to_owned).into();
        let limit = Duration::from_millis(500);
        run(&command, &Options { limit, filter: vec!["publish/domain/".into()], ..Options::default() })
    }

    fn outcome(report: &Report, id: &str) -> Outcome {
        report.results.iter().find(|result| result.id == id).expect("it was chosen").outcome
    }

    #[test]
    fn wrong_answers_fail_and_right_ones_pass() {
        let report = shell(r#"echo "{\"id\":\"$id\",\"ok\":{}}""#);
        assert_eq!(report.program, "sh 1");
        assert_eq!(outcome(&report, "publish/domain/plain"), Outcome::Pass);
        assert_eq!(outcome(&report, "publish/domain/upper-case"), Outcome::Fail);
        assert_eq!(outcome(&report, "publish/domain/all-digits"), Outcome::OtherReading);
        assert!(!report.conforms() && report.incidents.is_empty());
    }

    #[test]
    fn crash_and_hang_are_the_cases_own() {
        let report = shell(
            r#"case $id in */label-63) exit 3;; */label-64) read -r _ < /dev/zero;; *) echo "{\"id\":\"$id\",\"reject\":{}}";; esac"#,
        );
        assert_eq!(outcome(&report, "publish/domain/label-63"), Outcome::Crash);
        assert_eq!(outcome(&report, "publish/domain/upper-case"), Outcome::Pass);
        assert_eq!(outcome(&report, "publish/domain/plain"), Outcome::Fail);
        assert_eq!(outcome(&report, "publish/domain/total-254"), Outcome::Pass);
    }

    #[test]
    fn no_hello_and_no_program_are_told() {
        for command in [["sh", "-c", "exit 1"], ["/no/such/program", "", ""], ["sh", "-c", "echo no; cat"]] {
            let report = run(&command.map(str::to_owned), &Options::default());
            assert_eq!(report.incidents.len(), 1, "{command:?}");
            assert!(!report.conforms());
        }
        let report = run(&[], &Options::default());
        assert!(!report.conforms());
    }
}

//! Drives any implementation of the JSON-lines protocol through the cases.

mod judge;
mod names;
mod process;
mod report;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
// A program under test lives in the time of the machine.
#[allow(clippy::disallowed_types)]
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::case::Case;
use crate::shim::PROTOCOL;
use crate::{all, manifest, wire};
use process::{Event, Program};

pub use names::Names;
pub use report::{CaseResult, Outcome, Report};

/// How to drive it.
#[derive(Clone, Debug)]
pub struct Options {
    /// How long one case may take.
    pub limit: Duration,
    /// How many cases are sent ahead of their answers.
    pub window: usize,
    /// How many crashes and hangs are borne before the rest is given up.
    pub patience: usize,
    /// Readings to judge besides those that the program declares in its hello.
    pub readings: BTreeSet<String>,
    /// Whether the rule's name is judged too, also where `names` says nothing.
    pub rules: bool,
    /// What the program calls the rules; those that stand here are judged.
    pub names: Names,
    /// Only cases whose id holds one of these texts; all, if empty.
    pub filter: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            limit: Duration::from_secs(10),
            window: 64,
            patience: 20,
            readings: BTreeSet::new(),
            rules: false,
            names: Names::default(),
            filter: Vec::new(),
        }
    }
}

/// Starts `command` (program and arguments) and runs the cases through it.
pub fn run(command: &[String], options: &Options) -> Report {
    let chosen: Vec<Case> = all()
        .iter()
        .filter(|case| options.filter.is_empty() || options.filter.iter().any(|text| case.id.contains(text)))
        .cloned()
        .collect();
    let mut runner = Runner { command, options, program: None, report: Report::default() };
    runner.run(&chosen);
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
    /// These cases are over their time, while others are answered.
    Overdue(Vec<String>),
}

/// A case that was sent and is not answered.
#[allow(clippy::disallowed_types)]
struct Open<'c> {
    case: &'c Case,
    /// Its number among those sent.
    n: usize,
    since: Instant,
    /// How many were open with it: one after the other, so many limits may pass until its own is over.
    ahead: u32,
}

impl Runner<'_> {
    fn run(&mut self, cases: &[Case]) {
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
        for case in cases {
            let other = case.reading.as_ref().filter(|reading| !readings.contains(*reading));
            let skipped = if self.report.operations.contains(&case.op) {
                other.map(|r| (Outcome::OtherReading, format!("it rests on {r}, which is not declared")))
            } else {
                Some((Outcome::Unsupported, "the operation is not claimed".to_owned()))
            };
            match skipped {
                Some((outcome, text)) => note(&mut results, case, outcome, text),
                None => todo.push_back(case),
            }
        }
        self.converse(todo, &mut results);
        self.report.results = cases.iter().filter_map(|case| results.remove(&case.id)).collect();
        self.count(cases);
    }

    /// Sends cases ahead; when the program ends, falls silent or leaves a case behind, the open cases go again one by
    /// one, so that the verdict is the case's own.
    fn converse(&mut self, mut todo: VecDeque<&Case>, results: &mut BTreeMap<String, CaseResult>) {
        while !todo.is_empty() {
            let mut open = BTreeMap::new();
            let stop = self.exchange(&mut todo, &mut open, self.options.window.max(1), results);
            let (why, late) = match stop {
                Stop::Done => return,
                Stop::Ended(why) => (format!("the program ended: {why}"), None),
                Stop::Silent => (format!("no answer in {:?}", self.options.limit), None),
                Stop::Overdue(late) => (String::new(), Some(late)),
            };
            self.program = None;
            let is_late = |id: &String| late.as_ref().is_none_or(|late| late.contains(id));
            let (suspects, others): (Vec<_>, Vec<_>) = open.into_iter().partition(|(id, _)| is_late(id));
            others.into_iter().rev().for_each(|(_, open)| todo.push_front(open.case));
            let many = suspects.len();
            // Alone and in time, what was only late is as good as any.
            let mut explained = late.is_some();
            for (_, Open { case, .. }) in suspects {
                if given_up(results) >= self.options.patience {
                    self.report
                        .incidents
                        .push("too many crashes and hangs; the rest was given up".to_owned());
                    return;
                }
                let stop = self.exchange(&mut VecDeque::from([case]), &mut BTreeMap::new(), 1, results);
                let (outcome, text) = match stop {
                    Stop::Done => continue,
                    Stop::Ended(why) => (Outcome::Crash, why),
                    Stop::Silent | Stop::Overdue(_) => {
                        (Outcome::Hang, format!("no answer in {:?}", self.options.limit))
                    }
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
    #[allow(clippy::disallowed_types)]
    fn exchange<'c>(
        &mut self,
        todo: &mut VecDeque<&'c Case>,
        open: &mut BTreeMap<String, Open<'c>>,
        window: usize,
        results: &mut BTreeMap<String, CaseResult>,
    ) -> Stop {
        let (limit, mut sent, mut newest) = (self.options.limit, 0, 0);
        if self.program.is_none()
            && let Err(why) = self.start()
        {
            let opened = |case: &'c Case| Open { case, n: 0, since: Instant::now(), ahead: 0 };
            open.extend(todo.drain(..).map(|case| (case.id.clone(), opened(case))));
            return Stop::Ended(why);
        }
        let mut last = Instant::now();
        loop {
            let Some(program) = &mut self.program else { return Stop::Ended("it is not running".to_owned()) };
            while open.len() < window
                && let Some(case) = todo.pop_front()
            {
                program.send(&json!({"id": case.id, "op": case.op, "in": wire::spell_out(&case.input)}));
                sent += 1;
                let ahead = open.len() as u32 + 1;
                open.insert(case.id.clone(), Open { case, n: sent, since: Instant::now(), ahead });
            }
            if open.is_empty() {
                return Stop::Done;
            }
            // Whoever answers out of order has each case to itself; whoever answers in order, one after the other.
            let due = |each: &Open<'_>| each.since + limit * if each.n < newest { 1 } else { each.ahead };
            let first = open.values().map(due).min().map_or(last + limit, |due| due.min(last + limit));
            match program.next(first.saturating_duration_since(Instant::now())) {
                Event::Silent => {
                    let now = Instant::now();
                    if now >= last + limit {
                        return Stop::Silent;
                    }
                    let late: Vec<String> =
                        open.iter().filter(|(_, each)| due(each) <= now).map(|(id, _)| id.clone()).collect();
                    if !late.is_empty() {
                        return Stop::Overdue(late);
                    }
                }
                Event::Ended(why) => return Stop::Ended(why),
                Event::Line(line) => {
                    let answer: Value = serde_json::from_slice(&line).unwrap_or_default();
                    if let Some(Open { case, n, .. }) = answer["id"].as_str().and_then(|id| open.remove(id)) {
                        let (outcome, text) =
                            judge::judge(case, &answer, self.options.rules, &self.options.names);
                        note(results, case, outcome, text);
                        newest = newest.max(n);
                        last = Instant::now();
                    } else {
                        self.stray(&line);
                        // Noise is no answer, however much of it comes.
                        if Instant::now() >= last + limit {
                            return Stop::Silent;
                        }
                    }
                }
            }
        }
    }

    /// A line that answers nothing; the first few are told.
    fn stray(&mut self, line: &[u8]) {
        if self.report.incidents.len() < 10 {
            let line = excerpt(line);
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
            let line = excerpt(&line);
            return Err(format!("its hello names no operations: {line}"));
        }
        self.program = Some(program);
        Ok(answer["ok"].clone())
    }

    /// Claimed operations of which fewer cases were judged than were chosen: all that the manifest holds, if none
    /// were chosen by their ids.
    fn count(&mut self, chosen: &[Case]) {
        let mut wanted: BTreeMap<&str, usize> = BTreeMap::new();
        for case in chosen {
            *wanted.entry(&case.op).or_default() += 1;
        }
        let held = manifest().operations;
        if self.options.filter.is_empty() {
            wanted.extend(held.iter().map(|(op, count)| (op.as_str(), count.total())));
        }
        for (op, wanted) in wanted {
            let results = self.report.results.iter().filter(|result| result.op == op);
            let judged = results.filter(|result| result.outcome != Outcome::Unsupported).count();
            if self.report.operations.iter().any(|claimed| claimed == op) && judged < wanted {
                self.report.missing.push(format!("{op}: {judged} of {wanted} cases"));
            }
        }
        let unknown = self.report.operations.iter().filter(|op| !held.contains_key(*op));
        self.report.unknown = unknown.cloned().collect();
    }
}

/// The beginning of a line that nobody expected, without what a terminal would obey.
fn excerpt(line: &[u8]) -> String {
    String::from_utf8_lossy(line).chars().take(200).flat_map(char::escape_debug).collect()
}

fn given_up(results: &BTreeMap<String, CaseResult>) -> usize {
    results.values().filter(|result| matches!(result.outcome, Outcome::Crash | Outcome::Hang)).count()
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
        shell_with(body, &quick())
    }

    fn quick() -> Options {
        let limit = Duration::from_millis(500);
        Options { limit, filter: vec!["publish/domain/".into()], ..Options::default() }
    }

    fn shell_with(body: &str, options: &Options) -> Report {
        let script = format!(
            r#"read -r _; echo '{{"id":"hello","ok":{{"name":"sh","version":"1","operations":["domain.canonical"]}}}}'
while read -r line; do id=${{line#'{{"id":"'}}; id=${{id%%'"'*}}; {body}; done"#
        );
        let command: Vec<String> = ["sh", "-c", &script].map(str::to_owned).into();
        run(&command, options)
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
    fn a_flood_of_noise_is_no_answer() {
        let report = shell(
            r#"case $id in */label-63) while :; do echo noise; done;; *) echo "{\"id\":\"$id\",\"reject\":{}}";; esac"#,
        );
        assert_eq!(outcome(&report, "publish/domain/label-63"), Outcome::Hang);
        assert_eq!(outcome(&report, "publish/domain/upper-case"), Outcome::Pass);
        assert!(!report.conforms());
    }

    #[test]
    fn a_case_left_behind_while_others_are_answered_is_found() {
        // Each answers in the background: one is late, while others come.
        let report = shell(
            r#"(case $id in */label-63) sleep 5;; *) ;; esac; echo "{\"id\":\"$id\",\"reject\":{}}") & sleep 0.05"#,
        );
        assert_eq!(outcome(&report, "publish/domain/label-63"), Outcome::Hang);
        assert_eq!(outcome(&report, "publish/domain/upper-case"), Outcome::Pass);
        assert_eq!(report.counts().get(&Outcome::Hang), Some(&1));
    }

    #[test]
    fn names_are_judged_where_the_map_speaks() {
        let answer = r#"echo "{\"id\":\"$id\",\"reject\":{\"rule\":\"BadDomain\"}}""#;
        let map = |text: &str| Options { names: Names::parse("map.toml", text).expect("a map"), ..quick() };
        let right =
            shell_with(answer, &map("[rules]\nBadDomain = ['domain.alphabet', 'domain.label-length']\n"));
        assert_eq!(outcome(&right, "publish/domain/upper-case"), Outcome::Pass);
        let other = shell_with(answer, &map("[rules]\nUpperCase = ['domain.alphabet']\n"));
        assert_eq!(outcome(&other, "publish/domain/upper-case"), Outcome::Fail);
        // Of the other rules the map says nothing.
        assert_eq!(outcome(&other, "publish/domain/total-254"), Outcome::Pass);
        let all = shell_with(answer, &Options { rules: true, ..quick() });
        assert_eq!(outcome(&all, "publish/domain/total-254"), Outcome::Fail);
    }

    #[test]
    fn a_program_that_always_ends_is_given_up() {
        let report = shell("exit 3");
        assert_eq!(report.counts().get(&Outcome::Crash), Some(&20));
        assert_eq!(report.incidents.len(), 1);
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

//! Runs the cases against any implementation of the JSON-lines protocol.

mod baseline;
mod judge;
mod names;
mod process;
mod report;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
// A program under test runs in real time.
#[allow(clippy::disallowed_types)]
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::case::Case;
use crate::shim::PROTOCOL;
use crate::{all, manifest, wire};
use judge::Judgement;
use process::{Event, Program};

pub use baseline::Baseline;
pub use names::Names;
pub use report::{CaseResult, Count, Followed, Incoherence, Outcome, Reply, Report, Shown};

/// Options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Time limit for one case.
    pub limit: Duration,
    /// Number of cases sent before their responses arrive.
    pub window: usize,
    /// Number of crashes and hangs after which the run is aborted.
    pub patience: usize,
    /// Readings to judge in addition to those that the program declares in its hello. Cases of other readings are
    /// observed.
    pub readings: BTreeSet<String>,
    /// Whether the rule's name is judged even if `names` does not map it.
    pub rules: bool,
    /// The program's own names of the rules; mapped rules are judged.
    pub names: Names,
    /// Only cases whose id contains one of these strings; all if empty.
    pub filter: Vec<String>,
    /// Only cases of these operations; all if empty.
    pub operations: Vec<String>,
    /// The known failures.
    pub baseline: Baseline,
}

impl Options {
    fn chooses(&self, case: &Case) -> bool {
        (self.filter.is_empty() || self.filter.iter().any(|text| case.id.contains(text)))
            && (self.operations.is_empty() || self.operations.contains(&case.op))
    }
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
            operations: Vec::new(),
            baseline: Baseline::default(),
        }
    }
}

/// Starts `command` (program and arguments) and runs the cases through it.
pub fn run(command: &[String], options: &Options) -> Report {
    let chosen: Vec<Case> = all().iter().filter(|case| options.chooses(case)).cloned().collect();
    let mut runner = Runner { command, options, program: None, report: Report::default() };
    runner.run(&chosen);
    let is_whole = chosen.len() == all().len();
    options.baseline.apply(&mut runner.report, is_whole);
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
    /// These cases are over their time limit, while others are answered.
    Overdue(Vec<String>),
}

/// A case that was sent and is not answered yet.
#[allow(clippy::disallowed_types)]
struct Open<'c> {
    case: &'c Case,
    /// Its number among the sent cases.
    n: usize,
    since: Instant,
    /// Number of open cases including this one: a program that answers in order may need this many time limits.
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
        self.report.readings = texts("readings").chain(self.options.readings.iter().cloned()).collect();

        let mut results: BTreeMap<String, CaseResult> = BTreeMap::new();
        let mut todo = VecDeque::new();
        for case in cases {
            if self.report.operations.contains(&case.op) {
                todo.push_back(case);
            } else {
                let text = "the program does not claim the operation".to_owned();
                note(&mut results, case, without_answer(Outcome::Unsupported, text));
            }
        }
        self.converse(todo, &mut results);
        self.report.results = cases.iter().filter_map(|case| results.remove(&case.id)).collect();
        self.count(cases);
        self.report.find_incoherence();
    }

    /// Sends cases ahead. When the program ends, stops responding or skips a case, the open cases are sent again one
    /// by one, so that each gets its own verdict.
    fn converse(&mut self, mut todo: VecDeque<&Case>, results: &mut BTreeMap<String, CaseResult>) {
        while !todo.is_empty() {
            let mut open = BTreeMap::new();
            let stop = self.exchange(&mut todo, &mut open, self.options.window.max(1), results);
            let (why, late) = match stop {
                Stop::Done => return,
                Stop::Ended(why) => (format!("the program ended: {why}"), None),
                Stop::Silent => (format!("no response within {:?}", self.options.limit), None),
                Stop::Overdue(late) => (String::new(), Some(late)),
            };
            self.program = None;
            let is_late = |id: &String| late.as_ref().is_none_or(|late| late.contains(id));
            let (suspects, others): (Vec<_>, Vec<_>) = open.into_iter().partition(|(id, _)| is_late(id));
            others.into_iter().rev().for_each(|(_, open)| todo.push_front(open.case));
            let many = suspects.len();
            // A case that was only late passes if it is answered in time alone.
            let mut explained = late.is_some();
            for (_, Open { case, .. }) in suspects {
                if given_up(results) >= self.options.patience {
                    self.report.incidents.push("too many crashes and hangs; the run was aborted".to_owned());
                    return;
                }
                let stop = self.exchange(&mut VecDeque::from([case]), &mut BTreeMap::new(), 1, results);
                let (outcome, text) = match stop {
                    Stop::Done => continue,
                    Stop::Ended(why) => (Outcome::Crash, why),
                    Stop::Silent | Stop::Overdue(_) => {
                        (Outcome::Hang, format!("no response within {:?}", self.options.limit))
                    }
                };
                self.program = None;
                explained = true;
                note(results, case, without_answer(outcome, text));
            }
            if !explained {
                self.report
                    .incidents
                    .push(format!("{why}, with {many} cases open; none of them fails alone"));
                if many == 0 {
                    return;
                }
            }
        }
    }

    /// Sends cases, at most `window` of them ahead, and judges the responses until all are answered.
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
            let Some(program) = &mut self.program else {
                return Stop::Ended("the program is not running".to_owned());
            };
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
            // After out-of-order responses each case has its own time limit; otherwise the limits of open cases add
            // up.
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
                        let declared = |reading: &String| self.report.readings.contains(reading);
                        let is_observed = case.reading.as_ref().is_some_and(|reading| !declared(reading));
                        let rules = judge::Rules { all: self.options.rules, names: &self.options.names };
                        note(results, case, judge::judge(case, &answer, is_observed, &rules));
                        newest = newest.max(n);
                        last = Instant::now();
                    } else {
                        self.stray(&line);
                        // Noise is not a response, however much of it arrives.
                        if Instant::now() >= last + limit {
                            return Stop::Silent;
                        }
                    }
                }
            }
        }
    }

    /// A line that is not a response; the first few are reported.
    fn stray(&mut self, line: &[u8]) {
        if self.report.incidents.len() < 10 {
            let line = excerpt(line);
            self.report.incidents.push(format!("a line that is not a response to an open case: {line}"));
        }
    }

    fn start(&mut self) -> Result<Value, String> {
        let mut program = Program::start(self.command)?;
        program.send(&json!({"id": "hello", "op": "hello", "in": {"protocol": PROTOCOL}}));
        let line = match program.next(self.options.limit) {
            Event::Line(line) => line,
            Event::Ended(why) => return Err(format!("the program ended before its hello: {why}")),
            Event::Silent => return Err(format!("no hello within {:?}", self.options.limit)),
        };
        let answer: Value = serde_json::from_slice(&line).unwrap_or_default();
        if answer["id"] != "hello" || !answer["ok"]["operations"].is_array() {
            let what = match answer["op"].as_str() {
                Some("hello") => "the program returned the request itself".to_owned(),
                _ => format!("the hello of the program lists no operations: {}", excerpt(&line)),
            };
            return Err(format!(
                "{what}; it must answer hello as the protocol says (assay help vectors-protocol)"
            ));
        }
        self.program = Some(program);
        Ok(answer["ok"].clone())
    }

    /// Finds claimed operations of which fewer cases were judged than chosen. If no ids were chosen, all cases of the
    /// manifest count.
    fn count(&mut self, chosen: &[Case]) {
        let mut wanted: BTreeMap<&str, usize> = BTreeMap::new();
        for case in chosen {
            *wanted.entry(&case.op).or_default() += 1;
        }
        let held = manifest().operations;
        if self.options.filter.is_empty() && self.options.operations.is_empty() {
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

/// The start of an unexpected line, with control characters escaped.
fn excerpt(line: &[u8]) -> String {
    String::from_utf8_lossy(line).chars().take(200).flat_map(char::escape_debug).collect()
}

fn given_up(results: &BTreeMap<String, CaseResult>) -> usize {
    results.values().filter(|result| matches!(result.outcome, Outcome::Crash | Outcome::Hang)).count()
}

fn note(results: &mut BTreeMap<String, CaseResult>, case: &Case, judgement: Judgement) {
    let Judgement { outcome, reply, text, counted } = judgement;
    let result = CaseResult { id: case.id.clone(), op: case.op.clone(), outcome, reply, text, counted };
    results.insert(case.id.clone(), result);
}

const fn without_answer(outcome: Outcome, text: String) -> Judgement {
    Judgement { outcome, reply: Reply::Nothing, text, counted: "" }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A program in shell: `hello`, and then for each line `body` with `$id`.
    fn shell(body: &str) -> Report {
        shell_with(body, &quick())
    }

    fn quick() -> Options {
        let limit = Duration::from_millis(500);
        Options { limit, filter: vec!["publish/domain/".into()], ..Options::default() }
    }

    fn shell_with(body: &str, options: &Options) -> Report {
        shell_for("domain.canonical", body, options)
    }

    fn shell_for(op: &str, body: &str, options: &Options) -> Report {
        let script = format!(
            r#"read -r _; echo '{{"id":"hello","ok":{{"name":"sh","version":"1","operations":["{op}"]}}}}'
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
        assert_eq!(outcome(&report, "publish/domain/all-digits"), Outcome::Observed);
        assert!(!report.agrees() && report.incidents.is_empty());
    }

    #[test]
    fn case_of_a_reading_is_observed_and_equivalent_cases_get_the_same_answer() {
        let options = |id: &str| Options { filter: vec![id.into()], ..quick() };
        let keys = options("publish/vfkey-verify/key-order-");
        let all = r#"echo "{\"id\":\"$id\",\"ok\":{}}""#;
        let tolerant = shell_for("vfkey.verify", all, &keys);
        assert_eq!(outcome(&tolerant, "publish/vfkey-verify/key-order-2"), Outcome::Observed);
        assert!(tolerant.incoherent.is_empty() && tolerant.result() == "no case was judged");
        let shown = tolerant.behaviours();
        let shown = shown.iter().find(|shown| shown.input == "a key of small order").expect("it was asked");
        assert_eq!((shown.what.as_str(), shown.cases), ("accepted", 3));
        let strict = tolerant.followed();
        assert_eq!((strict[0].reading.as_str(), strict[0].as_read), ("A-069/strict-signature", 0));

        let some = r#"case $id in *-2) echo "{\"id\":\"$id\",\"reject\":{}}";; *) echo "{\"id\":\"$id\",\"ok\":{}}";; esac"#;
        let report = shell_for("vfkey.verify", some, &keys);
        let [found] = report.incoherent.as_slice() else { panic!("{:?}", report.incoherent) };
        assert_eq!((found.input, found.cases.len()), ("a key of small order", 2));
        assert!(!report.agrees());
        // A program that declares the reading fails in the cases themselves.
        let declared = Options { readings: ["A-069/strict-signature".to_owned()].into(), ..keys };
        let report = shell_for("vfkey.verify", some, &declared);
        assert!(report.incoherent.is_empty() && report.result() == "answers differ");
        assert_eq!(outcome(&report, "publish/vfkey-verify/key-order-4"), Outcome::Fail);
    }

    #[test]
    fn observed_case_fails_if_it_gets_no_verdict() {
        let options = Options { filter: vec!["publish/vfkey-verify/key-order-2".into()], ..quick() };
        for (body, expected) in [
            (r#"echo "{\"id\":\"$id\",\"error\":\"no\"}""#, Outcome::Fail),
            (r#"echo "{\"id\":\"$id\"}""#, Outcome::Fail),
            ("exit 3", Outcome::Crash),
            ("read -r _ < /dev/zero", Outcome::Hang),
        ] {
            let report = shell_for("vfkey.verify", body, &options);
            assert_eq!(outcome(&report, "publish/vfkey-verify/key-order-2"), expected, "{body}");
            assert!(!report.agrees());
        }
    }

    #[test]
    fn result_counts_the_cases_and_operations_that_agree() {
        let options = Options { filter: vec!["publish/domain/plain".into()], ..quick() };
        let report = shell_with(r#"echo "{\"id\":\"$id\",\"ok\":{}}""#, &options);
        let (cases, held) = (all().len(), manifest().operations.len());
        assert_eq!(report.result(), format!("answers agree (1 of {cases} cases, 1 of {held} operations)"));
        let other = Options { operations: vec!["vfkey.sign".into()], ..quick() };
        assert_eq!(shell_with("exit 3", &other).result(), "no case was judged");
        let reference = Report::of_the_reference();
        assert!(reference.agrees() && reference.behaviours().len() == crate::behaviour::BEHAVIOURS.len());
        assert!(reference.followed().iter().all(|each| each.as_read == each.cases));
    }

    #[test]
    fn crash_and_hang_are_reported_for_their_own_case() {
        let report = shell(
            r#"case $id in */label-63) exit 3;; */label-64) read -r _ < /dev/zero;; *) echo "{\"id\":\"$id\",\"reject\":{}}";; esac"#,
        );
        assert_eq!(outcome(&report, "publish/domain/label-63"), Outcome::Crash);
        assert_eq!(outcome(&report, "publish/domain/upper-case"), Outcome::Pass);
        assert_eq!(outcome(&report, "publish/domain/plain"), Outcome::Fail);
        assert_eq!(outcome(&report, "publish/domain/total-254"), Outcome::Pass);
    }

    #[test]
    fn flood_of_noise_is_not_a_response() {
        let report = shell(
            r#"case $id in */label-63) while :; do echo noise; done;; *) echo "{\"id\":\"$id\",\"reject\":{}}";; esac"#,
        );
        assert_eq!(outcome(&report, "publish/domain/label-63"), Outcome::Hang);
        assert_eq!(outcome(&report, "publish/domain/upper-case"), Outcome::Pass);
        assert!(!report.agrees());
    }

    #[test]
    fn skipped_case_is_found_while_others_are_answered() {
        // Each response comes from the background: one is late, while others arrive.
        let report = shell(
            r#"(case $id in */label-63) sleep 5;; *) ;; esac; echo "{\"id\":\"$id\",\"reject\":{}}") & sleep 0.05"#,
        );
        assert_eq!(outcome(&report, "publish/domain/label-63"), Outcome::Hang);
        assert_eq!(outcome(&report, "publish/domain/upper-case"), Outcome::Pass);
        assert_eq!(report.counts().get(&Outcome::Hang), Some(&1));
    }

    #[test]
    fn names_are_judged_for_mapped_rules() {
        let answer = r#"echo "{\"id\":\"$id\",\"reject\":{\"rule\":\"BadDomain\"}}""#;
        let map = |text: &str| Options { names: Names::parse("map.toml", text).expect("a map"), ..quick() };
        let right =
            shell_with(answer, &map("[rules]\nBadDomain = ['domain.alphabet', 'domain.label-length']\n"));
        assert_eq!(outcome(&right, "publish/domain/upper-case"), Outcome::Pass);
        let other = shell_with(answer, &map("[rules]\nUpperCase = ['domain.alphabet']\n"));
        assert_eq!(outcome(&other, "publish/domain/upper-case"), Outcome::Fail);
        // Rules that are not in the map are not judged.
        assert_eq!(outcome(&other, "publish/domain/total-254"), Outcome::Pass);
        let all = shell_with(answer, &Options { rules: true, ..quick() });
        assert_eq!(outcome(&all, "publish/domain/total-254"), Outcome::Fail);
    }

    #[test]
    fn run_of_a_program_that_always_ends_is_aborted() {
        let report = shell("exit 3");
        assert_eq!(report.counts().get(&Outcome::Crash), Some(&20));
        assert_eq!(report.incidents.len(), 1);
    }

    #[test]
    fn missing_hello_and_missing_program_are_reported() {
        for command in [["sh", "-c", "exit 1"], ["/no/such/program", "", ""], ["sh", "-c", "echo no; cat"]] {
            let report = run(&command.map(str::to_owned), &Options::default());
            assert_eq!(report.incidents.len(), 1, "{command:?}");
            assert!(!report.agrees());
        }
        let report = run(&[], &Options::default());
        assert!(!report.agrees());
    }
}

//! The report for CI: JUnit XML, one suite per service and group, one case per outcome.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::terminal::{answers, plain_exchanges, plain_repeat, plain_words};
use super::{by_group, case_name, cause_of, group, objections, readable};
use crate::harness::data::{Outcome, Run, Verdict};
use crate::harness::judge::cause::{Cause, causes};
use crate::harness::judge::conclusion::{adds, tested};
use crate::report::words;
use crate::support::prose::one_line;

/// The maximum length of one string of a case: viewers keep everything in memory, and some accept 30 MB in total.
const TEXT_BYTES: usize = 64 * 1024;
/// The maximum length of a message, which viewers show in one line.
const MESSAGE_BYTES: usize = 1024;

/// The run as XML, without unique ids or the time of day: one case for each check. The cause of a check that did not pass is
/// among its properties. A warning passes and has its details as output.
/// Not-applicable, not-testable and known failures are skipped. The details of a failure are in the failure's text,
/// because some viewers show nothing else; the exchanges are the output of the case.
pub fn write(run: &Run) -> String {
    let run = &*readable(run);
    let mut report = Report::new("assay");
    if let Some(time) = time(run.outcomes.iter()) {
        report.set_time(time);
    }
    let causes = causes(run);
    let tested = tested(run);
    for (name, outcomes) in by_group(run) {
        let mut suite = TestSuite::new(name);
        suite.add_property(("target", one_line(run.target.as_bytes()).as_str()));
        suite.add_property(("seed", run.seed.to_string().as_str()));
        let service = outcomes[0].requirement.service;
        if let Some(tested) = tested.iter().find(|tested| tested.service == service) {
            let share =
                format!("{service}: {} of {} ({} %)", tested.tested, tested.applicable, tested.percent());
            suite.add_property(("tested", share.as_str()));
        }
        for remark in &run.remarks {
            suite.add_property(("remark", one_line(remark.as_bytes()).as_str()));
        }
        if let Some(time) = time(outcomes.iter().copied()) {
            suite.set_time(time);
        }
        let case = |one: &&Outcome| case(run, one, case_name(&outcomes, one), cause_of(&causes, run, one));
        suite.add_test_cases(outcomes.iter().map(case));
        report.add_test_suite(suite);
    }
    let objections = objections(run);
    if !objections.is_empty() {
        let mut suite = TestSuite::new("run");
        suite.add_test_cases(objections.iter().enumerate().map(objected));
        report.add_test_suite(suite);
    }
    report.to_string().expect("a report in memory can be written")
}

/// A failed case for an objection, which belongs to no check.
fn objected((n, objection): (usize, &String)) -> TestCase {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_type("objection");
    status.set_message(cut(one_line(objection.as_bytes()), TEXT_BYTES));
    let mut case = TestCase::new(format!("objection {}", n + 1), status);
    case.set_classname("run");
    case
}

/// The sum of the known durations.
fn time<'a>(outcomes: impl Iterator<Item = &'a Outcome>) -> Option<Duration> {
    outcomes.filter_map(|outcome| outcome.elapsed_ms).reduce(u64::saturating_add).map(Duration::from_millis)
}

/// Only the outcome that shows a cause best has its exchanges in full.
fn case(run: &Run, outcome: &Outcome, name: String, cause: Option<&Cause>) -> TestCase {
    let seed = outcome.seed.unwrap_or(run.seed);
    let mut status = match outcome.verdict {
        Verdict::Warn if adds(run.gate.fail_on, outcome.verdict) => {
            TestCaseStatus::non_success(NonSuccessKind::Failure)
        }
        Verdict::Pass | Verdict::Warn => TestCaseStatus::success(),
        Verdict::Fail | Verdict::Inconclusive | Verdict::UnexpectedPass | Verdict::Unstable => {
            TestCaseStatus::non_success(NonSuccessKind::Failure)
        }
        Verdict::Error => TestCaseStatus::non_success(NonSuccessKind::Error),
        Verdict::NotApplicable | Verdict::NotTestable | Verdict::KnownFailure => TestCaseStatus::skipped(),
    };
    let is_success = matches!(status, TestCaseStatus::Success { .. });
    let mut words = plain_words(outcome);
    // The command that repeats it is most important, so it is never cut.
    words =
        cut(words, TEXT_BYTES) + &cut(plain_repeat(outcome), TEXT_BYTES) + &format!("  seed     {seed}\n");
    if !is_success {
        let reason = one_line(words::reason(outcome).as_bytes());
        status.set_type(outcome.verdict.name());
        status.set_message(cut(format!("{}: {reason}", outcome.verdict.name()), MESSAGE_BYTES));
        status.set_description(words.clone());
    }
    let id = outcome.requirement;
    let mut case = TestCase::new(name, status);
    case.set_classname(group(id));
    if let Some(time) = time(std::iter::once(outcome)) {
        case.set_time(time);
    }
    let source = id.source();
    let properties = [
        ("requirement", id.to_string()),
        ("fact", outcome.fact.to_owned()),
        ("level", id.level.name().to_owned()),
        ("source", source),
        ("statement", id.statement().to_owned()),
        ("verdict", outcome.verdict.name().to_owned()),
    ];
    for (name, value) in &properties {
        case.add_property((*name, value.as_str()));
    }
    if let Some(cause) = cause {
        let title = cut(one_line(words::title(run, cause).as_bytes()), MESSAGE_BYTES);
        case.add_property(("cause", title.as_str()));
        case.add_property(("cause-row", cause.row.to_string().as_str()));
    }
    let output = match outcome.verdict {
        Verdict::Pass => passed(outcome),
        _ if cause.is_some_and(|cause| !std::ptr::eq(cause.outcome(run), outcome)) => passed(outcome),
        Verdict::Warn if is_success => words + &plain_exchanges(outcome),
        _ => plain_exchanges(outcome),
    };
    if !output.is_empty() {
        case.set_system_out(cut(output, TEXT_BYTES));
    }
    case
}

/// The output of a pass: its notes, and a line for each exchange.
fn passed(outcome: &Outcome) -> String {
    let notes = outcome.notes.iter().map(|note| format!("note {}\n", one_line(note.as_bytes())));
    notes.chain(answers(outcome).into_iter().map(|line| line + "\n")).collect()
}

fn cut(mut text: String, most: usize) -> String {
    if text.len() > most {
        text.truncate(text.floor_char_boundary(most));
        text.push_str("\u{2026}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::FailOn;
    use crate::report::example;

    #[test]
    fn a_run_with_everything() {
        let text = write(&example::run());
        assert!(!text.contains(example::TOKEN));
        for part in [
            r#"<testsuites name="assay" tests="7" skipped="2" failures="2" errors="1">"#,
            r#"<testsuite name="publish.first-group" tests="4" skipped="2" errors="0" failures="1">"#,
            r#"<property name="seed" value="18446744073709551615"/>"#,
            r#"<property name="tested" value="publish: 3 of 120 (2 %)"/>"#,
            r#"<testcase name="publish.first-group.needs-time it_ends_late" classname="publish.first-group">"#,
            r#"<property name="requirement" value="publish.first-group.second-is-refused"/>"#,
            r#"<property name="level" value="must"/>"#,
            r#"<property name="source" value="document 3, Exchange"/>"#,
            r#"<property name="statement" value="A second &lt;one&gt; is refused."/>"#,
            "<failure message=\"fail: the second was accepted\" type=\"fail\">fail publish.first-group.second-is-refused",
            "\n  got      200\n  why      prepare: the lock was free\n  repeat   curl",
            "<property name=\"cause\" value=\"POST /prepare returned 200, wanted 409\"/>",
            "<skipped message=\"not-testable: needs control level T2\" type=\"not-testable\">",
            "<error message=\"error: cannot connect: refused\" type=\"error\">",
            "<system-out>warn publish.other.answers  it_answers",
            "<system-out>note answers with 201 where 200 is as good\nPOST /prepare -&gt; 200\n</system-out>",
            "<system-out>  exchange 1 of 2, http://127.0.0.1:4101\n    &gt; PUT / HTTP/1.1\n",
            "&lt; x: \\xff\n",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn a_warning_that_fails_the_run_is_a_failure() {
        let mut run = example::run();
        assert!(!write(&run).contains(r#"type="warn""#));
        run.gate.fail_on = FailOn::Should;
        let text = write(&run);
        assert!(text.contains(r#"failures="3""#) && text.contains(r#"type="warn""#), "{text}");
    }

    #[test]
    fn characters_that_xml_forbids_are_escaped() {
        let mut run = example::run();
        run.outcomes[1].reason = "\0\u{1b}[0m\u{fffe}]]><&".into();
        let text = write(&run);
        assert!(text.contains("\\0\\u{1b}[0m"), "{text}");
        let allowed = |c: char| matches!(c, '\n' | ' '..='\u{fffd}' | '\u{10000}'..);
        assert!(text.chars().all(allowed));
    }

    #[test]
    fn known_durations_are_written() {
        let mut run = example::run();
        (run.outcomes[0].elapsed_ms, run.outcomes[1].elapsed_ms) = (Some(1500), Some(250));
        let text = write(&run);
        assert!(
            text.contains(r#"name="publish.first-group.holds" classname="publish.first-group" time="1.500""#)
        );
        assert_eq!(text.matches(r#"time="1.750""#).count(), 2, "{text}");
    }
}

//! The report for CI: the Common Test Report Format (CTRF), one test for each outcome.

use assay_spec::instant::Instant;
use serde_json::{Value, json};

use super::terminal::{answers, plain_exchanges, plain_repeat, plain_words};
use super::{by_group, case_name, cause_of, group, objections, readable, shortened};
use crate::harness::data::{Outcome, Run, Verdict};
use crate::harness::judge::cause::{Cause, causes};
use crate::harness::judge::conclusion::{adds, tested};
use crate::report::words;
use crate::support::prose::one_line;

/// The version of the format.
const SPEC_VERSION: &str = "0.0.0";
/// The maximum length of a trace.
const TRACE_BYTES: usize = 64 * 1024;
/// The maximum length of a message.
const MESSAGE_BYTES: usize = 1024;
/// Every status, in the order of the summary.
const STATUSES: [&str; 5] = ["passed", "failed", "skipped", "pending", "other"];

/// The run as CTRF in JSON, without unique ids or the time of day. `start` is when the run began, and `stop` adds the
/// known durations of its checks; both are 0 for the embedded simulator, whose runs are equal.
///
/// What fails the run is `failed`, whatever its verdict. A known failure, and an inconclusive check that shows nothing about
/// the target, are `other`: they ran, and are neither passed nor failed. `rawStatus` is the verdict.
pub fn write(run: &Run) -> String {
    let mut text = serde_json::to_string_pretty(&document(run)).expect("a value in memory can be written");
    text.push('\n');
    text
}

fn document(run: &Run) -> Value {
    let run = &*readable(run);
    let causes = causes(run);
    let groups = by_group(run);
    let mut tests: Vec<Value> = Vec::new();
    for (_, outcomes) in &groups {
        let test = |one: &&Outcome| test(run, one, &case_name(outcomes, one), cause_of(&causes, run, one));
        tests.extend(outcomes.iter().map(test));
    }
    tests.extend(objections(run).iter().enumerate().map(objected));
    let count = |status: &str| tests.iter().filter(|test| test["status"] == status).count();
    let mut summary = json!({ "tests": tests.len() });
    for status in STATUSES {
        summary[status] = count(status).into();
    }
    let elapsed = run.outcomes.iter().filter_map(|one| one.elapsed_ms).fold(0, u64::saturating_add);
    let began = run.began.as_deref().and_then(Instant::parse_iso).map_or(0, |began| began.0);
    summary["suites"] = groups.len().into();
    summary["flaky"] = run.count(Verdict::Unstable).into();
    summary["start"] = began.into();
    summary["stop"] = began.saturating_add_unsigned(elapsed).into();
    summary["duration"] = elapsed.into();
    let services: Vec<Value> = tested(run)
        .iter()
        .map(|one| json!({ "service": one.service.name(), "tested": one.tested, "applicable": one.applicable }))
        .collect();
    let mut environment = json!({
        "testEnvironment": one_line(run.target.as_bytes()),
        "healthy": run.exit_code() == 0,
    });
    if let Some(shards) = &run.shards {
        let present: Vec<String> = shards.present.iter().map(ToString::to_string).collect();
        environment["shardId"] = format!("{}/{}", present.join(","), shards.of).into();
    }
    let version = env!("CARGO_PKG_VERSION");
    json!({
        "reportFormat": "CTRF",
        "specVersion": SPEC_VERSION,
        "generatedBy": format!("assay {version}"),
        "results": {
            "tool": { "name": "assay", "version": version },
            "summary": summary,
            "tests": tests,
            "environment": environment,
            "extra": {
                "seed": run.seed.to_string(),
                "result": words::result(run),
                "exitCode": run.exit_code(),
                "services": services,
                "remarks": run.remarks.iter().map(|text| one_line(text.as_bytes())).collect::<Vec<_>>(),
            },
        },
    })
}

/// A failed test for an objection, which belongs to no check.
fn objected((n, objection): (usize, &String)) -> Value {
    json!({
        "name": format!("objection {}", n + 1),
        "status": "failed",
        "duration": 0,
        "suite": ["run"],
        "message": shortened(one_line(objection.as_bytes()), MESSAGE_BYTES),
    })
}

/// Only the outcome that shows a cause best has its exchanges in full.
fn test(run: &Run, outcome: &Outcome, name: &str, cause: Option<&Cause>) -> Value {
    let id = outcome.requirement;
    let mut test = json!({
        "testId": format!("{id} {}", outcome.fact),
        "name": name,
        "status": status(run, outcome),
        "rawStatus": outcome.verdict.name(),
        "duration": outcome.elapsed_ms.unwrap_or_default(),
        "suite": [id.service.name(), group(id)],
        "tags": [id.service.name(), id.level.name()],
        "type": "conformance",
        "extra": {
            "requirement": id.to_string(),
            "fact": outcome.fact,
            "source": id.source(),
            "statement": id.statement(),
            "seed": outcome.seed.unwrap_or(run.seed).to_string(),
        },
    });
    if outcome.verdict == Verdict::Unstable {
        test["flaky"] = true.into();
    }
    if let Some(cause) = cause {
        let title = one_line(words::title(run, cause).as_bytes());
        test["extra"]["cause"] = shortened(title, MESSAGE_BYTES).into();
        test["extra"]["causeRow"] = cause.row.to_string().into();
    }
    if outcome.verdict == Verdict::Pass {
        return test;
    }
    let reason = one_line(words::reason(outcome).as_bytes());
    test["message"] = shortened(format!("{}: {reason}", outcome.verdict.name()), MESSAGE_BYTES).into();
    // The command that repeats it is most important, so it is never cut.
    let mut trace = shortened(plain_words(outcome), TRACE_BYTES);
    trace += &shortened(plain_repeat(outcome), TRACE_BYTES);
    if cause.is_some_and(|cause| std::ptr::eq(cause.outcome(run), outcome)) {
        trace += &shortened(plain_exchanges(outcome), TRACE_BYTES);
    } else if !outcome.exchanges.is_empty() {
        test["stdout"] = answers(outcome).into();
    }
    test["trace"] = trace.into();
    test
}

fn status(run: &Run, outcome: &Outcome) -> &'static str {
    match outcome.verdict {
        _ if outcome.is_red() || adds(run.gate.fail_on, outcome.verdict) => "failed",
        Verdict::Error => "failed",
        Verdict::Pass | Verdict::Warn => "passed",
        Verdict::NotApplicable | Verdict::NotTestable => "skipped",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::data::{Reason, Shards, Why};
    use crate::profile::FailOn;
    use crate::report::example;

    #[test]
    fn a_run_with_everything() {
        let document = document(&example::run());
        let text = document.to_string();
        assert!(!text.contains(example::TOKEN));
        let results = &document["results"];
        assert_eq!(
            results["summary"],
            json!({
                "tests": 7, "passed": 2, "failed": 3, "skipped": 2, "pending": 0, "other": 0, "suites": 2, "flaky": 0,
                "start": 0, "stop": 0, "duration": 0,
            })
        );
        let tests = results["tests"].as_array().expect("a list");
        let raw: Vec<&str> = tests.iter().filter_map(|test| test["rawStatus"].as_str()).collect();
        assert_eq!(
            raw,
            ["pass", "fail", "not-testable", "not-testable", "warn", "inconclusive", "error"],
            "in order"
        );
        assert_eq!(
            tests[2]["name"], "publish.first-group.needs-time it_ends",
            "two facts of one requirement"
        );
        let failed = &tests[1];
        assert_eq!(failed["message"], "fail: the second was accepted");
        assert_eq!(failed["suite"], json!(["publish", "publish.first-group"]));
        assert_eq!(failed["extra"]["cause"], "POST /prepare returned 200, wanted 409");
        let trace = failed["trace"].as_str().expect("a string");
        for part in ["got      200", "repeat   curl -sS", "POST /prepare HTTP/1.1", "Bearer [redacted token]"]
        {
            assert!(trace.contains(part), "{part} in {trace}");
        }
        assert!(tests[0].get("trace").is_none() && tests[0].get("message").is_none());
        assert_eq!(results["environment"]["healthy"], false);
    }

    #[test]
    fn what_does_not_fail_the_run_is_not_failed() {
        let mut run = example::run();
        let (verdicts, wanted) = (
            [
                Verdict::KnownFailure,
                Verdict::Unstable,
                Verdict::UnexpectedPass,
                Verdict::Inconclusive,
                Verdict::NotApplicable,
                Verdict::Warn,
                Verdict::Error,
            ],
            ["other", "failed", "failed", "other", "skipped", "passed", "failed"],
        );
        for (outcome, verdict) in run.outcomes.iter_mut().zip(verdicts) {
            outcome.verdict = verdict;
            outcome.reason = Reason { why: Why::Open, ..Reason::default() };
        }
        run.outcomes[0].elapsed_ms = Some(1500);
        run.began = Some("2026-09-23T01:02:03.000Z".to_owned());
        run.shards = Some(Shards { of: 4, present: [1, 3].into() });
        run.objections = vec!["a stale <entry>".to_owned()];
        let document = document(&run);
        let tests = document["results"]["tests"].as_array().expect("a list");
        let statuses: Vec<&str> = tests.iter().filter_map(|test| test["status"].as_str()).collect();
        assert_eq!(statuses[..7], wanted);
        assert_eq!(statuses[7..], ["failed"], "the objection");
        assert_eq!((&tests[1]["flaky"], &tests[7]["message"]), (&json!(true), &json!("a stale <entry>")));
        let summary = &document["results"]["summary"];
        assert_eq!((&summary["start"], &summary["duration"]), (&json!(1_790_125_323_000_i64), &json!(1500)));
        assert_eq!(summary["stop"], json!(1_790_125_324_500_i64));
        assert_eq!(document["results"]["environment"]["shardId"], "1,3/4");
        run.gate.fail_on = FailOn::Should;
        let gated = super::document(&run);
        assert_eq!(gated["results"]["tests"][5]["status"], "failed", "a warning fails this run");
    }
}

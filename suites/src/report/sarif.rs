//! The report for code scanning: SARIF 2.1.0.
//!
//! A running service has no source lines, but viewers need a file: the location of a result is the path of its
//! requirement, such as `publish/prepare/one-in-flight`; the logical location is its id.

use assay_spec::Id;
use assay_spec::crypto::text::sha256_hex;
use assay_spec::requirement::Level;
use serde_json::{Map, Value, json};

use super::terminal::plain_detail;
use super::{objections, readable, shortened};
use crate::harness::data::{Outcome, Run, Verdict};
use crate::harness::judge::cause::{Cause, causes};
use crate::report::words;
use crate::support::prose::one_line;

/// The maximum length of a message.
const MESSAGE_BYTES: usize = 4 * 1024;

/// The maximum length of the details.
const DETAIL_BYTES: usize = 16 * 1024;

/// The run as a SARIF log: a rule for each tested requirement, a result for each tested outcome that is not a pass,
/// by cause; known failures are suppressed.
pub fn write(run: &Run) -> String {
    let mut text = serde_json::to_string_pretty(&log(run)).expect("a value in memory can be written");
    text.push('\n');
    text
}

fn log(run: &Run) -> Value {
    let run = &*readable(run);
    let mut rules: Vec<Id> = Vec::new();
    for outcome in &run.outcomes {
        if !rules.iter().any(|known| std::ptr::eq(*known, outcome.requirement)) {
            rules.push(outcome.requirement);
        }
    }
    let index = |id: Id| rules.iter().position(|known| std::ptr::eq(*known, id)).unwrap_or_default();
    let of_cause = |cause: &Cause| -> Vec<Value> {
        let others = cause.outcomes.iter().filter(|&&n| n != cause.first);
        let all = std::iter::once(&cause.first).chain(others).map(|&n| &run.outcomes[n]);
        all.map(|outcome| {
            let mut result = result(outcome, index(outcome.requirement), run.seed);
            result["properties"]["cause"] = one_line(words::title(run, cause).as_bytes()).into();
            result
        })
        .collect()
    };
    let results: Vec<Value> = causes(run).iter().flat_map(of_cause).collect();
    let counts: Map<String, Value> =
        Verdict::ALL.iter().map(|&verdict| (verdict.name().into(), run.count(verdict).into())).collect();
    let lines =
        |texts: &[String]| -> Vec<String> { texts.iter().map(|text| one_line(text.as_bytes())).collect() };
    let objections = lines(&objections(run));
    let objections: Vec<Value> = objections
        .iter()
        .map(|objection| json!({ "level": "error", "message": { "text": objection } }))
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "assay",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().copied().map(rule).collect::<Vec<_>>(),
            }},
            "automationDetails": { "id": "assay/" },
            "invocations": [{ "executionSuccessful": run.exit_code() != 4 && !run.is_partial, "exitCode": run.exit_code(),
                "toolExecutionNotifications": objections }],
            "columnKind": "unicodeCodePoints",
            "results": results,
            "properties": {
                "target": one_line(run.target.as_bytes()),
                "seed": run.seed.to_string(),
                "counts": counts,
                "remarks": lines(&run.remarks),
                "partial": run.is_partial,
            },
        }],
    })
}

fn rule(id: Id) -> Value {
    let level = if id.level == Level::Must { "error" } else { "warning" };
    let help =
        format!("{}\n\n{} for the {}, {}", id.statement(), id.level.name(), id.subject.name(), id.source());
    json!({
        "id": id.to_string(),
        "shortDescription": { "text": id.statement() },
        "fullDescription": { "text": id.statement() },
        "help": { "text": help },
        "defaultConfiguration": { "level": level },
        "properties": {
            "tags": [id.service.name()],
            "level": id.level.name(),
            "subject": id.subject.name(),
            "source": id.source(),
        },
    })
}

fn result(outcome: &Outcome, index: usize, seed: u64) -> Value {
    let seed = outcome.seed.unwrap_or(seed);
    let id = outcome.requirement;
    let level = match outcome.verdict {
        Verdict::Warn => "warning",
        _ => "error",
    };
    let mut message = format!("{}: {}", outcome.verdict.name(), one_line(words::reason(outcome).as_bytes()));
    if let Some(failure) = &outcome.failure {
        let shown_outcomes = [("at", &words::place(failure)), ("want", &failure.want), ("got", &failure.got)];
        message.extend(shown_outcomes.map(|(name, text)| format!("\n{name} {}", one_line(text.as_bytes()))));
    }
    let name = id.to_string();
    // The same fact of the same requirement must be the same alert in every run.
    let digest = sha256_hex(format!("{name} {}", outcome.fact).as_bytes());
    let mut result = json!({
        "ruleId": name,
        "ruleIndex": index,
        "level": level,
        "message": { "text": shortened(message, MESSAGE_BYTES) },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": name.replace('.', "/") },
                "region": { "startLine": 1 },
            },
            "logicalLocations": [{ "fullyQualifiedName": name, "kind": "member" }],
        }],
        "partialFingerprints": { "primaryLocationLineHash": format!("{}:1", &digest[..16]), "assay/v1": digest },
        "properties": {
            "verdict": outcome.verdict.name(),
            "fact": outcome.fact,
            "source": id.source(),
            "seed": seed.to_string(),
            "repeat": outcome.repeat.iter().map(|line| one_line(line.as_bytes())).collect::<Vec<_>>(),
            "detail": shortened(plain_detail(outcome), DETAIL_BYTES),
        },
    });
    if outcome.verdict == Verdict::KnownFailure {
        let why = format!("known failure in the baseline: {}", one_line(words::reason(outcome).as_bytes()));
        result["suppressions"] = json!([{ "kind": "external", "justification": why }]);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    #[test]
    fn a_run_with_everything() {
        let log = log(&example::run());
        assert!(!log.to_string().contains(example::TOKEN));
        let run = &log["runs"][0];
        let results = run["results"].as_array().unwrap();
        let verdicts: Vec<&str> =
            results.iter().map(|r| r["properties"]["verdict"].as_str().unwrap()).collect();
        assert_eq!(verdicts, ["fail", "inconclusive", "error", "warn"]);
        for result in results {
            let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
        }
        assert_eq!(
            results[0]["message"]["text"],
            "fail: the second was accepted\nat status\nwant 409\ngot 200"
        );
        let place = &results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        assert_eq!(place, "publish/first-group/second-is-refused");
        assert!(results[0].get("suppressions").is_none());
    }

    #[test]
    fn a_known_failure_is_suppressed_and_keeps_its_fingerprint() {
        let mut run = example::run();
        let before = log(&run)["runs"][0]["results"][0]["partialFingerprints"].clone();
        run.outcomes[1].verdict = Verdict::KnownFailure;
        run.outcomes[1].reason = "another reason".into();
        let results = log(&run)["runs"][0]["results"].as_array().unwrap().clone();
        let result = results.last().unwrap();
        assert_eq!(result["suppressions"][0]["kind"], "external");
        assert_eq!(result["partialFingerprints"], before);
    }
}

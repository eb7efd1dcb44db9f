//! Annotations for GitHub: one workflow command per line.

use std::fmt::Write;

use super::causes;
use super::terminal::by_reason;
use super::{objections, readable};
use crate::harness::data::{Run, Verdict};
use crate::harness::judge::cause::{Cause, causes};
use crate::report::words;
use crate::support::prose::one_line;

/// GitHub shows ten of each kind per step; the tenth counts the rest.
const SHOWN: usize = 10;

/// The maximum length of a message.
const MESSAGE_BYTES: usize = 4 * 1024;
/// The maximum length of one string in a message.
const TEXT_BYTES: usize = 512;

/// Errors for causes that do not conform, warnings for the other causes, notices for untested checks. Empty if there
/// are none.
pub fn write(run: &Run) -> String {
    let run = &*readable(run);
    let causes = causes(run);
    let shown_causes = |is: fn(Verdict) -> bool| -> Vec<(String, String)> {
        let causes = causes.iter().enumerate().filter(|(_, cause)| is(cause.verdict));
        causes.map(|(n, cause)| (title(n + 1, cause), message(run, cause))).collect()
    };
    let lines = |title: &str, texts: &[String]| -> Vec<(String, String)> {
        texts.iter().map(|text| (title.to_owned(), one_line(text.as_bytes()))).collect()
    };
    let mut errors = lines("objection", &objections(run));
    errors.extend(shown_causes(|verdict| verdict.is_bad() || verdict == Verdict::Error));
    let warnings = shown_causes(|verdict| matches!(verdict, Verdict::Warn | Verdict::KnownFailure));
    let untested = [Verdict::NotTestable, Verdict::NotApplicable].into_iter().flat_map(|verdict| {
        let reasons = by_reason(run, verdict).into_iter();
        reasons.map(move |(reason, outcomes)| {
            let ids: Vec<String> = outcomes.iter().map(|one| one.requirement.to_string()).collect();
            let title = format!("{} {}", outcomes.len(), verdict.name());
            (title, format!("{}\n{}", one_line(reason.as_bytes()), ids.join("\n")))
        })
    });
    let mut notices = lines("remark", &run.remarks);
    notices.extend(untested);
    let mut out = String::new();
    put(&mut out, "error", &errors);
    put(&mut out, "warning", &warnings);
    put(&mut out, "notice", &notices);
    out
}

fn put(out: &mut String, kind: &str, shown_outcomes: &[(String, String)]) {
    let shown = if shown_outcomes.len() > SHOWN { SHOWN - 1 } else { shown_outcomes.len() };
    for (title, message) in &shown_outcomes[..shown] {
        let cut = &message[..message.floor_char_boundary(MESSAGE_BYTES)];
        let _ = writeln!(out, "::{kind} title={}::{}", property(title), data(cut));
    }
    if shown < shown_outcomes.len() {
        let _ =
            writeln!(out, "::{kind} title=assay::and {} more; see the report", shown_outcomes.len() - shown);
    }
}

fn title(number: usize, cause: &Cause) -> String {
    let checks = cause.outcomes.len();
    let others = if checks > 1 { format!(" ({checks} checks)") } else { String::new() };
    format!("{number}. {} {}{others}", cause.verdict.name(), cause.row)
}

fn message(run: &Run, cause: &Cause) -> String {
    let outcome = cause.outcome(run);
    let seed = outcome.seed.unwrap_or(run.seed);
    let row = cause.row;
    let mut lines = vec![
        short(&words::title(run, cause)),
        format!("{row}: {} ({}, {})", row.statement(), row.level.name(), row.source()),
    ];
    lines.extend(Some(short(&words::reason(outcome))).filter(|reason| !reason.is_empty()));
    if let Some(failure) = &outcome.failure {
        let shown_outcomes = [("at", &words::place(failure)), ("want", &failure.want), ("got", &failure.got)];
        lines.extend(shown_outcomes.map(|(name, text)| format!("{name} {}", short(text))));
    }
    let followers = causes::followers(run, cause);
    lines.extend((!followers.is_empty()).then(|| format!("also {followers}")));
    lines.push(format!("seed {seed}"));
    lines.join("\n")
}

/// A bounded string, so that the seed after it is kept.
fn short(text: &str) -> String {
    let shown = &text[..text.floor_char_boundary(TEXT_BYTES)];
    one_line(shown.as_bytes()) + if shown.len() < text.len() { "\u{2026}" } else { "" }
}

/// Escapes the message of a command; the runner unescapes these three.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of a command, which a comma or a colon would end.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::data::Outcome;
    use crate::report::example;
    use crate::services;

    #[test]
    fn a_run_with_everything() {
        let text = write(&example::run());
        assert!(!text.contains(example::TOKEN));
        insta::assert_snapshot!(text, @"
        ::error title=1. fail publish.first-group.second-is-refused::POST /prepare returned 200, wanted 409%0Apublish.first-group.second-is-refused: A second <one> is refused. (must, document 3, Exchange)%0Athe second was accepted%0Aat status%0Awant 409%0Agot 200%0Aseed 18446744073709551615
        ::error title=2. inconclusive publish.other.counterpart::PUT / got no response: no complete response within 15 s%0Apublish.other.counterpart: The fault alone is refused. (must, document 3, Exchange)%0Athe counterpart got 500%0Aseed 18446744073709551615
        ::error title=3. error publish.other.answers::cannot connect: refused%0Apublish.other.answers: It answers. (must, document 3, Exchange)%0Acannot connect: refused%0Aseed 18446744073709551615
        ::warning title=4. warn publish.other.answers::it answers slowly%0Apublish.other.answers: It answers. (must, document 3, Exchange)%0Ait answers slowly%0Aseed 18446744073709551615
        ::notice title=remark::connections: 1 retries before a request was sent
        ::notice title=2 not-testable::needs control level T2%0Apublish.first-group.needs-time%0Apublish.first-group.needs-time
        ");
    }

    #[test]
    fn no_string_ends_a_command_or_begins_another() {
        let mut run = example::run();
        run.outcomes[1].reason = "50%\r\n::error::x".into();
        run.outcomes[1].failure = None;
        let text = write(&run);
        assert!(text.contains("50%25\\r\\n::error::x%0Aseed"), "{text}");
        assert!(text.lines().all(|line| line.starts_with("::")));
        assert_eq!(property("a:b,c%\n"), "a%3Ab%2Cc%25%0A");
    }

    #[test]
    fn the_tenth_counts_the_rest() {
        let mut run = example::run();
        let sample = run.outcomes[1].clone();
        let rows = services::checks().into_iter();
        let own = rows.map(|check| Outcome { requirement: check.requirement, ..sample.clone() });
        run.outcomes = own.clone().take(10).collect();
        assert!(!write(&run).contains(" more"));
        run.outcomes = own.take(12).collect();
        let text = write(&run);
        assert_eq!(text.lines().filter(|line| line.starts_with("::error")).count(), 10);
        assert!(text.contains("::error title=assay::and 3 more"), "{text}");
    }
}

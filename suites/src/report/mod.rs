//! The reports of a run, for readers, programs and CI.
//!
//! Each report is a function of the run alone: the same run gives the same bytes. Data from a target is escaped, and
//! bearer tokens are removed.

pub mod annotations;
pub mod badge;
pub mod brief;
mod causes;
pub mod ctrf;
pub mod diff;
pub mod events;
pub mod export;
pub mod history;
pub mod html;
pub mod json;
pub mod junit;
pub mod markdown;
mod page;
pub mod progress;
pub mod sarif;
pub mod terminal;
pub mod vectors;
pub mod words;

use std::borrow::Cow;
use std::collections::BTreeSet;

use assay_spec::Id;
use rayon::prelude::*;

use crate::harness::data::{OtherReading, Outcome, Run};
use crate::harness::judge::cause::Cause;
use crate::harness::judge::conclusion::{Concluded, Conclusion, conclude};
use crate::harness::redact::redact;
use crate::http::curl::bearer_token;
use crate::http::hiding::{Disguise, Hidden};
use crate::support::prose::one_line;

const REDACTED: &[u8] = b"[redacted token]";
/// The start of the replacement of a secret.
const MARK: &[u8] = b"[redacted ";

/// Shorter tokens occur by chance, so they are redacted only in their header.
const TOKEN_BYTES: usize = 8;

const BODY_LINES: usize = 60;

/// The service and group of a requirement, such as `publish.prepare`.
fn group(id: Id) -> String {
    format!("{}.{}", id.service.name(), id.group.replace('_', "-"))
}

/// What another reading of the documents would change.
fn by_reading(other: &OtherReading) -> String {
    format!("the same responses pass with {other}")
}

/// Why a run does not conform besides its outcomes, so that a viewer that shows only cases does not show success.
fn objections(run: &Run) -> Vec<String> {
    let mut objections = run.objections.clone();
    match conclude(run) {
        Concluded { conclusion: Conclusion::NotEnoughTested, shortfalls, .. } => {
            objections.extend(shortfalls.iter().map(words::shortfall));
        }
        _ if run.is_partial => objections.push("not every check ran".to_owned()),
        _ => {}
    }
    objections
}

/// The first line of a text, in at most `most` characters.
fn bounded(text: &str, most: usize) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(most) {
        Some((at, _)) => format!("{}\u{2026}", &line[..at]),
        None if line.len() < text.trim_end().len() => format!("{line}\u{2026}"),
        None => line.to_owned(),
    }
}

/// At most `most` bytes of a string; an ellipsis says that it was cut.
fn shortened(mut text: String, most: usize) -> String {
    if text.len() > most {
        text.truncate(text.floor_char_boundary(most));
        text.push('\u{2026}');
    }
    text
}

/// The name of an outcome among those of its group. Client suites have several facts for each requirement, which then belong
/// to the name.
fn case_name(group: &[&Outcome], outcome: &Outcome) -> String {
    let id = outcome.requirement;
    let has_others = group.iter().filter(|other| other.requirement == id).count() > 1;
    if has_others { format!("{id} {}", outcome.fact) } else { id.to_string() }
}

/// The cause of an outcome that did not pass.
fn cause_of<'causes>(causes: &'causes [Cause], run: &Run, outcome: &Outcome) -> Option<&'causes Cause> {
    let is_of =
        |cause: &&Cause| cause.outcomes.iter().any(|&n| std::ptr::eq(&raw const run.outcomes[n], outcome));
    causes.iter().find(is_of)
}

/// The outcomes by group, in order.
fn by_group(run: &Run) -> Vec<(String, Vec<&Outcome>)> {
    let mut groups: Vec<(String, Vec<&Outcome>)> = Vec::new();
    for outcome in &run.outcomes {
        let name = group(outcome.requirement);
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, outcomes)) => outcomes.push(outcome),
            None => groups.push((name, vec![outcome])),
        }
    }
    groups
}

/// The run for readers: without bearer tokens (including repeated ones), and with names instead of replacement values
/// of secrets. A run that is already readable is returned as it is.
pub fn readable(run: &Run) -> Cow<'_, Run> {
    let mut run = redacted(run);
    if run.outcomes.iter().any(|outcome| !outcome.disguises.is_empty()) {
        make_readable(run.to_mut());
    }
    run
}

/// As [`readable`], without a copy.
pub fn make_readable(run: &mut Run) {
    make_redacted(run);
    // A replacement value occurs only in its own outcome.
    run.outcomes.par_iter_mut().filter(|outcome| !outcome.disguises.is_empty()).for_each(|outcome| {
        let mut hidden = Hidden::default();
        for Disguise { name, value } in std::mem::take(&mut outcome.disguises) {
            hidden.add(&name, &value);
        }
        redact(&hidden, outcome);
    });
}

/// The run without bearer tokens, including those that a target repeated. A run without any is returned as it is.
pub fn redacted(run: &Run) -> Cow<'_, Run> {
    redacted_with(run, &mut Hidden::default())
}

/// As [`redacted`], without a copy.
pub fn make_redacted(run: &mut Run) {
    let mut hidden = Hidden::default();
    if add_tokens(run, &mut hidden) {
        redact_tokens(run, &hidden);
    }
}

/// As [`redacted`], also without the tokens in `hidden`. The run's tokens are added to it.
fn redacted_with<'run>(run: &'run Run, hidden: &mut Hidden) -> Cow<'run, Run> {
    if !add_tokens(run, hidden) && hidden.is_empty() {
        return Cow::Borrowed(run);
    }
    let mut run = run.clone();
    redact_tokens(&mut run, hidden);
    Cow::Owned(run)
}

/// Adds the run's bearer tokens to `hidden`; returns whether there are any.
fn add_tokens(run: &Run, hidden: &mut Hidden) -> bool {
    run.outcomes.iter().fold(false, |found, outcome| add_tokens_of(outcome, hidden) | found)
}

/// Adds the bearer tokens of an outcome to `hidden`; returns whether there are any.
fn add_tokens_of(outcome: &Outcome, hidden: &mut Hidden) -> bool {
    let headers = outcome.exchanges.iter().flat_map(|exchange| &exchange.request.headers);
    let tokens = headers.filter_map(|(name, value)| bearer_token(name, value).map(|at| &value[at..]));
    // A token that is already replaced by its name is not a secret.
    let tokens: BTreeSet<&[u8]> = tokens.filter(|token| !token.starts_with(MARK)).collect();
    let long = tokens.iter().filter(|token| token.len() >= TOKEN_BYTES);
    long.for_each(|token| hidden.add("token", &String::from_utf8_lossy(token)));
    !tokens.is_empty()
}

fn redact_tokens(run: &mut Run, hidden: &Hidden) {
    run.outcomes.par_iter_mut().for_each(|outcome| {
        for (name, value) in outcome.exchanges.iter_mut().flat_map(|exchange| &mut exchange.request.headers) {
            if let Some(at) = bearer_token(name, value).filter(|&at| !value[at..].starts_with(MARK)) {
                value.truncate(at);
                value.extend_from_slice(REDACTED);
            }
        }
        redact(hidden, outcome);
    });
    run.remarks.iter_mut().chain(&mut run.objections).for_each(|text| hidden.redact_text(text));
}

/// The lines of a body, escaped; the rest after `limit` bytes or 60 lines is counted.
fn body_lines(body: &[u8], limit: usize) -> Vec<String> {
    let line_ends = body.iter().enumerate().filter(|&(_, &byte)| byte == b'\n').map(|(at, _)| at + 1);
    let cut = line_ends.take(BODY_LINES).nth(BODY_LINES - 1).unwrap_or(body.len()).min(limit);
    let mut lines: Vec<String> = match &body[..cut] {
        [] => Vec::new(),
        shown => shown.strip_suffix(b"\n").unwrap_or(shown).split(|&b| b == b'\n').map(one_line).collect(),
    };
    if cut < body.len() {
        lines.push(format!("\u{2026} {} bytes more, {} in all", body.len() - cut, body.len()));
    }
    lines
}

#[cfg(test)]
pub(crate) mod example {
    //! A small run with one outcome of every kind.

    use crate::services::SUITES;
    use std::fmt::Write;

    use assay_spec::machine::Transition;
    use assay_spec::requirement::{Anchor, Evidence, Level, Requirement, Subject};
    use assay_spec::{Id, Service};

    use assay_spec::endpoint::Endpoint;
    use assay_spec::network::{message, neighbours, pin, query};

    use crate::harness::coverage::{Answers, Coverage, Seen};
    use crate::harness::data::{Account, At, Failure, Outcome, Run, Verdict, Want};
    use crate::http::curl;
    use crate::http::exchange::{Broken, Exchange, Request, Response};

    pub(crate) const TOKEN: &str = "hunter2hunter2";

    const fn row(key: u32, group: &'static str, name: &'static str, statement: &'static str) -> Requirement {
        Requirement {
            key,
            service: Service::Publish,
            group,
            name,
            level: Level::Must,
            subject: Subject::Server,
            evidence: Evidence::Check,
            statement,
            rule: "",
            anchors: &[Anchor { heading: "Exchange", hash: 0 }],
            places: &[],
            values: &[],
            accepted: &[],
            kept: &[],
            rejection: None,
        }
    }

    static FIRST: Requirement = row(1, "first_group", "HOLDS", " It holds.");
    static BROKEN: Requirement = row(2, "first_group", "SECOND_IS_REFUSED", " A second <one> is refused.");
    static HELD: Requirement = row(3, "first_group", "NEEDS_TIME", " It ends after a while.");
    static OTHER: Requirement = row(4, "other", "ANSWERS", " It answers.");
    static UNSURE: Requirement = row(5, "other", "COUNTERPART", " The fault alone is refused.");
    static TRANSITIONS: [Transition; 3] = [
        Transition { machine: "lock", from: "free", event: "prepare", to: "held", unreachable: "" },
        Transition { machine: "lock", from: "held", event: "submit", to: "free", unreachable: "" },
        Transition {
            machine: "lock",
            from: "held",
            event: "crash",
            to: "free",
            unreachable: "a client cannot crash it",
        },
    ];

    fn outcome(requirement: Id, fact: &'static str, verdict: Verdict, reason: &str) -> Outcome {
        Outcome::new(requirement, fact, verdict, reason)
    }

    /// Replaces every long run of `x` by its length.
    pub(crate) fn shorten(text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(&"x".repeat(50)) {
            let run = rest[at..].find(|c| c != 'x').unwrap_or(rest.len() - at);
            let _ = write!(out, "{}({run} times x)", &rest[..at]);
            rest = &rest[at + run..];
        }
        out + rest
    }

    fn covered(
        endpoint: &'static Endpoint,
        seen: Seen,
        [accepted, judged, rejected]: [usize; 3],
    ) -> Coverage {
        let accepted = Answers { count: accepted, judged };
        let rejected = Answers { count: rejected, judged: rejected };
        Coverage { endpoint, declared: true, seen, accepted, rejected, is_probed: false, unseen: None }
    }

    pub(crate) fn run() -> Run {
        let request = Request::new("POST", "/prepare")
            .header("Authorization", format!("Bearer {TOKEN}"))
            .body(format!("{{\"n\":1}}\n{}", "x".repeat(5000)));
        let body = format!("{{\"error\":\"\x1b[31mred {TOKEN}\"}}");
        let headers = vec![("content-type".into(), b"application/json".to_vec()), ("x".into(), vec![0xff])];
        let response = Response { status: 200, headers, body: body.into() };
        let answered = Exchange {
            site: "publish".into(),
            base: "http://127.0.0.1:4101".into(),
            request,
            cut: None,
            slot: None,
            response: Ok(response),
        };
        let silent = Exchange {
            site: "publish".into(),
            base: "http://127.0.0.1:4101".into(),
            request: Request::new("PUT", "/").body(vec![0, 0xff]),
            cut: None,
            slot: None,
            response: Err(Broken::TimedOut(15)),
        };

        let mut broken =
            outcome(&BROKEN, "second_prepare_is_refused", Verdict::Fail, "the second was accepted");
        broken.failure = Some(Failure::new(At::status(), Want::one_of(&[409]), "200", Some(1)));
        broken.repeat = vec![curl::command_line(&answered, curl::Reach::default())];
        broken.why = vec![Account { words: "prepare: the lock was free".into(), ..Account::default() }];
        broken.exchanges = vec![silent.clone(), answered.clone()];
        let mut unsure =
            outcome(&UNSURE, "fault_is_refused", Verdict::Inconclusive, "the counterpart got 500");
        unsure.exchanges = vec![silent];
        let mut first = outcome(&FIRST, "it_holds", Verdict::Pass, "");
        first.notes = vec!["answers with 201 where 200 is as good".into()];
        first.exchanges = vec![answered];
        let needs = "needs control level T2";
        Run {
            target: "http://127.0.0.1:4101".into(),
            seed: u64::MAX,
            outcomes: vec![
                first,
                broken,
                outcome(&HELD, "it_ends", Verdict::NotTestable, needs),
                outcome(&HELD, "it_ends_late", Verdict::NotTestable, needs),
                outcome(&OTHER, "it_answers", Verdict::Warn, "it answers slowly"),
                unsure,
                outcome(&OTHER, "it_connects", Verdict::Error, "cannot connect: refused"),
            ],
            transitions: vec![(&TRANSITIONS[0], true), (&TRANSITIONS[1], false), (&TRANSITIONS[2], false)],
            endpoints: vec![
                Coverage {
                    unseen: Some(["200 message.nonce", "410"].map(str::to_owned).into()),
                    ..covered(&message::READ, Seen::Present, [12, 9, 3])
                },
                covered(&query::FLAT, Seen::Absent, [0, 0, 2]),
                Coverage { declared: false, ..covered(&pin::PIN, Seen::NotAsked, [0; 3]) },
                Coverage { is_probed: true, ..covered(&neighbours::PLAN, Seen::Unclear, [0; 3]) },
            ],
            remarks: vec!["connections: 1 retries before a request was sent".into()],
            ..Run::new(SUITES)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_control_characters_are_escaped() {
        let shown = one_line(b"a\x1b[0m\x07\r\n\t\xff \xc2\x9b\xe2\x80\xae\"'\\ \xc3\xa9");
        assert_eq!(shown, "a\\u{1b}[0m\\u{7}\\r\\n\\t\\xff \\u{9b}\\u{202e}\"'\\ \u{e9}");
    }

    #[test]
    fn bodies_are_cut_with_a_count() {
        assert_eq!(body_lines(b"", 9), Vec::<String>::new());
        assert_eq!(body_lines(b"a\nb\n", 4), ["a", "b"]);
        assert_eq!(body_lines(b"a\nbcd", 3), ["a", "b", "\u{2026} 2 bytes more, 5 in all"]);
        assert_eq!(body_lines(b"\n\n", 9), ["", ""]);
        assert_eq!(body_lines(&[b'\n'; 60], 100).len(), 60);
        assert_eq!(body_lines(&[b'\n'; 61], 100)[60], "\u{2026} 1 bytes more, 61 in all");
    }

    /// Every report.
    fn every_report(run: &Run) -> [(&'static str, String); 9] {
        [
            ("terminal", terminal::summary(run, false)),
            ("html", html::write(run, html::Options::default())),
            ("markdown", markdown::write(run)),
            ("junit", junit::write(run)),
            ("sarif", sarif::write(run)),
            ("ctrf", ctrf::write(run)),
            ("annotations", annotations::write(run)),
            ("badge", badge::write(run)),
            ("json", json::write(run)),
        ]
    }

    #[test]
    fn a_failure_shows_its_evidence() {
        for (name, report) in &every_report(&example::run())[..6] {
            for part in [
                "publish.first-group.second-is-refused",
                "second_prepare_is_refused",
                "document 3, Exchange",
                "the second was accepted",
                "409",
                "POST /prepare HTTP/1.1",
                "Bearer [redacted token]",
                "prepare: the lock was free",
                "curl -sS -i",
                "18446744073709551615",
            ] {
                assert!(report.contains(part), "{part} in {name}: {report}");
            }
        }
    }

    #[test]
    fn readers_see_the_name_of_a_secret_instead_of_its_replacement() {
        let mut run = example::run();
        let value = "Zk3_q-0aXw9QmNcVbT7r";
        run.outcomes[1].disguises = vec![Disguise { name: "claim token".into(), value: value.into() }];
        run.outcomes[1].reason = format!("got {value}").into();
        run.outcomes[1].exchanges[1].request.target = format!("/prepare?t={value}");
        run.outcomes[1].exchanges[0].request.body = format!("%{value}").into();
        for (name, report) in every_report(&run) {
            let is_for_programs = name == "json";
            assert_eq!(report.contains(value), is_for_programs, "{name}: {report}");
            let is_short = name == "badge";
            assert_eq!(report.contains("[redacted claim token]"), !is_for_programs && !is_short, "{name}");
        }
    }

    #[test]
    fn the_same_run_gives_the_same_bytes() {
        assert_eq!(every_report(&example::run()), every_report(&example::run()));
    }

    #[test]
    fn repeated_tokens_are_redacted() {
        let run = example::run();
        let redacted = redacted(&run);
        let response = redacted.outcomes[1].exchanges[1].response.as_ref().unwrap();
        assert!(response.text().contains("red [redacted token]"));
        let header = &redacted.outcomes[1].exchanges[1].request.headers[0];
        assert_eq!(header, &("Authorization".to_owned(), b"Bearer [redacted token]".to_vec()));
    }
}

//! The report for an agent, an editor or a small screen: the causes alone, and one check in full.

use std::fmt::Write;

use super::causes::{self, block};
use super::readable;
use super::terminal::{Paint, View, painted_line, plain_repeat, put_exchange};
use crate::harness::data::{Run, Verdict};
use crate::harness::judge::cause::causes;
use crate::report::words;
use crate::support::prose::{self, one_line};

/// The maximum number of lines of the brief report.
const BRIEF: usize = 40;

/// The maximum length of what [`why`] returns.
const WHY_BYTES: usize = 4_000;

/// The maximum number of objections in it.
const LISTED: usize = 3;

/// The causes and the result, in at most 40 lines: as many causes in full as fit, the others in one line.
pub fn write(run: &Run, view: View<'_>) -> String {
    let (run, paint) = (&*readable(run), view.paint());
    let causes = causes(run);
    let mut out = String::new();
    for objection in run.objections.iter().take(LISTED) {
        let _ = writeln!(out, "objection: {}", one_line(objection.as_bytes()));
    }
    if run.objections.len() > LISTED {
        let _ = writeln!(out, "objection: {} more", run.objections.len() - LISTED);
    }
    let mut left = BRIEF - 1 - out.lines().count();
    for (n, cause) in causes.iter().enumerate() {
        let others = causes.len() - n - 1;
        let block = block(run, n + 1, cause, paint);
        let lines = block.lines().count();
        // The first is shown in full, a later one if each of the rest still has its line.
        let kept = if n == 0 { others.min(1) } else { others };
        if cause.verdict != Verdict::KnownFailure && lines + kept <= left {
            out.push_str(&block);
            left -= lines;
        } else if left > 1 || others == 0 {
            let _ = writeln!(out, "{}", causes::title(run, n + 1, cause, paint));
            left -= 1;
        } else {
            let _ = writeln!(out, "{} more", prose::count(others + 1, "cause"));
            break;
        }
    }
    let _ = writeln!(out, "{}", painted_line(run, paint));
    out.replace("##[", "#\\x23[")
}

/// One check in at most 4,000 bytes: the cause that it belongs to, with the deviating exchange and the commands that repeat
/// it; of a check that needs no attention, its verdict. `None` if the run does not have the check.
pub fn why(run: &Run, id: &str) -> Option<String> {
    let run = &*readable(run);
    let at = run.outcomes.iter().position(|outcome| outcome.requirement.to_string() == id)?;
    let causes = causes(run);
    let Some((n, cause)) = causes.iter().enumerate().find(|(_, cause)| cause.outcomes.contains(&at)) else {
        let outcome = &run.outcomes[at];
        let reason = words::reason(outcome);
        let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
        return Some(format!(
            "{}  {id}{}\n",
            outcome.verdict.name(),
            causes::cut(&one_line(reason.as_bytes()), WHY_BYTES / 8)
        ));
    };
    let mut out = block(run, n + 1, cause, Paint::PLAIN);
    let repeat = plain_repeat(cause.outcome(run));
    let mut exchange = String::new();
    if let Some(deviating) = cause.exchange(run) {
        put_exchange(&mut exchange, deviating);
    }
    // What does not fit is in the report: first the end of a body, then long commands.
    let repeat = if out.len() + repeat.len() > WHY_BYTES / 2 { String::new() } else { repeat };
    let room = WHY_BYTES.saturating_sub(out.len() + repeat.len());
    if exchange.len() > room {
        exchange.truncate(exchange.floor_char_boundary(room.saturating_sub('\u{2026}'.len_utf8() + 1)));
        exchange.push_str("\u{2026}\n");
    }
    out.push_str(&exchange);
    out.push_str(&repeat);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::data::Outcome;
    use crate::report::example;
    use crate::report::terminal::last_line;

    #[test]
    fn the_brief_report_fits_a_screen() {
        let run = example::run();
        let text = write(&run, View::default());
        assert!(
            text.starts_with("1. fail  POST /prepare returned 200, wanted 409\n  row       publish."),
            "{text}"
        );
        assert!(text.ends_with(&format!("\n{}\n", last_line(&run))), "{text}");
        let lines = |run: &Run| write(run, View::default()).lines().count();
        assert!(lines(&run) <= BRIEF);
        let sample = &run.outcomes[1];
        let other = |n: usize| {
            let mut outcome = Outcome { exchanges: Vec::new(), failure: None, ..sample.clone() };
            outcome.reason = format!("reason {n}").as_str().into();
            outcome
        };
        let many = |count: usize| {
            let outcomes = [sample.clone()].into_iter().chain((0..count).map(other)).collect();
            Run { outcomes, objections: vec!["o".to_owned(); 9], ..run.clone() }
        };
        assert_eq!(lines(&many(300)), BRIEF);
        let text = write(&many(300), View::default());
        assert!(text.contains(" more\n") && text.contains("  want      409"), "{text}");
        for count in 0..60 {
            assert!(lines(&many(count)) <= BRIEF, "{count}");
        }
        let known = |outcome: &mut Outcome| outcome.verdict = Verdict::KnownFailure;
        let mut accepted = many(1);
        accepted.outcomes.iter_mut().for_each(known);
        assert!(!write(&accepted, View::default()).contains("  want"), "known failures have one line");
    }

    #[test]
    fn one_check_is_shown_in_four_kilobytes() {
        let mut run = example::run();
        let id = run.outcomes[1].requirement.to_string();
        let text = why(&run, &id).expect("a check of the run");
        for part in [
            "1. fail  POST /prepare returned 200, wanted 409",
            "  want      409",
            "    > POST /prepare",
            "    < 200",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        for length in [10, 1_000, 3_000, 100_000] {
            run.outcomes[1].exchanges[1].request.body = "b".repeat(length).into();
            run.outcomes[1].repeat = vec!["curl ".repeat(length / 5)];
            let text = why(&run, &id).expect("a check of the run");
            assert!(text.len() <= WHY_BYTES && text.contains("  want      409"), "{length}: {text}");
        }
        let passed = run.outcomes[0].requirement.to_string();
        assert_eq!(why(&run, &passed), Some(format!("pass  {passed}\n")));
        assert_eq!(why(&run, "publish.no.such"), None);
    }
}

//! The report as Markdown: for the summary of a CI job, and shorter, for a comment of a pull request.
//!
//! A comment holds 65,536 characters, so both are far below that: what matters most comes first, and what does not fit is counted.

use std::fmt::Write;

use super::causes;
use super::diff::{Change, Diff, Verdicts, diff};
use super::readable;
use super::terminal::{Paint, by_reason, last_line, plain_detail};
use crate::harness::data::{Outcome, Run, Verdict};
use crate::harness::judge::cause::{Cause, causes};
use crate::harness::judge::conclusion::{Tested, conclude, tested};
use crate::report::words;
use crate::support::prose::{self, one_line};

/// The maximum length of the report.
const PAGE_BYTES: usize = 60_000;
/// The maximum length of the causes in it.
const CAUSES_BYTES: usize = PAGE_BYTES * 2 / 5;
/// The maximum length of the list of untested checks in it.
const UNTESTED_BYTES: usize = PAGE_BYTES / 6;
/// The maximum length of the details of one outcome.
const DETAIL_BYTES: usize = 6 * 1024;
/// The maximum length of a comment.
const COMMENT_BYTES: usize = 10_000;
/// The maximum length of the changes in it.
const CHANGES_BYTES: usize = COMMENT_BYTES / 3;
/// The maximum length of an inline string.
const INLINE_BYTES: usize = 512;
/// The maximum length of an inline string in a comment.
const SHORT_BYTES: usize = 160;
/// The maximum length of a list of objections or remarks.
const LIST_BYTES: usize = PAGE_BYTES / 10;
/// The same in a comment.
const SHORT_LIST_BYTES: usize = COMMENT_BYTES / 8;

/// The run: causes, what was tested, failures with folded details, untested checks with reasons.
pub fn write(run: &Run) -> String {
    let run = &*readable(run);
    let mut out = heading(run);
    let _ = writeln!(out, "\nTarget {}, seed {}", inline(&run.target), run.seed);
    let all = causes(run);
    put_causes(&mut out, run, all.iter(), CAUSES_BYTES);
    put_counts(&mut out, run);
    put_list(&mut out, "Objections", &run.objections, LIST_BYTES);
    put_list(&mut out, "Remarks", &run.remarks, LIST_BYTES);
    let tail = untested(run);
    put_outcomes(&mut out, run, PAGE_BYTES.saturating_sub(tail.len()));
    out + &tail
}

/// The run as a comment: what changed since an earlier report, with the name of that report, the causes of what is new, and what
/// was tested. Without an earlier report, every cause.
pub fn comment(run: &Run, since: Option<(&str, &Verdicts)>) -> String {
    let run = &*readable(run);
    let mut out = heading(run);
    let changes = since.map(|(name, old)| (name, diff(old, &Verdicts::from_run(run))));
    put_list(&mut out, "Objections", &run.objections, SHORT_LIST_BYTES);
    if let Some((name, changes)) = &changes {
        put_changes(&mut out, &causes::cut(name, SHORT_BYTES / 2), changes);
    }
    let is_new = |cause: &&Cause| {
        let Some((_, changes)) = &changes else { return true };
        let is_listed = |n: &usize| {
            let id = run.outcomes[*n].requirement.to_string();
            changes.regressions.iter().any(|change| change.id == id)
        };
        cause.outcomes.iter().any(is_listed)
    };
    let mut table = String::new();
    put_counts(&mut table, run);
    let all = causes(run);
    let old = all.iter().filter(|cause| !is_new(cause)).count();
    if old > 0 {
        let _ = writeln!(table, "\n{} in the earlier report, too.", prose::count(old, "cause"));
    }
    let room = COMMENT_BYTES.saturating_sub(out.len() + table.len());
    put_causes(&mut out, run, all.iter().filter(is_new), room);
    out + &table
}

/// The result as a heading, and the counts with what it rests on.
fn heading(run: &Run) -> String {
    let result = conclude(run).conclusion.name();
    let mut text = format!("## Conformance: {result}\n\n{}\n", inline(&last_line(run)));
    if run.is_partial {
        text.push_str("\n**Not every check ran: the run was stopped, or a part of it is missing.**\n");
    }
    text
}

/// The causes, each in one block; as many as fit into `room` bytes, and the number of the rest.
fn put_causes<'a>(out: &mut String, run: &Run, causes: impl Iterator<Item = &'a Cause>, room: usize) {
    let causes: Vec<&Cause> = causes.collect();
    if causes.is_empty() {
        return;
    }
    let begin = out.len();
    out.push_str("\n### Causes\n\n");
    for (n, cause) in causes.iter().enumerate() {
        let text = causes::block(run, n + 1, cause, Paint::PLAIN);
        let fence = fence(&text);
        let block = format!("{fence}text\n{text}{fence}\n\n");
        if out.len() - begin + block.len() + REST_BYTES > room {
            put_rest(out, causes.len() - n);
            return;
        }
        out.push_str(&block);
    }
}

/// Room for the line that counts the rest.
const REST_BYTES: usize = 100;

fn put_rest(out: &mut String, count: usize) {
    let _ = writeln!(out, "and {count} more; see the other reports.\n");
}

/// The regressions and fixes, and the number of the other changes.
fn put_changes(out: &mut String, name: &str, changes: &Diff) {
    let _ = writeln!(out, "\n### Since {}\n", inline(name));
    let begin = out.len();
    for (kind, changes) in [("worse", &changes.regressions), ("fixed", &changes.fixes)] {
        for (n, Change { id, old, new, reason }) in changes.iter().enumerate() {
            let verdict = |verdict: &Option<Verdict>| verdict.map_or("absent", Verdict::name);
            let reason = causes::cut(reason, SHORT_BYTES);
            let why = if reason.is_empty() { String::new() } else { format!(": {}", inline(&reason)) };
            let line = format!("- {kind}: `{id}` {} to {}{why}\n", verdict(old), verdict(new));
            if out.len() - begin + line.len() > CHANGES_BYTES {
                let _ = writeln!(out, "- {kind}: {} more", changes.len() - n);
                break;
            }
            out.push_str(&line);
        }
    }
    let others = changes.new.len() + changes.gone.len() + changes.other.len();
    let same = if changes.regressions.is_empty() { "Nothing got worse. " } else { "" };
    let _ = writeln!(
        out,
        "{}{same}{} fail in both, {others} other changes.",
        if out.len() > begin { "\n" } else { "" },
        changes.still_bad
    );
}

fn put_counts(out: &mut String, run: &Run) {
    let present: Vec<Verdict> = Verdict::ALL.into_iter().filter(|&verdict| run.count(verdict) > 0).collect();
    if present.is_empty() {
        return;
    }
    let heads: String = present.iter().map(|verdict| format!(" {} |", verdict.name())).collect();
    let _ = writeln!(out, "\n| service | tested |{heads}\n| --- | ---: |{}", " ---: |".repeat(present.len()));
    for tested in tested(run) {
        let count = |verdict: &Verdict| {
            let is = |one: &&Outcome| one.requirement.service == tested.service && one.verdict == *verdict;
            run.outcomes.iter().filter(is).count()
        };
        let cells: String = present.iter().map(|verdict| format!(" {} |", count(verdict))).collect();
        let Tested { service, tested: with_result, applicable, .. } = tested;
        let _ =
            writeln!(out, "| {service} | {with_result} of {applicable} ({} %) |{cells}", tested.percent());
    }
}

/// A list, as many lines as fit into `room` bytes, and the number of the rest.
fn put_list(out: &mut String, title: &str, texts: &[String], room: usize) {
    if texts.is_empty() {
        return;
    }
    let _ = write!(out, "\n### {title}\n\n");
    let begin = out.len();
    for (n, text) in texts.iter().enumerate() {
        let line = format!("- {}\n", inline(text));
        if out.len() - begin + line.len() + REST_BYTES > room {
            let _ = writeln!(out, "- and {} more; see the other reports", texts.len() - n);
            return;
        }
        out.push_str(&line);
    }
}

/// The outcomes that did not pass, as many as fit into `room` bytes, and the number of the rest.
fn put_outcomes(out: &mut String, run: &Run, room: usize) {
    let shown_outcomes: Vec<&Outcome> =
        run.outcomes.iter().filter(|one| one.verdict.needs_attention()).collect();
    if shown_outcomes.is_empty() {
        return;
    }
    out.push_str("\n### What needs attention\n\n");
    for (n, outcome) in shown_outcomes.iter().enumerate() {
        let block = block(outcome, run.seed);
        if out.len() + block.len() + REST_BYTES > room {
            put_rest(out, shown_outcomes.len() - n);
            return;
        }
        out.push_str(&block);
    }
}

fn block(outcome: &Outcome, seed: u64) -> String {
    let seed = outcome.seed.unwrap_or(seed);
    let mut detail = plain_detail(outcome);
    if detail.len() > DETAIL_BYTES {
        // The command that repeats it is at the end and most important.
        let repeat: String =
            outcome.repeat.iter().map(|line| format!("  repeat   {}\n", one_line(line.as_bytes()))).collect();
        detail.truncate(detail.floor_char_boundary(DETAIL_BYTES));
        let repeat = if repeat.len() > DETAIL_BYTES {
            format!("  repeat   a command of {} bytes; see the other reports\n", repeat.len())
        } else {
            repeat
        };
        let _ = write!(detail, "\u{2026}\n{repeat}");
    }
    let _ = writeln!(detail, "  seed     {seed}");
    let fence = fence(&detail);
    format!(
        "<details><summary><b>{}</b> <code>{}</code> <code>{}</code></summary>\n\n{fence}text\n{detail}{fence}\n\n</details>\n\n",
        outcome.verdict.name(),
        outcome.requirement,
        inline(&words::reason(outcome))
    )
}

/// A fence that the text does not contain.
fn fence(text: &str) -> String {
    "`".repeat(longest_run(text, '`').max(2) + 1)
}

/// The untested checks by reason, as many reasons as fit, and the number of the checks of the rest.
fn untested(run: &Run) -> String {
    let mut out = String::new();
    for verdict in [Verdict::NotTestable, Verdict::NotApplicable] {
        let reasons = by_reason(run, verdict);
        if reasons.is_empty() {
            continue;
        }
        let _ = write!(out, "\n### {}\n\n", verdict.name());
        for (n, (reason, outcomes)) in reasons.iter().enumerate() {
            let lines: String =
                outcomes.iter().map(|one| format!("- `{}` `{}`\n", one.requirement, one.fact)).collect();
            let count = outcomes.len();
            let block = format!(
                "<details><summary>{} ({count})</summary>\n\n{lines}\n</details>\n\n",
                inline(reason)
            );
            if out.len() + block.len() + REST_BYTES > UNTESTED_BYTES {
                put_rest(&mut out, reasons[n..].iter().map(|(_, outcomes)| outcomes.len()).sum());
                break;
            }
            out.push_str(&block);
        }
    }
    out
}

/// Escapes what is markup in Markdown or HTML, by numeric entities.
fn inline(text: &str) -> String {
    let text = one_line(&text.as_bytes()[..text.floor_char_boundary(INLINE_BYTES)]);
    let mut out = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let is_markup = match c {
            // An address becomes a link.
            ':' => rest.peek().is_some_and(|next| *next != ' '),
            '.' => out.to_ascii_lowercase().ends_with("www"),
            c => "\\`*_[]<>&|~#@$!".contains(c),
        };
        if is_markup {
            let _ = write!(out, "&#{};", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

fn longest_run(text: &str, of: char) -> usize {
    text.split(|c| c != of).map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    #[test]
    fn a_run_with_everything() {
        let text = write(&example::run());
        assert!(!text.contains(example::TOKEN));
        let parts = [
            "## Conformance: the harness failed\n\n\
             7 checks: 1 pass, 1 fail, 1 warn, 2 not-testable, 1 inconclusive, 1 error - the harness failed\n\n\
             Target http&#58;//127.0.0.1&#58;4101, seed 18446744073709551615\n\n\
             ### Causes\n\n```text\n1. fail  POST /prepare returned 200, wanted 409\n  row       publish.first-group",
            "\n| service | tested | pass | fail | warn | not-testable | inconclusive | error |\n\
             | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n\
             | publish | 3 of 120 (2 %) | 1 | 1 | 1 | 2 | 1 | 1 |\n",
            "\n### Remarks\n\n- connections: 1 retries before a request was sent\n\n### What needs attention\n\n\
             <details><summary><b>fail</b> <code>publish.first-group.second-is-refused</code> \
             <code>the second was accepted</code></summary>\n\n```text\n\
             fail publish.first-group.second-is-refused  second_prepare_is_refused\n  A second <one> is refused. (",
            "\n  seed     18446744073709551615\n```\n\n</details>\n\n<details>",
            "\n### not-testable\n\n<details><summary>needs control level T2 (2)</summary>\n\n\
             - `publish.first-group.needs-time` `it_ends`\n- `publish.first-group.needs-time` `it_ends_late`\n",
        ];
        assert!(text.starts_with(parts[0]), "{text}");
        for part in parts {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn markdown_markup_is_escaped() {
        let mut run = example::run();
        let hostile = "`````\n</details><img src=x> [a](b) | **x** @all www.x.y $x$ <!--";
        run.target = hostile.into();
        run.remarks = vec![hostile.into()];
        run.outcomes[1].reason = hostile.into();
        run.outcomes[2].reason = hostile.into();
        assert!(write(&run).contains("``````text\nfail"), "a fence is longer than what is in it");
        let old = Verdicts::from_run(&Run { outcomes: Vec::new(), ..run.clone() });
        for text in [write(&run), comment(&run, Some((hostile, &old)))] {
            expect_plain(&text);
        }
    }

    fn expect_plain(text: &str) {
        let mut outside = String::new();
        let mut fence = None;
        for line in text.lines() {
            match fence {
                Some(end) if line == end => fence = None,
                Some(_) => {}
                None if line.starts_with("```") => fence = line.strip_suffix("text"),
                None => outside.push_str(line),
            }
        }
        assert_eq!(fence, None);
        for mark in ["<img", "[a](", "**x**", "<!--", "@all", "$x$", "www."] {
            assert!(!outside.contains(mark), "{mark}: {outside}");
        }
        assert_eq!(outside.matches("<details>").count(), outside.matches("</details>").count());
    }

    #[test]
    fn it_fits_into_a_summary() {
        let mut run = example::run();
        let mut sample = run.outcomes[1].clone();
        sample.exchanges = vec![sample.exchanges[1].clone(); 30];
        sample.reason = "long ".repeat(10_000).into();
        run.outcomes = vec![sample; 200];
        run.objections = vec!["<|".repeat(600); 60];
        run.remarks.clone_from(&run.objections);
        let text = write(&run);
        assert!(text.len() < PAGE_BYTES && text.len() > PAGE_BYTES / 2, "{}", text.len());
        assert!(text.contains(" more; see the other reports."));
        assert!(text.contains("repeat   curl"));
        // Each of them is a cause of its own.
        for (n, outcome) in run.outcomes.iter_mut().enumerate() {
            (outcome.exchanges, outcome.failure) = (Vec::new(), None);
            outcome.reason = format!("{n} {}", "long ".repeat(100)).as_str().into();
        }
        let text = write(&run);
        assert!(text.len() < PAGE_BYTES && text.len() > PAGE_BYTES / 2, "{}", text.len());
        let old = Verdicts::from_run(&Run { outcomes: Vec::new(), ..run.clone() });
        for since in [None, Some(("old.json", &old))] {
            let text = comment(&run, since);
            assert!(text.len() < COMMENT_BYTES, "{}", text.len());
            assert!(text.contains(" more") && text.contains("### Causes"), "{text}");
        }
    }

    #[test]
    fn a_comment_shows_the_causes_of_what_is_new() {
        let mut run = example::run();
        let before = Verdicts::from_run(&run);
        let same = comment(&run, Some(("old.json", &before)));
        assert!(same.contains("### Since old.json\n\nNothing got worse. "), "{same}");
        assert!(!same.contains("### Causes") && same.contains("in the earlier report, too."), "{same}");
        assert!(comment(&run, None).contains("### Causes"));
        let passed = run.outcomes.iter().position(|one| one.verdict == Verdict::Pass).expect("a pass");
        run.outcomes[passed].verdict = Verdict::Fail;
        let id = run.outcomes[passed].requirement;
        let worse = comment(&run, Some(("old.json", &before)));
        assert!(worse.contains(&format!("- worse: `{id}` pass to fail")), "{worse}");
        assert_eq!(worse.matches("\n1. ").count(), 1, "{worse}");
        assert!(!worse.contains("\n2. "), "{worse}");
    }
}

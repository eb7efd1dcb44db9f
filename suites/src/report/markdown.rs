//! The report for a CI job summary: Markdown within the size limit of summaries.

use std::fmt::Write;

use super::causes;
use super::readable;
use super::terminal::{Paint, by_reason, last_line, plain_detail};
use crate::harness::data::{Outcome, Run, Verdict};
use crate::harness::judge::cause::causes;
use crate::harness::judge::conclusion::{Tested, tested};
use crate::report::words;
use crate::support::prose::one_line;

/// GitHub allows 1 MiB per step; the rest is for other output of the step.
const PAGE_BYTES: usize = 900 * 1024;

/// The maximum length of the details of one outcome.
const DETAIL_BYTES: usize = 24 * 1024;

/// The maximum length of an inline string.
const INLINE_BYTES: usize = 1024;
/// The maximum number of lines of a list.
const LISTED: usize = 50;

/// The run as Markdown: counts by service, causes, failures with folded details, untested checks with reasons.
pub fn write(run: &Run) -> String {
    let run = &*readable(run);
    let mut out = format!("## Conformance: {}\n\n", inline(&last_line(run)));
    let _ = writeln!(out, "Target {}, seed {}", inline(&run.target), run.seed);
    if run.is_partial {
        out.push_str("\n**Not every check ran: the run was stopped, or a part of it is missing.**\n");
    }
    put_counts(&mut out, run);
    put_causes(&mut out, run);
    put_list(&mut out, "Objections", &run.objections);
    put_list(&mut out, "Remarks", &run.remarks);
    let mut tail = String::new();
    put_untested(&mut tail, run);
    tail.truncate(tail.floor_char_boundary(PAGE_BYTES / 4));
    put_outcomes(&mut out, run, PAGE_BYTES.saturating_sub(tail.len()));
    out + &tail
}

/// The causes, each in one block.
fn put_causes(out: &mut String, run: &Run) {
    let causes = causes(run);
    if causes.is_empty() {
        return;
    }
    out.push_str("\n### Causes\n\n");
    for (n, cause) in causes.iter().enumerate().take(LISTED) {
        let text = causes::block(run, n + 1, cause, Paint::PLAIN);
        let fence = fence(&text);
        let _ = write!(out, "{fence}text\n{text}{fence}\n\n");
    }
    if causes.len() > LISTED {
        let _ = writeln!(out, "and {} more; see the other reports.\n", causes.len() - LISTED);
    }
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

fn put_list(out: &mut String, title: &str, texts: &[String]) {
    if !texts.is_empty() {
        let _ = write!(out, "\n### {title}\n\n");
        for text in texts.iter().take(LISTED) {
            let _ = writeln!(out, "- {}", inline(text));
        }
        if texts.len() > LISTED {
            let _ = writeln!(out, "- and {} more; see the other reports", texts.len() - LISTED);
        }
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
        // Keep room for the line that counts the rest.
        if out.len() + block.len() + 100 > room {
            let _ = writeln!(out, "and {} more; see the other reports.\n", shown_outcomes.len() - n);
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

fn put_untested(out: &mut String, run: &Run) {
    for verdict in [Verdict::NotTestable, Verdict::NotApplicable] {
        let reasons = by_reason(run, verdict);
        if reasons.is_empty() {
            continue;
        }
        let _ = write!(out, "\n### {}\n\n", verdict.name());
        for (reason, outcomes) in reasons {
            let _ = write!(out, "<details><summary>{} ({})</summary>\n\n", inline(&reason), outcomes.len());
            for outcome in outcomes {
                let _ = writeln!(out, "- `{}` `{}`", outcome.requirement, outcome.fact);
            }
            out.push_str("\n</details>\n\n");
        }
    }
}

/// Escapes a string for Markdown and HTML by numeric entities, which are never markup.
fn inline(text: &str) -> String {
    let text = &text[..text.floor_char_boundary(INLINE_BYTES)];
    let mut out = String::new();
    for c in one_line(text.as_bytes()).chars() {
        match c {
            ' ' | ',' | '-' | '/' => out.push(c),
            c if c.is_ascii_punctuation() => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            c => out.push(c),
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
            "## Conformance: 7 checks&#58; 1 pass, 1 fail, 1 warn, 2 not-testable, 1 inconclusive, 1 error - the \
             harness failed\n\nTarget http&#58;//127&#46;0&#46;0&#46;1&#58;4101, seed 18446744073709551615\n\n\
             | service | tested | pass | fail | warn | not-testable | inconclusive | error |\n\
             | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n\
             | publish | 3 of 7 (42 %) | 1 | 1 | 1 | 2 | 1 | 1 |\n\n\
             ### Causes\n\n```text\n1. fail  POST /prepare returned 200, wanted 409\n  row       publish.first-group",
            "\n### Remarks\n\n- connections&#58; 1 retries before a request was sent\n\n### What needs attention\n\n\
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
        let text = write(&run);
        assert!(text.contains("``````text\nfail"), "a fence is longer than what is in it: {text}");
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
        for mark in ["<img", "[a](", "**x**", "<!--"] {
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
        let text = write(&run);
        assert!(text.len() < PAGE_BYTES && text.len() > PAGE_BYTES / 2, "{}", text.len());
        assert!(text.contains(" more; see the other reports."));
        assert!(text.contains("repeat   curl"));
    }
}

//! The outcome of a check, as the content of its row.

use std::borrow::Cow;

use assay_spec::crypto::text::sha256_hex;
use serde_json::Value;
use similar::{ChangeTag, TextDiff};

use super::exchange::{address, exchange};
use super::text::{line, lines};
use crate::harness::data::{Failure, Outcome, Run, Verdict};
use crate::report::by_reading;
use crate::report::terminal::answers;
use crate::report::words;
use crate::support::prose;

/// Where bodies are cut, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cuts {
    /// For outcomes that did not pass.
    pub(super) failed: usize,
    /// For passes.
    pub(super) passed: usize,
    /// How many exchanges of an outcome are shown in full: those around the one that deviates.
    pub(super) exchanges: usize,
    /// So many causes have the outcome that shows them best in full; `None`: every outcome that did not pass is.
    pub(super) causes: Option<usize>,
}

/// Longer values are shown as a line diff.
const LONG: usize = 60;

/// The maximum length of a value on a page whose bodies are cut shorter.
const VALUE_BYTES: usize = 512;
/// The maximum length of the reason of an outcome that is not shown in full.
const BRIEF_BYTES: usize = 120;
/// The maximum number of lines of the target's log.
const LOGGED: usize = 8;

/// The outcome with its evidence if `full`; otherwise its reason, and each exchange in a line.
pub(super) fn outcome(run: &Run, outcome: &Outcome, cuts: Cuts, full: bool) -> String {
    let seed = outcome.seed.unwrap_or(run.seed);
    let is_pass = outcome.verdict == Verdict::Pass;
    let verdict = outcome.verdict.name();
    let elapsed =
        outcome.elapsed_ms.map_or(String::new(), |ms| format!(" <span class=\"ms\">{ms} ms</span>"));
    let mut out = format!(
        "<div class=\"outcome {verdict}\">\n<h5><span class=\"v {verdict}\">{verdict}</span> <code>{}</code>{elapsed}</h5>\n",
        line(outcome.fact)
    );
    if !full {
        put_brief(&mut out, outcome);
        out.push_str("</div>\n");
        return out;
    }
    let most = cuts.failed.max(VALUE_BYTES);
    let reason = words::reason(outcome);
    if !reason.is_empty() {
        out.push_str(&format!("<p class=\"reason\">{}</p>\n", lines(&cut(&reason, most))));
    }
    if let Some(failure) = &outcome.failure {
        put_failure(&mut out, failure, most, &|n| address(run, outcome, n));
    }
    let cells = outcome.cells.iter().map(|cell| format!("{}: {}", cell.at, cell.verdict.name()));
    put_list(&mut out, "Places", &cells.collect::<Vec<_>>(), most);
    let readings: Vec<String> = outcome.readings.iter().map(by_reading).collect();
    put_list(&mut out, "Another reading", &readings, most);
    put_list(&mut out, "Notes", &outcome.notes, most);
    let last = outcome.why[outcome.why.len().saturating_sub(LOGGED)..].iter().map(words::account);
    put_list(&mut out, "Reasons logged by the target", &last.collect::<Vec<_>>(), most);
    put_exchanges(&mut out, run, outcome, if is_pass { cuts.passed } else { cuts.failed }, cuts.exchanges);
    for repeat in repeats(outcome, 4 * most).iter() {
        out.push_str(&format!(
            "<div class=\"repeat\"><h6>Repeat</h6><pre class=\"curl\" tabindex=\"0\">{}</pre></div>\n",
            lines(repeat)
        ));
    }
    if !is_pass {
        out.push_str(&format!("<p class=\"seed\">seed <code>{seed}</code></p>\n"));
    }
    out.push_str("</div>\n");
    out
}

/// The commands that repeat an outcome, or one that reads the report if they have more than `most` bytes.
pub(super) fn repeats(outcome: &Outcome, most: usize) -> Cow<'_, [String]> {
    if outcome.repeat.iter().map(String::len).sum::<usize>() <= most {
        return Cow::Borrowed(&outcome.repeat);
    }
    Cow::Owned(vec![format!("assay replay REPORT {}", outcome.requirement)])
}

/// The start of the reason, the notes, and each exchange in a line.
fn put_brief(out: &mut String, outcome: &Outcome) {
    let reason = words::reason(outcome);
    let end = reason.floor_char_boundary(BRIEF_BYTES);
    let more = if end < reason.len() { "\u{2026}" } else { "" };
    if end > 0 {
        out.push_str(&format!("<p class=\"reason\">{}{more}</p>\n", lines(&reason[..end])));
    }
    put_list(out, "Notes", &outcome.notes, VALUE_BYTES);
    if !outcome.exchanges.is_empty() {
        out.push_str("<h6>Exchanges</h6>");
        put_answers(out, &answers(outcome));
    }
}

/// Exchanges, each in a line.
fn put_answers(out: &mut String, answers: &[String]) {
    if !answers.is_empty() {
        out.push_str(&format!("<pre class=\"head\">{}</pre>\n", lines(&folded(answers).join("\n"))));
    }
}

/// Lines, each with how often it occurs in a row.
fn folded(lines: &[String]) -> Vec<String> {
    let runs = lines.chunk_by(|one, next| one == next);
    let folded = runs.map(|run| match run.len() {
        1 => run[0].clone(),
        count => format!("{} ({count} times)", run[0]),
    });
    folded.collect()
}

/// The exchanges: `most` of them in full, with the one that deviates in the middle, and the others each in a line.
fn put_exchanges(out: &mut String, run: &Run, outcome: &Outcome, limit: usize, most: usize) {
    let is_pass = outcome.verdict == Verdict::Pass;
    let count = outcome.exchanges.len();
    if count == 0 {
        return;
    }
    let shown = outcome.failure.as_ref().and_then(|failure| failure.exchange).unwrap_or(count - 1);
    let noun = prose::count(count, "exchange");
    let open = if is_pass { "" } else { " open" };
    out.push_str(&format!("<details class=\"exchanges\"{open}><summary>{noun}</summary>\n"));
    let first = shown.saturating_sub(most / 2).min(count.saturating_sub(most));
    let full = first..first.saturating_add(most).min(count);
    let answers = answers(outcome);
    put_answers(out, &answers[..full.start]);
    for n in full.clone() {
        let each = &outcome.exchanges[n];
        out.push_str(&exchange(n, &address(run, outcome, n), each, !is_pass && n == shown, limit));
    }
    put_answers(out, &answers[full.end..]);
    out.push_str("</details>\n");
}

fn put_list(out: &mut String, title: &str, items: &[String], most: usize) {
    if items.is_empty() {
        return;
    }
    let items: String = items.iter().map(|item| format!("<li>{}</li>", line(&cut(item, most)))).collect();
    out.push_str(&format!("<h6>{title}</h6><ul>{items}</ul>\n"));
}

fn put_failure(out: &mut String, failure: &Failure, most: usize, address: &dyn Fn(usize) -> String) {
    let link = |n| format!(" of <a href=\"#{}\">exchange {}</a>", line(&address(n)), n + 1);
    let at = failure.exchange.map_or(String::new(), link);
    out.push_str(&format!("<p class=\"at\">at <code>{}</code>{at}</p>\n", line(&words::place(failure))));
    let (want, got) = (pretty(&failure.want, most), pretty(prose::or_nothing(&failure.got), most));
    if is_long(&want) && is_long(&got) {
        out.push_str(
            "<h6>Difference: <del>wanted</del>, <ins>got</ins></h6><pre class=\"diff\" tabindex=\"0\">",
        );
        for change in TextDiff::from_lines(&want, &got).iter_all_changes() {
            let text = line(change.value().trim_end_matches('\n'));
            out.push_str(&match change.tag() {
                ChangeTag::Equal => format!("  {text}\n"),
                ChangeTag::Delete => format!("<del>- {text}</del>\n"),
                ChangeTag::Insert => format!("<ins>+ {text}</ins>\n"),
            });
        }
        out.push_str("</pre>\n");
    } else {
        out.push_str(&format!(
            "<dl class=\"pair\"><dt>want</dt><dd><pre>{}</pre></dd><dt>got</dt><dd><pre>{}</pre></dd></dl>\n",
            lines(&want),
            lines(&got)
        ));
    }
}

fn is_long(text: &str) -> bool {
    text.len() > LONG || text.contains('\n')
}

/// Formats JSON objects and arrays over several lines; other values are unchanged.
fn pretty(text: &str, most: usize) -> String {
    let text = cut(text, most);
    let value =
        serde_json::from_str::<Value>(&text).ok().filter(|value| value.is_object() || value.is_array());
    value.and_then(|value| serde_json::to_string_pretty(&value).ok()).unwrap_or_else(|| text.into_owned())
}

/// A bounded string with length and digest of the whole.
fn cut(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let (shown, digest) = (&text[..text.floor_char_boundary(most)], sha256_hex(text.as_bytes()));
    Cow::Owned(format!("{shown}\u{2026}\n{} bytes in all, SHA-256 {digest}", text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(want: &str, got: &str) -> String {
        let mut out = String::new();
        let failure = Failure::new("/a", want, got, Some(0));
        put_failure(&mut out, &failure, 1024, &|n| format!("a/{n}"));
        out
    }

    #[test]
    fn of_many_exchanges_those_around_the_deviating_one_are_in_full() {
        let run = crate::report::example::run();
        let mut outcome = run.outcomes[1].clone();
        let one = outcome.exchanges[1].clone();
        outcome.exchanges = vec![one; 100];
        for (deviating, full) in [(0, 0..16), (50, 42..58), (99, 84..100)] {
            outcome.failure.as_mut().expect("it fails").exchange = Some(deviating);
            let mut out = String::new();
            put_exchanges(&mut out, &run, &outcome, 16, 16);
            let shown: Vec<usize> =
                (0..100).filter(|n| out.contains(&format!("class=\"n\">{}<", n + 1))).collect();
            assert_eq!(shown, full.clone().collect::<Vec<_>>(), "{deviating}");
            assert_eq!(out.matches("times)").count(), if full.start == 0 || full.end == 100 { 1 } else { 2 });
        }
    }

    #[test]
    fn long_values_are_compared_line_by_line() {
        let diff = shown(r#"{"a":1,"b":"<x>"}"#, r#"{"a":2,"b":"<x>"}"#);
        assert!(
            diff.contains("<del>-   &quot;a&quot;: 1,</del>\n<ins>+   &quot;a&quot;: 2,</ins>"),
            "{diff}"
        );
        assert!(diff.contains("    &quot;b&quot;: &quot;&lt;x&gt;&quot;"), "{diff}");
    }

    #[test]
    fn short_values_are_shown_side_by_side() {
        let pair = shown("409", "<200>");
        assert!(
            pair.contains("<dd><pre>409</pre></dd>") && pair.contains("<pre>&lt;200&gt;</pre>"),
            "{pair}"
        );
        assert!(pair.contains("of <a href=\"#a/0\">exchange 1</a>"));
    }
}

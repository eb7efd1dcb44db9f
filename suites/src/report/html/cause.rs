//! The causes on the page.

use super::Late;
use super::exchange::address;
use super::outcome::repeats;
use super::text::{line, lines, marked, quoted};
use crate::documents::catalogue::Sentences;
use crate::harness::data::Run;
use crate::harness::judge::cause::Cause;
use crate::report::by_reading;
use crate::report::terminal::first_line;
use crate::report::words;
use crate::support::prose;

/// More causes than this are listed by their titles only.
const SHOWN: usize = 30;
/// The maximum length of a value, in bytes.
const VALUE_BYTES: usize = 400;
/// The maximum length of the commands that repeat a cause, in bytes.
const REPEAT_BYTES: usize = 4096;

/// Every cause: the row, the difference, the exchange, how to repeat it, and the checks that follow.
pub(super) fn causes(run: &Run, causes: &[Cause], sentences: Option<&Sentences>, late: &mut Late) -> String {
    if causes.is_empty() {
        return super::sections::nothing("No check failed.");
    }
    let block = |(n, one): (usize, &Cause)| block(run, n + 1, one, sentences, late);
    let shown: String = causes.iter().enumerate().take(SHOWN).map(block).collect();
    let rest: String = causes.iter().skip(SHOWN).map(|one| format!("<li>{}</li>", head(run, one))).collect();
    let rest = if rest.is_empty() { rest } else { format!("<ol start=\"{}\">{rest}</ol>\n", SHOWN + 1) };
    shown + &rest
}

fn head(run: &Run, cause: &Cause) -> String {
    let verdict = cause.verdict.name();
    format!("<span class=\"v {verdict}\">{verdict}</span> {}", line(&words::title(run, cause)))
}

fn block(run: &Run, number: usize, cause: &Cause, sentences: Option<&Sentences>, late: &mut Late) -> String {
    let outcome = cause.outcome(run);
    let row = cause.row;
    let mut out = format!(
        "<article class=\"cause\" id=\"cause-{number}\"><h3>{number}. {}</h3>\n<p><a href=\"#{row}\">{row}</a> \u{b7} {} \u{b7} {}</p>\n<p>{}</p>\n{}",
        head(run, cause),
        row.level.name(),
        line(&row.source()),
        marked(row.statement()),
        quoted(sentences, row),
    );
    let mut facts: Vec<(&str, String)> = Vec::new();
    let mut fact = |name, text: String| facts.push((name, text));
    match &outcome.failure {
        Some(failure) => {
            fact("at", format!("<code>{}</code>", line(short(&words::place(failure)))));
            fact("want", line(short(&failure.want)));
            fact("got", line(short(prose::or_nothing(&failure.got))));
        }
        None => fact("reason", line(short(&words::reason(outcome)))),
    }
    if let Some(other) = outcome.readings.first() {
        fact("reading", line(&by_reading(other)));
    }
    if let (Some(exchange), Some(at)) = (cause.exchange(run), cause.exchange) {
        let [sent, received] = first_line(exchange);
        let link = address(run, outcome, at);
        fact("sent", format!("<a href=\"#{link}\"><code>{}</code></a>", line(short(&sent))));
        fact("received", format!("<code>{}</code>", line(short(&received))));
    }
    let facts: String = facts.iter().map(|(name, text)| format!("<dt>{name}</dt><dd>{text}</dd>")).collect();
    out.push_str(&format!("<dl class=\"pair\">{facts}</dl>\n"));
    if !outcome.repeat.is_empty() {
        let commands = lines(&repeats(outcome, REPEAT_BYTES).join("\n"));
        out.push_str(&format!("<details class=\"repeat\"><summary>Repeat</summary><pre class=\"curl\" tabindex=\"0\">{commands}</pre></details>\n"));
    }
    let checks = prose::count(cause.outcomes.len(), "check");
    let items: String = cause
        .outcomes
        .iter()
        .map(|&n| {
            let one = &run.outcomes[n];
            let (verdict, id) = (one.verdict.name(), one.requirement);
            format!(
                "<li><span class=\"v {verdict}\">{verdict}</span> <a href=\"#{id}\">{id}</a> {}</li>",
                line(one.fact)
            )
        })
        .collect();
    late.insert(format!("cause-{number}"), items);
    out.push_str(&format!(
        "<details data-late=\"cause-{number}\"><summary>{checks}</summary><ul class=\"plain\"></ul></details></article>\n"
    ));
    out
}

fn short(text: &str) -> &str {
    &text[..text.floor_char_boundary(VALUE_BYTES)]
}

//! The causes of a run as blocks of text.

use std::fmt::Write;

use super::terminal::{Paint, first_line};
use crate::harness::data::Run;
use crate::harness::data::{Part, Why};
use crate::harness::judge::cause::Cause;
use crate::report::words;
use crate::support::prose;
use crate::support::prose::one_line;

/// The maximum number of lines of a block.
pub(super) const LINES: usize = 15;
/// The column in which values begin.
const INDENT: usize = 12;
/// Longer commands are only in the rows of `-v`, in bytes.
const REPEAT_BYTES: usize = 480;
/// More commands than this are only in the rows of `-v`.
const REPEATS: usize = 2;
/// The other checks of a cause that are named.
const FOLLOWERS: usize = 5;
/// A longer word is broken where the text is cut: it is a path or a value.
const WORD: usize = 24;

/// A cause in at most 15 lines as long as `paint` says; only commands are longer. `number` counts from 1.
pub(super) fn block(run: &Run, number: usize, cause: &Cause, paint: Paint) -> String {
    let outcome = cause.outcome(run);
    let mut parts: Vec<Vec<String>> = Vec::new();
    let mut item = |name: &str, text: &str, most: usize| {
        parts.push(labelled(name, text, most, paint));
    };
    let (row, title) = (cause.row, words::title(run, cause));
    item("row", &format!("{row} ({}, {})", row.level.name(), row.source()), 2);
    item("", row.statement(), 2);
    let id = outcome.requirement;
    let other = if std::ptr::eq(id, row) { String::new() } else { format!("{id} ") };
    item("check", &format!("{other}{}", outcome.fact), 2);
    if let Some(failure) = &outcome.failure {
        let exchange = failure
            .exchange
            .map_or(String::new(), |n| format!(" of exchange {} of {}", n + 1, outcome.exchanges.len()));
        // A service's own site needs no words.
        let site =
            cause.exchange(run).map(|exchange| &exchange.site).filter(|site| **site != id.service.name());
        let site = site.map_or(String::new(), |site| format!(" (site {site})"));
        item("at", &format!("{}{exchange}{site}", words::place(failure)), 1);
        item("want", &failure.want, 2);
        item("got", prose::or_nothing(&failure.got), 2);
    }
    let reason = words::reason(outcome);
    if outcome.reason.why != Why::Failure && reason != title {
        item("reason", &reason, 2);
    }
    if let Some(other) = outcome.readings.first() {
        // The line to write is never broken.
        item("reading", "the same responses pass with", 1);
        item("", &other.to_string(), 1);
    }
    if let Some(exchange) = cause.exchange(run) {
        let [sent, received] = first_line(exchange);
        item(">", &sent, 1);
        item("<", &received, 1);
    }
    let repeat: Vec<String> = outcome.repeat.iter().map(|line| one_line(line.as_bytes())).collect();
    if repeat.len() > REPEATS || repeat.iter().map(String::len).sum::<usize>() > REPEAT_BYTES {
        let whole = match repeat.len() {
            1 => "one long command".to_owned(),
            n => format!("{n} commands in a row"),
        };
        let instead = format!("{whole}, see -v; or assay replay REPORT {id}");
        parts.push(labelled("repeat", &instead, 2, paint));
    } else {
        let label = paint.label(&format!("{:<9}", "repeat"));
        parts.push(repeat.iter().map(|line| format!("  {label} {line}")).collect());
    }
    if let Some(seed) = outcome.seed {
        parts.push(labelled("seed", &seed.to_string(), 1, paint));
    }
    let followers = followers(run, cause);
    if !followers.is_empty() {
        let others = prose::count(cause.outcomes.len() - 1, "check");
        parts.push(labelled("also", &format!("{others}: {followers}"), 2, paint));
    }
    let verdict = cause.verdict.name();
    let mut lines = fold(&format!("{number}. {verdict}  "), &title, 2, paint.width);
    lines[0] = lines[0].replacen(verdict, &paint.verdict(cause.verdict, verdict), 1);
    // Second lines are the first to go.
    while lines.len() + parts.iter().map(Vec::len).sum::<usize>() > LINES {
        let Some(long) = parts.iter_mut().find(|part| part.len() > 1) else { break };
        long.pop();
    }
    lines.extend(parts.into_iter().flatten());
    lines.join("\n") + "\n"
}

/// Lines that begin with the name of a value.
fn labelled(name: &str, text: &str, most: usize, paint: Paint) -> Vec<String> {
    let label = format!("{name:<9}");
    let mut lines = fold(&format!("  {label} "), text, most, paint.width);
    if !name.is_empty() {
        lines[0] = lines[0].replacen(&label, &paint.label(&label), 1);
    }
    lines
}

/// The other checks of a cause by id, and how many more there are: `publish.prepare.cid, publish.submit.expired and 30 more`.
pub(super) fn followers(run: &Run, cause: &Cause) -> String {
    let others = cause.outcomes.iter().filter(|&&n| n != cause.first);
    let mut ids: Vec<String> = others.map(|&n| run.outcomes[n].requirement.to_string()).collect();
    // The worlds of a client may have one row.
    ids.dedup();
    let more = ids.len().saturating_sub(FOLLOWERS);
    ids.truncate(FOLLOWERS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    ids.join(", ") + &more
}

/// A cause in one line: its row, its title and the number of its checks. Where the line is too short, the title is cut.
pub(super) fn title(run: &Run, number: usize, cause: &Cause, paint: Paint) -> String {
    let mut line = format!("{number}. {} {}: ", cause.verdict.name(), cause.row);
    let end = match cause.outcomes.len() {
        1 => String::new(),
        n => format!(" ({})", prose::count(n, "check")),
    };
    let field = cause.outcome(run).failure.as_ref().filter(|failure| failure.part != Part::Status);
    let field = field.map_or(String::new(), |failure| format!("{}: ", failure.place));
    let title = one_line(words::title(run, cause).as_bytes());
    let title = if title.contains(field.trim_end_matches(": ")) { title } else { field + &title };
    let room = paint.width.saturating_sub(line.chars().count() + end.len() + 2).max(WORD);
    let _ = write!(line, "{}{end}", cut(&title, room));
    line
}

/// The text in at most `most` lines of `width` characters; the first begins with `first`, the others are indented.
fn fold(first: &str, text: &str, most: usize, width: usize) -> Vec<String> {
    let indent = " ".repeat(if first.starts_with("  ") { INDENT } else { first.chars().count() });
    let text = one_line(text.as_bytes());
    let room = width - indent.len();
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut word = word;
        loop {
            let is_last = lines.len() == most;
            let line = lines.last_mut().expect("at least one line");
            let used = line.chars().count();
            let space = usize::from(used > 0);
            if used + space + word.chars().count() <= room {
                line.push_str(if space > 0 { " " } else { "" });
                line.push_str(word);
                break;
            }
            // A word that is longer than a line is broken, and a long one at the end.
            let left = room.saturating_sub(used + space);
            let longest = if is_last { WORD } else { room };
            if word.chars().count() > longest && left > 0 {
                let at = word.char_indices().nth(left).map_or(word.len(), |(at, _)| at);
                line.push_str(if space > 0 { " " } else { "" });
                line.push_str(&word[..at]);
                word = &word[at..];
            }
            lines.push(String::new());
        }
    }
    if lines.len() > most {
        lines.truncate(most);
        let last = lines.last_mut().expect("at least one line");
        *last = cut(&format!("{last}\u{2026}"), room);
    }
    let starts = std::iter::once(first).chain(std::iter::repeat(indent.as_str()));
    starts.zip(&lines).map(|(start, line)| format!("{start}{line}").trim_end().to_owned()).collect()
}

/// At most `most` characters.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => {
            let at = text.char_indices().nth(most - 1).map_or(text.len(), |(at, _)| at);
            format!("{}\u{2026}", &text[..at])
        }
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::judge::cause::causes;
    use crate::report::example;
    use crate::services;

    #[test]
    fn a_block_fits_a_screen() {
        let mut run = example::run();
        let long = "word ".repeat(40) + &"x".repeat(300);
        run.outcomes[1].failure.as_mut().expect("a failure").want.clone_from(&long);
        run.outcomes[1].failure.as_mut().expect("a failure").got = long;
        run.outcomes[1].repeat = vec!["curl a".to_owned(); 2];
        run.outcomes[1].seed = Some(7);
        // With a long statement and source, the block must be shortened.
        let checks = services::checks().into_iter();
        let longest = checks.max_by_key(|check| check.requirement.statement().len()).expect("a check");
        run.outcomes[1].requirement = longest.requirement;
        for (n, cause) in causes(&run).iter().enumerate() {
            let block = block(&run, n + 1, cause, Paint::PLAIN);
            assert!(block.lines().count() <= LINES, "{block}");
            assert!(block.lines().all(|line| line.chars().count() <= Paint::PLAIN.width), "{block}");
            assert!(title(&run, n + 1, cause, Paint::PLAIN).chars().count() <= 2 * Paint::PLAIN.width);
        }
    }

    #[test]
    fn words_are_folded_and_long_ones_are_broken() {
        let word = "y".repeat(70);
        assert_eq!(fold("  a         ", "b c", 2, Paint::PLAIN.width), ["  a         b c"]);
        let folded = fold("  a         ", &format!("{word} b"), 9, Paint::PLAIN.width);
        assert_eq!(folded, [format!("  a         {}", "y".repeat(68)), format!("{}yy b", " ".repeat(12))]);
        let cut = fold("  a         ", &format!("{word} b"), 1, Paint::PLAIN.width);
        assert_eq!(cut, [format!("  a         {}\u{2026}", "y".repeat(67))]);
        let path = "/p".repeat(33);
        let cut = fold("  >         ", &format!("GET {path}"), 1, Paint::PLAIN.width);
        assert_eq!(cut, [format!("  >         GET {}\u{2026}", &path[..63])], "most of a path is shown");
        let cut = fold("  a         ", &format!("{} abcdefgh", "y".repeat(62)), 1, Paint::PLAIN.width);
        assert_eq!(cut, [format!("  a         {}\u{2026}", "y".repeat(62))], "a short word is not broken");
    }
}

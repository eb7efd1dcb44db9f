//! The report for the terminal.

use std::fmt::Write;
use std::path::Path;

use super::causes::{self, block, cut};
use super::{body_lines, by_group, by_reading, readable};
use crate::harness::coverage::{Coverage, Seen, count};
use crate::harness::data::{Outcome, Run, Verdict};
use crate::harness::judge::cause::causes;
use crate::harness::judge::conclusion::tested;
use crate::http::curl::authority;
use crate::http::exchange::{Cut, Exchange, Request};
use crate::report::words;
use crate::support::prose::one_line;
use crate::support::prose::{self, WIDTH};

/// The maximum size of a shown body.
const BODY_BYTES: usize = 2000;
/// The maximum number of causes that are shown in full, without `-v`.
const CAUSES: usize = 10;
/// The maximum number of lines of the summary, without blank lines, objections and remarks.
const SUMMARY: usize = 15;
/// The maximum number of reasons of untested checks, without `-v`.
const LISTED: usize = 3;
/// The maximum number of remarks, without `-v` and `--coverage`.
const REMARKS: usize = 5;

/// What is shown besides the causes and the summary.
#[derive(Clone, Copy, Debug, Default)]
pub struct View<'files> {
    /// Colours.
    pub colour: bool,
    /// The number of characters in a line of the terminal. Elsewhere 80, and the last lines are not wrapped.
    pub width: Option<usize>,
    /// 1: every row; 2: every exchange, too.
    pub verbose: u8,
    /// Groups, notes, transitions and endpoints.
    pub coverage: bool,
    /// The reports that were written.
    pub written: &'files [&'files Path],
}

impl View<'_> {
    /// Whether lines are cut at the width of a terminal.
    fn is_brief(self) -> bool {
        self.verbose == 0 && !self.coverage
    }

    pub(super) fn paint(self) -> Paint {
        Paint { colour: self.colour, width: self.width.unwrap_or(WIDTH) }
    }
}

/// The causes of what did not pass, what was not tested, and a summary.
pub fn report(run: &Run, view: View<'_>) -> String {
    let run = &*readable(run);
    let paint = view.paint();
    let mut out = String::new();
    put_causes(&mut out, run, view, paint);
    if view.verbose > 0 {
        put_rows(&mut out, run, view, paint);
    }
    put_untested(&mut out, run, view, paint);
    if view.coverage {
        out.push('\n');
        put_groups(&mut out, run, paint);
        put_notes(&mut out, run);
        put_transitions(&mut out, run);
        put_endpoints(&mut out, run);
    }
    let (room, most) = if view.is_brief() { (paint.width - 2, REMARKS) } else { (usize::MAX, usize::MAX) };
    let remarks: Vec<String> = run.remarks.iter().map(|remark| cut(remark, room)).collect();
    put_lines(&mut out, "remarks", &remarks, most);
    put_tested(&mut out, run, view, paint);
    out.push_str(&ending(run, view, paint));
    // A GitHub runner reads the text after `##[` as a command, anywhere in a line.
    out.trim_start().replace("##[", "#\\x23[")
}

/// The whole report, as `-vv --coverage` prints it.
pub fn summary(run: &Run, colour: bool) -> String {
    report(run, View { colour, verbose: 2, coverage: true, ..View::default() })
}

/// The end of the report alone: objections, the target, the seed, and the counts with the result.
pub fn result(run: &Run, view: View<'_>) -> String {
    ending(&readable(run), View { written: &[], ..view }, view.paint()).trim_start().replace("##[", "#\\x23[")
}

fn ending(run: &Run, view: View<'_>, paint: Paint) -> String {
    let mut out = String::new();
    put_lines(&mut out, "objections", &run.objections, usize::MAX);
    out.push('\n');
    if !view.written.is_empty() {
        let names: Vec<String> = view.written.iter().map(|path| path.display().to_string()).collect();
        let _ = writeln!(out, "reports {}", one_line(names.join(", ").as_bytes()));
    }
    let target = format!("target {}, seed {}", one_line(run.target.as_bytes()), run.seed);
    let room = view.width.unwrap_or(usize::MAX);
    out.push_str(&prose::wrap_at(room, "", &target));
    out.push_str(&prose::wrap_at(room, "", &painted_line(run, paint)));
    out
}

/// The causes: what makes the run fail in full, the others in one line.
fn put_causes(out: &mut String, run: &Run, view: View<'_>, paint: Paint) {
    let causes = causes(run);
    let most = if view.verbose > 0 { usize::MAX } else { CAUSES };
    let is_shown = |n: usize, verdict: Verdict| n < most && verdict != Verdict::KnownFailure;
    for (n, cause) in causes.iter().enumerate().filter(|(n, one)| is_shown(*n, one.verdict)) {
        let gap = if out.is_empty() { "" } else { "\n" };
        let _ = write!(out, "{gap}{}", block(run, n + 1, cause, paint));
    }
    let rest: Vec<String> = causes
        .iter()
        .enumerate()
        .filter(|(n, one)| !is_shown(*n, one.verdict))
        .map(|(n, one)| causes::title(run, n + 1, one, paint) + "\n")
        .collect();
    if !rest.is_empty() && !out.is_empty() {
        out.push('\n');
    }
    let brief = causes.iter().skip(most).filter(|one| one.verdict != Verdict::KnownFailure).count();
    if brief > 0 {
        let _ = writeln!(out, "{}, one line each; -v shows all of each", prose::count(brief, "more cause"));
    }
    out.push_str(&rest.concat());
}

/// Every check, by group; with its exchanges if the view says so.
fn put_rows(out: &mut String, run: &Run, view: View<'_>, paint: Paint) {
    let is_shown = |outcome: &&Outcome| outcome.verdict.needs_attention() || outcome.verdict == Verdict::Pass;
    out.push('\n');
    for outcome in run.outcomes.iter().filter(is_shown) {
        if outcome.verdict == Verdict::Pass {
            let pass = paint.verdict(Verdict::Pass, Verdict::Pass.name());
            let _ = writeln!(out, "{pass} {}  {}", outcome.requirement, outcome.fact);
            if view.verbose > 1 {
                out.push_str(&answers(outcome).iter().map(|line| format!("  {line}\n")).collect::<String>());
            }
            continue;
        }
        let _ = write!(out, "\n{}", words(outcome, paint));
        if view.verbose > 1 {
            out.push_str(&plain_exchanges(outcome));
        }
        out.push_str(&plain_repeat(outcome));
        let _ = writeln!(out, "  seed     {}", outcome.seed.unwrap_or(run.seed));
    }
}

/// Each exchange in a line: `POST /prepare -> 200`.
pub(super) fn answers(outcome: &Outcome) -> Vec<String> {
    let line = |exchange: &Exchange| {
        let answer =
            exchange.response.as_ref().map_or_else(ToString::to_string, |one| one.status.to_string());
        let line = format!("{} {} -> {answer}", exchange.request.method, exchange.request.target);
        one_line(&line.as_bytes()[..line.len().min(512)])
    };
    outcome.exchanges.iter().map(line).collect()
}

/// What was sent and what came, a line each: the request line, and the status with the start of the body.
pub(super) fn first_line(exchange: &Exchange) -> [String; 2] {
    let Request { method, target, .. } = &exchange.request;
    let bytes = exchange.body_bytes();
    let size = if bytes == 0 { String::new() } else { format!(", {bytes} bytes") };
    let received = match &exchange.response {
        Ok(response) => {
            let start = &response.body[..response.body.len().min(BODY_BYTES)];
            format!("{} {}", response.status, one_line(start))
        }
        Err(broken) => broken.to_string(),
    };
    [format!("{method} {target}{size}"), received]
}

/// Every documented endpoint of the services that ran: whether it exists, how many requests it accepted and rejected, and
/// which documented statuses and optional fields no response had. Unexpected lines begin with `!`.
pub fn endpoints(run: &Run) -> String {
    let width = run.endpoints.iter().map(|row| row.endpoint.path.len()).max().unwrap_or_default();
    let line = |row: &Coverage| {
        let mark = if is_odd(row) { '!' } else { ' ' };
        let (method, path, seen) = (row.endpoint.method, row.endpoint.path, row.seen.name());
        let described = match row {
            Coverage { declared: false, .. } => "switched off in the profile".to_owned(),
            Coverage { is_probed: true, .. } => "seen by one extra request".to_owned(),
            Coverage { accepted, rejected, .. } => {
                format!(
                    "{:>4} accepted, {:>4} judged {:>6} rejected",
                    accepted.count, accepted.judged, rejected.count
                )
            }
        };
        let unseen = row.unseen.iter().flatten().map(|name| format!("       not seen: {name}\n"));
        [format!("{mark} {method:<4} {path:<width$}  {seen:<9}  {described}\n")]
            .into_iter()
            .chain(unseen)
            .collect::<String>()
    };
    run.endpoints.iter().map(line).chain(["\n".to_owned()]).collect()
}

/// Whether an endpoint is declared but was not seen.
fn is_odd(row: &Coverage) -> bool {
    row.declared && matches!(row.seen, Seen::Absent | Seen::Unclear)
}

/// One outcome in full, without colour: expectation, exchanges, commands to repeat them.
pub(super) fn plain_detail(outcome: &Outcome) -> String {
    detail(outcome, Paint::PLAIN)
}

/// How text is shown.
#[derive(Clone, Copy)]
pub(super) struct Paint {
    /// Colours, or none.
    colour: bool,
    /// The number of characters in a line.
    pub(super) width: usize,
}

impl Paint {
    /// As a file has it.
    pub(super) const PLAIN: Paint = Paint { colour: false, width: WIDTH };

    /// The name of a value.
    pub(super) fn label(self, text: &str) -> String {
        self.with("2", text)
    }

    fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    pub(super) fn verdict(self, verdict: Verdict, text: &str) -> String {
        let code = match verdict {
            Verdict::Pass => "32",
            Verdict::Fail | Verdict::UnexpectedPass | Verdict::Inconclusive | Verdict::Unstable => "31",
            Verdict::Warn | Verdict::KnownFailure => "33",
            Verdict::NotApplicable | Verdict::NotTestable => "2",
            Verdict::Error => "35",
        };
        self.with(code, text)
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

fn put_groups(out: &mut String, run: &Run, paint: Paint) {
    let groups = by_group(run);
    let width = groups.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    for (name, outcomes) in groups {
        let count = |verdict| outcomes.iter().filter(|outcome| outcome.verdict == verdict).count();
        let _ = writeln!(out, "{name:width$}  {}", counts(count, paint));
    }
}

/// The verdicts with nonzero counts: `129 pass, 2 fail`.
pub(super) fn counts(count: impl Fn(Verdict) -> usize, paint: Paint) -> String {
    let present = Verdict::ALL.iter().filter(|&&verdict| count(verdict) > 0);
    let parts =
        present.map(|&verdict| paint.verdict(verdict, &format!("{} {}", count(verdict), verdict.name())));
    parts.collect::<Vec<_>>().join(", ")
}

fn detail(outcome: &Outcome, paint: Paint) -> String {
    let mut out = words(outcome, paint);
    out.push_str(&plain_exchanges(outcome));
    out.push_str(&plain_repeat(outcome));
    out
}

/// The requirement, the reason, and the wanted and received values.
fn words(outcome: &Outcome, paint: Paint) -> String {
    let mut out = String::new();
    let id = outcome.requirement;
    let verdict = paint.verdict(outcome.verdict, outcome.verdict.name());
    let _ = writeln!(out, "{verdict} {}  {}", paint.bold(&id.to_string()), outcome.fact);
    let _ = writeln!(out, "  {} ({}, {})", id.statement(), id.level.name(), id.source());
    let mut line = |name: &str, text: &str| {
        let _ = writeln!(out, "  {} {}", paint.label(&format!("{name:8}")), one_line(text.as_bytes()));
    };
    let reason = words::reason(outcome);
    if !reason.is_empty() {
        line("reason", &reason);
    }
    if let Some(failure) = &outcome.failure {
        let exchange = failure.exchange.map_or(String::new(), |n| format!(" of exchange {}", n + 1));
        line("at", &format!("{}{exchange}", words::place(failure)));
        line("want", &failure.want);
        line("got", &failure.got);
    }
    for verdict in Verdict::ALL {
        let at = outcome.cells.iter().filter(|cell| cell.verdict == verdict).map(|cell| cell.at.as_str());
        let at: Vec<&str> = at.collect();
        if !at.is_empty() {
            line("places", &format!("{}: {}", verdict.name(), at.join(", ")));
        }
    }
    outcome.readings.iter().for_each(|other| line("reading", &by_reading(other)));
    outcome.notes.iter().for_each(|note| line("note", note));
    if outcome.is_cut {
        line("note", words::BODIES_DROPPED);
    }
    outcome.why.iter().for_each(|why| line("why", &words::account(why)));
    out
}

/// The outcome without its exchanges.
pub(super) fn plain_words(outcome: &Outcome) -> String {
    words(outcome, Paint::PLAIN)
}

/// Every exchange of the outcome, in order.
pub(super) fn plain_exchanges(outcome: &Outcome) -> String {
    let mut out = String::new();
    for (n, exchange) in outcome.exchanges.iter().enumerate() {
        let _ = writeln!(out, "  exchange {} of {}, {}", n + 1, outcome.exchanges.len(), exchange.base);
        put_exchange(&mut out, exchange);
    }
    out
}

/// The commands that repeat it.
pub(super) fn plain_repeat(outcome: &Outcome) -> String {
    outcome.repeat.iter().map(|line| format!("  repeat   {}\n", one_line(line.as_bytes()))).collect()
}

pub(super) fn put_exchange(out: &mut String, exchange: &Exchange) {
    let Exchange { request, cut, slot, response, .. } = exchange;
    if let Some(slot) = slot.filter(|slot| slot.request > 1) {
        let _ = writeln!(out, "    ({slot})");
    }
    let mut lines = |mark: &str, head: Vec<String>, body: &[u8]| {
        let body = body_lines(body, BODY_BYTES);
        let blank = (!body.is_empty()).then(String::new);
        for line in head.into_iter().chain(blank).chain(body) {
            let _ = writeln!(out, "{}", format!("    {mark} {line}").trim_end());
        }
    };
    let left_out = cut.as_ref().map(left_out).unwrap_or_default();
    let body = if cut.is_some() { left_out.as_bytes() } else { &request.body };
    lines(">", request_head(exchange), body);
    match response {
        Ok(response) => {
            let headers = response.headers.iter();
            let headers = headers.map(|(name, value)| one_line(&[name.as_bytes(), b": ", value].concat()));
            lines("<", std::iter::once(response.status.to_string()).chain(headers).collect(), &response.body);
        }
        Err(broken) => lines("!", vec![one_line(broken.to_string().as_bytes())], &[]),
    }
}

/// The replacement of a body that a report omits.
pub(super) fn left_out(cut: &Cut) -> String {
    format!("({} bytes, omitted from the report, SHA-256 {})", cut.bytes, cut.sha256)
}

/// The head as sent, including added lines.
pub(super) fn request_head(exchange: &Exchange) -> Vec<String> {
    let head = exchange.head(authority(&exchange.base));
    let head = head.strip_suffix(b"\r\n\r\n").unwrap_or(&head);
    head.split(|&b| b == b'\n').map(|line| one_line(line.strip_suffix(b"\r").unwrap_or(line))).collect()
}

/// The untested checks, by reason; the most frequent reasons first, with the ids if the view says so.
fn put_untested(out: &mut String, run: &Run, view: View<'_>, paint: Paint) {
    let untested = [Verdict::NotTestable, Verdict::NotApplicable].into_iter();
    let mut reasons: Vec<_> = untested
        .flat_map(|verdict| {
            by_reason(run, verdict).into_iter().map(move |(reason, outcomes)| (verdict, reason, outcomes))
        })
        .collect();
    reasons.sort_by_key(|(verdict, _, outcomes)| {
        (*verdict != Verdict::NotTestable, usize::MAX - outcomes.len())
    });
    if !reasons.is_empty() {
        out.push('\n');
    }
    let most = if view.verbose > 0 || reasons.len() == LISTED + 1 { reasons.len() } else { LISTED };
    for (verdict, reason, outcomes) in reasons.iter().take(most) {
        let name = paint.verdict(*verdict, verdict.name());
        let _ = writeln!(out, "{name}: {} ({})", one_line(reason.as_bytes()), outcomes.len());
        for outcome in outcomes.iter().filter(|_| view.verbose > 0) {
            let _ = writeln!(out, "  {}  {}", outcome.requirement, outcome.fact);
        }
    }
    if let Some(rest) = reasons.get(most..).filter(|rest| !rest.is_empty()) {
        let checks: usize = rest.iter().map(|(.., outcomes)| outcomes.len()).sum();
        let _ = writeln!(out, "{} more reasons ({checks}); -v lists them", rest.len());
    }
}

/// The outcomes with that verdict, grouped by reason, in order of the first outcome.
pub(super) fn by_reason(run: &Run, verdict: Verdict) -> Vec<(String, Vec<&Outcome>)> {
    let mut reasons: Vec<(String, Vec<&Outcome>)> = Vec::new();
    for outcome in run.outcomes.iter().filter(|outcome| outcome.verdict == verdict) {
        let words = words::reason(outcome);
        match reasons.iter_mut().find(|(reason, _)| *reason == words) {
            Some((_, outcomes)) => outcomes.push(outcome),
            None => reasons.push((words, vec![outcome])),
        }
    }
    reasons
}

/// The notes of passed checks; other notes are shown with their outcome.
fn put_notes(out: &mut String, run: &Run) {
    let described = run.outcomes.iter().filter(|outcome| !outcome.verdict.needs_attention());
    let notes: Vec<String> = described
        .flat_map(|outcome| outcome.notes.iter().map(|note| (outcome.requirement, note)))
        .map(|(id, note)| format!("  {id}: {}\n", one_line(note.as_bytes())))
        .collect();
    if !notes.is_empty() {
        let _ = write!(out, "\nnotes\n{}", notes.concat());
    }
}

/// At most `most` lines under a title; one more line counts the rest.
fn put_lines(out: &mut String, title: &str, lines: &[String], most: usize) {
    if lines.is_empty() {
        return;
    }
    let _ = write!(out, "\n{title}\n");
    for line in lines.iter().take(most) {
        let _ = writeln!(out, "  {}", one_line(line.as_bytes()));
    }
    if lines.len() > most {
        let _ = writeln!(out, "  {} more; --coverage lists them", lines.len() - most);
    }
}

/// How much of each service was tested, and the causes if there are several.
fn put_tested(out: &mut String, run: &Run, view: View<'_>, paint: Paint) {
    let lines: Vec<String> = tested(run)
        .iter()
        .map(|one| {
            let lacks = one.lacks().map(|why| format!("  ! {}", words::lack(&why))).unwrap_or_default();
            let (service, percent) = (one.service, one.percent());
            format!(
                "{service:<8}  {:>3} of {:>3} applicable checks, {percent:>3} %{lacks}",
                one.tested, one.applicable
            )
        })
        .collect();
    put_lines(out, "tested", &lines, usize::MAX);
    let (services, causes) = (lines.len(), causes(run));
    if causes.len() > 1 {
        let lines: Vec<String> =
            causes.iter().enumerate().map(|(n, one)| causes::title(run, n + 1, one, paint)).collect();
        let _ = writeln!(out, "\n{} causes", lines.len());
        // Two heads, the services, the reports, the target and the result are lines of the summary, too.
        let others = 2 + services + usize::from(!view.written.is_empty()) + 2;
        let room = SUMMARY.saturating_sub(others).max(1);
        let named = if lines.len() <= room { lines.len() } else { room - 1 };
        lines.iter().take(named).for_each(|line| out.push_str(&format!("  {line}\n")));
        if lines.len() > named {
            let _ = writeln!(out, "  {} more, above", lines.len() - named);
        }
    }
}

fn put_transitions(out: &mut String, run: &Run) {
    if run.transitions.is_empty() {
        return;
    }
    let fired = run.transitions.iter().filter(|(_, fired)| *fired).count();
    let _ = writeln!(out, "\ntransitions: {fired} of {} fired", run.transitions.len());
    for (transition, _) in run.transitions.iter().filter(|(_, fired)| !fired) {
        let _ = match transition.unreachable {
            "" => writeln!(out, "  not fired  {transition}"),
            why => writeln!(out, "  not fired  {transition}  ({why})"),
        };
    }
}

fn put_endpoints(out: &mut String, run: &Run) {
    if run.endpoints.is_empty() {
        return;
    }
    let count = |seen| count(&run.endpoints, seen);
    let present = count(Seen::Present);
    let others = [Seen::Absent, Seen::Unclear, Seen::NotAsked];
    let others = others.iter().filter(|&&seen| count(seen) > 0);
    let others = others.fold(String::new(), |text, &seen| format!("{text}, {} {}", count(seen), seen.name()));
    let _ = writeln!(out, "\nendpoints: {present} of {} present{others}", run.endpoints.len());
    for row in run.endpoints.iter().filter(|row| is_odd(row)) {
        let (method, path) = (row.endpoint.method, row.endpoint.path);
        let _ = writeln!(out, "  {:<9}  {method:<4} {path}", row.seen.name());
    }
    let unseen = run.endpoints.iter().flat_map(|row| row.unseen.iter().flatten()).count();
    if unseen > 0 {
        let _ = writeln!(
            out,
            "not seen: {unseen} documented statuses and optional fields; --endpoints lists them"
        );
    }
}

/// The last line of a report.
pub(super) fn last_line(run: &Run) -> String {
    painted_line(run, Paint::PLAIN)
}

pub(super) fn painted_line(run: &Run, paint: Paint) -> String {
    let end = paint.verdict(worst(run), &words::result(run));
    let counts = counts(|verdict| run.count(verdict), paint);
    let checks = prose::count(run.outcomes.len(), "check");
    if counts.is_empty() { format!("{checks} - {end}") } else { format!("{checks}: {counts} - {end}") }
}

/// The verdict whose colour the last line has.
fn worst(run: &Run) -> Verdict {
    match run.exit_code() {
        0 => Verdict::Pass,
        4 => Verdict::Error,
        _ => Verdict::Fail,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    #[test]
    #[expect(clippy::too_many_lines, reason = "one snapshot")]
    fn a_run_with_everything() {
        let text = summary(&example::run(), false);
        assert!(!text.contains(example::TOKEN) && !text.contains('\x1b'));
        insta::assert_snapshot!(example::shorten(&text), @r#"
        1. fail  POST /prepare returned 200, wanted 409
          row       publish.first-group.second-is-refused (must, document 3, Exchange)
                    A second <one> is refused.
          check     second_prepare_is_refused
          at        status of exchange 2 of 2
          want      409
          got       200
          reason    the second was accepted
          >         POST /prepare, 5008 bytes
          <         200 {"error":"\u{1b}[31mred [redacted token]"}
          repeat    one long command, see -v; or assay replay REPORT
                    publish.first-group.second-is-refused

        2. inconclusive  PUT / got no response: no complete response within 15 s
          row       publish.other.counterpart (must, document 3, Exchange)
                    The fault alone is refused.
          check     fault_is_refused
          reason    the counterpart got 500
          >         PUT /, 2 bytes
          <         no complete response within 15 s

        3. error  cannot connect: refused
          row       publish.other.answers (must, document 3, Exchange)
                    It answers.
          check     it_connects

        4. warn  it answers slowly
          row       publish.other.answers (must, document 3, Exchange)
                    It answers.
          check     it_answers

        pass publish.first-group.holds  it_holds
          POST /prepare -> 200

        fail publish.first-group.second-is-refused  second_prepare_is_refused
          A second <one> is refused. (must, document 3, Exchange)
          reason   the second was accepted
          at       status of exchange 2
          want     409
          got      200
          why      prepare: the lock was free
          exchange 1 of 2, http://127.0.0.1:4101
            > PUT / HTTP/1.1
            > Host: 127.0.0.1:4101
            > Content-Length: 2
            > Connection: close
            >
            > \0\xff
            ! no complete response within 15 s
          exchange 2 of 2, http://127.0.0.1:4101
            > POST /prepare HTTP/1.1
            > Host: 127.0.0.1:4101
            > Authorization: Bearer [redacted token]
            > Content-Length: 5008
            > Connection: close
            >
            > {"n":1}
            > (1992 times x)
            > … 3008 bytes more, 5008 in all
            < 200
            < content-type: application/json
            < x: \xff
            <
            < {"error":"\u{1b}[31mred [redacted token]"}
          repeat   curl -sS -i --http1.1 --path-as-is --request-target /prepare -X POST -H "Authorization: Bearer $ASSAY_GATEWAY_KEY" -H 'Connection: close' -H 'Accept:' -H 'User-Agent:' -H 'Content-Type:' -H 'Expect:' --data-binary $'{"n":1}\n(5000 times x)' http://127.0.0.1:4101
          seed     18446744073709551615

        warn publish.other.answers  it_answers
          It answers. (must, document 3, Exchange)
          reason   it answers slowly
          seed     18446744073709551615

        inconclusive publish.other.counterpart  fault_is_refused
          The fault alone is refused. (must, document 3, Exchange)
          reason   the counterpart got 500
          exchange 1 of 1, http://127.0.0.1:4101
            > PUT / HTTP/1.1
            > Host: 127.0.0.1:4101
            > Content-Length: 2
            > Connection: close
            >
            > \0\xff
            ! no complete response within 15 s
          seed     18446744073709551615

        error publish.other.answers  it_connects
          It answers. (must, document 3, Exchange)
          reason   cannot connect: refused
          seed     18446744073709551615

        not-testable: needs control level T2 (2)
          publish.first-group.needs-time  it_ends
          publish.first-group.needs-time  it_ends_late

        publish.first-group  1 pass, 1 fail, 2 not-testable
        publish.other        1 warn, 1 inconclusive, 1 error

        notes
          publish.first-group.holds: answers with 201 where 200 is as good

        transitions: 1 of 3 fired
          not fired  lock: held --submit--> free
          not fired  lock: held --crash--> free  (a client cannot crash it)

        endpoints: 1 of 4 present, 1 absent, 1 unclear, 1 not-asked
          absent     GET  /api/v0/messages.json
          unclear    GET  /api/v0/plan
        not seen: 2 documented statuses and optional fields; --endpoints lists them

        remarks
          connections: 1 retries before a request was sent

        tested
          publish     3 of 120 applicable checks,   2 %

        4 causes
          1. fail publish.first-group.second-is-refused: POST /prepare returned 200, wa…
          2. inconclusive publish.other.counterpart: PUT / got no response: no complete…
          3. error publish.other.answers: cannot connect: refused
          4. warn publish.other.answers: it answers slowly

        target http://127.0.0.1:4101, seed 18446744073709551615
        7 checks: 1 pass, 1 fail, 1 warn, 2 not-testable, 1 inconclusive, 1 error - the harness failed
        "#);
    }

    #[test]
    fn the_table_of_endpoints() {
        insta::assert_snapshot!(endpoints(&example::run()), @r"
          GET  /api/v0/messages/{hash}  present      12 accepted,    9 judged      3 rejected
               not seen: 200 message.nonce
               not seen: 410
        ! GET  /api/v0/messages.json    absent        0 accepted,    0 judged      2 rejected
          POST /api/v0/ipfs/pin         not-asked  switched off in the profile
        ! GET  /api/v0/plan             unclear    seen by one extra request
        ");
    }

    #[test]
    fn colour_changes_nothing_else() {
        let coloured = summary(&example::run(), true);
        assert!(coloured.contains("\x1b[31mfail\x1b[0m \x1b[1mpublish.first-group.second-is-refused\x1b[0m"));
        let mut plain = String::new();
        for (n, part) in coloured.split("\x1b[").enumerate() {
            plain.push_str(if n == 0 { part } else { part.split_once('m').unwrap().1 });
        }
        assert_eq!(plain, summary(&example::run(), false));
    }

    #[test]
    fn a_wide_terminal_is_used_and_the_last_lines_are_wrapped_between_words() {
        let mut run = example::run();
        run.target = (0..6).map(|n| format!("http://site-{n}.example:4101")).collect::<Vec<_>>().join(", ");
        let shown = |width| report(&run, View { colour: true, width: Some(width), ..View::default() });
        for width in [60, 100] {
            let text = shown(width);
            let lines: Vec<&str> = text.lines().collect();
            let end = lines.iter().rposition(|line| line.starts_with("target ")).expect("the target");
            let last = lines[end..].concat();
            assert!((0..6).all(|n| last.contains(&format!("http://site-{n}.example:4101"))), "{text}");
            assert!(lines[end..].iter().all(|line| prose::shown(line) <= width), "{text}");
            assert!(last.contains("\x1b[32m1 pass\x1b[0m"), "{text}");
        }
        let longest = |text: &str| text.lines().map(prose::shown).max();
        assert!(longest(&shown(100)) <= Some(100), "{}", shown(100));
        // In 80 columns the id is in a line of its own.
        let wide = "assay replay REPORT publish.first-group.second-is-refused";
        assert!(shown(100).contains(wide) && !shown(80).contains(wide), "{}", shown(100));
        assert!(shown(100).contains("\x1b[2mrow      \x1b[0m "), "{}", shown(100));
    }

    #[test]
    fn the_last_line() {
        use Verdict::{Error, Fail, NotTestable, Pass};
        let with = |verdicts: &[Verdict]| {
            let mut run = example::run();
            let sample = run.outcomes[0].clone();
            let outcomes =
                verdicts.iter().map(|&verdict| crate::harness::data::Outcome { verdict, ..sample.clone() });
            run.outcomes = outcomes.collect();
            last_line(&run)
        };
        assert_eq!(with(&[Pass]), "1 check: 1 pass - selected checks passed (1 of 114)");
        assert_eq!(with(&[Pass, Fail, Pass]), "3 checks: 2 pass, 1 fail - does not conform");
        assert_eq!(with(&[Pass, Error]), "2 checks: 1 pass, 1 error - the harness failed");
        assert_eq!(with(&[NotTestable]), "1 check: 1 not-testable - not enough tested: nothing was checked");
        assert_eq!(with(&[]), "0 checks - not enough tested: nothing was checked");
        let mut run = example::run();
        run.outcomes.truncate(1);
        run.objections = vec!["b.toml: x: no check has this id".to_owned()];
        assert_eq!(
            last_line(&run),
            "1 check: 1 pass - does not conform: the baseline does not match the run"
        );
        assert!(summary(&run, false).contains("\nobjections\n  b.toml: x: no check has this id\n"));
        (run.is_partial, run.objections) = (true, Vec::new());
        let stopped = "1 check: 1 pass - not enough tested: not every check ran";
        assert_eq!(last_line(&run), stopped);
    }
}

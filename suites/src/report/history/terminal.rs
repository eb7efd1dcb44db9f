//! The history for the terminal, in lines of at most 80 characters.

use std::fmt::Write;

use super::{History, PastRun, State, Track, duration, legend, letter};
use crate::report::causes::cut;
use crate::support::prose::{WIDTH, count, one_line, wrap_at};

/// The last runs whose verdicts are shown in a row.
const SHOWN: usize = 24;
/// The last runs that have a line.
const LISTED: usize = 12;
/// The checks of a state that have a line.
const CHECKS: usize = 12;
/// The slowest checks that have a line.
const SLOWEST: usize = 5;

/// The runs, the checks that do not always pass, the coverage and the slowest checks.
pub fn write(history: &History) -> String {
    let mut out = String::new();
    let targets = history.targets();
    let runs = count(history.runs.len(), "run");
    let of = match targets.as_slice() {
        [target] => format!("{runs} of {target}"),
        _ => format!("{runs} of {} targets: a change may be a difference between them", targets.len()),
    };
    out += &wrap_at(WIDTH, "", &one_line(format!("{of}, {}", history.order()).as_bytes()));
    put_runs(&mut out, history);
    for state in [State::Flaky, State::Broken, State::Failing, State::Fixed] {
        put_checks(&mut out, history, state);
    }
    put_services(&mut out, history);
    put_slowest(&mut out, history);
    let counts = State::ALL.iter().filter_map(|state| {
        let checks = history.in_state(*state).count();
        (checks > 0).then(|| format!("{checks} {}", state.name()))
    });
    let counts: Vec<String> = counts.collect();
    let _ = writeln!(out, "\n{}: {}", count(history.checks.len(), "check"), counts.join(", "));
    out
}

fn put_runs(out: &mut String, history: &History) {
    let hidden = history.runs.len().saturating_sub(LISTED);
    let more = if hidden > 0 { format!("; {hidden} before") } else { String::new() };
    let _ = writeln!(out, "\nruns ({}{more})", history.runs.len());
    for (n, run) in history.runs.iter().enumerate().skip(hidden) {
        let PastRun { began, result, counts, .. } = run;
        let began = began.as_deref().map_or("", |began| began.get(..16).unwrap_or(began)).replace('T', " ");
        let passed = counts.get("pass").copied().unwrap_or_default();
        let all: usize = counts.values().sum();
        let time = run.elapsed_ms.map_or_else(String::new, duration);
        let line = format!("{:>4}  {began:<16}  {passed:>4} of {all:>4} pass  {time:>7}  {result}", n + 1);
        let _ = writeln!(out, "{}", fitting(&line));
    }
}

fn put_checks(out: &mut String, history: &History, state: State) {
    let checks: Vec<&Track> = history.in_state(state).collect();
    if checks.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{} ({}): {}", state.name(), checks.len(), state.about());
    let shown = history.runs.len().min(SHOWN);
    for track in checks.iter().take(CHECKS) {
        let letters = track.verdicts.iter().skip(history.runs.len() - shown);
        let letters: String = letters.map(|verdict| letter(*verdict)).collect();
        let _ = writeln!(out, "  {letters}  {}", cut(&one_line(track.id.as_bytes()), WIDTH - shown - 4));
    }
    if checks.len() > CHECKS {
        let _ = writeln!(out, "  {} more; --html shows all", checks.len() - CHECKS);
    }
    if state == State::Flaky || history.in_state(State::Flaky).next().is_none() {
        let last =
            if shown < history.runs.len() { format!("the last {shown} runs: ") } else { String::new() };
        out.push_str(&wrap_at(WIDTH, "  ", &format!("{last}{}", legend(history))));
    }
}

fn put_services(out: &mut String, history: &History) {
    let services = history.services();
    if services.is_empty() {
        return;
    }
    out.push_str("\ntested: first run, last run, least\n");
    for (service, shares) in services {
        let known: Vec<usize> = shares.iter().flatten().map(|share| share.percent()).collect();
        let [Some(first), Some(last), Some(least)] = [known.first(), known.last(), known.iter().min()] else {
            continue;
        };
        let _ = writeln!(out, "  {service:<8}  {first:>3} %  {last:>3} %  {least:>3} %");
    }
}

fn put_slowest(out: &mut String, history: &History) {
    let mut slow: Vec<(u64, &Track)> =
        history.checks.iter().filter_map(|track| Some((track.median_ms()?, track))).collect();
    if slow.is_empty() {
        return;
    }
    slow.sort_by_key(|(median, track)| (std::cmp::Reverse(*median), &track.id));
    out.push_str("\nslowest: median, last\n");
    for (median, track) in slow.into_iter().take(SLOWEST) {
        let last = track.last_ms().map_or_else(String::new, duration);
        let line = format!("  {:>7}  {last:>7}  {}", duration(median), track.id);
        let _ = writeln!(out, "{}", fitting(&line));
    }
}

/// The line in 80 characters.
fn fitting(line: &str) -> String {
    cut(&one_line(line.trim_end().as_bytes()), WIDTH)
}

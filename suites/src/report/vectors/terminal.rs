//! The result of a program under the vectors, for a terminal.

use std::collections::BTreeMap;

use assay_spec::catalogue;
use assay_vectors::run::{CaseResult, Followed, Outcome, Report};
use assay_vectors::{Case, cases};

use crate::support::prose::{count, one_line, wrap};

/// Failures with their requirement, incidents, what was observed, and the result in the last line.
pub fn write(report: &Report) -> String {
    let held = cases();
    let by_id: BTreeMap<&str, &Case> = held.iter().map(|case| (case.id.as_str(), case)).collect();
    let mut text = String::new();
    for result in report.results.iter().filter(|result| result.outcome.is_red()) {
        text += &failure(result, by_id.get(result.id.as_str()).copied());
    }
    for each in &report.incoherent {
        text += &format!("fail   {each}\n");
    }
    let lines = [&report.incidents, &report.missing, &report.objections];
    text.extend(lines.into_iter().flatten().map(|line| format!("{line}\n")));
    for op in &report.unknown {
        text += &format!("claimed, but there is no case: {op}\n");
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text += &observed(report);
    text + &last_lines(report)
}

/// A failure, the requirement, and how to see the case.
fn failure(result: &CaseResult, case: Option<&Case>) -> String {
    let mut text = format!("{:<6} {}: {}\n", result.outcome, result.id, one_line(result.text.as_bytes()));
    if let Some(row) = case.and_then(demanded).and_then(catalogue::requirement) {
        text += &wrap("       ", &format!("{row} ({}): {}", row.source(), row.statement()));
    }
    text + &format!("       assay vectors explain {}\n", result.id)
}

/// The requirement that a case is about. An accepted input may cover many; then it is about none of them alone.
pub(super) fn demanded(case: &Case) -> Option<&str> {
    match case.requirements.as_slice() {
        [row] => Some(row),
        [row, ..] if case.is_reject() => Some(row),
        _ => None,
    }
}

fn observed(report: &Report) -> String {
    let behaviours = report.behaviours();
    if behaviours.is_empty() {
        return String::new();
    }
    let width = behaviours.iter().map(|shown| shown.input.chars().count()).max().unwrap_or_default();
    let mut text = "Where no sentence decides, the program does this:\n".to_owned();
    for shown in &behaviours {
        text += &format!("  {:<width$}  {}\n", shown.input, shown.what);
    }
    let followed = report.followed();
    let listed = |choose: fn(&Followed) -> bool| {
        let chosen = followed.iter().filter(|each| choose(each));
        chosen
            .map(|each| format!("{} ({} of {})", each.reading, each.as_read, each.cases))
            .collect::<Vec<_>>()
    };
    let in_part = listed(|each| each.as_read > 0 && each.as_read < each.cases);
    let otherwise = listed(|each| each.as_read == 0);
    let whole = followed.len() - in_part.len() - otherwise.len();
    text += &format!("Readings: {whole} followed as the cases have them\n");
    for (name, list) in [("  in part: ", in_part), ("  not followed: ", otherwise)] {
        if !list.is_empty() {
            text += &wrap(name, &list.join(", "));
        }
    }
    text.push('\n');
    text
}

fn last_lines(report: &Report) -> String {
    let mut text = String::new();
    let unsupported = report.unsupported();
    if !unsupported.is_empty() {
        let cases: usize = unsupported.values().sum();
        let names: Vec<&str> = unsupported.into_keys().collect();
        let head = format!("Not claimed: {}, {}: ", count(names.len(), "operation"), count(cases, "case"));
        text += &wrap("", &format!("{head}{}", names.join(", ")));
    }
    // A program that does not say who it is gets no case.
    if report.results.is_empty() {
        return text + "no case was judged\n";
    }
    let counts: Vec<String> = report
        .counts()
        .into_iter()
        .filter(|(outcome, _)| *outcome != Outcome::Unsupported)
        .map(|(outcome, count)| format!("{count} {outcome}"))
        .collect();
    let counts = if counts.is_empty() { "no case".to_owned() } else { counts.join(", ") };
    let program = one_line(report.program.as_bytes());
    text + &format!("{program}: {counts} - {}\n", report.result())
}

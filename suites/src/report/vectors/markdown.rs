//! The result of a program under the vectors as Markdown, for a CI summary; and the table of several programs.

use std::collections::{BTreeMap, BTreeSet};

use assay_vectors::run::{Outcome, Report};

use super::json::RunFile;
use super::terminal::demanded;
use crate::support::prose::{count, one_line};

/// The maximum number of lines of a list.
const LISTED: usize = 200;

/// The run: result, operations, failures, and what was observed.
pub fn write(report: &Report) -> String {
    let mut text = format!("## Vectors: {}\n\n{}\n", cell(&report.program), report.result());
    let mut table =
        Table::new(["operation", "cases", "pass", "fail", "known", "observed"].map(str::to_owned));
    for (op, counts) in report.by_operation() {
        if report.operations.contains(&op) {
            let numbers = [counts.held, counts.passed, counts.failed, counts.known, counts.observed];
            table.row(std::iter::once(op).chain(numbers.map(|n| n.to_string())));
        }
    }
    text += &format!("\n{}", table.write());
    let cases = assay_vectors::cases();
    let red: Vec<_> = report.results.iter().filter(|one| one.outcome.is_red()).collect();
    if !red.is_empty() {
        text += "\n### Differences\n\n";
        for one in red.iter().take(LISTED) {
            let row = cases.iter().find(|case| case.id == one.id).and_then(demanded);
            let row = row.map_or_else(String::new, |row| format!(" [{row}]"));
            let reason: String = one.text.chars().take(400).collect();
            text += &format!("- {} `{}`{row}: {}\n", one.outcome, one.id, cell(&reason));
        }
        if red.len() > LISTED {
            text += &format!("- and {} more\n", red.len() - LISTED);
        }
    }
    let incoherent: Vec<String> = report.incoherent.iter().map(ToString::to_string).collect();
    for line in incoherent.iter().chain(&report.incidents).chain(&report.missing).chain(&report.objections) {
        text += &format!("- {}\n", cell(line));
    }
    let known = report.results.iter().filter(|one| one.outcome == Outcome::Known).count();
    if known > 0 {
        text += &format!("\n{} of the baseline\n", count(known, "known failure"));
    }
    let behaviours = report.behaviours();
    if !behaviours.is_empty() {
        let mut table = Table::new(["where no sentence decides", "the program"].map(str::to_owned));
        for shown in behaviours {
            table.row([shown.input.to_owned(), shown.what]);
        }
        text += &format!("\n{}", table.write());
    }
    text
}

/// The table of several programs: result, cases by operation, behaviours, and the cases that they answer differently.
pub fn compare(runs: &[RunFile]) -> String {
    let name = |(n, run): (usize, &RunFile)| {
        let same = runs.iter().take(n).filter(|other| other.program == run.program).count();
        if same == 0 { run.program.clone() } else { format!("{} ({})", run.program, same + 1) }
    };
    let names: Vec<String> = runs.iter().enumerate().map(name).collect();
    let head =
        |first: &str| std::iter::once(first.to_owned()).chain(names.iter().cloned()).collect::<Vec<_>>();
    let mut table = Table::new(head(""));
    table.row(line("result", runs, |run| run.result.clone()));
    let ops: BTreeSet<&String> = runs.iter().flat_map(|run| run.operations.keys()).collect();
    for op in ops {
        table.row(line(op, runs, |run| {
            let counts = run.operations.get(op).filter(|counts| counts.claimed);
            counts.map_or_else(String::new, |counts| {
                let judged = counts.passed + counts.failed + counts.known;
                let observed = if counts.observed == 0 {
                    String::new()
                } else {
                    format!(", {} observed", counts.observed)
                };
                format!("{} of {judged}{observed}", counts.passed)
            })
        }));
    }
    let mut text = table.write();

    let inputs: Vec<&String> =
        in_order(runs.iter().flat_map(|run| run.behaviours.iter().map(|each| &each.input)));
    let mut table = Table::new(head("where no sentence decides"));
    for input in inputs {
        table.row(line(input, runs, |run| {
            let found = run.behaviours.iter().find(|each| each.input == *input);
            found.map_or_else(String::new, |each| each.what.clone())
        }));
    }
    text += &format!("\n{}", table.write());

    let replies: Vec<BTreeMap<&str, &str>> = runs
        .iter()
        .map(|run| run.cases.iter().map(|case| (case.id.as_str(), case.reply.as_str())).collect())
        .collect();
    let ids = in_order(runs.iter().flat_map(|run| run.cases.iter().map(|case| case.id.as_str())));
    let mut table = Table::new(head("cases with different answers"));
    for id in ids {
        let found: Vec<&str> =
            replies.iter().map(|of_run| of_run.get(id).copied().unwrap_or_default()).collect();
        let kinds: BTreeSet<&&str> = found.iter().filter(|reply| !reply.is_empty()).collect();
        if kinds.len() > 1 {
            table.row(std::iter::once(id.to_owned()).chain(found.into_iter().map(str::to_owned)));
        }
    }
    if table.rows.is_empty() {
        return text + "\nNo case is answered differently.\n";
    }
    text + &format!("\n{}", table.write())
}

fn line(first: &str, runs: &[RunFile], what: impl Fn(&RunFile) -> String) -> Vec<String> {
    std::iter::once(first.to_owned()).chain(runs.iter().map(what)).collect()
}

/// Each item once, in the order of their first occurrence.
fn in_order<T: Ord + Copy>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = BTreeSet::new();
    items.filter(|item| seen.insert(*item)).collect()
}

/// A string that is one cell of a table.
fn cell(text: &str) -> String {
    one_line(text.as_bytes()).replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;")
}

/// A Markdown table with aligned columns.
struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn new(head: impl IntoIterator<Item = String>) -> Table {
        Table { head: head.into_iter().map(|text| cell(&text)).collect(), rows: Vec::new() }
    }

    fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|text| cell(&text)).collect());
    }

    fn write(&self) -> String {
        let lines = || std::iter::once(&self.head).chain(&self.rows);
        let width = |n: usize| lines().map(|row| row[n].chars().count()).max().unwrap_or_default().max(3);
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let written = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).map(|(text, width)| format!(" {text:<width$} |"));
            format!("|{}\n", cells.collect::<String>())
        };
        let rule: String = widths.iter().map(|width| format!(" {} |", "-".repeat(*width))).collect();
        let rows: String = self.rows.iter().map(written).collect();
        format!("{}|{rule}\n{rows}", written(&self.head))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_has_a_column_for_each_program_and_a_row_for_each_difference() {
        let reference = Report::of_the_reference();
        let mut other = reference.clone();
        other.program = "other | 1".to_owned();
        let n =
            other.results.iter().position(|one| one.id == "network/eip191-recover/high-s").expect("a case");
        other.results[n].outcome = Outcome::Observed;
        other.results[n].reply = assay_vectors::run::Reply::Accepted;
        let runs = [&reference, &other, &other].map(RunFile::new);
        let text = compare(&runs);
        assert!(text.contains("other \\| 1 (2)"), "{text}");
        let rows = |start: &str| text.lines().filter(|line| line.starts_with(start)).collect::<Vec<_>>();
        let [row] = rows("| network/eip191-recover/high-s ")[..] else { panic!("{text}") };
        assert_eq!(row.matches("| accepted").count(), 2);
        let [row] = rows("| a signature with a high s ")[..] else { panic!("{text}") };
        assert!(row.contains("accepted (1), rejected (4)"), "{row}");
        assert!(compare(&runs[..1]).ends_with("No case is answered differently.\n"));
        let page = write(&other);
        assert!(
            page.contains("| eip191.recover ")
                && page.contains("### ") == other.results.iter().any(|r| r.outcome.is_red())
        );
    }
}

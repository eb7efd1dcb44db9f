//! The result of a proof: as text with the causes of what is not proven, as JSON, and as JUnit XML.

use std::collections::BTreeMap;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use serde_json::{Value, json};

use super::trial::Row;
use crate::support::prose;
use crate::support::prose::one_line;

/// The maximum number of names in a cause.
const NAMES: usize = 8;
/// Up to this number of rows, rows that hold are shown, too.
const SHOWN: usize = 20;

/// The result of a proof.
#[derive(Debug, Default)]
pub struct Matrix {
    /// One row per deviation.
    pub deviations: Vec<Row>,
    /// One row per variation.
    pub variations: Vec<Row>,
    /// Checks that do not pass on the conforming simulator, and rows without a deviation.
    pub holes: Vec<String>,
}

impl Matrix {
    /// Whether everything is proven.
    pub fn holds(&self) -> bool {
        self.holes.is_empty() && self.rows().all(Row::holds)
    }

    fn rows(&self) -> impl Iterator<Item = &Row> {
        self.deviations.iter().chain(&self.variations)
    }

    /// The rows that do not hold, by cause, and one reason of each; the largest first.
    fn causes(&self) -> Vec<(String, &str, Vec<&Row>)> {
        let mut causes: Vec<(String, &str, Vec<&Row>)> = Vec::new();
        for row in self.rows().filter(|row| !row.holds()) {
            let (title, why) = row.cause();
            match causes.iter_mut().find(|(known, ..)| *known == title) {
                Some((.., rows)) => rows.push(row),
                None => causes.push((title, why, vec![row])),
            }
        }
        causes.sort_by_key(|(.., rows)| usize::MAX - rows.len());
        causes
    }

    /// The matrix as JSON.
    pub fn json(&self) -> Value {
        let rows = |rows: &[Row]| -> Value {
            rows.iter()
                .map(|row| {
                    let red: BTreeMap<&String, &String> = row.red.iter().map(|(id, why)| (id, why)).collect();
                    json!({
                        "name": row.name, "about": row.about, "holds": row.holds(), "checks": row.ran,
                        "red": red, "blocked": row.blocked,
                    })
                })
                .collect()
        };
        let cause = |(title, why, rows): (String, &str, Vec<&Row>)| {
            let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
            json!({ "title": title, "reason": why, "rows": names })
        };
        json!({
            "version": 2,
            "holds": self.holds(),
            "causes": self.causes().into_iter().map(cause).collect::<Vec<_>>(),
            "deviations": rows(&self.deviations),
            "variations": rows(&self.variations),
            "holes": self.holes,
        })
    }

    /// The matrix as JUnit XML: a case for each deviation, variation and hole.
    pub fn junit(&self) -> String {
        let mut report = Report::new("assay prove");
        for (name, rows) in [("deviations", &self.deviations), ("variations", &self.variations)] {
            let mut suite = TestSuite::new(name);
            suite.add_test_cases(rows.iter().map(|row| {
                let status = if row.holds() {
                    TestCaseStatus::success()
                } else {
                    let (title, why) = row.cause();
                    failure(&title, &format!("{}\n{why}", row.about))
                };
                let mut case = TestCase::new(one_line(row.name.as_bytes()), status);
                case.set_classname(name);
                case
            }));
            report.add_test_suite(suite);
        }
        let mut suite = TestSuite::new("holes");
        suite.add_test_cases(
            self.holes
                .iter()
                .enumerate()
                .map(|(n, hole)| TestCase::new(format!("hole {}", n + 1), failure(hole, ""))),
        );
        report.add_test_suite(suite);
        report.to_string().expect("a report in memory can be written")
    }

    /// The matrix as text for a terminal: the causes of what is not proven, and a summary. `verbose` shows every row.
    pub fn text(&self, verbose: bool) -> String {
        let mut text = String::new();
        for (n, (title, why, rows)) in self.causes().into_iter().enumerate() {
            text.push_str(&format!("{}. HOLE  {title}\n", n + 1));
            if !why.is_empty() {
                text.push_str(&format!("   reason  {}\n", one_line(why.as_bytes())));
            }
            for row in rows.iter().take(NAMES) {
                text.push_str(&format!("   under   {}: {}\n", row.name, row.about));
            }
            if rows.len() > NAMES {
                text.push_str(&format!("   and {} more; --json lists them\n", rows.len() - NAMES));
            }
            text.push('\n');
        }
        for hole in &self.holes {
            text.push_str(&format!("HOLE {hole}\n"));
        }
        let all = self.rows().count();
        for row in self.rows().filter(|row| verbose || (all <= SHOWN && row.holds())) {
            let mark = if row.holds() { "ok  " } else { "HOLE" };
            let counts =
                format!("{}: {} red, {} blocked", prose::count(row.ran, "check"), row.red.len(), row.blocked);
            text.push_str(&format!("{mark} {:<48} {counts}\n", row.name));
            for (id, why) in row.red.iter().chain(&row.why_blocked).filter(|_| !row.holds()) {
                text.push_str(&format!("     {id}: {}\n", one_line(why.as_bytes())));
            }
        }
        let caught = self.deviations.iter().filter(|row| row.holds()).count();
        let green = self.variations.iter().filter(|row| row.holds()).count();
        text.push_str(&format!(
            "{caught} of {} caught by their own check alone, {green} of {} green, {}\n",
            prose::count(self.deviations.len(), "deviation"),
            prose::count(self.variations.len(), "variation"),
            prose::count(self.holes.len(), "hole")
        ));
        text
    }
}

fn failure(message: &str, description: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(one_line(message.as_bytes()));
    let lines: Vec<String> = description.lines().map(|line| one_line(line.as_bytes())).collect();
    status.set_description(lines.join("\n"));
    status
}

#[cfg(test)]
mod tests {
    use assay_spec::Id;

    use super::*;
    use crate::services;

    fn row(name: &str, own: Option<Id>, red: &[&str], blocked: &[&str]) -> Row {
        let with_reason =
            |ids: &[&str]| ids.iter().map(|id| ((*id).to_owned(), "status: wanted 409".to_owned())).collect();
        Row {
            name: name.to_owned(),
            about: "it does",
            own,
            ran: 9,
            red: with_reason(red),
            blocked: blocked.len(),
            why_blocked: with_reason(blocked),
            is_found: own.is_some_and(|own| red.contains(&own.to_string().as_str())),
        }
    }

    #[test]
    fn rows_that_do_not_hold_are_grouped_by_cause() {
        let own = services::checks()[0].requirement;
        let id = own.to_string();
        let matrix = Matrix {
            deviations: vec![
                row("good", Some(own), &[&id], &[]),
                row("unseen", Some(own), &[], &[]),
                row("blocked", Some(own), &[], &[&id]),
                row("first", Some(own), &[&id, "a.b.c"], &[]),
                row("second", Some(own), &["a.b.c", &id], &[]),
            ],
            variations: vec![row("allowed", None, &["a.b.c"], &[])],
            holes: vec!["a row has no deviation".to_owned()],
        };
        assert!(!matrix.holds());
        let text = matrix.text(false).replace(&id, "ID");
        insta::assert_snapshot!(text, @"
        1. HOLE  a.b.c also turns red under another deviation
           reason  status: wanted 409
           under   first: it does
           under   second: it does

        2. HOLE  ID passes although it is violated
           under   unseen: it does

        3. HOLE  ID is blocked
           reason  status: wanted 409
           under   blocked: it does

        4. HOLE  a.b.c turns red
           reason  status: wanted 409
           under   allowed: it does

        HOLE a row has no deviation
        ok   good                                             9 checks: 1 red, 0 blocked
        1 of 5 deviations caught by their own check alone, 0 of 1 variation green, 1 hole
        ");
        assert_eq!(matrix.json()["causes"][0]["rows"], json!(["first", "second"]));
        let junit = matrix.junit();
        assert!(junit.contains("tests=\"7\" skipped=\"0\" failures=\"6\""), "{junit}");
        assert!(matrix.text(true).contains("\nHOLE unseen "));
    }
}

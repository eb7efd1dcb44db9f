//! The result of a program under the vectors as JUnit XML: one suite per operation, one test per case.

use std::collections::BTreeMap;

use assay_vectors::run::{CaseResult, Outcome, Report};
use quick_junit::{NonSuccessKind, Report as Xml, TestCase, TestCaseStatus, TestSuite};

use crate::support::prose::one_line;

/// The run as XML. An observed case passes and says what was observed; a case that is not claimed and a known failure
/// are skipped.
pub fn write(report: &Report) -> String {
    let mut xml = Xml::new("assay vectors");
    let mut suites: BTreeMap<&str, TestSuite> = BTreeMap::new();
    for result in &report.results {
        let suite = suites.entry(&result.op).or_insert_with(|| TestSuite::new(result.op.as_str()));
        suite.add_test_case(case(result));
    }
    xml.add_test_suites(suites.into_values());
    let others: Vec<String> = report.incoherent.iter().map(ToString::to_string).collect();
    let lines = others.iter().chain(&report.incidents).chain(&report.missing).chain(&report.objections);
    let mut run = TestSuite::new("run");
    for (n, line) in lines.enumerate() {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_message(one_line(line.as_bytes()));
        run.add_test_case(TestCase::new(format!("finding {}", n + 1), status));
    }
    if run.tests > 0 {
        xml.add_test_suite(run);
    }
    xml.to_string().expect("a report in memory can be written")
}

fn case(result: &CaseResult) -> TestCase {
    let text = one_line(result.text.as_bytes());
    let status = match result.outcome {
        Outcome::Pass | Outcome::Observed => TestCaseStatus::success(),
        Outcome::Fail | Outcome::Crash | Outcome::Hang => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_type(result.outcome.name()).set_message(text.as_str());
            status
        }
        Outcome::Known | Outcome::Unsupported => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(text.as_str());
            status
        }
    };
    let mut case = TestCase::new(result.id.as_str(), status);
    if result.outcome == Outcome::Observed {
        case.set_system_out(format!("observed: {}", result.reply.name()));
    }
    case
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_is_one_test_with_a_stable_name() {
        let mut report = Report::of_the_reference();
        let n = report.results.iter().position(|one| one.id == "publish/domain/upper-case").expect("a case");
        report.results[n].outcome = Outcome::Fail;
        report.results[n].text = "a <reason>\u{1b}".to_owned();
        report.results[0].outcome = Outcome::Observed;
        report.incidents.push("a line that is not a response".to_owned());
        let xml = write(&report);
        assert_eq!(xml.matches("<testcase ").count(), report.results.len() + 1);
        assert_eq!(xml.matches("<failure ").count(), 2);
        assert!(
            xml.contains("name=\"publish/domain/upper-case\"") && xml.contains("a &lt;reason&gt;"),
            "{xml}"
        );
        assert!(!xml.contains('\u{1b}') && xml.contains("observed: "));
    }
}

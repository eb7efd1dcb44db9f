//! Known failures of a program, each with its reason. A baseline cannot rot: an entry without a case, and one whose case
//! passes, is an objection.

use std::collections::BTreeSet;

use serde::Deserialize;
use toml::value::{Date, Datetime};

use super::{Outcome, Report};
use crate::all;

/// A baseline file, TOML:
///
/// ```toml
/// [[known]]
/// case = "publish/domain/upper-case"
/// reason = "ticket 12"
/// expires = 2027-01-31   # may be left out
/// ```
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    #[serde(default)]
    known: Vec<Known>,
    #[serde(skip)]
    file: String,
    /// The day of the run.
    #[serde(skip)]
    today: Option<Date>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    case: String,
    reason: String,
    expires: Option<Datetime>,
}

impl Baseline {
    /// Parses the text of the file `name` for a run on the day `today`.
    pub fn parse(name: &str, text: &str, today: Date) -> Result<Baseline, String> {
        let mut baseline: Baseline = toml::from_str(text).map_err(|e| format!("{name}: {e}"))?;
        name.clone_into(&mut baseline.file);
        baseline.today = Some(today);
        let mut seen = BTreeSet::new();
        for Known { case, reason, expires } in &baseline.known {
            let wrong = if reason.trim().is_empty() {
                "the reason is empty; write why the failure is accepted"
            } else if expires.is_some_and(|day| day.date.is_none() || day.time.is_some()) {
                "expires must be a date, such as 2027-01-31"
            } else if !seen.insert(case) {
                "it is listed twice"
            } else {
                continue;
            };
            return Err(format!("{name}: {case}: {wrong}"));
        }
        Ok(baseline)
    }

    /// Marks the known failures. In a run that is not of the whole collection, entries for cases that were not chosen
    /// are ignored.
    pub(super) fn apply(&self, report: &mut Report, is_whole: bool) {
        for Known { case, reason, expires } in &self.known {
            let is_expired = |day: Date| self.today.is_some_and(|today| day < today);
            let objection = match report.results.iter_mut().find(|result| result.id == *case) {
                None if !all().iter().any(|each| each.id == *case) => "no case has this id".to_owned(),
                None if is_whole => "this case did not run".to_owned(),
                None => continue,
                Some(_) if expires.and_then(|day| day.date).is_some_and(is_expired) => {
                    "the entry has expired".to_owned()
                }
                Some(result) if result.outcome.is_red() => {
                    result.outcome = Outcome::Known;
                    result.text = format!("{} (known: {reason})", result.text);
                    continue;
                }
                Some(result) => format!(
                    "the baseline expects a failure, but the case is {}; remove the entry",
                    result.outcome
                ),
            };
            report.objections.push(format!("{}: {case}: {objection}", self.file));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{CaseResult, Reply};

    const ID: &str = "publish/domain/upper-case";

    fn applied(text: &str, outcome: Outcome) -> Report {
        let day: Datetime = "2027-02-01".parse().expect("a date");
        let baseline = Baseline::parse("b.toml", text, day.date.expect("a date")).expect("a baseline");
        let result = |id: &str, outcome| CaseResult {
            id: id.to_owned(),
            op: "domain.canonical".to_owned(),
            outcome,
            reply: Reply::Accepted,
            text: "t".to_owned(),
            counted: "",
        };
        let results = vec![result("publish/domain/plain", Outcome::Pass), result(ID, outcome)];
        let mut report = Report { results, ..Report::default() };
        baseline.apply(&mut report, false);
        report
    }

    fn entry(id: &str, more: &str) -> String {
        format!("[[known]]\ncase = {id:?}\nreason = 'r'\n{more}")
    }

    #[test]
    fn listed_failure_does_not_count_and_is_named_in_the_result() {
        let report = applied(&entry(ID, ""), Outcome::Fail);
        assert!(
            report.agrees() && report.result().ends_with(", with 1 known failure"),
            "{}",
            report.result()
        );
        assert!(!applied("", Outcome::Fail).agrees());
    }

    #[test]
    fn entry_that_is_not_needed_is_an_objection() {
        for (text, outcome, objection) in [
            (entry(ID, ""), Outcome::Pass, "but the case is pass"),
            (entry("publish/domain/none", ""), Outcome::Pass, "no case has this id"),
            (entry(ID, "expires = 2027-01-31\n"), Outcome::Fail, "has expired"),
        ] {
            let report = applied(&text, outcome);
            assert!(!report.agrees());
            let [found] = report.objections.as_slice() else { panic!("{:?}", report.objections) };
            assert!(found.contains(objection), "{found}");
        }
        // The case was not chosen.
        assert_eq!(applied(&entry("publish/domain/label-63", ""), Outcome::Pass).objections, [""; 0]);
    }

    #[test]
    fn malformed_entry_is_an_error() {
        let day: Datetime = "2027-02-01".parse().expect("a date");
        for text in ["[[known]]\ncase = 'a'\nreason = ' '\n", "[[known]]\ncase = 'a'\n", "x = 1\n"] {
            assert!(Baseline::parse("b.toml", text, day.date.expect("a date")).is_err(), "{text}");
        }
        let twice = entry(ID, "") + &entry(ID, "");
        assert!(Baseline::parse("b.toml", &twice, day.date.expect("a date")).is_err());
    }
}

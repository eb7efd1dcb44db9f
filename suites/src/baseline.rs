//! Baselines: failures that are known, each with its reason. A baseline cannot rot: an entry that has expired, that
//! matches nothing or whose check passes is an objection, and a run with an objection does not conform.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};
use toml::value::{Date, Datetime};

use crate::check;
use crate::verdict::{Run, Verdict};

/// A baseline file, TOML: a list of `[[known]]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    #[serde(default)]
    known: Vec<Known>,
    #[serde(skip)]
    file: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    /// Whatever names the failure elsewhere, such as a ticket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// The failing requirement.
    requirement: String,
    /// Why the failure is lived with.
    reason: String,
    /// The last day on which it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires: Option<Datetime>,
}

impl Baseline {
    /// Reads a baseline; an error names the file and the place.
    pub fn load(path: &Path) -> Result<Baseline, String> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        Baseline::parse(&text, &path.display().to_string())
    }

    /// Reads a baseline's text; `file` is its name in errors.
    pub fn parse(text: &str, file: &str) -> Result<Baseline, String> {
        let mut baseline: Baseline = toml::from_str(text).map_err(|e| format!("{file}: {e}"))?;
        file.clone_into(&mut baseline.file);
        let mut seen = BTreeSet::new();
        for known in &baseline.known {
            let id = &known.requirement;
            if known.reason.trim().is_empty() {
                return Err(format!("{file}: {id} has no reason"));
            }
            if known.expires.is_some_and(|day| day.date.is_none() || day.time.is_some()) {
                return Err(format!("{file}: {id}: expires is a day, such as 2027-01-31"));
            }
            if !seen.insert(id) {
                return Err(format!("{file}: {id} stands there twice"));
            }
        }
        Ok(baseline)
    }

    /// Takes over what others say of checks that it says nothing of.
    pub fn add<'b>(&mut self, others: impl Iterator<Item = &'b Baseline>) {
        for known in others.flat_map(|other| &other.known) {
            if !self.known.iter().any(|own| own.requirement == known.requirement) {
                self.known.push(known.clone());
            }
        }
    }

    /// Applies it to a run on the day `today`. Entries for checks that exist and were not selected say nothing of a
    /// run that is not `whole`: one shard of several, or filtered.
    pub fn apply(&self, run: &mut Run, today: Date, whole: bool) {
        for known in &self.known {
            let name = known.name();
            let Some(outcome) =
                run.outcomes.iter_mut().find(|outcome| outcome.requirement.to_string() == known.requirement)
            else {
                let exists =
                    check::all().iter().any(|check| check.requirement.to_string() == known.requirement);
                if !exists {
                    run.objections.push(format!("{}: {name}: there is no such check", self.file));
                } else if whole && !run.is_partial {
                    run.objections.push(format!("{}: {name}: no check of this run covers it", self.file));
                }
                continue;
            };
            if let Some(day) = known.expires.and_then(|day| day.date).filter(|day| *day < today) {
                run.objections.push(format!("{}: {name} expired on {day}", self.file));
                continue;
            }
            match outcome.verdict {
                Verdict::Fail | Verdict::Warn | Verdict::Inconclusive | Verdict::Unstable => {
                    outcome.verdict = Verdict::KnownFailure;
                    outcome.reason = format!("{} (known: {})", outcome.reason, known.reason);
                }
                // It was applied before, to a part.
                Verdict::KnownFailure | Verdict::UnexpectedPass => {}
                Verdict::Pass => {
                    outcome.verdict = Verdict::UnexpectedPass;
                    outcome.reason = format!("the baseline expects a failure: {}", known.reason);
                }
                other => run.objections.push(format!(
                    "{}: {name}: the baseline expects a failure, the check is {}",
                    self.file,
                    other.name()
                )),
            }
        }
    }

    /// The baseline of a run: an entry for each check that does not conform. What `self` says of those stays, and what
    /// it says of checks that did not run.
    #[must_use]
    pub fn renewed(&self, run: &Run) -> Baseline {
        let entry = |outcome: &crate::verdict::Outcome| {
            let id = outcome.requirement.to_string();
            let kept = self.known.iter().find(|known| known.requirement == id).cloned();
            kept.unwrap_or_else(|| Known {
                id: None,
                requirement: id,
                reason: format!("recorded, not judged: {}", outcome.reason),
                expires: None,
            })
        };
        let lived_with = |verdict: Verdict| {
            matches!(
                verdict,
                Verdict::Fail
                    | Verdict::Warn
                    | Verdict::Inconclusive
                    | Verdict::Unstable
                    | Verdict::KnownFailure
            )
        };
        let is_settled = |known: &Known| {
            let mut outcomes = run.outcomes.iter();
            let ran = outcomes.find(|outcome| outcome.requirement.to_string() == known.requirement);
            ran.is_some_and(|outcome| outcome.verdict != Verdict::Error)
        };
        let mut known: Vec<Known> =
            run.outcomes.iter().filter(|outcome| lived_with(outcome.verdict)).map(entry).collect();
        known.extend(self.known.iter().filter(|known| !is_settled(known)).cloned());
        Baseline { known, file: self.file.clone() }
    }

    /// How many failures it knows.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether it knows none.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The baseline as TOML.
    pub fn to_toml(&self) -> String {
        if self.is_empty() {
            return "known = []\n".to_owned();
        }
        toml::to_string(self).expect("texts and days have a TOML form")
    }
}

impl Known {
    fn name(&self) -> String {
        match &self.id {
            Some(id) => format!("{} ({id})", self.requirement),
            None => self.requirement.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Outcome;

    fn day(text: &str) -> Date {
        text.parse::<Datetime>().ok().and_then(|day| day.date).expect("a day")
    }

    /// A run of the first checks with these verdicts.
    fn run(verdicts: &[Verdict]) -> Run {
        let outcome = |(check, verdict): (&'static check::Check, &Verdict)| {
            Outcome::new(check.requirement, check.fact, *verdict, "why".into())
        };
        Run { outcomes: check::all().into_iter().zip(verdicts).map(outcome).collect(), ..Run::default() }
    }

    fn id(n: usize) -> String {
        check::all()[n].requirement.to_string()
    }

    fn known(n: usize, more: &str) -> String {
        format!("[[known]]\nrequirement = \"{}\"\nreason = \"it is so\"\n{more}\n", id(n))
    }

    fn applied(text: &str, verdicts: &[Verdict], whole: bool) -> (Vec<Verdict>, Vec<String>, u8) {
        let mut run = run(verdicts);
        Baseline::parse(text, "b.toml").unwrap().apply(&mut run, day("2026-11-22"), whole);
        let verdicts = run.outcomes.iter().map(|outcome| outcome.verdict).collect();
        (verdicts, run.objections.clone(), run.exit_code())
    }

    #[test]
    fn a_known_failure_is_lived_with_until_its_last_day() {
        use Verdict::{Fail, KnownFailure, Pass};
        for day in ["2026-11-22", "2026-11-23"] {
            let text = known(0, &format!("expires = {day}"));
            assert_eq!(applied(&text, &[Fail, Pass], true), (vec![KnownFailure, Pass], vec![], 0));
        }
        let (verdicts, objections, code) = applied(&known(0, "expires = 2026-11-21"), &[Fail, Pass], true);
        assert_eq!((verdicts, code), (vec![Fail, Pass], 1));
        assert_eq!(objections, [format!("b.toml: {} expired on 2026-11-21", id(0))]);
        let past = known(0, "expires = 2026-11-21\nid = \"T-1\"");
        let (verdicts, objections, code) = applied(&past, &[Pass], true);
        assert_eq!((verdicts, code), (vec![Pass], 1), "an expired entry is stale whatever its check says");
        assert_eq!(objections, [format!("b.toml: {} (T-1) expired on 2026-11-21", id(0))]);
    }

    #[test]
    fn an_entry_that_matches_nothing_is_an_objection() {
        use Verdict::{NotTestable, Pass};
        let (_, objections, code) = applied(&known(1, ""), &[Pass], true);
        assert_eq!((objections.len(), code), (1, 1), "{objections:?}");
        assert_eq!(applied(&known(1, ""), &[Pass], false), (vec![Pass], vec![], 0), "not selected");
        let misspelt = known(0, "").replace(&id(0), "gateway.no.such");
        let (_, objections, code) = applied(&misspelt, &[Pass], false);
        assert_eq!(
            (&objections[..], code),
            (&["b.toml: gateway.no.such: there is no such check".to_owned()][..], 1)
        );
        let (_, objections, code) = applied(&known(0, ""), &[NotTestable, Pass], true);
        assert!(objections[0].ends_with("the check is not-testable") && code == 1, "{objections:?}");
    }

    #[test]
    fn an_unexpected_pass_fails() {
        let (verdicts, _, code) = applied(&known(0, ""), &[Verdict::Pass], true);
        assert_eq!((verdicts, code), (vec![Verdict::UnexpectedPass], 1));
    }

    #[test]
    fn what_is_written_knows_what_failed_and_keeps_what_was_said() {
        use Verdict::{Fail, Inconclusive, KnownFailure, Pass};
        let old = Baseline::parse(&known(1, "expires = 2027-01-31"), "b.toml").unwrap();
        let new = old.renewed(&run(&[Pass, KnownFailure, Fail, Inconclusive]));
        let text = new.to_toml();
        assert_eq!(Baseline::parse(&text, "b.toml").unwrap(), new);
        assert!(text.contains("it is so") && text.contains("expires = 2027-01-31"), "{text}");
        let (verdicts, objections, code) = applied(&text, &[Pass, Fail, Fail, Inconclusive], true);
        assert_eq!(verdicts, [Pass, KnownFailure, KnownFailure, KnownFailure]);
        assert_eq!((objections, code), (vec![], 0));
        assert_eq!(Baseline::default().renewed(&run(&[Pass])).to_toml(), "known = []\n");
        assert!(Baseline::parse("known = []\n", "b").unwrap().is_empty());
    }

    #[test]
    fn what_is_no_baseline_is_refused() {
        for (text, why) in [
            ("[[known]]\nrequirement = \"a\"\nreason = \" \"\n", "b.toml: a has no reason"),
            ("[[known]]\nrequirement = \"a\"\nreason = \"x\"\nexpires = 10:00:00\n", "expires is a day"),
            ("[[known]]\nrequirement = \"a\"\nreason = \"x\"\nexpires = \"2027-01-01\"\n", "b.toml: "),
            ("[[known]]\nrequirement = \"a\"\n", "missing field `reason`"),
            ("[[known]]\nrequirment = \"a\"\nreason = \"x\"\n", "unknown field"),
        ] {
            let error = Baseline::parse(text, "b.toml").unwrap_err();
            assert!(error.contains(why), "{error}");
        }
        let twice = known(0, "").repeat(2);
        assert!(Baseline::parse(&twice, "b.toml").unwrap_err().contains("twice"));
    }
}

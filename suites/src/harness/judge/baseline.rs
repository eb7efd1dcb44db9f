//! Baselines: known failures, each with its reason. A baseline cannot rot: an entry that has expired or names no check is
//! an error before the run. An entry whose check did not run or passes makes the run not conform.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use assay_spec::names::did_you_mean;
use serde::{Deserialize, Serialize};
use toml::Spanned;
use toml::value::{Date, Datetime};
use url::Url;

use crate::harness::data::{Outcome, Reason, Run, Verdict, Why};
use crate::support::files;

/// A baseline file, TOML: a list of `[[known]]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Baseline {
    known: Vec<Known>,
    #[serde(skip)]
    file: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Known {
    /// An external name of the failure, such as a ticket.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// The failing requirement.
    requirement: String,
    /// Why the failure is accepted.
    reason: String,
    /// Who repairs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
    /// Where it is tracked.
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<String>,
    /// The last day on which it is accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<Datetime>,
    /// Its line in the file; 0 if it is new.
    #[serde(skip)]
    line: usize,
}

/// A baseline as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    known: Vec<Spanned<Entry>>,
}

/// An entry as it is written. What is missing is an error with the entry's line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: Option<String>,
    requirement: Option<String>,
    reason: Option<String>,
    owner: Option<String>,
    link: Option<String>,
    expires: Option<toml::Value>,
}

impl Entry {
    fn read(self) -> Result<Known, String> {
        let Entry { id, requirement, reason, owner, link, expires } = self;
        let requirement = requirement.ok_or("the entry needs a requirement: write the id of its check")?;
        let reason = reason.filter(|reason| !reason.trim().is_empty());
        let reason = reason.ok_or_else(|| {
            format!("the entry {requirement} needs a reason: write why the failure is accepted")
        })?;
        let day = expires
            .map(|day| day.as_datetime().copied().filter(|day| day.date.is_some() && day.time.is_none()));
        let expires = day.map(|day| {
            day.ok_or_else(|| {
                format!("{requirement}: expires must be a date without quotes, such as 2027-01-31")
            })
        });
        let is_web = |link: &str| Url::parse(link).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        if let Some(link) = link.as_deref().filter(|link| !is_web(link)) {
            return Err(format!("{requirement}: link must be an http or https URL, not {link:?}"));
        }
        Ok(Known { id, requirement, reason, owner, link, expires: expires.transpose()?, line: 0 })
    }
}

impl Baseline {
    /// Reads a baseline; an error names the file and the position.
    pub fn load(path: &Path) -> Result<Baseline, String> {
        let text =
            files::read_text(path, "a baseline", files::CONFIGURATION_BYTES).map_err(|e| e.to_string())?;
        Baseline::parse(&text, &path.display().to_string())
    }

    /// Parses a baseline; `file` is its name in errors.
    pub fn parse(text: &str, file: &str) -> Result<Baseline, String> {
        let line_of =
            |span: Range<usize>| text.get(..span.start).unwrap_or_default().matches('\n').count() + 1;
        let wrong = |line: usize, why: &str| format!("{file}:{line}: {why}");
        let written: Written =
            toml::from_str(text).map_err(|e| wrong(line_of(e.span().unwrap_or_default()), e.message()))?;
        let mut baseline = Baseline { known: Vec::new(), file: file.to_owned() };
        for entry in written.known {
            let line = line_of(entry.span());
            let known = entry.into_inner().read().map_err(|why| wrong(line, &why))?;
            if baseline.known.iter().any(|other| other.requirement == known.requirement) {
                return Err(wrong(line, &format!("{} is listed twice", known.requirement)));
            }
            baseline.known.push(Known { line, ..known });
        }
        Ok(baseline)
    }

    /// What is wrong with each entry that names none of these checks or has expired on the day `today`.
    pub fn stale(&self, checks: &BTreeSet<String>, today: Date) -> Vec<String> {
        let wrong = |known: &Known| {
            let place = format!("{}:{}", self.file, known.line);
            let id = &known.requirement;
            if !checks.contains(id) {
                let near = did_you_mean(id, checks.iter().map(String::as_str));
                let near = if near.is_empty() { "; correct or remove the entry" } else { &near };
                return Some(format!("{place}: no check has the id {id}{near}"));
            }
            let day = known.expires.and_then(|day| day.date).filter(|day| *day < today)?;
            let name = known.name();
            Some(format!("{place}: {name} expired on {day}; remove the entry or give it another date"))
        };
        self.known.iter().filter_map(wrong).collect()
    }

    /// Adds the entries of others for checks that it has no entry for.
    pub fn add<'b>(&mut self, others: impl Iterator<Item = &'b Baseline>) {
        for known in others.flat_map(|other| &other.known) {
            if !self.known.iter().any(|own| own.requirement == known.requirement) {
                self.known.push(known.clone());
            }
        }
    }

    /// Applies it to a run. In a run that is not `whole` (a shard, or filtered), entries for checks that did not run are
    /// ignored.
    pub fn apply(&self, run: &mut Run, whole: bool) {
        for known in &self.known {
            let name = known.name();
            let Some(outcome) =
                run.outcomes.iter_mut().find(|outcome| outcome.requirement.to_string() == known.requirement)
            else {
                if whole && !run.is_partial {
                    run.objections.push(format!("{}: {name}: this check did not run", self.file));
                }
                continue;
            };
            match outcome.verdict {
                Verdict::Fail | Verdict::Warn | Verdict::Inconclusive | Verdict::Unstable => {
                    outcome.verdict = Verdict::KnownFailure;
                    outcome.reason.known = Some(known.words());
                }
                // The baseline was already applied to a part of the run.
                Verdict::KnownFailure | Verdict::UnexpectedPass => {}
                Verdict::Pass => {
                    outcome.verdict = Verdict::UnexpectedPass;
                    outcome.reason = Reason::new(Why::UnexpectedPass, &known.reason);
                }
                other => run.objections.push(format!(
                    "{}: {name}: the baseline expects a failure, but the check is {}; remove the entry if it is fixed",
                    self.file,
                    other.name()
                )),
            }
        }
    }

    /// The baseline of a run: an entry for each check that does not conform. Existing entries for these checks, and for
    /// checks that did not run, are kept. `words` makes the reason of a new entry.
    #[must_use]
    pub fn renewed(&self, run: &Run, words: impl Fn(&Outcome) -> String) -> Baseline {
        let entry = |outcome: &Outcome| {
            let id = outcome.requirement.to_string();
            let kept = self.known.iter().find(|known| known.requirement == id).cloned();
            kept.unwrap_or_else(|| Known {
                id: None,
                requirement: id,
                reason: format!("recorded without review: {}", words(outcome)),
                owner: None,
                link: None,
                expires: None,
                line: 0,
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

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether it has no entries.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The baseline as TOML.
    pub fn to_toml(&self) -> String {
        if self.is_empty() {
            return "known = []\n".to_owned();
        }
        toml::to_string(self).expect("strings and dates can be written as TOML")
    }
}

impl Known {
    /// The reason, with the owner and the link.
    fn words(&self) -> String {
        let notes: Vec<&str> = [&self.owner, &self.link].into_iter().filter_map(Option::as_deref).collect();
        if notes.is_empty() { self.reason.clone() } else { format!("{} ({})", self.reason, notes.join(", ")) }
    }

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
    use crate::harness::check::Check;
    use crate::services;
    use crate::services::SUITES;

    fn day(text: &str) -> Date {
        text.parse::<Datetime>().ok().and_then(|day| day.date).expect("a date")
    }

    /// A run of the first checks with these verdicts.
    fn run(verdicts: &[Verdict]) -> Run {
        let outcome = |(check, verdict): (&'static Check, &Verdict)| {
            Outcome::new(check.requirement, check.fact, *verdict, "why")
        };
        Run {
            outcomes: services::checks().into_iter().zip(verdicts).map(outcome).collect(),
            ..Run::new(SUITES)
        }
    }

    fn id(n: usize) -> String {
        services::checks()[n].requirement.to_string()
    }

    fn known(n: usize, more: &str) -> String {
        format!("[[known]]\nrequirement = \"{}\"\nreason = \"it is so\"\n{more}\n", id(n))
    }

    fn applied(text: &str, verdicts: &[Verdict], whole: bool) -> (Vec<Verdict>, Vec<String>, u8) {
        let mut run = run(verdicts);
        Baseline::parse(text, "b.toml").unwrap().apply(&mut run, whole);
        let verdicts = run.outcomes.iter().map(|outcome| outcome.verdict).collect();
        (verdicts, run.objections.clone(), run.exit_code())
    }

    #[test]
    fn a_known_failure_is_accepted_until_its_last_day() {
        use Verdict::{Fail, KnownFailure, Pass};
        let checks = BTreeSet::from([id(0)]);
        let stale = |text: &str| Baseline::parse(text, "b.toml").unwrap().stale(&checks, day("2026-11-22"));
        for day in ["2026-11-22", "2026-11-23"] {
            let text = known(0, &format!("expires = {day}"));
            assert_eq!(stale(&text), [""; 0]);
            assert_eq!(applied(&text, &[Fail, Pass], true), (vec![KnownFailure, Pass], vec![], 0));
        }
        let past = stale(&known(0, "expires = 2026-11-21\nid = \"T-1\""));
        let wanted = "(T-1) expired on 2026-11-21; remove the entry or give it another date";
        assert_eq!(past, [format!("b.toml:1: {} {wanted}", id(0))]);
        let misspelt = stale(&format!("\n{}", known(0, "").replace(&id(0), &format!("{}d", id(0)))));
        assert_eq!(misspelt, [format!("b.toml:2: no check has the id {0}d; did you mean {0}?", id(0))]);
    }

    #[test]
    fn an_entry_that_matches_nothing_is_an_objection() {
        use Verdict::{NotTestable, Pass};
        let (_, objections, code) = applied(&known(1, ""), &[Pass], true);
        assert_eq!((objections.len(), code), (1, 1), "{objections:?}");
        assert_eq!(applied(&known(1, ""), &[Pass], false), (vec![Pass], vec![], 0), "not selected");
        let (_, objections, code) = applied(&known(0, ""), &[NotTestable, Pass], true);
        assert!(objections[0].contains("the check is not-testable") && code == 1, "{objections:?}");
    }

    #[test]
    fn an_unexpected_pass_fails() {
        let (verdicts, _, code) = applied(&known(0, ""), &[Verdict::Pass], true);
        assert_eq!((verdicts, code), (vec![Verdict::UnexpectedPass], 1));
    }

    #[test]
    fn a_written_baseline_has_the_failures_and_keeps_existing_entries() {
        use Verdict::{Fail, Inconclusive, KnownFailure, Pass};
        let old = Baseline::parse(&known(1, "expires = 2027-01-31"), "b.toml").unwrap();
        let new = old.renewed(&run(&[Pass, KnownFailure, Fail, Inconclusive]), |_| "why".to_owned());
        let text = new.to_toml();
        let again = Baseline::parse(&text, "b.toml").unwrap();
        assert_eq!(again.to_toml(), text);
        assert!(text.contains("it is so") && text.contains("expires = 2027-01-31"), "{text}");
        let (verdicts, objections, code) = applied(&text, &[Pass, Fail, Fail, Inconclusive], true);
        assert_eq!(verdicts, [Pass, KnownFailure, KnownFailure, KnownFailure]);
        assert_eq!((objections, code), (vec![], 0));
        assert_eq!(Baseline::default().renewed(&run(&[Pass]), |_| String::new()).to_toml(), "known = []\n");
        assert!(Baseline::parse("known = []\n", "b").unwrap().is_empty());
    }

    #[test]
    fn the_owner_and_the_link_are_a_part_of_the_reason() {
        let text = known(0, "owner = \"payments\"\nlink = \"https://bugs.example/17\"");
        let mut run = run(&[Verdict::Fail]);
        let baseline = Baseline::parse(&text, "b.toml").unwrap();
        baseline.apply(&mut run, true);
        let wanted = "it is so (payments, https://bugs.example/17)";
        assert_eq!(run.outcomes[0].reason.known.as_deref(), Some(wanted));
        assert_eq!(baseline.to_toml(), Baseline::parse(&baseline.to_toml(), "b.toml").unwrap().to_toml());
        assert!(baseline.to_toml().contains("link = \"https://bugs.example/17\""));
    }

    #[test]
    fn invalid_baselines_are_rejected() {
        for (text, why) in [
            ("\n[[known]]\nrequirement = \"a\"\nreason = \" \"\n", "b.toml:2: the entry a needs a reason: "),
            (
                "[[known]]\nrequirement = \"a\"\nreason = \"x\"\nexpires = 10:00:00\n",
                "expires must be a date",
            ),
            (
                "[[known]]\nrequirement = \"a\"\nreason = \"x\"\nexpires = \"2027-01-01\"\n",
                "b.toml:1: a: expires must be a date without quotes",
            ),
            (
                "[[known]]\nrequirement = \"a\"\nreason = \"x\"\nlink = \"javascript:1\"\n",
                "b.toml:1: a: link must be an http or https URL, not \"javascript:1\"",
            ),
            ("[[known]]\nrequirement = \"a\"\n", "b.toml:1: the entry a needs a reason: "),
            ("[[known]]\nreason = \"a\"\n", "b.toml:1: the entry needs a requirement: "),
            ("[[known]]\nrequirment = \"a\"\nreason = \"x\"\n", "b.toml:2: unknown field"),
        ] {
            let error = Baseline::parse(text, "b.toml").unwrap_err();
            assert!(error.contains(why), "{error}");
        }
        let twice = known(0, "").repeat(2);
        assert!(Baseline::parse(&twice, "b.toml").unwrap_err().contains("twice"));
    }
}

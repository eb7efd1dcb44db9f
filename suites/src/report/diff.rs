//! Compares two reports: regressions, fixes, new checks.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Value, json};

use crate::harness::data::{Outcome, Run, Verdict};
use crate::report::words;
use crate::services;

/// The verdicts of one report, by id and fact.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdicts {
    by_fact: BTreeMap<(String, String), (Verdict, String)>,
    /// Not every check ran.
    is_partial: bool,
}

/// One check in both reports; `None` if a report does not contain it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The check.
    pub id: String,
    /// The verdict before.
    pub old: Option<Verdict>,
    /// The verdict now.
    pub new: Option<Verdict>,
    /// The reason of the new verdict.
    pub reason: String,
}

/// The changes between two reports, by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// It conformed or was absent, and does not conform or is not tested now.
    pub regressions: Vec<Change>,
    /// It did not conform and passes now.
    pub fixes: Vec<Change>,
    /// New checks, with any verdict.
    pub new: Vec<Change>,
    /// Removed checks.
    pub gone: Vec<Change>,
    /// It gave a result and gives none now, or the other way round.
    pub other: Vec<Change>,
    /// The number of checks that do not conform in either report.
    pub still_bad: usize,
    /// The later report is of a whole run with at least one check.
    pub is_whole: bool,
}

impl Verdicts {
    /// The verdicts of a run.
    pub fn from_run(run: &Run) -> Verdicts {
        let entry = |one: &Outcome| {
            ((one.requirement.to_string(), one.fact.to_owned()), (one.verdict, words::reason(one)))
        };
        Verdicts { by_fact: run.outcomes.iter().map(entry).collect(), is_partial: run.is_partial }
    }

    /// The verdicts of a report of any version. An error names the member.
    pub fn read(text: &str) -> Result<Verdicts, String> {
        let report: Value =
            serde_json::from_str(text).map_err(|e| format!("not a report of assay run --json: {e}"))?;
        let outcomes = report["outcomes"]
            .as_array()
            .ok_or("not a report of assay run --json: the member `outcomes` is missing")?;
        // Version 3 renamed the facts of most checks. A requirement has one check, so its id finds the new name.
        let is_renamed = report["version"].as_u64().is_some_and(|version| version < 3);
        let checks: BTreeMap<String, &str> =
            services::checks().into_iter().map(|check| (check.requirement.to_string(), check.fact)).collect();
        let entry = |(n, one): (usize, &Value)| {
            let text = |member: &str| {
                one[member].as_str().map(str::to_owned).ok_or(format!("outcomes[{n}].{member}: not a string"))
            };
            let name = text("verdict")?;
            let verdict =
                Verdict::named(&name).ok_or(format!("outcomes[{n}].verdict: not a verdict: {name:?}"))?;
            let (id, fact) = (text("id")?, text("fact")?);
            let fact = if is_renamed { checks.get(&id).map_or(fact, |&fact| fact.to_owned()) } else { fact };
            Ok::<_, String>(((id, fact), (verdict, text("reason")?)))
        };
        let mut by_fact = BTreeMap::new();
        for outcome in outcomes.iter().enumerate().map(entry) {
            let (key, known) = outcome?;
            let id = key.0.clone();
            if by_fact.insert(key, known).is_some() {
                return Err(format!("outcomes: {id} is listed twice"));
            }
        }
        Ok(Verdicts { by_fact, is_partial: report["is_partial"] == true })
    }

    /// Whether a check failed.
    pub fn failed(&self, id: &str, fact: &str) -> bool {
        let known = self.by_fact.get(&(id.to_owned(), fact.to_owned()));
        known.is_some_and(|(verdict, _)| {
            matches!(
                verdict,
                Verdict::Fail | Verdict::Unstable | Verdict::Inconclusive | Verdict::KnownFailure
            )
        })
    }
}

/// Compares two reports.
pub fn diff(old: &Verdicts, new: &Verdicts) -> Diff {
    let is_whole = !new.is_partial && !new.by_fact.is_empty();
    let mut diff = Diff { is_whole, ..Diff::default() };
    let keys: std::collections::BTreeSet<_> = old.by_fact.keys().chain(new.by_fact.keys()).collect();
    for key in keys {
        let (before, now) = (old.by_fact.get(key), new.by_fact.get(key));
        let change = || Change {
            id: key.0.clone(),
            old: before.map(|(verdict, _)| *verdict),
            new: now.map(|(verdict, _)| *verdict),
            reason: now.map(|(_, reason)| reason.clone()).unwrap_or_default(),
        };
        match (before.map(|(verdict, _)| *verdict), now.map(|(verdict, _)| *verdict)) {
            (Some(_), None) => diff.gone.push(change()),
            (None, Some(verdict)) => {
                diff.new.push(change());
                if is_bad(verdict) {
                    diff.regressions.push(change());
                }
            }
            // An error of the harness is not a result of the check.
            (Some(Verdict::Error), Some(now)) if now.is_bad() => diff.regressions.push(change()),
            (Some(before), Some(now)) if is_bad(before) && is_bad(now) => diff.still_bad += 1,
            (Some(before), Some(now)) if !is_bad(before) && is_bad(now) => diff.regressions.push(change()),
            // A check that is no longer tested hides what it found before.
            (Some(Verdict::Pass | Verdict::Warn), Some(Verdict::NotTestable)) => {
                diff.regressions.push(change());
            }
            (Some(before), Some(Verdict::Pass)) if is_bad(before) => diff.fixes.push(change()),
            (Some(before), Some(now)) if before != now => diff.other.push(change()),
            _ => {}
        }
    }
    diff
}

const fn is_bad(verdict: Verdict) -> bool {
    verdict.is_bad() || matches!(verdict, Verdict::Error | Verdict::KnownFailure)
}

/// Marks failures that an earlier report also has as known, so that only new ones count. An unexpected pass is not
/// forgiven.
pub fn forgive(run: &mut Run, old: &Verdicts, name: &str) {
    for outcome in &mut run.outcomes {
        let id = outcome.requirement.to_string();
        let is_failure = outcome.verdict.is_bad() && outcome.verdict != Verdict::UnexpectedPass;
        if is_failure && old.failed(&id, outcome.fact) {
            outcome.verdict = Verdict::KnownFailure;
            outcome.reason.known = Some(format!("as in {name}"));
        }
    }
}

impl Diff {
    /// Whether the later report is whole and nothing got worse.
    pub fn holds(&self) -> bool {
        self.is_whole && self.regressions.is_empty()
    }

    /// The changes by kind, with the name of each.
    pub fn kinds(&self) -> [(&'static str, &[Change]); 5] {
        [
            ("regressions", &self.regressions),
            ("fixes", &self.fixes),
            ("new checks", &self.new),
            ("removed checks", &self.gone),
            ("other changes", &self.other),
        ]
    }

    /// The changes as text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (kind, changes) in self.kinds().iter().filter(|(_, changes)| !changes.is_empty()) {
            let _ = writeln!(out, "{kind} ({})", changes.len());
            for Change { id, old, new, reason } in *changes {
                let name = |verdict: &Option<Verdict>| verdict.map_or("absent", Verdict::name);
                let why = if reason.is_empty() { String::new() } else { format!("  {reason}") };
                let line = format!("  {id}  {} -> {}{why}", name(old), name(new));
                let _ = writeln!(out, "{}", crate::support::prose::one_line(line.as_bytes()));
            }
        }
        let counts: Vec<String> =
            self.kinds().iter().map(|(kind, changes)| format!("{} {kind}", changes.len())).collect();
        let end = match (self.is_whole, self.regressions.is_empty()) {
            (_, false) => "something got worse",
            (false, true) => "the later report is incomplete",
            (true, true) => "nothing got worse",
        };
        let _ = writeln!(out, "{}, {} bad in both - {end}", counts.join(", "), self.still_bad);
        out
    }

    /// The changes as JSON.
    pub fn json(&self) -> Value {
        let rows = |changes: &[Change]| -> Value {
            let row = |one: &Change| {
                let name = |verdict: Option<Verdict>| verdict.map(Verdict::name);
                json!({ "id": one.id, "old": name(one.old), "new": name(one.new), "reason": one.reason })
            };
            changes.iter().map(row).collect()
        };
        json!({
            "version": 1,
            "holds": self.holds(),
            "regressions": rows(&self.regressions),
            "fixes": rows(&self.fixes),
            "new": rows(&self.new),
            "gone": rows(&self.gone),
            "other": rows(&self.other),
            "bad_in_both": self.still_bad,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::services::SUITES;

    fn verdicts(all: &[(&str, Verdict)]) -> Verdicts {
        let entry = |(id, verdict): &(&str, Verdict)| {
            (((*id).to_owned(), "it_does".to_owned()), (*verdict, format!("why {}", verdict.name())))
        };
        Verdicts { by_fact: all.iter().map(entry).collect(), is_partial: false }
    }

    #[test]
    fn every_change_has_its_kind() {
        use Verdict::{Error, Fail, Inconclusive, NotTestable, Pass, Unstable};
        let old = [
            ("a", Pass),
            ("b", Fail),
            ("c", Fail),
            ("d", Pass),
            ("e", Pass),
            ("g", Pass),
            ("h", NotTestable),
            ("j", NotTestable),
        ];
        let new = [
            ("a", Fail),
            ("b", Pass),
            ("c", Inconclusive),
            ("d", Pass),
            ("f", Error),
            ("g", NotTestable),
            ("h", Unstable),
            ("i", Pass),
            ("j", Pass),
        ];
        let diff = diff(&verdicts(&old), &verdicts(&new));
        insta::assert_snapshot!(diff.text(), @r"
        regressions (4)
          a  pass -> fail  why fail
          f  absent -> error  why error
          g  pass -> not-testable  why not-testable
          h  not-testable -> unstable  why unstable
        fixes (1)
          b  fail -> pass  why pass
        new checks (2)
          f  absent -> error  why error
          i  absent -> pass  why pass
        removed checks (1)
          e  pass -> absent
        other changes (1)
          j  not-testable -> pass  why pass
        4 regressions, 1 fixes, 2 new checks, 1 removed checks, 1 other changes, 1 bad in both - something got worse
        ");
        assert!(!diff.holds());
        assert_eq!(diff.json()["regressions"][1]["old"], Value::Null);
        let same = super::diff(&verdicts(&old), &verdicts(&old));
        assert!(same.holds() && same.still_bad == 2);
        let none = super::diff(&verdicts(&old), &verdicts(&[]));
        assert!(
            !none.holds() && none.text().ends_with("the later report is incomplete\n"),
            "{}",
            none.text()
        );
        let partial = Verdicts { is_partial: true, ..verdicts(&old) };
        assert!(!super::diff(&verdicts(&old), &partial).holds());
        let judged = super::diff(&verdicts(&[("a", Error)]), &verdicts(&[("a", Fail)]));
        assert_eq!(judged.regressions.len(), 1, "an error gave no result before");
    }

    #[test]
    fn only_failures_that_were_failures_are_forgiven() {
        use Verdict::{Error, Fail, Inconclusive, KnownFailure, Pass, UnexpectedPass, Unstable};
        let check = services::checks()[0];
        let outcome = |verdict| {
            crate::harness::data::Outcome::new(check.requirement, check.fact, verdict, "why".to_owned())
        };
        for (old, new, is_forgiven) in [
            (Some(Fail), Fail, true),
            (Some(KnownFailure), Fail, true),
            (Some(Inconclusive), Unstable, true),
            (Some(KnownFailure), UnexpectedPass, false),
            (Some(Error), Fail, false),
            (Some(Pass), Fail, false),
            (None, Fail, false),
        ] {
            let of = |verdict: Verdict| Run { outcomes: vec![outcome(verdict)], ..Run::new(SUITES) };
            let known = old.map_or_else(Verdicts::default, |verdict| Verdicts::from_run(&of(verdict)));
            let mut run = of(new);
            forgive(&mut run, &known, "old.json");
            assert_eq!(run.outcomes[0].verdict == KnownFailure, is_forgiven, "{old:?} {new:?}");
        }
    }

    #[test]
    fn renamed_facts_are_found_by_the_requirement() {
        let check = services::checks()[0];
        let id = check.requirement.to_string();
        for (version, fact) in [(2, check.fact), (3, "its_old_name")] {
            let outcome = json!({"id": id, "fact": "its_old_name", "verdict": "fail", "reason": ""});
            let report = json!({"version": version, "outcomes": [outcome]}).to_string();
            assert!(Verdicts::read(&report).unwrap().failed(&id, fact), "version {version}");
        }
    }

    #[test]
    fn verdicts_are_read_from_a_report_of_any_version() {
        let text = r#"{"version": 9, "outcomes": [{"id": "a", "fact": "it_does", "verdict": "fail", "reason": "why fail", "more": 1}]}"#;
        assert_eq!(Verdicts::read(text).unwrap(), verdicts(&[("a", Verdict::Fail)]));
        for (wrong, place) in [
            ("[]", "the member `outcomes` is missing"),
            (r#"{"outcomes": [{}]}"#, "outcomes[0].verdict: not a string"),
            (r#"{"outcomes": [{"verdict": "good"}]}"#, "not a verdict: \"good\""),
            (
                r#"{"outcomes": [{"id": "a", "fact": "f", "verdict": "fail", "reason": ""}, {"id": "a", "fact": "f", "verdict": "pass", "reason": ""}]}"#,
                "a is listed twice",
            ),
        ] {
            assert!(Verdicts::read(wrong).unwrap_err().contains(place));
        }
    }
}

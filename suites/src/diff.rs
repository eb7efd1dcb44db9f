//! Two reports side by side: what got worse, what got better, what is new.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Value, json};

use crate::verdict::{Run, Verdict};

/// What one report says of its checks, by id and fact.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdicts(BTreeMap<(String, String), (Verdict, String)>);

/// One check in both reports; `None` where a report lacks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The check.
    pub id: String,
    /// The verdict before.
    pub old: Option<Verdict>,
    /// The verdict now.
    pub new: Option<Verdict>,
    /// Why it is what it is now.
    pub reason: String,
}

/// The changes between two reports, by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// It conformed, or was not there, and does not conform.
    pub regressions: Vec<Change>,
    /// It did not conform and passes.
    pub fixes: Vec<Change>,
    /// Checks that are new, whatever they say.
    pub new: Vec<Change>,
    /// Checks that are gone.
    pub gone: Vec<Change>,
    /// It said something and says nothing now, or the other way round.
    pub other: Vec<Change>,
    /// How many do not conform in both.
    pub still_bad: usize,
}

impl Verdicts {
    /// The verdicts of a run.
    pub fn of(run: &Run) -> Verdicts {
        let entry = |one: &crate::verdict::Outcome| {
            ((one.requirement.to_string(), one.fact.to_owned()), (one.verdict, one.reason.clone()))
        };
        Verdicts(run.outcomes.iter().map(entry).collect())
    }

    /// The verdicts of a report, also of one that another version wrote. An error names the member.
    pub fn read(text: &str) -> Result<Verdicts, String> {
        let report: Value = serde_json::from_str(text).map_err(|e| format!("no report of a run: {e}"))?;
        let outcomes = report["outcomes"].as_array().ok_or("no report of a run: it has no `outcomes`")?;
        let entry = |(n, one): (usize, &Value)| {
            let text = |member: &str| {
                one[member].as_str().map(str::to_owned).ok_or(format!("outcomes[{n}].{member}: no text"))
            };
            let name = text("verdict")?;
            let verdict = Verdict::ALL.into_iter().find(|verdict| verdict.name() == name);
            let verdict = verdict.ok_or(format!("outcomes[{n}].verdict: no verdict: {name:?}"))?;
            Ok(((text("id")?, text("fact")?), (verdict, text("reason")?)))
        };
        outcomes.iter().enumerate().map(entry).collect::<Result<_, String>>().map(Verdicts)
    }

    /// Whether a check did not conform; `None` where it is not in the report.
    pub fn was_bad(&self, id: &str, fact: &str) -> Option<bool> {
        self.0.get(&(id.to_owned(), fact.to_owned())).map(|(verdict, _)| is_bad(*verdict))
    }
}

/// Compares two reports.
pub fn diff(old: &Verdicts, new: &Verdicts) -> Diff {
    let mut diff = Diff::default();
    let keys: std::collections::BTreeSet<_> = old.0.keys().chain(new.0.keys()).collect();
    for key in keys {
        let (before, now) = (old.0.get(key), new.0.get(key));
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
            (Some(before), Some(now)) if is_bad(before) && is_bad(now) => diff.still_bad += 1,
            (Some(before), Some(now)) if !is_bad(before) && is_bad(now) => diff.regressions.push(change()),
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

/// Failures that an earlier report has as well are known: only new ones count.
pub fn forgive(run: &mut Run, old: &Verdicts, name: &str) {
    for outcome in &mut run.outcomes {
        let id = outcome.requirement.to_string();
        if outcome.verdict.is_bad() && old.was_bad(&id, outcome.fact) == Some(true) {
            outcome.verdict = Verdict::KnownFailure;
            outcome.reason = format!("{} (as in {name})", outcome.reason);
        }
    }
}

impl Diff {
    /// Whether nothing got worse.
    pub fn holds(&self) -> bool {
        self.regressions.is_empty()
    }

    fn kinds(&self) -> [(&'static str, &[Change]); 5] {
        [
            ("regressions", &self.regressions),
            ("fixes", &self.fixes),
            ("new checks", &self.new),
            ("checks that are gone", &self.gone),
            ("other changes", &self.other),
        ]
    }

    /// The changes for people.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (kind, changes) in self.kinds().iter().filter(|(_, changes)| !changes.is_empty()) {
            let _ = writeln!(out, "{kind} ({})", changes.len());
            for Change { id, old, new, reason } in *changes {
                let name = |verdict: &Option<Verdict>| verdict.map_or("absent", Verdict::name);
                let why = if reason.is_empty() { String::new() } else { format!("  {reason}") };
                let line = format!("  {id}  {} -> {}{why}", name(old), name(new));
                let _ = writeln!(out, "{}", crate::report::one_line(line.as_bytes()));
            }
        }
        let counts: Vec<String> =
            self.kinds().iter().map(|(kind, changes)| format!("{} {kind}", changes.len())).collect();
        let end = if self.holds() { "nothing got worse" } else { "something got worse" };
        let _ = writeln!(out, "{}, {} bad in both - {end}", counts.join(", "), self.still_bad);
        out
    }

    /// The changes for programs.
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

    fn verdicts(all: &[(&str, Verdict)]) -> Verdicts {
        let entry = |(id, verdict): &(&str, Verdict)| {
            (((*id).to_owned(), "it_does".to_owned()), (*verdict, format!("why {}", verdict.name())))
        };
        Verdicts(all.iter().map(entry).collect())
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
        ];
        let diff = diff(&verdicts(&old), &verdicts(&new));
        insta::assert_snapshot!(diff.text(), @r"
        regressions (3)
          a  pass -> fail  why fail
          f  absent -> error  why error
          h  not-testable -> unstable  why unstable
        fixes (1)
          b  fail -> pass  why pass
        new checks (2)
          f  absent -> error  why error
          i  absent -> pass  why pass
        checks that are gone (1)
          e  pass -> absent
        other changes (1)
          g  pass -> not-testable  why not-testable
        3 regressions, 1 fixes, 2 new checks, 1 checks that are gone, 1 other changes, 1 bad in both - something got worse
        ");
        assert!(!diff.holds());
        assert_eq!(diff.json()["regressions"][1]["old"], Value::Null);
        let same = super::diff(&verdicts(&old), &verdicts(&old));
        assert!(same.holds() && same.still_bad == 2);
    }

    #[test]
    fn verdicts_are_read_from_a_report_of_any_version() {
        let text = r#"{"version": 9, "outcomes": [{"id": "a", "fact": "it_does", "verdict": "fail", "reason": "why fail", "more": 1}]}"#;
        assert_eq!(Verdicts::read(text).unwrap(), verdicts(&[("a", Verdict::Fail)]));
        for (wrong, place) in [
            ("[]", "it has no `outcomes`"),
            (r#"{"outcomes": [{}]}"#, "outcomes[0].verdict: no text"),
            (r#"{"outcomes": [{"verdict": "good"}]}"#, "no verdict: \"good\""),
        ] {
            assert!(Verdicts::read(wrong).unwrap_err().contains(place));
        }
    }
}

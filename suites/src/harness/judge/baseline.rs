//! Baselines: known failures. An entry is one cause: a failing check with a reason, the checks that fail in the same way, and
//! those that cannot be judged meanwhile. A baseline cannot rot: an entry that has expired or names no check is an error
//! before the run. An entry whose failing checks did not run or pass makes the run not conform.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use assay_spec::names::did_you_mean;
use serde::{Deserialize, Serialize};
use toml::Spanned;
use toml::value::{Date, Datetime};
use url::Url;

use crate::harness::data::{Outcome, Reason, Run, Verdict, Why};
use crate::harness::judge::cause::causes;
use crate::support::files;

/// A baseline file, TOML: a list of `[[known]]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Baseline {
    known: Vec<Known>,
    #[serde(skip)]
    file: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct Known {
    /// An external name of the failure, such as a ticket.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// The failing requirement that shows the cause.
    requirement: String,
    /// Requirements that fail in the same way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also: Vec<String>,
    /// Requirements whose checks cannot be judged because of it. They may be inconclusive, and may not fail.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rests: Vec<String>,
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
    #[serde(default)]
    also: Vec<String>,
    #[serde(default)]
    rests: Vec<String>,
    reason: Option<String>,
    owner: Option<String>,
    link: Option<String>,
    expires: Option<toml::Value>,
}

impl Entry {
    fn read(self) -> Result<Known, String> {
        let Entry { id, requirement, also, rests, reason, owner, link, expires } = self;
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
        Ok(Known {
            id,
            requirement,
            also,
            rests,
            reason,
            owner,
            link,
            expires: expires.transpose()?,
            line: 0,
        })
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
            let mut names = baseline.names();
            if let Some(again) = known.names().find(|name| !names.insert(name)) {
                return Err(wrong(line, &format!("{again} is listed twice")));
            }
            baseline.known.push(Known { line, ..known });
        }
        Ok(baseline)
    }

    /// What is wrong with each entry that names none of these checks or has expired on the day `today`.
    pub fn stale(&self, checks: &BTreeSet<String>, today: Date) -> Vec<String> {
        let wrong = |known: &Known| {
            let place = format!("{}:{}", self.file, known.line);
            if let Some(id) = known.names().find(|id| !checks.contains(*id)) {
                let near = did_you_mean(id, checks.iter().map(String::as_str));
                let near = if near.is_empty() { "; correct or remove the entry" } else { &near };
                return Some(format!("{place}: no check has the id {id}{near}"));
            }
            let day = known.expires.and_then(|day| day.date).filter(|day| *day < today)?;
            let name = known.name(&known.requirement);
            Some(format!("{place}: {name} expired on {day}; remove the entry or give it another date"))
        };
        self.known.iter().filter_map(wrong).collect()
    }

    /// Adds the entries of others for checks that it has no entry for.
    pub fn add<'b>(&mut self, others: impl Iterator<Item = &'b Baseline>) {
        for known in others.flat_map(|other| &other.known) {
            let names = self.names();
            let is_new = |name: &&String| !names.contains(name.as_str());
            if is_new(&&known.requirement) {
                let also = known.also.iter().filter(is_new).cloned().collect();
                let rests = known.rests.iter().filter(is_new).cloned().collect();
                self.known.push(Known { also, rests, ..known.clone() });
            }
        }
    }

    /// Applies it to a run. In a run that is not `whole` (a shard, or filtered), entries for checks that did not run are
    /// ignored.
    pub fn apply(&self, run: &mut Run, whole: bool) {
        for known in &self.known {
            for id in known.failing() {
                self.accept(known, id, run, whole);
            }
            for id in &known.rests {
                self.excuse(known, id, run);
            }
        }
    }

    /// Accepts the failure of a check. Anything else is wrong.
    fn accept(&self, known: &Known, id: &str, run: &mut Run, whole: bool) {
        let name = known.name(id);
        let Some(outcome) = outcome_of(run, id) else {
            if whole && !run.is_partial {
                run.objections.push(format!("{}: {name}: this check did not run", self.file));
            }
            return;
        };
        match outcome.verdict {
            verdict if is_lived_with(verdict) => known.mark(outcome),
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

    /// Accepts that a check is inconclusive, if it rests on a known failure. A failure is its own, unless what it rests on is
    /// not in this run, such as in a shard.
    fn excuse(&self, known: &Known, id: &str, run: &mut Run) {
        let is_alone = !known.failing().any(|id| outcome_of(run, id).is_some());
        let Some(outcome) = outcome_of(run, id) else { return };
        let is_resting = outcome.verdict == Verdict::Inconclusive
            && outcome.owner().is_some_and(|owner| self.names().contains(owner.to_string().as_str()));
        if is_resting || (is_alone && is_lived_with(outcome.verdict)) {
            known.mark(outcome);
        }
    }

    /// The baseline of a run: an entry for each cause. Existing entries keep their checks that still do not conform or did not
    /// run. `words` makes the reason of a new entry.
    #[must_use]
    pub fn renewed(&self, run: &Run, words: impl Fn(&Outcome) -> String) -> Baseline {
        let is_known = |verdict| is_lived_with(verdict) || verdict == Verdict::KnownFailure;
        let ran: BTreeMap<String, &Outcome> =
            run.outcomes.iter().map(|outcome| (outcome.requirement.to_string(), outcome)).collect();
        let is_open = |id: &String| {
            ran.get(id).is_none_or(|outcome| is_known(outcome.verdict) || outcome.verdict == Verdict::Error)
        };
        let mut known: Vec<Known> = self.known.iter().filter_map(|known| known.kept(is_open)).collect();
        let entry =
            |known: &[Known], id: &str| known.iter().position(|one| one.names().any(|name| name == id));
        for cause in causes(run) {
            let ids = || cause.outcomes.iter().map(|n| run.outcomes[*n].requirement.to_string());
            let first = cause.outcome(run);
            let owner = |id: &str| {
                let owner = ran[id].owner().filter(|_| first.requirement.to_string() != id)?;
                ids().find(|id| *id == owner.to_string())
            };
            let new = ids().filter(|id| is_known(ran[id].verdict) && entry(&known, id).is_none());
            let (rests, mut failing): (Vec<String>, Vec<String>) = new.partition(|id| owner(id).is_some());
            failing.sort_by_key(|id| *id != first.requirement.to_string());
            let new_entry = |requirement: String, also: Vec<String>| {
                let reason = format!("recorded without review: {}", words(ran[&requirement]));
                Known { requirement, also, reason, ..Known::default() }
            };
            let mut failing = failing.into_iter();
            known.extend(failing.next().map(|requirement| new_entry(requirement, failing.collect())));
            for id in rests {
                // What it rests on may rest on something, too.
                let mut others = owner(&id).into_iter().chain(ids()).filter(|other| *other != id);
                match others.find_map(|other| entry(&known, &other)) {
                    Some(at) => known[at].rests.push(id),
                    None => known.push(new_entry(id, Vec::new())),
                }
            }
        }
        Baseline { known, file: self.file.clone() }
    }

    /// The ids of all entries.
    fn names(&self) -> BTreeSet<&str> {
        self.known.iter().flat_map(Known::names).map(String::as_str).collect()
    }

    /// The number of checks in all entries.
    pub fn checks(&self) -> usize {
        self.names().len()
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
    /// The requirements that fail.
    fn failing(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.requirement).chain(&self.also)
    }

    /// All its requirements.
    fn names(&self) -> impl Iterator<Item = &String> {
        self.failing().chain(&self.rests)
    }

    /// The entry with those of its requirements that are still open: nothing, if none of them fails any longer.
    fn kept(&self, is_open: impl Fn(&String) -> bool) -> Option<Known> {
        let mut failing = self.failing().filter(|id| is_open(id)).cloned();
        let requirement = failing.next()?;
        let rests = self.rests.iter().filter(|id| is_open(id)).cloned().collect();
        Some(Known { requirement, also: failing.collect(), rests, ..self.clone() })
    }

    fn mark(&self, outcome: &mut Outcome) {
        outcome.verdict = Verdict::KnownFailure;
        outcome.reason.known = Some(self.words());
    }

    /// The reason, with the owner and the link.
    fn words(&self) -> String {
        let notes: Vec<&str> = [&self.owner, &self.link].into_iter().filter_map(Option::as_deref).collect();
        if notes.is_empty() { self.reason.clone() } else { format!("{} ({})", self.reason, notes.join(", ")) }
    }

    /// One of its requirements, with the name of the entry.
    fn name(&self, requirement: &str) -> String {
        match &self.id {
            Some(id) => format!("{requirement} ({id})"),
            None => requirement.to_owned(),
        }
    }
}

fn outcome_of<'run>(run: &'run mut Run, id: &str) -> Option<&'run mut Outcome> {
    run.outcomes.iter_mut().find(|outcome| outcome.requirement.to_string() == id)
}

/// Whether an entry accepts this verdict.
const fn is_lived_with(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Fail | Verdict::Warn | Verdict::Inconclusive | Verdict::Unstable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::check::Check;
    use crate::harness::data::RestsOn;
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

    /// Three checks: the first fails, the second in the same way, and the third rests on the first.
    fn followed() -> Run {
        let mut run = run(&[Verdict::Fail, Verdict::Fail, Verdict::Inconclusive]);
        run.outcomes[2].reason = Reason::kind(Why::Failure);
        run.outcomes[2].rests_on = Some(RestsOn::Prerequisite(run.outcomes[0].requirement));
        run
    }

    #[test]
    fn an_entry_is_a_cause_and_excuses_no_failure_of_a_check_that_rests_on_it() {
        use Verdict::{Fail, Inconclusive, KnownFailure, Pass};
        let written = Baseline::default().renewed(&followed(), |_| "why".to_owned());
        let lists = format!("also = [\"{}\"]\nrests = [\"{}\"]", id(1), id(2));
        assert!(written.to_toml().contains(&lists), "{}", written.to_toml());
        assert_eq!((written.len(), written.checks()), (1, 3));
        let judged = |mut run: Run| {
            written.apply(&mut run, true);
            (run.outcomes.iter().map(|outcome| outcome.verdict).collect::<Vec<_>>(), run.exit_code())
        };
        assert_eq!(judged(followed()), (vec![KnownFailure; 3], 0));
        let other = |verdict, rests_on: Option<usize>| {
            let mut run = followed();
            let rests_on = rests_on.map(|n| RestsOn::Prerequisite(services::checks()[n].requirement));
            (run.outcomes[2].verdict, run.outcomes[2].rests_on) = (verdict, rests_on);
            judged(run)
        };
        assert_eq!(other(Pass, None), (vec![KnownFailure, KnownFailure, Pass], 0));
        for (verdict, rests_on) in [(Fail, None), (Inconclusive, None), (Inconclusive, Some(9))] {
            assert_eq!(other(verdict, rests_on), (vec![KnownFailure, KnownFailure, verdict], 1));
        }
        // Where what it rests on is in another shard, its failure may come from there.
        let mut shard = followed();
        shard.outcomes.drain(..2);
        shard.outcomes[0].verdict = Fail;
        written.apply(&mut shard, false);
        assert_eq!(shard.outcomes[0].verdict, KnownFailure);
    }

    #[test]
    fn a_renewed_entry_keeps_its_words_and_loses_what_conforms() {
        use Verdict::{Fail, Inconclusive, Pass};
        let old = format!("also = [\"{}\"]\nrests = [\"{}\"]", id(1), id(2));
        let old = Baseline::parse(&known(0, &old), "b.toml").unwrap();
        let renewed = |verdicts: &[Verdict]| {
            let mut run = followed();
            for (outcome, verdict) in run.outcomes.iter_mut().zip(verdicts) {
                outcome.verdict = *verdict;
            }
            old.renewed(&run, |_| "why".to_owned())
        };
        assert_eq!(renewed(&[Fail, Fail, Inconclusive]).to_toml(), old.to_toml());
        let less = renewed(&[Pass, Fail, Pass]).to_toml();
        assert_eq!(less, format!("[[known]]\nrequirement = \"{}\"\nreason = \"it is so\"\n", id(1)));
        // Nothing that an entry rests on fails any longer.
        let alone = renewed(&[Pass, Pass, Inconclusive]).to_toml();
        assert!(alone.contains(&id(2)) && alone.contains("recorded without review"), "{alone}");
        assert!(renewed(&[Pass, Pass, Pass]).is_empty());
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
        let within = known(0, &format!("rests = [\"{}\"]", id(0)));
        for twice in [known(0, "").repeat(2), within] {
            assert!(Baseline::parse(&twice, "b.toml").unwrap_err().contains("twice"));
        }
    }
}

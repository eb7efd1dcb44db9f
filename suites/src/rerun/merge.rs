//! Merges runs: shards, an interrupted run and its continuation, or repetitions of the same checks.

use assay_spec::catalogue;
use std::collections::{BTreeMap, BTreeSet};

use crate::harness::coverage::Coverage;
use crate::harness::data::{Run, Verdict};
use crate::harness::judge::{owners, settle};
use crate::report::words::{self, LEFT_OUT};
use crate::support::prose;

/// Merges runs of different checks. An error if they differ in target, conditions, selection of checks or (embedded
/// only) seed, or if a check is in two runs.
pub fn parts(runs: Vec<Run>) -> Result<Run, String> {
    if let Some(n) = runs.iter().position(|run| run.left_out() > 0) {
        return match <[Run; 1]>::try_from(runs) {
            Ok([run]) => Ok(run),
            Err(_) => Err(format!("report {} {LEFT_OUT}", n + 1)),
        };
    }
    let mut runs = runs.into_iter().enumerate();
    let Some((_, mut whole)) = runs.next() else { return Err("no report to merge".to_owned()) };
    let mut known: BTreeSet<u32> = whole.outcomes.iter().map(|one| one.requirement.key).collect();
    for (n, run) in runs {
        belongs(&whole, &run)
            .map_err(|why| format!("report {} does not belong to the first: {why}", n + 1))?;
        for mut outcome in run.outcomes {
            outcome.seed = Some(outcome.seed.unwrap_or(run.seed)).filter(|seed| *seed != whole.seed);
            if !known.insert(outcome.requirement.key) {
                // A part also has a row that it did not check if a response broke it; the other part's check decides, and
                // the responses of all parts are judged again.
                let place = whole.outcomes.iter().position(|one| one.requirement == outcome.requirement);
                match place {
                    Some(_) if outcome.is_without_check() => continue,
                    Some(place) if whole.outcomes[place].is_without_check() => {
                        whole.outcomes[place] = outcome;
                        continue;
                    }
                    _ => {}
                }
                return Err(format!(
                    "report {}: {} is also in an earlier report",
                    n + 1,
                    outcome.requirement
                ));
            }
            whole.outcomes.push(outcome);
        }
        add_transitions(&mut whole, run.transitions);
        add_endpoints(&mut whole.endpoints, run.endpoints);
        for remark in run.remarks {
            if !whole.remarks.contains(&remark) {
                whole.remarks.push(remark);
            }
        }
        whole.conditions.wrong.extend(run.conditions.wrong);
        whole.began = [whole.began.take(), run.began].into_iter().flatten().min();
        whole.sent = [whole.sent, run.sent].into_iter().sum();
        whole.objections.extend(run.objections);
        whole.is_partial |= run.is_partial;
        whole.gate = whole.gate.stricter(&run.gate);
        if let (Some(known), Some(more)) = (&mut whole.shards, run.shards) {
            known.present.extend(more.present);
        }
    }
    whole.shards = whole.shards.filter(|shards| shards.missing().next().is_some());
    let services = owners::whole(&whole.outcomes, whole.suites);
    let dialect = crate::rerun::judge::dialect(&whole);
    let worlds = whole.conditions.worlds();
    settle(&mut whole.outcomes, &services, &dialect, whole.suites, worlds);
    Ok(whole)
}

/// Marks a run as partial if a shard is missing.
pub fn require_every_shard(run: &mut Run) {
    let Some(shards) = &run.shards else { return };
    let missing: Vec<String> = shards.missing().map(|number| number.to_string()).collect();
    run.remarks.push(format!(
        "{} in total, missing: {}",
        prose::count(shards.of, "shard"),
        missing.join(", ")
    ));
    run.is_partial = true;
}

/// Checks that two runs are parts of one; the error says why not.
pub fn belongs(first: &Run, other: &Run) -> Result<(), String> {
    if first.conditions.is_embedded != other.conditions.is_embedded || first.target != other.target {
        return Err(format!("its target is {}, not {}", other.target, first.target));
    }
    if first.conditions.profile != other.conditions.profile {
        return Err("its profile is different".to_owned());
    }
    if first.conditions.depth != other.conditions.depth {
        let [one, other] = [first, other].map(|run| run.conditions.depth.name());
        return Err(format!("its depth is {other}, not {one}"));
    }
    if first.read_only != other.read_only {
        return Err("only one of the two was made with --read-only".to_owned());
    }
    if first.selection != other.selection || first.is_whole != other.is_whole {
        return Err("its selection of checks is different".to_owned());
    }
    let of = |run: &Run| run.shards.as_ref().map(|shards| shards.of);
    if of(first) != of(other) {
        return Err("its number of shards is different".to_owned());
    }
    if first.conditions.is_embedded && first.seed != other.seed {
        return Err(format!("its seed is {}, not {}", other.seed, first.seed));
    }
    Ok(())
}

fn add_transitions(whole: &mut Run, more: Vec<(&'static assay_spec::machine::Transition, bool)>) {
    for (row, fired) in more {
        match whole.transitions.iter_mut().find(|(known, _)| std::ptr::eq(*known, row)) {
            Some((_, known)) => *known |= fired,
            None => whole.transitions.push((row, fired)),
        }
    }
    // The rows of a machine stay together, in the documents' order.
    let order: BTreeMap<_, usize> = assay_spec::Service::ALL
        .iter()
        .flat_map(|service| crate::harness::run::trace::machines(*service))
        .flat_map(|machine| machine.transitions)
        .zip(0..)
        .collect();
    whole.transitions.sort_by_key(|(row, _)| order.get(row).copied());
}

fn add_endpoints(known: &mut Vec<Coverage>, more: Vec<Coverage>) {
    for row in more {
        match known.iter_mut().find(|known| std::ptr::eq(known.endpoint, row.endpoint)) {
            Some(known) => known.merge(row),
            None => known.push(row),
        }
    }
    known.sort_by_key(|row| {
        let service = row.endpoint.service;
        let mut rows = catalogue::endpoints_of(service);
        (service, rows.position(|one| std::ptr::eq(one, row.endpoint)))
    });
}

/// Repetitions of the same checks, merged one by one: a check with different verdicts is unstable, never a pass.
#[derive(Clone, Debug, Default)]
pub struct Repetitions {
    whole: Option<Run>,
    times: usize,
    /// The number of each verdict by check, where it was judged.
    counts: BTreeMap<u32, BTreeMap<Verdict, usize>>,
    /// How often each check was not judged (for example, no drops left this hour), and the first reason.
    silent: BTreeMap<u32, (usize, String)>,
}

impl Repetitions {
    /// Adds a run. For each check, the first outcome with the worst verdict is kept. Of a stopped run after a whole
    /// one, only bad verdicts count.
    pub fn add(&mut self, mut run: Run) {
        self.times += usize::from(!run.is_partial);
        if run.is_partial && self.times > 0 {
            run.outcomes.retain(|outcome| outcome.verdict.is_bad());
            run.is_partial = false;
        }
        for outcome in &run.outcomes {
            let key = outcome.requirement.key;
            if is_silent(outcome.verdict) {
                let (count, _) = self.silent.entry(key).or_insert_with(|| (0, words::reason(outcome)));
                *count += 1;
            } else {
                *self.counts.entry(key).or_default().entry(outcome.verdict).or_default() += 1;
            }
        }
        let Some(whole) = &mut self.whole else {
            self.whole = Some(run);
            return;
        };
        for mut outcome in run.outcomes {
            outcome.seed = Some(run.seed);
            match whole.outcomes.iter_mut().find(|known| known.requirement.key == outcome.requirement.key) {
                Some(known) if rank(outcome.verdict) > rank(known.verdict) => *known = outcome,
                Some(_) => {}
                None => whole.outcomes.push(outcome),
            }
        }
        add_transitions(whole, run.transitions);
        add_endpoints(&mut whole.endpoints, run.endpoints);
        whole.sent = [whole.sent, run.sent].into_iter().sum();
        whole.is_partial |= run.is_partial;
    }

    /// The number of whole runs.
    pub fn times(&self) -> usize {
        self.times
    }

    /// The merged run; `None` if there was no run.
    pub fn finish(self) -> Option<Run> {
        let mut whole = self.whole?;
        let times = self.times;
        if times > 1 {
            whole.remarks.push(format!("the checks ran {times} times; the seed increased by one each time"));
        }
        for outcome in &mut whole.outcomes {
            let key = outcome.requirement.key;
            let Some(counts) = self.counts.get(&key) else { continue };
            let judged: usize = counts.values().sum();
            if let Some((silent, why)) = self.silent.get(&key) {
                let rounds = judged + silent;
                outcome.notes.push(format!("judged in {judged} of {rounds} rounds; in the others: {why}"));
            }
            if counts.len() > 1 {
                outcome.reason.rounds.clone_from(counts);
                outcome.verdict = Verdict::Unstable;
            }
        }
        whole.outcomes.sort_by_key(|outcome| outcome.requirement.key);
        Some(whole)
    }
}

/// Whether a verdict says nothing about the target; such a verdict never makes a check unstable.
fn is_silent(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::NotApplicable | Verdict::NotTestable)
}

fn rank(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::NotApplicable | Verdict::NotTestable => 0,
        Verdict::Pass | Verdict::KnownFailure => 1,
        Verdict::Error => 2,
        Verdict::Inconclusive => 3,
        Verdict::Warn => 4,
        Verdict::Fail | Verdict::UnexpectedPass | Verdict::Unstable => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::data::{Outcome, Shards};
    use crate::services;
    use crate::services::SUITES;

    fn repetitions(runs: Vec<Run>) -> Run {
        let mut repetitions = Repetitions::default();
        for run in runs {
            repetitions.add(run);
        }
        repetitions.finish().expect("a run or more")
    }

    fn run(verdicts: &[(usize, Verdict)]) -> Run {
        let all = services::checks();
        let outcome = |(n, verdict): &(usize, Verdict)| {
            Outcome::new(all[*n].requirement, all[*n].fact, *verdict, verdict.name().to_owned())
        };
        Run { target: "t".into(), outcomes: verdicts.iter().map(outcome).collect(), ..Run::new(SUITES) }
    }

    fn verdicts(run: &Run) -> Vec<Verdict> {
        run.outcomes.iter().map(|outcome| outcome.verdict).collect()
    }

    #[test]
    fn merged_outcomes_are_in_the_order_of_the_requirements() {
        use Verdict::{Fail, Pass, Warn};
        let whole = parts(vec![run(&[(2, Warn), (4, Pass)]), run(&[(0, Fail), (3, Pass)])]).unwrap();
        assert_eq!(verdicts(&whole), [Fail, Warn, Pass, Pass]);
        let twice = parts(vec![run(&[(1, Pass)]), run(&[(1, Pass)])]).unwrap_err();
        assert!(twice.contains("is also in an earlier report"), "{twice}");
        let other = Run { target: "u".into(), ..run(&[(1, Pass)]) };
        assert!(parts(vec![run(&[(0, Pass)]), other]).unwrap_err().contains("its target is u, not t"));
        assert!(parts(Vec::new()).is_err());
    }

    #[test]
    fn a_run_without_all_shards_is_partial() {
        use Verdict::Pass;
        let part = |number: usize| {
            let shards = Some(Shards { of: 3, present: [number].into() });
            Run { shards, selection: "s".into(), seed: number as u64, ..run(&[(number, Pass)]) }
        };
        let mut some = parts(vec![part(1), part(3)]).unwrap();
        require_every_shard(&mut some);
        assert!(some.is_partial && some.exit_code() == 1);
        assert_eq!(some.remarks, ["3 shards in total, missing: 2"]);
        let mut all = parts(vec![some, part(2)]).unwrap();
        assert_eq!(all.shards, None);
        let seeds: Vec<Option<u64>> = all.outcomes.iter().map(|one| one.seed).collect();
        assert_eq!(seeds, [None, Some(2), Some(3)], "the seeds are kept, so checks can be repeated");
        all.shards = None;
        let other = Run { selection: "t".into(), ..part(2) };
        assert!(parts(vec![part(1), other]).unwrap_err().contains("selection of checks"));
        let other = Run { shards: Some(Shards { of: 2, present: [2].into() }), ..part(2) };
        assert!(parts(vec![part(1), other]).unwrap_err().contains("number of shards"));
    }

    #[test]
    fn a_prerequisite_counts_from_another_part() {
        let all = services::checks();
        let (dependent, rule) = all.iter().find_map(|check| Some((check, check.after.first()?))).unwrap();
        let at = |id: assay_spec::Id| all.iter().position(|check| check.requirement == id).unwrap();
        let parts_of =
            [run(&[(at(dependent.requirement), Verdict::Fail)]), run(&[(at(rule), Verdict::Fail)])];
        let whole = parts(parts_of.to_vec()).unwrap();
        let found = whole.outcomes.iter().find(|one| one.requirement == dependent.requirement).unwrap();
        assert_eq!(found.verdict, Verdict::Inconclusive);
    }

    #[test]
    fn different_verdicts_are_never_a_pass() {
        use Verdict::{Error, Fail, NotApplicable, NotTestable, Pass, Unstable};
        for (times, wanted) in [
            (&[Pass, Pass, Pass][..], Pass),
            (&[Fail, Fail], Fail),
            (&[Pass, Fail, Pass], Unstable),
            (&[Fail, Pass], Unstable),
            (&[Pass, Error], Unstable),
            (&[Pass, NotTestable], Pass),
            (&[NotTestable, Pass], Pass),
            (&[NotTestable, Fail], Fail),
            (&[Pass, NotTestable, Fail], Unstable),
            (&[NotTestable, NotApplicable], NotTestable),
        ] {
            let whole = repetitions(times.iter().map(|&verdict| run(&[(0, verdict)])).collect());
            assert_eq!(verdicts(&whole), [wanted], "{times:?}");
            assert_eq!(whole.exit_code() == 0, wanted == Pass);
        }
        let whole = repetitions(vec![run(&[(0, Pass)]), run(&[(0, Fail)]), run(&[(0, Pass)])]);
        assert_eq!(words::reason(&whole.outcomes[0]), "2 pass, 1 fail of 3 times; fail");
        assert!(Repetitions::default().finish().is_none());
    }

    #[test]
    fn a_round_that_could_not_judge_is_noted_and_changes_nothing() {
        use Verdict::{NotTestable, Pass};
        for times in [[Pass, NotTestable], [NotTestable, Pass]] {
            let whole = repetitions(times.map(|verdict| run(&[(0, verdict)])).to_vec());
            let outcome = &whole.outcomes[0];
            assert_eq!((outcome.verdict, words::reason(outcome)), (Pass, "pass".to_owned()));
            assert_eq!(outcome.notes, ["judged in 1 of 2 rounds; in the others: not-testable"]);
        }
        let whole = repetitions(vec![run(&[(0, NotTestable)])]);
        assert!(whole.outcomes[0].notes.is_empty(), "no other note");
    }

    #[test]
    fn bad_verdicts_of_a_stopped_round_count() {
        use Verdict::{Fail, NotTestable, Pass, Unstable};
        let stopped = |verdicts: &[(usize, Verdict)]| Run { is_partial: true, ..run(verdicts) };
        let whole = repetitions(vec![run(&[(0, Pass), (1, Pass)]), stopped(&[(0, NotTestable)])]);
        assert_eq!((verdicts(&whole), whole.exit_code()), (vec![Pass, Pass], 0));
        let whole = repetitions(vec![run(&[(0, Pass), (1, Pass)]), stopped(&[(0, Pass), (1, Fail)])]);
        assert_eq!((verdicts(&whole), whole.is_partial), (vec![Pass, Unstable], false));
        assert!(repetitions(vec![stopped(&[(0, Pass)])]).is_partial, "no round is whole");
    }
}

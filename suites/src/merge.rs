//! One run out of several: of shards, of a run that was interrupted and its rest, of the same checks at several times.

use std::collections::{BTreeMap, BTreeSet};

use crate::endpoints::Coverage;
use crate::run::settle;
use crate::verdict::{Outcome, Run, Verdict};

/// Puts runs of different checks together. Runs that do not belong together are refused: another target, other
/// conditions, another seed where the target is embedded, or the same check twice.
pub fn parts(runs: Vec<Run>) -> Result<Run, String> {
    let mut runs = runs.into_iter().enumerate();
    let Some((_, mut whole)) = runs.next() else { return Err("no report to merge".to_owned()) };
    let mut known: BTreeSet<u32> = whole.outcomes.iter().map(|one| one.requirement.key).collect();
    for (n, run) in runs {
        belongs(&whole, &run)
            .map_err(|why| format!("report {} does not belong to the first: {why}", n + 1))?;
        for outcome in run.outcomes {
            if !known.insert(outcome.requirement.key) {
                return Err(format!(
                    "report {}: {} stands in an earlier one too",
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
        whole.sent = [whole.sent, run.sent].into_iter().sum();
        whole.objections.extend(run.objections);
        whole.is_partial |= run.is_partial;
    }
    settle(&mut whole.outcomes);
    Ok(whole)
}

fn belongs(first: &Run, other: &Run) -> Result<(), String> {
    if first.conditions.is_embedded != other.conditions.is_embedded || first.target != other.target {
        return Err(format!("{} is another target than {}", other.target, first.target));
    }
    if first.conditions.profile != other.conditions.profile {
        return Err("its profile is another one".to_owned());
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
    // A machine's rows stand together, in the documents' order.
    let order: BTreeMap<_, usize> = assay_spec::Service::ALL
        .iter()
        .flat_map(|service| crate::run::machines(*service))
        .flat_map(|machine| machine.transitions)
        .zip(0..)
        .collect();
    whole.transitions.sort_by_key(|(row, _)| order.get(row).copied());
}

fn add_endpoints(known: &mut Vec<Coverage>, more: Vec<Coverage>) {
    for row in more {
        match known.iter_mut().find(|known| std::ptr::eq(known.endpoint, row.endpoint)) {
            Some(known) => {
                known.seen = known.seen.max(row.seen);
                known.is_probed |= row.is_probed;
                for (sum, more) in [(&mut known.granted, row.granted), (&mut known.refused, row.refused)] {
                    sum.count += more.count;
                    sum.judged += more.judged;
                }
            }
            None => known.push(row),
        }
    }
    known.sort_by_key(|row| {
        let service = row.endpoint.service;
        let rows = crate::endpoints::endpoints(service);
        (service, rows.iter().position(|one| std::ptr::eq(*one, row.endpoint)))
    });
}

/// Folds runs of the same checks into one: a check whose verdicts differ is unstable, and never a pass.
pub fn repetitions(runs: Vec<Run>) -> Option<Run> {
    let times = runs.len();
    let mut runs = runs.into_iter();
    let mut whole = runs.next()?;
    let mut others: BTreeMap<u32, Vec<Outcome>> = BTreeMap::new();
    for run in runs {
        for outcome in run.outcomes {
            others.entry(outcome.requirement.key).or_default().push(outcome);
        }
        add_transitions(&mut whole, run.transitions);
        add_endpoints(&mut whole.endpoints, run.endpoints);
        whole.sent = [whole.sent, run.sent].into_iter().sum();
        whole.is_partial |= run.is_partial;
    }
    if times == 1 {
        return Some(whole);
    }
    whole.remarks.push(format!("every check ran {times} times; the seed grew by one each time"));
    for outcome in &mut whole.outcomes {
        let others = others.remove(&outcome.requirement.key).unwrap_or_default();
        fold(outcome, others);
    }
    Some(whole)
}

fn fold(outcome: &mut Outcome, others: Vec<Outcome>) {
    let mut counts: BTreeMap<Verdict, usize> = BTreeMap::from([(outcome.verdict, 1)]);
    for other in &others {
        *counts.entry(other.verdict).or_default() += 1;
    }
    if counts.len() == 1 {
        return;
    }
    let in_words: Vec<String> =
        counts.iter().map(|(verdict, count)| format!("{count} {}", verdict.name())).collect();
    // What is shown is the first time that it was worst.
    let worst = others.into_iter().fold(outcome.clone(), |worst, other| {
        if rank(other.verdict) > rank(worst.verdict) { other } else { worst }
    });
    let reason =
        format!("{} of {} times; {}", in_words.join(", "), counts.values().sum::<usize>(), worst.reason);
    *outcome = Outcome { verdict: Verdict::Unstable, reason, ..worst };
}

fn rank(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Pass | Verdict::KnownFailure => 0,
        Verdict::NotApplicable | Verdict::NotTestable => 1,
        Verdict::Error => 2,
        Verdict::Inconclusive => 3,
        Verdict::Warn => 4,
        Verdict::Fail | Verdict::UnexpectedPass | Verdict::Unstable => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;

    fn run(verdicts: &[(usize, Verdict)]) -> Run {
        let all = check::all();
        let outcome = |(n, verdict): &(usize, Verdict)| {
            Outcome::new(all[*n].requirement, all[*n].fact, *verdict, verdict.name().to_owned())
        };
        Run { target: "t".into(), outcomes: verdicts.iter().map(outcome).collect(), ..Run::default() }
    }

    fn verdicts(run: &Run) -> Vec<Verdict> {
        run.outcomes.iter().map(|outcome| outcome.verdict).collect()
    }

    #[test]
    fn parts_stand_in_the_order_of_the_requirements() {
        use Verdict::{Fail, Pass, Warn};
        let whole = parts(vec![run(&[(2, Warn), (4, Pass)]), run(&[(0, Fail), (3, Pass)])]).unwrap();
        assert_eq!(verdicts(&whole), [Fail, Warn, Pass, Pass]);
        let twice = parts(vec![run(&[(1, Pass)]), run(&[(1, Pass)])]).unwrap_err();
        assert!(twice.contains("stands in an earlier one too"), "{twice}");
        let other = Run { target: "u".into(), ..run(&[(1, Pass)]) };
        assert!(parts(vec![run(&[(0, Pass)]), other]).unwrap_err().contains("u is another target than t"));
        assert!(parts(Vec::new()).is_err());
    }

    #[test]
    fn a_prerequisite_counts_from_another_part() {
        let all = check::all();
        let (dependent, rule) = all.iter().find_map(|check| Some((check, check.after.first()?))).unwrap();
        let at = |id: assay_spec::Id| all.iter().position(|check| check.requirement == id).unwrap();
        let parts_of =
            [run(&[(at(dependent.requirement), Verdict::Fail)]), run(&[(at(rule), Verdict::Fail)])];
        let whole = parts(parts_of.to_vec()).unwrap();
        let found = whole.outcomes.iter().find(|one| one.requirement == dependent.requirement).unwrap();
        assert_eq!(found.verdict, Verdict::Inconclusive);
    }

    #[test]
    fn what_differs_from_time_to_time_is_never_a_pass() {
        use Verdict::{Error, Fail, NotTestable, Pass, Unstable};
        for (times, wanted) in [
            (&[Pass, Pass, Pass][..], Pass),
            (&[Fail, Fail], Fail),
            (&[Pass, Fail, Pass], Unstable),
            (&[Fail, Pass], Unstable),
            (&[Pass, Error], Unstable),
            (&[Pass, NotTestable], Unstable),
        ] {
            let whole = repetitions(times.iter().map(|&verdict| run(&[(0, verdict)])).collect()).unwrap();
            assert_eq!(verdicts(&whole), [wanted], "{times:?}");
            assert_eq!(whole.exit_code() == 0, wanted == Pass);
        }
        let whole = repetitions(vec![run(&[(0, Pass)]), run(&[(0, Fail)]), run(&[(0, Pass)])]).unwrap();
        assert_eq!(whole.outcomes[0].reason, "2 pass, 1 fail of 3 times; fail");
        assert!(repetitions(Vec::new()).is_none());
    }
}

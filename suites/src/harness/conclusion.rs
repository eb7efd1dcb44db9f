//! The result of a run: one decision from its outcomes, the core of each service and the gate.

use assay_spec::Service;

use crate::harness::verdict::{Run, Verdict};
use crate::profile::Percent;

/// The result of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// Nothing is red, and every service shows its core and reaches its minimum coverage. Only of a whole run.
    Conforms,
    /// A verdict is bad, or the baseline does not match the run.
    DoesNotConform,
    /// Nothing is red, but too little was tested.
    NotEnoughTested,
    /// Nothing is red in a selection of checks, or in a shard.
    SelectedChecksPassed,
    /// A check ended with an error of the harness.
    HarnessFailed,
}

impl Conclusion {
    /// Every result.
    pub const ALL: [Conclusion; 5] = [
        Conclusion::Conforms,
        Conclusion::DoesNotConform,
        Conclusion::NotEnoughTested,
        Conclusion::SelectedChecksPassed,
        Conclusion::HarnessFailed,
    ];

    /// The result in words.
    pub const fn words(self) -> &'static str {
        match self {
            Conclusion::Conforms => "conforms",
            Conclusion::DoesNotConform => "does not conform",
            Conclusion::NotEnoughTested => "not enough tested",
            Conclusion::SelectedChecksPassed => "selected checks passed",
            Conclusion::HarnessFailed => "the harness failed",
        }
    }

    /// The exit code.
    pub const fn exit_code(self) -> u8 {
        match self {
            Conclusion::Conforms | Conclusion::SelectedChecksPassed => 0,
            Conclusion::DoesNotConform | Conclusion::NotEnoughTested => 1,
            Conclusion::HarnessFailed => 4,
        }
    }
}

/// How much of one service was tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tested {
    /// The service.
    pub service: Service,
    /// The checks of the run that gave a result.
    pub tested: usize,
    /// The checks of the run that apply to the target.
    pub applicable: usize,
    /// The minimum coverage.
    pub minimum: Percent,
    /// What the service must show, and whether it did. `None` for a run that is not whole, and for clients.
    pub core: Option<(&'static str, bool)>,
}

impl Tested {
    /// The coverage in percent, rounded down.
    pub fn percent(&self) -> usize {
        (self.tested * 100).checked_div(self.applicable).unwrap_or_default()
    }

    /// Why too little of the service was tested; `None` if it was enough.
    pub fn lacks(&self) -> Option<String> {
        let percent = self.percent();
        match self.core {
            Some((shows, false)) => Some(format!("nothing shows that {shows}")),
            _ if percent < usize::from(self.minimum.0) => {
                Some(format!("{percent} % tested, the minimum is {} %", self.minimum.0))
            }
            _ => None,
        }
    }
}

/// How much of each service in the run was tested, in the order of the services.
pub fn tested(run: &Run) -> Vec<Tested> {
    let services = Service::ALL.iter().copied();
    services.filter_map(|service| of_service(run, service)).collect()
}

fn of_service(run: &Run, service: Service) -> Option<Tested> {
    let outcomes = || run.outcomes.iter().filter(|outcome| outcome.requirement.service == service);
    // The rows of a client under test have no checks.
    let has_checks = outcomes().any(|outcome| run.suites.check(outcome.requirement).is_some());
    let core = || {
        let core = run.suites.get(service).core.shows(run.read_only);
        let is_shown = outcomes().any(|outcome| {
            matches!(outcome.verdict, Verdict::Pass | Verdict::Warn)
                && core.checks.iter().any(|row| row.key == outcome.requirement.key)
        });
        (core.what, is_shown)
    };
    let applicable = outcomes().filter(|outcome| outcome.verdict != Verdict::NotApplicable).count();
    let tested = outcomes().filter(|outcome| outcome.verdict.is_result()).count();
    outcomes().next().map(|_| Tested {
        service,
        tested,
        applicable,
        minimum: run.gate.minimum(service),
        core: (run.is_whole && has_checks).then(core),
    })
}

/// The result of a run, and why it is not the best one; empty if a verdict says why.
pub fn conclude(run: &Run) -> (Conclusion, Vec<String>) {
    let with = |conclusion, why: &str| (conclusion, vec![why.to_owned()]);
    let is_result = |outcome: &crate::harness::verdict::Outcome| outcome.verdict.is_result();
    let is_part = !run.is_whole || run.shards.is_some();
    if run.count(Verdict::Error) > 0 {
        (Conclusion::HarnessFailed, Vec::new())
    } else if run.outcomes.iter().any(|outcome| outcome.verdict.is_bad()) {
        (Conclusion::DoesNotConform, Vec::new())
    } else if !run.objections.is_empty() {
        with(Conclusion::DoesNotConform, "the baseline does not match the run")
    } else if run.is_partial {
        with(Conclusion::NotEnoughTested, "not every check ran")
    } else if run.shards.is_some() && run.outcomes.is_empty() {
        with(Conclusion::SelectedChecksPassed, "no check belongs to this shard")
    } else if !run.outcomes.iter().any(is_result) {
        let writes = |row| run.suites.check(row).is_some_and(|check| check.cost.writes > 0);
        let needs_writing = run.read_only && run.outcomes.iter().all(|outcome| writes(outcome.requirement));
        let why = if needs_writing {
            "nothing was checked: every check writes, and the run is --read-only"
        } else {
            "nothing was checked"
        };
        with(Conclusion::NotEnoughTested, why)
    } else if is_part {
        (Conclusion::SelectedChecksPassed, Vec::new())
    } else {
        let lack = |one: &Tested| one.lacks().map(|why| format!("{}: {why}", one.service));
        let lacks: Vec<String> = tested(run).iter().filter_map(lack).collect();
        let is_enough = lacks.is_empty();
        (if is_enough { Conclusion::Conforms } else { Conclusion::NotEnoughTested }, lacks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::check::Check;
    use crate::harness::verdict::{Outcome, Shards};
    use crate::profile::Gate;
    use crate::services;
    use crate::services::SUITES;

    /// A whole run of a service: its core passes, the other checks have `verdict`.
    fn run(service: Service, verdict: Verdict) -> Run {
        let core = SUITES.get(service).core.shows(false).checks;
        let checks = services::checks().into_iter().filter(|check| check.requirement.service == service);
        let outcome = |check: &Check| {
            let is_core = core.iter().any(|row| row.key == check.requirement.key);
            let verdict = if is_core { Verdict::Pass } else { verdict };
            Outcome::new(check.requirement, check.fact, verdict, "why".to_owned())
        };
        Run { outcomes: checks.map(outcome).collect(), is_whole: true, ..Run::new(SUITES) }
    }

    fn result(run: &Run) -> (String, u8) {
        (run.ending(), run.exit_code())
    }

    #[test]
    fn every_core_names_checks_of_its_service() {
        for service in Service::ALL {
            for core in [false, true].map(|read_only| SUITES.get(*service).core.shows(read_only)) {
                assert!(!core.checks.is_empty(), "{service}");
                for row in core.checks {
                    let check = services::check(row).unwrap_or_else(|| panic!("{row} has a check"));
                    assert!(row.service == *service && check.refusal.is_none(), "{row}");
                }
            }
        }
    }

    #[test]
    fn each_service_needs_its_core() {
        for service in Service::ALL {
            let whole = run(*service, Verdict::NotTestable);
            assert_eq!(result(&whole), ("conforms".to_owned(), 0));
            let mut bare = whole.clone();
            for outcome in &mut bare.outcomes {
                let is_core = outcome.verdict == Verdict::Pass;
                // A check that passes is not enough, and neither is a known failure of the core.
                outcome.verdict = if is_core { Verdict::KnownFailure } else { Verdict::Pass };
            }
            let what = SUITES.get(*service).core.shows(false).what;
            let why = format!("not enough tested: {service}: nothing shows that {what}");
            assert_eq!(result(&bare), (why, 1));
            let selection = Run { is_whole: false, ..bare };
            assert_eq!(result(&selection), ("selected checks passed".to_owned(), 0));
        }
        let reading = Run { read_only: true, ..run(Service::Network, Verdict::NotTestable) };
        let why = "not enough tested: network: nothing shows that the public information can be read";
        assert_eq!(result(&reading), (why.to_owned(), 1));
    }

    #[test]
    fn the_gate_compares_results_with_the_applicable_checks() {
        let mut run = run(Service::Metadata, Verdict::NotTestable);
        let all = run.outcomes.len();
        let core = SUITES.get(Service::Metadata).core.shows(false).checks.len();
        assert_eq!(tested(&run)[0].percent(), core * 100 / all);
        let percent = u8::try_from(core * 100 / all).expect("a percentage");
        for (minimum, code) in [(percent, 0), (percent + 1, 1)] {
            run.gate = Gate { metadata: Some(Percent(minimum)), ..Gate::default() };
            assert_eq!(run.exit_code(), code, "{minimum}");
        }
        let why =
            format!("not enough tested: metadata: {percent} % tested, the minimum is {} %", percent + 1);
        assert_eq!(run.ending(), why);
        let others = run.outcomes.iter_mut().filter(|outcome| outcome.verdict == Verdict::NotTestable);
        others.for_each(|outcome| outcome.verdict = Verdict::NotApplicable);
        assert_eq!((tested(&run)[0].percent(), run.exit_code()), (100, 0));
    }

    #[test]
    fn an_error_comes_before_every_other_result() {
        let mut whole = run(Service::Drop, Verdict::Fail);
        assert_eq!(result(&whole), ("does not conform".to_owned(), 1));
        whole.is_partial = true;
        whole.objections.push("old".to_owned());
        whole.outcomes[0].verdict = Verdict::Error;
        assert_eq!(result(&whole), ("the harness failed".to_owned(), 4));
    }

    #[test]
    fn a_part_never_conforms() {
        let whole = run(Service::Drop, Verdict::Pass);
        let shards = Some(Shards { of: 6, present: [2].into() });
        let shard = Run { shards, ..whole.clone() };
        assert_eq!(result(&shard), ("selected checks passed".to_owned(), 0));
        let partial = Run { is_partial: true, ..whole.clone() };
        assert_eq!(result(&partial), ("not enough tested: not every check ran".to_owned(), 1));
        let objection = Run { objections: vec!["old".to_owned()], ..whole };
        let why = "does not conform: the baseline does not match the run";
        assert_eq!(result(&objection), (why.to_owned(), 1));
        let empty = Run { outcomes: Vec::new(), ..shard.clone() };
        assert_eq!(result(&empty), ("selected checks passed: no check belongs to this shard".to_owned(), 0));
        // A shard whose checks all give no result is like a run that checked nothing.
        let mut silent = shard;
        silent.outcomes.iter_mut().for_each(|outcome| outcome.verdict = Verdict::NotTestable);
        let nothing = ("not enough tested: nothing was checked".to_owned(), 1);
        assert_eq!((result(&silent), result(&Run::new(SUITES))), (nothing.clone(), nothing));
    }
}

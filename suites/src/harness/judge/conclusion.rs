//! The result of a run: one decision from its outcomes, the core of each service and the gate.

use std::collections::BTreeSet;

use assay_spec::requirement::Level;
use assay_spec::{Id, Service};

use crate::harness::data::{Outcome, Run, Verdict};
use crate::profile::{FailOn, Percent};

/// The result of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// Nothing is red, and every applicable MUST row of every tested service gave a result. Only of a whole run.
    Conforms,
    /// Nothing is red, and every service shows its core and reaches its minimum coverage. Only of a whole run.
    TestedPartConforms,
    /// A verdict is bad, or the baseline does not match the run.
    DoesNotConform,
    /// Nothing is red, but too little was tested, or the target contradicts a fixture that the profile names.
    NotEnoughTested,
    /// Nothing is red in a selection of checks, or in a shard.
    SelectedChecksPassed,
    /// A check ended with an error of the harness.
    HarnessFailed,
}

impl Conclusion {
    /// Every result.
    pub const ALL: [Conclusion; 6] = [
        Conclusion::Conforms,
        Conclusion::TestedPartConforms,
        Conclusion::DoesNotConform,
        Conclusion::NotEnoughTested,
        Conclusion::SelectedChecksPassed,
        Conclusion::HarnessFailed,
    ];

    /// Its name in every report.
    pub const fn name(self) -> &'static str {
        match self {
            Conclusion::Conforms => "conforms",
            Conclusion::TestedPartConforms => "tested part conforms",
            Conclusion::DoesNotConform => "does not conform",
            Conclusion::NotEnoughTested => "not enough tested",
            Conclusion::SelectedChecksPassed => "selected checks passed",
            Conclusion::HarnessFailed => "the harness failed",
        }
    }

    /// The exit code.
    pub const fn exit_code(self) -> u8 {
        match self {
            Conclusion::Conforms | Conclusion::TestedPartConforms | Conclusion::SelectedChecksPassed => 0,
            Conclusion::DoesNotConform | Conclusion::NotEnoughTested => 1,
            Conclusion::HarnessFailed => 4,
        }
    }
}

/// Why a result is not a better one, where no verdict says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shortfall {
    /// The baseline does not match the run.
    Baseline,
    /// Not every check ran.
    Partial,
    /// No check belongs to this shard.
    EmptyShard,
    /// No check gave a result.
    Nothing,
    /// No check gave a result: every check writes, and the run only reads.
    OnlyWrites,
    /// Nothing shows that a service does this.
    Core(Service, &'static str),
    /// The coverage of a service, in percent, and its minimum.
    Coverage(Service, usize, usize),
    /// The target contradicts this entry of the profile.
    Fixture(String),
    /// A verdict fails this run only because of its gate.
    FailOn(FailOn),
}

/// How many checks gave a result, of how many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// The checks that gave a result.
    pub tested: usize,
    /// The applicable checks of the tested services.
    pub of: usize,
}

impl Share {
    /// In percent, rounded down.
    pub fn percent(self) -> usize {
        (self.tested * 100).checked_div(self.of).unwrap_or_default()
    }
}

/// The result of a run, and what it rests on: the only definition of the results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Concluded {
    /// The result.
    pub conclusion: Conclusion,
    /// Why it is not a better one; empty if a verdict says why.
    pub shortfalls: Vec<Shortfall>,
    /// How much was tested.
    pub share: Share,
    /// The number of known failures.
    pub known: usize,
}

/// How much of one service was tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tested {
    /// The service.
    pub service: Service,
    /// The checks of the run that gave a result.
    pub tested: usize,
    /// The checks of the service without those that do not apply to the target. What did not run counts: a stopped run, a shard
    /// or a selection is a part of the service.
    pub applicable: usize,
    /// The minimum coverage; 0 for a selection and a shard.
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
    pub fn lacks(&self) -> Option<Shortfall> {
        let (percent, minimum) = (self.percent(), usize::from(self.minimum.0));
        match self.core {
            Some((shows, false)) => Some(Shortfall::Core(self.service, shows)),
            _ if percent < minimum => Some(Shortfall::Coverage(self.service, percent, minimum)),
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
    let excluded = outcomes().filter(|outcome| outcome.verdict == Verdict::NotApplicable).count();
    let ran: BTreeSet<u32> = outcomes().map(|outcome| outcome.requirement.key).collect();
    let is_missing = |row: Id| row.service == service && !ran.contains(&row.key);
    let lacks = has_checks && (run.is_partial || is_part(run));
    let missing = run.suites.checks().into_iter().filter(|check| lacks && is_missing(check.requirement));
    let applicable = outcomes().count() - excluded + missing.count();
    let tested = outcomes().filter(|outcome| outcome.verdict.is_result()).count();
    outcomes().next().map(|_| Tested {
        service,
        tested,
        applicable,
        minimum: if is_part(run) { Percent::default() } else { run.gate.minimum(service) },
        core: (run.is_whole && has_checks).then(core),
    })
}

impl Run {
    /// The exit code of its result.
    pub fn exit_code(&self) -> u8 {
        conclude(self).conclusion.exit_code()
    }
}

/// The result of a run.
pub fn conclude(run: &Run) -> Concluded {
    let (conclusion, shortfalls) = decide(run);
    let services = tested(run);
    let sum = |count: fn(&Tested) -> usize| services.iter().map(count).sum();
    let share = Share { tested: sum(|one| one.tested), of: sum(|one| one.applicable) };
    Concluded { conclusion, shortfalls, share, known: run.count(Verdict::KnownFailure) }
}

/// Whether a run is a selection of checks, or a shard.
fn is_part(run: &Run) -> bool {
    !run.is_whole || run.shards.is_some()
}

fn decide(run: &Run) -> (Conclusion, Vec<Shortfall>) {
    let with = |conclusion, why| (conclusion, vec![why]);
    if run.count(Verdict::Error) > 0 {
        return (Conclusion::HarnessFailed, Vec::new());
    }
    if run.outcomes.iter().any(Outcome::is_red) {
        return (Conclusion::DoesNotConform, Vec::new());
    }
    if !run.objections.is_empty() {
        return with(Conclusion::DoesNotConform, Shortfall::Baseline);
    }
    if run.outcomes.iter().any(|outcome| adds(run.gate.fail_on, outcome.verdict)) {
        return with(Conclusion::DoesNotConform, Shortfall::FailOn(run.gate.fail_on));
    }
    if run.is_partial {
        return with(Conclusion::NotEnoughTested, Shortfall::Partial);
    }
    if run.shards.is_some() && run.outcomes.is_empty() {
        return with(Conclusion::SelectedChecksPassed, Shortfall::EmptyShard);
    }
    if !run.outcomes.iter().any(|outcome| outcome.verdict.is_result()) {
        let writes = |row| run.suites.check(row).is_some_and(|check| check.costs().own.writes > 0);
        let needs_writing = run.read_only && run.outcomes.iter().all(|outcome| writes(outcome.requirement));
        let why = if needs_writing { Shortfall::OnlyWrites } else { Shortfall::Nothing };
        return with(Conclusion::NotEnoughTested, why);
    }
    if is_part(run) {
        return (Conclusion::SelectedChecksPassed, Vec::new());
    }
    let lacks = tested(run).iter().filter_map(Tested::lacks).collect::<Vec<_>>();
    let contradicted = run.conditions.wrong.keys().cloned().map(Shortfall::Fixture);
    let shortfalls: Vec<Shortfall> = lacks.into_iter().chain(contradicted).collect();
    if !shortfalls.is_empty() {
        return (Conclusion::NotEnoughTested, shortfalls);
    }
    let is_open = |outcome: &Outcome| {
        outcome.requirement.level == Level::Must
            && !outcome.verdict.is_result()
            && outcome.verdict != Verdict::NotApplicable
    };
    let is_whole = !run.outcomes.iter().any(is_open);
    (if is_whole { Conclusion::Conforms } else { Conclusion::TestedPartConforms }, Vec::new())
}

/// Whether a gate lets a verdict fail a run that it would not fail by default.
pub(crate) fn adds(fail_on: FailOn, verdict: Verdict) -> bool {
    match verdict {
        Verdict::Warn => fail_on >= FailOn::Should,
        Verdict::Inconclusive => fail_on >= FailOn::Inconclusive,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::check::Check;
    use crate::harness::data::{Reason, Shards, Why};
    use crate::profile::{FailOn, Gate};
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
        (crate::report::words::result(run), run.exit_code())
    }

    #[test]
    fn every_core_names_checks_of_its_service() {
        for service in Service::ALL {
            for core in [false, true].map(|read_only| SUITES.get(*service).core.shows(read_only)) {
                assert!(!core.checks.is_empty(), "{service}");
                for row in core.checks {
                    let check = services::check(row).unwrap_or_else(|| panic!("{row} has a check"));
                    assert!(row.service == *service && !check.rejects, "{row}");
                }
            }
        }
    }

    #[test]
    fn a_stricter_gate_fails_warnings_and_every_inconclusive_check() {
        let excused = |fail_on| {
            let mut run = run(Service::Drop, Verdict::Pass);
            run.outcomes[0].verdict = Verdict::Inconclusive;
            run.outcomes[0].reason = Reason::new(Why::Unreachable, "no route");
            Run { gate: Gate { fail_on, ..Gate::default() }, ..run }.exit_code()
        };
        assert_eq!(FailOn::ALL.map(excused), [0, 0, 1]);
        let warned = |fail_on| {
            let mut run = run(Service::Drop, Verdict::Pass);
            run.outcomes[0].verdict = Verdict::Warn;
            result(&Run { gate: Gate { fail_on, ..Gate::default() }, ..run })
        };
        assert_eq!(warned(FailOn::Must).1, 0);
        let why = "does not conform: a warning fails this run (fail_on = \"should\")";
        assert_eq!(warned(FailOn::Should), (why.to_owned(), 1));
        assert_eq!(warned(FailOn::Inconclusive).1, 1);
    }

    #[test]
    fn each_service_needs_its_core() {
        for service in Service::ALL {
            let whole = run(*service, Verdict::NotTestable);
            let (tested, of) = (tested(&whole)[0].tested, whole.outcomes.len());
            let part = format!("tested part conforms ({} %: {tested} of {of})", tested * 100 / of);
            assert_eq!(result(&whole), (part, 0));
            assert_eq!(result(&run(*service, Verdict::NotApplicable)), ("conforms".to_owned(), 0));
            let mut bare = whole.clone();
            for outcome in &mut bare.outcomes {
                let is_core = outcome.verdict == Verdict::Pass;
                // A check that passes is not enough, and neither is a known failure of the core.
                outcome.verdict = if is_core { Verdict::KnownFailure } else { Verdict::Pass };
            }
            let what = SUITES.get(*service).core.shows(false).what;
            let known = bare.count(Verdict::KnownFailure);
            let with = format!(", with {}", crate::support::prose::count(known, "known failure"));
            let why = format!("not enough tested{with}: {service}: nothing shows that {what}");
            assert_eq!(result(&bare), (why, 1));
            let selection = Run { is_whole: false, ..bare };
            assert_eq!(result(&selection), (format!("selected checks passed ({of} of {of}){with}"), 0));
        }
        let reading = Run { read_only: true, ..run(Service::Network, Verdict::NotTestable) };
        let why = "not enough tested: network: nothing shows that the public information can be read";
        assert_eq!(result(&reading), (why.to_owned(), 1));
    }

    #[test]
    fn an_inconclusive_check_fails_the_run_unless_its_reason_shows_nothing_about_the_target() {
        let with = |why: Why| {
            let mut whole = run(Service::Gateway, Verdict::Pass);
            let outcome = &mut whole.outcomes[0];
            (outcome.verdict, outcome.reason) = (Verdict::Inconclusive, Reason::kind(why));
            conclude(&whole).conclusion
        };
        for why in Why::ALL {
            let is_open =
                [Why::AtLimit, Why::Unavailable, Why::Held, Why::Unreachable, Why::Absent, Why::Open]
                    .contains(&why);
            let wanted = if is_open { Conclusion::TestedPartConforms } else { Conclusion::DoesNotConform };
            assert_eq!(with(why), wanted, "{}", why.name());
        }
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
        assert_eq!(result(&run).0, why);
        let others = run.outcomes.iter_mut().filter(|outcome| outcome.verdict == Verdict::NotTestable);
        others.for_each(|outcome| outcome.verdict = Verdict::NotApplicable);
        assert_eq!((tested(&run)[0].percent(), run.exit_code()), (100, 0));
    }

    #[test]
    fn a_should_row_without_a_result_takes_nothing_from_a_result() {
        let should = services::checks().into_iter().find(|check| check.requirement.level == Level::Should);
        let service = should.expect("a SHOULD row").requirement.service;
        let mut run = run(service, Verdict::Pass);
        let level = |level| move |outcome: &&mut Outcome| outcome.requirement.level == level;
        run.outcomes.iter_mut().find(level(Level::Should)).expect("a SHOULD row").verdict =
            Verdict::NotTestable;
        assert_eq!(result(&run), ("conforms".to_owned(), 0));
        let core = SUITES.get(service).core.shows(false).checks;
        let is_core = |outcome: &Outcome| core.iter().any(|row| row.key == outcome.requirement.key);
        let must = run.outcomes.iter_mut().filter(|outcome| !is_core(outcome)).find(level(Level::Must));
        must.expect("a MUST row").verdict = Verdict::KnownFailure;
        assert_eq!(result(&run), ("conforms, with 1 known failure".to_owned(), 0), "it gave a result");
        let must = run.outcomes.iter_mut().filter(|outcome| !is_core(outcome));
        must.filter(level(Level::Must)).nth(1).expect("another").verdict = Verdict::NotTestable;
        let (tested, of) = (run.outcomes.len() - 2, run.outcomes.len());
        let part =
            format!("tested part conforms ({} %: {tested} of {of}), with 1 known failure", tested * 100 / of);
        assert_eq!(result(&run), (part, 0));
    }

    #[test]
    fn a_fixture_that_the_target_contradicts_is_never_left_out_in_silence() {
        let mut run = run(Service::Metadata, Verdict::Pass);
        run.conditions.wrong.insert("metadata.token".to_owned(), "it is unknown".to_owned());
        let why = "not enough tested: the target contradicts metadata.token of the profile";
        assert_eq!(result(&run), (why.to_owned(), 1));
        run.outcomes[0].verdict = Verdict::Fail;
        assert_eq!(result(&run), ("does not conform".to_owned(), 1));
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
        let of = shard.outcomes.len();
        assert_eq!(result(&shard), (format!("selected checks passed ({of} of {of})"), 0));
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

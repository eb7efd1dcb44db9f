//! Exploration: sequences of requests go to a target and to a model, which is a world of the simulator. An answer that the model
//! would not give is a finding, unless a variation explains it, or no sentence decides.

pub mod case;
mod compare;
pub mod proof;
mod report;

use std::collections::{BTreeMap, BTreeSet};

use assay_sim::serve::ClockMode;
use assay_spec::requirement::Level;
use assay_spec::{Id, Service, catalogue};
use sha2::{Digest, Sha256};

use super::Embedded;
use super::trial::on_own_thread;
use crate::harness::check::Stop;
use crate::harness::data::{Outcome, Verdict, Worlds};
use crate::harness::environment::Environment;
use crate::harness::explore::{Command, Effect, Side};
use crate::harness::judge::ambient;
use crate::harness::pace::Pace;
use crate::harness::probe::{Probe, Settings};
use crate::harness::redact::redact;
use crate::harness::run::panics::caught;
use crate::harness::run::{Halt, trace};
use crate::harness::suite::FixtureMap;
use crate::harness::target::Target;
use crate::http::curl;
use crate::http::exchange::Broken;
use crate::http::hiding::Hidden;
use crate::services::SUITES;

pub use case::Case;
use case::Step;
use compare::{Difference, Exactness, Kind, Sent, difference};

/// The most steps of a sequence.
const LONGEST: usize = 10;

/// After so many sequences in a row without a request, there is nothing left to ask: a quota is used up, or fixtures are
/// missing.
const MUTE: u64 = 20;
/// As [`MUTE`], where only sequences with a rule in focus are sent.
const MUTE_IN_FOCUS: u64 = 2_000;

/// What is explored.
pub struct Plan<'a> {
    /// The target.
    pub target: &'a dyn Target,
    /// The settings of its checks; the seed decides everything that is drawn.
    pub settings: &'a Settings,
    /// Its pace.
    pub pace: &'a Pace,
    /// The services, each with as many requests.
    pub services: &'a [Service],
    /// The requests of each service, at least.
    pub requests: u64,
    /// Also what leaves something at a target that others use.
    pub writes: bool,
    /// Ends at the first finding.
    pub first: bool,
    /// Only sequences in which the model consults one of these rules. Empty: all.
    pub focus: &'a [Id],
    /// These instead of drawn ones.
    pub cases: &'a [Case],
    /// Stops it after the sequence that is being sent.
    pub halt: &'a dyn Halt,
}

/// What an exploration has shown.
#[derive(Debug, Default)]
pub struct Explored {
    /// The seed.
    pub seed: u64,
    /// By service: the requests that the target got, the sequences, and the rules that the model consulted.
    pub services: BTreeMap<Service, Counts>,
    /// The findings, one for each row, in order.
    pub findings: Vec<Finding>,
    /// Why it ended early: the target could not be reached.
    pub unreachable: Option<String>,
    /// The variations under which the target's answers are those of the model.
    pub adopted: BTreeSet<&'static str>,
}

impl Explored {
    /// Whether the target got any request.
    pub fn has_sent(&self) -> bool {
        self.services.values().any(|counts| counts.requests > 0)
    }

    /// The finding of a row.
    fn finding(&mut self, row: Id) -> Option<&mut Finding> {
        self.findings.iter_mut().find(|finding| finding.outcome.requirement == row)
    }
}

/// The counts of one service.
#[derive(Debug, Default)]
pub struct Counts {
    /// The requests that the target got.
    pub requests: u64,
    /// The sequences.
    pub sequences: u64,
    /// The answers that were compared.
    pub compared: u64,
    /// Of them, those that no sentence decides, by the reason.
    pub undetermined: BTreeMap<&'static str, u64>,
    /// The rules that the model consulted.
    pub reached: BTreeSet<u32>,
    /// The transitions that the model made.
    pub fired: BTreeSet<String>,
}

/// An answer that breaks a row.
#[derive(Debug)]
pub struct Finding {
    /// The row, the answer, and the exchanges up to it.
    pub outcome: Outcome,
    /// The requests of its service before it was found.
    pub after: u64,
    /// How often it was met.
    pub times: u64,
    /// How to send its steps once more.
    pub case: Case,
}

/// A sequence as one side has sent it.
struct Played {
    steps: Vec<Sent>,
    hidden: Hidden,
    /// The first error of the harness.
    error: Option<String>,
    candidates: Vec<&'static str>,
    reached: BTreeSet<u32>,
    fired: BTreeSet<String>,
}

impl Played {
    fn requests(&self) -> u64 {
        self.steps.iter().map(|step| step.exchanges.len() as u64).sum()
    }
}

/// Explores the simulator in this process; without services, all.
pub async fn explore_embedded(
    target: Embedded,
    settings: Settings,
    services: Vec<Service>,
    wishes: Wishes,
) -> Result<Explored, String> {
    let all = SUITES.iter().map(|suite| suite.service);
    let services = if services.is_empty() { all.collect() } else { services };
    on_own_thread(async move || {
        let (settings, pace, services) = (&settings, &Pace::default(), &services);
        explore(&wishes.plan(&target, settings, pace, services)).await
    })
    .await?
}

/// Explores a target: each of its services in turn, sequence by sequence.
pub async fn explore(plan: &Plan<'_>) -> Result<Explored, String> {
    let mut explored = Explored { seed: plan.settings.seed, ..Explored::default() };
    let mut left: Vec<Turn> = plan.services.iter().map(|service| plan.turn(*service)).collect();
    explored.services.extend(left.iter().map(|turn| (turn.service, Counts::default())));
    for case in plan.cases {
        if plan.services.contains(&case.service) && !plan.is_over(&explored) {
            let explorer = Explorer { plan, service: case.service, names: case.names };
            Box::pin(explorer.sequence(case.steps.clone(), &mut explored)).await?;
        }
    }
    for number in 0.. {
        left.retain(|turn| !turn.is_done(plan, &explored));
        if !plan.cases.is_empty() || left.is_empty() || plan.is_over(&explored) {
            break;
        }
        for turn in &mut left {
            if plan.is_over(&explored) {
                break;
            }
            let before = explored.services[&turn.service].requests;
            let explorer = Explorer::drawn(plan, turn.service, number);
            Box::pin(explorer.sequence(plan.steps(turn, number), &mut explored)).await?;
            let is_mute = explored.services[&turn.service].requests == before;
            turn.mute = if is_mute { turn.mute + 1 } else { 0 };
        }
    }
    explored.findings.sort_by_key(|finding| finding.outcome.requirement.key);
    Ok(explored)
}

/// What is left of a service.
struct Turn {
    service: Service,
    commands: Vec<&'static Command>,
    /// The sequences in a row that have sent nothing.
    mute: u64,
}

impl Turn {
    fn is_done(&self, plan: &Plan<'_>, explored: &Explored) -> bool {
        let most = if plan.focus.is_empty() { MUTE } else { MUTE_IN_FOCUS };
        let is_enough = explored.services[&self.service].requests >= plan.requests;
        self.commands.is_empty() || is_enough || self.mute >= most
    }
}

/// What to explore of the simulator in this process.
pub struct Wishes {
    /// The requests of each service, at least.
    pub requests: u64,
    /// As [`Plan::focus`].
    pub focus: Vec<Id>,
    /// As [`Plan::cases`].
    pub cases: Vec<Case>,
    /// As [`Plan::halt`].
    pub halt: Box<dyn Halt + Send>,
}

impl Wishes {
    fn plan<'a>(
        &'a self,
        target: &'a dyn Target,
        settings: &'a Settings,
        pace: &'a Pace,
        services: &'a [Service],
    ) -> Plan<'a> {
        let Wishes { requests, focus, cases, halt } = self;
        let (requests, halt) = (*requests, &**halt);
        Plan { target, settings, pace, services, requests, writes: true, first: false, focus, cases, halt }
    }
}

impl Plan<'_> {
    /// A target in this process starts as the model does.
    fn exactness(&self) -> Exactness {
        if self.target.is_embedded() { Exactness::Equal } else { Exactness::Alike }
    }

    fn turn(&self, service: Service) -> Turn {
        let commands = SUITES.get(service).commands.iter().filter(|command| self.allows(command));
        Turn { service, commands: commands.collect(), mute: 0 }
    }

    /// Whether it ends before its requests are used up.
    fn is_over(&self, explored: &Explored) -> bool {
        let has_found = self.first && !explored.findings.is_empty();
        has_found || explored.unreachable.is_some() || *self.halt.count().borrow() > 0
    }

    /// The steps of a drawn sequence.
    fn steps(&self, turn: &Turn, number: u64) -> Vec<Step> {
        let draw = |step| drawn(self.settings.seed, turn.service, number, step);
        let length = 1 + usize::from(draw(0)[0]) % LONGEST;
        let all: u32 = turn.commands.iter().map(|command| command.weight).sum();
        let step = |n| {
            let seed = draw(n);
            let mut at = u32::from_be_bytes([seed[0], seed[1], seed[2], seed[3]]) % all;
            let command = turn.commands.iter().find(|command| {
                let is_it = at < command.weight;
                at = at.wrapping_sub(command.weight);
                is_it
            });
            command.map(|command| Step { command, seed })
        };
        (1..=length).filter_map(step).collect()
    }

    /// The first command of the cases that may not be sent.
    pub fn refused(&self) -> Option<&'static str> {
        let mut steps = self.cases.iter().flat_map(|case| &case.steps);
        steps.find(|step| !self.allows(step.command)).map(|step| step.command.name)
    }

    /// Whether a command may be sent.
    fn allows(&self, command: &Command) -> bool {
        match command.effect {
            Effect::Reads => true,
            Effect::Writes => self.owns() || self.writes,
            Effect::Moves => self.owns() && self.target.offer().clock,
        }
    }

    /// Whether each sequence gets a world of its own.
    fn owns(&self) -> bool {
        self.target.is_embedded() || self.target.offer().forks
    }
}

/// Numbered draws of an exploration.
fn drawn(seed: u64, service: Service, number: u64, step: usize) -> [u8; 32] {
    let text = format!("explore {seed} {service} {number} {step}");
    Sha256::digest(text).into()
}

/// One sequence.
struct Explorer<'a> {
    plan: &'a Plan<'a>,
    service: Service,
    /// The seed of its names and keys.
    names: u64,
}

impl<'a> Explorer<'a> {
    fn drawn(plan: &'a Plan<'a>, service: Service, number: u64) -> Explorer<'a> {
        let seed = drawn(plan.settings.seed, service, number, usize::MAX);
        let names = seed.iter().take(8).fold(0, |names: u64, byte| names << 8 | u64::from(*byte));
        Explorer { plan, service, names }
    }

    /// The settings of the `attempt`th time that the sequence is sent: names and keys are new each time.
    fn settings(&self, fixtures: FixtureMap, attempt: u64) -> Settings {
        let own = Settings::new(SUITES);
        let Settings { dialect, secrets, wrong, .. } = self.plan.settings.clone();
        Settings { seed: self.names ^ attempt, dialect, wrong, secrets, fixtures, ..own }
    }

    /// Sends steps to the target.
    async fn target(&self, steps: &[Step], attempt: u64) -> Result<Played, String> {
        let target = self.plan.target;
        let environment = target.environment(self.service).await.map_err(|error| error.to_string())?;
        let settings = self.settings(self.plan.settings.fixtures.clone(), attempt);
        let (played, environment) =
            self.play(environment, &settings, self.plan.pace, steps, &mut || Vec::new()).await;
        target.leave(environment, false).await;
        Ok(played)
    }

    /// Sends steps to the model under some variations, with some rules switched off.
    async fn model(
        &self,
        steps: &[Step],
        attempt: u64,
        off: &[String],
        variations: &BTreeSet<&'static str>,
        is_watched: bool,
    ) -> Result<Played, String> {
        let variations: Vec<String> = variations.iter().map(|name| (*name).to_owned()).collect();
        let model = Embedded::new(self.plan.settings.seed, self.plan.settings.dialect.clone());
        let model = model.with(off, &variations)?;
        let model = if is_watched { model.watched() } else { model };
        let (environment, handle) = Embedded::environment_in(model.beginning(self.service), ClockMode::Auto);
        let (settings, pace) = (self.settings(FixtureMap::own(SUITES), attempt), Pace::default());
        let mut known = 0;
        let mut refused = || {
            let mut lines: Vec<String> =
                handle.read(|world| world.core.log.lines().map(|line| line.requirement.clone()).collect());
            let more = lines.split_off(known.min(lines.len()));
            known += more.len();
            more.iter().filter_map(|id| catalogue::requirement(id)).collect()
        };
        let (mut played, environment) = self.play(environment, &settings, &pace, steps, &mut refused).await;
        if let Some(why) = played.error.take() {
            return Err(format!("the model: {why}"));
        }
        if is_watched {
            let seen = trace::coverage(&environment).await;
            let names = assay_sim::world::variations();
            let is_seen = |name: &str| seen.variations.contains(name) || seen.changes.contains(name);
            played.candidates = names.iter().map(|one| one.name).filter(|name| is_seen(name)).collect();
        }
        handle.read(|world| {
            played.reached = world.core.consulted().map(|row| row.key).collect();
            played.fired = world.core.transitions().map(ToString::to_string).collect();
        });
        Ok(played)
    }

    /// The first difference of the target from the model, under the variations that explain most: with those that explained
    /// earlier sequences, or anew, since a server may use its freedom in one answer and not in the next.
    async fn explained(
        &self,
        steps: &[Step],
        attempt: u64,
        target: &Played,
        adopted: &mut BTreeSet<&'static str>,
    ) -> Result<(Played, Option<Difference>), String> {
        let before = adopted.clone();
        let first = self.explained_from(steps, attempt, target, adopted).await?;
        if first.1.is_none() || before.is_empty() {
            return Ok(first);
        }
        let again = self.explained_from(steps, attempt, target, &mut BTreeSet::new()).await?;
        if again.1.is_some() {
            return Ok(first);
        }
        *adopted = before;
        Ok(again)
    }

    /// As [`Explorer::explained`], beginning with these variations.
    async fn explained_from(
        &self,
        steps: &[Step],
        attempt: u64,
        target: &Played,
        adopted: &mut BTreeSet<&'static str>,
    ) -> Result<(Played, Option<Difference>), String> {
        let dialect = &self.plan.settings.dialect;
        let mut model = self.model(steps, attempt, &[], adopted, false).await?;
        let mut found = difference(&model.steps, &target.steps, self.plan.exactness(), dialect);
        'more: while let Some(first) = &found {
            let watched = self.model(steps, attempt, &[], adopted, true).await?;
            for name in watched.candidates {
                let mut more = adopted.clone();
                if !more.insert(name) {
                    continue;
                }
                let other = self.model(steps, attempt, &[], &more, false).await?;
                let next = difference(&other.steps, &target.steps, self.plan.exactness(), dialect);
                if next.as_ref().is_none_or(|next| next.at > first.at) {
                    (*adopted, model, found) = (more, other, next);
                    continue 'more;
                }
            }
            break;
        }
        Ok((model, found))
    }

    /// Why a difference is not a finding. `None`: it is one.
    async fn undetermined(
        &self,
        steps: &[Step],
        attempt: u64,
        (model, target): (&Played, &Played),
        found: &Difference,
        adopted: &BTreeSet<&'static str>,
    ) -> Result<Option<&'static str>, String> {
        let (step, exchange) = found.at;
        if found.kind == Kind::Count {
            return Ok(Some("one side sent fewer requests: a fixture or a quota is missing"));
        }
        let Some(row) = found.row.filter(|row| row.level != Level::May) else {
            return Ok(Some("no sentence decides the answer"));
        };
        let answer = target.steps[step].exchanges.get(found.theirs);
        let answer = answer.and_then(|one| one.response.as_ref().ok());
        if !self.plan.owns() && answer.is_some_and(|answer| matches!(answer.status, 429 | 502..=504)) {
            return Ok(Some("the target is limited or unavailable for now"));
        }
        if found.kind == Kind::Rejected && model.steps[step].leeway.is_odd {
            return Ok(Some("no sentence says that the request is valid"));
        }
        if found.kind == Kind::Accepted
            && row.rejection.is_some_and(|rejection| !rejection.instead.is_empty())
        {
            return Ok(Some("the documents allow another answer instead of a rejection"));
        }
        if found.kind == Kind::Status {
            // Without the rule, does the model still reject the request?
            let off = [row.to_string()];
            let Ok(other) = self.model(&steps[..=step], attempt, &off, adopted, false).await else {
                return Ok(Some("no sentence decides which of two rejections comes first"));
            };
            let answer = other.steps.get(step).and_then(|step| step.exchanges.get(exchange));
            let is_accepted =
                answer.is_some_and(|answer| answer.response.as_ref().is_ok_and(|answer| answer.status < 400));
            if !is_accepted {
                return Ok(Some("no sentence decides which of two rejections comes first"));
            }
        }
        Ok(None)
    }

    /// Whether the model consults a rule in focus.
    async fn is_in_focus(&self, steps: &[Step], explored: &Explored) -> Result<bool, String> {
        let focus = self.plan.focus;
        if focus.is_empty() {
            return Ok(true);
        }
        let model = self.model(steps, 0, &[], &explored.adopted, false).await?;
        Ok(focus.iter().any(|row| model.reached.contains(&row.key)))
    }

    /// Sends the sequence to both, and notes what they show.
    async fn sequence(self, mut steps: Vec<Step>, explored: &mut Explored) -> Result<(), String> {
        if !self.is_in_focus(&steps, explored).await? {
            return Ok(());
        }
        let mut target = self.target(&steps, 0).await?;
        let mut sent = target.steps.iter().flat_map(|step| &step.exchanges);
        if let Some(why) = sent.find_map(|exchange| match &exchange.response {
            Err(Broken::Unreachable(why) | Broken::Harness(why)) => Some(why.clone()),
            _ => None,
        }) {
            explored.unreachable = Some(why);
            return Ok(());
        }
        let (model, found) = self.explained(&steps, 0, &target, &mut explored.adopted).await?;
        let counts = explored.services.entry(self.service).or_default();
        counts.requests += target.requests();
        counts.sequences += 1;
        counts.reached.extend(&model.reached);
        counts.fired.extend(model.fired.iter().cloned());
        let Some(mut found) = found else {
            counts.compared += target.requests();
            let Some(outcome) = self.related(&target) else { return Ok(()) };
            let (steps, outcome, attempt) = self.shrunk_related(steps, outcome, explored).await?;
            self.add(explored, steps, attempt, outcome);
            return Ok(());
        };
        let before: usize = target.steps[..found.at.0].iter().map(|step| step.exchanges.len()).sum();
        counts.compared += (before + found.theirs + 1) as u64;
        if let Some(why) = self.undetermined(&steps, 0, (&model, &target), &found, &explored.adopted).await? {
            *counts.undetermined.entry(why).or_default() += 1;
            return Ok(());
        }
        steps.truncate(found.at.0 + 1);
        let mut attempt = 0;
        if !self.plan.first && found.row.is_none_or(|row| explored.finding(row).is_none()) {
            (target, found, attempt) = self.shrunk(&mut steps, (target, found), explored).await?;
        }
        if let Some(outcome) = self.outcome(&target, &found) {
            self.add(explored, steps, attempt, outcome);
        }
        Ok(())
    }

    /// The shortest steps that lead to the same finding, and the attempt that showed it.
    async fn shrunk(
        &self,
        steps: &mut Vec<Step>,
        (mut target, mut found): (Played, Difference),
        explored: &mut Explored,
    ) -> Result<(Played, Difference, u64), String> {
        let mut shown = 0;
        for (attempt, without) in (1..).zip((0..steps.len() - 1).rev()) {
            let mut fewer = steps.clone();
            fewer.remove(without);
            let again = self.target(&fewer, attempt).await?;
            explored.services.entry(self.service).or_default().requests += again.requests();
            let model = self.model(&fewer, attempt, &[], &explored.adopted, false).await?;
            let next =
                difference(&model.steps, &again.steps, self.plan.exactness(), &self.plan.settings.dialect);
            if let Some(next) = next.filter(|next| next.row == found.row && next.kind == found.kind) {
                (*steps, target, found, shown) = (fewer, again, next, attempt);
                steps.truncate(found.at.0 + 1);
            }
        }
        Ok((target, found, shown))
    }

    /// The shortest steps whose answers contradict each other in the same way.
    async fn shrunk_related(
        &self,
        mut steps: Vec<Step>,
        mut outcome: Outcome,
        explored: &mut Explored,
    ) -> Result<(Vec<Step>, Outcome, u64), String> {
        let mut shown = 0;
        if self.plan.first || explored.finding(outcome.requirement).is_some() {
            return Ok((steps, outcome, shown));
        }
        for (attempt, without) in (1..).zip((0..steps.len()).rev()) {
            let mut fewer = steps.clone();
            fewer.remove(without);
            let again = self.target(&fewer, attempt).await?;
            explored.services.entry(self.service).or_default().requests += again.requests();
            let next = self.related(&again).filter(|next| next.requirement == outcome.requirement);
            if let Some(next) = next {
                (steps, outcome, shown) = (fewer, next, attempt);
            }
        }
        Ok((steps, outcome, shown))
    }

    /// A difference as an outcome of its row.
    fn outcome(&self, target: &Played, found: &Difference) -> Option<Outcome> {
        let step = found.at.0;
        let earlier = target.steps[..step].iter().flat_map(|step| &step.exchanges);
        let last = target.steps[step].exchanges.iter().take(found.theirs + 1);
        let exchanges: Vec<_> = earlier.chain(last).cloned().collect();
        let row = found.row?;
        let verdict = if row.level == Level::Must { Verdict::Fail } else { Verdict::Warn };
        let mut failure = found.failure.clone();
        failure.exchange = exchanges.len().checked_sub(1);
        let mut outcome = Outcome {
            failure: Some(failure),
            exchanges,
            ..Outcome::new(row, SUITES.check(row).map_or("", |check| check.fact), verdict, String::new())
        };
        self.finish(target, &mut outcome);
        Some(outcome)
    }

    /// What the exchanges of a sequence contradict in each other.
    fn related(&self, target: &Played) -> Option<Outcome> {
        let exchanges = target.steps.iter().flat_map(|step| step.exchanges.clone()).collect();
        let check = SUITES.checks().into_iter().find(|check| check.requirement.service == self.service)?;
        let base = Outcome::new(check.requirement, check.fact, Verdict::Pass, String::new());
        let mut outcomes = vec![Outcome { exchanges, ..base }];
        let worlds = if self.plan.target.is_embedded() { Worlds::Own } else { Worlds::Shared };
        ambient::apply(&mut outcomes, &self.plan.settings.dialect, SUITES, worlds);
        let mut outcome = outcomes.into_iter().find(|outcome| outcome.seen_by.is_some())?;
        self.finish(target, &mut outcome);
        Some(outcome)
    }

    /// Hides what is secret, and adds how to repeat it.
    fn finish(&self, target: &Played, outcome: &mut Outcome) {
        redact(&target.hidden, outcome);
        redact(&self.plan.settings.secrets, outcome);
        if !self.plan.target.is_embedded() {
            let reach = self.plan.target.reach();
            outcome.repeat =
                outcome.exchanges.iter().map(|exchange| curl::command_line(exchange, reach)).collect();
        }
    }

    /// Sends steps to a server. `refused` tells by which rows the model rejected something since it was asked last.
    async fn play(
        &self,
        environment: Environment,
        settings: &Settings,
        pace: &Pace,
        steps: &[Step],
        refused: &mut dyn FnMut() -> Vec<Id>,
    ) -> (Played, Environment) {
        let check = SUITES.checks().into_iter().find(|check| check.requirement.service == self.service);
        let prefix = format!("{}.", self.service);
        let faults = self.plan.target.offer().faults.iter().filter(|name| name.starts_with(&prefix));
        let faults: Vec<String> = faults.cloned().collect();
        let probe = Probe::new(check.expect("each service has checks"), settings, environment, pace);
        let (mut ends, mut before, mut error) = (Vec::new(), 0, None);
        {
            let side = Side::new(&probe, faults);
            for step in steps {
                side.begin(step.seed);
                // What a server did is in the exchanges.
                if let Err(Stop::Error(why)) = caught((step.command.send)(&side)).await {
                    error.get_or_insert(why);
                }
                ends.push((probe.begun(), side.leeway(), refused()));
            }
        }
        probe.leave().await;
        let traces = probe.finish();
        let sent = ends.into_iter().map(|(end, leeway, refused)| {
            let exchanges = traces.exchanges[before..end].to_vec();
            before = end;
            Sent { exchanges, leeway, refused }
        });
        let played = Played {
            steps: sent.collect(),
            hidden: traces.hidden,
            error,
            candidates: Vec::new(),
            reached: BTreeSet::new(),
            fired: BTreeSet::new(),
        };
        (played, traces.environment)
    }

    fn add(&self, explored: &mut Explored, steps: Vec<Step>, attempt: u64, outcome: Outcome) {
        if let Some(known) = explored.finding(outcome.requirement) {
            known.times += 1;
            return;
        }
        let after = explored.services[&self.service].requests;
        let case = Case { service: self.service, names: self.names ^ attempt, steps };
        explored.findings.push(Finding { outcome, after, times: 1, case });
    }
}

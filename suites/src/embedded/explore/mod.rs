//! Exploration: sequences of requests go to a target and to a model, which is a world of the simulator. An answer that the model
//! would not give is a finding, unless a variation explains it, or no sentence decides.

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
use crate::harness::run::trace;
use crate::harness::suite::FixtureMap;
use crate::harness::target::Target;
use crate::http::curl;
use crate::http::exchange::Broken;
use crate::http::hiding::Hidden;
use crate::services::SUITES;

use compare::{Difference, Exactness, Kind, Sent, difference};

/// The most steps of a sequence.
const LONGEST: usize = 10;

/// After so many sequences in a row without a request, there is nothing left to ask: a quota is used up, or fixtures are
/// missing.
const MUTE: u64 = 20;

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
    /// The names of the steps that lead to it.
    pub steps: Vec<&'static str>,
    /// The requests of its service before it was found.
    pub after: u64,
    /// How often it was met.
    pub times: u64,
}

/// One step of a sequence.
#[derive(Clone, Copy)]
struct Step {
    command: &'static Command,
    seed: [u8; 32],
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
    requests: u64,
) -> Result<Explored, String> {
    let all = SUITES.iter().map(|suite| suite.service);
    let services = if services.is_empty() { all.collect() } else { services };
    on_own_thread(async move || {
        let (settings, pace, services) = (&settings, &Pace::default(), &services);
        explore(&Plan { target: &target, settings, pace, services, requests, writes: true, first: false })
            .await
    })
    .await?
}

/// Explores a target.
pub async fn explore(plan: &Plan<'_>) -> Result<Explored, String> {
    let seed = plan.settings.seed;
    let mut explored = Explored { seed, ..Explored::default() };
    for &service in plan.services {
        let commands: Vec<&'static Command> =
            SUITES.get(service).commands.iter().filter(|command| plan.allows(command)).collect();
        explored.services.entry(service).or_default();
        if commands.is_empty() {
            continue;
        }
        let mut mute = 0;
        for number in 0.. {
            let before = explored.services[&service].requests;
            let has_found = plan.first && !explored.findings.is_empty();
            if before >= plan.requests || has_found || mute == MUTE || explored.unreachable.is_some() {
                break;
            }
            Box::pin(Explorer { plan, service, number }.sequence(&commands, &mut explored)).await?;
            mute = if explored.services[&service].requests == before { mute + 1 } else { 0 };
        }
    }
    explored.findings.sort_by_key(|finding| finding.outcome.requirement.key);
    Ok(explored)
}

impl Plan<'_> {
    /// A target in this process starts as the model does.
    fn exactness(&self) -> Exactness {
        if self.target.is_embedded() { Exactness::Equal } else { Exactness::Alike }
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
    number: u64,
}

impl Explorer<'_> {
    /// The steps of the sequence.
    fn steps(&self, commands: &[&'static Command]) -> Vec<Step> {
        let draw = |step| drawn(self.plan.settings.seed, self.service, self.number, step);
        let length = 1 + usize::from(draw(0)[0]) % LONGEST;
        let all: u32 = commands.iter().map(|command| command.weight).sum();
        let step = |n| {
            let seed = draw(n);
            let mut at = u32::from_be_bytes([seed[0], seed[1], seed[2], seed[3]]) % all;
            let command = commands.iter().find(|command| {
                let is_it = at < command.weight;
                at = at.wrapping_sub(command.weight);
                is_it
            });
            command.map(|command| Step { command, seed })
        };
        (1..=length).filter_map(step).collect()
    }

    /// The settings of the `attempt`th time that the sequence is sent: names and keys are new each time.
    fn settings(&self, fixtures: FixtureMap, attempt: u64) -> Settings {
        let seed = drawn(self.plan.settings.seed, self.service, self.number, usize::MAX);
        let seed = seed.iter().take(8).fold(attempt, |seed, byte| seed.rotate_left(8) ^ u64::from(*byte));
        let own = Settings::new(SUITES);
        let Settings { dialect, secrets, wrong, .. } = self.plan.settings.clone();
        Settings { seed, dialect, wrong, secrets, fixtures, ..own }
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

    /// Sends the sequence to both, and notes what they show.
    async fn sequence(self, commands: &[&'static Command], explored: &mut Explored) -> Result<(), String> {
        let mut steps = self.steps(commands);
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
            let (steps, outcome) = self.shrunk_related(steps, outcome, explored).await?;
            self.add(explored, &steps, outcome);
            return Ok(());
        };
        let before: usize = target.steps[..found.at.0].iter().map(|step| step.exchanges.len()).sum();
        counts.compared += (before + found.theirs + 1) as u64;
        if let Some(why) = self.undetermined(&steps, 0, (&model, &target), &found, &explored.adopted).await? {
            *counts.undetermined.entry(why).or_default() += 1;
            return Ok(());
        }
        steps.truncate(found.at.0 + 1);
        if !self.plan.first && found.row.is_none_or(|row| explored.finding(row).is_none()) {
            (target, found) = self.shrunk(&mut steps, (target, found), explored).await?;
        }
        if let Some(outcome) = self.outcome(&target, &found) {
            self.add(explored, &steps, outcome);
        }
        Ok(())
    }

    /// The shortest steps that lead to the same finding.
    async fn shrunk(
        &self,
        steps: &mut Vec<Step>,
        (mut target, mut found): (Played, Difference),
        explored: &mut Explored,
    ) -> Result<(Played, Difference), String> {
        for (attempt, without) in (1..).zip((0..steps.len() - 1).rev()) {
            let mut fewer = steps.clone();
            fewer.remove(without);
            let again = self.target(&fewer, attempt).await?;
            explored.services.entry(self.service).or_default().requests += again.requests();
            let model = self.model(&fewer, attempt, &[], &explored.adopted, false).await?;
            let next =
                difference(&model.steps, &again.steps, self.plan.exactness(), &self.plan.settings.dialect);
            if let Some(next) = next.filter(|next| next.row == found.row && next.kind == found.kind) {
                (*steps, target, found) = (fewer, again, next);
                steps.truncate(found.at.0 + 1);
            }
        }
        Ok((target, found))
    }

    /// The shortest steps whose answers contradict each other in the same way.
    async fn shrunk_related(
        &self,
        mut steps: Vec<Step>,
        mut outcome: Outcome,
        explored: &mut Explored,
    ) -> Result<(Vec<Step>, Outcome), String> {
        if self.plan.first || explored.finding(outcome.requirement).is_some() {
            return Ok((steps, outcome));
        }
        for (attempt, without) in (1..).zip((0..steps.len()).rev()) {
            let mut fewer = steps.clone();
            fewer.remove(without);
            let again = self.target(&fewer, attempt).await?;
            explored.services.entry(self.service).or_default().requests += again.requests();
            let next = self.related(&again).filter(|next| next.requirement == outcome.requirement);
            if let Some(next) = next {
                (steps, outcome) = (fewer, next);
            }
        }
        Ok((steps, outcome))
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

    fn add(&self, explored: &mut Explored, steps: &[Step], outcome: Outcome) {
        if let Some(known) = explored.finding(outcome.requirement) {
            known.times += 1;
            return;
        }
        let after = explored.services[&self.service].requests;
        let steps = steps.iter().map(|step| step.command.name).collect();
        explored.findings.push(Finding { outcome, steps, after, times: 1 });
    }
}

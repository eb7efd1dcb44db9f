//! Rehearsals: what a check did in a conforming world, with copies of that world in between.
//!
//! Until a deviation changes something, its world is the same as a conforming one. So a check against the deviation starts in
//! the last copy before that. The requests of its rehearsal are sent again until a response differs: up to then the check
//! would do the same. Then the check runs, gets these responses from memory, and goes on in that world.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use assay_sim::World;
use assay_sim::deviation::Deviation;
use assay_sim::seam::{Change, Seam};
use assay_sim::serve::{ClockMode, Handle};
use assay_sim::variation::Variation;
use assay_spec::Id;

use crate::harness::check::Check;
use crate::harness::control::Control;
use crate::harness::data::ControlError;
use crate::harness::environment::Environment;
use crate::harness::recording::{Call, Input, Json, Last, Moment, Recorder, Recording, Watch, Way};
use crate::http::connect::{Connect, Dial};
use crate::http::keep::Keeping;
use crate::http::transport;
use crate::services::SUITES;

/// The rehearsals of checks, by the key of their requirement.
#[derive(Debug, Default)]
pub(super) struct Rehearsals(Mutex<BTreeMap<u32, Arc<Rehearsal>>>);

/// What one check did.
#[derive(Debug)]
struct Rehearsal {
    recording: Arc<Recording>,
    ways: Vec<Option<Way>>,
    sites: BTreeMap<String, String>,
    copies: Vec<Copied>,
    seen: Seen,
}

/// A copy of the world.
#[derive(Clone, Debug)]
struct Copied {
    at: Moment,
    world: World,
    mode: ClockMode,
}

/// When something happened first.
#[derive(Clone, Copy, Debug)]
enum First {
    /// Before there was a copy of the world.
    AtBeginning,
    /// After this copy.
    After(usize),
}

/// When each rule and variation was first consulted, and when each edit would first have changed something.
#[derive(Clone, Debug, Default)]
struct Seen {
    consulted: BTreeMap<u32, First>,
    variations: BTreeMap<&'static str, First>,
    changes: BTreeMap<Change, First>,
}

impl Seen {
    fn find(&self, Difference { seam, row, change }: Difference) -> Option<First> {
        let found = match seam {
            Seam::Guard => self.consulted.get(&row?.key),
            Seam::Wire => self.variations.get(change.variation()?),
            _ => self.changes.get(&change),
        };
        found.copied()
    }
}

/// What makes a world different: a deviation or a variation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Difference {
    seam: Seam,
    row: Option<Id>,
    change: Change,
}

impl From<&Deviation> for Difference {
    fn from(deviation: &Deviation) -> Difference {
        Difference { seam: deviation.seam, row: Some(deviation.requirement), change: deviation.into() }
    }
}

impl From<&Variation> for Difference {
    fn from(variation: &Variation) -> Difference {
        Difference { seam: variation.seam, row: None, change: variation.into() }
    }
}

/// Where a check goes on.
#[derive(Clone, Debug)]
pub(super) struct Start {
    rehearsal: Arc<Rehearsal>,
    copy: usize,
}

impl Rehearsals {
    /// A recorder that makes the rehearsal of a check in the world of `handle`.
    pub(super) fn recorder(
        self: &Arc<Rehearsals>,
        check: &Check,
        handle: &Handle,
        sites: &BTreeMap<String, String>,
    ) -> Recorder {
        let mut progress = Progress::default();
        handle.read(|world| progress.see(world));
        Recorder::watched(Arc::new(Rehearsing {
            all: self.clone(),
            key: check.requirement.key,
            handle: handle.clone(),
            sites: sites.clone(),
            progress: Mutex::new(progress),
        }))
    }

    /// Whether a difference would change anything in a check.
    pub(super) fn meets(&self, check: &Check, difference: Difference) -> bool {
        self.lock().get(&check.requirement.key).is_some_and(|one| one.seen.find(difference).is_some())
    }

    /// Where checks may go on in worlds with a difference, by the key of their requirement. The others begin at the beginning.
    pub(super) fn starts(&self, checks: &[&Check], difference: Difference) -> BTreeMap<u32, Start> {
        let all = self.lock();
        let start = |check: &&Check| {
            let key = check.requirement.key;
            let rehearsal = all.get(&key)?;
            let First::After(copy) = rehearsal.seen.find(difference)? else { return None };
            Some((key, Start { rehearsal: rehearsal.clone(), copy }))
        };
        // Checks of a history share what they read at the beginning.
        let begins = |check: &&&Check| SUITES.get(check.requirement.service).prepared_by.is_none();
        checks.iter().filter(begins).filter_map(start).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u32, Arc<Rehearsal>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Start {
    /// The world and how its time moves.
    pub(super) fn world(&self) -> (World, ClockMode) {
        let Copied { world, mode, .. } = &self.rehearsal.copies[self.copy];
        (world.clone(), *mode)
    }

    /// The URLs of the sites when the check began.
    pub(super) fn sites(&self) -> &BTreeMap<String, String> {
        &self.rehearsal.sites
    }

    /// The moment of the copy.
    fn at(&self) -> Moment {
        self.rehearsal.copies[self.copy].at
    }

    /// Sends what was sent in the rehearsal from here on, while the answers are the same. Returns a recorder that replays all
    /// that was sent.
    pub(super) async fn follow(&self, environment: &Environment) -> Recorder {
        let Rehearsal { recording, ways, .. } = &*self.rehearsal;
        let resuming = |at, last| Recorder::resuming(recording.clone(), at, last);
        let mut at = self.at();
        let connector = Keeping::new(environment.connector.clone());
        if recording.calls[..at.calls].iter().any(sets_faults) {
            connector.end();
        }
        let control = environment.control.as_ref().map(Control::keeping);
        loop {
            let call = recording.calls.get(at.calls).filter(|call| call.after == at.exchanges);
            if let (Some(call), Some(control)) = (call, &control) {
                let Input::Control { method, path, body } = &call.asked else {
                    at.calls += 1;
                    continue;
                };
                if sets_faults(call) {
                    connector.end();
                }
                let answer = control.call(method, path, body.clone()).await;
                let answer = answer.as_ref().map(Json::from).map_err(ControlError::clone);
                let is_same = answer == call.answer;
                if !is_same && method == "GET" {
                    // The check may wait for another answer.
                    return resuming(at, None);
                }
                at.calls += 1;
                if !is_same {
                    return resuming(at, Some(Last::Answer(answer)));
                }
                continue;
            }
            let Some((exchange, Some(way))) =
                recording.exchanges.get(at.exchanges).zip(ways.get(at.exchanges))
            else {
                return resuming(at, None);
            };
            if exchange.cut.is_some() {
                return resuming(at, None);
            }
            at.exchanges += 1;
            let limits = connector.transport().within(&exchange.site, way.limits);
            let to = Dial { source: way.source, alone: false, ..Dial::to(&exchange.base) };
            let response = transport::send(&connector, to, &exchange.request, limits).await.response;
            if response != exchange.response {
                return resuming(at, Some(Last::Response(response)));
            }
        }
    }
}

/// Whether a call sets faults. A connection may end by a fault, so from then on each request has its own.
fn sets_faults(call: &Call) -> bool {
    matches!(&call.asked, Input::Control { method, path, .. } if method == "PUT" && path == "faults")
}

/// A rehearsal in progress.
struct Rehearsing {
    all: Arc<Rehearsals>,
    key: u32,
    handle: Handle,
    sites: BTreeMap<String, String>,
    progress: Mutex<Progress>,
}

#[derive(Default)]
struct Progress {
    seen: Seen,
    copies: Vec<Copied>,
    /// The last copy. It is kept if anything has changed since.
    last: Option<Copied>,
}

impl Progress {
    /// Notes what has been consulted, and what would have changed, since the last copy.
    fn see(&mut self, world: &World) {
        let first = if self.last.is_some() { First::After(self.copies.len()) } else { First::AtBeginning };
        let Seen { consulted, variations, changes } = &mut self.seen;
        let before = (consulted.len(), variations.len(), changes.len());
        for row in world.core.consulted() {
            consulted.entry(row.key).or_insert(first);
        }
        for variation in world.core.variations.consulted() {
            variations.entry(variation).or_insert(first);
        }
        for change in world.core.changes().into_iter().flatten() {
            changes.entry(*change).or_insert(first);
        }
        if before != (consulted.len(), variations.len(), changes.len()) {
            self.copies.extend(self.last.take());
        }
    }
}

impl Rehearsing {
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch for Rehearsing {
    fn moment(&self, at: Moment) {
        let mode = self.handle.mode();
        self.handle.read(|world| {
            // What is in progress belongs to a connection, which a copy does not have.
            if world.receiving() + world.waiting() + world.abroad() > 0 {
                return;
            }
            let mut progress = self.progress();
            progress.see(world);
            let mut world = world.clone();
            world.core.ignore_changes();
            progress.last = Some(Copied { at, world, mode });
        });
    }

    fn end(&self, recording: Recording, ways: Vec<Option<Way>>) {
        let mut progress = self.progress();
        self.handle.read(|world| progress.see(world));
        let Progress { seen, copies, .. } = std::mem::take(&mut *progress);
        let recording = Arc::new(recording);
        let rehearsal = Rehearsal { recording, ways, sites: self.sites.clone(), copies, seen };
        self.all.lock().insert(self.key, Arc::new(rehearsal));
    }
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use assay_sim::world;

    use super::*;
    use crate::embedded::Embedded;
    use crate::embedded::trial::each;
    use crate::harness::check::Run;
    use crate::harness::data::Verdict;
    use crate::harness::run::Ran;
    use crate::services;

    /// Everything that a check has received, and its verdict.
    fn received(ran: &Ran) -> impl PartialEq + std::fmt::Debug {
        let exchanges = ran.outcome.exchanges.iter().map(|one| (one.request.clone(), one.response.clone()));
        let calls = ran.outcome.calls.iter().map(|call| (call.asked.clone(), call.answer.clone()));
        let exchanges: Vec<_> = exchanges.collect();
        let calls: Vec<_> = calls.collect();
        (exchanges, calls, ran.outcome.verdict, ran.outcome.reason.clone())
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_check_that_goes_on_from_its_rehearsal_receives_what_it_would_receive_from_the_beginning() {
        const EVERY: usize = 11;
        const MOST: usize = 60;
        let settings = services::settings();
        let (base, rehearsals) = (Embedded::new(settings.seed, settings.dialect.clone()), Arc::default());
        let rehearsing = base.clone().rehearsing(Arc::clone(&rehearsals));
        let all = services::checks();
        let conforming = each(&rehearsing, &all, &settings, 2).await;
        let is_short = |check: &&&Check| {
            let ran = conforming.iter().find(|ran| ran.outcome.requirement == check.requirement);
            ran.is_some_and(|ran| ran.outcome.exchanges.len() < MOST)
        };
        let short: Vec<&'static Check> = all.iter().filter(is_short).copied().collect();
        let (mut tried, mut resumed) = (0, 0);
        for (n, deviation) in world::deviations().iter().step_by(EVERY).enumerate() {
            let met: Vec<_> =
                short.iter().filter(|check| rehearsals.meets(check, deviation.into())).collect();
            let Some(check) = met.get(n % met.len().max(1)) else { continue };
            let starts = rehearsals.starts(&[check], deviation.into());
            let name = deviation.to_string();
            let target = base.clone().with(from_ref(&name), &[]).expect("every deviation is known");
            let whole = each(&target, &[check], &settings, 1).await;
            resumed += starts.values().filter(|start| start.at() != Moment::default()).count();
            let again = each(&target.starting(starts), &[check], &settings, 1).await;
            assert_eq!(received(&again[0]), received(&whole[0]), "{name} in {}", check.requirement);
            tried += 1;
        }
        assert!(tried > 60 && resumed > 20, "{tried} {resumed}");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_check_that_does_not_repeat_its_rehearsal_is_an_error() {
        let settings = services::settings();
        let (base, rehearsals) = (Embedded::new(settings.seed, settings.dialect.clone()), Arc::default());
        let check = services::checks()[0];
        each(&base.clone().rehearsing(Arc::clone(&rehearsals)), &[check], &settings, 1).await;
        let starts = world::deviations().iter().find_map(|deviation| {
            let starts = rehearsals.starts(&[check], deviation.into());
            (!starts.is_empty()).then_some(starts)
        });
        let target = base.starting(starts.expect("a deviation changes something in the check"));
        let sends_nothing = Run::Once(|probe| Box::pin(async { probe.expect(true, "nothing", "", "") }));
        let other = Check::new(check.requirement, module_path!(), "sends_nothing", sends_nothing);
        let ran = each(&target, &[Box::leak(Box::new(other))], &settings, 1).await;
        let outcome = &ran[0].outcome;
        let said = &outcome.reason.said;
        assert_eq!(outcome.verdict, Verdict::Error, "{said}");
        assert!(said.contains("did not repeat its earlier run"), "{said}");
    }
}

//! The context of a check: requests, expectations, time, and fixtures of its own.

mod answer;
mod send;
mod shared;
mod talk;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use assay_spec::catalogue::service_at;
use assay_spec::limit::Limit;
use assay_spec::rejection::Rejection;
use assay_spec::value::ValueKind;
use assay_spec::{Dialect, Instant, Place};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::documents::endpoints;
use crate::harness::check::{Check, Checking, Stop};
use crate::harness::control::Control;
pub use crate::harness::data::Depth;
use crate::harness::data::{At, AtPlace, Failure, Part, Want};
use crate::harness::environment::Environment;
use crate::harness::pace::{Pace, TurnedAway};
use crate::harness::recording::{Call, Recorder};
use crate::harness::redact::Learned;
use crate::harness::suite::{FixtureMap, Fixtures, Suites};
use crate::http::connect::path_of;
use crate::http::exchange::{Broken, Exchange, Request, Response};
use crate::http::hiding::Hidden;
use crate::http::keep::Keeping;

pub use answer::{Answer, CONTENT, Evidence, Fetched, Held};
pub use shared::Shared;

/// Where the matrix checks of a run run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Places {
    /// At each place of their row; on a shared target where [`Check::places`] says.
    #[default]
    All,
    /// As on a shared target.
    Shared,
    /// At this place only.
    Only(Place),
}

/// Settings of a run that every check sees.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The services.
    pub suites: Suites,
    /// The seed of everything the checks draw.
    pub seed: u64,
    /// The target's words.
    pub dialect: Dialect,
    /// Nothing that writes is sent.
    pub read_only: bool,
    /// Where matrix checks run.
    pub places: Places,
    /// Which wrong values are sent.
    pub depth: Depth,
    /// Checks wait for what nothing can make pass faster.
    pub real_time: bool,
    /// Entries of the profile that the target does not confirm: by key, why the checks that rest on them are skipped.
    pub wrong: BTreeMap<String, String>,
    /// What the profile keeps secret; no outcome shows it.
    pub secrets: Hidden,
    /// The responses that several checks read.
    pub shared: Shared,
    /// The worlds of the checks of a service start equal, and the checks share what they read at the start.
    pub shares_start: bool,
    /// What the checks have learned; no outcome shows it.
    pub learned: Learned,
    /// What the checks of each service need from the profile.
    pub fixtures: FixtureMap,
}

impl Settings {
    /// The settings of a run in worlds of its own.
    pub fn new(suites: Suites) -> Settings {
        Settings {
            suites,
            seed: 0,
            dialect: Dialect::default(),
            read_only: false,
            places: Places::default(),
            depth: Depth::default(),
            real_time: false,
            wrong: BTreeMap::new(),
            secrets: Hidden::default(),
            shared: Shared::default(),
            shares_start: false,
            learned: Learned::default(),
            fixtures: FixtureMap::own(suites),
        }
    }

    /// The same settings with these fixtures of their service.
    #[must_use]
    pub fn with<T: Fixtures + Clone>(mut self, fixtures: T) -> Settings {
        *self.fixtures.get_mut::<T>() = fixtures;
        self
    }
}

/// The context of one check.
pub struct Probe<'run> {
    /// The check.
    pub check: &'static Check,
    /// The run's settings.
    pub settings: &'run Settings,
    /// Its connector is `keeping`.
    environment: Environment,
    keeping: Arc<Keeping>,
    /// The environment's control API, recorded.
    control: Option<Control>,
    recorder: Recorder,
    pace: &'run Pace,
    statistics: Mutex<Statistics>,
}

/// What a check does at its end, whatever its verdict is.
type AtEnd = for<'a> fn(&'a Probe) -> Checking<'a>;

#[derive(Default)]
struct Statistics {
    exchanges: Vec<Exchange>,
    notes: Vec<String>,
    cells: Vec<AtPlace>,
    expected: usize,
    judged: BTreeMap<usize, bool>,
    counterparts: usize,
    drawn: u64,
    skew_ms: Option<i64>,
    hidden: Hidden,
    /// Exchanges that another check has made.
    recalled: BTreeSet<usize>,
    /// The statuses 429 and 503, if this check wants to see them.
    wanted: BTreeSet<u16>,
    /// What the run's pace has counted this check's requests for.
    classes: BTreeSet<String>,
    /// The exchanges with a 429 after this run had reached the declared limit.
    at_limit: BTreeSet<usize>,
    /// The requests that the pace still reserves for this check, by class.
    reserved: BTreeMap<String, u32>,
    /// How long the run's own pace has held this check back behind its first request.
    held: Duration,
    /// When the check sent its first request.
    began: Option<tokio::time::Instant>,
    /// The exchanges whose `Retry-After` is longer than the longest wait, and its value.
    put_off: BTreeMap<usize, String>,
    at_end: Option<AtEnd>,
    /// The start of drawn values, in hex, and what they are for.
    roles: BTreeMap<String, String>,
}

/// The drawn bytes by which a value is recognized; no check uses fewer for a name.
const ROLE_BYTES: usize = 6;

/// What a check leaves behind.
pub struct Traces {
    /// Its exchanges.
    pub exchanges: Vec<Exchange>,
    /// Its other inputs.
    pub calls: Vec<Call>,
    /// What its recorder was asked for and does not hold.
    pub missed: Option<String>,
    /// Its notes.
    pub notes: Vec<String>,
    /// Its verdicts by place.
    pub cells: Vec<AtPlace>,
    /// How many expectations it stated.
    pub expected: usize,
    /// The exchanges about which it stated one, by index, and whether that was about its body.
    pub judged: BTreeMap<usize, bool>,
    /// How many counterparts it showed.
    pub counterparts: usize,
    /// What no report may show.
    pub hidden: Hidden,
    /// The exchanges that another check has made, by index.
    pub recalled: BTreeSet<usize>,
    /// The statuses 429 and 503, if it wanted to see them.
    pub wanted: BTreeSet<u16>,
    /// The exchanges with a 429 after this run had reached the declared limit, by index.
    pub at_limit: BTreeSet<usize>,
    /// How long the run's own pace has held it back behind its first request.
    pub held: Duration,
    /// The start of drawn values, in hex, and what they are for.
    pub roles: BTreeMap<String, String>,
    /// How long it took, from its first request.
    pub took: Duration,
    /// What it makes at the target ends after this time.
    pub lifetime: Option<&'static Limit>,
    /// The exchanges whose `Retry-After` is longer than the longest wait, by index, and its value.
    pub put_off: BTreeMap<usize, String>,
    /// Where it ran.
    pub environment: Environment,
}

impl<'run> Probe<'run> {
    /// The context of `check`, in `environment`.
    pub fn new(
        check: &'static Check,
        settings: &'run Settings,
        environment: Environment,
        pace: &'run Pace,
    ) -> Probe<'run> {
        let recorder = environment.recorder.clone();
        let keeping = Arc::new(Keeping::new(environment.connector));
        let control = environment.control.as_ref().map(Control::keeping);
        let environment = Environment { connector: keeping.clone(), control, ..environment };
        let control = environment.control.as_ref().map(|control| control.recorded(recorder.clone()));
        let statistics = Mutex::default();
        Probe { check, settings, environment, keeping, control, recorder, pace, statistics }
    }

    /// Ends the check.
    pub fn finish(self) -> Traces {
        let statistics = self.statistics.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        for (class, left) in &statistics.reserved {
            self.pace.release(class, *left);
        }
        let Statistics {
            exchanges,
            notes,
            cells,
            expected,
            judged,
            counterparts,
            hidden,
            recalled,
            wanted,
            at_limit,
            held,
            roles,
            began,
            put_off,
            ..
        } = statistics;
        let lifetime = (self.settings.suites.get(self.check.requirement.service).lifetime)(self.check);
        let took = began.map(|began| began.elapsed()).unwrap_or_default();
        let ((calls, missed), environment) = (self.recorder.end(), self.environment);
        Traces {
            exchanges,
            calls,
            missed,
            notes,
            cells,
            expected,
            judged,
            counterparts,
            hidden,
            recalled,
            wanted,
            at_limit,
            held,
            roles,
            took,
            lifetime,
            put_off,
            environment,
        }
    }

    /// At its end the check does this, such as to free what others use too.
    pub(crate) fn at_end(&self, end: AtEnd) {
        self.statistics(|statistics| statistics.at_end = Some(end));
    }

    /// Does what the check does at its end. That it fails does not change the verdict.
    pub(crate) async fn leave(&self) {
        if let Some(end) = self.statistics(|statistics| statistics.at_end.take()) {
            let _ = end(self).await;
        }
    }

    fn statistics<T>(&self, with: impl FnOnce(&mut Statistics) -> T) -> T {
        with(&mut self.statistics.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    /// Ends the check if the target does not confirm this entry of the profile, or one of its elements.
    pub fn rest_on(&self, key: &str) -> Result<(), Stop> {
        let is_of = |name: &&String| {
            let rest = name.strip_prefix(key);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
        };
        let mut wrong = self.settings.wrong.iter().filter(|(name, _)| is_of(name));
        wrong.next().map_or(Ok(()), |(_, why)| Err(Stop::NotTestable(why.clone())))
    }

    /// The control API of this environment.
    pub fn control(&self) -> Result<&Control, Stop> {
        self.control.as_ref().ok_or_else(|| Stop::NotTestable("needs a control API".to_owned()))
    }

    /// Whether this environment has a control API.
    pub fn has_control(&self) -> bool {
        self.control.is_some()
    }

    /// The state of a service from the control API; null without a control API. Reports hide the keys in the response.
    pub async fn view(&self, service: &str) -> Value {
        self.view_when(service, |_| true).await
    }

    /// As [`Probe::view`], once the service's state is what is waited for, or after some seconds.
    pub async fn view_when(&self, service: &str, is: impl Fn(&Value) -> bool) -> Value {
        let Ok(control) = self.control() else { return Value::Null };
        // Other services may show much.
        let path = format!("state?service={service}");
        let mut state = control.poll(&path, |state| is(&state[service])).await.unwrap_or_default();
        for (kind, name) in [("valid", "key"), ("revoked", "revoked key")] {
            if let Some(key) = state["gateway"]["keys"][kind].as_str() {
                self.hide(name, key);
            }
        }
        if !state.is_object() && !state.is_null() {
            self.note("the control API's `state` is not a JSON object, so nothing was read from it");
        }
        state.get_mut(service).map(Value::take).unwrap_or_default()
    }

    /// The path prefix of a site's base URL, without a trailing slash.
    pub fn prefix(&self, site: &str) -> String {
        self.environment.sites.get(site).and_then(|base| path_of(base)).unwrap_or_default()
    }

    /// Whether what this check reads now is the same for other checks: they share the target, or it has done nothing yet in a
    /// world that starts as theirs.
    pub fn may_share_reads(&self) -> bool {
        let is_at_start =
            || !self.recorder.has_called() && self.statistics(|statistics| statistics.exchanges.is_empty());
        !self.environment.own || self.settings.shares_start && is_at_start()
    }

    /// Whether time at this environment is the check's own, so that nothing is waited for.
    pub fn owns_time(&self) -> bool {
        self.environment.own
    }

    /// Whether a check may choose the address from which it asks `site`.
    pub fn forwards(&self, site: &str) -> bool {
        self.environment.forwarding.contains_key(site)
    }

    /// Whether one more drop counts against the hour of this machine's address; `false` where the run has spent all but
    /// those that are `reserved`.
    pub fn drop_one(&self, reserved: usize) -> bool {
        let one = || {
            self.pace.drop_one(reserved).then_some(Value::Bool(true)).ok_or_else(|| "none left".to_owned())
        };
        self.share("drop.hour", one).is_ok()
    }

    /// Whether this run has sent as many drops in the last hour as the declared limit allows.
    pub fn has_no_drop_left(&self) -> bool {
        let none = || {
            self.pace.has_no_drop_left().then_some(Value::Bool(true)).ok_or_else(|| "some left".to_owned())
        };
        self.share("drop.hour.full", none).is_ok()
    }

    /// Why a check ends at a 429 for which it has no use.
    pub fn turned_away(&self, answer: &Answer<'_>) -> Stop {
        if self.statistics(|statistics| statistics.at_limit.contains(&answer.index)) {
            return Stop::NotTestable(
                "this run has reached the declared rate limit (429): run again later".to_owned(),
            );
        }
        Stop::Inconclusive(
            "the target returned 429, although this run has sent less than the declared limit: lower the limit in \
             the profile if the target's is lower"
                .to_owned(),
        )
    }

    /// Why the last exchange has no response.
    pub(crate) fn broken(&self) -> Option<Broken> {
        self.statistics(|statistics| statistics.exchanges.last()?.response.as_ref().err().cloned())
    }

    /// Whether all wrong values are sent.
    pub(crate) fn sends_all(&self) -> bool {
        self.settings.depth != Depth::Quick
    }

    /// The wrong values of the check's requirement that are sent.
    pub(crate) fn wrong_values(&self) -> impl Iterator<Item = &'static ValueKind> {
        let all = self.sends_all();
        self.check.requirement.values.iter().filter(move |wrong| all || !wrong.is_beyond_quick)
    }

    /// Of what is tried at each place of a row: all, or at quick depth at least one and about a third, so that each is tried at
    /// some place.
    pub(crate) fn some_at<T>(
        &self,
        place: Place,
        all: impl IntoIterator<Item = T>,
    ) -> impl Iterator<Item = T> {
        let all: Vec<T> = all.into_iter().collect();
        let at = self.check.requirement.places.iter().position(|known| *known == place).unwrap_or_default();
        let step = if self.sends_all() { 1 } else { all.len().clamp(1, 3) };
        all.into_iter().skip(at % step).step_by(step)
    }

    /// Whether answers come from a recording.
    pub(crate) fn plays(&self) -> bool {
        self.recorder.plays()
    }

    /// This check's part of something that the checks of a run share; an error if none is left.
    pub fn share(&self, what: &str, get: impl FnOnce() -> Result<Value, String>) -> Result<Value, String> {
        self.recorder.share(what, get)
    }

    /// Waits until one more request may go to a site.
    pub(crate) async fn wait_for(&self, site: &str, base: &str, request: &Request) -> Result<(), Stop> {
        if self.environment.own || self.recorder.plays() {
            return Ok(());
        }
        for counted in self.pace.counted_for(self.class(site, base, request)) {
            self.wait_for_class(counted).await?;
        }
        Ok(())
    }

    /// What the pace calls a request: its site, or the class that has a limit of its own.
    fn class<'a>(&self, site: &'a str, base: &str, request: &Request) -> &'a str {
        let dialect = &self.settings.dialect;
        let endpoint = endpoints::find(dialect, site, base, &request.method, &request.target);
        let apart = service_at(site).map_or(&[][..], |service| self.settings.suites.get(service).sites.apart);
        let of = |endpoint| apart.iter().find(|apart| (apart.holds)(endpoint));
        endpoint.and_then(of).map_or(site, |apart| apart.class)
    }

    /// How many requests of a class this check may send.
    fn most_of(&self, class: &str) -> u32 {
        let most = self.check.costs().most(self.settings.depth, self.pace.has_pending());
        let sites = &self.settings.suites.get(self.check.requirement.service).sites;
        let apart = sites.apart.iter().find(|apart| apart.class == class);
        match apart {
            Some(apart) if apart.are_writes => most.writes,
            Some(_) => 1,
            None if sites.apart.iter().any(|apart| apart.are_writes) && !self.pace.is_one(class) => {
                most.requests.saturating_sub(most.writes)
            }
            None => most.requests,
        }
    }

    async fn wait_for_class(&self, class: &str) -> Result<(), Stop> {
        let turned_away = |why: TurnedAway| Stop::Inconclusive(format!("{class}: {why}"));
        let is_new = self.statistics(|statistics| statistics.classes.insert(class.to_owned()));
        let began = tokio::time::Instant::now();
        // State that a check creates can expire while the check waits, so it starts only when there is room for all of it.
        if is_new {
            let reserved = self.pace.start(class, self.most_of(class)).await.map_err(turned_away)?;
            self.statistics(|statistics| statistics.reserved.insert(class.to_owned(), reserved));
        } else {
            let is_reserved = self.statistics(|statistics| {
                let left = statistics.reserved.get_mut(class).filter(|left| **left > 0);
                left.map(|left| *left -= 1).is_some()
            });
            self.pace.go_on(class, is_reserved).await.map_err(turned_away)?;
        }
        self.statistics(|statistics| {
            if statistics.exchanges.is_empty() {
                statistics.began = Some(tokio::time::Instant::now());
            } else {
                statistics.held += began.elapsed();
            }
        });
        Ok(())
    }

    /// Replaces `value`, in whatever encoding, by `name` in every report of this check.
    pub fn hide(&self, name: &'static str, value: &str) {
        self.statistics(|statistics| statistics.hidden.add_secret(name, value));
    }

    /// As [`Probe::hide`], where the check judges the value's form: reports for programs contain another value
    /// of the same form.
    pub fn disguise(&self, name: &'static str, value: &str) {
        let seed = self.draw_once("disguise");
        self.statistics(|statistics| statistics.hidden.disguise(name, value, &seed));
    }

    /// Waits until there is room for so many more requests to a site, and reserves it: what the first one changes may expire
    /// before the last.
    pub(crate) async fn reserve(&self, site: &str, count: u32) -> Result<(), Stop> {
        if self.environment.own || self.recorder.plays() {
            return Ok(());
        }
        if let Some(left) = self.statistics(|statistics| statistics.reserved.remove(site)) {
            self.pace.release(site, left);
        }
        let turned_away = |why: TurnedAway| Stop::Inconclusive(format!("{site}: {why}"));
        let reserved = self.pace.start(site, count).await.map_err(turned_away)?;
        self.statistics(|statistics| statistics.reserved.insert(site.to_owned(), reserved));
        Ok(())
    }

    /// Whether this environment has a site of that name.
    pub fn sees(&self, site: &str) -> bool {
        self.environment.sites.contains_key(site)
    }

    /// The target's time: from its control API, or the wall clock, corrected by the `Date` header once one was seen.
    pub async fn now(&self) -> Result<Instant, Stop> {
        if let Some(control) = &self.control {
            return control.now().await.map(Instant).map_err(Stop::from);
        }
        Ok(self.recorder.clock(wall_clock) + self.skew_ms())
    }

    /// Whether this check has seen the target's clock.
    pub fn knows_clock(&self) -> bool {
        self.statistics(|statistics| statistics.skew_ms.is_some())
    }

    /// How far the target's clock is ahead of this machine's, as far as this check knows.
    pub fn skew_ms(&self) -> i64 {
        self.statistics(|statistics| statistics.skew_ms).unwrap_or_default()
    }

    /// Takes over what another check has learnt of the target's clock.
    pub fn set_skew(&self, ahead_ms: i64) {
        self.statistics(|statistics| statistics.skew_ms = Some(ahead_ms));
    }

    /// Learns the target's clock from a `Date` header, unless the control API gives the time.
    pub fn learn_clock(&self, response: &Response) {
        if self.has_control() {
            // The control API gives the time.
            return self.set_skew(0);
        }
        let date = response.header("date").and_then(|date| httpdate::parse_http_date(date).ok());
        if let Some(since) = date.and_then(|date| date.duration_since(std::time::UNIX_EPOCH).ok()) {
            let skew = since.as_millis() as i64 - self.recorder.clock(wall_clock).0;
            // A `Date` has whole seconds; less than two say nothing.
            self.statistics(|statistics| statistics.skew_ms = Some(if skew.abs() < 2000 { 0 } else { skew }));
        }
    }

    /// Moves the target's time forward; in a run in real time, waits.
    pub async fn advance(&self, by: Duration) -> Result<(), Stop> {
        if !self.has_control() && self.recorder.plays() {
            return Ok(());
        }
        if !self.has_control() && self.settings.real_time {
            tokio::time::sleep(by).await;
            return Ok(());
        }
        self.control()?.advance(by.as_millis() as i64).await.map_err(Stop::from)
    }

    /// Reads something until it `is_ready`, and returns it as it is then. A target may still be processing what was written,
    /// and its nodes may lag behind each other, so it is read once a second: `most` times, in a world of its own ten times.
    pub async fn polled<T>(
        &self,
        most: u32,
        read: impl AsyncFn() -> Result<T, Stop>,
        is_ready: impl Fn(&T) -> bool,
    ) -> Result<T, Stop> {
        const PAUSE: Duration = Duration::from_secs(1);
        let most = if self.owns_time() { 10 } else { most };
        for _ in 1..most {
            let found = read().await?;
            if is_ready(&found) {
                return Ok(found);
            }
            if self.owns_time() {
                self.advance(PAUSE).await?;
            } else if !self.plays() {
                tokio::time::sleep(PAUSE).await;
            }
        }
        read().await
    }

    /// Sets exactly these faults. A connection may end by a fault, so from now on each request has its own.
    pub async fn faults(&self, faults: Value) -> Result<(), Stop> {
        self.keeping.end();
        self.control()?.faults(faults).await.map_err(Stop::from)
    }

    /// Asks for an operator's action.
    pub async fn perform(&self, action: &str, arguments: Value) -> Result<Value, Stop> {
        self.control()?.perform(action, arguments).await.map_err(Stop::from)
    }

    /// Waits until that many requests wait at the target.
    pub async fn until_waiting(&self, count: usize) -> Result<(), Stop> {
        let path = format!("waiting?at_least={count}");
        self.control()?
            .call("GET", &path, None)
            .await
            .map(drop)
            .map_err(|why| Stop::Inconclusive(why.to_string()))
    }

    /// 32 bytes of this check's own: the same for the same seed, check and number of draws before.
    pub fn draw(&self, stream: &str) -> [u8; 32] {
        let n = self.statistics(|statistics| {
            statistics.drawn += 1;
            statistics.drawn
        });
        self.drawn_for(stream, self.draw_nth(self.settings.seed, stream, n))
    }

    /// 32 bytes of this check's own: the same whenever they are drawn.
    pub fn draw_once(&self, stream: &str) -> [u8; 32] {
        self.drawn_for(stream, self.draw_nth(self.settings.seed, stream, 0))
    }

    /// 32 bytes that every check of the run draws alike.
    pub fn draw_for_all(&self, stream: &str) -> [u8; 32] {
        self.drawn_for(stream, drawn(stream, "", self.settings.seed, 0))
    }

    /// Notes what drawn bytes are for: their hex form is a value of this run alone, so causes show the role instead.
    fn drawn_for(&self, role: &str, bytes: [u8; 32]) -> [u8; 32] {
        let start = assay_spec::crypto::text::hex(&bytes[..ROLE_BYTES]);
        self.statistics(|statistics| statistics.roles.insert(start, role.to_owned()));
        bytes
    }

    /// The `n`th 32 bytes for a choice that decides how much is sent: the same in every run, so that a plan is exact.
    pub fn choose(&self, stream: &str, n: u64) -> [u8; 32] {
        self.draw_nth(1, stream, n)
    }

    fn draw_nth(&self, seed: u64, stream: &str, n: u64) -> [u8; 32] {
        drawn(stream, &self.check.requirement.to_string(), seed, n)
    }

    /// The rejection that the check declares.
    ///
    /// # Panics
    ///
    /// If the check is not declared by `#[rejects]`.
    pub fn rejection(&self) -> &'static Rejection {
        self.check.rejection().expect("a check that expects a rejection is declared by `#[rejects]`")
    }

    /// Notes what was met where several answers are allowed.
    pub fn note(&self, note: impl Into<String>) {
        self.statistics(|statistics| statistics.notes.push(note.into()));
    }

    /// How many exchanges have begun so far.
    #[cfg(feature = "embedded")]
    pub(crate) fn begun(&self) -> usize {
        self.statistics(|statistics| statistics.exchanges.len())
    }

    /// How many expectations and counterparts it has stated so far.
    pub(crate) fn stated(&self) -> (usize, usize) {
        self.statistics(|statistics| (statistics.expected, statistics.counterparts))
    }

    /// Notes the verdict at one place.
    pub(crate) fn note_cell(&self, cell: AtPlace) {
        self.statistics(|statistics| statistics.cells.push(cell));
    }

    /// States an expectation about no exchange in particular.
    pub fn expect(
        &self,
        holds: bool,
        at: impl Into<At>,
        want: impl Into<Want>,
        got: impl Into<String>,
    ) -> Result<(), Stop> {
        self.state(holds, at.into(), want.into(), got.into(), None)
    }

    /// A precondition about the last response: without it the check is inconclusive.
    pub fn given(&self, holds: bool, what: impl Into<String>) -> Result<(), Stop> {
        self.given_some(holds.then_some(()), what)
    }

    /// As [`Probe::given`]: a value that the last response must have.
    pub fn given_some<T>(&self, value: Option<T>, what: impl Into<String>) -> Result<T, Stop> {
        let last = || self.statistics(|statistics| statistics.exchanges.len().checked_sub(1));
        value.ok_or_else(|| Stop::unmet(what, last()))
    }

    /// What a target may lack without breaking a rule, such as a list with elements: without it the check is not
    /// testable.
    pub fn found(&self, holds: bool, what: impl Into<String>) -> Result<(), Stop> {
        if holds { Ok(()) } else { Err(Stop::NotTestable(what.into())) }
    }

    /// What no row demands of the last response, and no document lets the target lack: without it the check is
    /// inconclusive.
    pub fn conclusive(&self, holds: bool, what: impl Into<String>) -> Result<(), Stop> {
        if holds { Ok(()) } else { Err(Stop::Inconclusive(what.into())) }
    }

    /// Counts a counterpart: the rule accepts the rejected request without its one fault.
    pub fn counterpart(&self, holds: bool, what: impl Into<String>) -> Result<(), Stop> {
        self.statistics(|statistics| statistics.counterparts += 1);
        self.given(holds, what)
    }

    fn state(
        &self,
        holds: bool,
        at: At,
        want: Want,
        got: String,
        exchange: Option<usize>,
    ) -> Result<(), Stop> {
        self.statistics(|statistics| {
            statistics.expected += 1;
            let named = want.statuses.named().iter().copied();
            statistics.wanted.extend(named.filter(|status| matches!(status, 429 | 503)));
            if let Some(exchange) = exchange {
                *statistics.judged.entry(exchange).or_default() |= at.part == Part::Content;
            }
        });
        if holds { Ok(()) } else { Err(Stop::Fail(Failure::new(at, want, got, exchange))) }
    }
}

/// The machine's time.
pub fn wall_clock() -> Instant {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Instant(since.as_millis() as i64)
}

/// The `n`th 32 bytes for a purpose of a check.
fn drawn(stream: &str, requirement: &str, seed: u64, n: u64) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in [stream, requirement, &seed.to_string(), &n.to_string()] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::Arc;

    use super::*;
    use crate::harness::recording::Recording;
    use crate::services;

    #[test]
    fn at_quick_depth_each_value_is_sent_at_some_place_and_each_place_gets_one() {
        let check = services::check(&assay_spec::network::requirements::envelope::TYPE).expect("a check");
        let pace = Pace::default();
        for (count, depth) in [(1, Depth::Quick), (2, Depth::Quick), (7, Depth::Quick), (7, Depth::Standard)]
        {
            let settings = Settings { depth, ..services::settings() };
            let environment = Environment::nowhere(false, Recorder::default());
            let probe = Probe::new(check, &settings, environment, &pace);
            let at = |place: &Place| probe.some_at(*place, 0..count).collect::<Vec<i32>>();
            let sent: Vec<Vec<i32>> = check.requirement.places.iter().map(at).collect();
            let most = if depth == Depth::Quick { (count as usize).div_ceil(3) } else { count as usize };
            assert!(sent.iter().all(|some| (1..=most).contains(&some.len())), "{count}: {sent:?}");
            let all: BTreeSet<i32> = sent.into_iter().flatten().collect();
            assert_eq!(all.len(), count as usize, "{depth:?}");
        }
    }

    #[tokio::test]
    async fn what_may_still_be_processed_is_read_again_up_to_a_limit() {
        let (settings, pace) = (services::settings(), Pace::default());
        // Whether the check owns its world, the limit, at which read it is ready, and how often it is read.
        for (own, most, ready, reads) in
            [(false, 5, 3, 3), (false, 5, 1, 1), (false, 5, 9, 5), (true, 1, 3, 3)]
        {
            // A recording is read without a pause.
            let environment =
                Environment::nowhere(own, Recorder::playing(Recording::default(), Arc::default()));
            let probe = Probe::new(services::checks()[0], &settings, environment, &pace);
            let count = Cell::new(0);
            let read = async || {
                count.set(count.get() + 1);
                Ok(count.get())
            };
            let found = probe.polled(most, read, |n| *n >= ready).await;
            assert_eq!((found.ok(), count.get()), (Some(reads), reads), "{own} {most} {ready}");
        }
    }
}

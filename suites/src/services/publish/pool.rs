//! The domains of a profile by state: free, in use, locked by a prepare, or without a publish left.
//!
//! Without a control API all checks share these domains. A check draws one in the state that it needs. A publish that it
//! prepared and did not submit is submitted when the check draws again or ends, so the domain is free for the next check.
//! Rows about the response to an ordinary prepare read the same response.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use assay_spec::Instant as Time;
use assay_spec::crypto::ed25519;
use assay_spec::publish::limits::{PREPARE_LIFETIME, PUBLISHES};
use assay_spec::publish::places::{ACCEPT, PUB, TRANSFER};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::trip;
use super::wire::{Draft, read_record};
use super::{
    Caller, Fixtures, MOST_DOMAINS, PREPARE, PREPARED, Prepared, SUBMIT, accept_body, confirmed, fresh_key,
    publish_body, submit_body, transfer_body,
};
use crate::harness::check::{Checked, Stop};
use crate::harness::probe::{Answer, Probe};
use crate::http::exchange::{Exchange, Request};
use crate::support::draw::rank;

/// How long a domain counts as locked: a prepare's lifetime, and some seconds for a server whose timer is late.
const LOCKED: Duration = Duration::from_millis(PREPARE_LIFETIME.u64() + 5000);
/// The pause before a check in real time looks again for a free domain.
const PAUSE: Duration = Duration::from_millis(250);
/// With so many domains a run shows that what is rejected locks nothing: that takes about 30 publishes.
const LARGE: usize = 4;
/// How many domains stay free while others are locked: no check needs more.
const FREE: usize = 2;

/// The names of domains, and whether this run has yet to ask if each is free.
type Held = Vec<(String, bool)>;
/// Why no domain is free, and whether one may become free in this run.
type WhyNone = (String, bool);

/// What a check does with a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Its requests lock nothing.
    Knock,
    /// It prepares what can be submitted, so that the domain is free again.
    Publish,
    /// It prepares what is not submitted, so the domain stays locked for a minute.
    Lock,
}

/// Domains of a profile that checks share.
#[derive(Debug, Default)]
pub struct Pool {
    domains: Mutex<Vec<Domain>>,
    kept: Mutex<BTreeMap<String, Kept>>,
    left: Mutex<Vec<String>>,
}

#[derive(Debug, Default)]
struct Domain {
    name: String,
    /// The check that uses it, and how many of its clients do.
    held: Option<(u32, usize)>,
    /// This run has asked whether it is free.
    is_known: bool,
    /// It was locked by a publish of others when this run asked.
    was_locked: bool,
    /// Its key may do nothing before an operator confirms a transfer.
    is_frozen: bool,
    /// How many prepares of this run were accepted; all of a day if the target says that they are used up.
    publishes: i64,
    prepare: Option<Unused>,
    locked_until: Option<Instant>,
}

/// An accepted prepare that is not submitted.
#[derive(Clone, Debug)]
struct Unused {
    /// The check that has made it.
    check: u32,
    prepared: Prepared,
    was_tried: bool,
}

impl Domain {
    fn is_free(&self, check: u32, purpose: Purpose, now: Instant) -> bool {
        let is_usable = !self.is_frozen && (purpose == Purpose::Knock || !self.has_no_publish_left());
        let is_others = self.held.is_some_and(|(by, _)| by != check);
        is_usable && !is_others && self.locked_until.is_none_or(|until| until <= now)
    }

    fn has_no_publish_left(&self) -> bool {
        self.publishes >= PUBLISHES.value
    }
}

/// A response that several checks read.
#[derive(Clone, Debug)]
struct Kept {
    about: About,
    /// The prepare, or a submit alone.
    first: Exchange,
    submit: Option<Exchange>,
}

/// What a check must know of a response to read it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct About {
    domain: String,
    body: Value,
    /// The target's time before and after the request, in milliseconds.
    sent: [i64; 2],
    has_submit: bool,
    /// The second key has signed it.
    #[serde(default)]
    by_second: bool,
    /// It is a submit alone.
    #[serde(default)]
    is_submit: bool,
}

/// A check's use of a domain; it ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Lease {
    pool: Arc<Pool>,
    name: String,
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.pool.with(&self.name, |domain| {
            domain.held = domain.held.and_then(|(by, count)| (count > 1).then_some((by, count - 1)));
        });
    }
}

/// The response to a prepare, and that to its submit if it was submitted.
pub(crate) struct Talk<'p> {
    pub(crate) caller: Caller,
    pub(crate) body: Value,
    pub(crate) answer: Answer<'p>,
    /// The target's time before and after the prepare.
    pub(crate) sent: [Time; 2],
    submit: Option<Answer<'p>>,
}

impl<'p> Talk<'p> {
    /// Sends a prepare.
    pub(crate) async fn begin(probe: &'p Probe<'_>, caller: &Caller, body: &Value) -> Result<Talk<'p>, Stop> {
        let (before, skew_ms) = (probe.now().await?, probe.skew_ms());
        let answer = Draft::new(probe, caller, PREPARE, body.to_string()).await?.transmit(probe).await?;
        // The answer may be the first that shows the target's clock.
        let before = before + (probe.skew_ms() - skew_ms);
        let sent = [before, probe.now().await?];
        Ok(Talk { caller: caller.clone(), body: body.clone(), answer, sent, submit: None })
    }

    /// The response to one request.
    pub(super) fn only(caller: &Caller, answer: Answer<'p>) -> Talk<'p> {
        Talk { caller: caller.clone(), body: Value::Null, answer, sent: [Time(0); 2], submit: None }
    }

    /// With the response to its submit.
    pub(super) fn submit(&mut self, answer: Answer<'p>) {
        self.submit = Some(answer);
    }

    pub(super) fn has_submit(&self) -> bool {
        self.submit.is_some()
    }

    /// Whether its submit was accepted.
    pub(super) fn has_landed(&self) -> bool {
        self.submit.as_ref().is_some_and(|answer| answer.status() == 200)
    }

    /// What was prepared; otherwise the check is inconclusive.
    pub(crate) fn prepared(&self, probe: &Probe<'_>) -> Result<Prepared, Stop> {
        self.answer.given_accepted(&[200], PREPARED)?;
        super::read_prepared(probe, &self.answer.json())
    }

    /// Submits what was prepared, unless it was submitted.
    pub(crate) async fn submitted(
        self,
        probe: &'p Probe<'_>,
    ) -> Result<(Caller, Prepared, Answer<'p>), Stop> {
        let prepared = self.prepared(probe)?;
        let answer = match self.submit {
            Some(answer) => answer,
            None => super::submit(probe, &self.caller, &submit_body(&prepared, &self.caller)).await?,
        };
        Ok((self.caller, prepared, answer))
    }
}

impl Pool {
    /// The domains with these names.
    pub fn new(names: impl IntoIterator<Item = String>) -> Pool {
        let domains = names.into_iter().map(|name| Domain { name, ..Domain::default() }).collect();
        Pool { domains: Mutex::new(domains), ..Pool::default() }
    }

    /// The names of its domains.
    pub fn names(&self) -> Vec<String> {
        self.lock().iter().map(|domain| domain.name.clone()).collect()
    }

    /// Keeps the domains for which `is_kept`, by number and name.
    pub fn retain(&self, is_kept: impl Fn(usize, &str) -> bool) {
        let mut numbers = 0..;
        self.lock().retain(|domain| numbers.next().is_some_and(|n| is_kept(n, &domain.name)));
    }

    /// Whether there are publishes enough for a proof that what is rejected locks nothing.
    pub(super) fn is_large(&self) -> bool {
        self.lock().len() >= LARGE
    }

    /// Notes that a domain is locked.
    pub(super) fn lock_now(&self, name: &str) {
        self.with(name, |domain| domain.locked_until = Some(Instant::now() + LOCKED));
    }

    /// The seed draws which domains are used first, where a run does not use all.
    pub fn shuffle(&self, seed: u64) {
        let mut domains = self.lock();
        if domains.len() > MOST_DOMAINS {
            domains.sort_by_key(|domain| rank(seed, &domain.name));
        }
    }

    /// How many of the domains a run has used, if the seed has drawn them.
    pub(super) fn used(&self) -> Option<String> {
        let domains = self.lock();
        let (used, all) = (domains.iter().filter(|domain| domain.is_known).count(), domains.len());
        let is_drawn = all > MOST_DOMAINS && (1..all).contains(&used);
        is_drawn.then(|| format!("publish: {used} of {all} domains were used; the seed draws them"))
    }

    /// Forgets the responses that checks share.
    pub fn forget(&self) {
        self.kept().clear();
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Domain>> {
        self.domains.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it has a response that checks share.
    pub(super) fn has_kept(&self) -> bool {
        !self.kept().is_empty()
    }

    /// Notes in what state a run leaves a domain, if that is another state than before.
    pub(super) fn leave(&self, state: String) {
        self.left.lock().unwrap_or_else(PoisonError::into_inner).push(state);
    }

    /// What [`Pool::leave`] has noted.
    pub(super) fn left(&self) -> Vec<String> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Keeps a response for other checks.
    pub(super) fn keep(&self, fixtures: &Fixtures, name: &str, talk: &Talk<'_>) {
        let (first, submit) = (talk.answer.exchange(), talk.submit.as_ref().map(Answer::exchange));
        let second = fixtures.second_key.map(ed25519::key_from_seed);
        let about = About {
            domain: talk.caller.domain.clone(),
            body: talk.body.clone(),
            sent: talk.sent.map(|time| time.0),
            has_submit: submit.is_some(),
            by_second: second.is_some_and(|key| key == talk.caller.key),
            is_submit: first.request.target.ends_with(SUBMIT),
        };
        self.kept().insert(name.to_owned(), Kept { about, first, submit });
    }

    fn kept(&self) -> MutexGuard<'_, BTreeMap<String, Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether another client's prepare locks a domain.
    fn is_locked(&self, name: &str) -> bool {
        let domains = self.lock();
        let domain = domains.iter().find(|domain| domain.name == name);
        domain.is_some_and(|domain| domain.was_locked && domain.locked_until.is_some() && !domain.is_frozen)
    }

    fn with(&self, name: &str, change: impl FnOnce(&mut Domain)) {
        if let Some(domain) = self.lock().iter_mut().find(|domain| domain.name == name) {
            change(domain);
        }
    }

    /// Holds a domain for each purpose, and says whether this run has yet to ask if it is free. An error says why there is
    /// none, and whether there may be one later.
    fn hold(&self, check: u32, purposes: &[Purpose], is_patient: bool) -> Result<Held, WhyNone> {
        let (now, mut domains) = (Instant::now(), self.lock());
        let mut held: Vec<usize> = Vec::new();
        for purpose in purposes {
            let is_free = |n: &usize| !held.contains(n) && domains[*n].is_free(check, *purpose, now);
            let free: Vec<usize> = (0..domains.len()).filter(is_free).take(MOST_DOMAINS).collect();
            let stays_free = if is_patient { 0 } else { FREE.min(domains.len().saturating_sub(1)) };
            let found = match purpose {
                Purpose::Lock if free.len() + held.len() <= stays_free => None,
                Purpose::Lock => free.last().copied(),
                Purpose::Knock | Purpose::Publish => {
                    free.iter().copied().find(|n| domains[*n].is_known).or(free.first().copied())
                }
            };
            let Some(found) = found else { return Err(why_none(&domains, purposes)) };
            held.push(found);
        }
        let hold = |(n, purpose): (usize, &Purpose)| {
            let domain = &mut domains[n];
            domain.held = Some((check, domain.held.map_or(1, |(_, count)| count + 1)));
            (domain.name.clone(), !domain.is_known && *purpose != Purpose::Knock)
        };
        Ok(held.into_iter().zip(purposes).map(hold).collect())
    }

    /// As [`Pool::hold`]; in a run in real time it waits until there are domains.
    async fn wait(&self, check: u32, purposes: &[Purpose], is_patient: bool) -> Result<Held, String> {
        loop {
            match self.hold(check, purposes, is_patient) {
                Ok(held) => return Ok(held),
                Err((why, may_change)) if !(may_change && is_patient) => return Err(why),
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    }

    /// Takes the prepares that a check has not submitted and has not tried to submit.
    fn left_behind(&self, check: u32) -> Vec<(String, Prepared)> {
        let mut domains = self.lock();
        let left = domains.iter_mut().filter_map(|domain| {
            let unused =
                domain.prepare.as_mut().filter(|unused| unused.check == check && !unused.was_tried)?;
            unused.was_tried = true;
            Some((domain.name.clone(), unused.prepared.clone()))
        });
        left.collect()
    }
}

/// Why no domains can be held, and whether that may change within this run.
fn why_none(domains: &[Domain], purposes: &[Purpose]) -> WhyNone {
    let is_knock = purposes.iter().all(|purpose| *purpose == Purpose::Knock);
    let usable: Vec<&Domain> = domains.iter().filter(|domain| !domain.is_frozen).collect();
    let left = usable.iter().filter(|domain| is_knock || !domain.has_no_publish_left()).count();
    let why = if usable.len() < purposes.len() {
        "needs a domain whose key is not frozen by a transfer ([publish] domains)"
    } else if left < purposes.len() {
        "needs a domain with a publish left today ([publish] domains): run again tomorrow, or name more"
    } else {
        "needs a domain that is not locked ([publish] domains): name more, wait a minute, or use --real-time"
    };
    (why.to_owned(), left >= purposes.len())
}

/// What a request has changed for the pool's domains.
pub(super) fn note(probe: &Probe<'_>, draft: &Draft, answer: &Answer<'_>) {
    if probe.has_control() {
        return;
    }
    let (status, body) = (answer.status(), answer.json());
    let string = |value: &Value, member: &str| value[member].as_str().unwrap_or_default().to_owned();
    for pool in probe.settings.publish().pools() {
        if draft.asks(PREPARE) {
            // Blanks around a domain belong to none.
            pool.with(draft.domain().trim(), |domain| match status {
                200 => {
                    let message = super::wire::any_base64(&string(&body, "message")).unwrap_or_default();
                    let prepared = Prepared { id: string(&body, "prepareId"), message };
                    let check = probe.check.requirement.key;
                    domain.prepare = Some(Unused { check, prepared, was_tried: false });
                    domain.publishes += 1;
                    domain.locked_until = Some(Instant::now() + LOCKED);
                }
                429 if is_of_day(answer) => domain.publishes = PUBLISHES.value,
                _ => {}
            });
        } else if draft.asks(SUBMIT) && matches!(status, 200 | 410 | 502) {
            let asked: Value = serde_json::from_slice(&draft.body).unwrap_or_default();
            let id = string(&asked, "prepareId");
            let mut domains = pool.lock();
            let is_of = |domain: &&mut Domain| domain.prepare.as_ref().is_some_and(|it| it.prepared.id == id);
            if let Some(domain) = domains.iter_mut().find(is_of) {
                (domain.prepare, domain.locked_until) = (None, None);
            }
        }
    }
}

/// Whether a 429 is about the publishes of the day, not about the requests of a minute.
pub(super) fn is_of_day(answer: &Answer<'_>) -> bool {
    let seconds = answer.response.header("retry-after").and_then(|after| after.parse::<u64>().ok());
    answer.status() == 429 && seconds.is_none_or(|seconds| seconds > 60)
}

/// Submits the publishes that this check has only prepared. What is not a publish stays locked until it expires.
pub(super) async fn settle(probe: &Probe<'_>) -> Checked {
    let fixtures = probe.settings.publish();
    for (domain, prepared) in fixtures.pool.left_behind(probe.check.requirement.key) {
        let is_publish = |record: super::wire::Record| record.before.ends_with(":pub:");
        if !read_record(&prepared.message).is_some_and(is_publish) {
            continue;
        }
        let Some((_, seed)) = fixtures.entry(&domain) else { continue };
        let caller = Caller { domain, key: ed25519::key_from_seed(seed), _lease: None };
        let body = submit_body(&prepared, &caller).to_string();
        Draft::new(probe, &caller, SUBMIT, body).await?.transmit(probe).await?;
    }
    Ok(())
}

/// Clients with a domain for each purpose; the response to the ordinary publish of the first, if that was made to ask
/// whether the domain is free.
pub(super) async fn draw<'p>(
    probe: &'p Probe<'_>,
    purposes: &[Purpose],
) -> Result<(Vec<Caller>, Option<Talk<'p>>), Stop> {
    let (fixtures, is_patient) = (confirmed(probe)?, probe.settings.real_time);
    let pool = &fixtures.pool;
    let count = pool.lock().len();
    let needs = |what: &str| Err(Stop::NotTestable(format!("needs {what}")));
    let Some(seed) = fixtures.key.filter(|_| count > 0 || probe.plays()) else {
        probe.rest_on("publish.domains")?;
        return needs("a bound domain ([publish] key and domains)");
    };
    if count < purposes.len() && !probe.plays() {
        return needs("one more bound domain ([publish] domains)");
    }
    if purposes.contains(&Purpose::Lock) && count < 2 && !is_patient && !probe.plays() {
        return needs(
            "one more bound domain ([publish] domains), or --real-time: an unused prepare locks its domain for a minute",
        );
    }
    probe.at_end(|probe| Box::pin(settle(probe)));
    let (check, mut locked) = (probe.check.requirement.key, 0);
    'again: loop {
        settle(probe).await?;
        let found = if probe.plays() { Ok(Vec::new()) } else { pool.wait(check, purposes, is_patient).await };
        let lease = |name: &str| Arc::new(Lease { pool: pool.clone(), name: name.to_owned() });
        let leases: Vec<Arc<Lease>> = found.iter().flatten().map(|(name, _)| lease(name)).collect();
        let drawn = probe.share("publish.domain", || found.map(|found| json!(found)));
        let drawn = drawn.map_err(Stop::NotTestable)?;
        let drawn: Held = serde_json::from_value(drawn).map_err(|e| Stop::Error(e.to_string()))?;
        let (mut callers, mut first) = (Vec::new(), None);
        for (n, (domain, is_new)) in drawn.into_iter().enumerate() {
            let seed = fixtures.entry(&domain).map_or(seed, |(_, seed)| seed);
            let caller = Caller { domain, key: ed25519::key_from_seed(seed), _lease: leases.get(n).cloned() };
            if is_new {
                let Some(talk) = try_publish(probe, fixtures, &caller).await? else {
                    locked += usize::from(pool.is_locked(&caller.domain));
                    probe.conclusive(locked < LOCKED_IN_A_ROW, LOCKED_WHY)?;
                    continue 'again;
                };
                first = first.or(Some(talk).filter(|_| n == 0));
            }
            callers.push(caller);
        }
        return Ok((callers, first));
    }
}

/// So many domains in a row that are locked, although this run has used none of them, say something about the server.
const LOCKED_IN_A_ROW: usize = 5;
const LOCKED_WHY: &str = "5 domains in a row returned 409, although this run had used none of them: other clients publish with them, \
                          or the lock of one domain blocks others";

/// Publishes with a domain, to see whether it is free. `None`: this run cannot use it, or not yet.
async fn try_publish<'p>(
    probe: &'p Probe<'_>,
    fixtures: &Fixtures,
    caller: &Caller,
) -> Result<Option<Talk<'p>>, Stop> {
    let mut talk = Talk::begin(probe, caller, &publish_body(caller)).await?;
    let (status, is_frozen) = (talk.answer.status(), talk.answer.json()["cause"] == "transfer-frozen");
    let mut may_be_used = !is_of_day(&talk.answer);
    fixtures.pool.with(&caller.domain, |domain| {
        if status == 409 {
            // A server that returns this to every prepare is judged by the checks.
            may_be_used = domain.was_locked && !is_frozen;
            domain.is_frozen = is_frozen;
            domain.was_locked = true;
            domain.locked_until = (!may_be_used).then(|| Instant::now() + LOCKED);
        }
        domain.is_known = may_be_used && status < 500;
    });
    if !may_be_used {
        return Ok(None);
    }
    if let Ok(prepared) = talk.prepared(probe) {
        let body = submit_body(&prepared, caller).to_string();
        talk.submit = Some(Draft::new(probe, caller, SUBMIT, body).await?.transmit(probe).await?);
    }
    keep(probe, fixtures, PUB, &talk);
    Ok(Some(talk))
}

/// Keeps a response for other checks, unless it may be temporary.
fn keep(probe: &Probe<'_>, fixtures: &Fixtures, op: &'static str, talk: &Talk<'_>) {
    let is_temporary = |answer: &Answer<'_>| answer.status() >= 500 || answer.status() == 429;
    if probe.plays() || is_temporary(&talk.answer) || talk.submit.as_ref().is_some_and(is_temporary) {
        return;
    }
    if !fixtures.pool.kept().contains_key(op) {
        fixtures.pool.keep(fixtures, op, talk);
    }
}

/// A response that another check has received, with that to its submit if it is wanted; otherwise why there is none.
pub(super) async fn known<'p>(
    probe: &'p Probe<'_>,
    pool: &Pool,
    name: &str,
    with_submit: bool,
    why: impl FnOnce() -> String,
) -> Result<Result<Talk<'p>, String>, Stop> {
    let fixtures = probe.settings.publish();
    let kept = pool.kept().get(name).cloned();
    let about = probe.share(&format!("publish.{name}"), || {
        let about = kept.as_ref().and_then(|kept| serde_json::to_value(&kept.about).ok());
        about.ok_or_else(why)
    });
    let about: About = match about {
        Ok(about) => serde_json::from_value(about).map_err(|e| Stop::Error(e.to_string()))?,
        Err(why) => return Ok(Err(why)),
    };
    let seed = if about.by_second { fixtures.second_key } else { fixtures.key };
    let Some(seed) = seed else { return Ok(Err("the profile has no key".to_owned())) };
    let (first, submit) = kept.map_or((None, None), |kept| (Some(kept.first), kept.submit));
    let answer = recall(probe, first, if about.is_submit { SUBMIT } else { PREPARE }).await?;
    let submit =
        if with_submit && about.has_submit { Some(recall(probe, submit, SUBMIT).await?) } else { None };
    let caller = Caller { domain: about.domain, key: ed25519::key_from_seed(seed), _lease: None };
    Ok(Ok(Talk { caller, body: about.body, answer, sent: about.sent.map(Time), submit }))
}

/// The response to an ordinary prepare of `op`: one for all checks of a run. `with_submit`: also the response to its
/// submit, if it was submitted. A domain that may be transferred gives those of transfers and accepts.
pub(super) async fn ordinary<'p>(
    probe: &'p Probe<'_>,
    op: &'static str,
    with_submit: bool,
) -> Result<Talk<'p>, Stop> {
    let fixtures = confirmed(probe)?;
    if op != PUB && trip::is_given(probe) {
        return trip::step(probe, op, with_submit).await;
    }
    let none = || "no check has sent it".to_owned();
    if let Ok(talk) = known(probe, &fixtures.pool, op, with_submit, none).await? {
        return Ok(talk);
    }
    let (caller, body) = match op {
        ACCEPT => {
            let (_, caller) = draw_pending(probe, Purpose::Lock).await?;
            let body = accept_body(&caller);
            (caller, body)
        }
        TRANSFER => {
            let caller = super::drawn(probe, Purpose::Lock).await?;
            let body = transfer_body(probe, &caller, &fresh_key(probe));
            (caller, body)
        }
        _ => {
            let (mut callers, talk) = draw(probe, &[Purpose::Publish]).await?;
            if let Some(talk) = talk {
                return Ok(talk);
            }
            let caller = callers.remove(0);
            let body = publish_body(&caller);
            (caller, body)
        }
    };
    let talk = Talk::begin(probe, &caller, &body).await?;
    keep(probe, fixtures, op, &talk);
    Ok(talk)
}

/// The clients with the old and the incoming key of the domain with a pending transfer.
pub(super) fn pending(probe: &Probe<'_>) -> Result<(Caller, Caller), Stop> {
    let fixtures = confirmed(probe)?;
    probe.rest_on("publish.pending")?;
    let names = fixtures.pending.names();
    if names.is_empty() {
        probe.rest_on("publish.transferable")?;
    }
    let (Some(domain), Some(old), Some(new)) = (names.first(), fixtures.key, fixtures.second_key) else {
        let needed = "needs a domain with a pending transfer ([publish] second_key, and pending or transferable), or a \
                      control API";
        return Err(Stop::NotTestable(needed.to_owned()));
    };
    let caller = |seed| Caller { domain: domain.clone(), key: ed25519::key_from_seed(seed), _lease: None };
    Ok((caller(old), caller(new)))
}

/// As [`pending`], in the state that the purpose needs.
pub(super) async fn draw_pending(probe: &Probe<'_>, purpose: Purpose) -> Result<(Caller, Caller), Stop> {
    let (old, new) = pending(probe)?;
    let (fixtures, check) = (probe.settings.publish(), probe.check.requirement.key);
    let pool = &fixtures.pending;
    let found = if probe.plays() {
        Ok(Vec::new())
    } else {
        pool.wait(check, &[purpose], probe.settings.real_time).await
    };
    let lease = found.as_ref().ok().map(|_| Arc::new(Lease { pool: pool.clone(), name: old.domain.clone() }));
    let why =
        "the domain with a pending transfer is locked by a prepare ([publish] pending): use --real-time";
    let found = found.map(|_| Value::Bool(true)).map_err(|_| why.to_owned());
    probe.share("publish.pending", || found).map_err(Stop::NotTestable)?;
    Ok((old, Caller { _lease: lease, ..new }))
}

/// A response that another check has received; when a report is judged, the recording of this check contains it.
async fn recall<'p>(probe: &'p Probe<'_>, kept: Option<Exchange>, path: &str) -> Result<Answer<'p>, Stop> {
    match kept {
        Some(exchange) => probe.recall(exchange),
        None => {
            probe.send("publish", Request::new("POST", &format!("{}{path}", probe.prefix("publish")))).await
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_draws_the_order_of_many_domains_and_says_how_many_were_used() {
        let used_first = |count: usize, seed: u64| {
            let pool = Pool::new((0..count).map(|n| format!("d{n}.example")));
            pool.shuffle(seed);
            let first = pool.names()[0].clone();
            pool.with(&first, |domain| domain.is_known = true);
            (first, pool.used())
        };
        assert_eq!(used_first(MOST_DOMAINS, 1), ("d0.example".to_owned(), None));
        let firsts: std::collections::BTreeSet<String> = (0..40).map(|seed| used_first(11, seed).0).collect();
        assert!(firsts.len() > 5, "{firsts:?}");
        let said = used_first(11, 1).1.expect("a remark");
        assert_eq!(said, "publish: 1 of 11 domains were used; the seed draws them");
        assert_eq!(Pool::new((0..11).map(|n| n.to_string())).used(), None, "no check has asked");
    }
}

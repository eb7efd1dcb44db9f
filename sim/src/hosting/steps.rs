//! Jobs: the steps of an action, one request after another. A failed request is retried a bounded number of
//! times.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use assay_spec::Strict;
use assay_spec::network::store::{Class, classify};
use http::{HeaderValue, Method};
use imbl::Vector;
use serde_json::Value;

use super::step::{Found, Step};
use super::write::{self, Amend, Amends, Sent};
use super::{Failure, State, Timer, done, faults};
use crate::core::Core;
use crate::network::sites::{MIRROR, PRIMARY};
use crate::outgoing::{Outcome as Came, Outgoing};
use crate::services::OutgoingContext;

/// The remaining steps of an action.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) owner: Arc<str>,
    pub(super) steps: Vector<Step>,
    /// Artifacts that can be forgotten, as far as they have been looked up.
    pub(super) good: Vec<Arc<str>>,
    /// The request of the first step, once it has been sent.
    sent: Option<Sent>,
    /// The number of retries.
    tries: u32,
    /// Whether the first step has already been delayed.
    put_off: bool,
}

impl State {
    /// Whether a map of an owner's projects is still being written.
    pub(super) fn maps(&self, owner: &str) -> bool {
        let own = self.jobs.values().filter(|job| &*job.owner == owner);
        own.flat_map(|job| job.steps.iter()).any(|step| matches!(step, Step::Projects { .. }))
    }

    /// Whether a record of a deployment is still being written.
    pub(super) fn deploys(&self, id: &str) -> bool {
        self.jobs.values().flat_map(|job| job.steps.iter()).any(|step| match step {
            Step::Create { deployment, .. }
            | Step::Pin { deployment, .. }
            | Step::Amend(Amend { deployment, .. }) => &**deployment == id,
            _ => false,
        })
    }
}

/// Starts a job.
pub(super) fn begin(
    core: &mut Core,
    state: &mut State,
    owner: Arc<str>,
    steps: impl IntoIterator<Item = Step>,
) {
    state.jobs_begun += 1;
    let id = state.jobs_begun;
    let steps = steps.into_iter().collect();
    let job = Job { owner, steps, good: Vec::new(), sent: None, tries: 0, put_off: false };
    state.jobs.insert(id, job);
    go(core, state, id);
}

/// Continues a job up to the next request.
pub(super) fn go(core: &mut Core, state: &mut State, id: u64) {
    loop {
        let Some(job) = state.jobs.get(&id) else { return };
        let Some(step) = job.steps.front().cloned() else {
            state.jobs.remove(&id);
            return;
        };
        if job.sent.is_none() && !job.put_off && is_slow(core, state, &step) {
            if let Some(job) = state.jobs.get_mut(&id) {
                job.put_off = true;
            }
            wait(core, state.limits.slow_ms, id);
            return;
        }
        let Some(job) = state.jobs.get(&id) else { return };
        let sent = if let Some(sent) = &job.sent {
            Some(sent.clone())
        } else {
            let owner = job.owner.clone();
            write::write(core, state, &owner, &step)
        };
        if let Some(sent) = sent {
            send(core, state, id, &step, &sent);
            if let Some(job) = state.jobs.get_mut(&id) {
                job.sent = Some(sent);
            }
            return;
        }
        let more = done::between(core, state, id, &step);
        advance(state, id, more);
    }
}

/// Takes the outcome of a job's request.
pub(super) fn incoming(core: &mut Core, state: &mut State, id: u64, came: &Came) {
    let Some(job) = state.jobs.get(&id) else { return };
    let (Some(step), Some(sent)) = (job.steps.front().cloned(), job.sent.clone()) else { return };
    match outcome(state, id, &step, came) {
        Ok(found) => {
            let more = done::accepted(core, state, id, &step, &sent, &found);
            advance(state, id, more);
            go(core, state, id);
        }
        Err(why) => again(core, state, id, &step, why),
    }
}

fn outcome(state: &State, id: u64, step: &Step, came: &Came) -> Result<Found, String> {
    let reply = came.as_ref().map_err(ToString::to_string)?;
    let body: Option<Value> = serde_json::from_slice(&reply.body).ok();
    match step {
        Step::Look { last, .. } => {
            let reading = classify(reply.status, body.as_ref(), &mut Strict);
            let silent = reply.status >= 500 || reply.status == 429;
            // If one node has no information, the other is asked; if the last has none, it is asked again.
            if silent && *last { Err(format!("status {}", reply.status)) } else { Ok(Found::Read(reading)) }
        }
        Step::Confirm { .. } => {
            let reading = classify(reply.status, body.as_ref(), &mut Strict);
            if reading.class == Class::Live {
                return Ok(Found::Read(reading));
            }
            Err(format!("status {}: the artifact is not available yet", reply.status))
        }
        _ => {
            let hash = body.as_ref().and_then(|body| body.get("item_hash")).and_then(Value::as_str);
            match hash.filter(|hash| !hash.is_empty() && (200..300).contains(&reply.status)) {
                Some(hash) => Ok(Found::Written(hash.into())),
                None => Err(format!("status {} (job {id} of {})", reply.status, state.jobs_begun)),
            }
        }
    }
}

/// Retries a failed step after a delay, or gives it up with all steps that follow.
fn again(core: &mut Core, state: &mut State, id: u64, step: &Step, why: String) {
    let (retries, retry_ms) = (state.limits.retries, state.limits.retry_ms);
    let Some(job) = state.jobs.get_mut(&id) else { return };
    if job.tries < retries {
        job.tries += 1;
        wait(core, retry_ms, id);
        return;
    }
    let owner = job.owner.clone();
    let failure = Failure { at: core.now(), owner, step: step.name(), why, left_out: job.steps.len() - 1 };
    state.jobs.remove(&id);
    resume(state, &failure.owner);
    state.fail(failure);
}

/// Ends the fixed distance between the owner's records.
fn resume(state: &mut State, owner: &str) {
    if let Some(owner) = state.accounts.owner_mut(owner) {
        owner.pace_s = 0;
    }
}

/// Finishes the first step; `more` come before the next one.
fn advance(state: &mut State, id: u64, more: Vec<Step>) {
    let Some(job) = state.jobs.get_mut(&id) else { return };
    job.steps.pop_front();
    for step in more.into_iter().rev() {
        job.steps.push_front(step);
    }
    (job.sent, job.tries, job.put_off) = (None, 0, false);
}

fn is_slow(core: &mut Core, state: &State, step: &Step) -> bool {
    let (project, deployment) = match step {
        Step::Amend(Amend { deployment, amends: Amends::Creation, .. }) => {
            let project = state.accounts.deployment(deployment).map(|one| one.project.to_string());
            (project.unwrap_or_default(), deployment.to_string())
        }
        Step::Forget { project, .. } => (project.to_string(), String::new()),
        _ => return false,
    };
    let occasion =
        [("record", step.name()), ("project", project.as_str()), ("deployment", deployment.as_str())];
    core.fault(faults::SLOW, &occasion)
}

/// Sends a request. Each has its own source address, so that no rate limit applies.
fn send(core: &mut Core, state: &mut State, id: u64, step: &Step, sent: &Sent) {
    state.requests += 1;
    let [_, a, b, c] = ((state.requests & 0x00ff_ffff) as u32).to_be_bytes();
    let tries = state.jobs.get(&id).map_or(0, |job| job.tries);
    let site = match step {
        Step::Look { at, .. } => *at,
        // A node may lack an artifact that another has.
        Step::Confirm { .. } if tries % 2 == 1 => MIRROR,
        _ => PRIMARY,
    };
    debug_assert!(site == PRIMARY || site == MIRROR);
    let method = if sent.content_type.is_empty() { Method::GET } else { Method::POST };
    let mut request = Outgoing::to_site(site, method, sent.target.clone());
    request.from = IpAddr::V4(Ipv4Addr::new(10, a, b, c));
    if !sent.content_type.is_empty() {
        request.body = sent.body.clone();
        request = request.header("content-type", HeaderValue::from_static(sent.content_type));
    }
    core.send(request, OutgoingContext::Hosting(super::OutgoingContext(id)));
}

fn wait(core: &mut Core, ms: i64, id: u64) {
    core.clock.set(core.now() + ms.max(1), crate::services::Timer::Hosting(Timer(id)));
}

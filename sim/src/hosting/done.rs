//! What a step changes in memory once the network has taken it, and what follows it.

use std::sync::Arc;

use assay_spec::Gate;
use assay_spec::hosting::machines::{DeploymentEvent, DeploymentState, ProjectEvent, ProjectState};
use assay_spec::hosting::requirements::{claims, forget, history, recovery, security};
use assay_spec::network::store::Class;
use imbl::Vector;
use serde_json::json;

use super::people::Deployment;
use super::steps::{Found, Place, Step};
use super::write::{Outcome, Sent};
use super::{State, Written, faults};
use crate::core::Core;
use crate::network::sites::{MIRROR, PRIMARY};

/// A step without a request, or one that had nothing to send.
pub(super) fn between(state: &mut State, core: &mut Core, id: u64, step: &Step) -> Vec<Step> {
    match step {
        Step::Tidy { project } => tidy(state, core, project),
        Step::Settle { project } => {
            let good = state.jobs.get(&id).map(|job| job.good.clone()).unwrap_or_default();
            let forget = |hashes| Step::Forget { project: project.clone(), hashes };
            if core.lapse(&forget::ONE).is_some() {
                return good.into_iter().map(|hash| forget(vec![hash])).collect();
            }
            vec![forget(good)]
        }
        Step::Ask { deployment, removed } => {
            ask(state, core, deployment, *removed);
            Vec::new()
        }
        Step::Rival { machine, of } => {
            let instance = state.people.machine(of).and_then(|of| of.instance.clone());
            if let Some(machine) = state.people.machine_mut(machine) {
                machine.instance = instance;
            }
            vec![Step::Claim { machine: machine.clone() }]
        }
        Step::Machine { project, machine } => {
            if let Some(project) = state.people.project_mut(project) {
                project.machine = Some(machine.clone());
            }
            Vec::new()
        }
        Step::Resume => {
            let owner = state.jobs.get(&id).map(|job| job.owner.clone()).unwrap_or_default();
            if let Some(owner) = state.people.owner_mut(&owner) {
                owner.pace_s = 0;
            }
            Vec::new()
        }
        // What was not written changes nothing.
        _ => Vec::new(),
    }
}

/// The network has taken a step.
pub(super) fn accepted(
    state: &mut State,
    core: &mut Core,
    id: u64,
    step: &Step,
    sent: &Sent,
    found: &Found,
) -> Vec<Step> {
    let hash = match found {
        Found::Written(hash) => {
            note(state, id, step, sent, hash);
            hash.clone()
        }
        Found::Read(reading) => return looked_up(state, id, step, reading.class, reading.cid.as_deref()),
    };
    match step {
        Step::Security { place } => secured(state, core, id, *place),
        Step::Projects { project, event, .. } => mapped(state, core, project, *event, sent),
        Step::Create { deployment, again } => created(state, core, deployment, &hash, sent.time_s, *again),
        Step::Pin { deployment, .. } => {
            if let Some(deployment) = state.people.deployment_mut(deployment) {
                deployment.store_ref = Some(hash.clone());
            }
            let resolves = core.lapse(&recovery::LIVE_RESOLVES).is_none();
            let confirm = Step::Confirm { deployment: deployment.clone(), hash };
            resolves.then_some(confirm).into_iter().collect()
        }
        Step::Amend { deployment, outcome, again } => {
            amended(state, core, deployment, &hash, *outcome, *again)
        }
        Step::Boot { machine } => {
            if let Some(machine) = state.people.machine_mut(machine) {
                machine.instance = Some(hash);
            }
            Vec::new()
        }
        Step::Claim { machine } => claimed(state, core, machine, &hash),
        Step::Legacy { deployment, .. } => {
            if let Some(deployment) = state.people.deployment_mut(deployment) {
                deployment.creation = Some(hash);
            }
            Vec::new()
        }
        Step::Forget { .. }
        | Step::Look { .. }
        | Step::Confirm { .. }
        | Step::Tidy { .. }
        | Step::Settle { .. }
        | Step::Ask { .. }
        | Step::Rival { .. }
        | Step::Machine { .. }
        | Step::Resume => Vec::new(),
    }
}

fn note(state: &mut State, id: u64, step: &Step, sent: &Sent, hash: &Arc<str>) {
    let Some(job) = state.jobs.get(&id) else { return };
    let owner = job.owner.clone();
    let (mut project, mut deployment, mut machine) = (None, None, None);
    match step {
        Step::Projects { project: one, .. } | Step::Forget { project: one, .. } => {
            project = Some(one.clone())
        }
        Step::Create { deployment: one, .. }
        | Step::Pin { deployment: one, .. }
        | Step::Amend { deployment: one, .. }
        | Step::Legacy { deployment: one, .. } => {
            deployment = Some(one.clone());
            project = state.people.deployment(one).map(|one| one.project.clone());
        }
        Step::Boot { machine: one } | Step::Claim { machine: one } => {
            machine = Some(one.clone());
            project = state.people.machine(one).map(|one| one.project.clone());
        }
        _ => {}
    }
    let written = Written {
        hash: hash.clone(),
        kind: step.name(),
        owner,
        project,
        deployment,
        machine,
        time_s: sent.time_s,
    };
    state.written.push_back(written);
}

fn secured(state: &mut State, core: &mut Core, id: u64, place: Place) -> Vec<Step> {
    let owner = state.jobs.get(&id).map(|job| job.owner.clone()).unwrap_or_default();
    let first =
        state.people.owner_mut(&owner).is_some_and(|owner| !std::mem::replace(&mut owner.secured, true));
    if !first || place != Place::Own {
        return Vec::new();
    }
    let mut more = Vec::new();
    if core.lapse(&security::SIGNER).is_some() {
        more.push(Step::Security { place: Place::ByDelegate });
    }
    if core.lapse(&security::OWNER).is_some() {
        more.extend([Place::Opened, Place::Elsewhere].map(|place| Step::Security { place }));
    }
    more
}

fn mapped(state: &mut State, core: &mut Core, id: &Arc<str>, event: ProjectEvent, sent: &Sent) -> Vec<Step> {
    let Some(project) = state.people.project(id) else { return Vec::new() };
    let (owner, from) = (project.owner.clone(), project.state);
    let Some((to, row)) = from.on(event) else { return Vec::new() };
    core.fired(row);
    let entry = sent.entry.clone().unwrap_or_default();
    if let Some(project) = state.people.project_mut(id) {
        project.state = to;
        if event == ProjectEvent::Create {
            project.created_s = sent.time_s;
        }
        if to == ProjectState::Active {
            project.living = entry.clone();
        }
        project.entry = entry;
    }
    let mut secure_again = false;
    if let Some(owner) = state.people.owner(&owner) {
        let first = owner.projects.front() == Some(id);
        secure_again =
            event == ProjectEvent::Create && !first && core.lapse(&history::SECURITY_ONCE).is_some();
    }
    secure_again.then_some(Step::Security { place: Place::Own }).into_iter().collect()
}

fn created(
    state: &mut State,
    core: &mut Core,
    id: &Arc<str>,
    hash: &Arc<str>,
    time_s: i64,
    again: bool,
) -> Vec<Step> {
    let Some(deployment) = state.people.deployment_mut(id) else { return Vec::new() };
    if again {
        return Vec::new();
    }
    moves(core, deployment, DeploymentEvent::Create);
    deployment.creation = Some(hash.clone());
    deployment.created_s = time_s;
    let twice = core.lapse(&history::ONE_CREATION).is_some();
    twice.then(|| Step::Create { deployment: id.clone(), again: true }).into_iter().collect()
}

fn amended(
    state: &mut State,
    core: &mut Core,
    id: &Arc<str>,
    hash: &Arc<str>,
    outcome: Outcome,
    again: bool,
) -> Vec<Step> {
    let Some(deployment) = state.people.deployment_mut(id) else { return Vec::new() };
    if again {
        return Vec::new();
    }
    let event = match outcome {
        Outcome::Live => DeploymentEvent::Pinned,
        Outcome::Failed => DeploymentEvent::Fail,
    };
    moves(core, deployment, event);
    deployment.terminal = Some(hash.clone());
    let occasion = [("deployment", &**id)];
    let mut more = Vec::new();
    if core.fault(faults::FORK, &occasion) {
        more.push(Step::Amend { deployment: id.clone(), outcome: Outcome::Failed, again: true });
    }
    if core.lapse(&history::ONE_AMEND).is_some() {
        more.push(Step::Amend { deployment: id.clone(), outcome, again: true });
    }
    if outcome == Outcome::Live && core.fault(faults::RECLAIMED, &occasion) {
        more.push(Step::Ask { deployment: id.clone(), removed: false });
    }
    more
}

fn claimed(state: &mut State, core: &mut Core, id: &Arc<str>, hash: &Arc<str>) -> Vec<Step> {
    let Some(machine) = state.people.machine_mut(id) else { return Vec::new() };
    let first = machine.claim.is_none();
    machine.claim.get_or_insert_with(|| hash.clone());
    let twice = first && core.lapse(&claims::ONCE).is_some();
    twice.then(|| Step::Claim { machine: id.clone() }).into_iter().collect()
}

/// An artifact was looked up.
fn looked_up(state: &mut State, id: u64, step: &Step, class: Class, cid: Option<&str>) -> Vec<Step> {
    match step {
        Step::Confirm { deployment, .. } => {
            if let Some(deployment) = state.people.deployment_mut(deployment) {
                deployment.cid = cid.map(Into::into);
            }
            Vec::new()
        }
        Step::Look { hash, at, last } => {
            let unsaid = matches!(class, Class::Absent | Class::Unknown);
            if class == Class::Live {
                if let Some(job) = state.jobs.get_mut(&id) {
                    job.good.push(hash.clone());
                }
                return Vec::new();
            }
            let other = if *at == PRIMARY { MIRROR } else { PRIMARY };
            let ask = Step::Look { hash: hash.clone(), at: other, last: true };
            (unsaid && !last).then_some(ask).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// The look-ups for a project's artifacts, each once, and the FORGET behind them.
fn tidy(state: &State, core: &mut Core, project: &Arc<str>) -> Vec<Step> {
    let at = if core.fault(faults::LAGGING, &[("project", project)]) { MIRROR } else { PRIMARY };
    let deployments = state.people.project(project).map(|one| one.deployments.clone()).unwrap_or_default();
    let mut hashes: Vector<Arc<str>> = Vector::new();
    for hash in deployments.iter().filter_map(|id| state.people.deployment(id)?.store_ref.clone()) {
        if !hashes.contains(&hash) {
            hashes.push_back(hash);
        }
    }
    let look = |hash| Step::Look { hash, at, last: false };
    let mut steps: Vec<Step> = hashes.into_iter().map(look).collect();
    steps.push(Step::Settle { project: project.clone() });
    steps
}

/// Nobody pays for an artifact any more: the network takes it away.
fn ask(state: &State, core: &mut Core, deployment: &str, removed: bool) {
    let store_ref = state.people.deployment(deployment).and_then(|one| one.store_ref.clone());
    if let Some(hash) = store_ref {
        core.ask("network.reclaim", json!({ "hash": &*hash, "at_once": removed }));
    }
}

fn moves(core: &mut Core, deployment: &mut Deployment, event: DeploymentEvent) {
    let from: DeploymentState = deployment.state;
    if let Some((to, row)) = from.on(event) {
        core.fired(row);
        deployment.state = to;
    }
}

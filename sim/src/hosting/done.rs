//! What a step changes in memory once the network has accepted it, and the steps that follow.

use std::sync::Arc;

use assay_spec::hosting::machines::{DeploymentEvent, DeploymentState, ProjectEvent, ProjectState};
use assay_spec::network::storage;
use serde_json::Value;

use super::accounts::Deployment;
use super::step::{Authorship, Found, Step};
use super::write::{Amend, Amends, Outcome, Sent};
use super::{State, Written, faults, lookups};
use crate::core::Core;

/// The steps that follow an accepted step.
#[derive(Clone, PartialEq)]
pub(super) struct Following {
    /// The accepted step.
    pub(super) after: Step,
    /// It is the first of its kind for its owner, project, deployment or machine.
    pub(super) is_first: bool,
    /// What follows.
    pub(super) steps: Vec<Step>,
}

/// The hashes to forget, in messages.
#[derive(Clone, PartialEq)]
pub(super) struct Batches(pub(super) Vec<Vec<Arc<str>>>);

/// Finishes a step without a request, or one that had nothing to send.
pub(super) fn between(core: &mut Core, state: &mut State, id: u64, step: &Step) -> Vec<Step> {
    match step {
        Step::Tidy { project } => lookups::begin(core, state, project),
        Step::Settle { project } => {
            let good = state.jobs.get(&id).map(|job| job.good.clone()).unwrap_or_default();
            let Batches(batches) =
                core.within(step.place(&state.accounts), |core| core.step(Batches(vec![good])));
            batches.into_iter().map(|hashes| Step::Forget { project: project.clone(), hashes }).collect()
        }
        Step::Ask { deployment, removed } => {
            lookups::reclaim(core, state, deployment, *removed);
            Vec::new()
        }
        Step::Rival { machine, of } => {
            let instance = state.accounts.machine(of).and_then(|of| of.instance.clone());
            if let Some(machine) = state.accounts.machine_mut(machine) {
                machine.instance = instance;
            }
            vec![Step::Claim { machine: machine.clone() }]
        }
        Step::Machine { project, machine } => {
            if let Some(project) = state.accounts.project_mut(project) {
                project.machine = Some(machine.clone());
            }
            Vec::new()
        }
        Step::Resume => {
            let owner = state.jobs.get(&id).map(|job| job.owner.clone()).unwrap_or_default();
            if let Some(owner) = state.accounts.owner_mut(&owner) {
                owner.pace_s = 0;
            }
            Vec::new()
        }
        // A step that was not sent changes nothing.
        _ => Vec::new(),
    }
}

/// Finishes a step that the network has accepted.
pub(super) fn accepted(
    core: &mut Core,
    state: &mut State,
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
        Found::Read(reading) => return lookups::done(state, id, step, reading.class, reading.cid.as_deref()),
    };
    let mut is_first = true;
    let steps = match step {
        Step::Security { by } => {
            is_first = secured(state, id, *by, sent);
            Vec::new()
        }
        Step::Projects { project, event, .. } => {
            is_first = mapped(core, state, project, *event, sent);
            Vec::new()
        }
        Step::Create { deployment, again } => {
            is_first = !again;
            if is_first {
                created(core, state, deployment, &hash, sent.time_s);
            }
            Vec::new()
        }
        Step::Pin { deployment, .. } => {
            if let Some(deployment) = state.accounts.deployment_mut(deployment) {
                deployment.store_ref = Some(hash.clone());
            }
            // An upload is available once the network has validated it.
            let is_upload = sent.target == storage::STORE.path;
            let confirm = Step::Confirm { deployment: deployment.clone(), hash };
            is_upload.then_some(confirm).into_iter().collect()
        }
        Step::Amend(amend) => {
            is_first = amend.amends == Amends::Creation;
            if is_first { amended(core, state, amend, &hash) } else { Vec::new() }
        }
        Step::Boot { machine } => {
            if let Some(machine) = state.accounts.machine_mut(machine) {
                machine.instance = Some(hash);
            }
            Vec::new()
        }
        Step::Claim { machine } => {
            is_first = claimed(state, machine, &hash);
            Vec::new()
        }
        Step::Legacy { deployment, .. } => {
            if let Some(deployment) = state.accounts.deployment_mut(deployment) {
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
    };
    let following = Following { after: step.clone(), is_first, steps };
    core.within(step.place(&state.accounts), |core| core.step(following).steps)
}

fn note(state: &mut State, id: u64, step: &Step, sent: &Sent, hash: &Arc<str>) {
    let Some(job) = state.jobs.get(&id) else { return };
    let owner = job.owner.clone();
    let (mut project, mut deployment, mut machine) = (None, None, None);
    match step {
        Step::Projects { project: one, .. } | Step::Forget { project: one, .. } => {
            project = Some(one.clone());
        }
        Step::Create { deployment: one, .. }
        | Step::Pin { deployment: one, .. }
        | Step::Amend(Amend { deployment: one, .. })
        | Step::Legacy { deployment: one, .. } => {
            deployment = Some(one.clone());
            project = state.accounts.deployment(one).map(|one| one.project.clone());
        }
        Step::Boot { machine: one } | Step::Claim { machine: one } => {
            machine = Some(one.clone());
            project = state.accounts.machine(one).map(|one| one.project.clone());
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

/// Returns whether it is the owner's first `security`.
fn secured(state: &mut State, id: u64, by: Authorship, sent: &Sent) -> bool {
    let owner = state.jobs.get(&id).map(|job| job.owner.clone()).unwrap_or_default();
    let Some(owner) = state.accounts.owner_mut(&owner) else { return false };
    if by == Authorship::Own {
        owner.admits_session = sent.entry == Some(Value::Bool(true));
    }
    !std::mem::replace(&mut owner.secured, true)
}

/// Returns whether it is the owner's first project.
fn mapped(core: &mut Core, state: &mut State, id: &Arc<str>, event: ProjectEvent, sent: &Sent) -> bool {
    let Some(project) = state.accounts.project(id) else { return true };
    let (owner, from) = (project.owner.clone(), project.state);
    let Some((to, row)) = from.on(event) else { return true };
    core.fired(row);
    let entry = sent.entry.clone().unwrap_or_default();
    if let Some(project) = state.accounts.project_mut(id) {
        project.state = to;
        if event == ProjectEvent::Create {
            project.created_s = sent.time_s;
        }
        if to == ProjectState::Active {
            project.living = entry.clone();
        }
        project.entry = entry;
    }
    state.accounts.owner(&owner).is_none_or(|owner| owner.projects.front() == Some(id))
}

fn created(core: &mut Core, state: &mut State, id: &Arc<str>, hash: &Arc<str>, time_s: i64) {
    let Some(deployment) = state.accounts.deployment_mut(id) else { return };
    moves(core, deployment, DeploymentEvent::Create);
    deployment.creation = Some(hash.clone());
    deployment.created_s = time_s;
}

fn amended(core: &mut Core, state: &mut State, amend: &Amend, hash: &Arc<str>) -> Vec<Step> {
    let Amend { deployment: id, outcome, .. } = amend;
    let Some(deployment) = state.accounts.deployment_mut(id) else { return Vec::new() };
    let event = match outcome {
        Outcome::Live => DeploymentEvent::Pinned,
        Outcome::Failed => DeploymentEvent::Fail,
    };
    moves(core, deployment, event);
    deployment.terminal = Some(hash.clone());
    let occasion = [("deployment", &**id)];
    let mut more = Vec::new();
    if core.fault(faults::FORK, &occasion) {
        let (outcome, amends) = (Outcome::Failed, Amends::CreationAgain);
        more.push(Step::Amend(Amend { deployment: id.clone(), outcome, amends }));
    }
    if *outcome == Outcome::Live && core.fault(faults::RECLAIMED, &occasion) {
        more.push(Step::Ask { deployment: id.clone(), removed: false });
    }
    more
}

/// Returns whether it is the machine's first claim.
fn claimed(state: &mut State, id: &Arc<str>, hash: &Arc<str>) -> bool {
    let Some(machine) = state.accounts.machine_mut(id) else { return true };
    let is_first = machine.claim.is_none();
    machine.claim.get_or_insert_with(|| hash.clone());
    is_first
}

fn moves(core: &mut Core, deployment: &mut Deployment, event: DeploymentEvent) {
    let from: DeploymentState = deployment.state;
    if let Some((to, row)) = from.on(event) {
        core.fired(row);
        deployment.state = to;
    }
}

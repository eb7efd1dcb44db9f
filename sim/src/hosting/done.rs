//! What a step changes in memory once the network has accepted it, and the steps that follow.

use std::sync::Arc;

use assay_spec::Rules;
use assay_spec::hosting::machines::{DeploymentEvent, DeploymentState, ProjectEvent, ProjectState};
use assay_spec::hosting::requirements::{claims, forget, history, recovery, security};

use super::accounts::Deployment;
use super::step::{Found, Place, Step};
use super::write::{Outcome, Sent};
use super::{State, Written, faults, lookups, variations};
use crate::core::Core;

/// Finishes a step without a request, or one that had nothing to send.
pub(super) fn between(state: &mut State, core: &mut Core, id: u64, step: &Step) -> Vec<Step> {
    match step {
        Step::Tidy { project } => lookups::begin(state, core, project),
        Step::Settle { project } => {
            let good = state.jobs.get(&id).map(|job| job.good.clone()).unwrap_or_default();
            let forget = |hashes| Step::Forget { project: project.clone(), hashes };
            if core.violated(&forget::ONE).is_some() {
                return good.into_iter().map(|hash| forget(vec![hash])).collect();
            }
            vec![forget(good)]
        }
        Step::Ask { deployment, removed } => {
            lookups::reclaim(state, core, deployment, *removed);
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
        Found::Read(reading) => return lookups::done(state, id, step, reading.class, reading.cid.as_deref()),
    };
    match step {
        Step::Security { place } => secured(state, core, id, *place),
        Step::Projects { project, event, .. } => mapped(state, core, project, *event, sent),
        Step::Create { deployment, again } => created(state, core, deployment, &hash, sent.time_s, *again),
        Step::Pin { deployment, .. } => {
            if let Some(deployment) = state.accounts.deployment_mut(deployment) {
                deployment.store_ref = Some(hash.clone());
            }
            let resolves = core.violated(&recovery::LIVE_RESOLVES).is_none();
            let confirm = Step::Confirm { deployment: deployment.clone(), hash };
            resolves.then_some(confirm).into_iter().collect()
        }
        Step::Amend { deployment, outcome, again } => {
            amended(state, core, deployment, &hash, *outcome, *again)
        }
        Step::Boot { machine } => {
            if let Some(machine) = state.accounts.machine_mut(machine) {
                machine.instance = Some(hash);
            }
            Vec::new()
        }
        Step::Claim { machine } => claimed(state, core, machine, &hash),
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
    }
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
        | Step::Amend { deployment: one, .. }
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

fn secured(state: &mut State, core: &mut Core, id: u64, place: Place) -> Vec<Step> {
    let owner = state.jobs.get(&id).map(|job| job.owner.clone()).unwrap_or_default();
    let first =
        state.accounts.owner_mut(&owner).is_some_and(|owner| !std::mem::replace(&mut owner.secured, true));
    if !first || place != Place::Own {
        return Vec::new();
    }
    let mut more = Vec::new();
    if core.violated(&security::SIGNER).is_some() {
        more.push(Step::Security { place: Place::ByDelegate });
    }
    if core.violated(&security::OWNER).is_some() {
        more.push(Step::Security { place: Place::Elsewhere });
    }
    more
}

fn mapped(state: &mut State, core: &mut Core, id: &Arc<str>, event: ProjectEvent, sent: &Sent) -> Vec<Step> {
    let Some(project) = state.accounts.project(id) else { return Vec::new() };
    let (owner, from) = (project.owner.clone(), project.state);
    let Some((to, row)) = from.on(event) else { return Vec::new() };
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
    let mut secure_again = false;
    if let Some(owner) = state.accounts.owner(&owner) {
        let first = owner.projects.front() == Some(id);
        secure_again =
            event == ProjectEvent::Create && !first && core.violated(&history::SECURITY_ONCE).is_some();
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
    let Some(deployment) = state.accounts.deployment_mut(id) else { return Vec::new() };
    if again {
        return Vec::new();
    }
    moves(core, deployment, DeploymentEvent::Create);
    deployment.creation = Some(hash.clone());
    deployment.created_s = time_s;
    let twice = core.violated(&history::ONE_CREATION).is_some();
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
    let Some(deployment) = state.accounts.deployment_mut(id) else { return Vec::new() };
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
    if core.violated(&history::ONE_AMEND).is_some() {
        more.push(Step::Amend { deployment: id.clone(), outcome, again: true });
    }
    if core.varies(variations::AMEND_CHAIN) {
        more.push(Step::Amend { deployment: id.clone(), outcome, again: true });
    }
    if outcome == Outcome::Live && core.fault(faults::RECLAIMED, &occasion) {
        more.push(Step::Ask { deployment: id.clone(), removed: false });
    }
    more
}

fn claimed(state: &mut State, core: &mut Core, id: &Arc<str>, hash: &Arc<str>) -> Vec<Step> {
    let Some(machine) = state.accounts.machine_mut(id) else { return Vec::new() };
    let first = machine.claim.is_none();
    machine.claim.get_or_insert_with(|| hash.clone());
    let twice = first && core.violated(&claims::ONCE).is_some();
    twice.then(|| Step::Claim { machine: id.clone() }).into_iter().collect()
}

fn moves(core: &mut Core, deployment: &mut Deployment, event: DeploymentEvent) {
    let from: DeploymentState = deployment.state;
    if let Some((to, row)) = from.on(event) {
        core.fired(row);
        deployment.state = to;
    }
}

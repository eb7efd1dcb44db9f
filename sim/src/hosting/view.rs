//! The application's state, as the control API shows it.

use assay_spec::Instant;
use serde_json::{Value, json};

use super::accounts::{Deployment, Machine, Project};
use super::keys;
use super::{Failure, State, Written};
use crate::core::Core;

/// A summary of the state.
pub(super) fn view(core: &Core, state: &State) -> Value {
    let accounts = &state.accounts;
    json!({
        "delegate": keys::delegate(core).address(),
        "owners": accounts.owners.keys().map(|address| &**address).collect::<Vec<_>>(),
        "projects": accounts.projects.len(),
        "deployments": accounts.deployments.len(),
        "machines": accounts.machines.len(),
        "written": state.written.len(),
        "requests": state.requests,
        "jobs": jobs(state, None),
        "failures": state.failures.iter().map(failure).collect::<Vec<_>>(),
        "rehydrations": state.rehydrations,
    })
}

/// Everything written for an owner.
pub(super) fn records(core: &Core, state: &State, owner: &str) -> Value {
    let accounts = &state.accounts;
    let own = || state.written.iter().filter(|one| &*one.owner == owner);
    let projects: Vec<&Project> = accounts
        .owner(owner)
        .into_iter()
        .flat_map(|owner| owner.projects.iter())
        .filter_map(|id| accounts.project(id))
        .collect();
    let deployments = projects
        .iter()
        .flat_map(|project| project.deployments.iter())
        .filter_map(|id| accounts.deployment(id));
    let machines =
        || accounts.machines.values().filter(|one| projects.iter().any(|project| project.id == one.project));
    let with_machines = |one: &Project| {
        let own = machines().filter(|machine| machine.project == one.id);
        let mut shown = project(one);
        shown["machines"] = own.map(|machine| &*machine.address).collect();
        shown
    };
    json!({
        "owner": owner,
        "delegate": keys::delegate(core).address(),
        "hashes": own().map(|one| &*one.hash).collect::<Vec<_>>(),
        "records": own().map(written).collect::<Vec<_>>(),
        "projects": projects.iter().map(|one| with_machines(one)).collect::<Vec<_>>(),
        "deployments": deployments.map(deployment).collect::<Vec<_>>(),
        "machines": machines().map(|one| machine(one)).collect::<Vec<_>>(),
        "jobs": jobs(state, Some(owner)),
        "failures": state.failures.iter().filter(|one| &*one.owner == owner).map(failure).collect::<Vec<_>>(),
    })
}

/// The projects of an owner, for a browser after a login.
pub(super) fn held(state: &State, owner: &str) -> Vec<Value> {
    let mut owners = state.accounts.owners.values();
    let found = owners.find(|known| known.address.eq_ignore_ascii_case(owner));
    let ids = found.into_iter().flat_map(|owner| owner.projects.iter());
    ids.filter_map(|id| state.accounts.project(id)).map(project).collect()
}

fn jobs(state: &State, owner: Option<&str>) -> Vec<Value> {
    let jobs = state.jobs.iter().filter(|(_, job)| owner.is_none_or(|owner| &*job.owner == owner));
    jobs.map(|(id, job)| {
        let next = job.steps.front().map(super::step::Step::name);
        json!({ "job": id, "owner": &*job.owner, "next": next, "steps": job.steps.len() })
    })
    .collect()
}

fn written(one: &Written) -> Value {
    let Written { hash, kind, project, deployment, machine, time_s, .. } = one;
    json!({
        "hash": &**hash, "kind": kind, "project": project.as_deref(), "deployment": deployment.as_deref(),
        "machine": machine.as_deref(), "time": time_s,
    })
}

fn project(one: &Project) -> Value {
    let Project { id, state, target, machine, .. } = one;
    json!({ "id": &**id, "state": state.name(), "target": target.name(), "machine": machine.as_deref() })
}

fn deployment(one: &Deployment) -> Value {
    let Deployment { id, project, state, legacy, creation, terminal, store_ref, cid, .. } = one;
    json!({
        "id": &**id, "project": &**project, "state": state.name(), "legacy": legacy,
        "creation": creation.as_deref(), "terminal": terminal.as_deref(), "store_ref": store_ref.as_deref(),
        "cid": cid.as_deref(),
    })
}

fn machine(one: &Machine) -> Value {
    let Machine { key, address, project, instance, claim } = one;
    json!({
        "address": &**address, "key": key.reveal(), "project": &**project, "instance": instance.as_deref(),
        "claim": claim.as_deref(),
    })
}

fn failure(one: &Failure) -> Value {
    let Failure { at, owner, step, why, left_out } = one;
    let Instant(at) = at;
    json!({ "at": at, "owner": &**owner, "step": step, "why": why, "left_out": left_out })
}

/// A user's public values and private keys. These wallets hold no real funds.
pub(super) fn user_keys(core: &Core, state: &State, owner: &str) -> Value {
    let Some(owner) = state.accounts.owner(owner) else { return Value::Null };
    json!({
        "owner": &*owner.address, "wallet_key": owner.wallet.reveal(),
        "session": owner.session.address(), "session_key": owner.session.reveal(),
        "encryption_pubkey": owner.encryption.public_text(), "delegate": keys::delegate(core).address(),
    })
}

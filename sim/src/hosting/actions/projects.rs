//! Actions about projects.

use std::sync::Arc;

use assay_spec::hosting::machines::{ProjectEvent, ProjectState};
use serde_json::{Value, json};

use super::text;
use super::users::owner_of;
use crate::core::Core;
use crate::hosting::accounts::Target;
use crate::hosting::step::Signer;
use crate::hosting::steps::begin;
use crate::hosting::{State, plan};
use crate::shape::record;

record! {
    pub(super) struct NewProject {
        /// The address of the user; the latest without it.
        owner: Option<String>,
        /// Where its deployments go; `ipfs` without it.
        target: Target = Target::Site,
        /// Its framework; `astro` without it.
        framework: Option<String>,
        /// Its name.
        name: Option<String>,
        /// Who signs; `wallet` without it.
        signer: Signer = Signer::Wallet,
    }
}

record! {
    pub(super) struct Edited {
        /// The id of the project.
        project: String,
        /// Its new name.
        name: Option<String>,
        /// Its new framework.
        framework: Option<String>,
        /// Who signs; `wallet` without it.
        signer: Signer = Signer::Wallet,
    }
}

record! {
    pub(super) struct Deleted {
        /// The id of the project.
        project: String,
        /// Who signs; `wallet` without it.
        signer: Signer = Signer::Wallet,
    }
}

/// Writes a new project.
pub(super) fn create(core: &mut Core, state: &mut State, asked: NewProject) -> Result<Value, String> {
    let owner = owner_of(state, asked.owner.as_deref())?;
    let NewProject { target, signer, .. } = asked;
    let (framework, name) = (text(asked.framework, "astro")?, text(asked.name, "My project")?);
    let known = state.accounts.owner(&owner).ok_or("there is no user; use the action `wallet` first")?;
    if state.maps(&owner) {
        return Err("a map of projects is still being written".to_owned());
    }
    if known.projects.len() >= state.limits.projects {
        return Err(format!("the user has reached the limit of {} projects", state.limits.projects));
    }
    let id = state.accounts.add_project(core, &owner, target, &framework, &name);
    let steps = plan::create_project(core, state, &owner, &id, signer);
    begin(core, state, owner.clone(), steps);
    Ok(json!({ "owner": &*owner, "project": &*id }))
}

/// Writes an edit.
pub(super) fn edit(core: &mut Core, state: &mut State, asked: Edited) -> Result<Value, String> {
    let signer = asked.signer;
    let (id, owner) = movable(state, &asked.project, ProjectEvent::Edit)?;
    let (name, framework) = (text(asked.name, "")?, text(asked.framework, "")?);
    let steps = plan::edit(state, &id, (&name, &framework), signer);
    begin(core, state, owner, steps);
    Ok(json!({ "project": &*id }))
}

/// Writes a tombstone and forgets the artifacts.
pub(super) fn delete(core: &mut Core, state: &mut State, asked: &Deleted) -> Result<Value, String> {
    let signer = asked.signer;
    let (id, owner) = movable(state, &asked.project, ProjectEvent::Tombstone)?;
    let mut deployments =
        state.accounts.project(&id).into_iter().flat_map(|project| project.deployments.iter());
    if deployments.any(|id| state.deploys(id)) {
        return Err("a record of one of its deployments is still being written".to_owned());
    }
    let steps = plan::delete(core, &id, signer);
    begin(core, state, owner, steps);
    Ok(json!({ "project": &*id }))
}

/// The project's id and owner, if its state allows the event now.
fn movable(state: &State, id: &str, event: ProjectEvent) -> Result<(Arc<str>, Arc<str>), String> {
    let project = state.accounts.project(id).ok_or_else(|| format!("no project {id:.80?}"))?;
    if project.state.on(event).is_none() {
        return Err(format!("the project is {}", project.state.name()));
    }
    if state.maps(&project.owner) {
        return Err("a map of projects is still being written".to_owned());
    }
    Ok((project.id.clone(), project.owner.clone()))
}

/// The project's id and owner, if it is active.
pub(super) fn active(state: &State, id: &str) -> Result<(Arc<str>, Arc<str>), String> {
    let project = state.accounts.project(id).ok_or_else(|| format!("no project {id:.80?}"))?;
    if project.state != ProjectState::Active {
        return Err(format!("the project is {}", project.state.name()));
    }
    if state.maps(&project.owner) {
        return Err("a map of projects is still being written".to_owned());
    }
    Ok((project.id.clone(), project.owner.clone()))
}

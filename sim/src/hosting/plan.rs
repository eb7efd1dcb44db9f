//! Turns an action into its steps.

use std::sync::Arc;

use assay_spec::hosting::machines::ProjectEvent;
use assay_spec::hosting::places::FORGET;
use assay_spec::instant::DAY;

use super::State;
use super::step::{Authorship, Signer, Step};
use super::write::{Amend, Amends, Outcome};
use crate::core::Core;

/// The first steps for a new owner: `security`, then a project.
#[derive(Clone, PartialEq)]
pub(super) struct Beginning(pub(super) Vec<Step>);

/// The steps that delete a project: its tombstone, then its artifacts.
#[derive(Clone, PartialEq)]
pub(super) struct Deletion(pub(super) Vec<Step>);

/// The age of records of earlier schemas.
const LEGACY_AGO_S: i64 = 180 * DAY / 1000;

/// Writes a new project.
pub(super) fn create_project(
    core: &mut Core,
    state: &State,
    owner: &Arc<str>,
    project: &Arc<str>,
    signer: Signer,
) -> Vec<Step> {
    let create = map(project, ProjectEvent::Create, signer);
    let secured = state.accounts.owner(owner).is_none_or(|owner| owner.secured || owner.projects.len() > 1);
    let security = Step::Security { by: Authorship::Own };
    if secured { vec![create] } else { core.step(Beginning(vec![security, create])).0 }
}

/// Writes a new deployment.
pub(super) fn deploy(deployment: &Arc<str>) -> Vec<Step> {
    vec![Step::Create { deployment: deployment.clone(), again: false }]
}

/// Ends a deployment.
pub(super) fn finish(deployment: &Arc<str>, outcome: Outcome, artifact: &str) -> Vec<Step> {
    let pin = Step::Pin { deployment: deployment.clone(), text: artifact.into() };
    let amend = amend(deployment, outcome);
    match outcome {
        Outcome::Live => vec![pin, amend],
        Outcome::Failed => vec![amend],
    }
}

/// Writes the terminal record.
pub(super) fn amend(deployment: &Arc<str>, outcome: Outcome) -> Step {
    Step::Amend(Amend { deployment: deployment.clone(), outcome, amends: Amends::Creation })
}

/// Changes name or framework; an empty one is left as it is.
pub(super) fn edit(
    state: &mut State,
    project: &Arc<str>,
    (name, framework): (&str, &str),
    signer: Signer,
) -> Vec<Step> {
    if let Some(project) = state.accounts.project_mut(project) {
        for (member, given) in [(&mut project.name, name), (&mut project.framework, framework)] {
            if !given.is_empty() {
                given.clone_into(member);
            }
        }
    }
    vec![map(project, ProjectEvent::Edit, signer)]
}

/// Writes the tombstone, then forgets the artifacts.
pub(super) fn delete(core: &mut Core, project: &Arc<str>, signer: Signer) -> Vec<Step> {
    let tombstone = map(project, ProjectEvent::Tombstone, signer);
    let tidy = Step::Tidy { project: project.clone() };
    core.within(FORGET[0], |core| core.step(Deletion(vec![tombstone, tidy])).0)
}

/// Boots a machine that receives the project's bundles from now on.
pub(super) fn boot(state: &mut State, project: &Arc<str>, machine: &Arc<str>) -> Vec<Step> {
    if let Some(project) = state.accounts.project_mut(project) {
        project.machine = Some(machine.clone());
    }
    vec![Step::Boot { machine: machine.clone() }, Step::Claim { machine: machine.clone() }]
}

/// Writes a deployment of an earlier schema.
pub(super) fn legacy(
    core: &mut Core,
    state: &mut State,
    project: &Arc<str>,
    (schema, envelope): (u8, u8),
    cid: Option<&str>,
) -> (Arc<str>, Step) {
    let id = state.accounts.add_deployment(core, project, true);
    let number = state.accounts.deployments.len() as i64;
    if let Some(deployment) = state.accounts.deployment_mut(&id) {
        let cid = cid.map_or_else(|| earlier_cid(core, &id), str::to_owned);
        deployment.cid = Some(cid.into());
    }
    let time_s = core.now().seconds() - LEGACY_AGO_S + number;
    (id.clone(), Step::Legacy { deployment: id, schema, envelope, time_s })
}

fn earlier_cid(core: &Core, id: &str) -> String {
    use assay_spec::cid::{self, Layout};
    let file = core.rng.draw("hosting.earlier", id.as_bytes(), 0);
    let named = cid::of_file(&&file[..], &Layout::default(), &cid::Discard);
    named.map(|summary| summary.cid.to_string()).unwrap_or_default()
}

fn map(project: &Arc<str>, event: ProjectEvent, signer: Signer) -> Step {
    Step::Projects { project: project.clone(), event, signer }
}

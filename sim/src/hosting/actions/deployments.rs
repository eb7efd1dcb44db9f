//! Actions about deployments.

use assay_spec::hosting::machines::DeploymentEvent;
use serde_json::{Value, json};

use super::projects::active;
use super::{OfProject, text};
use crate::core::Core;
use crate::hosting::accounts::Target;
use crate::hosting::steps::begin;
use crate::hosting::write::Outcome;
use crate::hosting::{State, plan};
use crate::shape::{Whole, record};

record! {
    pub(super) struct Finished {
        /// The id of the deployment.
        deployment: String,
        /// How it ends.
        outcome: Outcome,
        /// The content of the artifact.
        artifact: Option<String>,
    }
}

record! {
    pub(super) struct Earlier {
        /// The id of the project.
        project: String,
        /// The number of the schema; 3 without it.
        schema: Whole<0, 3> = Whole(3),
        /// The version of the envelope; 2 without it.
        envelope: Whole<1, 2> = Whole(2),
        /// The content identifier of its artifact.
        cid: Option<String>,
    }
}

/// Writes a creation.
pub(super) fn create(core: &mut Core, state: &mut State, asked: &OfProject) -> Result<Value, String> {
    let (project, owner) = active(state, &asked.project)?;
    full(state)?;
    let id = state.accounts.add_deployment(core, &project, false);
    let steps = plan::deploy(&id);
    begin(core, state, owner, steps);
    Ok(json!({ "project": &*project, "deployment": &*id }))
}

/// Ends a deployment.
pub(super) fn finish(core: &mut Core, state: &mut State, asked: Finished) -> Result<Value, String> {
    let outcome = asked.outcome;
    let event = match outcome {
        Outcome::Live => DeploymentEvent::Pinned,
        Outcome::Failed => DeploymentEvent::Fail,
    };
    let artifact = text(asked.artifact, "an artifact")?;
    let one = state.accounts.deployment(&asked.deployment);
    let one = one.ok_or_else(|| format!("no deployment {:.80?}", asked.deployment))?;
    if state.deploys(&one.id) {
        return Err("a record of the deployment is still being written".to_owned());
    }
    if one.legacy || one.state.on(event).is_none() {
        return Err(format!("the deployment is {}", if one.legacy { "legacy" } else { one.state.name() }));
    }
    let id = one.id.clone();
    let (project, owner) = active(state, &one.project)?;
    let known = state.accounts.project(&project).ok_or("the project is gone")?;
    let machine = known.machine.as_deref().and_then(|machine| state.accounts.machine(machine));
    let claimed = machine.is_some_and(|machine| machine.claim.is_some());
    if outcome == Outcome::Live && known.target == Target::Machine && !claimed {
        return Err("no machine has claimed its key yet".to_owned());
    }
    let steps = plan::finish(&id, outcome, &artifact);
    begin(core, state, owner, steps);
    Ok(json!({ "deployment": &*id }))
}

/// Writes a record of an earlier schema.
pub(super) fn legacy(core: &mut Core, state: &mut State, asked: &Earlier) -> Result<Value, String> {
    let (schema, envelope) = (asked.schema.0 as u8, asked.envelope.0 as u8);
    let cid = asked.cid.clone().map(|cid| text(Some(cid), "")).transpose()?;
    let (project, owner) = active(state, &asked.project)?;
    full(state)?;
    let (id, step) = plan::legacy(core, state, &project, (schema, envelope), cid.as_deref());
    begin(core, state, owner, [step]);
    Ok(json!({ "project": &*project, "deployment": &*id }))
}

fn full(state: &State) -> Result<(), String> {
    let full = state.accounts.deployments.len() >= state.limits.deployments;
    if full {
        Err(format!("the limit of {} deployments is reached", state.limits.deployments))
    } else {
        Ok(())
    }
}

//! Actions about deployments.

use assay_spec::hosting::machines::DeploymentEvent;
use serde::Deserialize;
use serde_json::{Value, json};

use super::projects::active;
use super::{OfProject, text};
use crate::core::Core;
use crate::hosting::accounts::Target;
use crate::hosting::steps::begin;
use crate::hosting::write::Outcome;
use crate::hosting::{State, plan};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Finished {
    deployment: String,
    outcome: String,
    artifact: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Earlier {
    project: String,
    schema: Option<u8>,
    envelope: Option<u8>,
    cid: Option<String>,
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
    let (outcome, event) = match asked.outcome.as_str() {
        "live" => (Outcome::Live, DeploymentEvent::Pinned),
        "failed" => (Outcome::Failed, DeploymentEvent::Fail),
        other => return Err(format!("outcome must be live or failed, not {other:.40?}")),
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
    let (schema, envelope) = (asked.schema.unwrap_or(3), asked.envelope.unwrap_or(2));
    if schema > 3 || !(1..=2).contains(&envelope) {
        return Err("schema must be 0 to 3, and envelope 1 or 2".to_owned());
    }
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

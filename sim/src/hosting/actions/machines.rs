//! Actions about virtual machines.

use serde_json::{Value, json};

use super::OfProject;
use super::projects::active;
use crate::core::Core;
use crate::hosting::accounts::Target;
use crate::hosting::step::Step;
use crate::hosting::steps::begin;
use crate::hosting::{State, plan};

/// Boots a machine, as the first or as a replacement.
pub(super) fn boot(
    core: &mut Core,
    state: &mut State,
    asked: &OfProject,
    replaces: bool,
) -> Result<Value, String> {
    let (project, owner) = active(state, &asked.project)?;
    let known = state.accounts.project(&project).ok_or("the project is gone")?;
    if known.target != Target::Machine {
        return Err("the project's target is not `instance`".to_owned());
    }
    if known.machine.is_some() != replaces {
        return Err(
            if replaces { "no machine is running" } else { "a machine is already running" }.to_owned()
        );
    }
    let machine = state.accounts.add_machine(core, &project);
    let steps = plan::boot(state, &project, &machine);
    begin(core, state, owner, steps);
    Ok(json!({ "project": &*project, "machine": &*machine }))
}

/// Makes another machine claim the instance of the running one.
pub(super) fn rival(core: &mut Core, state: &mut State, asked: &OfProject) -> Result<Value, String> {
    let (project, owner) = active(state, &asked.project)?;
    let known = state.accounts.project(&project).and_then(|one| one.machine.clone());
    let runs = known.as_deref().and_then(|machine| state.accounts.machine(machine));
    let instance = runs.filter(|runs| runs.claim.is_some()).and_then(|runs| runs.instance.clone());
    let instance = instance.ok_or("no machine has claimed its key yet")?;
    let machine = state.accounts.add_machine(core, &project);
    if let Some(machine) = state.accounts.machine_mut(&machine) {
        machine.instance = Some(instance);
    }
    begin(core, state, owner, [Step::Claim { machine: machine.clone() }]);
    Ok(json!({ "project": &*project, "machine": &*machine }))
}

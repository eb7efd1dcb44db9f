//! A complete history in one action, for the checks to read.

use std::sync::Arc;

use assay_spec::hosting::machines::ProjectEvent;
use assay_spec::instant::HOUR;
use serde_json::{Value, json};

use super::accounts::Target;
use super::plan::Beginning;
use super::step::{Authorship, Signer, Step};
use super::steps::begin;
use super::write::Outcome;
use super::{State, plan, view};
use crate::core::Core;

/// How long ago the history begins.
const AGO_S: i64 = 6 * HOUR / 1000;
/// The distance between its records.
const PACE_S: i64 = 60;

/// Writes the seed history of an owner without records; returns the owner and the content of the history.
pub(super) fn write(core: &mut Core, state: &mut State, owner: &Arc<str>) -> Value {
    set_pace(core, state, owner, AGO_S, PACE_S);
    let targets = [Target::Site, Target::Machine, Target::Site, Target::Site];
    let frameworks = ["astro", "express", "vite", "hugo"];
    let mut project = |state: &mut State, n: usize| {
        let name = format!("Project {} \u{2014} \u{e9}", n + 1);
        state.accounts.add_project(core, owner, targets[n], frameworks[n], &name)
    };
    let projects: [Arc<str>; 4] = std::array::from_fn(|n| project(state, n));
    let [first, second, third, fourth] = &projects;

    let map = |project: &Arc<str>, event, signer| Step::Projects { project: project.clone(), event, signer };
    let mut steps: Vec<Step> =
        projects[..3].iter().map(|project| map(project, ProjectEvent::Create, Signer::Wallet)).collect();
    steps.insert(0, Step::Security { by: Authorship::Own });
    let Beginning(mut steps) = core.step(Beginning(steps));

    let machine = state.accounts.add_machine(core, second);
    let rival = state.accounts.add_machine(core, second);
    let later = state.accounts.add_machine(core, second);
    steps.extend(plan::boot(state, second, &machine));
    steps.push(Step::Rival { machine: rival.clone(), of: machine.clone() });

    let mut deployments = Vec::new();
    let mut deploy = |core: &mut Core, state: &mut State, project: &Arc<str>, outcome: Outcome| {
        let id = state.accounts.add_deployment(core, project, false);
        let name = if outcome == Outcome::Live { "live" } else { "failed" };
        deployments.push(json!({ "deployment": &*id, "project": &**project, "outcome": name }));
        let mut steps = plan::deploy(&id);
        steps.extend(plan::finish(&id, outcome, "hello"));
        (id, steps)
    };
    let plan = [
        (first, Outcome::Live),
        (first, Outcome::Failed),
        (second, Outcome::Live),
        (third, Outcome::Live),
        (third, Outcome::Live),
        (third, Outcome::Failed),
        (third, Outcome::Live),
    ];
    let mut removed: Arc<str> = "".into();
    for (project, outcome) in plan {
        let (id, more) = deploy(core, state, project, outcome);
        steps.extend(more);
        removed = id;
    }
    steps.push(Step::Ask { deployment: removed, removed: true });
    steps.push(map(first, ProjectEvent::Edit, Signer::Session));
    steps.push(Step::Machine { project: second.clone(), machine: later.clone() });
    steps.extend([Step::Boot { machine: later.clone() }, Step::Claim { machine: later.clone() }]);
    steps.extend(deploy(core, state, second, Outcome::Live).1);
    let mut earlier = Vec::new();
    for forms in [(3, 2), (2, 1)] {
        let (id, step) = plan::legacy(core, state, first, forms, None);
        earlier
            .push(json!({ "deployment": &*id, "project": &**first, "schema": forms.0, "envelope": forms.1 }));
        steps.push(step);
    }
    steps.extend(plan::delete(core, third, Signer::Wallet));
    steps.push(map(first, ProjectEvent::Edit, Signer::Wallet));
    // After a deletion: a project without artifacts.
    steps.push(map(fourth, ProjectEvent::Create, Signer::Wallet));
    steps.push(map(fourth, ProjectEvent::Tombstone, Signer::Wallet));
    steps.push(Step::Resume);
    begin(core, state, owner.clone(), steps);

    let mut answer = view::user_keys(core, state, owner);
    answer["projects"] = projects.iter().map(|id| &**id).collect();
    answer["deployments"] = deployments.into();
    answer["legacy"] = earlier.into();
    answer["machines"] = json!([&*machine, &*later]);
    answer["rival"] = json!(&*rival);
    answer
}

/// Sets where an owner's records begin and how far apart they are.
pub(super) fn set_pace(core: &Core, state: &mut State, owner: &str, ago_s: i64, pace_s: i64) {
    let now_s = core.now().seconds();
    if let Some(owner) = state.accounts.owner_mut(owner) {
        owner.last_s = now_s - ago_s;
        owner.pace_s = pace_s;
    }
}

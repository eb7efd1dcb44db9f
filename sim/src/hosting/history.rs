//! A long history, for whoever recovers one: every kind of artifact that a reader can meet.

use std::sync::Arc;

use assay_spec::hosting::machines::ProjectEvent;
use serde_json::{Value, json};

use super::accounts::Target;
use super::step::{Place, Signer, Step};
use super::steps::begin;
use super::write::Outcome;
use super::{State, actions, plan, seed_history};
use crate::core::Core;

/// Deployments of a project, on the average.
const OF_PROJECT: u32 = 50;
/// Projects at most.
const PROJECTS: u32 = 40;

/// Writes so many deployments; answers how many of each kind there are.
pub(super) fn write(state: &mut State, core: &mut Core, owner: &Arc<str>, count: u32) -> Value {
    // Three records of each deployment, and a second for each of them.
    seed_history::set_pace(state, core, owner, i64::from(count) * 6 + 3_600, 1);
    let projects: Vec<Arc<str>> = (0..=count.div_ceil(OF_PROJECT).min(PROJECTS))
        .map(|n| state.accounts.add_project(core, owner, Target::Site, "astro", &format!("Project {n}")))
        .collect();
    let map = |project: &Arc<str>, event| Step::Projects {
        project: project.clone(),
        event,
        signer: Signer::Wallet,
    };
    let mut steps = vec![Step::Security { place: Place::Own }];
    steps.extend(projects.iter().map(|project| map(project, ProjectEvent::Create)));
    let (gone, stay) = projects.split_last().expect("there is one project at least, and the one that goes");
    let names = ["processed", "removing", "removed", "forgotten", "absent", "failed", "legacy"];
    let mut counts = [0_u32; 7];
    for n in 0..count {
        // Every tenth is of an earlier schema, every tenth failed; the others' artifacts take turns.
        let kind = match n % 10 {
            9 => 6,
            4 => 5,
            _ => (n / 10 + n) as usize % 5,
        };
        counts[kind] += 1;
        let project = if kind == 3 { gone } else { &stay[n as usize % stay.len()] };
        if kind == 6 {
            let forms = ((n / 10 % 4) as u8, 1 + (n / 10 % 2) as u8);
            steps.push(plan::legacy(state, core, project, forms, None).1);
            continue;
        }
        let id = state.accounts.add_deployment(core, project, false);
        steps.extend(plan::deploy(&id));
        match kind {
            5 => steps.extend(plan::finish(&id, Outcome::Failed, "")),
            4 => {
                // An artifact of which no node has heard.
                if let Some(deployment) = state.accounts.deployment_mut(&id) {
                    let hash = core.rng.draw("hosting.absent", id.as_bytes(), 0);
                    deployment.store_ref = Some(assay_spec::crypto::text::hex(&hash).into());
                }
                steps.push(Step::Amend { deployment: id, outcome: Outcome::Live, again: false });
            }
            _ => {
                steps.extend(plan::finish(&id, Outcome::Live, "hello"));
                if matches!(kind, 1 | 2) {
                    steps.push(Step::Ask { deployment: id, removed: kind == 2 });
                }
            }
        }
    }
    steps.extend(plan::delete(core, gone, Signer::Wallet));
    steps.push(Step::Resume);
    begin(state, core, owner.clone(), steps);
    let mut answer = actions::person(state, core, owner);
    answer["projects"] = projects.iter().map(|id| &**id).collect();
    answer["counts"] = names
        .into_iter()
        .zip(counts)
        .map(|(name, count)| (name.to_owned(), json!(count)))
        .collect::<serde_json::Map<_, _>>()
        .into();
    answer
}

//! A long history, for recovery: every kind of artifact that a reader can encounter.

use std::sync::Arc;

use assay_spec::hosting::machines::ProjectEvent;
use serde_json::{Value, json};

use super::accounts::Target;
use super::step::{Authorship, Signer, Step};
use super::steps::begin;
use super::write::Outcome;
use super::{State, plan, seed_history, view};
use crate::core::Core;

/// The average number of deployments per project.
const OF_PROJECT: u32 = 50;
/// The maximum number of projects.
const PROJECTS: u32 = 40;

/// Writes this many deployments; returns the number of each kind.
pub(super) fn write(core: &mut Core, state: &mut State, owner: &Arc<str>, count: u32) -> Value {
    // Each deployment has three records, one second each.
    seed_history::set_pace(core, state, owner, i64::from(count) * 6 + 3_600, 1);
    let projects: Vec<Arc<str>> = (0..=count.div_ceil(OF_PROJECT).min(PROJECTS))
        .map(|n| state.accounts.add_project(core, owner, Target::Site, "astro", &format!("Project {n}")))
        .collect();
    let map = |project: &Arc<str>, event| Step::Projects {
        project: project.clone(),
        event,
        signer: Signer::Wallet,
    };
    let mut steps = vec![Step::Security { by: Authorship::Own }];
    steps.extend(projects.iter().map(|project| map(project, ProjectEvent::Create)));
    let (gone, stay) = projects.split_last().expect("there is at least one project");
    let names = ["processed", "removing", "removed", "forgotten", "absent", "failed", "legacy"];
    let mut counts = [0_u32; 7];
    for n in 0..count {
        // One tenth has an earlier schema and one tenth failed; the others take the kinds of artifacts in
        // turn.
        let kind = match n % 10 {
            9 => 6,
            4 => 5,
            _ => (n / 10 + n) as usize % 5,
        };
        counts[kind] += 1;
        let project = if kind == 3 { gone } else { &stay[n as usize % stay.len()] };
        if kind == 6 {
            let forms = ((n / 10 % 4) as u8, 1 + (n / 10 % 2) as u8);
            steps.push(plan::legacy(core, state, project, forms, None).1);
            continue;
        }
        let id = state.accounts.add_deployment(core, project, false);
        steps.extend(plan::deploy(&id));
        match kind {
            5 => steps.extend(plan::finish(&id, Outcome::Failed, "")),
            4 => {
                // An artifact that no node knows.
                if let Some(deployment) = state.accounts.deployment_mut(&id) {
                    let hash = core.rng.draw("hosting.absent", id.as_bytes(), 0);
                    deployment.store_ref = Some(assay_spec::crypto::text::hex(&hash).into());
                }
                steps.push(plan::amend(&id, Outcome::Live));
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
    begin(core, state, owner.clone(), steps);
    let mut answer = view::user_keys(core, state, owner);
    answer["projects"] = projects.iter().map(|id| &**id).collect();
    answer["counts"] = names
        .into_iter()
        .zip(counts)
        .map(|(name, count)| (name.to_owned(), json!(count)))
        .collect::<serde_json::Map<_, _>>()
        .into();
    answer
}

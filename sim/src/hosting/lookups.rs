//! Looks up artifacts at nodes to find those that can be forgotten.

use std::sync::Arc;

use assay_spec::network::store::Class;
use imbl::Vector;
use serde_json::json;

use super::step::Step;
use super::{State, faults};
use crate::core::Core;
use crate::network::sites::{MIRROR, PRIMARY};

/// The lookups of a project's artifacts, one each, followed by the FORGET.
pub(super) fn begin(core: &mut Core, state: &State, project: &Arc<str>) -> Vec<Step> {
    let at = if core.fault(faults::LAGGING, &[("project", project)]) { MIRROR } else { PRIMARY };
    let deployments = state.accounts.project(project).map(|one| one.deployments.clone()).unwrap_or_default();
    let mut hashes: Vector<Arc<str>> = Vector::new();
    for hash in deployments.iter().filter_map(|id| state.accounts.deployment(id)?.store_ref.clone()) {
        if !hashes.contains(&hash) {
            hashes.push_back(hash);
        }
    }
    let look = |hash| Step::Look { hash, at, last: false };
    let mut steps: Vec<Step> = hashes.into_iter().map(look).collect();
    steps.push(Step::Settle { project: project.clone() });
    steps
}

/// Takes the result of a lookup.
pub(super) fn done(state: &mut State, id: u64, step: &Step, class: Class, cid: Option<&str>) -> Vec<Step> {
    match step {
        Step::Confirm { deployment, .. } => {
            if let Some(deployment) = state.accounts.deployment_mut(deployment) {
                deployment.cid = cid.map(Into::into);
            }
            Vec::new()
        }
        Step::Look { hash, at, last } => {
            let unsaid = matches!(class, Class::Absent | Class::Unknown);
            if class == Class::Live {
                if let Some(job) = state.jobs.get_mut(&id) {
                    job.good.push(hash.clone());
                }
                return Vec::new();
            }
            let other = if *at == PRIMARY { MIRROR } else { PRIMARY };
            let ask = Step::Look { hash: hash.clone(), at: other, last: true };
            (unsaid && !last).then_some(ask).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Makes the network reclaim an artifact that is no longer paid for.
pub(super) fn reclaim(core: &mut Core, state: &State, deployment: &str, removed: bool) {
    let store_ref = state.accounts.deployment(deployment).and_then(|one| one.store_ref.clone());
    if let Some(hash) = store_ref {
        core.request_action("network.reclaim", json!({ "hash": &*hash, "at_once": removed }));
    }
}

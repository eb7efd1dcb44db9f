//! Identifiers of projects and deployments.

use assay_spec::hosting::requirements::{deployments, identifiers as rows, projects};

use super::found::found;
use super::judge::{each, is_id, some};
use super::message::MessageKind;
use crate::harness::check::{Checked, shows};
use crate::harness::probe::Probe;

/// Reads every write to `projects`. Each key must be `proj_` and 12 characters of the identifier alphabet.
#[shows(rows::PROJECT, after = rests!(projects::MAP, projects::ENTRY))]
async fn projects_have_identifiers_of_12_characters(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    let is_project = is_id("proj_", 12);
    let mut count = 0;
    for write in found.of_kind(MessageKind::Projects) {
        for (id, _) in write.entries() {
            count += 1;
            let holds = is_project(Some(&id.into()));
            super::judge::expect(
                probe,
                &found,
                write,
                holds,
                "key of an entry",
                "proj_ and 12 characters",
                id,
            )?;
        }
    }
    some(&found, count, "project")
}

/// Reads every record of a deployment. `deploymentId` must be `deploy_` and 12 characters of the identifier alphabet.
#[shows(
    rows::DEPLOYMENT,
    after = rests!(deployments::BODY, deployments::DEPLOYMENT_ID, deployments::SAME_DEPLOYMENT),
)]
async fn deployments_have_identifiers_of_12_characters(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    let seen = found.deployments().into_iter().map(|one| one.at("/content/content/deploymentId"));
    each(probe, &found, "deployment", seen, "deploy_ and 12 characters", is_id("deploy_", 12))
}

//! What a reader can recover from an owner's history.

use assay_spec::hosting::requirements::{deployments, forget, history, projects, recovery as rows};
use assay_spec::network::requirements::store;
use assay_spec::network::store::Status;

use super::found::{absent, found};
use super::judge::some;
use super::scene::{LOOKED_UP, is_hash, live};
use crate::harness::check::{Checked, shows};
use crate::harness::probe::Probe;

/// Looks up the artifacts of the latest live deployments of projects that were never deleted. Each must return 200 with a
/// content identifier. One that was removed (410, or `removed`) is only noted. So is one that is `pending` or `rejected`,
/// which says nothing about its bytes, unless the whole history is known. If a node lacks a message
/// or has removed it, the other nodes are queried; what all of them lack is not judged.
#[shows(
    rows::LIVE_RESOLVES,
    after = rests!(
        deployments::PUBLIC, deployments::PROJECT_ID, deployments::SAME_PROJECT, deployments::LIVE_STORE_REF,
        projects::MAP, projects::ENTRY, projects::DELETED, history::ENTRY_STAYS, history::DELETED_STAYS,
        forget::OWN, store::PROCESSED,
    ),
)]
async fn artifacts_of_living_projects_resolve(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    // The artifacts of a project that was restored are gone.
    let deleted = super::forget::ever_deleted(&found);
    let (mut count, mut is_absent) = (0, false);
    for amend in live(&found).into_iter().rev().take(LOOKED_UP) {
        let hash = amend.store_ref();
        if deleted.contains(amend.id("projectId")) || !is_hash(hash) {
            continue;
        }
        let answer = found.lookup_live(probe, hash).await?;
        let body = answer.json();
        // Only a status of a STORE decides; the body of a 410 may be the error body.
        let state = body["status"].as_str().and_then(Status::named);
        answer.given_status(&[200, 404, 410])?;
        match (answer.status(), state) {
            (404, None) if !found.is_whole => {
                is_absent = true;
                continue;
            }
            (_, Some(Status::Removed)) | (410, None) => {
                probe.note(format!("the artifact {hash} was removed: its payer ran out of credits"));
                continue;
            }
            (_, Some(state @ (Status::Pending | Status::Rejected))) if !found.is_whole => {
                probe.note(format!(
                    "the artifact {hash} is {}, which says nothing about its bytes",
                    state.name()
                ));
                continue;
            }
            _ => {}
        }
        let name = body["message"]["content"]["item_hash"].as_str().unwrap_or_default();
        if name.is_empty() && !found.is_whole {
            probe.note(format!("the artifact {hash} has no content identifier at the nodes that were asked"));
            is_absent = true;
            continue;
        }
        count += 1;
        let is_live = matches!(state, Some(Status::Processed | Status::Removing));
        let holds = answer.status() == 200 && is_live && !name.is_empty();
        let got = format!("{} {}, content.item_hash {name:?}", answer.status(), body["status"]);
        let place = format!("artifact of {}", amend.hash());
        answer.expect(holds, &place, "a content identifier", got)?;
    }
    if count == 0 && is_absent {
        return Err(absent("the artifacts of the living projects"));
    }
    some(&found, count, "artifact of a living project")
}

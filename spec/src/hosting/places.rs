//! Where the rows of stored records apply: the kind of the record, what the record does, and the state or the target that it
//! gives its subject.

use crate::Place;
use crate::place::join;

const PROJECTS: Place = Place::at("projects");
const DEPLOYMENT: Place = Place::at("deployment");
const STORE: Place = Place::at("store");

/// A map of projects that creates, edits or deletes one of them.
pub const MAPS: &[Place] = &[PROJECTS.op("create"), PROJECTS.op("edit"), PROJECTS.op("delete")];
/// The map that creates a project.
pub const PROJECT_CREATION: &[Place] = &[MAPS[0]];
/// A map that edits a project.
pub const PROJECT_EDIT: &[Place] = &[MAPS[1]];
/// The map that deletes a project.
pub const PROJECT_DELETION: &[Place] = &[MAPS[2]];
/// A map with a new entry of a project that is not deleted.
pub const LIVING: &[Place] = &[MAPS[0], MAPS[1]];
/// A map that changes an entry.
pub const PROJECT_CHANGES: &[Place] = &[MAPS[1], MAPS[2]];

/// A record of a deployment: its creation, and its terminal amend by the status that it states.
pub const DEPLOYMENTS: &[Place] =
    &[DEPLOYMENT.op("create"), DEPLOYMENT.op("amend").state("live"), DEPLOYMENT.op("amend").state("failed")];
/// A creation.
pub const CREATION: &[Place] = &[DEPLOYMENTS[0]];
/// A terminal amend.
pub const TERMINAL: &[Place] = &[DEPLOYMENTS[1], DEPLOYMENTS[2]];
/// The terminal amend of a live deployment.
pub const LIVE: &[Place] = &[DEPLOYMENTS[1]];
/// The terminal amend of a failed deployment.
pub const FAILED: &[Place] = &[DEPLOYMENTS[2]];
/// The record of a deployment from before schema 4.
pub const LEGACY: &[Place] = &[Place::at("legacy")];

/// The aggregate `security`.
pub const SECURITY: &[Place] = &[Place::at("security")];
/// The claim of a VM's key.
pub const CLAIM: &[Place] = &[Place::at("claim")];
/// A FORGET.
pub const FORGET: &[Place] = &[Place::at("forget")];

/// The STORE of an artifact, by the target of its project.
pub const STORES: &[Place] = &[STORE.state("ipfs"), STORE.state("instance")];
/// The STORE of a site.
pub const SITE: &[Place] = &[STORES[0]];
/// The STORE of a bundle.
pub const BUNDLE: &[Place] = &[STORES[1]];

/// A record with an envelope of the current version.
pub const SEALED: &[Place] = &join::<5>(&[LIVING, DEPLOYMENTS]);
/// Each record whose signed bytes are shown, and that is not signed by a VM.
pub const SIGNED: &[Place] = &join::<8>(&[SECURITY, MAPS, DEPLOYMENTS, LEGACY]);
/// Each record that is known by a name of the application: an owner may send other FORGETs.
pub const ON_CHANNEL: &[Place] = &join::<9>(&[SIGNED, CLAIM]);
/// Each record that is not signed by a VM.
pub const BY_OWNER_OR_DELEGATE: &[Place] = &join::<9>(&[SECURITY, MAPS, DEPLOYMENTS, LEGACY, FORGET]);
/// Each record.
pub const RECORDS: &[Place] = &join::<10>(&[BY_OWNER_OR_DELEGATE, CLAIM]);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosting::machines::{DEPLOYMENT, DeploymentState};
    use crate::hosting::requirements::GROUPS;
    use crate::requirement::Evidence;

    #[test]
    fn states_of_terminal_amends_are_those_of_deployments() {
        let queued = DeploymentState::Queued.name();
        let ends = DEPLOYMENT.transitions.iter().filter(|row| row.from == queued).map(|row| row.to);
        assert_eq!(TERMINAL.iter().map(|place| place.state).collect::<Vec<_>>(), ends.collect::<Vec<_>>());
    }

    #[test]
    fn rows_with_a_check_have_places() {
        let rows = GROUPS.iter().flat_map(|group| group.iter());
        let bare = rows.filter(|row| row.evidence == Evidence::Check && row.places.is_empty());
        assert_eq!(bare.map(ToString::to_string).collect::<Vec<_>>(), Vec::<String>::new());
    }
}

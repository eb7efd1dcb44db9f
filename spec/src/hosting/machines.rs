//! The state machines of the stored records (document 2, "States and transitions").

crate::machine! {
    /// A deployment: queued by its creation, ended by its terminal amend. Both end states are final.
    DEPLOYMENT "deployment":
    DeploymentState { None = "none", Queued = "queued", Live = "live", Failed = "failed" }
    DeploymentEvent { Create = "creation", Pinned = "artifact-pinned", Fail = "failure" }
    None on Create => Queued;
    Queued on Pinned => Live;
    Queued on Fail => Failed;
}

crate::machine! {
    /// A project's entry in its owner's map. A deleted entry stays in the map and stays deleted.
    PROJECT "project":
    ProjectState { None = "none", Active = "active", Deleted = "deleted" }
    ProjectEvent { Create = "created", Edit = "edited", Tombstone = "tombstone" }
    None on Create => Active;
    Active on Edit => Active;
    Active on Tombstone => Deleted;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn final_states_have_no_transitions() {
        for end in [DeploymentState::Live, DeploymentState::Failed] {
            assert!(DEPLOYMENT.transitions.iter().all(|row| row.from != end.name()), "{}", end.name());
        }
        assert!(PROJECT.transitions.iter().all(|row| row.from != ProjectState::Deleted.name()));
    }

    #[test]
    fn deployment_ends_only_from_queued_and_after_two_records() {
        let ends = DEPLOYMENT.transitions.iter().filter(|row| row.from != DeploymentState::None.name());
        assert!(ends.clone().all(|row| row.from == DeploymentState::Queued.name()));
        assert_eq!(ends.count(), 2);
    }

    #[test]
    fn deployment_states_are_its_statuses() {
        let states = DEPLOYMENT.transitions.iter().map(|row| row.to);
        assert_eq!(states.collect::<Vec<_>>(), ["queued", "live", "failed"]);
    }
}

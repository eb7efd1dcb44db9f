//! What deviations and variations of the application edit or replace, besides the records themselves.

use std::sync::Arc;

use serde_json::Value;

use super::accounts::{self, Accounts, Machine, Owner, Project};
use super::keys::Secret;
use super::step::{Authorship, Signer, Step};
use super::write::{Sent, artifacts, machines, messages, projects};
use super::{State, write};
use crate::seam::steps;

steps! {
    /// The id of the project with this number.
    ProjectId(n: u64) -> String = accounts::project_id;
    /// The id of the deployment with this number.
    DeploymentId(n: u64) -> String = accounts::deployment_id;

    /// Writes `security`.
    Secure(owner: &Owner, by: Authorship, time_s: i64) -> Option<Sent> = messages::secure;
    /// Who signs an edit of the projects.
    Editor(owner: &Owner, edit: &write::Edit, signer: Signer) -> Secret = messages::editor;
    /// Who signs the records of deployments.
    Deployer() -> Secret = messages::deployer;
    /// Who forgets artifacts, and therefore stores them.
    Pinner(owner: &Owner) -> Secret = artifacts::forgetter;
    /// Writes a terminal record.
    WriteAmend(state: &mut State, owner: &Owner, amend: &write::Amend, time_s: i64) -> Option<Sent>
        = messages::amend;
    /// Stores an artifact.
    Store(owner: &Owner, artifact: &artifacts::Artifact) -> Sent = artifacts::store;

    /// Encrypts the private part of a project's entry.
    SealEntry(accounts: &mut Accounts, owner: &Owner, project: &Project, plaintext: &Value) -> Value
        = projects::seal;
    /// Encrypts a tarball for a machine.
    Wrap(accounts: &mut Accounts, owner: &Owner, machine: &Machine, tar: &[u8]) -> Vec<u8>
        = machines::wrap;
}

/// The first steps for a new owner: `security`, then a project.
#[derive(Clone, PartialEq)]
pub(super) struct Beginning(pub(super) Vec<Step>);

/// The steps that delete a project: its tombstone, then its artifacts.
#[derive(Clone, PartialEq)]
pub(super) struct Deletion(pub(super) Vec<Step>);

/// The steps that follow an accepted step.
#[derive(Clone, PartialEq)]
pub(super) struct Following {
    /// The accepted step.
    pub(super) after: Step,
    /// It is the first of its kind for its owner, project, deployment or machine.
    pub(super) is_first: bool,
    /// What follows.
    pub(super) steps: Vec<Step>,
}

/// The hashes to forget, in messages.
#[derive(Clone, PartialEq)]
pub(super) struct Batches(pub(super) Vec<Vec<Arc<str>>>);

/// The delegate writes projects, and is authorized to.
#[derive(Clone, PartialEq)]
pub(super) struct DelegateEdits(pub(super) bool);

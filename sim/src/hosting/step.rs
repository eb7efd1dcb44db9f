//! The steps of an action.

use std::sync::Arc;

use assay_spec::Place;
use assay_spec::hosting::machines::ProjectEvent;
use assay_spec::hosting::places::{
    BUNDLE, CLAIM, CREATION, FAILED, FORGET, LEGACY, LIVE, PROJECT_CREATION, PROJECT_DELETION, PROJECT_EDIT,
    SECURITY, SITE,
};
use assay_spec::network::store::Reading;

use super::accounts::{Accounts, Target};
use super::write::{Amend, Outcome};
use crate::exchange::Site;
use crate::shape::Word;

/// Who signs a map of projects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signer {
    /// The owner's wallet.
    Wallet,
    /// The key of the browser's session.
    Session,
}

impl Word for Signer {
    const WORDS: &'static [(&'static str, Signer)] =
        &[("wallet", Signer::Wallet), ("session", Signer::Session)];
}

/// Who writes `security`, and under which address. Readers accept the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Authorship {
    /// By the wallet, under its own address.
    Own,
    /// In addition, by the delegate.
    ByDelegate,
    /// In addition, by the wallet under the session key's address.
    Elsewhere,
}

/// A step: one request, or work between two requests.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    /// Writes `security`.
    Security { by: Authorship },
    /// Writes the map of projects.
    Projects { project: Arc<str>, event: ProjectEvent, signer: Signer },
    /// Writes a creation. `again`: there is one already.
    Create { deployment: Arc<str>, again: bool },
    /// Stores an artifact.
    Pin { deployment: Arc<str>, text: Arc<str> },
    /// Waits until the network has validated an artifact.
    Confirm { deployment: Arc<str>, hash: Arc<str> },
    /// Writes a terminal record.
    Amend(Amend),
    /// Looks up the artifacts of a deleted project and forgets them.
    Tidy { project: Arc<str> },
    /// Looks up one artifact, at the primary or at the mirror.
    Look { hash: Arc<str>, at: Site, last: bool },
    /// Writes a FORGET.
    Forget { project: Arc<str>, hashes: Vec<Arc<str>> },
    /// Plans the FORGET of all artifacts that can be forgotten.
    Settle { project: Arc<str> },
    /// Writes an INSTANCE.
    Boot { machine: Arc<str> },
    /// Writes a claim.
    Claim { machine: Arc<str> },
    /// Writes a record of an earlier schema.
    Legacy { deployment: Arc<str>, schema: u8, envelope: u8, time_s: i64 },
    /// Gives a machine the instance of another machine, so that it can claim it.
    Rival { machine: Arc<str>, of: Arc<str> },
    /// Makes a machine receive a project's bundles from now on.
    Machine { project: Arc<str>, machine: Arc<str> },
    /// Ends the fixed distance between the owner's records.
    Resume,
    /// Makes the network reclaim a deployment's artifact.
    Ask { deployment: Arc<str>, removed: bool },
}

impl Step {
    /// Its name, which is also the name of the record that it writes.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Step::Security { .. } => "security",
            Step::Projects { .. } => "projects",
            Step::Create { .. } => "creation",
            Step::Pin { .. } => "store",
            Step::Confirm { .. } | Step::Look { .. } => "lookup",
            Step::Amend(_) => "terminal",
            Step::Tidy { .. } | Step::Settle { .. } => "tidy",
            Step::Forget { .. } => "forget",
            Step::Boot { .. } => "instance",
            Step::Claim { .. } => "claim",
            Step::Legacy { .. } => "legacy",
            Step::Ask { .. } | Step::Rival { .. } | Step::Machine { .. } | Step::Resume => "condition",
        }
    }

    /// Where the application is in this step: at the record that it writes.
    pub(super) fn place(&self, accounts: &Accounts) -> Place {
        let places = match self {
            Step::Security { .. } => SECURITY,
            Step::Projects { event, .. } => match event {
                ProjectEvent::Create => PROJECT_CREATION,
                ProjectEvent::Edit => PROJECT_EDIT,
                ProjectEvent::Tombstone => PROJECT_DELETION,
            },
            Step::Create { .. } => CREATION,
            Step::Pin { deployment, .. } => match accounts.target(deployment) {
                Some(Target::Machine) => BUNDLE,
                _ => SITE,
            },
            Step::Amend(amend) => match amend.outcome {
                Outcome::Live => LIVE,
                Outcome::Failed => FAILED,
            },
            Step::Tidy { .. } | Step::Settle { .. } | Step::Forget { .. } => FORGET,
            Step::Claim { .. } => CLAIM,
            Step::Legacy { .. } => LEGACY,
            Step::Confirm { .. }
            | Step::Look { .. }
            | Step::Boot { .. }
            | Step::Rival { .. }
            | Step::Machine { .. }
            | Step::Resume
            | Step::Ask { .. } => &[Place::ANY],
        };
        places[0]
    }
}

/// The result of a request: the hash of a written message, or the reading of a lookup.
#[derive(Debug)]
pub(super) enum Found {
    Written(Arc<str>),
    Read(Reading),
}

//! The steps of an action.

use std::sync::Arc;

use assay_spec::hosting::machines::ProjectEvent;
use assay_spec::network::store::Reading;

use super::write::Amend;
use crate::exchange::Site;

/// Who signs a map of projects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signer {
    /// The owner's wallet.
    Wallet,
    /// The key of the browser's session.
    Session,
}

/// Who writes `security`, and under which address. Readers accept the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// By the wallet, under its own address.
    Own,
    /// In addition, by the delegate.
    ByDelegate,
    /// In addition, by the wallet under the session key's address.
    Elsewhere,
}

/// A step: one request, or work between two requests.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Writes `security`.
    Security { place: Place },
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
}

/// The result of a request: the hash of a written message, or the reading of a lookup.
#[derive(Debug)]
pub(super) enum Found {
    Written(Arc<str>),
    Read(Reading),
}

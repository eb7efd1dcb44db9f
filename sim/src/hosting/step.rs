//! The steps of which actions are made.

use std::sync::Arc;

use assay_spec::hosting::machines::ProjectEvent;

use super::write::Outcome;
use crate::world::Site;

/// Who signs a map of projects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signer {
    /// The owner's wallet.
    Wallet,
    /// The key of the browser's session.
    Session,
}

/// Where `security` is written, and by whom. All but the first are deviations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// By the wallet, under its own address.
    Own,
    /// Beside it, by the delegate.
    ByDelegate,
    /// Beside it, by the wallet, under the session key's address.
    Elsewhere,
}

/// A step: one request, or what happens between two.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Writes `security`.
    Security { place: Place },
    /// Writes the map of projects.
    Projects { project: Arc<str>, event: ProjectEvent, signer: Signer },
    /// Writes a creation; again where a deviation wants it twice.
    Create { deployment: Arc<str>, again: bool },
    /// Stores an artifact.
    Pin { deployment: Arc<str>, text: Arc<str> },
    /// Waits until the network has taken an artifact.
    Confirm { deployment: Arc<str>, hash: Arc<str> },
    /// Writes a terminal record; again where two backends finish.
    Amend { deployment: Arc<str>, outcome: Outcome, again: bool },
    /// Looks up what can be forgotten of a deleted project, and has it forgotten.
    Tidy { project: Arc<str> },
    /// Looks up one artifact, at the mirror first or at the primary.
    Look { hash: Arc<str>, at: Site, last: bool },
    /// Writes a FORGET, of what was found or of one.
    Forget { project: Arc<str>, hashes: Vec<Arc<str>> },
    /// Has a FORGET written of all that was found good.
    Settle { project: Arc<str> },
    /// Writes an INSTANCE.
    Boot { machine: Arc<str> },
    /// Writes a claim.
    Claim { machine: Arc<str> },
    /// Writes a record of an earlier schema.
    Legacy { deployment: Arc<str>, schema: u8, envelope: u8, time_s: i64 },
    /// Gives a machine the instance of another, so that it can claim it.
    Rival { machine: Arc<str>, of: Arc<str> },
    /// Has a machine take a project's bundles from now on.
    Machine { project: Arc<str>, machine: Arc<str> },
    /// Has the owner's records be written as they come again.
    Resume,
    /// Makes a condition of the network come true for a deployment's artifact.
    Ask { deployment: Arc<str>, removed: bool },
}

impl Step {
    /// Its name, which is also that of the record that it writes.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Step::Security { .. } => "security",
            Step::Projects { .. } => "projects",
            Step::Create { .. } => "creation",
            Step::Pin { .. } => "store",
            Step::Confirm { .. } | Step::Look { .. } => "lookup",
            Step::Amend { .. } => "terminal",
            Step::Tidy { .. } | Step::Settle { .. } => "tidy",
            Step::Forget { .. } => "forget",
            Step::Boot { .. } => "instance",
            Step::Claim { .. } => "claim",
            Step::Legacy { .. } => "legacy",
            Step::Ask { .. } | Step::Rival { .. } | Step::Machine { .. } | Step::Resume => "condition",
        }
    }
}

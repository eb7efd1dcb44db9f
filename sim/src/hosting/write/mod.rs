//! What the application writes: the records, and the requests that carry them.

pub(super) mod artifacts;
pub(super) mod deployments;
pub(super) mod document;
pub(super) mod machines;
pub(super) mod messages;
pub(super) mod projects;
pub(super) mod seal;
pub(super) mod security;
pub(super) mod sign;

use std::sync::Arc;

use assay_spec::Instant;
use assay_spec::hosting::machines::ProjectEvent;
use assay_spec::network::message;
use bytes::Bytes;
use serde_json::Value;

use super::step::Step;
use super::{State, keys};
use crate::core::Core;
use crate::shape::Word;
use artifacts::pin;
use messages::{PROJECTS, claim, create, forgets, map, post};
use sign::{Draft, Record, signed};

/// How a deployment ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The artifact is pinned.
    Live,
    /// It failed.
    Failed,
}

impl Word for Outcome {
    const WORDS: &'static [(&'static str, Outcome)] = &[("live", Outcome::Live), ("failed", Outcome::Failed)];
}

/// A change of the map of projects.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Edit {
    /// The project that changes.
    pub(super) project: Arc<str>,
    /// What happens to it.
    pub(super) event: ProjectEvent,
    /// The key of the aggregate.
    pub(super) key: &'static str,
}

/// A terminal record to be written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Amend {
    /// The deployment.
    pub(super) deployment: Arc<str>,
    /// How it ends.
    pub(super) outcome: Outcome,
    /// What the record refers to.
    pub(super) amends: Amends,
}

/// What a terminal record refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Amends {
    /// The creation.
    Creation,
    /// The creation, which has a terminal record already.
    CreationAgain,
    /// The terminal record before it.
    Terminal,
}

/// A request that is ready to be sent, and sent again if needed.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    /// Path and query at the network.
    pub(super) target: String,
    /// The content type; empty for a GET.
    pub(super) content_type: &'static str,
    /// The body.
    pub(super) body: Bytes,
    /// The time in the record, in seconds.
    pub(super) time_s: i64,
    /// What the step changes in memory once it is accepted.
    pub(super) entry: Option<Value>,
}

/// The request of a step; `None` if there is nothing to send.
pub(super) fn write(core: &mut Core, state: &mut State, owner: &str, step: &Step) -> Option<Sent> {
    core.within(step.place(&state.accounts), |core| request(core, state, owner, step))
}

fn request(core: &mut Core, state: &mut State, owner: &str, step: &Step) -> Option<Sent> {
    let owner = state.accounts.owner(owner)?.clone();
    let now_s = core.now().seconds();
    match step {
        Step::Security { by } => {
            let time_s = state.accounts.next_second(&owner.address, now_s);
            messages::Secure::run(core, &owner, *by, time_s)
        }
        Step::Projects { project, event, signer } => {
            let time_s = state.accounts.next_second(&owner.address, now_s);
            let edit = Edit { project: project.clone(), event: *event, key: PROJECTS };
            map(core, state, &owner, edit, *signer, time_s)
        }
        Step::Create { deployment, .. } => {
            let time_s = state.accounts.next_second(&owner.address, now_s);
            create(core, state, &owner, deployment, time_s)
        }
        Step::Pin { deployment, text } => pin(core, state, &owner, deployment, text),
        Step::Amend(amend) => {
            let time_s = state.accounts.next_second(&owner.address, now_s);
            messages::WriteAmend::run(core, state, &owner, amend, time_s)
        }
        Step::Forget { project, hashes } => {
            let time_s = state.accounts.next_second(&owner.address, now_s);
            forgets(core, state, &owner, project, hashes, time_s)
        }
        Step::Boot { machine } => {
            let time_s = state.accounts.next_second(&owner.address, now_s);
            let content = machines::instance(&owner, state.accounts.machine(machine)?, time_s);
            let draft = Draft::new(core, Record::Instance, content, owner.wallet.clone(), time_s);
            Some(signed(core, draft))
        }
        Step::Claim { machine } => {
            let time_s = state.accounts.next_second(&owner.address, now_s);
            claim(core, state, &owner, machine, time_s)
        }
        Step::Legacy { deployment, schema, envelope, time_s } => {
            let one = state.accounts.deployment(deployment)?.clone();
            let forms = (*schema, *envelope);
            let content = deployments::legacy(core, &mut state.accounts, &owner, &one, forms, *time_s);
            let delegate = keys::delegate(core);
            let draft = post(core, Record::Legacy, &owner, &content, *time_s, delegate);
            Some(signed(core, draft))
        }
        Step::Look { hash, .. } | Step::Confirm { hash, .. } => Some(Sent {
            target: message::READ.path.replace("{hash}", hash),
            content_type: "",
            body: Bytes::new(),
            time_s: now_s,
            entry: None,
        }),
        Step::Tidy { .. }
        | Step::Ask { .. }
        | Step::Settle { .. }
        | Step::Rival { .. }
        | Step::Machine { .. }
        | Step::Resume => None,
    }
}

/// A time in the form of records.
#[derive(Clone, PartialEq)]
pub(super) struct Time(pub(super) String);

/// A time in the form of records.
fn iso(core: &mut Core, time_s: i64) -> String {
    core.step(Time(Instant(time_s.saturating_mul(1000)).to_string())).0
}

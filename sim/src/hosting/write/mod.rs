//! What the application writes: the records, and the requests that carry them.

mod artifacts;
mod deployments;
mod deviate;
mod machines;
mod messages;
mod projects;
mod seal;
mod security;
mod sign;
mod tar;

use assay_spec::Instant;
use assay_spec::network::message::{self, MessageType};
use bytes::Bytes;
use serde_json::{Value, json};

use super::State;
use super::keys;
use super::step::Step;
use super::variations;
use crate::core::Core;
use artifacts::pin;
use messages::{amend, claim, create, forgets, map, post, secure};
use sign::{Draft, signed};

/// How a deployment ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The artifact is pinned.
    Live,
    /// It failed.
    Failed,
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
pub(super) fn write(state: &mut State, core: &mut Core, owner: &str, step: &Step) -> Option<Sent> {
    let owner = state.accounts.owner(owner)?.clone();
    let now_s = core.now().seconds();
    match step {
        Step::Security { place } => {
            let time_s = state.accounts.next_second(&owner.address, now_s);
            secure(core, &owner, *place, time_s)
        }
        Step::Projects { project, event, signer } => {
            let time_s = state.accounts.next_second(&owner.address, now_s);
            map(state, core, &owner, (project, *event, *signer), time_s)
        }
        Step::Create { deployment, .. } => {
            let time_s = state.accounts.next_second(&owner.address, now_s);
            create(state, core, &owner, deployment, time_s)
        }
        Step::Pin { deployment, text } => pin(state, core, &owner, deployment, text),
        Step::Amend { deployment, outcome, .. } => {
            let time_s = state.accounts.next_second(&owner.address, now_s);
            amend(state, core, &owner, deployment, *outcome, time_s)
        }
        Step::Forget { project, hashes } => {
            let time_s = state.accounts.next_second(&owner.address, now_s);
            forgets(state, core, &owner, project, hashes, time_s)
        }
        Step::Boot { machine } => {
            let time_s = state.accounts.next_second(&owner.address, now_s);
            let content = machines::instance(&owner, state.accounts.machine(machine)?, time_s);
            let channel = core.dialect.records_channel.clone();
            let (kind, sender) = (MessageType::Instance, &owner.wallet);
            let draft = Draft { kind, channel: &channel, content, sender, time_s, as_request: true };
            Some(signed(core, draft))
        }
        Step::Claim { machine } => {
            let time_s = state.accounts.next_second(&owner.address, now_s);
            claim(state, core, &owner, machine, time_s)
        }
        Step::Legacy { deployment, schema, envelope, time_s } => {
            let one = state.accounts.deployment(deployment)?.clone();
            let forms = (*schema, *envelope);
            let content = deployments::legacy(core, &mut state.accounts, &owner, &one, forms, *time_s);
            Some(signed(core, post(core, &owner, &content, *time_s, &keys::delegate(core))))
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
fn iso(core: &Core, time_s: i64) -> String {
    let text = Instant(time_s.saturating_mul(1000)).to_string();
    if core.varies(variations::TIMES_OFFSET) { text.replace(".000Z", "+00:00") } else { text }
}

/// Adds an undocumented member under that variation.
fn more(core: &Core, mut piece: Value) -> Value {
    if core.varies(variations::MORE_MEMBERS) {
        piece["more"] = json!({ "of": ["this", 1, null] });
    }
    piece
}

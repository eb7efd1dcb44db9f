//! The effect of each message type, besides being stored: checked before the message is accepted, applied
//! when it is valid.

use assay_spec::network::content::Content;
use assay_spec::network::envelope::Envelope;

use super::forget;
use crate::core::Core;
use crate::network::aggregates::writes;
use crate::network::instances::changes::{self, Controlled};
use crate::network::state::State;
use crate::network::storage::pinned;
use crate::network::store::Number;
use crate::network::webhooks::deliveries::{self, JudgeWebhook};
use crate::refusal::Refusal;

/// Checks a message that is well-formed and correctly signed, at any endpoint.
pub(in crate::network) fn judge(
    core: &mut Core,
    state: &State,
    envelope: &Envelope,
    content: &Content,
) -> Result<(), Refusal> {
    match content {
        Content::Aggregate(write) => writes::judge(core, state, envelope, write),
        Content::InstanceUpdate(update) => changes::judge_update(core, state, envelope, update),
        Content::InstanceControl(control) => changes::judge_control(core, state, envelope, control),
        Content::Webhook(registration) => JudgeWebhook::run(core, state, registration),
        Content::Any | Content::Forget(_) => Ok(()),
        Content::Program(_) | Content::Instance(_) | Content::IpfsPin(_) => Ok(()),
    }
}

/// Applies a valid message that is not a STORE. A FORGET decides its own state.
pub(in crate::network) fn apply(core: &mut Core, state: &mut State, number: Number, content: Content) {
    deliveries::message_new(core, state, number);
    match content {
        Content::Forget(targets) => forget::receive(core, state, number, targets),
        Content::Aggregate(write) => writes::apply(core, state, number, &write),
        Content::Instance(wanted) => changes::created(core, state, number, wanted),
        Content::InstanceUpdate(update) => changes::updated(core, state, update),
        Content::InstanceControl(control) => Controlled::run(core, state, &control),
        Content::IpfsPin(pin) => pinned::apply(state, &pin),
        Content::Webhook(registration) => deliveries::apply(state, number, registration),
        Content::Any | Content::Program(_) => {}
    }
}

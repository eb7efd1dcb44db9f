//! What a message does besides being stored, by its type: asked before it is taken, and done once it is valid.

use assay_spec::network::content::Content;
use assay_spec::network::envelope::Envelope;

use super::refusal::Refusal;
use super::store::Number;
use super::{State, forget};
use crate::core::Core;

/// Whether the network takes a message whose form is good and whose signature matches, whichever endpoint it came to.
pub(super) fn judge(_: &State, _: &mut Core, _: &Envelope, content: &Content) -> Result<(), Refusal> {
    match content {
        Content::Any | Content::Forget(_) => Ok(()),
        _ => Ok(()),
    }
}

/// A message that is not a STORE was found valid: it takes effect. A FORGET decides its own state.
pub(super) fn apply(state: &mut State, core: &mut Core, number: Number, content: Content) {
    match content {
        Content::Forget(targets) => forget::receive(state, core, number, targets),
        _ => {}
    }
}

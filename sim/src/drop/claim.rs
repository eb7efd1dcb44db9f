//! The claim. The document shows no endpoint for it, so the control API offers it.

use assay_spec::Instant;
use assay_spec::drop::machines::{DropEvent, DropState};
use serde_json::{Value, json};

use super::State;
use crate::core::Core;
use crate::shape::{Action, arguments, record};

/// The actions with their arguments.
pub(super) const ACTIONS: &[Action] =
    &[Action::taking::<Claim>("claim", "turns a drop into an owned project")];

record! {
    struct Claim {
        /// The claim token of the drop.
        token: String,
    }
}

/// Performs an action.
pub(super) fn perform(
    core: &mut Core,
    state: &mut State,
    action: &str,
    given: &Value,
) -> Result<Value, String> {
    if action != "claim" {
        return Err(format!("drop has no action {action:?}"));
    }
    let Claim { token } = arguments::<Claim>(given)?;
    let id = state.tokens.get(&token).cloned().ok_or("no drop has this claim token")?;
    let drop = state.drops.get(&id).ok_or("no drop has this claim token")?;
    match (drop.state, drop.expires_at) {
        (DropState::Owned, _) => return Err("this drop has been claimed".to_owned()),
        (DropState::Published, Instant(deadline)) if core.now().0 < deadline => {}
        _ => return Err("the deadline of this claim has passed".to_owned()),
    }
    state.step(core, &id, DropEvent::Claim);
    Ok(json!({ "dropId": id, "state": DropState::Owned }))
}

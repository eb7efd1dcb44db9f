//! The claim. The document shows no endpoint for it, so the control API offers it.

use assay_spec::Instant;
use assay_spec::drop::machines::{DropEvent, DropState};
use serde::Deserialize;
use serde_json::{Value, json};

use super::State;
use crate::core::Core;

/// The actions with their arguments.
pub(super) const ACTIONS: &[(&str, &str)] = &[("claim", "{token}: turns a drop into an owned project")];

/// Without an echo of the input: malformed input may still contain a token.
const MALFORMED: &str = "the arguments of drop.claim must be {\"token\": string}";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Claim {
    token: String,
}

/// Performs an action.
pub(super) fn perform(
    core: &mut Core,
    state: &mut State,
    action: &str,
    arguments: &Value,
) -> Result<Value, String> {
    if action != "claim" {
        return Err(format!("unknown action {action:?} of drop; known: [\"claim\"]"));
    }
    let Claim { token } = Claim::deserialize(arguments).map_err(|_| MALFORMED)?;
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

//! Registrations over HTTP.

use assay_spec::network::message::MessageType;
use serde_json::json;

use super::inbox::id_of;
use crate::core::Core;
use crate::exchange::Reply;
use crate::network::call::Call;
use crate::network::messages::create::Take;
use crate::network::state::State;
use crate::refusal::Refusal;

/// Handles a registration.
pub(in crate::network) fn create(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let created = Take::run(core, state, call, Some(MessageType::Webhook), &|_, _, _| Ok(()))?;
    let body = json!({ "webhook_id": id_of(created.hash), "status": "success" });
    Ok(created.reply_with(core, call, body))
}

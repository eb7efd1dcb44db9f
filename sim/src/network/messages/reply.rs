//! What is replied to a create call.

use assay_spec::Id;
use assay_spec::network::message::MessageType;
use serde_json::{Value, json};

use super::create::{Created, Take};
use crate::core::Core;
use crate::exchange::Reply;
use crate::network::call::Call;
use crate::network::state::State;
use crate::network::store::Number;
use crate::refusal::Refusal;
use crate::seam::{Answer, Body};

/// An accepted create call, as the reply to it knows it.
#[derive(Clone, Debug)]
pub(in crate::network) struct Accepted {
    /// The row about the reply.
    pub(in crate::network) row: Id,
    /// The number of the message.
    pub(in crate::network) number: Number,
    /// The message's hash, as clients see it.
    pub(in crate::network) item_hash: String,
}

impl Answer<Accepted> {
    /// Changes a member of the replies that a row is about.
    pub(in crate::network) fn change(&mut self, row: Id, member: &str, value: Value) {
        if self.about.row == row {
            self[member] = value;
        }
    }
}

impl Created {
    /// The response to a create call. `more` are the members that an endpoint adds.
    pub(in crate::network) fn reply(self, core: &mut Core, call: &Call<'_>, more: &[(&str, Value)]) -> Reply {
        let item_hash = self.hash.text(core);
        let mut body = json!({ "item_hash": item_hash });
        for (name, value) in more {
            body[*name] = value.clone();
        }
        body["status"] = json!("success");
        self.reply_with(core, call, body)
    }

    /// The response to a create call with this body.
    pub(in crate::network) fn reply_with(self, core: &mut Core, call: &Call<'_>, body: Value) -> Reply {
        let row = call.endpoint.shape.row.expect("a row is about the reply to each create call");
        let about = Accepted { row, number: self.number, item_hash: self.hash.text(core) };
        core.reply(Answer::new(about, 200, Body::Json(body)))
    }
}

/// Handles a create call of an endpoint that requires a type and has no further conditions.
pub(in crate::network) fn create(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
    kind: MessageType,
) -> Result<Reply, Refusal> {
    let created = Take::run(core, state, call, Some(kind), &|_, _, _| Ok(()))?;
    Ok(created.reply(core, call, &[]))
}

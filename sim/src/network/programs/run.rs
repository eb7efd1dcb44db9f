//! Programs and their runs.

use assay_spec::Strict;
use assay_spec::network::machines::StoreState;
use assay_spec::network::message::MessageType;
use assay_spec::network::mistakes::programs::RUN;
use assay_spec::network::program::{Program, RUN as RUN_ENDPOINT, variables};
use assay_spec::network::requirements::errors::INTERNAL;
use assay_spec::network::requirements::programs::{RESULT, UNKNOWN};
use assay_spec::network::webhook::PROGRAM_EXECUTED;
use assay_spec::shape::Body;
use serde_json::{Map, Value, json};

use crate::core::Core;
use crate::exchange::Reply;
use crate::network::call::Call;
use crate::network::faults;
use crate::network::messages::typed;
use crate::network::state::{Replica, State};
use crate::network::webhooks::deliveries;
use crate::refusal::Refusal;
use crate::seam::{Answer, Body as ReplyBody};

/// The result of a run, as the reply knows it.
#[derive(Clone, Debug)]
pub(in crate::network) struct Ran(pub(in crate::network) String);

/// Runs a program.
pub(in crate::network) fn run(core: &mut Core, state: &mut State, call: &Call<'_>) -> Result<Reply, Refusal> {
    let hash = call.capture(0);
    let content = find(&state.seen(core, call.site), hash);
    let known = content.and_then(|members| {
        let members = typed::read(core, MessageType::Program, members);
        // Its form was accepted before.
        Program::parse(&members, &mut Strict).ok()
    });
    let program = known.ok_or_else(|| Refusal::new(&UNKNOWN, format!("no program {hash:.80}")))?;
    core.accept(&RUN, hash)?;
    let variables = variables(&body(core, call), core)?;
    if core.fault(faults::PROGRAM_FAILS, &[("program", hash)]) {
        return Err(Refusal::new(&INTERNAL, "the program fails"));
    }
    let result = program.run(&variables).map_err(|fault| Refusal::new(&RESULT, fault.to_string()))?;
    let executed = json!({ "program_hash": hash, "name": program.name, "result": result });
    deliveries::raise(core, state, PROGRAM_EXECUTED, &executed);
    Ok(core.reply(Answer::new(Ran(result.clone()), 200, ReplyBody::Text(result))))
}

/// The body of a run, with its values as the node reads them.
fn body(core: &mut Core, call: &Call<'_>) -> Vec<u8> {
    let Body::OptionalJson(fields) = RUN_ENDPOINT.shape.body else { return call.body().to_vec() };
    match serde_json::from_slice(call.body()) {
        Ok(members) => Value::Object(typed::members(core, fields, members)).to_string().into_bytes(),
        Err(_) => call.body().to_vec(),
    }
}

/// The content of the program whose message has that hash.
fn find(replica: &Replica, hash: &str) -> Option<Map<String, Value>> {
    let store = &replica.store;
    let number = store.find_text(hash)?;
    let stored = store.stored(number);
    let is_program = stored.kind() == MessageType::Program && stored.state() == StoreState::Processed;
    is_program.then(|| store.message(number).members())
}

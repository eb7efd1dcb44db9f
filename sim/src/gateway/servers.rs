//! How one backing server handles a request: the same behind the gateway and at its own site.

use std::sync::Arc;

use assay_spec::gateway::machines::{RequestEvent, RequestState};
use http::{HeaderMap, HeaderValue};
use serde_json::Value;

use super::call::{Call, Family};
use super::model::{self, Answer as Written, Prompt, Writes};
use super::pool::{Cookie, Model, Number};
use super::script::Given;
use super::stream::{self, Begin, Ending};
use super::wire::{self, Data, Event};
use super::{State, faults, moves};
use crate::core::Core;
use crate::exchange::{ExchangeId, Reply};
use crate::rng::Rng;
use crate::seam::{Answer, Body, steps};

/// A request in the pool.
#[derive(Clone, Debug)]
pub(super) struct Work {
    /// The request.
    pub(super) call: Arc<Call>,
    /// The model.
    pub(super) model: Arc<Model>,
    /// The key that pays, or a payment.
    pub(super) key: Option<String>,
    /// The client is connected to the server itself.
    pub(super) direct: bool,
    /// The server that the cookie names, if any.
    pub(super) sticky: Option<Number>,
    /// What the script has for it.
    pub(super) given: Given,
}

/// A whole reply of a model, as its answer knows it.
#[derive(Clone)]
pub(super) struct Whole {
    /// The kind of the request.
    pub(super) family: Family,
}

/// A JSON document of a model's reply: the whole reply, or the data of an event.
#[derive(Clone, PartialEq)]
pub(super) struct Document(pub(super) Value);

/// The events of a streamed reply.
#[derive(Clone, PartialEq)]
pub(super) struct Events {
    /// The kind of the request.
    pub(super) family: Family,
    /// The request declares tools.
    pub(super) has_tools: bool,
    /// The events.
    pub(super) list: Vec<Event>,
}

/// The request's body, as the writer of the reply reads it.
#[derive(Clone, PartialEq)]
pub(super) struct Asked(pub(super) Arc<Value>);

/// How a server reacts to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    /// It accepts no connection.
    Nothing,
    /// It returns 500, without JSON.
    Nonsense,
    /// It dies before its answer, which is not streamed, is complete.
    DiesAtOnce,
    /// It answers after this many milliseconds.
    Answers(i64, Ending),
}

/// Sends a request to a server: one occasion for the faults.
pub(super) fn send(core: &mut Core, state: &State, server: Number, work: &Work) -> Does {
    let Some(occasion) = up(state, server) else { return Does::Nothing };
    let occasion = [("server", occasion), ("model", &work.model.id), ("endpoint", work.call.family.name())];
    if core.fault(faults::SERVER_DOWN, &occasion) {
        return Does::Nothing;
    }
    if core.fault(faults::SERVER_WRONG_ANSWER, &occasion) {
        return Does::Nonsense;
    }
    let limits = core.limits(&state.limits);
    let slow = if core.fault(faults::SERVER_SLOW, &occasion) { limits.slow_ms } else { 0 };
    let wait_ms = limits.first_byte_ms + slow;
    if core.fault(faults::SERVER_DIES, &occasion) {
        return if work.call.stream { Does::Answers(wait_ms, Ending::Dies) } else { Does::DiesAtOnce };
    }
    if work.call.stream && core.fault(faults::STREAM_SILENT, &occasion) {
        return Does::Answers(wait_ms, Ending::FallsSilent);
    }
    let fails = work.call.stream && core.fault(faults::STREAM_ERROR_EVENT, &occasion);
    Does::Answers(wait_ms, if fails { Ending::ErrorEvent } else { Ending::Whole })
}

/// The name of a running server.
fn up(state: &State, server: Number) -> Option<&'static str> {
    let server = state.pool.at(server);
    server.up.then_some(server.site.name)
}

/// A server answers: completely, or piece by piece from now on.
pub(super) fn answer(
    core: &mut Core,
    state: &mut State,
    exchange: ExchangeId,
    server: Number,
    ending: Ending,
    work: &Work,
) -> Option<Reply> {
    let Work { call, model, given, .. } = work;
    state.answered += 1;
    state.pool.at_mut(server).answered += 1;
    let answer = RunModel::run(core, model, call.prompt(), given);
    charge(core, state, work, answer.usage);
    let Asked(asked) = core.step(Asked(Arc::clone(&call.body)));
    let of = wire::Of {
        draw: core.rng.draw("gateway.reply", model.id.as_bytes(), state.answered),
        created_s: core.now().0.div_euclid(1000),
        model: &model.id,
        answer: &answer,
        body: &asked,
    };
    let mut headers = HeaderMap::new();
    if !work.direct {
        SetCookie::run(core, server, work, &mut headers);
    }
    if IsStreamed::run(core, call) {
        let events = events(core, call, call.events(&of));
        let (call, direct) = (Arc::clone(call), work.direct);
        moves(core, RequestState::Routed, RequestEvent::FirstByte);
        stream::begin(core, state, Begin { exchange, server, call, direct, ending, events, headers });
        return None;
    }
    moves(core, RequestState::Routed, RequestEvent::Reply);
    let Document(body) = core.step(Document(call.reply(&of)));
    let mut answer = Answer::new(Whole { family: call.family }, 200, Body::Json(body));
    answer.headers = headers;
    Some(core.reply(answer))
}

steps! {
    IsStreamed(call: &Call) -> bool = is_streamed;
}

/// Only a request that asks for a stream gets one.
pub(super) fn is_streamed(_: &mut Core, call: &Call) -> bool {
    call.stream
}

steps! {
    RunModel(model: &Model, prompt: &Prompt, given: &Given) -> Written = run_model;
}

/// Lets a model answer.
pub(super) fn run_model(core: &mut Core, model: &Model, prompt: &Prompt, given: &Given) -> Written {
    write(core.rng, model, prompt, given)
}

/// The answer of a model with these draws.
pub(super) fn write(rng: Rng, model: &Model, prompt: &Prompt, given: &Given) -> Written {
    let given: Vec<Option<&dyn Writes>> = given.answers(model).collect();
    model::run(rng, &model.id, model.traits, prompt, &given)
}

/// The events of a reply.
fn events(core: &mut Core, call: &Call, mut events: Vec<Event>) -> Vec<Event> {
    for event in &mut events {
        if let Data::Json(data) = &mut event.data {
            Document(*data) = core.step(Document(data.take()));
        }
    }
    let has_tools = !call.body["tools"].is_null();
    core.step(Events { family: call.family, has_tools, list: events }).list
}

/// Bills the usage of an answer.
fn charge(core: &mut Core, state: &mut State, work: &Work, usage: super::model::Usage) {
    let Some(key) = &work.key else { return };
    let occasion = [("model", &*work.model.id), ("endpoint", work.call.family.name())];
    let subscribed = !core.fault(faults::SUBSCRIPTION_USED_UP, &occasion);
    state.keys.charge(&state.limits, key, usage, subscribed);
}

steps! {
    SetCookie(server: Number, work: &Work, headers: &mut HeaderMap) = set_cookie;
}

/// Adds the sticky cookie, if the caller does not have it yet.
pub(super) fn set_cookie(core: &mut Core, server: Number, work: &Work, headers: &mut HeaderMap) {
    if work.sticky != Some(server) {
        send_cookie(core, server, headers);
    }
}

/// Adds the sticky cookie.
pub(super) fn send_cookie(core: &mut Core, server: Number, headers: &mut HeaderMap) {
    let Cookie { name, attributes } = core.step(Cookie::STICKY);
    let word = super::pool::cookie_of(core, server);
    let value = HeaderValue::try_from(format!("{name}={word}; {attributes}"));
    headers.insert(http::header::SET_COOKIE, value.expect("a name, hexadecimal digits and attributes"));
}

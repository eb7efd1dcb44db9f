//! How one backing server handles a request: the same behind the gateway and at its own site.

use std::sync::Arc;

use assay_spec::gateway::machines::{RequestEvent, RequestState};
use http::{HeaderMap, HeaderValue};

use super::call::Call;
use super::pool::{Model, Number};
use super::stream::{self, Begin, Ending};
use super::wire;
use super::{State, deviations, faults, moves, variations};
use crate::core::Core;
use crate::exchange::{ExchangeId, Reply};
use crate::rng::Rng;

/// A request in the pool.
#[derive(Clone, Debug)]
pub(super) struct Work {
    /// The request.
    pub(super) call: Arc<Call>,
    /// The model.
    pub(super) model: &'static Model,
    /// The key that pays, or a payment.
    pub(super) key: Option<String>,
    /// The client is connected to the server itself.
    pub(super) direct: bool,
    /// The server that the cookie names, if any.
    pub(super) sticky: Option<Number>,
}

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
pub(super) fn send(state: &State, core: &mut Core, server: Number, work: &Work) -> Does {
    let Some(occasion) = up(state, server) else { return Does::Nothing };
    let occasion = [("server", occasion), ("model", work.model.id), ("endpoint", work.call.family.name())];
    if core.fault(faults::SERVER_DOWN, &occasion) {
        return Does::Nothing;
    }
    if core.fault(faults::SERVER_WRONG_ANSWER, &occasion) {
        return Does::Nonsense;
    }
    let late = if core.varies(variations::ANSWER_LATE) { 500 } else { 0 };
    let slow = if core.fault(faults::SERVER_SLOW, &occasion) { state.limits.slow_ms } else { 0 };
    let wait_ms = state.limits.first_byte_ms + late + slow;
    if core.fault(faults::SERVER_DIES, &occasion) {
        return if work.call.stream { Does::Answers(wait_ms, Ending::Dies) } else { Does::DiesAtOnce };
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
    state: &mut State,
    core: &mut Core,
    exchange: ExchangeId,
    server: Number,
    ending: Ending,
    work: &Work,
) -> Option<Reply> {
    let Work { call, model, .. } = work;
    state.answered += 1;
    state.pool.at_mut(server).answered += 1;
    let rng = if core.varies(variations::OTHER_WORDS) { Rng::new(!core.rng.seed()) } else { core.rng };
    let answer = super::model::run(rng, model.id, model.traits, call.prompt());
    charge(state, core, work, answer.usage);
    let asked = variations::asked(core, call);
    let of = wire::Of {
        draw: core.rng.draw("gateway.reply", model.id.as_bytes(), state.answered),
        created_s: core.now().0.div_euclid(1000),
        model: model.id,
        answer: &answer,
        body: &asked,
    };
    let mut headers = HeaderMap::new();
    if !work.direct {
        cookie(core, server, work, &mut headers);
    }
    if deviations::streams(core, call) {
        let events = variations::events(core, call.family, call.events(&of));
        let events = deviations::events(core, call.family, events);
        let (call, direct) = (Arc::clone(call), work.direct);
        moves(core, RequestState::Routed, RequestEvent::FirstByte);
        stream::begin(state, core, Begin { exchange, server, call, direct, ending, events, headers });
        return None;
    }
    moves(core, RequestState::Routed, RequestEvent::Reply);
    let body = variations::reply(core, call.reply(&of));
    let mut reply = deviations::reply(core, work.call.family, body);
    reply.headers.extend(headers);
    Some(reply)
}

/// Bills the usage of an answer.
fn charge(state: &mut State, core: &mut Core, work: &Work, usage: super::model::Usage) {
    let Some(key) = &work.key else { return };
    let occasion = [("model", work.model.id), ("endpoint", work.call.family.name())];
    let subscribed = !core.fault(faults::SUBSCRIPTION_USED_UP, &occasion);
    state.keys.charge(&state.limits, key, usage, subscribed);
}

/// Adds the sticky cookie, if the caller does not have it yet.
fn cookie(core: &Core, server: Number, work: &Work, headers: &mut HeaderMap) {
    let always = core.varies(variations::COOKIE_ALWAYS);
    if core.varies(variations::NO_COOKIE) || work.sticky == Some(server) && !always {
        return;
    }
    let (name, more) = variations::cookie(core);
    let word = super::pool::cookie_of(core, server);
    let value = HeaderValue::try_from(format!("{name}={word}; {more}"));
    headers.insert(http::header::SET_COOKIE, value.expect("a name, hexadecimal digits and attributes"));
}

//! An inference request: its key, its body, its model, its payment; then the pool, or the server itself.

use std::sync::Arc;

use assay_spec::gateway::input;
use assay_spec::gateway::machines::{RequestEvent, RequestState};
use assay_spec::gateway::requirements as rows;
use assay_spec::{Id, Refused, Rules};
use http::HeaderMap;

use super::call::{Call, Family};
use super::payment::{self, Payer};
use super::pool::{self, MODELS, Model, Number};
use super::servers::Work;
use super::{SERVERS, State, deviations, moves, refusal, route, variations};
use crate::core::Core;
use crate::exchange::{ExchangeId, Reply, Request};
use crate::refusal::Refusal;

/// Handles a request at the gateway or at the server of that number. `None`: the answer comes later.
pub(super) fn begin(
    state: &mut State,
    core: &mut Core,
    exchange: ExchangeId,
    request: &Request,
    family: Family,
    at: Option<Number>,
) -> Result<Option<Reply>, Refusal> {
    let headers = &request.head.headers;
    offered(core, family, at)?;
    let payer = payment::admit(state, core, family, at.is_some(), headers).inspect_err(|refusal| {
        let unpaid = refusal.refused.rule.group == rows::payment::REQUIRED.group;
        let event = if unpaid { RequestEvent::Unpaid } else { RequestEvent::BadKey };
        moves(core, RequestState::Received, event);
    })?;
    known_to(core, at, &payer)?;
    let read = read(core, request, family);
    let oddities = input::oddities(&request.body, read.as_ref().err().map(|refusal| refusal.refused.rule));
    if let Some(reply) = deviations::falls_over(core, &oddities) {
        return Ok(Some(reply));
    }
    if request.too_large {
        moves(core, RequestState::Received, RequestEvent::InvalidBody);
        return Ok(Some(too_large(core, request)));
    }
    let call = read.inspect_err(|_| moves(core, RequestState::Received, RequestEvent::InvalidBody))?;
    deviations::refuse(core, &call)?;
    let model = model(core, &call, at)
        .inspect_err(|_| moves(core, RequestState::Received, RequestEvent::UnknownModel))?;
    payment::solvent(state, &payer)
        .inspect_err(|_| moves(core, RequestState::Received, RequestEvent::Unpaid))?;
    let sticky = if at.is_none() { sticky(state, core, headers)? } else { None };
    moves(core, RequestState::Received, RequestEvent::Admitted);
    let key = match payer {
        Payer::Key(key) => Some(key),
        Payer::Payment => None,
    };
    let work = Work { call: Arc::new(call), model, key, direct: at.is_some(), sticky };
    match at {
        Some(number) => Ok(route::direct(state, core, exchange, number, work)),
        None => route::begin(state, core, exchange, work),
    }
}

/// Whether the endpoint exists; some deviations remove it.
fn offered(core: &mut Core, family: Family, at: Option<Number>) -> Result<(), Refusal> {
    let rule: Id = match (family, at) {
        (Family::Chat, Some(_)) => &rows::direct::CHAT,
        (Family::Completions, Some(_)) => &rows::direct::COMPLETIONS,
        (Family::Messages, Some(_)) => &rows::direct::MESSAGES,
        (Family::Native, None) => &rows::completions::NATIVE,
        _ => return Ok(()),
    };
    match core.violated(rule) {
        None => Ok(()),
        Some(_) => Err(Refusal::new(rule, "switched off: the endpoint does not exist")),
    }
}

/// Keys are the same at every server, except for the deviation of the last server.
fn known_to(core: &mut Core, at: Option<Number>, payer: &Payer) -> Result<(), Refusal> {
    let rule = &rows::direct::EVERY_SERVER;
    let deviates =
        at == Some(SERVERS.len() - 1) && matches!(payer, Payer::Key(_)) && core.violated(rule).is_some();
    if deviates { Err(Refusal::new(rule, "switched off: the server does not know the key")) } else { Ok(()) }
}

/// Reads the body.
fn read(core: &mut Core, request: &Request, family: Family) -> Result<Call, Refusal> {
    if family == Family::Messages
        && core.varies(variations::VERSION_REQUIRED)
        && !request.head.headers.contains_key(core.dialect.version_header.as_str())
    {
        return Err(Refusal::new(&rows::messages::VERSION_HEADER, "no version header"));
    }
    let call = Call::parse(core, family, &request.body)?;
    // A body that is not UTF-8 cannot be parsed, whatever rule is violated.
    if call.body.is_null() && std::str::from_utf8(&request.body).is_err() {
        return Err(Refusal::new(&rows::input::NOT_UTF8, "no UTF-8"));
    }
    Ok(call)
}

/// The response to a body that was cut at the limit.
fn too_large(core: &mut Core, request: &Request) -> Reply {
    let why = format!("the body is larger than {} bytes", request.body.len());
    core.refuse(&Refused { rule: &rows::input::LIMITS, why });
    refusal::error(core, 413, "request too large")
}

/// The requested model, among those that run here.
fn model(core: &mut Core, call: &Call, at: Option<Number>) -> Result<&'static Model, Refusal> {
    let here = |model: &&'static Model| at.is_none_or(|number| model.servers.contains(&number));
    let Some(model) = Model::find(core, &call.model).filter(here) else {
        let why = || format!("unknown model {:.100?}", call.model);
        core.require(call.family.unknown_model(), false, why)?;
        let first = MODELS.iter().find(here);
        return Ok(first.unwrap_or(&MODELS[0]));
    };
    if at.is_none() && model.traits.image && core.violated(&rows::discovery::USABLE).is_some() {
        return Err(Refusal::new(
            &rows::discovery::USABLE,
            "switched off: a discovered model is treated as unknown",
        ));
    }
    Ok(model)
}

/// The server that the caller's cookie names.
fn sticky(state: &State, core: &mut Core, headers: &HeaderMap) -> Result<Option<Number>, Refusal> {
    let (name, _) = variations::cookie(core);
    let pairs = headers.get_all(http::header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = pairs.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let Some((_, word)) = pairs.into_iter().find(|(key, _)| *key == name) else { return Ok(None) };
    if core.violated(&rows::pool::COOKIES).is_some() {
        return Err(Refusal::new(&rows::pool::COOKIES, "switched off: a request with a cookie is rejected"));
    }
    Ok((0..state.pool.len()).find(|number| pool::cookie_of(core, *number) == word))
}

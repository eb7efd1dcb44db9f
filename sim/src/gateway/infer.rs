//! An inference request: its key, its body, its model, its payment; then the pool, or the server itself.

use std::sync::Arc;

use assay_spec::gateway::input;
use assay_spec::gateway::machines::{RequestEvent, RequestState};
use assay_spec::gateway::mistakes::{completions, direct, pool as pools};
use assay_spec::gateway::requirements as rows;
use assay_spec::{Id, Refused};
use http::HeaderMap;
use serde_json::json;

use super::call::{Call, Family};
use super::payment::{self, Payer};
use super::pool::{self, Cookie, Model, Number};
use super::script::Given;
use super::servers::Work;
use super::{SERVERS, State, moves, refusal, route};
use crate::core::Core;
use crate::exchange::{ExchangeId, Reply, Request};
use crate::refusal::Refusal;
use crate::seam::steps;

/// Handles a request at the gateway or at the server of that number. `None`: the answer comes later.
pub(super) fn begin(
    core: &mut Core,
    state: &mut State,
    exchange: ExchangeId,
    request: &Request,
    family: Family,
    at: Option<Number>,
) -> Result<Option<Reply>, Refusal> {
    let headers = &request.head.headers;
    offered(core, family, at)?;
    let payer = payment::admit(core, state, family, at.is_some(), headers).inspect_err(|refusal| {
        let unpaid = refusal.refused.rule.group == rows::payment::REQUIRED.group;
        let event = if unpaid { RequestEvent::Unpaid } else { RequestEvent::BadKey };
        moves(core, RequestState::Received, event);
    })?;
    known_to(core, family, at, &payer)?;
    let read = read(core, request, family);
    let refused = read.as_ref().err().map(|refusal| refusal.refused.rule);
    for oddity in input::oddities(&request.body, refused) {
        core.accept(oddity, ())?;
    }
    if request.too_large {
        moves(core, RequestState::Received, RequestEvent::InvalidBody);
        return Ok(Some(too_large(core, request)));
    }
    let call = read.inspect_err(|_| moves(core, RequestState::Received, RequestEvent::InvalidBody))?;
    call.admit(core)?;
    let model = model(core, state, &call, at)
        .inspect_err(|_| moves(core, RequestState::Received, RequestEvent::UnknownModel))?;
    payment::solvent(state, &payer)
        .inspect_err(|_| moves(core, RequestState::Received, RequestEvent::Unpaid))?;
    let sticky = if at.is_none() { sticky(core, state, headers)? } else { None };
    moves(core, RequestState::Received, RequestEvent::Admitted);
    let key = match payer {
        Payer::Key(key) => Some(key),
        Payer::Payment => None,
    };
    let work =
        Work { call: Arc::new(call), model, key, direct: at.is_some(), sticky, given: Given::default() };
    match at {
        Some(number) => Ok(route::direct(core, state, exchange, number, work)),
        None => route::begin(core, state, exchange, work),
    }
}

/// The endpoints that exist at the gateway or at a server.
fn offered(core: &mut Core, family: Family, at: Option<Number>) -> Result<(), Refusal> {
    let rule = match (family, at) {
        (Family::Chat, Some(_)) => &direct::CHAT,
        (Family::Completions, Some(_)) => &direct::COMPLETIONS,
        (Family::Messages, Some(_)) => &direct::MESSAGES,
        (Family::Native, None) => &completions::NATIVE,
        _ => return Ok(()),
    };
    core.accept(rule, ())?;
    Expose::run(core, family, at)?;
    Ok(())
}

steps! {
    Expose(family: Family, at: Option<Number>) -> Result<(), Refused> = expose;
}

/// Each server has the same endpoints.
#[expect(clippy::unnecessary_wraps, reason = "what replaces this step may reject")]
pub(super) fn expose(_: &mut Core, _: Family, _: Option<Number>) -> Result<(), Refused> {
    Ok(())
}

/// Keys are the same at every server, the last included.
fn known_to(core: &mut Core, family: Family, at: Option<Number>, payer: &Payer) -> Result<(), Refusal> {
    let is_last = at == Some(SERVERS.len() - 1) && family.is_direct() && matches!(payer, Payer::Key(_));
    Ok(core.accept(&direct::EVERY_SERVER, is_last)?)
}

/// Reads the body.
fn read(core: &mut Core, request: &Request, family: Family) -> Result<Call, Refusal> {
    if family == Family::Messages {
        CheckVersion::run(core, request)?;
    }
    let call = Call::parse(core, family, &request.body)?;
    // A body that is not UTF-8 cannot be parsed, whatever rule is violated.
    if call.body.is_null() && std::str::from_utf8(&request.body).is_err() {
        return Err(Refusal::new(family.body(), "the body is not UTF-8"));
    }
    Ok(call)
}

steps! {
    CheckVersion(request: &Request) -> Result<(), Refusal> = check_version;
}

/// No version is required.
#[expect(clippy::unnecessary_wraps, reason = "what replaces this step may reject")]
pub(super) fn check_version(_: &mut Core, _: &Request) -> Result<(), Refusal> {
    Ok(())
}

/// The response to a body that was cut at the limit.
fn too_large(core: &mut Core, request: &Request) -> Reply {
    let why = format!("the body is larger than {} bytes", request.body.len());
    core.refuse(&Refused { rule: &rows::input::LIMITS, why });
    refusal::error(core, 413, "request too large")
}

/// The requested model, among those that run here.
fn model(core: &mut Core, state: &State, call: &Call, at: Option<Number>) -> Result<Arc<Model>, Refusal> {
    let here = |model: &&Arc<Model>| at.is_none_or(|number| model.servers.contains(&number));
    let known = state.script.models();
    let Some(model) = Model::find(core, state, &call.model).filter(|model| here(&model)) else {
        let why = || format!("unknown model {:.100?}", call.model);
        let is_at_server = at.is_some() && call.family.is_direct();
        let rule: Id = if is_at_server { &rows::direct::UNKNOWN_MODEL } else { call.family.unknown_model() };
        core.refuse_like(rule, &json!(call.model), known.iter().map(|model| json!(&*model.id)), why)?;
        return Ok(known.iter().find(here).unwrap_or(&known[0]).clone());
    };
    UseModel::run(core, call, at, &model)?;
    Ok(model)
}

steps! {
    UseModel(call: &Call, at: Option<Number>, model: &Model) -> Result<(), Refused> = use_model;
}

/// A model that runs here is used.
#[expect(clippy::unnecessary_wraps, reason = "what replaces this step may reject")]
pub(super) fn use_model(_: &mut Core, _: &Call, _: Option<Number>, _: &Model) -> Result<(), Refused> {
    Ok(())
}

/// The server that the caller's cookie names.
fn sticky(core: &mut Core, state: &State, headers: &HeaderMap) -> Result<Option<Number>, Refusal> {
    let Cookie { name, .. } = core.step(Cookie::STICKY);
    let pairs = headers.get_all(http::header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = pairs.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let Some((_, word)) = pairs.into_iter().find(|(key, _)| *key == name) else { return Ok(None) };
    core.accept(&pools::COOKIES, ())?;
    Ok((0..state.pool.len()).find(|number| pool::cookie_of(core, *number) == word))
}

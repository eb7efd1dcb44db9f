//! Routes a request through the pool: one server after another, until one answers or all have failed.

use std::collections::VecDeque;
use std::sync::Arc;

use assay_spec::Refused;
use assay_spec::gateway::machines::{RequestEvent, RequestState};
use assay_spec::gateway::requirements::pool::ALL_FAILED;

use super::call::Call;
use super::pool::{Model, Number};
use super::servers::{self, Does, Work};
use super::stream::Ending;
use super::{State, Timer, moves, refusal, set};
use crate::core::Core;
use crate::exchange::{ExchangeId, Reply};
use crate::refusal::Refusal;
use crate::seam::steps;

/// A request that waits for a server's first byte.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    work: Work,
    /// Servers not tried yet.
    left: VecDeque<Number>,
    /// The server that is tried now.
    server: Number,
    /// How its answer will end; `None` if the gateway will time out.
    ending: Option<Ending>,
}

/// The servers that are still tried after one has failed.
#[derive(Clone, PartialEq)]
pub(super) struct Untried {
    /// The servers, in order.
    pub(super) left: VecDeque<Number>,
    /// The request has the cookie of a server.
    pub(super) is_sticky: bool,
}

/// The server that a request's cookie names.
#[derive(Clone, PartialEq)]
pub(super) struct Session {
    /// The server.
    pub(super) sticky: Option<Number>,
}

impl Pending {
    /// The request.
    pub(super) fn call(&self) -> &Call {
        &self.work.call
    }
}

/// Sends a request into the pool. `None`: the answer comes later.
pub(super) fn begin(
    core: &mut Core,
    state: &mut State,
    exchange: ExchangeId,
    work: Work,
) -> Result<Option<Reply>, Refusal> {
    TryModel::run(core, state, &work.model)?;
    let Session { sticky } = core.step(Session { sticky: work.sticky });
    let left = state.pool.order(&work.model, sticky).into();
    next(core, state, exchange, work, left)
}

steps! {
    TryModel(state: &State, model: &Model) -> Result<(), Refused> = try_model;
}

/// The servers of a model are tried, whatever has failed before.
#[expect(clippy::unnecessary_wraps, reason = "what replaces this step may reject")]
pub(super) fn try_model(_: &mut Core, _: &State, _: &Model) -> Result<(), Refused> {
    Ok(())
}

/// Tries the remaining servers in order.
fn next(
    core: &mut Core,
    state: &mut State,
    exchange: ExchangeId,
    mut work: Work,
    mut left: VecDeque<Number>,
) -> Result<Option<Reply>, Refusal> {
    while let Some(server) = left.pop_front() {
        match servers::send(core, state, server, &work) {
            Does::Answers(wait_ms, ending) => {
                let given = state.script.pick(&work.model, work.call.prompt());
                let wait_ms = wait_ms + given.delay_ms();
                let in_time = wait_ms <= state.limits.patience_ms;
                if in_time {
                    state.script.give(&work.model, &given);
                }
                work.given = given;
                if wait_ms <= 0 {
                    return Ok(answered(core, state, exchange, server, ending, &work));
                }
                let due = core.now() + wait_ms.min(state.limits.patience_ms);
                let ending = in_time.then_some(ending);
                state.pool.at_mut(server).busy += 1;
                state.pending.insert(exchange, Pending { work, left, server, ending });
                set(core, due, Timer::FirstByte(exchange));
                return Ok(None);
            }
            Does::Nothing | Does::Nonsense | Does::DiesAtOnce => {
                left = untried(core, left, &work);
                failed(core, state, server, left.is_empty());
            }
        }
    }
    *state.failed.entry(Arc::clone(&work.model.id)).or_default() += 1;
    Err(Refusal::new(&ALL_FAILED, format!("every server of {} has failed", work.model.id)))
}

/// A server's first byte has arrived, or the gateway has timed out.
pub(super) fn first_byte(core: &mut Core, state: &mut State, exchange: ExchangeId) {
    let Some(Pending { work, mut left, server, ending }) = leave(state, exchange) else { return };
    let runs = state.pool.at(server).up;
    let result = match ending.filter(|_| runs) {
        Some(ending) => Ok(answered(core, state, exchange, server, ending, &work)),
        None if work.direct => {
            moves(core, RequestState::Routed, RequestEvent::LastServerFails);
            core.cut(exchange);
            return;
        }
        None => {
            left = untried(core, left, &work);
            failed(core, state, server, left.is_empty());
            next(core, state, exchange, work.clone(), left)
        }
    };
    let streamed = work.call.is_streamed_chat();
    match result {
        Ok(None) => {}
        Ok(Some(reply)) => core.answer(exchange, reply),
        Err(refusal) => {
            core.refuse(&refusal.refused);
            let reply = refusal::answer(core, &refusal, streamed);
            core.answer(exchange, reply);
        }
    }
}

/// A request at a server's own site: there is no other server to try.
pub(super) fn direct(
    core: &mut Core,
    state: &mut State,
    exchange: ExchangeId,
    server: Number,
    mut work: Work,
) -> Option<Reply> {
    match servers::send(core, state, server, &work) {
        Does::Nothing | Does::DiesAtOnce => {
            moves(core, RequestState::Routed, RequestEvent::LastServerFails);
            core.cut(exchange);
            None
        }
        Does::Nonsense => {
            moves(core, RequestState::Routed, RequestEvent::LastServerFails);
            Some(core.text(500, "Internal Server Error"))
        }
        Does::Answers(wait_ms, ending) => {
            work.given = state.script.pick(&work.model, work.call.prompt());
            state.script.give(&work.model, &work.given);
            let wait_ms = wait_ms + work.given.delay_ms();
            if wait_ms <= 0 {
                return servers::answer(core, state, exchange, server, ending, &work);
            }
            state.pool.at_mut(server).busy += 1;
            let pending = Pending { work, left: VecDeque::new(), server, ending: Some(ending) };
            state.pending.insert(exchange, pending);
            set(core, core.now() + wait_ms, Timer::FirstByte(exchange));
            None
        }
    }
}

/// A request no longer waits for a first byte.
pub(super) fn leave(state: &mut State, exchange: ExchangeId) -> Option<Pending> {
    let pending = state.pending.remove(&exchange)?;
    let server = state.pool.at_mut(pending.server);
    server.busy = server.busy.saturating_sub(1);
    Some(pending)
}

fn answered(
    core: &mut Core,
    state: &mut State,
    exchange: ExchangeId,
    server: Number,
    ending: Ending,
    work: &Work,
) -> Option<Reply> {
    if !work.direct {
        state.pool.at_mut(server).well = true;
    }
    servers::answer(core, state, exchange, server, ending, work)
}

/// The servers that are still tried.
fn untried(core: &mut Core, left: VecDeque<Number>, work: &Work) -> VecDeque<Number> {
    core.step(Untried { left, is_sticky: work.sticky.is_some() }).left
}

/// A server has failed: it is unhealthy until it answers or passes a health check.
fn failed(core: &mut Core, state: &mut State, server: Number, is_last: bool) {
    let event = if is_last { RequestEvent::LastServerFails } else { RequestEvent::ServerFails };
    moves(core, RequestState::Routed, event);
    state.pool.at_mut(server).well = false;
    super::health::wake(core, state);
}

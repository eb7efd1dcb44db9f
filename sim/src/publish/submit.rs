//! The second call: broadcasts a signed record and waits for the chain.

use std::sync::Arc;

use assay_spec::crypto::{ed25519, text};
use assay_spec::publish::limits::ENVELOPE_PAST;
use assay_spec::publish::machines::{BindingEvent, PrepareEvent, PrepareState};
use assay_spec::publish::prepare::{Wanted, parse_body};
use assay_spec::publish::requirements::submit::{
    BLOCKHASH_EXPIRED, EXPIRED, FOREIGN, IN_FLIGHT, REJECTED, SAFETY_CEILING, SIGNATURE_VERIFIES, UNKNOWN,
};
use assay_spec::publish::submit as document;
use assay_spec::{Id, Refused};
use serde::Serialize;
use serde_json::{Map, Value};

use super::chain::Transaction;
use super::prepare::frozen;
use super::{Caller, FreeAfterFailure, FreeLock, Pending, State, Submitted, Timer, faults, refusal, timer};
use crate::core::Core;
use crate::exchange::{ExchangeId, Reply};
use crate::refusal::Refusal;
use crate::seam::{Answer, steps};

/// The response to a confirmed submit.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Landed {
    /// The transaction's id, base58.
    signature: String,
}

/// Handles the submit of an admitted caller. `None` while it waits for the chain.
pub(super) fn run(
    core: &mut Core,
    state: &mut State,
    exchange: ExchangeId,
    caller: &Caller,
    body: &[u8],
) -> Result<Option<Reply>, Refused> {
    // A repeat gets its response whatever the binding's state is now; a frozen key is rejected only after that.
    if let Some(id) = FindRepeat::run(core, state, caller, body) {
        return AnswerRepeat::run(core, state, &id).map(Some);
    }
    frozen(core, caller)?;
    let body = parse_body(body, core)?;
    let (id, signature) = ReadFields::run(core, state, &body)?;
    let id = Find::run(core, state, caller, &id)?;
    let refused = |rule, why: &str| Err(Refused { rule, why: format!("{id} {why}") });
    match state.prepares[&id].state {
        PrepareState::Prepared => {}
        PrepareState::InFlight => {
            state.step(core, &id, PrepareEvent::Repeat);
            return refused(&IN_FLIGHT, "is in flight");
        }
        PrepareState::Unresolved => return refused(&SAFETY_CEILING, "is unresolved"),
        PrepareState::Expired => return refused(&EXPIRED, "has expired"),
        _ => return refused(&UNKNOWN, "has ended"),
    }
    match accept_signature(core, state, &id, &signature) {
        Ok(signature) => Ok(Broadcast::run(core, state, exchange, &id, signature)),
        Err(refused) => {
            KeepPrepared::run(core, state, &id);
            Err(refused)
        }
    }
}

steps! {
    FindRepeat(state: &State, caller: &Caller, body: &[u8]) -> Option<String> = find_repeat;
}

/// The confirmed prepare that a submit repeats.
fn find_repeat(_: &mut Core, state: &State, caller: &Caller, body: &[u8]) -> Option<String> {
    confirmed(state, caller, body).and_then(|(id, is_same)| is_same.then_some(id))
}

/// The confirmed prepare that a submit names, and whether its signature is the one that landed.
pub(super) fn confirmed(state: &State, caller: &Caller, body: &[u8]) -> Option<(String, bool)> {
    let body: Map<String, Value> = serde_json::from_slice(body).ok()?;
    let [id, signature] = ["prepareId", "signature"].map(|key| body.get(key).and_then(Value::as_str));
    let (id, signature) = (id?, text::parse_base64(signature?)?);
    let prepare = state.prepares.get(id)?;
    let is_confirmed = prepare.state == PrepareState::Confirmed && prepare.domain == caller.domain;
    let is_same = prepare.submitted.as_ref().is_some_and(|submitted| signature == submitted.signature);
    is_confirmed.then(|| (id.to_owned(), is_same))
}

/// Whether a body submits the prepare of an accept.
pub(super) fn is_of_accept(state: &State, body: &[u8]) -> bool {
    let body: Map<String, Value> = serde_json::from_slice(body).unwrap_or_default();
    let prepare = body.get("prepareId").and_then(Value::as_str).and_then(|id| state.prepares.get(id));
    prepare.is_some_and(|prepare| prepare.wanted == Wanted::Accept)
}

steps! {
    AnswerRepeat(state: &mut State, id: &str) -> Result<Reply, Refused> = answer_repeat;
}

/// Answers a repeated submit like the first.
#[expect(clippy::unnecessary_wraps, reason = "what replaces this step may reject")]
pub(super) fn answer_repeat(core: &mut Core, state: &mut State, id: &str) -> Result<Reply, Refused> {
    state.step(core, id, PrepareEvent::Repeat);
    Ok(landed(core, state, id))
}

steps! {
    ReadFields(state: &State, body: &Map<String, Value>) -> Result<(String, String), Refused> = read_fields;
}

/// The members of a submit's body.
pub(super) fn read_fields(
    core: &mut Core,
    _: &State,
    body: &Map<String, Value>,
) -> Result<(String, String), Refused> {
    let (id, signature) = document::fields(body, core)?;
    Ok((id.to_owned(), signature.to_owned()))
}

steps! {
    Find(state: &State, caller: &Caller, id: &str) -> Result<String, Refused> = find;
}

/// The prepare that the caller may submit.
pub(super) fn find(core: &mut Core, state: &State, caller: &Caller, id: &str) -> Result<String, Refused> {
    let Some(prepare) = state.prepares.get(id) else {
        return Err(Refused { rule: &UNKNOWN, why: format!("{id:?} is unknown") });
    };
    core.require(&FOREIGN, prepare.domain == caller.domain, || {
        format!("{id} belongs to {}", prepare.domain)
    })?;
    Ok(id.to_owned())
}

/// The signature, if it is valid for the prepared message.
fn accept_signature(core: &mut Core, state: &State, id: &str, signature: &str) -> Result<[u8; 64], Refused> {
    let signature = document::signature(signature, core)?;
    let prepare = &state.prepares[id];
    let verifies = ed25519::parse_address(&prepare.key)
        .is_some_and(|key| ed25519::verifies(&key, &prepare.message, &signature));
    core.require(&SIGNATURE_VERIFIES, verifies, || {
        "the signature is not valid for the prepared message".to_owned()
    })?;
    Ok(signature)
}

steps! {
    KeepPrepared(state: &mut State, id: &str) = keep_prepared;
}

/// An invalid signature leaves the prepare as it is.
pub(super) fn keep_prepared(core: &mut Core, state: &mut State, id: &str) {
    state.step(core, id, PrepareEvent::BadSubmit);
}

steps! {
    Broadcast(state: &mut State, exchange: ExchangeId, id: &str, signature: [u8; 64]) -> Option<Reply>
        = broadcast;
}

/// Adds the fee payer's signature and sends the transaction to the chain. The response waits for the confirmation.
pub(super) fn broadcast(
    core: &mut Core,
    state: &mut State,
    exchange: ExchangeId,
    id: &str,
    signature: [u8; 64],
) -> Option<Reply> {
    state.step(core, id, PrepareEvent::Submit);
    let (now, limits) = (core.now(), core.limits(&state.limits));
    let prepare = state.prepares.get_mut(id).map(Arc::make_mut);
    let prepare = prepare.expect("the caller has just found this prepare");
    let transaction = ed25519::sign(&state.fee_payer.key, &prepare.message);
    prepare.waiting.push(exchange);
    let occasion = [("endpoint", "submit"), ("domain", prepare.domain.as_str())];
    let slow = core.fault(faults::CHAIN_SLOW, &occasion);
    let lost = core.fault(faults::TRANSACTION_LOST, &occasion);
    let rejected = core.fault(faults::TRANSACTION_REJECTED, &occasion)
        || (super::chain::over_budget(&prepare.record) && core.fault(faults::COMPUTE_BUDGET, &occasion));
    let last_height = prepare.last_valid_block_height;
    // A slow chain takes longer than a submit waits.
    let slots = if rejected {
        1
    } else if slow {
        super::chain::SLOTS_WHEN_SLOW
    } else {
        limits.confirmation_slots
    };
    let in_time = state.chain.height(now) + slots - 1 <= last_height;
    let settled_in = (rejected || !lost && in_time).then_some(state.chain.slot(now) + slots);
    prepare.submitted = Some(Submitted { signature, transaction, settled_in, rejected, slow });
    if slow {
        state.chain.slow_down(now);
        follow_pace(core, state);
    } else {
        await_chain(core, state, id);
    }
    timer(core, now + limits.confirmation_wait_ms, Timer::Ceiling(id.to_owned()));
    None
}

/// The response to a confirmed submit: the transaction's id.
pub(super) fn landed(core: &mut Core, state: &State, id: &str) -> Reply {
    let [transaction, _] = state.transaction(id).signatures;
    core.reply(Answer::json(200, Landed { signature: bs58::encode(transaction).into_string() }))
}

impl State {
    /// The transaction of a submitted prepare.
    pub(super) fn transaction(&self, id: &str) -> Transaction {
        let prepare = &self.prepares[id];
        let submitted = prepare.submitted.as_ref().expect("the caller knows that it was submitted");
        Transaction {
            message: prepare.message.clone(),
            signatures: [submitted.transaction, submitted.signature],
            signer: prepare.key.clone(),
            record: prepare.record.clone(),
            truncated: false,
        }
    }
}

/// The chain confirms a transaction.
pub(super) fn land(core: &mut Core, state: &mut State, id: &str) {
    let Some((prepare, submitted)) = in_flight(state, id) else { return };
    let Some(slot) = submitted.settled_in.filter(|slot| *slot <= state.chain.slot(core.now())) else {
        return;
    };
    let (domain, wanted) = (prepare.domain.clone(), prepare.wanted.clone());
    let occasion = [("endpoint", "submit"), ("domain", domain.as_str())];
    let truncated = core.fault(faults::LOG_TRUNCATED, &occasion);
    state.chain.land(core.now(), slot - 1, Transaction { truncated, ..state.transaction(id) });
    state.step(core, id, PrepareEvent::Confirmation);
    recover(core, state);
    bind(core, state, &domain, &wanted, &submitted.transaction);
    FreeLock::run(core, state, &domain, id);
    let reply = landed(core, state, id);
    release(core, state, id, &reply);
    let window_ms = core.limits(&state.limits).repeat_window_ms;
    timer(core, core.now() + window_ms, Timer::Forget(id.to_owned()));
}

/// Applies a confirmed record to the binding.
fn bind(core: &mut Core, state: &mut State, domain: &str, wanted: &Wanted, transaction: &[u8; 64]) {
    let Some(binding) = state.bindings.get_mut(domain) else { return };
    let event = match wanted {
        Wanted::Publish { .. } => return,
        Wanted::Transfer { .. } => BindingEvent::Transfer,
        Wanted::Accept => BindingEvent::Accept,
    };
    let Some((next, row)) = binding.state.on(event) else { return };
    binding.state = next;
    core.fired(row);
    if let Wanted::Transfer { new_key } = wanted {
        let transfer = bs58::encode(transaction).into_string();
        binding.pending = Some(Pending { incoming_key: new_key.clone(), transfer });
    }
}

/// The chain rejects a transaction.
pub(super) fn reject(core: &mut Core, state: &mut State, id: &str) {
    let Some((_, submitted)) = in_flight(state, id) else { return };
    if submitted.settled_in.is_none_or(|slot| slot > state.chain.slot(core.now())) {
        return;
    }
    end(core, state, id, PrepareEvent::Rejection, &REJECTED);
}

/// The blockhash of a transaction in flight expires, unless the chain has become slower since.
pub(super) fn blockhash_ends(core: &mut Core, state: &mut State, id: &str) {
    let Some((prepare, _)) = in_flight(state, id) else { return };
    if state.chain.height(core.now()) <= prepare.last_valid_block_height {
        return;
    }
    end(core, state, id, PrepareEvent::BlockhashExpiry, &BLOCKHASH_EXPIRED);
}

/// A submit has reached the safety ceiling; its transaction may still land.
pub(super) fn ceiling(core: &mut Core, state: &mut State, id: &str) {
    if state.prepares.get(id).is_none_or(|prepare| prepare.state != PrepareState::InFlight) {
        return;
    }
    state.step(core, id, PrepareEvent::Ceiling);
    let reply = refusal::answer(core, &Refusal::new(&SAFETY_CEILING, ""));
    release(core, state, id, &reply);
}

/// An ended prepare is forgotten.
pub(super) fn forget(core: &mut Core, state: &mut State, id: &str) {
    let Some(prepare) = state.prepares.get(id) else { return };
    if prepare.state == PrepareState::Confirmed {
        state.step(core, id, PrepareEvent::Window);
    }
    state.prepares.remove(id);
}

/// A prepare ends without a record, by this rule.
fn end(core: &mut Core, state: &mut State, id: &str, event: PrepareEvent, rule: Id) {
    let Some((prepare, _)) = in_flight(state, id) else { return };
    let domain = prepare.domain.clone();
    state.step(core, id, event);
    recover(core, state);
    FreeAfterFailure::run(core, state, &domain, id);
    let reply = refusal::answer(core, &Refusal::new(rule, ""));
    release(core, state, id, &reply);
    timer(core, core.now() + ENVELOPE_PAST.value, Timer::Forget(id.to_owned()));
}

/// The chain returns to normal speed once no transaction that slowed it down is in flight.
fn recover(core: &mut Core, state: &mut State) {
    let waits = |prepare: &Arc<super::Prepare>| {
        matches!(prepare.state, PrepareState::InFlight | PrepareState::Unresolved)
            && prepare.submitted.as_ref().is_some_and(|submitted| submitted.slow)
    };
    if state.chain.is_slow() && !state.prepares.values().any(waits) {
        state.chain.recover(core.now());
        follow_pace(core, state);
    }
}

/// The chain's speed has changed: everything that waits for a slot waits for a new time.
fn follow_pace(core: &mut Core, state: &State) {
    for id in state.prepares.keys() {
        await_chain(core, state, id);
    }
}

/// Sets the timers of a transaction in flight. Older timers that fire too early find that its slot has not come yet.
fn await_chain(core: &mut Core, state: &State, id: &str) {
    let Some((prepare, submitted)) = in_flight(state, id) else { return };
    let now = core.now();
    if let Some(slot) = submitted.settled_in {
        let due = state.chain.slot_start(now, slot as i64 - state.chain.slot(now) as i64);
        timer(core, due, if submitted.rejected { Timer::Reject } else { Timer::Land }(id.to_owned()));
    }
    let end = state.chain.end_of_height(now, prepare.last_valid_block_height);
    timer(core, end, Timer::Blockhash(id.to_owned()));
}

/// Answers every submit that waits for this prepare.
fn release(core: &mut Core, state: &mut State, id: &str, reply: &Reply) {
    let waiting =
        state.prepares.get_mut(id).map(|prepare| std::mem::take(&mut Arc::make_mut(prepare).waiting));
    for exchange in waiting.unwrap_or_default() {
        core.answer(exchange, reply.clone());
    }
}

fn in_flight<'a>(state: &'a State, id: &str) -> Option<(&'a super::Prepare, Submitted)> {
    let prepare: &super::Prepare = state.prepares.get(id)?;
    let waits = matches!(prepare.state, PrepareState::InFlight | PrepareState::Unresolved);
    Some((prepare, prepare.submitted.clone()?)).filter(|_| waits)
}

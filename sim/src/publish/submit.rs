//! The second call: broadcasts a signed record and waits for the chain.

use std::sync::Arc;

use assay_spec::crypto::ed25519;
use assay_spec::instant::MINUTE;
use assay_spec::publish::limits::ENVELOPE_SKEW_MS;
use assay_spec::publish::machines::{BindingEvent, PrepareEvent, PrepareState};
use assay_spec::publish::prepare::{Wanted, parse_body};
use assay_spec::publish::requirements::submit::{
    BLOCKHASH_EXPIRED, EXPIRED, EXPIRY_UNCHANGED, FOREIGN, IN_FLIGHT, LANDS, LOCK_FREED, NO_SECOND_RECORD,
    REJECTED, REPEAT, SAFETY_CEILING, SIGNATURE, SIGNATURE_VERIFIES, STAYS_PREPARED, UNKNOWN,
};
use assay_spec::publish::submit as document;
use assay_spec::{Id, Refused, Rules};
use serde_json::json;

use super::chain::Transaction;
use super::prepare::frozen;
use super::{BindingState, Caller, Pending, State, Submitted, Timer, faults, timer, variations};
use crate::core::Core;
use crate::world::{ExchangeId, Reply};

/// Handles the submit of an admitted caller. `None` while it waits for the chain.
pub(super) fn run(
    state: &mut State,
    core: &mut Core,
    exchange: ExchangeId,
    caller: &Caller,
    body: &[u8],
) -> Result<Option<Reply>, Refused> {
    // A repeat gets its response whatever the binding's state is now; a frozen key is rejected only after that.
    let refused = core.varies(variations::REPEAT_CONFLICTS) && conflicts_on_repeat(state, caller);
    if !refused && let Some(reply) = repeat(state, core, caller, body)? {
        return Ok(Some(reply));
    }
    frozen(core, caller)?;
    let body = parse_body(body, core)?;
    let (id, signature) = document::fields(&body, core)?;
    let id = find(state, core, caller, id)?;
    let prepare = &state.prepares[&id];
    match prepare.state {
        PrepareState::Prepared => {}
        PrepareState::InFlight => {
            if core.violated(&IN_FLIGHT).is_some() {
                return Err(Refused {
                    rule: &UNKNOWN,
                    why: "switched off: a prepare in flight is treated as unknown".to_owned(),
                });
            }
            state.step(core, &id, PrepareEvent::Repeat);
            return Err(Refused { rule: &IN_FLIGHT, why: format!("{id} is in flight") });
        }
        PrepareState::Unresolved => {
            return Err(Refused { rule: &SAFETY_CEILING, why: format!("{id} is unresolved") });
        }
        PrepareState::Expired => {
            return Err(Refused { rule: &EXPIRED, why: format!("{id} has expired") });
        }
        _ => return Err(Refused { rule: &UNKNOWN, why: format!("{id} has ended") }),
    }
    match accept_signature(state, core, &id, signature) {
        Ok(signature) => Ok(broadcast(state, core, exchange, &id, signature)),
        Err(refused) => {
            bad_submit(state, core, &id);
            Err(refused)
        }
    }
}

/// Whether a repeat by this caller would be rejected as frozen or as a second accept.
fn conflicts_on_repeat(state: &State, caller: &Caller) -> bool {
    caller.frozen || state.bindings[&caller.domain].state == BindingState::Accepted
}

/// The response to a repeated confirmed submit.
fn repeat(
    state: &mut State,
    core: &mut Core,
    caller: &Caller,
    body: &[u8],
) -> Result<Option<Reply>, Refused> {
    let Ok(body) = serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(body) else {
        return Ok(None);
    };
    let text = |key: &str| body.get(key).and_then(serde_json::Value::as_str);
    let (Some(id), Some(signature)) = (text("prepareId"), text("signature")) else { return Ok(None) };
    let Some(prepare) = state.prepares.get(id) else { return Ok(None) };
    if prepare.state != PrepareState::Confirmed || prepare.domain != caller.domain {
        return Ok(None);
    }
    let same = prepare.submitted.as_ref().is_some_and(|submitted| {
        assay_spec::crypto::text::parse_base64(signature).is_some_and(|bytes| bytes == submitted.signature)
    });
    if !same {
        return Ok(None);
    }
    if core.violated(&REPEAT).is_some() {
        return Err(Refused { rule: &UNKNOWN, why: format!("{id} is confirmed") });
    }
    if core.violated(&NO_SECOND_RECORD).is_some() {
        write_again(state, core, id);
    }
    let transaction = state.prepares[id].submitted.as_ref().map(|submitted| submitted.transaction);
    state.step(core, id, PrepareEvent::Repeat);
    Ok(transaction.map(|transaction| landed(core, &transaction)))
}

/// The prepare that the caller may submit.
fn find(state: &State, core: &mut Core, caller: &Caller, id: &str) -> Result<String, Refused> {
    if core.varies(variations::MALFORMED_ID_400) && uuid::Uuid::parse_str(id).is_err() {
        let rule: Id = &assay_spec::publish::requirements::submit::FIELDS;
        return Err(Refused { rule, why: format!("{id:?} is not a UUID") });
    }
    let Some(prepare) = state.prepares.get(id) else {
        // With this rule switched off there would still be nothing to submit, so show another deviation.
        let rule: Id = if core.violated(&UNKNOWN).is_some() { &SIGNATURE_VERIFIES } else { &UNKNOWN };
        return Err(Refused { rule, why: format!("{id:?} is unknown") });
    };
    let foreign = prepare.domain != caller.domain;
    if foreign && core.varies(variations::FOREIGN_404) {
        let rule: Id = &assay_spec::publish::requirements::envelope::BINDING;
        return Err(Refused { rule, why: format!("{id} belongs to {}", prepare.domain) });
    }
    core.require(&FOREIGN, !foreign, || format!("{id} belongs to {}", prepare.domain))?;
    Ok(id.to_owned())
}

/// The signature, if it is valid for the prepared message.
fn accept_signature(state: &State, core: &mut Core, id: &str, signature: &str) -> Result<[u8; 64], Refused> {
    let signature = document::signature(signature, core)?;
    let prepare = &state.prepares[id];
    let verifies = ed25519::parse_address(&prepare.key)
        .is_some_and(|key| ed25519::verifies(&key, &prepare.message, &signature));
    core.require(&SIGNATURE_VERIFIES, verifies, || {
        "the signature is not valid for the prepared message".to_owned()
    })?;
    Ok(signature)
}

/// A rejected signature leaves the prepare unchanged.
fn bad_submit(state: &mut State, core: &mut Core, id: &str) {
    let prolong = core.violated(&EXPIRY_UNCHANGED).is_some();
    if core.violated(&STAYS_PREPARED).is_some() {
        state.step(core, id, PrepareEvent::Lifetime);
        return;
    }
    state.step(core, id, PrepareEvent::BadSubmit);
    if prolong && let Some(prepare) = state.prepares.get_mut(id).map(Arc::make_mut) {
        prepare.ends_at = prepare.ends_at + MINUTE;
    }
}

/// Adds the fee payer's signature and sends the transaction to the chain.
fn broadcast(
    state: &mut State,
    core: &mut Core,
    exchange: ExchangeId,
    id: &str,
    signature: [u8; 64],
) -> Option<Reply> {
    state.step(core, id, PrepareEvent::Submit);
    let now = core.now();
    let prepare = state.prepares.get_mut(id).map(Arc::make_mut);
    let prepare = prepare.expect("the caller has just found this prepare");
    let transaction = ed25519::sign(&state.fee_payer.key, &prepare.message);
    prepare.waiting.push(exchange);
    let occasion = [("endpoint", "submit"), ("domain", prepare.domain.as_str())];
    let slow = core.fault(faults::CHAIN_SLOW, &occasion);
    let lost = core.fault(faults::TRANSACTION_LOST, &occasion);
    let rejected = core.fault(faults::TRANSACTION_REJECTED, &occasion)
        || (super::chain::over_budget(&prepare.record) && core.fault(faults::COMPUTE_BUDGET, &occasion));
    // Only a violated rule lets a late submit get here; an expired blockhash would hide its deviation.
    if now >= prepare.expires_at {
        prepare.last_valid_block_height = state.chain.last_valid_block_height(now);
    }
    let last_height = prepare.last_valid_block_height;
    // The next slot includes it, the one after confirms it; a slow chain takes longer than a submit waits.
    let slots = if rejected {
        1
    } else if slow {
        super::chain::SLOTS_WHEN_SLOW
    } else {
        2
    };
    let in_time = state.chain.height(now) + slots - 1 <= last_height;
    let settled_in = (rejected || !lost && in_time).then_some(state.chain.slot(now) + slots);
    prepare.submitted = Some(Submitted { signature, transaction, settled_in, rejected, slow });
    if slow {
        state.chain.slow_down(now);
        follow_pace(state, core);
    } else {
        await_chain(state, core, id);
    }
    timer(core, now + state.limits.confirmation_wait_ms, Timer::Ceiling(id.to_owned()));
    match core.violated(&LANDS) {
        None => None,
        Some("early") => Some(landed(core, &transaction)),
        Some(_) => Some(core.json(502, json!({ "error": "not broadcast" }))),
    }
}

fn landed(core: &mut Core, transaction: &[u8; 64]) -> Reply {
    let id = core.effect(&SIGNATURE, *transaction, |conforming, _| conforming.map(|byte| byte ^ 1));
    core.json(200, json!({ "signature": bs58::encode(id).into_string() }))
}

/// The chain confirms a transaction.
pub(super) fn land(state: &mut State, core: &mut Core, id: &str) {
    let Some((prepare, submitted)) = in_flight(state, id) else { return };
    let Some(slot) = submitted.settled_in.filter(|slot| *slot <= state.chain.slot(core.now())) else {
        return;
    };
    let domain = prepare.domain.clone();
    let occasion = [("endpoint", "submit"), ("domain", domain.as_str())];
    let truncated = core.fault(faults::LOG_TRUNCATED, &occasion);
    let transaction = Transaction {
        message: prepare.message.clone(),
        signatures: [submitted.transaction, submitted.signature],
        signer: prepare.key.clone(),
        record: prepare.record.clone(),
        truncated,
    };
    let (wanted, key) = (prepare.wanted.clone(), submitted.transaction);
    state.chain.land(core.now(), slot - 1, transaction);
    state.step(core, id, PrepareEvent::Confirmation);
    recover(state, core);
    bind(state, core, &domain, &wanted, &key);
    if core.violated(&LOCK_FREED).is_none() {
        state.unlock(core, &domain, id);
    }
    let reply = landed(core, &key);
    release(state, core, id, &reply);
    let window =
        if core.varies(variations::REPEAT_LONG) { ENVELOPE_SKEW_MS } else { state.limits.repeat_window_ms };
    timer(core, core.now() + window, Timer::Forget(id.to_owned()));
}

/// Applies a confirmed record to the binding.
fn bind(state: &mut State, core: &mut Core, domain: &str, wanted: &Wanted, transaction: &[u8; 64]) {
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
pub(super) fn reject(state: &mut State, core: &mut Core, id: &str) {
    let Some((_, submitted)) = in_flight(state, id) else { return };
    if submitted.settled_in.is_none_or(|slot| slot > state.chain.slot(core.now())) {
        return;
    }
    let status = if core.violated(&REJECTED).is_some() { 500 } else { 502 };
    let reply = core.json(status, json!({ "error": core.prose("the chain rejected the transaction") }));
    end(state, core, id, PrepareEvent::Rejection, &reply);
}

/// The blockhash of a transaction in flight expires, unless the chain has become slower since.
pub(super) fn blockhash_ends(state: &mut State, core: &mut Core, id: &str) {
    let Some((prepare, _)) = in_flight(state, id) else { return };
    if state.chain.height(core.now()) <= prepare.last_valid_block_height {
        return;
    }
    let status = if core.violated(&BLOCKHASH_EXPIRED).is_some() { 502 } else { 410 };
    let text = "the blockhash expired before the transaction was confirmed";
    let reply = core.json(status, json!({ "error": core.prose(text) }));
    end(state, core, id, PrepareEvent::BlockhashExpiry, &reply);
}

/// A submit has reached the safety ceiling; its transaction may still land.
pub(super) fn ceiling(state: &mut State, core: &mut Core, id: &str) {
    if state.prepares.get(id).is_none_or(|prepare| prepare.state != PrepareState::InFlight) {
        return;
    }
    state.step(core, id, PrepareEvent::Ceiling);
    let text = format!("stopped waiting at the {}; the transaction may still land", document::SAFETY_CEILING);
    let text = core.effect(&SAFETY_CEILING, text, |_, _| "expired".to_owned());
    let reply = core.json(410, json!({ "error": text }));
    release(state, core, id, &reply);
}

/// An ended prepare is forgotten.
pub(super) fn forget(state: &mut State, core: &mut Core, id: &str) {
    let Some(prepare) = state.prepares.get(id) else { return };
    if prepare.state == PrepareState::Confirmed {
        state.step(core, id, PrepareEvent::Window);
    }
    state.prepares.remove(id);
}

/// A prepare ends without a record.
fn end(state: &mut State, core: &mut Core, id: &str, event: PrepareEvent, reply: &Reply) {
    let Some((prepare, _)) = in_flight(state, id) else { return };
    let domain = prepare.domain.clone();
    state.step(core, id, event);
    recover(state, core);
    state.unlock(core, &domain, id);
    release(state, core, id, reply);
    timer(core, core.now() + ENVELOPE_SKEW_MS, Timer::Forget(id.to_owned()));
}

/// The chain returns to normal speed once no transaction that slowed it down is in flight.
fn recover(state: &mut State, core: &mut Core) {
    let waits = |prepare: &Arc<super::Prepare>| {
        matches!(prepare.state, PrepareState::InFlight | PrepareState::Unresolved)
            && prepare.submitted.as_ref().is_some_and(|submitted| submitted.slow)
    };
    if state.chain.is_slow() && !state.prepares.values().any(waits) {
        state.chain.recover(core.now());
        follow_pace(state, core);
    }
}

/// The chain's speed has changed: everything that waits for a slot waits for a new time.
fn follow_pace(state: &State, core: &mut Core) {
    for id in state.prepares.keys() {
        await_chain(state, core, id);
    }
}

/// Sets the timers of a transaction in flight. Older timers that fire too early find that its slot has not come yet.
fn await_chain(state: &State, core: &mut Core, id: &str) {
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
fn release(state: &mut State, core: &mut Core, id: &str, reply: &Reply) {
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

/// The deviation of a second record: the same message, landed again with another signature.
fn write_again(state: &mut State, core: &mut Core, id: &str) {
    let prepare = &state.prepares[id];
    let Some(submitted) = &prepare.submitted else { return };
    let slot = state.chain.slot(core.now());
    let transaction = Transaction {
        message: prepare.message.clone(),
        signatures: [submitted.transaction.map(|byte| byte ^ 1), submitted.signature],
        signer: prepare.key.clone(),
        record: prepare.record.clone(),
        truncated: false,
    };
    state.chain.land(core.now(), slot, transaction);
}

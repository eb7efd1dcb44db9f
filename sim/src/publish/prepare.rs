//! The first call: prepares a record and locks the domain.

use std::sync::Arc;

use assay_spec::crypto::{ed25519, text};
use assay_spec::instant::{DAY, HOUR};
use assay_spec::publish::machines::{LockEvent, LockState, PrepareEvent, PrepareState};
use assay_spec::publish::message::Message;
use assay_spec::publish::prepare::{self as document, Reply as Answer, TxtObserved, Wanted};
use assay_spec::publish::record::Record;
use assay_spec::publish::requirements::exchange::{DAILY_LIMIT, DAILY_WINDOW};
use assay_spec::publish::requirements::prepare::{
    BODY_JSON, CID_NOT_VALIDATED, DOMAIN_MATCH, LOCK_EXPIRES, LOCK_PER_DOMAIN, NEW_AUTHORITY_DIFFERS,
    ONE_IN_FLIGHT, PUBLISHABLE, RECORD_FITS, REPLAY,
};
use assay_spec::publish::requirements::submit::{EXPIRED, UNKNOWN};
use assay_spec::publish::requirements::transfer::{FREEZES, FREEZES_ONCE_CONFIRMED, SECOND_ACCEPT};
use assay_spec::{Refused, Rules};
use serde_json::{Map, Value, json};

use super::{
    BindingState, Pending, Prepare, State, Timer, deviations, faults, lock_moves, timer, variations,
};
use crate::core::Core;
use crate::world::Reply;

/// A request that passed the envelope's rules.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The domain of the request.
    pub domain: String,
    /// The key that signed, base58.
    pub key: String,
    /// The key is frozen by a pending transfer.
    pub frozen: bool,
    /// The envelope's signature.
    pub envelope: [u8; 64],
}

/// Handles the prepare of an admitted caller.
pub fn run(state: &mut State, core: &mut Core, caller: &Caller, body: &[u8]) -> Result<Reply, Refused> {
    frozen(core, caller)?;
    if core.violated(&BODY_JSON).is_some() && serde_json::from_slice::<Map<String, Value>>(body).is_err() {
        // The next rule would reject it in the same way, so show another deviation.
        return Err(Refused {
            rule: &UNKNOWN,
            why: "switched off: a malformed body is treated as a gone prepare".to_owned(),
        });
    }
    let body = document::parse_body(body, core)?;
    let named = document::domain(&body, core)?;
    core.require(&DOMAIN_MATCH, named == caller.domain, || {
        format!("the body names {named:?}, the envelope {:?}", caller.domain)
    })?;
    let dialect = core.dialect.clone();
    let mut wanted = document::wanted(&dialect, &body, core)?;
    let record = record(state, core, caller, &mut wanted, &body)?;
    conflicts(state, core, caller, &wanted)?;
    let length = record.len();
    if length > usize::from(u16::MAX) {
        // No message can contain it, whichever rule is violated.
        return Err(Refused { rule: &RECORD_FITS, why: format!("the record is too large: {length} bytes") });
    }
    core.require(&RECORD_FITS, length <= state.limits.record_bytes, || {
        format!("the record is too large: {length} bytes")
    })?;
    if let Some(reply) = lock(state, core, caller)? {
        return Ok(reply);
    }
    count(state, core, caller)?;
    Ok(open(state, core, caller, wanted, record))
}

/// Rejects the old key of a pending transfer.
pub(super) fn frozen(core: &mut Core, caller: &Caller) -> Result<(), Refused> {
    let enforced = core.violated(&FREEZES).is_none_or(|variant| variant == "no-cause");
    if caller.frozen && enforced {
        return Err(Refused { rule: &FREEZES, why: format!("{} is frozen", caller.key) });
    }
    Ok(())
}

/// The record's bytes; checks its contents.
fn record(
    state: &State,
    core: &mut Core,
    caller: &Caller,
    wanted: &mut Wanted,
    body: &Map<String, Value>,
) -> Result<Vec<u8>, Refused> {
    let (domain, now) = (&caller.domain, core.now());
    let record = match wanted {
        Wanted::Publish { cid, version } => {
            let looks_like_one = cid.starts_with("bafy");
            if !core.effect(&CID_NOT_VALIDATED, true, |_, _| looks_like_one) {
                return Err(Refused { rule: &CID_NOT_VALIDATED, why: format!("{cid:?} is not a CID") });
            }
            if let Some(blank) = body.get("version").and_then(Value::as_str).filter(|text| !text.is_empty())
                && blank.trim().is_empty()
                && core.varies(variations::BLANK_VERSION_KEPT)
            {
                blank.clone_into(version);
            }
            Record::publish(domain, cid, version, now)
        }
        Wanted::Transfer { new_key } => {
            core.require(&NEW_AUTHORITY_DIFFERS, *new_key != caller.key, || {
                "the new key is the bound key".to_owned()
            })?;
            Record::transfer(domain, &format!("{}{new_key}", core.dialect.key_scheme), now)
        }
        Wanted::Accept => {
            let pending = state.bindings.get(domain).and_then(|binding| binding.pending.as_ref());
            Record::accept(domain, pending.map_or("none", |pending| &pending.transfer), now)
        }
    };
    Ok(deviations::record(core, &record))
}

/// Checks the binding's state.
fn conflicts(state: &State, core: &mut Core, caller: &Caller, wanted: &Wanted) -> Result<(), Refused> {
    let binding = &state.bindings[&caller.domain];
    let second = *wanted == Wanted::Accept && binding.state == BindingState::Accepted;
    core.require(&SECOND_ACCEPT, !second, || "the transfer has already been accepted".to_owned())?;
    core.require(&PUBLISHABLE, binding.publishable, || format!("{} is not publishable", caller.domain))
}

/// Rejects while the domain has a prepare in flight. Returns `Some` only under the deviation for replays.
fn lock(state: &mut State, core: &mut Core, caller: &Caller) -> Result<Option<Reply>, Refused> {
    let held = state.bindings[&caller.domain].lock.clone();
    if let Some(id) = &held
        && core.violated(&REPLAY).is_some()
        && let Some(prepare) = state.prepares.get(id).cloned()
        && prepare.envelope == caller.envelope
    {
        return Ok(Some(reply(state, core, id, &prepare)));
    }
    if held.is_some() {
        lock_moves(core, LockState::Held, LockEvent::Refusal);
    }
    core.require(&ONE_IN_FLIGHT, held.is_none(), || format!("{} is held by {held:?}", caller.domain))?;
    let elsewhere = || state.bindings.values().any(|binding| binding.lock.is_some());
    if core.violated(&LOCK_PER_DOMAIN).is_some() && elsewhere() {
        return Err(Refused { rule: &LOCK_PER_DOMAIN, why: "another domain is locked".to_owned() });
    }
    Ok(None)
}

/// Counts the publish against the rolling day.
fn count(state: &mut State, core: &mut Core, caller: &Caller) -> Result<(), Refused> {
    let now = core.now();
    let limit = state.limits.publishes_per_window;
    let limit = core.effect(&DAILY_LIMIT, limit, |limit, variant| match variant {
        "early" => limit - 1,
        _ => limit + 1,
    });
    let window = core.effect(&DAILY_WINDOW, state.limits.publish_window_ms, |_, _| 365 * DAY);
    let binding = state.bindings.get_mut(&caller.domain).expect("admission found the binding");
    while binding.publishes.front().is_some_and(|first| now - *first >= window) {
        binding.publishes.pop_front();
    }
    let count = binding.publishes.len();
    if count >= limit as usize {
        return Err(Refused { rule: &DAILY_LIMIT, why: format!("{count} publishes within {window} ms") });
    }
    binding.publishes.push_back(now);
    Ok(())
}

/// Creates the prepare and takes the lock.
fn open(state: &mut State, core: &mut Core, caller: &Caller, wanted: Wanted, record: Vec<u8>) -> Reply {
    let now = core.now();
    let binding = state.bindings.get_mut(&caller.domain).expect("admission found the binding");
    let id = deviations::prepare_id(core, &caller.domain, binding.prepared);
    binding.prepared += 1;
    if binding.lock.is_none() {
        lock_moves(core, LockState::Free, LockEvent::Prepare);
    }
    binding.lock = Some(id.clone());
    if let Wanted::Transfer { new_key } = &wanted
        && core.violated(&FREEZES_ONCE_CONFIRMED).is_some()
    {
        binding.state = BindingState::Pending;
        binding.pending = Some(Pending { incoming_key: new_key.clone(), transfer: "none".to_owned() });
    }

    let message = Message::publishing(
        state.fee_payer.account,
        ed25519::parse_address(&caller.key).unwrap_or_default(),
        state.memo_program,
        state.chain.blockhash_at(state.chain.slot(now)),
        record.clone(),
    );
    let expires_at = now + state.limits.prepare_lifetime_ms;
    let ends_at = core.effect(&EXPIRED, expires_at, |conforming, variant| match variant {
        "early" => now + state.limits.prepare_lifetime_ms * 2 / 3,
        _ => conforming + HOUR,
    });
    let (prepared, row) = PrepareState::None.on(PrepareEvent::Prepare).expect("the table begins with it");
    core.fired(row);
    let prepare = Prepare {
        domain: caller.domain.clone(),
        key: caller.key.clone(),
        wanted,
        state: prepared,
        message: deviations::message(core, message).into(),
        record: record.into(),
        last_valid_block_height: state.chain.last_valid_block_height(now),
        expires_at,
        ends_at,
        envelope: caller.envelope,
        submitted: None,
        waiting: Vec::new(),
    };
    timer(core, ends_at, Timer::Lifetime(id.clone()));
    let unlock = core.effect(&LOCK_EXPIRES, expires_at, |conforming, _| conforming + HOUR);
    // Normally both end together, and one timer is enough.
    if unlock != ends_at {
        timer(core, unlock, Timer::Lock(id.clone()));
    }
    let reply = reply(state, core, &id, &prepare);
    state.prepares.insert(id, Arc::new(prepare));
    reply
}

/// The response to a prepare.
fn reply(state: &State, core: &mut Core, id: &str, prepare: &Prepare) -> Reply {
    let answer = Answer {
        prepare_id: id.to_owned(),
        message: text::base64(&prepare.message),
        fee_payer: deviations::account_0(&prepare.message, &state.fee_payer),
        last_valid_block_height: prepare.last_valid_block_height,
        payload: String::from_utf8_lossy(&prepare.record).into_owned(),
        expires_at: prepare.expires_at,
        txt_observed: txt_observed(state, core, &prepare.domain),
    };
    let absent = answer.txt_observed.is_none() && core.varies(variations::TXT_ABSENT);
    let mut body = json!(answer);
    if absent && let Some(members) = body.as_object_mut() {
        members.shift_remove("txtObserved");
    }
    deviations::reply(core, &mut body);
    core.json(200, body)
}

fn txt_observed(state: &State, core: &mut Core, domain: &str) -> Option<TxtObserved> {
    let occasion = [("endpoint", "prepare"), ("domain", domain)];
    if core.varies(variations::TXT_ABSENT) || core.fault(faults::TXT_MISSING, &occasion) {
        return None;
    }
    let mut observed = state.bindings[domain].txt.clone()?;
    if core.fault(faults::TXT_DISAGREES, &occasion) {
        observed.vault.clone_from(&state.fee_payer.address);
        "vault differs from the binding".clone_into(&mut observed.reason);
    }
    Some(observed)
}

/// The lifetime of a prepare ends: an unsubmitted prepare expires.
pub(super) fn lifetime_ends(state: &mut State, core: &mut Core, id: &str) {
    let Some(prepare) = state.prepares.get(id) else { return };
    if prepare.state != PrepareState::Prepared {
        return;
    }
    if core.now() < prepare.ends_at {
        // A violated rule has extended it.
        timer(core, prepare.ends_at, Timer::Lifetime(id.to_owned()));
        return;
    }
    let (domain, over) = (prepare.domain.clone(), core.now() >= prepare.expires_at);
    state.step(core, id, PrepareEvent::Lifetime);
    if over && core.violated(&LOCK_EXPIRES).is_none() {
        state.unlock(core, &domain, id);
    }
    // A gone prepare stays distinguishable from an unknown one as long as its envelope could be replayed.
    timer(core, core.now() + assay_spec::publish::limits::ENVELOPE_SKEW_MS, Timer::Forget(id.to_owned()));
}

/// The lock of an unsubmitted prepare ends separately from its lifetime.
pub(super) fn lock_ends(state: &mut State, core: &mut Core, id: &str) {
    let Some(prepare) = state.prepares.get(id) else { return };
    if matches!(prepare.state, PrepareState::Prepared | PrepareState::Expired) {
        let domain = prepare.domain.clone();
        state.unlock(core, &domain, id);
    }
}

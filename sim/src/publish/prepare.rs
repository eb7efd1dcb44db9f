//! The first call: prepares a record and locks the domain.

use std::sync::Arc;

use assay_spec::Refused;
use assay_spec::crypto::{ed25519, text};
use assay_spec::publish::limits::ENVELOPE_PAST;
use assay_spec::publish::machines::{LockEvent, LockState, PrepareEvent, PrepareState};
use assay_spec::publish::message::Message;
use assay_spec::publish::mistakes::envelope::DOMAIN_FORMS;
use assay_spec::publish::mistakes::prepare::CID_NOT_VALIDATED;
use assay_spec::publish::mistakes::transfer::ACCEPT_NEEDS_PENDING;
pub(super) use assay_spec::publish::prepare::Reply as Prepared;
use assay_spec::publish::prepare::{self as document, TxtObserved, Wanted};
use assay_spec::publish::record::Record;
use assay_spec::publish::requirements::exchange::DAILY_LIMIT;
use assay_spec::publish::requirements::prepare::{
    DOMAIN_MATCH, NEW_AUTHORITY_DIFFERS, ONE_IN_FLIGHT, PUBLISHABLE, RECORD_FITS,
};
use assay_spec::publish::requirements::transfer::{FREEZES, SECOND_ACCEPT};
use serde_json::{Map, Value, json};

use super::{BindingState, Prepare, State, Timer, faults, lock_moves, timer};
use crate::core::Core;
use crate::exchange::Reply;
use crate::seam::{Answer, steps};

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

/// What a body asks for.
#[derive(Clone, PartialEq)]
pub(super) struct Asked {
    /// The body.
    pub(super) body: Map<String, Value>,
    /// What it asks for.
    pub(super) wanted: Wanted,
}

steps! {
    /// The transfer that the record of an accept names: the signature of the transaction of the pending one.
    NamedTransfer(state: &State, domain: &str, pending: &str) -> String = pending_transfer;
}

fn pending_transfer(_: &mut Core, _: &State, _: &str, pending: &str) -> String {
    pending.to_owned()
}

/// The bytes of a record.
#[derive(Clone, PartialEq)]
pub(super) struct RecordBytes(Vec<u8>);

impl RecordBytes {
    /// Changes the record as a string.
    pub(super) fn edit(&mut self, edit: impl FnOnce(&str) -> String) {
        self.0 = edit(&String::from_utf8_lossy(&self.0)).into_bytes();
    }
}

/// The bytes of a message.
#[derive(Clone, PartialEq)]
pub(super) struct MessageBytes(pub(super) Vec<u8>);

steps! {
    RunPrepare(state: &mut State, caller: &Caller, body: &[u8]) -> Result<Reply, Refused> = run;
}

/// Handles the prepare of an admitted caller.
pub fn run(core: &mut Core, state: &mut State, caller: &Caller, body: &[u8]) -> Result<Reply, Refused> {
    core.accept_value(&DOMAIN_FORMS, &json!(caller.domain))?;
    core.accept(&DOMAIN_FORMS, caller.domain.as_str())?;
    frozen(core, caller)?;
    let body = document::parse_body(body, core)?;
    let named = document::domain(&body, core)?;
    core.require(&DOMAIN_MATCH, named == caller.domain, || {
        format!("the body names {named:?}, the envelope {:?}", caller.domain)
    })?;
    let wanted = document::wanted(&core.dialect.clone(), &body, core)?;
    let Asked { wanted, .. } = core.step(Asked { body, wanted });
    let record = record(core, state, caller, &wanted)?;
    conflicts(core, state, caller, &wanted)?;
    let (length, limits) = (record.len(), core.limits(&state.limits));
    core.require(&RECORD_FITS, length <= limits.record_bytes, || {
        format!("the record is too large: {length} bytes")
    })?;
    Lock::run(core, state, caller)?;
    Count::run(core, state, caller, &wanted)?;
    Ok(Open::run(core, state, caller, wanted, record))
}

/// Rejects the old key of a pending transfer.
pub(super) fn frozen(core: &mut Core, caller: &Caller) -> Result<(), Refused> {
    core.require(&FREEZES, !caller.frozen, || format!("{} is frozen", caller.key))
}

/// The record's bytes; checks its contents.
fn record(core: &mut Core, state: &State, caller: &Caller, wanted: &Wanted) -> Result<Vec<u8>, Refused> {
    let (domain, now) = (&caller.domain, core.now());
    let record = match wanted {
        Wanted::Publish { cid, version } => {
            core.accept(&CID_NOT_VALIDATED, cid.as_str())?;
            Record::publish(domain, cid, version, now)
        }
        Wanted::Transfer { new_key } => {
            core.require(&NEW_AUTHORITY_DIFFERS, *new_key != caller.key, || {
                "the new key is the bound key".to_owned()
            })?;
            Record::transfer(domain, &format!("{}{new_key}", core.dialect.key_scheme), now)
        }
        Wanted::Accept => {
            let transfer = core.read(&ACCEPT_NEEDS_PENDING, domain.as_str(), |domain| {
                let pending = state.bindings.get(domain).and_then(|binding| binding.pending.as_ref());
                let transfer = pending.map(|pending| pending.transfer.as_str());
                transfer.ok_or_else(|| format!("{domain} has no pending transfer"))
            })?;
            Record::accept(domain, &NamedTransfer::run(core, state, domain, transfer), now)
        }
    };
    let bytes = core.step(record).encode(&core.dialect);
    Ok(core.step(RecordBytes(bytes)).0)
}

/// Checks the binding's state.
fn conflicts(core: &mut Core, state: &State, caller: &Caller, wanted: &Wanted) -> Result<(), Refused> {
    let binding = &state.bindings[&caller.domain];
    let second = *wanted == Wanted::Accept && binding.state == BindingState::Accepted;
    core.require(&SECOND_ACCEPT, !second, || "the transfer has already been accepted".to_owned())?;
    core.require(&PUBLISHABLE, binding.publishable, || format!("{} is not publishable", caller.domain))
}

steps! {
    Lock(state: &State, caller: &Caller) -> Result<(), Refused> = lock;
}

/// Rejects while the domain has a prepare in flight.
pub(super) fn lock(core: &mut Core, state: &State, caller: &Caller) -> Result<(), Refused> {
    let held = &state.bindings[&caller.domain].lock;
    if held.is_some() {
        lock_moves(core, LockState::Held, LockEvent::Refusal);
    }
    core.require(&ONE_IN_FLIGHT, held.is_none(), || format!("{} is held by {held:?}", caller.domain))
}

steps! {
    Count(state: &mut State, caller: &Caller, wanted: &Wanted) -> Result<(), Refused> = count;
}

/// Counts the publish against the rolling day, whatever it asks for.
pub(super) fn count(core: &mut Core, state: &mut State, caller: &Caller, _: &Wanted) -> Result<(), Refused> {
    let (now, limits) = (core.now(), core.limits(&state.limits));
    let window = limits.publish_window_ms;
    let binding = state.bindings.get_mut(&caller.domain).expect("admission found the binding");
    while binding.publishes.front().is_some_and(|first| now - *first >= window) {
        binding.publishes.pop_front();
    }
    let count = binding.publishes.len();
    core.require(&DAILY_LIMIT, count < limits.publishes_per_window as usize, || {
        format!("{count} publishes within {window} ms")
    })?;
    binding.publishes.push_back(now);
    Ok(())
}

steps! {
    PrepareId(domain: &str, number: u64) -> String = id;
}

/// The id of a domain's prepare: a random UUID.
pub(super) fn id(core: &mut Core, domain: &str, number: u64) -> String {
    let draw = core.rng.draw("publish.prepare-id", domain.as_bytes(), number);
    uuid::Builder::from_random_bytes(std::array::from_fn(|n| draw[n])).into_uuid().to_string()
}

steps! {
    Open(state: &mut State, caller: &Caller, wanted: Wanted, record: Vec<u8>) -> Reply = open;
}

/// Creates the prepare and takes the lock.
pub(super) fn open(
    core: &mut Core,
    state: &mut State,
    caller: &Caller,
    wanted: Wanted,
    record: Vec<u8>,
) -> Reply {
    let (now, limits) = (core.now(), core.limits(&state.limits));
    let binding = state.bindings.get_mut(&caller.domain).expect("admission found the binding");
    let id = PrepareId::run(core, &caller.domain, binding.prepared);
    binding.prepared += 1;
    if binding.lock.is_none() {
        lock_moves(core, LockState::Free, LockEvent::Prepare);
    }
    binding.lock = Some(id.clone());

    let message = core.step(Message::publishing(
        state.fee_payer.account,
        ed25519::parse_address(&caller.key).unwrap_or_default(),
        state.memo_program,
        state.chain.blockhash_at(state.chain.slot(now)),
        record.clone(),
    ));
    let expires_at = now + limits.prepare_lifetime_ms;
    let (prepared, row) = PrepareState::None.on(PrepareEvent::Prepare).expect("the table begins with it");
    core.fired(row);
    let prepare = Prepare {
        domain: caller.domain.clone(),
        key: caller.key.clone(),
        wanted,
        state: prepared,
        fee_payer: bs58::encode(message.accounts[0]).into_string(),
        message: core.step(MessageBytes(message.encode())).0.into(),
        record: record.into(),
        last_valid_block_height: state.chain.last_valid_block_height(now),
        expires_at,
        envelope: caller.envelope,
        submitted: None,
        waiting: Vec::new(),
    };
    let reply = reply(core, state, &id, &prepare);
    let prepare = core.step(prepare);
    timer(core, prepare.expires_at, Timer::Lifetime(id.clone()));
    timer(core, expires_at, Timer::Lock(id.clone()));
    state.prepares.insert(id, Arc::new(prepare));
    reply
}

/// The response to a prepare.
pub(super) fn reply(core: &mut Core, state: &State, id: &str, prepare: &Prepare) -> Reply {
    let prepared = Prepared {
        prepare_id: id.to_owned(),
        message: text::base64(&prepare.message),
        fee_payer: prepare.fee_payer.clone(),
        last_valid_block_height: prepare.last_valid_block_height,
        payload: String::from_utf8_lossy(&prepare.record).into_owned(),
        expires_at: prepare.expires_at,
        txt_observed: txt_observed(core, state, &prepare.domain),
    };
    core.reply(Answer::json(200, prepared))
}

fn txt_observed(core: &mut Core, state: &State, domain: &str) -> Option<TxtObserved> {
    let occasion = [("endpoint", "prepare"), ("domain", domain)];
    if core.fault(faults::TXT_MISSING, &occasion) {
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
pub(super) fn lifetime_ends(core: &mut Core, state: &mut State, id: &str) {
    let Some(prepare) = state.prepares.get(id) else { return };
    if prepare.state != PrepareState::Prepared || core.now() < prepare.expires_at {
        return;
    }
    state.step(core, id, PrepareEvent::Lifetime);
    // A gone prepare stays distinguishable from an unknown one as long as its envelope could be replayed.
    timer(core, core.now() + ENVELOPE_PAST.value, Timer::Forget(id.to_owned()));
}

/// The lock of an unsubmitted prepare ends with its lifetime.
pub(super) fn lock_ends(core: &mut Core, state: &mut State, id: &str) {
    let Some(prepare) = state.prepares.get(id) else { return };
    if matches!(prepare.state, PrepareState::Prepared | PrepareState::Expired) {
        let domain = prepare.domain.clone();
        State::unlock(core, state, &domain, id);
    }
}

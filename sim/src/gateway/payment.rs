//! Authorization: a key or, while the payment-required flow is on, a payment.
//!
//! The document does not show how a payment is signed. The simulator uses a stand-in: a payment is a string that the action
//! `gateway.payments` has issued, and pays for one request.

use assay_spec::crypto::text::hex;
use assay_spec::gateway::mistakes::auth::KEY_CHECK;
use assay_spec::gateway::mistakes::payment::{PAID, VALID_KEY};
use assay_spec::gateway::requirements::{auth, direct, payment};
use assay_spec::{Id, Refused};
use http::HeaderMap;
use http::header::AUTHORIZATION;
use imbl::OrdMap;
use serde_json::json;

use super::State;
use super::call::Family;
use super::keys::{self, KeyState, Presented};
use super::model::Usage;
use crate::core::Core;
use crate::refusal::Refusal;
use crate::seam::steps;

/// The payments of a world.
#[derive(Clone, Debug, Default)]
pub(super) struct Payments {
    /// Those that were issued, and whether each has paid for a request.
    used: OrdMap<String, bool>,
}

impl Payments {
    /// A new payment.
    pub(super) fn issue(&mut self, core: &Core) -> String {
        let draw = core.rng.draw("gateway.payment", b"", self.used.len() as u64);
        let payment = format!("pay-{}", hex(&draw[..20]));
        self.used.insert(payment.clone(), false);
        payment
    }

    /// Whether it was issued.
    fn has(&self, payment: &str) -> bool {
        self.used.contains_key(payment)
    }
}

/// The header that contains a payment.
const HEADER: &str = "x-payment";

/// A checked key, as the reply knows it.
#[derive(Clone)]
pub(super) struct Checked;

/// What the check of a key is billed: nothing.
#[derive(Clone, PartialEq)]
pub(super) struct CheckUsage(pub(super) Usage);

/// The payer of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Payer {
    /// The owner of this key.
    Key(String),
    /// The sender of a payment; also a caller that a deviation admits.
    Payment,
}

/// Admits a caller or returns the refusal. `at_server`: at a server's own site, where there is no payment flow. A payment is
/// used up by a request that it admits, whatever becomes wrong with that later.
pub(super) fn admit(
    core: &mut Core,
    state: &mut State,
    family: Family,
    at_server: bool,
    headers: &HeaderMap,
) -> Result<Payer, Refusal> {
    let flow = state.limits.payment_flow > 0 && !at_server;
    let key = match keys::presented(headers) {
        Presented::Nothing if family == Family::Messages => key_of_format(headers),
        presented => presented,
    };
    // What the other endpoints of a server do is left open.
    let is_open = at_server && !family.is_direct();
    let reject = |core: &mut Core, rule: Id, why: &str| {
        if is_open {
            return Err(Refused { rule, why: why.to_owned() });
        }
        refuse(core, state, headers, rule, why)
    };
    let invalid: Id = match (at_server, flow) {
        (true, _) => &direct::INVALID_KEY,
        (false, true) => &payment::INVALID_KEY,
        (false, false) => family.invalid_key(),
    };
    match key {
        Presented::Nothing if flow => pay(core, state, headers),
        Presented::Nothing => {
            let missing: Id = if at_server { &direct::MISSING_KEY } else { &auth::MISSING_KEY };
            reject(core, missing, "the request has no key")?;
            Ok(Payer::Payment)
        }
        Presented::Malformed => {
            reject(core, invalid, "the Authorization header is not a bearer key")?;
            Ok(Payer::Payment)
        }
        Presented::Key(text) => {
            match state.keys.find(text).map(|key| key.state) {
                None => reject(core, invalid, "unknown key")?,
                Some(KeyState::Revoked) => {
                    let revoked: Id = if at_server { &direct::REVOKED_KEY } else { &auth::REVOKED_KEY };
                    reject(core, revoked, "the key is revoked")?;
                }
                Some(KeyState::Valid | KeyState::Exhausted) => {}
            }
            core.accept(&VALID_KEY, flow)?;
            Ok(Payer::Key(text.to_owned()))
        }
    }
}

/// Rejects the key of a request. A key that is not issued may resemble one that is.
fn refuse(core: &mut Core, state: &State, headers: &HeaderMap, rule: Id, why: &str) -> Result<(), Refused> {
    let sent =
        headers.get(AUTHORIZATION).map_or("".into(), |value| String::from_utf8_lossy(value.as_bytes()));
    let issued = state.keys.issued().map(|key| json!(format!("Bearer {key}")));
    core.refuse_like(rule, &json!(sent), issued, || why.to_owned())
}

/// The header in which clients of the messages format send a key.
fn key_of_format(headers: &HeaderMap) -> Presented<'_> {
    match headers.get("x-api-key").map(|value| value.to_str()) {
        None => Presented::Nothing,
        Some(Ok(key)) if !key.is_empty() => Presented::Key(key),
        Some(_) => Presented::Malformed,
    }
}

/// A request without a key while the flow is on.
fn pay(core: &mut Core, state: &mut State, headers: &HeaderMap) -> Result<Payer, Refusal> {
    let Some(payment) = headers.get(HEADER) else {
        let why = || "the request has no key and no payment".to_owned();
        core.require_part(&payment::REQUIRED, "free", false, why)?;
        return Ok(Payer::Payment);
    };
    let payment = payment.to_str().unwrap_or_default();
    core.require_part(&payment::INVALID, "empty", !payment.is_empty(), || "the payment is empty".to_owned())?;
    if !state.payments.has(payment) {
        let why = || "the payment was never issued".to_owned();
        core.require_part(&payment::INVALID, "", payment.is_empty(), why)?;
        return Ok(Payer::Payment);
    }
    if !TakePayment::run(core, state, payment) {
        return Err(Refusal::new(&payment::USED_AGAIN, "the payment has paid for another request"));
    }
    core.accept(&PAID, ())?;
    Ok(Payer::Payment)
}

steps! {
    TakePayment(state: &mut State, payment: &str) -> bool = take;
}

/// Takes a payment that was issued; `false` if it was used.
pub(super) fn take(_: &mut Core, state: &mut State, payment: &str) -> bool {
    let was_used = state.payments.used.insert(payment.to_owned(), true);
    was_used == Some(false)
}

/// Whether a key has any balance left.
pub(super) fn solvent(state: &State, payer: &Payer) -> Result<(), Refusal> {
    match payer {
        Payer::Key(key) if state.keys.find(key).is_some_and(|key| key.state == KeyState::Exhausted) => {
            Err(Refusal::new(&payment::USED_UP, "subscription and credits are used up"))
        }
        _ => Ok(()),
    }
}

/// `GET /svc/auth/check`: whether a key is valid.
pub(super) fn check(core: &mut Core, state: &mut State, headers: &HeaderMap) -> Result<(), Refusal> {
    match keys::presented(headers) {
        Presented::Nothing => {
            core.require(&auth::KEY_CHECK_MISSING, false, || "the request has no key".to_owned())?;
        }
        Presented::Malformed => {
            let why = "the Authorization header is not a bearer key";
            refuse(core, state, headers, &auth::KEY_CHECK_INVALID, why)?;
        }
        Presented::Key(text) => match state.keys.find(text).map(|key| key.state) {
            None => refuse(core, state, headers, &auth::KEY_CHECK_INVALID, "unknown key")?,
            Some(KeyState::Revoked) => {
                core.require(&auth::KEY_CHECK_REVOKED, false, || "the key is revoked".to_owned())?;
            }
            Some(KeyState::Valid | KeyState::Exhausted) => {
                core.accept(&KEY_CHECK, ())?;
                let CheckUsage(usage) = core.step(CheckUsage(Usage { prompt: 0, completion: 0 }));
                state.keys.charge(&state.limits, text, usage, true);
            }
        },
    }
    Ok(())
}

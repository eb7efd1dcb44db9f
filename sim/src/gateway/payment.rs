//! Who may ask: a key, or where the payment-required flow is on, a payment.
//!
//! How a payment is signed is not shown, so that the simulator has a stand-in: any `X-PAYMENT` value that is a header
//! value of visible characters is a good payment.

use assay_spec::gateway::requirements::{auth, direct, payment};
use assay_spec::{Gate, Id};
use http::HeaderMap;

use super::State;
use super::call::Family;
use super::keys::{self, KeyState, Presented};
use crate::core::Core;
use crate::refusal::Refusal;

/// The header that brings a payment.
const HEADER: &str = "x-payment";

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Payer {
    /// Whoever has this key.
    Key(String),
    /// Whoever sent a payment; also whom a lie lets in.
    Payment,
}

/// Lets a caller in, or tells why not. `direct`: at a server's own site, where there is no payment flow.
pub(super) fn admit(
    state: &State,
    core: &mut Core,
    family: Family,
    at_server: bool,
    headers: &HeaderMap,
) -> Result<Payer, Refusal> {
    let flow = state.limits.payment_flow > 0 && !at_server;
    let key = match keys::presented(headers) {
        Presented::Nothing if family == Family::Messages => key_of_format(headers),
        presented => presented,
    };
    let invalid: Id = match (at_server, flow) {
        (true, _) => &direct::INVALID_KEY,
        (false, true) => &payment::INVALID_KEY,
        (false, false) => family.invalid_key(),
    };
    match key {
        Presented::Nothing if flow => pay(core, headers),
        Presented::Nothing => {
            let missing: Id = if at_server { &direct::MISSING_KEY } else { &auth::MISSING_KEY };
            core.require(missing, false, || "no key".to_owned())?;
            Ok(Payer::Payment)
        }
        Presented::Malformed => {
            core.require(invalid, false, || "no bearer key".to_owned())?;
            Ok(Payer::Payment)
        }
        Presented::Key(text) => {
            let known = state.keys.find(text);
            let revoked = known.is_some_and(|key| key.state == KeyState::Revoked);
            core.require(invalid, known.is_some(), || "an unknown key".to_owned())?;
            core.require(&auth::REVOKED_KEY, !revoked, || "a revoked key".to_owned())?;
            let refused = flow && core.effect(&payment::VALID_KEY, false, |_, _| true);
            if refused {
                return Err(Refusal::new(&payment::VALID_KEY, "a key does not pay while the flow is on"));
            }
            Ok(Payer::Key(text.to_owned()))
        }
    }
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
fn pay(core: &mut Core, headers: &HeaderMap) -> Result<Payer, Refusal> {
    let visible = |byte: &u8| (0x21..0x7f).contains(byte);
    let paid = headers.get(HEADER).is_some_and(|value| {
        let bytes = value.as_bytes();
        !bytes.is_empty() && bytes.iter().all(visible)
    });
    if paid {
        let refused = core.effect(&payment::PAID, false, |_, _| true);
        return if refused {
            Err(Refusal::new(&payment::PAID, "a payment is not taken"))
        } else {
            Ok(Payer::Payment)
        };
    }
    match core.lapse(&payment::REQUIRED) {
        None => Err(Refusal::new(&payment::REQUIRED, "no key and no payment")),
        Some("free") => Ok(Payer::Payment),
        Some(_) => Err(Refusal::new(&auth::MISSING_KEY, "no key, and no word of paying")),
    }
}

/// Whether a key has anything left to pay with.
pub(super) fn solvent(state: &State, payer: &Payer) -> Result<(), Refusal> {
    match payer {
        Payer::Key(key) if state.keys.find(key).is_some_and(|key| key.state == KeyState::Exhausted) => {
            Err(Refusal::new(&payment::USED_UP, "subscription and credits are used up"))
        }
        _ => Ok(()),
    }
}

/// `GET /svc/auth/check`: whether a key is valid.
pub(super) fn check(state: &mut State, core: &mut Core, headers: &HeaderMap) -> Result<(), Refusal> {
    match keys::presented(headers) {
        Presented::Nothing => {
            core.require(&auth::KEY_CHECK_MISSING, false, || "no key".to_owned())?;
        }
        Presented::Malformed => {
            core.require(&auth::KEY_CHECK_INVALID, false, || "no bearer key".to_owned())?;
        }
        Presented::Key(text) => {
            let found = state.keys.find(text);
            let revoked = found.is_some_and(|key| key.state == KeyState::Revoked);
            core.require(&auth::KEY_CHECK_INVALID, found.is_some(), || "an unknown key".to_owned())?;
            core.require(&auth::KEY_CHECK_REVOKED, !revoked, || "a revoked key".to_owned())?;
            if found.is_some() && !revoked && core.effect(&auth::KEY_CHECK, false, |_, _| true) {
                return Err(Refusal::new(&auth::KEY_CHECK, "a valid key is taken for an invalid one"));
            }
            if core.effect(&auth::KEY_CHECK_FREE, false, |_, _| true) {
                let (limits, text) = (state.limits.clone(), text.to_owned());
                state.keys.drain(&limits, &text);
            }
        }
    }
    Ok(())
}

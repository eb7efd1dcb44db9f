//! The round trip of the domain that a run may transfer: to the other key and back, once in a run. It sends what the checks
//! of transfers and accepts need in one order, and they read its responses.

use std::cell::Cell;

use assay_spec::Place;
use assay_spec::crypto::ed25519;
use assay_spec::publish::places::{ACCEPT, BY_BOUND, BY_INCOMING, EVERY, PUB, SUBMIT_ACCEPT, TRANSFER};
use serde_json::{Value, json};

use super::pool::{Pool, Talk, is_of_day, known};
use super::transfer::attempt;
use super::wire::Draft;
use super::{
    Caller, NO_ID, Prepared, SUBMIT, accept_body, confirmed, fresh_key, knock, prepare, signature_in, submit,
    submit_body, transfer_body,
};
use crate::harness::check::{Checked, Stop};
use crate::harness::probe::{Answer, Probe};

/// The key of the profile.
const DOMAIN: &str = "publish.transferable";
/// The requests from a prepare to its submit, which must not wait for the pace of the run, and the one that reserves them.
const LANDING: u32 = 5;

/// The submit of the transfer or accept, sent again.
pub(super) const AGAIN: [(&str, &str); 2] = [(TRANSFER, "transfer again"), (ACCEPT, "accept again")];
/// The submit of the accept without `op`.
pub(super) const WITHOUT_OP: &str = "accept without op";
/// The submit of the accept, by the old key.
pub(super) const BY_OLD: &str = "accept by the old key";
/// The prepare of a second accept.
pub(super) const SECOND: &str = "second accept";
/// Whether the incoming key is bound after the second accept.
pub(super) const CONFIRMED: &str = "confirmed";
/// The transfer back, and its accept: the second transfer of the domain.
pub(super) const BACK: &str = "back";
pub(super) const ACCEPT_BACK: &str = "accept back";

/// What is wrong with a domain whose accept did not land.
const PENDING: &str = "has a pending transfer, because its accept did not land";

/// Who signs a request about a pending transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signer {
    Old,
    Incoming,
    Third,
}

/// What each key sends while the transfer is pending. What a wrong server accepts locks the domain for the next ones.
const ATTEMPTS: [(Signer, &[Place]); 4] = [
    (Signer::Third, BY_INCOMING),
    (Signer::Old, EVERY),
    (Signer::Incoming, BY_BOUND),
    (Signer::Incoming, SUBMIT_ACCEPT),
];

/// The name of the response to this attempt.
pub(super) fn attempted(signer: Signer, place: Place) -> String {
    format!("{signer:?} {place}")
}

/// The most requests and publishes of a trip which asks so often whether an accept is confirmed, with what checks ask the
/// chain about it.
pub(super) fn cost(asks: u32) -> (u64, u64) {
    let attempts: usize = ATTEMPTS.iter().map(|(_, places)| places.len()).sum();
    // Which key is bound, two transfers and accepts, the other submits and prepares, and the chain about two of them.
    (2 + 8 + 5 + 2 + attempts as u64 + 2 * u64::from(asks), 4)
}

/// Whether the profile names a domain that the run may transfer, and the target confirms it.
pub(super) fn is_given(probe: &Probe<'_>) -> bool {
    let Some(pool) = &probe.settings.publish().transferable else { return false };
    let is_right = || !pool.names().is_empty() && probe.rest_on(DOMAIN).is_ok();
    let right = || is_right().then_some(Value::Bool(true)).ok_or_else(|| "none".to_owned());
    !probe.has_control() && probe.share(DOMAIN, right).is_ok()
}

/// The domain, and the clients with the keys between which it is transferred.
fn clients<'p>(probe: &'p Probe<'_>) -> Result<(&'p Pool, [Caller; 2]), Stop> {
    let fixtures = confirmed(probe)?;
    probe.rest_on(DOMAIN)?;
    let named = fixtures.transferable.as_ref().and_then(|pool| Some((pool, pool.names().pop()?)));
    let (Some((pool, domain)), Some(key), Some(second)) = (named, fixtures.key, fixtures.second_key) else {
        let needed = "needs a domain to transfer ([publish] transferable and second_key), or a control API";
        return Err(Stop::NotTestable(needed.to_owned()));
    };
    let caller = |seed| Caller { domain: domain.clone(), key: ed25519::key_from_seed(seed), _lease: None };
    Ok((pool, [key, second].map(caller)))
}

/// The client with the other key.
pub(super) fn other(probe: &Probe<'_>, caller: &Caller) -> Result<Caller, Stop> {
    let (_, [first, second]) = clients(probe)?;
    Ok(if first.key == caller.key { second } else { first })
}

/// The clients with the old and the incoming key, what was prepared, and the signature of the transfer.
pub(super) async fn transferred(probe: &Probe<'_>) -> Result<(Caller, Caller, Prepared, String), Stop> {
    clients(probe)?;
    let (old, prepared, answer) = step(probe, TRANSFER, true).await?.submitted(probe).await?;
    let new = other(probe, &old)?;
    Ok((old, new, prepared, signature_in(&answer)?))
}

/// The response of a step, with that to its submit if it is wanted. The first check that needs one makes the trip.
pub(super) async fn step<'p>(probe: &'p Probe<'_>, name: &str, with_submit: bool) -> Result<Talk<'p>, Stop> {
    let (pool, [first, second]) = clients(probe)?;
    let is_made =
        || if pool.has_kept() { Ok(Value::Bool(true)) } else { Err("no check has made it".to_owned()) };
    if probe.share("publish.trip", is_made).is_err() {
        make(probe, pool, [&first, &second]).await?;
    }
    let domain = &first.domain;
    let why = || format!("the transfer of {domain} has not come so far: see the first check that needs it");
    let talk = known(probe, pool, name, with_submit, why).await?.map_err(Stop::NotTestable)?;
    if is_of_day(&talk.answer) {
        let why = format!("{domain} has no publish left today: its prepare returned 429");
        return Err(Stop::NotTestable(why));
    }
    if name == TRANSFER && talk.answer.status() == 409 {
        // Its key was not frozen just before.
        let why =
            format!("{domain} is locked by another prepare ([publish] transferable): run again in a minute");
        return Err(Stop::NotTestable(why));
    }
    // What is left prepared is not submitted later.
    let is_open = with_submit && !talk.has_submit() && talk.answer.status() == 200;
    probe.conclusive(!is_open, format!("there was no response to the submit of {domain}"))?;
    Ok(talk)
}

/// As [`step`], of one request.
pub(super) async fn answer<'p>(probe: &'p Probe<'_>, name: &str) -> Result<Answer<'p>, Stop> {
    Ok(step(probe, name, false).await?.answer)
}

/// Whether the key of a client is bound, from the response to its [`knock`].
pub(super) fn is_bound(asked: &Answer<'_>) -> bool {
    matches!(asked.status(), 400 | 410)
}

/// Transfers the domain to the key that is not bound. If that was the second key, it goes back.
async fn make(probe: &Probe<'_>, pool: &Pool, [first, second]: [&Caller; 2]) -> Checked {
    if is_bound(&knock(probe, first, |_| {}).await?) {
        if leg(probe, pool, [first, second], true).await? {
            leg(probe, pool, [second, first], false).await?;
        }
        return Ok(());
    }
    // An earlier run has ended half way, or no operator had confirmed its accept yet.
    if is_bound(&knock(probe, second, |_| {}).await?) {
        return leg(probe, pool, [second, first], true).await.map(drop);
    }
    let needed =
        "needs a domain bound to key or second_key, without a pending transfer ([publish] transferable)";
    Err(Stop::NotTestable(needed.to_owned()))
}

/// Transfers the domain from the old key to the new one, and accepts it. Returns whether the new key is then bound. Checks
/// read the responses of the first leg: it also sends what must be rejected.
async fn leg(probe: &Probe<'_>, pool: &Pool, [old, new]: [&Caller; 2], is_read: bool) -> Result<bool, Stop> {
    let fixtures = probe.settings.publish();
    let keep = |name: &str, talk: &Talk<'_>| {
        if !probe.plays() && (is_read || [BACK, ACCEPT_BACK].contains(&name)) {
            pool.keep(fixtures, name, talk);
        }
    };
    let saw = |name: &str, by: &Caller, answer: Answer<'_>| keep(name, &Talk::only(by, answer));

    probe.reserve("publish", LANDING).await?;
    let mut transfer = Talk::begin(probe, old, &transfer_body(probe, old, &new.key)).await?;
    keep(if is_read { TRANSFER } else { BACK }, &transfer);
    let Ok(prepared) = transfer.prepared(probe) else { return Ok(false) };
    let body = submit_body(&prepared, old);
    transfer.submit(Draft::new(probe, old, SUBMIT, body.to_string()).await?.transmit(probe).await?);
    keep(if is_read { TRANSFER } else { BACK }, &transfer);
    if !transfer.has_landed() {
        return Ok(false);
    }
    if is_read {
        saw(AGAIN[0].1, old, submit(probe, old, &body).await?);
        let third = old.with_key(fresh_key(probe));
        for (signer, places) in ATTEMPTS {
            let by = match signer {
                Signer::Old => old,
                Signer::Incoming => new,
                Signer::Third => &third,
            };
            for place in places {
                let id = if place.op == TRANSFER { &prepared.id } else { NO_ID };
                saw(&attempted(signer, *place), by, attempt(probe, *place, by, id).await?);
            }
        }
    }

    let leave = |state: &str| {
        pool.leave(format!("[publish] transferable: {} {state}", old.domain));
        Ok(false)
    };
    probe.reserve("publish", LANDING).await?;
    let mut accept = Talk::begin(probe, new, &accept_body(new)).await?;
    keep(if is_read { ACCEPT } else { ACCEPT_BACK }, &accept);
    let Ok(prepared) = accept.prepared(probe) else { return leave(PENDING) };
    let mut body = submit_body(&prepared, new);
    if is_read {
        let by_old = attempt(probe, SUBMIT_ACCEPT[0].op(PUB), old, &prepared.id).await?;
        saw(BY_OLD, old, by_old);
        saw(WITHOUT_OP, new, submit(probe, new, &body).await?);
    }
    body["op"] = json!(ACCEPT);
    accept.submit(Draft::new(probe, new, SUBMIT, body.to_string()).await?.transmit(probe).await?);
    keep(if is_read { ACCEPT } else { ACCEPT_BACK }, &accept);
    if !accept.has_landed() {
        return leave(PENDING);
    }
    if is_read {
        saw(SECOND, new, prepare(probe, new, &accept_body(new)).await?);
        saw(AGAIN[1].1, new, submit(probe, new, &body).await?);
    }
    let is_first = Cell::new(true);
    let ask = async || {
        let asked = knock(probe, new, |_| {}).await?;
        if is_first.take() {
            saw(CONFIRMED, new, asked.clone());
        }
        Ok(asked)
    };
    let is_confirmed = is_bound(&probe.polled(fixtures.shown_seconds, ask, is_bound).await?);
    if is_confirmed { Ok(true) } else { leave("is accepted, and no operator has confirmed it yet") }
}

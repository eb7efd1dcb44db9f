//! Checks of transfer and accept: which key may do what, and when.

use assay_spec::Place;
use assay_spec::crypto::text;
use assay_spec::publish::places::{
    ACCEPT, BY_INCOMING, PREPARE_PUB, PREPARE_TRANSFER, PUB, SUBMIT_ACCEPT, SUBMITS, TRANSFER,
};
use assay_spec::publish::requirements::{submit as submits, transfer as rows};
use serde_json::{Value, json};

use super::pool::pending;
use super::scene::{Knock, Scene, answered, transferred};
use super::trip::{self, Signer};
use super::{
    Caller, NO_ID, PREPARED, accept_body, expire, fresh_key, landed, prepare, prepared, publish_body, submit,
    submit_body, transfer_body,
};
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::probe::{Answer, Probe};

/// A domain with a pending transfer.
struct Pending {
    old: Caller,
    new: Caller,
    /// The `prepareId` of the transfer, if this run has made it.
    id: String,
    /// The run transfers it once for all checks.
    is_trip: bool,
}

impl Pending {
    /// Sends the request of a place, or returns the response of the trip to it.
    async fn attempt<'p>(
        &self,
        probe: &'p Probe<'_>,
        place: Place,
        signer: Signer,
    ) -> Result<Answer<'p>, Stop> {
        if self.is_trip {
            return trip::answer(probe, &trip::attempted(signer, place)).await;
        }
        let by = match signer {
            Signer::Old => self.old.clone(),
            Signer::Incoming => self.new.clone(),
            Signer::Third => self.old.with_key(fresh_key(probe)),
        };
        attempt(probe, place, &by, &self.id).await
    }

    /// The valid counterpart: an accept by the incoming key at the endpoint of this place.
    async fn accept_is_admitted(&self, probe: &Probe<'_>, place: Place) -> Checked {
        if probe.has_control() || SUBMITS.contains(&place) {
            let answer = self.attempt(probe, place.op(ACCEPT), Signer::Incoming).await?;
            return answer.counterpart_status(&[200, 410]);
        }
        answered(probe, BY_INCOMING[0]).await?.1.answer.counterpart_status(&[200])
    }
}

/// A pending transfer. The submit of a transfer needs one that has landed; otherwise the control API makes it, or the
/// profile declares it.
async fn pending_at(probe: &Probe<'_>, place: Place) -> Result<Pending, Stop> {
    let is_trip = trip::is_given(probe);
    if !(is_trip || SUBMITS.contains(&place) && place.op == TRANSFER) {
        let (old, new) = if probe.has_control() {
            let scene = Scene::at(probe, BY_INCOMING[0]).await?;
            (scene.old, scene.caller)
        } else {
            // The keys are rejected whether the domain is locked or not.
            pending(probe)?
        };
        return Ok(Pending { old, new, id: NO_ID.to_owned(), is_trip });
    }
    let (old, new, prepared, _) = transferred(probe).await?;
    Ok(Pending { old, new, id: prepared.id, is_trip })
}

/// Sends the request of a place, signed by `signer`: a prepare, or the submit of `id` with a wrong signature.
pub(super) async fn attempt<'p>(
    probe: &'p Probe<'_>,
    place: Place,
    signer: &Caller,
    id: &str,
) -> Result<Answer<'p>, Stop> {
    if SUBMITS.contains(&place) {
        let mut body = json!({ "prepareId": id, "signature": text::base64(&[0; 64]) });
        if place.op == ACCEPT {
            body["op"] = json!(ACCEPT);
        }
        return submit(probe, signer, &body).await;
    }
    let body = match place.op {
        TRANSFER => transfer_body(probe, signer, &fresh_key(probe)),
        ACCEPT => accept_body(signer),
        _ => publish_body(signer),
    };
    prepare(probe, signer, &body).await
}

/// Sends requests with the old key while a transfer is pending: prepares and submits, also of the `prepareId` of the transfer
/// and of the accept. Each must return 409 with `cause` = `transfer-frozen`.
#[rejects(rows::FREEZES, after(submits::LANDS, submits::LOCK_FREED))]
async fn confirmed_transfer_freezes_the_old_key(probe: &Probe<'_>, place: Place) -> Checked {
    let pending = pending_at(probe, place).await?;
    // The key of a domain without a transfer is not frozen.
    Knock::at(probe, PREPARE_PUB[0]).await?.counterpart(probe).await?;
    let answer = if !SUBMIT_ACCEPT.contains(&place) {
        pending.attempt(probe, place, Signer::Old).await?
    } else if pending.is_trip {
        trip::answer(probe, trip::BY_OLD).await?
    } else {
        let Pending { old, new, .. } = &pending;
        let id = if probe.has_control() {
            prepared(probe, new, &accept_body(new)).await?.id
        } else {
            answered(probe, BY_INCOMING[0]).await?.1.prepared(probe)?.id
        };
        attempt(probe, place.op(PUB), old, &id).await?
    };
    answer.expect_refused()?;
    answer.expect_json("/cause", "\"transfer-frozen\"", |value| value == "transfer-frozen").map(drop)
}

/// Prepares a transfer, lets it expire and sends an ordinary prepare with the old key. It must return 200.
#[shows(
    rows::FREEZES_ONCE_CONFIRMED,
    waits(65),
    needs(Clock),
    after(assay_spec::publish::requirements::prepare::LOCK_EXPIRES)
)]
async fn prepared_transfer_does_not_freeze_the_old_key(probe: &Probe<'_>) -> Checked {
    let Scene { caller: old, body, .. } = Scene::at(probe, PREPARE_TRANSFER[0]).await?;
    prepare(probe, &old, &body).await?.given_accepted(&[200], PREPARED)?;
    expire(probe).await?;
    prepare(probe, &old, &publish_body(&old)).await?.expect_accepted(&[200], PREPARED)
}

/// Completes a transfer and accepts it with the incoming key. Prepare and submit must both return 200.
#[shows(
    rows::ACCEPT_ADMITTED,
    destroys,
    or_given("[publish] transferable", |settings| settings.publish().transferable.is_some()),
    after(submits::LANDS, submits::LOCK_FREED),
)]
async fn incoming_key_can_accept(probe: &Probe<'_>) -> Checked {
    let (_, new, ..) = transferred(probe).await?;
    if trip::is_given(probe) {
        let accept = trip::step(probe, ACCEPT, true).await?;
        accept.answer.expect_status(&[200])?;
        return accept.submitted(probe).await?.2.expect_status(&[200]);
    }
    let answer = prepare(probe, &new, &accept_body(&new)).await?;
    answer.expect_status(&[200])?;
    let prepared = super::read_prepared(probe, &answer.json())?;
    let mut body = submit_body(&prepared, &new);
    body["op"] = json!("accept");
    submit(probe, &new, &body).await?.expect_status(&[200])
}

/// Sends an accept while no transfer is pending. It must return 404.
#[rejects(rows::ACCEPT_NEEDS_PENDING)]
async fn accept_without_a_pending_transfer_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    let scene = Scene::rejected(probe, PREPARE_PUB[0]).await?;
    attempt(probe, place, &scene.caller, NO_ID).await?.expect_refused()?;
    if !SUBMITS.contains(&place) {
        return scene.counterpart(probe).await;
    }
    attempt(probe, place.op(PUB), &scene.caller, NO_ID).await?.counterpart_status(&[410])
}

/// Sends accepts signed by a third key and by the old key. The first must return 404, the second 404 or 409.
#[rejects(rows::ACCEPT_BY_INCOMING, after(submits::LANDS, rows::ACCEPT_ADMITTED, submits::LOCK_FREED))]
async fn accept_by_another_key_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    let pending = pending_at(probe, place).await?;
    pending.attempt(probe, place, Signer::Third).await?.expect_refused()?;
    let by_old = pending.attempt(probe, place, Signer::Old).await?;
    by_old.expect_status(&[404, 409])?;
    let status = by_old.status();
    probe.note(format!("an accept by the old key returns {status} ({place})"));
    pending.accept_is_admitted(probe, place).await
}

/// Sends a publish and a transfer with the incoming key while the transfer is pending. Each must return 404.
#[rejects(rows::INCOMING_ONLY_ACCEPTS, after(submits::LANDS, rows::ACCEPT_ADMITTED, submits::LOCK_FREED))]
async fn incoming_key_can_only_accept(probe: &Probe<'_>, place: Place) -> Checked {
    let pending = pending_at(probe, place).await?;
    pending.attempt(probe, place, Signer::Incoming).await?.expect_refused()?;
    pending.accept_is_admitted(probe, place).await
}

/// Sends the submit of an accept without `op`. It must return 400 or 404; with `op` = `accept` it must return 200.
#[rejects(
    rows::ACCEPT_SAYS_SO,
    destroys,
    or_given("[publish] transferable", |settings| settings.publish().transferable.is_some()),
    after(submits::LANDS, rows::ACCEPT_ADMITTED, submits::LOCK_FREED),
)]
async fn submit_of_an_accept_needs_op(probe: &Probe<'_>) -> Checked {
    let (_, new, ..) = transferred(probe).await?;
    if trip::is_given(probe) {
        trip::answer(probe, trip::WITHOUT_OP).await?.expect_refused()?;
        return trip::step(probe, ACCEPT, true).await?.submitted(probe).await?.2.counterpart_status(&[200]);
    }
    let prepared = prepared(probe, &new, &accept_body(&new)).await?;
    let mut body: Value = submit_body(&prepared, &new);
    submit(probe, &new, &body).await?.expect_refused()?;
    body["op"] = json!("accept");
    submit(probe, &new, &body).await?.counterpart_status(&[200])
}

/// Completes an accept and sends the accept prepare again. It must return 409.
#[rejects(
    rows::SECOND_ACCEPT,
    destroys,
    or_given("[publish] transferable", |settings| settings.publish().transferable.is_some()),
    after(submits::LANDS, rows::ACCEPT_ADMITTED, submits::LOCK_FREED),
)]
async fn second_accept_is_rejected(probe: &Probe<'_>) -> Checked {
    let (_, new, ..) = transferred(probe).await?;
    if trip::is_given(probe) {
        trip::step(probe, ACCEPT, true).await?.submitted(probe).await?.2.counterpart_status(&[200])?;
        let second = trip::answer(probe, trip::SECOND).await?;
        if second.status() == 404 {
            // Then no transfer is pending any longer.
            let is_confirmed = trip::is_bound(&trip::answer(probe, trip::CONFIRMED).await?);
            probe.found(!is_confirmed, "an operator had confirmed the accept before it was sent again")?;
        }
        return second.expect_refused();
    }
    landed(probe, &new, &accept_body(&new)).await?;
    probe.counterpart(true, "the first accept landed")?;
    prepare(probe, &new, &accept_body(&new)).await?.expect_refused()
}

//! Checks of transfer and accept: which key may do what, and when.

use std::time::Duration;

use assay_spec::publish::requirements::{submit as submits, transfer as rows};
use serde_json::{Value, json};

use super::refusals;
use super::{
    Caller, PREPARED, accept_body, caller, fresh_key, landed, prepare, prepared, publish_body, submit,
    submit_body, transfer_body,
};
use crate::check::{Check, Checked, Need, Stop};
use crate::probe::Probe;
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    refuses!(rows::FREEZES, confirmed_transfer_freezes_the_old_key, refusals::CONFLICT)
        .costs(3, 2, 1)
        .elsewhere(4)
        .writes(3)
        .destroys()
        .after(const { &[&submits::LANDS, &submits::LOCK_FREED] }),
    shows!(rows::FREEZES_ONCE_CONFIRMED, prepared_transfer_does_not_freeze_the_old_key)
        .costs(2, 2, 1)
        .writes(2)
        .waits(65)
        .needs(&[Need::Clock])
        .after(const { &[&assay_spec::publish::requirements::prepare::LOCK_EXPIRES] }),
    shows!(rows::ACCEPT_ADMITTED, incoming_key_can_accept)
        .costs(4, 2, 1)
        .writes(4)
        .destroys()
        .after(const { &[&submits::LANDS, &submits::LOCK_FREED] }),
    refuses!(
        rows::ACCEPT_NEEDS_PENDING,
        accept_without_a_pending_transfer_is_rejected,
        refusals::UNAUTHENTICATED
    )
    .costs(2, 1, 1)
    .writes(2),
    refuses!(rows::ACCEPT_BY_INCOMING, accept_by_another_key_is_rejected, refusals::UNAUTHENTICATED)
        .costs(5, 2, 1)
        .writes(5)
        .destroys()
        .after(const { &[&submits::LANDS, &rows::ACCEPT_ADMITTED, &submits::LOCK_FREED] }),
    refuses!(rows::INCOMING_ONLY_ACCEPTS, incoming_key_can_only_accept, refusals::UNAUTHENTICATED)
        .costs(4, 2, 1)
        .writes(4)
        .destroys()
        .after(const { &[&submits::LANDS, &rows::ACCEPT_ADMITTED, &submits::LOCK_FREED] }),
    refuses!(rows::ACCEPT_SAYS_SO, submit_of_an_accept_needs_op, refusals::NO_OP)
        .costs(5, 2, 1)
        .writes(5)
        .destroys()
        .after(const { &[&submits::LANDS, &rows::ACCEPT_ADMITTED, &submits::LOCK_FREED] }),
    refuses!(rows::SECOND_ACCEPT, second_accept_is_rejected, refusals::CONFLICT)
        .costs(5, 3, 1)
        .writes(5)
        .destroys()
        .after(const { &[&submits::LANDS, &rows::ACCEPT_ADMITTED, &submits::LOCK_FREED] }),
];

/// Starts a transfer. Returns the callers with the old key and with the incoming key.
async fn pending(probe: &Probe<'_>) -> Result<(Caller, Caller), Stop> {
    let old = caller(probe).await?;
    let new = old.with_key(fresh_key(probe));
    landed(probe, &old, &transfer_body(probe, &old, &new.key)).await?;
    Ok((old, new))
}

/// Completes a transfer and sends a prepare with the old key. It must return 409 with `cause` = `transfer-frozen`.
async fn confirmed_transfer_freezes_the_old_key(probe: &Probe<'_>) -> Checked {
    let (old, _) = pending(probe).await?;
    // The transfer itself is the counterpart: the old key was accepted before it.
    probe.counterpart(true, "the old key's transfer landed")?;
    let answer = prepare(probe, &old, &publish_body(&old)).await?;
    answer.expect_refused()?;
    answer.expect_json("/cause", "\"transfer-frozen\"", |value| value == "transfer-frozen").map(drop)
}

/// Prepares a transfer, lets it expire and sends an ordinary prepare with the old key. It must return 200.
async fn prepared_transfer_does_not_freeze_the_old_key(probe: &Probe<'_>) -> Checked {
    let old = caller(probe).await?;
    let body = transfer_body(probe, &old, &fresh_key(probe));
    prepare(probe, &old, &body).await?.given_accepted(&[200], PREPARED)?;
    probe.advance(Duration::from_secs(65)).await?;
    prepare(probe, &old, &publish_body(&old)).await?.expect_accepted(&[200], PREPARED)
}

/// Completes a transfer and accepts it with the incoming key. Prepare and submit must both return 200.
async fn incoming_key_can_accept(probe: &Probe<'_>) -> Checked {
    let (_, new) = pending(probe).await?;
    let answer = prepare(probe, &new, &accept_body(&new)).await?;
    answer.expect_status(&[200])?;
    let prepared = super::read_prepared(probe, &answer.json())?;
    let mut body = submit_body(&prepared, &new);
    body["op"] = json!("accept");
    submit(probe, &new, &body).await?.expect_status(&[200])
}

/// Sends an accept prepare while no transfer is pending. It must return 404.
async fn accept_without_a_pending_transfer_is_rejected(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    prepare(probe, &caller, &accept_body(&caller)).await?.expect_refused()?;
    prepare(probe, &caller, &publish_body(&caller)).await?.counterpart_status(&[200])
}

/// Sends accept prepares signed by a third key and by the old key. The first must return 404, the second 404 or
/// 409.
async fn accept_by_another_key_is_rejected(probe: &Probe<'_>) -> Checked {
    let (old, new) = pending(probe).await?;
    let third = old.with_key(fresh_key(probe));
    prepare(probe, &third, &accept_body(&third)).await?.expect_refused()?;
    let by_old = prepare(probe, &old, &accept_body(&old)).await?;
    by_old.expect_status(&[404, 409])?;
    let status = by_old.status();
    probe.note(format!("an accept by the old key returns {status}"));
    prepare(probe, &new, &accept_body(&new)).await?.counterpart_status(&[200])
}

/// Sends an ordinary prepare with the incoming key while the transfer is pending. It must return 404.
async fn incoming_key_can_only_accept(probe: &Probe<'_>) -> Checked {
    let (_, new) = pending(probe).await?;
    prepare(probe, &new, &publish_body(&new)).await?.expect_refused()?;
    prepare(probe, &new, &accept_body(&new)).await?.counterpart_status(&[200])
}

/// Sends the submit of an accept without `op`. It must return 404; with `op` = `accept` it must return 200.
async fn submit_of_an_accept_needs_op(probe: &Probe<'_>) -> Checked {
    let (_, new) = pending(probe).await?;
    let prepared = prepared(probe, &new, &accept_body(&new)).await?;
    let mut body: Value = submit_body(&prepared, &new);
    submit(probe, &new, &body).await?.expect_refused()?;
    body["op"] = json!("accept");
    submit(probe, &new, &body).await?.counterpart_status(&[200])
}

/// Completes an accept and sends the accept prepare again. It must return 409.
async fn second_accept_is_rejected(probe: &Probe<'_>) -> Checked {
    let (_, new) = pending(probe).await?;
    landed(probe, &new, &accept_body(&new)).await?;
    probe.counterpart(true, "the first accept landed")?;
    prepare(probe, &new, &accept_body(&new)).await?.expect_refused()
}

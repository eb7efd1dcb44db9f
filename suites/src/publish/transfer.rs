//! A domain handed to another key: who may do what, and when.

use std::time::Duration;

use assay_spec::publish::requirements::{submit as submits, transfer as rows};
use serde_json::{Value, json};

use super::{
    Caller, accept_body, caller, fresh_key, landed, prepare, prepared, publish_body, submit, submit_body,
    transfer_body,
};
use crate::check::{Check, Checked, Need, Stop};
use crate::probe::Probe;
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    refuses!(rows::FREEZES, a_confirmed_transfer_freezes_the_old_key)
        .costs(3, 2, 1)
        .elsewhere(4)
        .writes(3)
        .destroys()
        .after(const { &[&submits::LANDS, &submits::LOCK_FREED] }),
    shows!(rows::FREEZES_ONCE_CONFIRMED, a_prepared_transfer_freezes_nothing)
        .costs(2, 2, 1)
        .writes(2)
        .needs(&[Need::Clock])
        .after(const { &[&assay_spec::publish::requirements::prepare::LOCK_EXPIRES] }),
    shows!(rows::ACCEPT_ADMITTED, the_incoming_key_can_accept)
        .costs(4, 2, 1)
        .writes(4)
        .destroys()
        .after(const { &[&submits::LANDS, &submits::LOCK_FREED] }),
    refuses!(rows::ACCEPT_NEEDS_PENDING, an_accept_needs_a_pending_transfer).costs(2, 1, 1).writes(2),
    refuses!(rows::ACCEPT_BY_INCOMING, an_accept_by_another_key_is_refused)
        .costs(5, 2, 1)
        .writes(5)
        .destroys()
        .after(const { &[&submits::LANDS, &rows::ACCEPT_ADMITTED, &submits::LOCK_FREED] }),
    refuses!(rows::INCOMING_ONLY_ACCEPTS, the_incoming_key_can_do_nothing_else)
        .costs(4, 2, 1)
        .writes(4)
        .destroys()
        .after(const { &[&submits::LANDS, &rows::ACCEPT_ADMITTED, &submits::LOCK_FREED] }),
    refuses!(rows::ACCEPT_SAYS_SO, the_submit_of_an_accept_says_so)
        .costs(5, 2, 1)
        .writes(5)
        .destroys()
        .after(const { &[&submits::LANDS, &rows::ACCEPT_ADMITTED, &submits::LOCK_FREED] }),
    refuses!(rows::SECOND_ACCEPT, a_second_accept_is_refused)
        .costs(5, 3, 1)
        .writes(5)
        .destroys()
        .after(const { &[&submits::LANDS, &rows::ACCEPT_ADMITTED, &submits::LOCK_FREED] }),
];

/// A domain whose transfer is pending: its old key's caller and its incoming key's.
async fn pending(probe: &Probe<'_>) -> Result<(Caller, Caller), Stop> {
    let old = caller(probe).await?;
    let new = old.with_key(fresh_key(probe));
    landed(probe, &old, &transfer_body(probe, &old, &new.key)).await?;
    Ok((old, new))
}

async fn a_confirmed_transfer_freezes_the_old_key(probe: &Probe<'_>) -> Checked {
    let (old, _) = pending(probe).await?;
    // The counterpart is the transfer itself: the same key was admitted before it.
    probe.counterpart(true, "the old key's transfer landed")?;
    let answer = prepare(probe, &old, &publish_body(&old)).await?;
    answer.expect_status(&[409])?;
    answer.expect_json("/cause", "\"transfer-frozen\"", |value| value == "transfer-frozen").map(drop)
}

async fn a_prepared_transfer_freezes_nothing(probe: &Probe<'_>) -> Checked {
    let old = caller(probe).await?;
    let body = transfer_body(probe, &old, &fresh_key(probe));
    prepare(probe, &old, &body).await?.given_status(&[200])?;
    probe.advance(Duration::from_secs(65)).await?;
    prepare(probe, &old, &publish_body(&old)).await?.expect_status(&[200])
}

async fn the_incoming_key_can_accept(probe: &Probe<'_>) -> Checked {
    let (_, new) = pending(probe).await?;
    let answer = prepare(probe, &new, &accept_body(&new)).await?;
    answer.expect_status(&[200])?;
    let prepared = super::read_prepared(probe, &answer.json())?;
    let mut body = submit_body(&prepared, &new);
    body["op"] = json!("accept");
    submit(probe, &new, &body).await?.expect_status(&[200])
}

async fn an_accept_needs_a_pending_transfer(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    prepare(probe, &caller, &accept_body(&caller)).await?.expect_status(&[404])?;
    prepare(probe, &caller, &publish_body(&caller)).await?.counterpart_past(404)
}

async fn an_accept_by_another_key_is_refused(probe: &Probe<'_>) -> Checked {
    let (old, new) = pending(probe).await?;
    let third = old.with_key(fresh_key(probe));
    prepare(probe, &third, &accept_body(&third)).await?.expect_status(&[404])?;
    let by_old = prepare(probe, &old, &accept_body(&old)).await?;
    by_old.expect_status(&[404, 409])?;
    let status = by_old.status();
    probe.note(format!("an accept by the old key is answered by {status}"));
    prepare(probe, &new, &accept_body(&new)).await?.counterpart_status(&[200])
}

async fn the_incoming_key_can_do_nothing_else(probe: &Probe<'_>) -> Checked {
    let (_, new) = pending(probe).await?;
    prepare(probe, &new, &publish_body(&new)).await?.expect_status(&[404])?;
    prepare(probe, &new, &accept_body(&new)).await?.counterpart_status(&[200])
}

async fn the_submit_of_an_accept_says_so(probe: &Probe<'_>) -> Checked {
    let (_, new) = pending(probe).await?;
    let prepared = prepared(probe, &new, &accept_body(&new)).await?;
    let mut body: Value = submit_body(&prepared, &new);
    submit(probe, &new, &body).await?.expect_status(&[404])?;
    body["op"] = json!("accept");
    submit(probe, &new, &body).await?.counterpart_status(&[200])
}

async fn a_second_accept_is_refused(probe: &Probe<'_>) -> Checked {
    let (_, new) = pending(probe).await?;
    landed(probe, &new, &accept_body(&new)).await?;
    probe.counterpart(true, "the first accept landed")?;
    prepare(probe, &new, &accept_body(&new)).await?.expect_status(&[409])
}

//! Registrations of webhooks. The document does not show what is delivered, nor events other than the two.

use assay_spec::network::requirements::webhooks as rows;
use assay_spec::network::webhook::CREATE;
use serde_json::{Value, json};

use super::caller::caller;
use super::refusals;
use super::replies::is_text;
use super::wire::Draft;
use super::{ACCEPTED, REJECTED, posted};
use crate::check::{Check, Checked, Stop};
use crate::probe::Probe;
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::REGISTERED, registration_returns_its_identifier).costs(1, 0, 0).writes(1),
    shows!(rows::EVENT_NAMES, both_documented_events_are_accepted).costs(3, 0, 0).writes(3),
    refuses!(rows::URL, registration_without_a_url_is_rejected, refusals::TYPED).costs(3, 0, 0).writes(3),
    refuses!(rows::EVENTS, registration_without_events_is_rejected, refusals::TYPED).costs(4, 0, 0).writes(4),
    refuses!(rows::SECRET, registration_without_a_secret_is_rejected, refusals::TYPED)
        .costs(3, 0, 0)
        .writes(3),
];

/// A registration of a new sender, at a host that never exists (RFC 2606).
async fn registration(probe: &Probe<'_>, event: &str) -> Result<Draft, Stop> {
    let label = assay_spec::crypto::text::hex(&probe.draw("webhook")[..8]);
    let content = json!({
        "url": format!("http://check-{label}.invalid/hook"), "events": [event], "secret": label,
    });
    Ok(Draft::new(probe, &caller(probe), "WEBHOOK", content).await?.to(&CREATE, "POST", "/webhooks"))
}

/// Registers a webhook. The answer must have `webhook_id`, a string that is not empty, and `status` `success`.
async fn registration_returns_its_identifier(probe: &Probe<'_>) -> Checked {
    let answer = registration(probe, "message.new").await?.send(probe).await?;
    answer.given_status(ACCEPTED)?;
    answer.expect_json("/webhook_id", "a string that is not empty", is_text)?;
    answer.expect_json("/status", "\"success\"", |status| status == "success").map(drop)
}

/// Registers a webhook for `message.new` and one for `program.executed`. Both must be accepted.
async fn both_documented_events_are_accepted(probe: &Probe<'_>) -> Checked {
    posted(probe, &caller(probe)).await?;
    for event in ["message.new", "program.executed"] {
        let answer = registration(probe, event).await?.send(probe).await?;
        let status = answer.status();
        let place = format!("status with `{event}`");
        answer.expect(ACCEPTED.contains(&status), &place, "200, 201 or 202", status.to_string())?;
    }
    Ok(())
}

/// Expects each value of a member of the content to be rejected, and a valid registration to be accepted.
async fn expect_rejected(probe: &Probe<'_>, member: &str, values: &[Option<Value>]) -> Checked {
    registration(probe, "message.new").await?.send(probe).await?.counterpart_status(ACCEPTED)?;
    for value in values {
        let mut bad = registration(probe, "message.new").await?;
        match value {
            Some(value) => bad.message["content"][member] = value.clone(),
            None => drop(bad.message["content"].as_object_mut().and_then(|all| all.shift_remove(member))),
        }
        bad.attempt(probe).await?.expect_status(REJECTED)?;
    }
    Ok(())
}

/// Registers webhooks whose `url` is missing or a number. Each must be rejected; a valid registration is accepted.
async fn registration_without_a_url_is_rejected(probe: &Probe<'_>) -> Checked {
    expect_rejected(probe, "url", &[None, Some(json!(7))]).await
}

/// Registers webhooks whose `events` is missing, a string, or an array of a number. Each must be rejected; a valid
/// registration is accepted.
async fn registration_without_events_is_rejected(probe: &Probe<'_>) -> Checked {
    expect_rejected(probe, "events", &[None, Some(json!("message.new")), Some(json!([7]))]).await
}

/// Registers webhooks whose `secret` is missing or an array. Each must be rejected; a valid registration is accepted.
async fn registration_without_a_secret_is_rejected(probe: &Probe<'_>) -> Checked {
    expect_rejected(probe, "secret", &[None, Some(json!(["s"]))]).await
}

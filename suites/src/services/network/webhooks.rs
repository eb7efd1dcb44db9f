//! Registrations of webhooks. The document does not show what is delivered, nor events other than the two.

use assay_spec::Place;
use assay_spec::network::program;
use assay_spec::network::requirements::{messages, webhooks as rows};
use assay_spec::network::webhook::CREATE;
use serde_json::{Value, json};

use super::ACCEPTED;
use super::caller::caller;
use super::replies::{expect_typed, is_text};
use super::scene::posted;
use super::wire::Draft;
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::data::{At, Want};
use crate::harness::probe::Probe;

/// The content of a registration, at the profile's URL or at a host that is reserved for examples (RFC 2606).
pub(super) fn content(probe: &Probe<'_>, event: &str) -> Value {
    let label = assay_spec::crypto::text::hex(&probe.draw("webhook")[..8]);
    let url = probe.settings.network().given.webhook_url.clone();
    let url = url.unwrap_or_else(|| format!("https://example.com/hook/{label}"));
    json!({ "url": url, "events": [event], "secret": label })
}

/// A registration of a new sender.
async fn registration(probe: &Probe<'_>, event: &str) -> Result<Draft, Stop> {
    let draft = Draft::new(probe, &caller(probe), "WEBHOOK", content(probe, event)).await?;
    Ok(draft.to(&CREATE, "POST", "/webhooks"))
}

/// Registers a webhook. The answer must have `webhook_id`, a string that is not empty, and `status` `success`.
#[shows(rows::REGISTERED)]
async fn registration_returns_its_identifier(probe: &Probe<'_>) -> Checked {
    let answer = registration(probe, "message.new").await?.send(probe).await?;
    answer.given_status(ACCEPTED)?;
    answer.expect_json("/webhook_id", "a string that is not empty", is_text)?;
    answer.expect_json("/status", "\"success\"", |status| status == "success").map(drop)
}

/// Registers a webhook for `message.new` and, where the target runs programs, one for `program.executed` and one for both. Each must be
/// accepted.
#[shows(rows::EVENT_NAMES, after(messages::TYPE_FREE))]
async fn both_documented_events_are_accepted(probe: &Probe<'_>, place: Place) -> Checked {
    posted(probe, &caller(probe)).await?;
    let runs = probe.settings.network().offers(&program::RUN);
    for event in
        ["message.new", "program.executed"].into_iter().filter(|event| runs || *event == "message.new")
    {
        let answer = registration(probe, event).await?.at(place).send(probe).await?;
        let status = answer.status();
        let at = At::status_named(format!("status with `{event}`"));
        answer.expect(ACCEPTED.contains(&status), at, Want::one_of(ACCEPTED), status.to_string())?;
    }
    for value in probe.uncommon_values().filter(|_| runs) {
        let draft = registration(probe, "message.new").await?.at(place);
        let content = value.instead_of(&draft.message["content"]);
        draft.with("content", content).send(probe).await?.expect_not_malformed("content", value)?;
    }
    Ok(())
}

/// Expects that a registration with a wrong value of a member is not processed, and that a valid one is accepted.
async fn expect_member(probe: &Probe<'_>, member: &str) -> Checked {
    let draft = async || registration(probe, "message.new").await;
    expect_typed(probe, draft, &[member]).await
}

/// Registers webhooks whose `url` is missing or of another type. None may be processed: it is rejected at once or later. A
/// valid registration is accepted.
#[rejects(rows::URL)]
async fn registration_without_a_url_is_rejected(probe: &Probe<'_>) -> Checked {
    expect_member(probe, "url").await
}

/// Registers webhooks whose `events` is of another type, an array of an array, or an array of a number. None may be processed:
/// it is rejected at once or later. The number may be read as a string. A valid registration is accepted.
#[rejects(rows::EVENTS)]
async fn registration_without_events_is_rejected(probe: &Probe<'_>) -> Checked {
    expect_member(probe, "events").await
}

/// Registers webhooks whose `secret` is of another type. None may be processed: it is rejected at once or later. A number may
/// be read as a string. A valid registration is accepted.
#[rejects(rows::SECRET)]
async fn registration_without_a_secret_is_rejected(probe: &Probe<'_>) -> Checked {
    expect_member(probe, "secret").await
}

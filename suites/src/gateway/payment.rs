//! Paying instead of having a key. How a payment is signed is not shown, so one that is taken comes from a control API.

use assay_spec::gateway::chat;
use assay_spec::gateway::requirements::{auth, completions as native, payment as rows};
use serde_json::json;

use super::auth::inference;
use super::chat::good;
use super::given::{self, Skill, model};
use super::offered;
use super::wire::{Call, Key, expect_detail};
use crate::check::{Check, Checked, Stop};
use crate::probe::Probe;
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    refuses!(rows::REQUIRED, without_a_key_payment_is_required)
        .costs(6, 0, 0)
        .after(const { &[&auth::MISSING_KEY, &native::NATIVE] }),
    refuses!(rows::DETAIL, that_payment_is_required_is_said_in_words).costs(2, 0, 0),
    shows!(rows::PAID, a_paid_request_is_answered).costs(2, 0, 0),
    refuses!(rows::INVALID_KEY, an_invalid_key_is_no_missing_key)
        .costs(2, 0, 0)
        .after(const { &[&auth::INVALID_KEY_CHAT] }),
    shows!(rows::VALID_KEY, a_valid_key_needs_no_payment).costs(1, 0, 0),
];

/// Switches the flow on where a control API can, and answers what is taken for a payment; where none can, the profile
/// says whether the flow is on.
async fn switched_on(probe: &Probe<'_>) -> Result<Option<String>, Stop> {
    if probe.owns_time() && probe.has_control() {
        let answer = probe.perform("gateway.payments", json!({ "on": true })).await?;
        return Ok(answer["payment"].as_str().map(str::to_owned));
    }
    let needs =
        "needs the payment flow (readings.payment_flow in [gateway]), or a control API that switches it on";
    if probe.settings.gateway.payment_flow { Ok(None) } else { Err(Stop::NotTestable(needs.to_owned())) }
}

async fn without_a_key_payment_is_required(probe: &Probe<'_>) -> Checked {
    switched_on(probe).await?;
    let id = model(probe, Skill::Chat).await?;
    Call::post(&chat::ENDPOINT, &good(probe).await?).accepted(probe).await?.counterpart_status(&[200])?;
    for (endpoint, body) in offered(probe, inference(&id)) {
        Call::post(endpoint, &body).key(Key::None).send(probe).await?.expect_status(&[402])?;
    }
    Ok(())
}

async fn that_payment_is_required_is_said_in_words(probe: &Probe<'_>) -> Checked {
    switched_on(probe).await?;
    let body = good(probe).await?;
    Call::post(&chat::ENDPOINT, &body).accepted(probe).await?.counterpart_status(&[200])?;
    let answer = Call::post(&chat::ENDPOINT, &body).key(Key::None).send(probe).await?;
    answer.given_status(&[402])?;
    expect_detail(&answer)
}

async fn a_paid_request_is_answered(probe: &Probe<'_>) -> Checked {
    let needs = "needs a control API that tells what it takes for a payment: how one is signed is not shown";
    let payment = switched_on(probe).await?.ok_or_else(|| Stop::NotTestable(needs.to_owned()))?;
    let body = good(probe).await?;
    Call::post(&chat::ENDPOINT, &body).key(Key::None).send(probe).await?.given_status(&[402])?;
    let paid = Call::post(&chat::ENDPOINT, &body).key(Key::None).header("X-PAYMENT", &payment);
    paid.send(probe).await?.expect_status(&[200])
}

async fn an_invalid_key_is_no_missing_key(probe: &Probe<'_>) -> Checked {
    switched_on(probe).await?;
    let body = good(probe).await?;
    Call::post(&chat::ENDPOINT, &body).accepted(probe).await?.counterpart_status(&[200])?;
    let wrong = given::wrong_key(probe).await?;
    Call::post(&chat::ENDPOINT, &body).bearer(&wrong).send(probe).await?.expect_status(&[401])
}

async fn a_valid_key_needs_no_payment(probe: &Probe<'_>) -> Checked {
    switched_on(probe).await?;
    Call::post(&chat::ENDPOINT, &good(probe).await?).accepted(probe).await?.expect_status(&[200])
}

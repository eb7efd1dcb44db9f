//! Checks of the payment flow. The document does not show how a payment is signed, so a valid payment comes from a
//! control API or from the profile.

use assay_spec::gateway::chat;
use assay_spec::gateway::requirements::{auth, completions as native, payment as rows, stream};
use serde_json::json;

use super::auth::inference;
use super::chat::good;
use super::given::{self, Skill, model};
use super::offered;
use super::refusals;
use super::stream::expect_inference;
use super::wire::{Call, Key, expect_detail};
use crate::harness::check::{Check, Checked, Stop};
use crate::harness::probe::Probe;
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    refuses!(rows::REQUIRED, missing_key_returns_402, refusals::PAYMENT)
        .requests(13)
        .after(const { &[&auth::MISSING_KEY, &native::NATIVE, &stream::ERROR_BEFORE] }),
    refuses!(rows::DETAIL, error_402_has_a_detail_string, refusals::PAYMENT).requests(7),
    shows!(rows::PAID, paid_request_is_accepted).requests(12).after(const { &[&native::NATIVE] }),
    refuses!(rows::INVALID_KEY, invalid_key_returns_401_not_402, refusals::INVALID_KEY)
        .requests(7)
        .after(const { &[&auth::INVALID_KEY_CHAT, &native::NATIVE, &stream::ERROR_BEFORE] }),
    shows!(rows::VALID_KEY, valid_key_needs_no_payment).requests(6).after(const { &[&native::NATIVE] }),
];

/// The header of a payment.
pub(super) const PAYMENT: &str = "X-PAYMENT";

/// Enables the payment flow through a control API and returns a valid payment. Without a control API the profile says
/// whether the flow is enabled, and may name a payment.
async fn switched_on(probe: &Probe<'_>) -> Result<Option<String>, Stop> {
    if probe.owns_time() && probe.has_control() {
        let answer = probe.perform("gateway.payments", json!({ "on": true })).await?;
        return Ok(answer["payment"].as_str().map(str::to_owned));
    }
    let fixtures = probe.settings.gateway();
    if fixtures.payment_flow {
        return Ok(fixtures.payment.as_ref().map(|payment| payment.0.clone()));
    }
    let needs =
        "needs the payment flow (readings.payment_flow in [gateway]), or a control API that enables it";
    Err(Stop::NotTestable(needs.to_owned()))
}

/// Enables the payment flow and sends requests without a key to every inference endpoint, without a payment and with an
/// empty one. Each must return 402.
async fn missing_key_returns_402(probe: &Probe<'_>) -> Checked {
    switched_on(probe).await?;
    let id = model(probe, Skill::Chat).await?;
    Call::post(&chat::ENDPOINT, &good(probe).await?).accepted(probe).await?.counterpart_status(&[200])?;
    for (endpoint, body) in offered(probe, inference(&id)) {
        let unpaid = Call::post(endpoint, &body).key(Key::None);
        unpaid.clone().send(probe).await?.expect_refused()?;
        unpaid.header(PAYMENT, "").send(probe).await?.expect_refused()?;
    }
    Ok(())
}

/// Enables the payment flow and sends requests without a key to every inference endpoint. Each 402 must have a `detail`
/// string.
async fn error_402_has_a_detail_string(probe: &Probe<'_>) -> Checked {
    switched_on(probe).await?;
    let id = model(probe, Skill::Chat).await?;
    Call::post(&chat::ENDPOINT, &good(probe).await?).accepted(probe).await?.counterpart_status(&[200])?;
    for (endpoint, body) in offered(probe, inference(&id)) {
        let answer = Call::post(endpoint, &body).key(Key::None).send(probe).await?;
        answer.given_status(&[402])?;
        expect_detail(&answer)?;
    }
    Ok(())
}

/// Enables the payment flow and sends requests with `X-PAYMENT` and no key to every inference endpoint. Each must return
/// 200.
async fn paid_request_is_accepted(probe: &Probe<'_>) -> Checked {
    let payment = switched_on(probe).await?;
    probe.rest_on("gateway.payment")?;
    let needs = "needs a valid payment ([gateway] payment), or a control API that provides one";
    let payment = payment.ok_or_else(|| Stop::NotTestable(needs.to_owned()))?;
    probe.hide("payment", &payment);
    let id = model(probe, Skill::Chat).await?;
    for (endpoint, body) in offered(probe, inference(&id)) {
        Call::post(endpoint, &body).key(Key::None).send(probe).await?.given_status(&[402])?;
        let paid = Call::post(endpoint, &body).key(Key::None).header(PAYMENT, &payment);
        expect_inference(probe, endpoint, &paid.send(probe).await?)?;
    }
    Ok(())
}

/// Enables the payment flow and sends requests with an invalid key to every inference endpoint. Each must return 401, not
/// 402.
async fn invalid_key_returns_401_not_402(probe: &Probe<'_>) -> Checked {
    switched_on(probe).await?;
    let id = model(probe, Skill::Chat).await?;
    Call::post(&chat::ENDPOINT, &good(probe).await?).accepted(probe).await?.counterpart_status(&[200])?;
    let wrong = given::wrong_key(probe).await?;
    for (endpoint, body) in offered(probe, inference(&id)) {
        Call::post(endpoint, &body).bearer(&wrong).send(probe).await?.expect_refused()?;
    }
    Ok(())
}

/// Enables the payment flow and sends requests with a valid key to every inference endpoint. Each must return 200.
async fn valid_key_needs_no_payment(probe: &Probe<'_>) -> Checked {
    switched_on(probe).await?;
    let id = model(probe, Skill::Chat).await?;
    for (endpoint, body) in offered(probe, inference(&id)) {
        expect_inference(probe, endpoint, &Call::post(endpoint, &body).accepted(probe).await?)?;
    }
    Ok(())
}

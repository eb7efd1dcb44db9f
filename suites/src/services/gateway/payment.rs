//! Checks of the payment flow. The document does not show how a payment is signed, so valid payments come from a control API
//! or from the profile. A payment may pay for one request only, so none is sent twice where a reply is wanted.

use assay_spec::crypto::text;
use assay_spec::gateway::chat;
use assay_spec::gateway::requirements::{auth, completions as native, payment as rows, stream};
use serde_json::json;

use super::auth::inference;
use super::chat::{COMPLETION, good};
use super::given::{self, Skill, model};
use super::offered;
use super::stream::expect_inference;
use super::wire::{Call, Key, expect_detail};
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::data::At;
use crate::harness::probe::Probe;

/// The header of a payment.
pub(super) const PAYMENT: &str = "X-PAYMENT";

/// Whether the check can issue payments through a control API.
fn issues(probe: &Probe<'_>) -> bool {
    probe.owns_time() && probe.has_control()
}

/// Enables the payment flow through a control API. Without a control API the profile says whether it is enabled.
async fn switched_on(probe: &Probe<'_>) -> Checked {
    if issues(probe) {
        return probe.perform("gateway.payments", json!({ "on": true })).await.map(drop);
    }
    let needs =
        "needs the payment flow (readings.payment_flow in [gateway]), or a control API that enables it";
    probe.found(probe.settings.gateway().readings.payment_flow, needs)
}

/// A payment of the check's own that has paid for nothing yet: number `n`, from 0, or the one that is sent twice. `None`: the
/// profile names no more.
async fn next(probe: &Probe<'_>, n: Option<usize>) -> Result<Option<String>, Stop> {
    let payments = &probe.settings.gateway().payments;
    let payment = if issues(probe) {
        let answer = probe.perform("gateway.payments", json!({ "on": true })).await?;
        answer["payment"].as_str().map(str::to_owned)
    } else {
        match n {
            Some(n) => payments.once(probe, n).await?,
            None => payments.twice(probe).await?,
        }
    };
    if let Some(payment) = &payment {
        probe.hide("payment", payment);
    }
    Ok(payment)
}

/// Enables the payment flow and sends requests without a key and without a payment to every inference endpoint. Each must
/// return 402.
#[rejects(rows::REQUIRED, after(auth::MISSING_KEY, native::NATIVE, stream::ERROR_BEFORE))]
async fn missing_key_returns_402(probe: &Probe<'_>) -> Checked {
    switched_on(probe).await?;
    let id = model(probe, Skill::Chat).await?;
    Call::post(&chat::ENDPOINT, &good(probe).await?).accepted(probe).await?.counterpart_status(&[200])?;
    for (endpoint, body) in offered(probe, inference(&id)) {
        Call::post(endpoint, &body).key(Key::None).send(probe).await?.expect_refused()?;
    }
    Ok(())
}

/// Enables the payment flow and sends requests without a key to every inference endpoint, with an empty payment and with an
/// invented one. None may be served: each must return 402, or 400, 401 or 422, which no sentence excludes.
#[rejects(rows::INVALID, after(rows::REQUIRED, native::NATIVE, stream::ERROR_BEFORE))]
async fn invalid_payment_is_rejected(probe: &Probe<'_>) -> Checked {
    switched_on(probe).await?;
    let id = model(probe, Skill::Chat).await?;
    Call::post(&chat::ENDPOINT, &good(probe).await?).accepted(probe).await?.counterpart_status(&[200])?;
    let invented = text::base64url(&probe.draw_once("payment"));
    for (endpoint, body) in offered(probe, inference(&id)) {
        for payment in ["", &invented] {
            let unpaid = Call::post(endpoint, &body).key(Key::None).header(PAYMENT, payment);
            unpaid.send(probe).await?.expect_refused()?;
        }
    }
    Ok(())
}

/// Enables the payment flow and sends requests without a key to every inference endpoint. Each 402 must have a `detail`
/// string.
#[rejects(rows::DETAIL)]
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

/// The statuses of a payment that does not pay.
const UNPAID: &[u16] = &[400, 401, 402, 422];
const NEEDS: &str = "needs a valid payment ([gateway] payments), or a control API that provides one";

/// Enables the payment flow and sends requests with `X-PAYMENT` and no key to every inference endpoint, each with a payment of
/// its own. Each must return 200. Without enough payments, some endpoints are left out. If none of the profile's payments
/// pays, they may be what is wrong.
#[shows(rows::PAID, after(native::NATIVE))]
async fn paid_request_is_accepted(probe: &Probe<'_>) -> Checked {
    switched_on(probe).await?;
    let id = model(probe, Skill::Chat).await?;
    let (mut paid, mut unpaid) = (0, None);
    for (n, (endpoint, body)) in offered(probe, inference(&id)).enumerate() {
        let Some(payment) = next(probe, Some(n)).await? else {
            probe.note(format!("{}: the profile names no more payments", endpoint.name));
            continue;
        };
        Call::post(endpoint, &body).key(Key::None).send(probe).await?.given_status(&[402])?;
        let call = Call::post(endpoint, &body).key(Key::None).header(PAYMENT, &payment);
        let answer = call.send(probe).await?;
        if issues(probe) || !UNPAID.contains(&answer.status()) {
            expect_inference(probe, endpoint, &answer)?;
            paid += 1;
        } else {
            unpaid = Some((endpoint, answer));
        }
    }
    if let Some((endpoint, answer)) = unpaid {
        // Prices are not shown: a payment may pay at one endpoint and not at another.
        let status = answer.status();
        probe.note(format!("{}: a payment of the profile does not pay ({status})", endpoint.name));
        let none = format!(
            "no payment of the profile pays: each was sent once and returned {status} ([gateway] payments)"
        );
        return probe.conclusive(paid > 0, none);
    }
    probe.found(paid > 0, NEEDS)
}

/// Enables the payment flow and sends a chat with `X-PAYMENT` and no key, and the same again. The second must not return a 5xx;
/// if the profile says that a payment pays once, it must return a 4xx.
#[shows(rows::USED_AGAIN, after(rows::PAID))]
async fn used_payment_causes_no_internal_error(probe: &Probe<'_>) -> Checked {
    switched_on(probe).await?;
    let needs = "needs a second valid payment ([gateway] payments), or a control API that provides one";
    let payment = next(probe, None).await?.ok_or_else(|| Stop::NotTestable(needs.to_owned()))?;
    let paid = Call::post(&chat::ENDPOINT, &good(probe).await?).key(Key::None).header(PAYMENT, &payment);
    let first = paid.clone().send(probe).await?;
    let why = format!(
        "the payment does not pay: it was sent once and returned {} ([gateway] payments)",
        first.status()
    );
    probe.conclusive(issues(probe) || !UNPAID.contains(&first.status()), why)?;
    first.given_accepted(&[200], COMPLETION)?;
    let again = paid.send(probe).await?;
    let is_single_use = probe.settings.gateway().readings.payments_single_use;
    let want = if is_single_use { "a 4xx status" } else { "a status below 500" };
    let status = again.status();
    let holds = status < 500 && (!is_single_use || status >= 400);
    again.expect(holds, At::status_named("status of the second request"), want, status.to_string())
}

/// Enables the payment flow and sends requests with an invalid key to every inference endpoint. Each must return 401, not
/// 402.
#[rejects(rows::INVALID_KEY, after(auth::INVALID_KEY_CHAT, native::NATIVE, stream::ERROR_BEFORE))]
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
#[shows(rows::VALID_KEY, after(native::NATIVE))]
async fn valid_key_needs_no_payment(probe: &Probe<'_>) -> Checked {
    switched_on(probe).await?;
    let id = model(probe, Skill::Chat).await?;
    for (endpoint, body) in offered(probe, inference(&id)) {
        expect_inference(probe, endpoint, &Call::post(endpoint, &body).accepted(probe).await?)?;
    }
    Ok(())
}

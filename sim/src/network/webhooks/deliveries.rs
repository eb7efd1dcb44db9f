//! Webhooks: registrations, and deliveries that are really sent. The document does not show payload,
//! signature and retries; these are the project's own.
//!
//! A delivery is a POST. If the receiver does not return a success status, the delivery is retried a bounded
//! number of times with growing delays. The inbox records what was sent and the outcome of each attempt, so
//! that it can be inspected without a receiver.

use std::sync::Arc;

use assay_spec::network::requirements::envelope::SIZE;
use assay_spec::network::webhook::{Delivery as Payload, MESSAGE_NEW, Registration, SIGNATURE_HEADER, sign};
use bytes::Bytes;
use http::{HeaderValue, Method};
use serde_json::{Value, json};

use super::inbox::{Delivery, State as Stage, Webhook, id_of};
use crate::core::Core;
use crate::network::faults;
use crate::network::state::{OutgoingContext, State, Timer, set};
use crate::network::store::Number;
use crate::outgoing::{Failure, Outcome, Outgoing};
use crate::refusal::Refusal;
use crate::seam::steps;
use crate::services;

/// The longest delay before a retry, as a multiple of the first delay.
const LONGEST_WAIT: i64 = 1 << 10;

steps! {
    JudgeWebhook(state: &State, registration: &Registration) -> Result<(), Refusal> = judge;
}

/// Checks whether a registration is accepted.
pub(in crate::network) fn judge(core: &mut Core, state: &State, _: &Registration) -> Result<(), Refusal> {
    let count = state.webhooks.registered();
    Ok(core.require(&SIZE, count < state.limits.webhooks, || format!("{count} webhooks"))?)
}

/// Applies a valid registration.
pub(in crate::network) fn apply(state: &mut State, number: Number, registration: Registration) {
    let stored = state.primary.store.stored(number);
    let webhook = Webhook { id: id_of(stored.hash()).into(), registration };
    state.webhooks.register(number, webhook);
}

/// Raises `message.new` for a message that was found valid.
pub(in crate::network) fn message_new(core: &mut Core, state: &mut State, number: Number) {
    if !state.webhooks.wants(MESSAGE_NEW) {
        return;
    }
    let message = state.primary.store.message(number);
    let hash = state.primary.store.stored(number).hash().text(core);
    let data = json!({
        "item_hash": hash,
        "type": message.kind,
        "sender": &*message.sender,
        "channel": &*message.channel,
        "timestamp": message.timestamp,
    });
    raise(core, state, MESSAGE_NEW, &data);
}

/// Sends a delivery to every webhook that listed the event.
pub(in crate::network) fn raise(core: &mut Core, state: &mut State, event: &str, data: &Value) {
    let wanting: Vec<Arc<Webhook>> = state.webhooks.wanting(event).cloned().collect();
    for webhook in wanting {
        let body = payload(core, &webhook, event, data);
        let signature = sign(&webhook.registration.secret, &body);
        let delivery = Delivery::new(webhook, event, body, signature);
        if let Some(number) = state.webhooks.keep(delivery) {
            attempt(core, state, number);
        }
    }
}

/// The body of a delivery.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::network) struct DeliveryBody {
    /// What it tells.
    pub(in crate::network) payload: Payload,
    /// As it is written.
    pub(in crate::network) body: Value,
}

fn payload(core: &mut Core, webhook: &Webhook, event: &str, data: &Value) -> Bytes {
    let payload = Payload {
        event: event.to_owned(),
        webhook_id: webhook.id.to_string(),
        timestamp: core.now().seconds(),
        data: data.clone(),
    };
    let body = json!(payload);
    core.step(DeliveryBody { payload, body }).body.to_string().into()
}

/// Sends a delivery, for the first time or as a retry.
pub(in crate::network) fn attempt(core: &mut Core, state: &mut State, number: u64) {
    let Some(delivery) = state.webhooks.delivery(number) else { return };
    let url = delivery.webhook.registration.url.clone();
    if core.fault(faults::WEBHOOK_DOWN, &[("url", &url), ("event", &delivery.event)]) {
        return settled(core, state, number, Err(Failure::Unreachable));
    }
    let signature = HeaderValue::try_from(delivery.signature.as_str()).expect("a signature is hex digits");
    let request = Outgoing::to_url(url, Method::POST)
        .body("application/json", delivery.body.clone())
        .header(SIGNATURE_HEADER, signature);
    core.send(request, services::OutgoingContext::Network(OutgoingContext::Webhook(number)));
}

/// Takes the outcome of an attempt.
pub(in crate::network) fn settled(core: &mut Core, state: &mut State, number: u64, outcome: Outcome) {
    let now = core.now();
    let status = outcome.map(|reply| reply.status);
    let Some(tries) = state.webhooks.tried(number, now, status) else { return };
    if status.is_ok_and(|status| (200..300).contains(&status)) {
        state.webhooks.settle(number, Stage::Delivered);
    } else if tries > state.limits.webhook_retries {
        state.webhooks.settle(number, Stage::GivenUp);
    } else {
        let times = 1_i64.checked_shl(tries - 1).unwrap_or(LONGEST_WAIT).clamp(1, LONGEST_WAIT);
        let wait_ms = state.limits.webhook_retry_ms.max(1).saturating_mul(times);
        set(core, now + wait_ms, Timer::Webhook(number));
    }
}

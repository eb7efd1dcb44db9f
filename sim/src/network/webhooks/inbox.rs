//! Registrations of webhooks and their deliveries.

use std::sync::Arc;

use assay_spec::Instant;
use assay_spec::network::webhook::Registration;
use bytes::Bytes;
use imbl::OrdMap;
use serde::Serialize;
use serde_json::{Value, json};

use crate::network::hash::Hash;
use crate::network::store::Number;
use crate::outgoing::Failure;
use crate::shape::record;

/// The maximum number of deliveries that are kept, finished and pending together.
const KEPT: usize = 1_000;

/// A registration that was accepted.
#[derive(Clone, Debug)]
pub(super) struct Webhook {
    pub(super) id: Arc<str>,
    pub(super) registration: Registration,
}

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum State {
    /// Under way, or waiting for a retry.
    Pending,
    /// The receiver accepted it.
    Delivered,
    /// All attempts failed.
    GivenUp,
}

/// A delivery.
#[derive(Clone, Debug)]
pub(super) struct Delivery {
    pub(super) webhook: Arc<Webhook>,
    pub(super) event: String,
    pub(super) body: Bytes,
    pub(super) signature: String,
    state: State,
    tries: Vec<(Instant, Result<u16, Failure>)>,
}

impl Delivery {
    /// A delivery without any attempt.
    pub(super) fn new(webhook: Arc<Webhook>, event: &str, body: Bytes, signature: String) -> Delivery {
        Delivery {
            webhook,
            event: event.to_owned(),
            body,
            signature,
            state: State::Pending,
            tries: Vec::new(),
        }
    }
}

/// The webhooks of the network.
#[derive(Clone, Debug, Default)]
pub(in crate::network) struct Webhooks {
    /// By the number of the message that registered it.
    registered: OrdMap<Number, Arc<Webhook>>,
    deliveries: OrdMap<u64, Arc<Delivery>>,
    last: u64,
    /// The number of deliveries dropped because the inbox was full.
    dropped: u64,
}

impl Webhooks {
    /// The number of registrations.
    pub(super) fn registered(&self) -> usize {
        self.registered.len()
    }

    /// Adds a registration.
    pub(super) fn register(&mut self, number: Number, webhook: Webhook) {
        self.registered.insert(number, Arc::new(webhook));
    }

    /// Whether any registration lists an event.
    pub(super) fn wants(&self, event: &str) -> bool {
        self.wanting(event).next().is_some()
    }

    /// The registrations that list an event, in the order of registration.
    pub(super) fn wanting(&self, event: &str) -> impl Iterator<Item = &Arc<Webhook>> {
        self.registered.values().filter(move |webhook| webhook.registration.wants(event))
    }

    /// Keeps a new delivery if there is room, and returns its number.
    pub(super) fn keep(&mut self, delivery: Delivery) -> Option<u64> {
        if self.deliveries.len() >= KEPT {
            let settled = self.deliveries.iter().find(|(_, one)| one.state != State::Pending);
            let Some(oldest) = settled.map(|(number, _)| *number) else {
                self.dropped += 1;
                return None;
            };
            self.deliveries.remove(&oldest);
        }
        self.last += 1;
        self.deliveries.insert(self.last, Arc::new(delivery));
        Some(self.last)
    }

    /// A delivery that is not finished.
    pub(super) fn delivery(&self, number: u64) -> Option<&Delivery> {
        self.deliveries.get(&number).map(Arc::as_ref).filter(|one| one.state == State::Pending)
    }

    /// Records an attempt and returns the number of attempts.
    pub(super) fn tried(&mut self, number: u64, at: Instant, outcome: Result<u16, Failure>) -> Option<u32> {
        let delivery = self.deliveries.get_mut(&number).filter(|one| one.state == State::Pending)?;
        let tries = &mut Arc::make_mut(delivery).tries;
        tries.push((at, outcome));
        Some(tries.len() as u32)
    }

    /// Finishes a delivery.
    pub(super) fn settle(&mut self, number: u64, state: State) {
        if let Some(delivery) = self.deliveries.get_mut(&number) {
            Arc::make_mut(delivery).state = state;
        }
    }

    /// The state of the webhooks, as the control API shows it.
    pub(in crate::network) fn view(&self) -> Value {
        let count = |state| self.deliveries.values().filter(|one| one.state == state).count();
        json!({
            "registered": self.registered.len(),
            "pending": count(State::Pending),
            "delivered": count(State::Delivered),
            "given_up": count(State::GivenUp),
            "dropped": self.dropped,
        })
    }

    /// The action `webhook-inbox`: deliveries in order, of one registration or of all.
    pub(in crate::network) fn inbox(&self, Wanted { webhook_id }: &Wanted) -> Value {
        let wanted = |one: &&Arc<Delivery>| webhook_id.as_ref().is_none_or(|id| **id == *one.webhook.id);
        self.deliveries.values().filter(wanted).map(|one| shown(one)).collect()
    }
}

record! {
    /// The arguments of the action.
    pub(in crate::network) struct Wanted {
        /// The id of a registration; without it, of all.
        webhook_id: Option<String>,
    }
}

fn shown(delivery: &Delivery) -> Value {
    let one = |(at, outcome): &(Instant, Result<u16, Failure>)| match outcome {
        Ok(status) => json!({ "at": at, "status": status }),
        Err(failure) => json!({ "at": at, "failure": failure }),
    };
    json!({
        "webhook_id": &*delivery.webhook.id,
        "url": delivery.webhook.registration.url,
        "event": delivery.event,
        "body": String::from_utf8_lossy(&delivery.body),
        "signature": delivery.signature,
        "state": delivery.state,
        "tries": delivery.tries.iter().map(one).collect::<Vec<_>>(),
    })
}

/// The identifier of a registration.
pub(super) fn id_of(hash: Hash) -> String {
    format!("wh_{}", &hash.hex()[..24])
}

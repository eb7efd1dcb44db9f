//! The exchange's limits. Defaults are the document's.

use assay_spec::publish::limits as document;
use serde::{Deserialize, Serialize};

/// The limits in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// The maximum size of a request body, in bytes.
    pub body_bytes: usize,
    /// How far an envelope's time may be in the past.
    pub envelope_past_ms: i64,
    /// How far an envelope's time may be in the future.
    pub envelope_future_ms: i64,
    /// How long a prepare can be submitted.
    pub prepare_lifetime_ms: i64,
    /// How long a confirmed submit can be repeated.
    pub repeat_window_ms: i64,
    /// How long a submit waits for the chain.
    pub confirmation_wait_ms: i64,
    /// How many slots after a submit its transaction is confirmed: the slot before that one includes it.
    pub confirmation_slots: u64,
    /// Publishes per domain in the publish window.
    pub publishes_per_window: u32,
    /// The publish window.
    pub publish_window_ms: i64,
    /// Requests per address in the request window.
    pub requests_per_window: u32,
    /// The request window.
    pub request_window_ms: i64,
    /// The maximum size of a record that fits one transaction, in bytes.
    pub record_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: document::BODY.usize(),
            envelope_past_ms: document::ENVELOPE_PAST.value,
            envelope_future_ms: document::ENVELOPE_FUTURE.value,
            prepare_lifetime_ms: document::PREPARE_LIFETIME.value,
            repeat_window_ms: document::REPEAT_WINDOW.value,
            confirmation_wait_ms: document::CONFIRMATION_WAIT.value,
            confirmation_slots: 2,
            publishes_per_window: document::PUBLISHES.u32(),
            publish_window_ms: document::PUBLISH_WINDOW.value,
            requests_per_window: document::REQUESTS.u32(),
            request_window_ms: document::REQUEST_WINDOW.value,
            record_bytes: document::RECORD.usize(),
        }
    }
}

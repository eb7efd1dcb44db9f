//! The exchange's limits. Defaults are the document's.

use assay_spec::publish::limits as document;

use crate::limits::limits;

limits! {
    /// The limits in force.
    pub struct Limits {
        /// The maximum size of a request body, in bytes.
        pub body_bytes: usize = document::BODY.usize(),
        /// How far an envelope's time may be in the past.
        pub envelope_past_ms: i64 = document::ENVELOPE_PAST.value,
        /// How far an envelope's time may be in the future.
        pub envelope_future_ms: i64 = document::ENVELOPE_FUTURE.value,
        /// How long a prepare can be submitted.
        pub prepare_lifetime_ms: i64 = document::PREPARE_LIFETIME.value,
        /// How long a confirmed submit can be repeated.
        pub repeat_window_ms: i64 = document::REPEAT_WINDOW.value,
        /// How long a submit waits for the chain.
        pub confirmation_wait_ms: i64 = document::CONFIRMATION_WAIT.value,
        /// How many slots after a submit its transaction is confirmed: the slot before that one includes it.
        pub confirmation_slots: u64 = 2,
        /// Publishes per domain in the publish window.
        pub publishes_per_window: u32 = document::PUBLISHES.u32(),
        /// The publish window.
        pub publish_window_ms: i64 = document::PUBLISH_WINDOW.value,
        /// Requests per address in the request window.
        pub requests_per_window: u32 = document::REQUESTS.u32(),
        /// The request window.
        pub request_window_ms: i64 = document::REQUEST_WINDOW.value,
        /// The maximum size of a record that fits one transaction, in bytes.
        pub record_bytes: usize = document::RECORD.usize(),
    }
}

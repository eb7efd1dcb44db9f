//! The network's limits. The defaults come from the document, or are the project's choice where it names
//! none.

use assay_spec::instant::{HOUR, MINUTE, SECOND};
use assay_spec::network::limits as document;
use assay_spec::network::paging::Sizes;

use crate::limits::limits;

limits! {
    /// The limits in force.
    pub struct Limits {
        /// Requests of an address per window, to general endpoints.
        pub general_per_window: u32 = document::GENERAL.u32(),
        /// Requests of an address per window, to endpoints that require a signature.
        pub authenticated_per_window: u32 = document::AUTHENTICATED.u32(),
        /// Program runs of an address per window.
        pub heavy_per_window: u32 = document::HEAVY.u32(),
        /// The length of the window.
        pub rate_window_ms: i64 = document::RATE_WINDOW.value,
        /// The elements of a page without `limit`.
        pub page_default: u64 = document::PAGE_DEFAULT.u64(),
        /// The maximum number of elements of a page.
        pub page_maximum: u64 = document::PAGE_MAXIMUM.u64(),
        /// How long node metrics are returned.
        pub metrics_retention_ms: i64 = document::METRICS_RETENTION.value,
        /// The largest body of a create call, in bytes; at most the spec's own bound.
        pub message_bytes: usize = document::MESSAGE.usize(),
        /// The largest file, in bytes.
        pub file_bytes: usize = document::FILE.usize(),
        /// The maximum number of messages.
        pub messages: usize = 4_000_000,
        /// The maximum total size of messages and files, in bytes.
        pub stored_bytes: u64 = 8 * 1024 * 1024 * 1024,
        /// How long a message is pending before it is validated.
        pub processing_ms: i64 = 0,
        /// How long it takes until a block contains a message.
        pub confirmation_ms: i64 = MINUTE,
        /// How far the mirror lags behind the primary.
        pub lag_ms: i64 = 0,
        /// How far the slowest of the nodes behind the public address lags. Each second another of them answers there, so that
        /// a client may not read what it has written.
        pub node_lag_ms: i64 = 0,
        /// How often a FORGET is retried while a target cannot be forgotten.
        pub forget_retries: u32 = document::FORGET_RETRIES.u32(),
        /// The time between two of these retries.
        pub forget_retry_ms: i64 = document::FORGET_RETRY.value,
        /// How often owners with a balance pay for their files.
        pub billing_ms: i64 = HOUR,
        /// How long a message without a paying owner stays `removing`.
        pub removing_grace_ms: i64 = document::REMOVING_GRACE.value,
        /// The shortest time until forgotten bytes leave a node.
        pub bytes_leave_earliest_ms: i64 = document::BYTES_LEAVE_EARLIEST.value,
        /// The longest time until forgotten bytes leave a node.
        pub bytes_leave_latest_ms: i64 = document::BYTES_LEAVE_LATEST.value,
        /// The maximum number of webhooks.
        pub webhooks: usize = 100,
        /// How often a failed delivery is retried.
        pub webhook_retries: u32 = 5,
        /// The time before the first retry; it doubles before each further one.
        pub webhook_retry_ms: i64 = 10 * SECOND,
        /// How often the measurement program probes and publishes.
        pub measurement_ms: i64 = document::MEASUREMENT.value,
        /// The value of a token in credits.
        pub credits_per_token: u64 = 100,
    }
}

/// How long node metrics are returned, in milliseconds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Retention(pub(super) i64);

/// How often a FORGET is retried.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ForgetRetries(pub(super) u32);

impl Limits {
    /// How many elements a page holds.
    pub(super) const fn page_sizes(&self) -> Sizes {
        Sizes { default: self.page_default, maximum: self.page_maximum }
    }
}

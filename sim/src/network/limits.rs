//! The network's limits. The defaults come from the document, or are the project's choice where it names
//! none.

use assay_spec::instant::{HOUR, MINUTE, SECOND};
use assay_spec::network::limits as document;
use assay_spec::network::paging::Sizes;
use serde::{Deserialize, Serialize};

/// The limits in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Requests of an address per window, to general endpoints.
    pub general_per_window: u32,
    /// Requests of an address per window, to endpoints that require a signature.
    pub authenticated_per_window: u32,
    /// Program runs of an address per window.
    pub heavy_per_window: u32,
    /// The length of the window.
    pub rate_window_ms: i64,
    /// The elements of a page without `limit`.
    pub page_default: u64,
    /// The maximum number of elements of a page.
    pub page_maximum: u64,
    /// How long node metrics are returned.
    pub metrics_retention_ms: i64,
    /// The largest body of a create call, in bytes; at most the spec's own bound.
    pub message_bytes: usize,
    /// The largest file, in bytes.
    pub file_bytes: usize,
    /// The maximum number of messages.
    pub messages: usize,
    /// The maximum total size of messages and files, in bytes.
    pub stored_bytes: u64,
    /// How long a message is pending before it is validated.
    pub processing_ms: i64,
    /// How long it takes until a block contains a message.
    pub confirmation_ms: i64,
    /// How far the mirror lags behind the primary.
    pub lag_ms: i64,
    /// How far the slowest of the nodes behind the public address lags. Each second another of them answers there, so that
    /// a client may not read what it has written.
    pub node_lag_ms: i64,
    /// How often a FORGET is retried while a target cannot be forgotten.
    pub forget_retries: u32,
    /// The time between two of these retries.
    pub forget_retry_ms: i64,
    /// How often owners with a balance pay for their files.
    pub billing_ms: i64,
    /// How long a message without a paying owner stays `removing`.
    pub removing_grace_ms: i64,
    /// The shortest and the longest time until forgotten bytes leave a node.
    pub bytes_leave_earliest_ms: i64,
    /// See [`Limits::bytes_leave_earliest_ms`].
    pub bytes_leave_latest_ms: i64,
    /// The maximum number of webhooks.
    pub webhooks: usize,
    /// How often a failed delivery is retried.
    pub webhook_retries: u32,
    /// The time before the first retry; it doubles before each further one.
    pub webhook_retry_ms: i64,
    /// How often the measurement program probes and publishes.
    pub measurement_ms: i64,
    /// The value of a token in credits.
    pub credits_per_token: u64,
}

/// How long node metrics are returned, in milliseconds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Retention(pub(super) i64);

/// How often a FORGET is retried.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ForgetRetries(pub(super) u32);

impl Default for Limits {
    fn default() -> Self {
        Self {
            general_per_window: document::GENERAL.u32(),
            authenticated_per_window: document::AUTHENTICATED.u32(),
            heavy_per_window: document::HEAVY.u32(),
            rate_window_ms: document::RATE_WINDOW.value,
            page_default: document::PAGE_DEFAULT.u64(),
            page_maximum: document::PAGE_MAXIMUM.u64(),
            metrics_retention_ms: document::METRICS_RETENTION.value,
            message_bytes: document::MESSAGE.usize(),
            file_bytes: document::FILE.usize(),
            messages: 4_000_000,
            stored_bytes: 8 * 1024 * 1024 * 1024,
            processing_ms: 0,
            confirmation_ms: MINUTE,
            lag_ms: 0,
            node_lag_ms: 0,
            forget_retries: document::FORGET_RETRIES.u32(),
            forget_retry_ms: document::FORGET_RETRY.value,
            billing_ms: HOUR,
            removing_grace_ms: document::REMOVING_GRACE.value,
            bytes_leave_earliest_ms: document::BYTES_LEAVE_EARLIEST.value,
            bytes_leave_latest_ms: document::BYTES_LEAVE_LATEST.value,
            webhooks: 100,
            webhook_retries: 5,
            webhook_retry_ms: 10 * SECOND,
            measurement_ms: document::MEASUREMENT.value,
            credits_per_token: 100,
        }
    }
}

impl Limits {
    /// How many elements a page holds.
    pub(super) const fn page_sizes(&self) -> Sizes {
        Sizes { default: self.page_default, maximum: self.page_maximum }
    }
}

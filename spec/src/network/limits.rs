//! The node API's limits (document 2, "Limits"), and the bounds that the document leaves open.

use crate::endpoint::{Auth, Endpoint};
use crate::instant::{DAY, HOUR, MINUTE};

/// Elements per page without `limit`.
pub const PAGE_DEFAULT: u64 = 20;
/// Maximum number of elements per page.
pub const PAGE_MAXIMUM: u64 = 100;
/// Requests per minute and address to general endpoints.
pub const GENERAL_PER_MINUTE: u32 = 100;
/// Requests per minute and address to endpoints that require authentication.
pub const AUTHENTICATED_PER_MINUTE: u32 = 300;
/// Program runs per minute and address.
pub const HEAVY_PER_MINUTE: u32 = 10;
/// The window in which requests are counted.
pub const RATE_WINDOW_MS: i64 = MINUTE;
/// How long node metrics are returned.
pub const METRICS_RETENTION_MS: i64 = 14 * DAY;
/// The interval at which the measurement program publishes.
pub const MEASUREMENT_MS: i64 = HOUR;
/// The earliest time after which forgotten bytes are gone.
pub const BYTES_LEAVE_EARLIEST_MS: i64 = 24 * HOUR;
/// The latest time after which forgotten bytes are gone.
pub const BYTES_LEAVE_LATEST_MS: i64 = 48 * HOUR;
/// `limit` of the measurement program's aggregate probe.
pub const AGGREGATE_PROBE_LIMIT: u64 = 50;
/// Size of the file that the measurement program downloads.
pub const FILE_PROBE_BYTES: usize = 6_700;

// The document gives no values for the following limits; they are the project's own choice.

/// The largest body of a create call, in bytes.
pub const MESSAGE_BYTES: usize = 1024 * 1024;
/// The largest file, in bytes.
pub const FILE_BYTES: usize = 100 * 1024 * 1024;
/// How far a message's timestamp may be before the server's clock.
pub const TIMESTAMP_PAST_MS: i64 = 366 * DAY;
/// How far a message's timestamp may be after the server's clock.
pub const TIMESTAMP_FUTURE_MS: i64 = DAY;
/// Maximum number of values of one filter.
pub const FILTER_VALUES: usize = 1_000;
/// How often a FORGET whose targets are not valid is retried.
pub const FORGET_RETRIES: u32 = 5;
/// How long a FORGET waits before a retry.
pub const FORGET_RETRY_MS: i64 = 10 * MINUTE;
/// How long a message whose payer ran out of balance stays `removing`.
pub const REMOVING_GRACE_MS: i64 = 24 * HOUR;
/// The longest output of a program, in bytes.
pub const PROGRAM_OUTPUT_BYTES: usize = 64 * 1024;
/// Maximum number of values drawn for one seed.
pub const VRF_COUNT: i64 = 1_000;

/// The class in which an endpoint's requests are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rate {
    /// All other endpoints.
    General,
    /// Endpoints that require authentication.
    Authenticated,
    /// Program execution.
    Heavy,
}

impl Rate {
    /// The classes, in the document's order.
    pub const ALL: [Rate; 3] = [Rate::General, Rate::Authenticated, Rate::Heavy];

    /// The class of an endpoint. Which endpoints require authentication is not shown; here it is those that take a
    /// signature.
    pub fn for_endpoint(endpoint: &Endpoint) -> Rate {
        match endpoint.auth {
            _ if endpoint.name == super::program::RUN.name => Rate::Heavy,
            Auth::None => Rate::General,
            _ => Rate::Authenticated,
        }
    }

    /// Requests per minute and address.
    pub const fn per_minute(self) -> u32 {
        match self {
            Rate::General => GENERAL_PER_MINUTE,
            Rate::Authenticated => AUTHENTICATED_PER_MINUTE,
            Rate::Heavy => HEAVY_PER_MINUTE,
        }
    }
}

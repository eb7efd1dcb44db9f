//! The exchange's limits (document 3, "Limits").

use crate::instant::{DAY, MINUTE, SECOND};

/// The largest request body, in bytes.
pub const BODY_BYTES: usize = 64 * 1024;
/// The maximum difference between the envelope's time and the server's clock, either way.
pub const ENVELOPE_SKEW_MS: i64 = 10 * MINUTE;
/// The maximum difference between the record's time and the client's clock, either way.
pub const RECORD_SKEW_MS: i64 = 10 * MINUTE;
/// How long a prepare can be submitted.
pub const PREPARE_LIFETIME_MS: i64 = 60 * SECOND;
/// How long a confirmed submit can be repeated.
pub const REPEAT_WINDOW_MS: i64 = 60 * SECOND;
/// How long a submit waits for confirmation ("about three minutes").
pub const CONFIRMATION_WAIT_MS: i64 = 3 * MINUTE;
/// Publishes per domain in a rolling day.
pub const PUBLISHES_PER_DAY: u32 = 30;
/// The day over which publishes are counted.
pub const PUBLISH_WINDOW_MS: i64 = DAY;
/// Requests per IP address in a minute.
pub const REQUESTS_PER_MINUTE: u32 = 30;
/// The minute over which requests are counted.
pub const REQUEST_WINDOW_MS: i64 = MINUTE;
/// The longest record that fits one transaction: a packet of 1232 bytes minus two signatures and the fixed parts of
/// the message.
pub const RECORD_BYTES: usize = 965;

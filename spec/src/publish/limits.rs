//! The exchange's limits (document 3, "Limits").

use crate::instant::{DAY, MINUTE, SECOND};

/// The largest request body, in bytes.
pub const BODY_BYTES: usize = 64 * 1024;
/// How far the envelope's time may be from the server's clock, either way.
pub const ENVELOPE_SKEW_MS: i64 = 10 * MINUTE;
/// How far the record's time may be from the client's clock, either way.
pub const RECORD_SKEW_MS: i64 = 10 * MINUTE;
/// How long a prepare can be submitted.
pub const PREPARE_LIFETIME_MS: i64 = 60 * SECOND;
/// How long a confirmed submit can be repeated.
pub const REPEAT_WINDOW_MS: i64 = 60 * SECOND;
/// How long a submit waits for the chain ("about three minutes").
pub const CONFIRMATION_WAIT_MS: i64 = 3 * MINUTE;
/// Publishes of a domain in a rolling day.
pub const PUBLISHES_PER_DAY: u32 = 30;
/// The day over which publishes are counted.
pub const PUBLISH_WINDOW_MS: i64 = DAY;
/// Requests of an address in a minute.
pub const REQUESTS_PER_MINUTE: u32 = 30;
/// The minute over which requests are counted.
pub const REQUEST_WINDOW_MS: i64 = MINUTE;
/// The longest record that fits one transaction: a packet of 1232 bytes less two signatures and the fixed parts
/// of the message.
pub const RECORD_BYTES: usize = 965;

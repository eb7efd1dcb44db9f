//! The gateway's limits. The document defines none of them: every default is the simulator's own.

use serde::{Deserialize, Serialize};

/// The limits in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// The maximum size of a body, in bytes.
    pub body_bytes: usize,
    /// Whether the payment-required flow is on: 0 or 1.
    pub payment_flow: u8,
    /// How long a server takes to send the first byte of an answer.
    pub first_byte_ms: i64,
    /// The time between two frames of a stream.
    pub frame_ms: i64,
    /// How much longer a slow server takes to send the first byte.
    pub slow_ms: i64,
    /// How long a stream that falls silent stays silent.
    pub silent_ms: i64,
    /// How long the gateway waits for a server's first byte before it tries the next.
    pub patience_ms: i64,
    /// The time between two health checks.
    pub health_ms: i64,
    /// How many health checks follow the latest request or change; in a world where nothing happens there are none.
    pub health_checks: u32,
    /// What a subscription covers, in tokens.
    pub subscription_tokens: u64,
    /// The credits of a key, in millionths.
    pub credits: u64,
    /// The price of a million input tokens beyond the subscription, in millionths of a credit.
    pub input_rate: u64,
    /// The price of a million output tokens beyond the subscription, in millionths of a credit.
    pub output_rate: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 32 * 1024 * 1024,
            payment_flow: 0,
            first_byte_ms: 0,
            frame_ms: 5,
            slow_ms: 2_000,
            silent_ms: 60_000,
            patience_ms: 10_000,
            health_ms: 5_000,
            health_checks: 12,
            subscription_tokens: 1_000_000_000,
            credits: 1_000_000_000,
            input_rate: 200_000,
            output_rate: 800_000,
        }
    }
}

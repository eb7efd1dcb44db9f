//! The gateway's limits. The document defines none of them: every default is the simulator's own.

use crate::limits::limits;

limits! {
    /// The limits in force.
    pub struct Limits {
        /// The maximum size of a body, in bytes.
        pub body_bytes: usize = 32 * 1024 * 1024,
        /// Whether the payment-required flow is on: 0 or 1.
        pub payment_flow: u8 = 0,
        /// How long a server takes to send the first byte of an answer.
        pub first_byte_ms: i64 = 0,
        /// The time between two frames of a stream.
        pub frame_ms: i64 = 5,
        /// How much longer a slow server takes to send the first byte.
        pub slow_ms: i64 = 2_000,
        /// How long a stream that falls silent stays silent.
        pub silent_ms: i64 = 60_000,
        /// How long the gateway waits for a server's first byte before it tries the next.
        pub patience_ms: i64 = 10_000,
        /// The time between two health checks.
        pub health_ms: i64 = 5_000,
        /// How many health checks follow the latest request or change; in a world where nothing happens there are none.
        pub health_checks: u32 = 12,
        /// What a subscription covers, in tokens.
        pub subscription_tokens: u64 = 1_000_000_000,
        /// The credits of a key, in millionths.
        pub credits: u64 = 1_000_000_000,
        /// The price of a million input tokens beyond the subscription, in millionths of a credit.
        pub input_rate: u64 = 200_000,
        /// The price of a million output tokens beyond the subscription, in millionths of a credit.
        pub output_rate: u64 = 800_000,
    }
}

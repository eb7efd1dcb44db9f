//! The application's limits. All are the project's choice; the document names none.

use assay_spec::instant::{MINUTE, SECOND};

use crate::limits::limits;

limits! {
    /// The limits in force.
    pub struct Limits {
        /// The maximum number of users.
        pub owners: usize = 1_000,
        /// The maximum number of projects per user, including deleted ones.
        pub projects: usize = 500,
        /// The maximum number of deployments of all users.
        pub deployments: usize = 100_000,
        /// How often a failed request is retried.
        pub retries: u32 = 4,
        /// The time between two attempts.
        pub retry_ms: i64 = 20 * SECOND,
        /// The delay of a slow delegate.
        pub slow_ms: i64 = 10 * MINUTE,
        /// The largest body that the backend reads, in bytes.
        pub body_bytes: usize = 64 * 1024,
    }
}

//! The application's limits. All are the project's choice; the document names none.

use assay_spec::instant::{MINUTE, SECOND};
use serde::{Deserialize, Serialize};

/// The limits in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// The maximum number of users.
    pub owners: usize,
    /// The maximum number of projects per user, including deleted ones.
    pub projects: usize,
    /// The maximum number of deployments of all users.
    pub deployments: usize,
    /// How often a failed request is retried.
    pub retries: u32,
    /// The time between two attempts.
    pub retry_ms: i64,
    /// The delay of a slow delegate.
    pub slow_ms: i64,
    /// The largest body that the backend reads, in bytes.
    pub body_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            owners: 1_000,
            projects: 500,
            deployments: 100_000,
            retries: 4,
            retry_ms: 20 * SECOND,
            slow_ms: 10 * MINUTE,
            body_bytes: 64 * 1024,
        }
    }
}

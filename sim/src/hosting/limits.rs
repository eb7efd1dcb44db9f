//! The application's limits as values: all of them the project's own, since the document names none.

use assay_spec::instant::{MINUTE, SECOND};
use serde::{Deserialize, Serialize};

/// The limits in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Users at most.
    pub owners: usize,
    /// Projects of a user at most, deleted ones included.
    pub projects: usize,
    /// Deployments of all users at most.
    pub deployments: usize,
    /// How often a request that failed is sent again.
    pub retries: u32,
    /// How long it waits before it is sent again.
    pub retry_ms: i64,
    /// How much later a slow delegate writes.
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

//! The drop's limits. Defaults are the document's, or the simulator's own where the document has none.

use assay_spec::drop::limits as document;
use serde::{Deserialize, Serialize};

/// The limits in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// The maximum size of a zip, in bytes.
    pub zip_bytes: usize,
    /// The maximum total size of the files in a zip, in bytes.
    pub extracted_bytes: u64,
    /// The maximum number of files in a zip.
    pub files: usize,
    /// How long a drop can be claimed.
    pub claim_window_ms: i64,
    /// Drops per address in the hour.
    pub drops_per_hour: u32,
    /// The length of the hour.
    pub hour_ms: i64,
    /// Drops per address in the day.
    pub drops_per_day: u32,
    /// The length of the day.
    pub day_ms: i64,
    /// Uploads in progress of all addresses; at this limit the service is too busy.
    pub uploads: usize,
    /// Drops of all addresses in the day; at this limit the day's budget is used up.
    pub daily_budget: usize,
    /// The total size of all live sites, in bytes; part of the budget.
    pub stored_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            zip_bytes: document::ZIP_BYTES,
            extracted_bytes: document::EXTRACTED_BYTES,
            files: document::FILES,
            claim_window_ms: document::CLAIM_WINDOW_MS,
            drops_per_hour: document::DROPS_PER_HOUR,
            hour_ms: document::HOUR_MS,
            drops_per_day: document::DROPS_PER_DAY,
            day_ms: document::DAY_MS,
            uploads: 64,
            daily_budget: 100_000,
            stored_bytes: 2_000_000_000,
        }
    }
}
